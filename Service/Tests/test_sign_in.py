"""Enrollment by a token of an OpenID provider."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from app import ALICE, App, needs_mamctl
from client import Problem
from conftest import Service
from provider import Key, Provider, compact


def sign_in(service, provider, **changed):
    path = service.path("mamd.json")
    settings = provider.settings(service.folder, **changed)
    path.write_text(json.dumps({**json.loads(path.read_text()), "signIn": settings}))


@pytest.fixture
def provider(tmp_path):
    """A provider, and `service` with it."""
    service = Service(str(tmp_path / "mamd")).people()
    service.admin("user.add", upn="bob@contoso.example", accountId="bob-id")
    made = Provider(service.folder)
    sign_in(service, made)
    made.service = service.start()
    yield made
    service.stop()
    made.stop()


def enroll(provider, token, upn=ALICE, **options):
    client = provider.service.client(**options)
    client.enroll(upn, None, token=token)
    return client


def refusal(provider, token, upn=ALICE):
    with pytest.raises(Problem) as caught:
        enroll(provider, token, upn)
    return caught.value.name, caught.value.body["detail"]


def reasons(provider):
    return {one["reason"]: one["count"] for one in provider.service.admin("signIn.refusals")["refusals"]}


@pytest.mark.parametrize("alg", ["RS256", "ES256", "EdDSA"])
def test_a_token_enrolls_its_person(provider, alg):
    provider.keys = [Key("other", "ES256"), Key("the key", alg)]
    client = enroll(provider, provider.token())
    assert client.account_id == "alice-id" and client.check_in()["result"] == "unchanged"
    (bound,) = provider.service.admin("identity.list")["identities"]
    assert (bound["accountId"], bound["subject"]) == ("alice-id", "subject-1")
    assert client.discover()["signIn"] == {"issuer": provider.issuer, "clientId": "libmam", "scopes": ["mam.enroll"]}


def damaged(provider):
    head, claims, signature = provider.token().split(".")
    return f"{head}.{claims}.{'B' if signature[0] == 'A' else 'A'}{signature[1:]}"


def other_claims(provider):
    """The signature of another token."""
    return ".".join([*provider.token(sub="subject-2").split(".")[:2], provider.token().split(".")[2]])


def by_another_algorithm(provider):
    """An ES256 token that names the RSA key."""
    other = Key(provider.keys[0].kid, "ES256")
    return provider.token(key=other)


# Beside those of test_refused_tokens.py.
REFUSED = {
    "no signature": (lambda p: compact({"alg": "RS256", "kid": "key-1"}, p.claims(), lambda _: b""), "malformed"),
    "another algorithm than the key's": (by_another_algorithm, "algorithm"),
    "a damaged signature": (damaged, "badSignature"),
    "another token's signature": (other_claims, "badSignature"),
    "another key by the same name": (lambda p: p.token(key=Key("key-1")), "badSignature"),
    "no token at all": (lambda p: "x", "malformed"),
    "a key in the header": (lambda p: p.token(key=Key("key-7"), header={"jwk": Key("key-7").jwk()}), "unknownKey"),
}


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """One service for the table."""
    service = Service(str(tmp_path_factory.mktemp("table") / "mamd")).people()
    made = Provider(service.folder)
    sign_in(service, made)
    made.service = service.start("--log-level", "debug")
    yield made
    service.stop()
    made.stop()


@pytest.mark.parametrize("name", REFUSED)
def test_a_token_that_does_not_count(asked, name):
    make, reason = REFUSED[name]
    before = reasons(asked).get(reason, 0)
    token = make(asked)
    refused, detail = refusal(asked, token)
    assert refused == "needsToken" and "token" in detail
    assert reasons(asked)[reason] == before + 1
    assert len(token) < 9 or token not in asked.service.log()


def test_a_person_enrolls_nobody_else(provider):
    bob = provider.token(sub="subject-2", email="bob@contoso.example")
    assert refusal(provider, bob)[0] == "wrongUser"
    enroll(provider, bob, "bob@contoso.example")
    assert refusal(provider, bob)[0] == "wrongUser"
    assert refusal(provider, provider.token(email_verified=False))[0] == "wrongUser"
    assert refusal(provider, provider.token(email=None, preferred_username=ALICE))[0] == "wrongUser"


def test_another_person_by_the_same_name_needs_an_administrator(provider):
    enroll(provider, provider.token())
    other = provider.token(sub="subject-9")
    assert refusal(provider, other)[0] == "wrongUser"
    assert reasons(provider) == {"otherSubject": 1}
    # The binding is durable.
    provider.service.stop()
    provider.service.start()
    assert refusal(provider, other)[0] == "wrongUser"
    provider.service.admin("identity.unbind", user=ALICE)
    assert enroll(provider, other).account_id == "alice-id"
    assert refusal(provider, provider.token())[0] == "wrongUser"


def test_sign_ins_that_were_ended_are_asked_for_at_the_check_in(provider):
    client, former = enroll(provider, provider.token()), provider.token()
    assert client.check_in()["result"] == "unchanged"
    provider.service.admin("identity.revoke", user=ALICE)
    for token in (None, former, provider.token(sub="subject-2", email="bob@contoso.example")):
        with pytest.raises(Problem) as caught:
            client.check_in(token=token)
        assert (caught.value.name, caught.value.status) == ("needsToken", 401)
    assert refusal(provider, former)[0] == "needsToken"
    # Times of tokens are whole seconds: one of the next second was issued after the end.
    assert client.check_in(token=provider.token(iat=int(time.time()) + 2))["result"] == "unchanged"
    assert client.check_in()["result"] == "unchanged"


def test_a_hanging_provider_holds_up_nobody_else(provider):
    """Nor does one that hangs for ever keep the person who waits for it for long."""
    known = enroll(provider, provider.token())
    provider.service.stop()
    provider.release = threading.Event()
    provider.service.start()
    provider.requests.clear()
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(refusal, provider, provider.token()) for _ in range(8)]
        while not provider.requests:
            time.sleep(0.01)
        assert known.check_in()["result"] == "unchanged"
        assert not any(one.done() for one in waiting)
        provider.service.enrolled(device="invited")
        assert {one.result()[0] for one in waiting} == {"busy"}
    assert provider.requests == ["/.well-known/openid-configuration"]


def test_keys_are_rotated_under_way_and_read_once_a_minute(provider):
    former = provider.keys[0]
    enroll(provider, provider.token())
    provider.keys = [former, Key("key-2", "ES256")]
    provider.requests.clear()
    begin = time.monotonic()
    while True:
        # The former key counts all the time.
        enroll(provider, provider.token(key=former))
        try:
            enroll(provider, provider.token())
            break
        except Problem as problem:
            assert problem.name == "needsToken"
        time.sleep(1)
        assert time.monotonic() - begin < 600
    assert provider.requests == ["/.well-known/openid-configuration", "/jwks"]
    # Keys that were read count while the provider is away; one that was not asks for patience.
    provider.stop()
    enroll(provider, provider.token())
    enroll(provider, provider.token(key=former))


def test_a_provider_that_is_away_asks_for_patience(provider):
    provider.stop()
    name, detail = refusal(provider, provider.token())
    assert (name, detail) == ("busy", "the provider's keys cannot be read now")
    assert reasons(provider) == {"providerUnavailable": 1}
    # The administrator reads why.
    assert f"{provider.issuer}/.well-known/openid-configuration" in provider.service.log()


def test_metadata_of_another_issuer_do_not_count(provider):
    provider.metadata = lambda: {"issuer": "https://other.example", "jwks_uri": f"{provider.issuer}/jwks"}
    assert refusal(provider, provider.token())[0] == "busy"
    assert "another issuer" in provider.service.log()


def test_tokens_are_nowhere(provider):
    """In no log, figure or file."""
    service = provider.service
    service.stop()
    service.start("--log-level", "debug", "--log-format", "json")
    good, bad = provider.token(), provider.token(aud="other")
    enroll(provider, good)
    refusal(provider, bad)
    service.stop()
    stored = b"".join(path.read_bytes() for path in service.path("").iterdir() if path.is_file())
    for token in (good, bad):
        for part in token.split("."):
            if part == good.split(".")[0]:
                continue
            assert part not in service.log()
            assert part.encode() not in stored
    assert ALICE not in service.log() and "subject-1" not in service.log()


STRONG = {"claims": {"acrs": ["c1"]}, "maxAge": "PT1H"}
DEMAND = {"access_token": {"acrs": {"essential": True, "value": "c1"}, "auth_time": {"essential": True}}}


def strong(provider, **changed):
    """A token of a person who has signed in as the organisation demands it."""
    return provider.token(**{"acrs": ["c1"], "auth_time": int(time.time()), **changed})


@pytest.fixture
def demanding(provider):
    provider.service.stop()
    sign_in(provider.service, provider, **STRONG)
    provider.service.start()
    return provider


def test_a_refusal_says_how_to_sign_in(demanding):
    """RFC 9470: the host asks its provider for what the challenge names, and the token then counts."""
    for token in (demanding.token(), strong(demanding, acrs=["c2"]), strong(demanding, auth_time=int(time.time()) - 7200)):
        with pytest.raises(Problem) as caught:
            enroll(demanding, token)
        assert (caught.value.status, caught.value.name) == (401, "needsToken")
        assert json.loads(caught.value.body["claims"]) == DEMAND and caught.value.body["maxAge"] == 3600
        assert "sign in again" in caught.value.body["detail"]
    assert reasons(demanding) == {"insufficientAuthentication": 3}
    client = enroll(demanding, strong(demanding))
    demanding.service.admin("identity.revoke", user=ALICE)
    with pytest.raises(Problem) as caught:
        client.check_in()
    assert json.loads(caught.value.body["claims"]) == DEMAND
    later = int(time.time()) + 2
    assert client.check_in(token=strong(demanding, iat=later))["result"] == "unchanged"


def enroll_by_file(app, token):
    path = app.folder / "token"
    path.write_text(token)
    status, output, errors = app.run("enroll", ALICE, "--token-file", str(path))
    return status, output + errors


@needs_mamctl
def test_mamctl_says_that_the_sign_in_was_too_weak(demanding, tmp_path):
    app = App(tmp_path / "app", demanding.service.settings)
    _, output = enroll_by_file(app, demanding.token())
    assert "203" in output and "sign in again" in output
    assert enroll_by_file(app, strong(demanding))[0] == 0


@needs_mamctl
def test_mamctl_enrolls_with_a_token(provider, tmp_path):
    app = App(tmp_path / "app", provider.service.settings)
    status, output = enroll_by_file(app, provider.token())
    assert status == 0, output
    assert app.accounts()[0]["state"] == "enrolled"
