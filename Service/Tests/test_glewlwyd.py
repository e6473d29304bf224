"""Tokens of glewlwyd, an OpenID provider that others wrote, and sign-ins there by libmam."""

import base64
import json
import urllib.request

import glewlwyd
import pytest
from app import ALICE, App, line_with, needs_mamctl
from client import Problem
from conftest import Service
from test_refresh import checks_in, grow_old

pytestmark = pytest.mark.skipif(not glewlwyd.installed(), reason="glewlwyd is not installed")


def made(tmp_path, parameters, **changed):
    """The provider, and `service` with it. Its tokens name nobody, and have the scope as audience."""
    service = Service(str(tmp_path / "mamd")).people()
    made = glewlwyd.Glewlwyd(tmp_path / "provider", service.folder, **parameters)
    path = service.path("mamd.json")
    settings = {
        "issuer": made.issuer,
        "audiences": ["openid mam"],
        "clientIds": ["libmam"],
        "scopes": ["mam"],
        "caFile": f"{service.folder}/ca.pem",
        **changed,
    }
    path.write_text(json.dumps({**json.loads(path.read_text()), "signIn": settings}))
    made.service = service.start()
    return made


@pytest.fixture
def provider(tmp_path):
    provider = made(tmp_path, {})
    yield provider
    provider.service.stop()
    provider.stop()


def refusal(service, token):
    with pytest.raises(Problem) as caught:
        service.client().enroll(ALICE, None, token=token)
    return caught.value.name


def test_a_person_enrolls_once_an_administrator_has_given_them_the_account(provider):
    service, tokens = provider.service, provider.sign_in()
    assert refusal(service, tokens["access_token"]) == "wrongUser"
    (counted,) = service.admin("signIn.refusals")["refusals"]
    assert counted["reason"] == "noAccount"
    service.admin("identity.bind", user=ALICE, subject=counted["subject"])
    client = service.client()
    assert client.enroll(ALICE, None, token=tokens["access_token"])["accountId"] == "alice-id"
    assert client.check_in()["result"] == "unchanged"
    assert refusal(service, tokens["id_token"]) == "needsToken"
    assert service.admin("signIn.refusals")["refusals"][0]["reason"] == "notAccessToken"


@needs_mamctl
def test_mamctl_enrolls_with_its_token(provider, tmp_path):
    app = App(tmp_path / "app", provider.service.settings)
    path = tmp_path / "token"
    path.write_text(provider.sign_in()["access_token"])
    status, _, errors = app.run("enroll", ALICE, "--token-file", str(path))
    assert status != 0 and "203" in errors
    (counted,) = provider.service.admin("signIn.refusals")["refusals"]
    socket = str(provider.service.path("mamd.sock"))
    app.environment["MAM_AUTHORITY"] = socket
    assert app.run("authority", "identity", "bind", ALICE, counted["subject"])[0] == 0
    listed = json.loads(app.run("authority", "identity", "list", "--json")[1])["identities"]
    assert [(one["accountId"], one["subject"]) for one in listed] == [("alice-id", counted["subject"])]
    app.use(provider.service.settings)
    status, output, errors = app.run("enroll", ALICE, "--token-file", str(path))
    assert status == 0, output + errors
    assert app.accounts()[0]["state"] == "enrolled"


def bind(provider):
    """Give alice her account."""
    claims = provider.sign_in()["access_token"].split(".")[1]
    subject = json.loads(base64.urlsafe_b64decode(claims + "=="))["sub"]
    provider.service.admin("identity.bind", user=ALICE, subject=subject)


def settings(provider, **changed):
    certificates = f"{provider.service.folder}/ca.pem"
    return {**provider.service.settings, "signIn": {"caFile": certificates, "scopes": ["openid", "mam"], **changed}}


def signed_in(provider, tmp_path):
    """An app in which alice has signed in with a code."""
    app = App(tmp_path / "app", settings(provider))
    process = app.start("login", ALICE)
    provider.enter(line_with(process, "  code ").split()[-1])
    output, errors = process.communicate()
    assert process.returncode == 0, output + errors
    return app


@needs_mamctl
def test_libmam_signs_alice_in(provider, tmp_path):
    bind(provider)
    app = signed_in(provider, tmp_path)
    assert app.accounts()[0]["state"] == "enrolled"


@needs_mamctl
def test_alice_signs_in_with_a_browser(provider, tmp_path):
    bind(provider)
    app = App(tmp_path / "app", settings(provider, methods=["browser"], redirectUri=provider.redirect))
    process = app.start("login", ALICE)
    line = line_with(process, "/auth?")
    alice = provider.alice()
    alice.send("GET", line.strip().removeprefix(provider.base) + "&g_continue")
    with urllib.request.urlopen(alice.location) as page:
        assert b"go back to the app" in page.read()
    output, errors = process.communicate()
    assert process.returncode == 0, output + errors
    assert app.accounts()[0]["state"] == "enrolled"


RENEWING = {"introspection-revocation-allowed": True, "introspection-revocation-auth-scope": [], "refresh-token-one-use": "always"}
BINDING = {"oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 300, "oauth-dpop-nonce-mandatory": False}


@needs_mamctl
@pytest.mark.parametrize("parameters", [RENEWING, {**RENEWING, **BINDING}], ids=["bearer", "bound"])
def test_libmam_renews_the_sign_in(tmp_path, parameters):
    provider = made(tmp_path, parameters, frequency="P7D", refresh=True)
    try:
        bind(provider)
        app = signed_in(provider, tmp_path)
        for _ in range(2):
            grow_old(provider)
            passed, text = checks_in(app)
            assert passed, text
        assert provider.service.admin("signIn.refusals")["refusals"] == []
    finally:
        provider.service.stop()
        provider.stop()
