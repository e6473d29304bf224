"""Tokens that do not count, each refused with its reason: of the tests' own provider, and of glewlwyd."""

import base64
import hmac
import json
import time

import glewlwyd
import pytest
from client import Problem
from conftest import Service
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding
from provider import Provider, compact
from test_bound import bound, proof, proof_for
from test_sign_in import ALICE, sign_in

BOB = "bob@contoso.example"
KEY = ec.generate_private_key(ec.SECP256R1())  # to which tokens are bound


def parts(token):
    """Header and claims."""
    return [json.loads(base64.urlsafe_b64decode(part + "==")) for part in token.split(".")[:2]]


class Source:
    """A provider whose tokens are refused, and its service."""

    def reasons(self):
        return {one["reason"]: one["count"] for one in self.service.admin("signIn.refusals")["refusals"]}

    def forged(self, alg, sign):
        """A real token with another header and signature."""
        header, claims = parts(self.token())
        return compact({**header, "alg": alg}, claims, sign)

    def public_key(self):
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        return self.key().public_key().public_bytes(serialization.Encoding.PEM, form)

    def signed(self, header=None, **claims):
        """A token by the provider's own key, with other claims than it gives."""
        known, others = parts(self.token())
        sign = self.key().sign
        return compact(
            {**known, **(header or {})}, {**others, **claims}, lambda text: sign(text, padding.PKCS1v15(), hashes.SHA256())
        )


class Own(Source):
    def __init__(self, folder):
        self.service = Service(str(folder / "mamd")).people()
        self.service.admin("user.add", upn=BOB)
        self.provider = Provider(self.service.folder)
        sign_in(self.service, self.provider)
        self.service.start("--log-level", "debug")

    def token(self):
        return self.provider.token()

    def key(self):
        return self.provider.keys[0].key

    def id_token(self):
        return self.provider.token(header={"typ": "JWT"}, at_hash="x", nonce="n")

    def of_bob(self):
        return self.provider.token(sub="subject-2", email=BOB)

    def of_other_issuer(self):
        return self.provider.token(iss="https://login.example.org")

    def of_other_client(self):
        return self.provider.token(client_id="other")

    def for_other_audience(self):
        return self.provider.token(aud="https://graph.example.org")

    def bound(self):
        return bound(self.provider, KEY)


class Real(Source):
    """Tokens of glewlwyd; those that it does not give are signed with its key."""

    def __init__(self, folder):
        self.service = Service(str(folder / "mamd")).people()
        self.service.admin("user.add", upn=BOB)
        binding = {"oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 300, "oauth-dpop-nonce-mandatory": False}
        self.provider = glewlwyd.Glewlwyd(folder / "provider", self.service.folder, **binding)
        self.provider.settings = lambda folder: {
            "issuer": self.provider.issuer,
            "audiences": ["openid mam"],
            "clientIds": ["libmam"],
            "scopes": ["mam"],
            "caFile": f"{folder}/ca.pem",
        }
        sign_in(self.service, self.provider)
        self.service.start("--log-level", "debug")
        self.tokens, self.bobs = self.provider.sign_in(), self.provider.sign_in(name="bob")
        for name, tokens in ((ALICE, self.tokens), (BOB, self.bobs)):
            self.service.admin("identity.bind", user=name, subject=parts(tokens["access_token"])[1]["sub"])

    def token(self):
        return self.tokens["access_token"]

    def key(self):
        return self.provider.key

    def id_token(self):
        return self.tokens["id_token"]

    def of_bob(self):
        return self.bobs["access_token"]

    def of_other_issuer(self):
        return self.provider.sign_in(plugin="other")["access_token"]

    def of_other_client(self):
        return self.provider.sign_in(client="other")["access_token"]

    def for_other_audience(self):
        return self.provider.sign_in("openid")["access_token"]

    def bound(self):
        return self.provider.sign_in(proof=lambda url: proof_for(url, KEY))["access_token"]


def of_other(source, client, token):
    """A proof that somebody else has made with the same token."""
    return proof(source.service.client(), KEY, token)


ROWS = {
    "another issuer": (lambda s: s.of_other_issuer(), "wrongIssuer"),
    "another audience": (lambda s: s.for_other_audience(), "wrongAudience"),
    "another client": (lambda s: s.of_other_client(), "wrongClient"),
    "a scope that is missing": (lambda s: s.signed(scope="openid"), "missingScope"),
    "algorithm none": (lambda s: s.forged("none", lambda _: b""), "algorithm"),
    "algorithm none with a signature": (lambda s: s.forged("none", lambda _: b"x"), "algorithm"),
    "HMAC with the public key": (
        lambda s: s.forged("HS256", lambda text: hmac.digest(s.public_key(), text, "sha256")),
        "algorithm",
    ),
    "RS256 with an HMAC": (lambda s: s.forged("RS256", lambda text: hmac.digest(s.public_key(), text, "sha256")), "badSignature"),
    "expired": (lambda s: s.signed(exp=int(time.time()) - 120), "expired"),
    "not yet valid": (lambda s: s.signed(nbf=int(time.time()) + 3600), "notYetValid"),
    "an unknown kid": (lambda s: s.signed({"kid": "unknown"}), "unknownKey"),
    "an ID token": (lambda s: s.id_token(), "notAccessToken"),
    "another person's token": (lambda s: s.of_bob(), "wrongUser"),
    "a bound token without its proof": (lambda s: s.bound(), "boundToKey"),
    "a bound token and its proof, replayed by somebody else": (lambda s: s.bound(), "badProof", of_other),
}
KINDS = [Own, pytest.param(Real, marks=pytest.mark.skipif(not glewlwyd.installed(), reason="glewlwyd is not installed"))]


@pytest.fixture(scope="module", params=KINDS)
def source(request, tmp_path_factory):
    made = request.param(tmp_path_factory.mktemp("refused"))
    yield made
    made.service.stop()
    made.provider.stop()


def test_tokens_of_the_source_count(source):
    assert source.service.client().enroll(ALICE, None, token=source.token())["accountId"] == "alice-id"
    assert source.service.client().enroll(ALICE, None, token=source.signed())["accountId"] == "alice-id"
    client, token = source.service.client(), source.bound()
    assert client.enroll(ALICE, None, token=token, proof=proof(client, KEY, token))["accountId"] == "alice-id"


@pytest.mark.parametrize("name", ROWS)
def test_a_token_that_does_not_count(source, name):
    make, reason, *proves = ROWS[name]
    before, client, token = source.reasons().get(reason, 0), source.service.client(), make(source)
    options = {"proof": proves[0](source, client, token)} if proves else {}
    with pytest.raises(Problem) as caught:
        client.enroll(ALICE, None, token=token, **options)
    assert caught.value.name == ("wrongUser" if reason == "wrongUser" else "needsToken")
    assert reason == "wrongUser" or caught.value.body["detail"]
    assert source.reasons()[reason] == before + 1
    assert token not in source.service.log()


@pytest.mark.skipif(not glewlwyd.installed(), reason="glewlwyd is not installed")
def test_glewlwyd_rotates_its_key_under_way(tmp_path):
    """Its new tokens count once the keys were read again, which is once a minute; from then on those of the former key do not."""
    source = Real(tmp_path)
    try:
        former = source.token()
        source.service.client().enroll(ALICE, None, token=former)
        source.provider.rotate()
        tokens = source.provider.sign_in()
        assert parts(tokens["access_token"])[0]["kid"] != parts(former)[0]["kid"]
        while True:
            try:
                source.service.client().enroll(ALICE, None, token=tokens["access_token"])
                break
            except Problem as problem:
                assert problem.name == "needsToken" and "kid" in problem.body["detail"]
            time.sleep(1)
        with pytest.raises(Problem) as caught:
            source.service.client().enroll(ALICE, None, token=former)
        assert caught.value.name == "needsToken" and "kid" in caught.value.body["detail"]
    finally:
        source.service.stop()
        source.provider.stop()
