"""Access tokens that are bound to a key (DPoP, RFC 9449), and sign-ins by libmam that ask for them."""

import hashlib
import json
import os
import time

import pytest
from app import ALICE, App, needs_mamctl
from client import Problem, b64url, thumbprint
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from test_refresh import checks_in, grow_old, providing


@pytest.fixture
def provider(tmp_path):
    with providing(tmp_path, refresh=True) as provider:
        yield provider


@pytest.fixture
def key():
    return ec.generate_private_key(ec.SECP256R1())


def jwk(key):
    numbers = key.public_key().public_numbers()
    x, y = (b64url(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
    return {"kty": "EC", "crv": "P-256", "x": x, "y": y}


def bound(provider, key):
    return provider.token(cnf={"jkt": thumbprint(jwk(key))})


def proof(client, key, token):
    """The proof of the key to which a token is bound, for an enrollment that the client signs."""
    digest = b64url(hashlib.sha256(token.encode()).digest())
    return proof_for(f"{client.api}/registrations", key, ath=digest, mam_key=thumbprint(client.jwk()))


def proof_for(url, key, **more):
    """The proof of a key for a POST (RFC 9449)."""
    claims = {"jti": b64url(os.urandom(16)), "htm": "POST", "htu": url, "iat": int(time.time()), **more}
    header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": jwk(key)}
    message = ".".join(b64url(json.dumps(part).encode()) for part in (header, claims))
    r, s = utils.decode_dss_signature(key.sign(message.encode(), ec.ECDSA(hashes.SHA256())))
    return f"{message}.{b64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


BAD_PROOF = 'Bearer, DPoP error="invalid_dpop_proof", algs="ES256", MAM-Invite'


def refused(provider, token, client=None, challenge=BAD_PROOF, **options):
    """Why a token does not enroll, as it is counted; the challenge says it too."""
    client = client or provider.service.client()
    with pytest.raises(Problem) as caught:
        client.enroll(ALICE, None, token=token, **options)
    assert (caught.value.status, caught.value.name) == (401, "needsToken")
    assert caught.value.challenge == challenge
    (counted,) = provider.service.admin("signIn.refusals")["refusals"]
    return counted["reason"]


def test_a_bound_token_enrolls_with_a_proof(provider, key):
    client, token = provider.service.client(), bound(provider, key)
    assert client.enroll(ALICE, None, token=token, proof=proof(client, key, token))["accountId"] == "alice-id"
    assert client.check_in()["result"] == "unchanged"


def test_a_bound_token_is_no_bearer_token(provider, key):
    assert refused(provider, bound(provider, key)) == "boundToKey"


def test_the_proof_of_another_key(provider, key):
    client, token = provider.service.client(), bound(provider, key)
    other = proof(client, ec.generate_private_key(ec.SECP256R1()), token)
    assert refused(provider, token, client, proof=other) == "badProof"


def test_the_proof_of_another_client(provider, key):
    token = bound(provider, key)
    assert refused(provider, token, proof=proof(provider.service.client(), key, token)) == "badProof"


@pytest.fixture
def strict(tmp_path):
    """A provider whose bound tokens alone count."""
    with providing(tmp_path, boundTokensOnly=True) as provider:
        yield provider


def test_bound_tokens_only(strict, key):
    client, plain = strict.service.client(), strict.token()
    for options in ({}, {"proof": proof(client, key, plain)}):
        unbound = 'DPoP error="invalid_token", algs="ES256", MAM-Invite'
        assert refused(strict, plain, client, unbound, **options) == "notBound"
    with pytest.raises(Problem) as caught:
        client.enroll(ALICE, "no-such-code")
    assert caught.value.challenge == 'DPoP algs="ES256", MAM-Invite'
    assert client.discover()["signIn"]["boundTokensOnly"] is True
    token = bound(strict, key)
    assert client.enroll(ALICE, None, token=token, proof=proof(client, key, token))["accountId"] == "alice-id"
    # A check-in that needs a token needs a bound one, too.
    grow_old(strict)
    with pytest.raises(Problem, match="needsToken") as caught:
        client.check_in(token=strict.token())
    assert "not bound to a key" in caught.value.body["detail"]
    assert strict.service.enrolled(device="invited").check_in()["result"] == "unchanged"


@needs_mamctl
def test_mamctl_enrolls_with_bound_tokens_only(strict, tmp_path):
    """libmam has its own sign-ins bound where the provider binds tokens; a token that was given to it is not."""
    app = App(tmp_path / "app", {**strict.service.settings, "signIn": {"caFile": f"{strict.service.folder}/ca.pem"}})
    path = tmp_path / "token"
    path.write_text(strict.token())
    for words in (["--token-file", str(path)], ["--sign-in"]):
        status, output, errors = app.run("enroll", ALICE, *words)
        assert status != 0 and "203" in errors and "not bound to a key (DPoP)" in errors, output + errors
    (counted,) = strict.service.admin("signIn.refusals")["refusals"]
    assert (counted["reason"], counted["count"]) == ("notBound", 2)
    strict.binding = True
    status, output, errors = app.run("enroll", ALICE, "--sign-in")
    assert status == 0, output + errors
    assert app.accounts()[0]["state"] == "enrolled"


@needs_mamctl
@pytest.mark.parametrize("nonce", [None, "a-nonce"])
def test_libmam_signs_in_and_renews_with_a_bound_token(provider, tmp_path, nonce):
    provider.binding, provider.nonce = True, nonce
    app = App(tmp_path / "app", {**provider.service.settings, "signIn": {"caFile": f"{provider.service.folder}/ca.pem"}})
    status, output, errors = app.run("enroll", ALICE, "--sign-in")
    assert status == 0, output + errors
    grow_old(provider)
    passed, text = checks_in(app)
    assert passed, text
    assert len(provider.used) == 1 and len(set(provider.thumbprints)) == 1, "one key for the sign-in"
    assert provider.service.admin("signIn.refusals")["refusals"] == []
    everything = text + app.run("log")[1] + app.run("status", "--json")[1] + provider.service.log()
    assert "eyJ" not in everything and json.dumps(provider.used[0]).strip('"') not in everything
