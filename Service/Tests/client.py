"""A client of the app protocol, written from docs/protocol.md alone, with cryptography and the standard library."""

import base64
import hashlib
import http.client
import json
import os
import ssl
import struct
import time
from urllib.parse import urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, hpke
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils, x25519

REPLY = (
    '"@status" "content-digest" "@method";req "@target-uri";req "content-digest";req '
    '"signature-input";req;key="mam" "signature";req;key="mam"'
)
DISCOVERY = '"@status" "content-digest" "@method";req "@target-uri";req'


class Untrusted(Exception):
    """A reply that the authority did not sign for this request."""


class UnknownKey(Untrusted):
    """A reply with a key that is not known; the discovery document may tell of it."""


class Problem(Exception):
    """A refusal that the authority signed."""

    def __init__(self, status, body, challenge=None):
        super().__init__(f"{status} {body.get('type')}")
        self.status, self.body = status, body
        self.challenge = challenge  # WWW-Authenticate, which nobody signed
        self.name = body.get("type", "").rsplit("/", 1)[-1]


def b64(data):
    return base64.b64encode(data).decode()


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def digest(body):
    return f"sha-256=:{b64(hashlib.sha256(body).digest())}:"


def thumbprint(jwk):
    members = {name: jwk[name] for name in sorted(jwk) if name in ("crv", "kty", "x", "y")}
    return b64url(hashlib.sha256(json.dumps(members, separators=(",", ":")).encode()).digest())


class Client:
    """One registration of an account in an app."""

    def __init__(self, settings, app="notes", device=None, context=None, clock=time.time):
        self.settings, self.app, self.clock = settings, app, clock
        self.device = device or b64url(os.urandom(16))
        self.context = context or ssl.create_default_context(cadata=settings["ca"])
        self.keys, self.recovery = self.key_list(settings["keys"])
        self.statement = settings.get("statement", 0)
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.seal_key = x25519.X25519PrivateKey.generate()
        self.sequence = self.seal = self.wipe_mark = self.registration = None
        self.tags = (None, None)
        self.generation, self.head = 1, b64url(os.urandom(16))
        self.api = settings["url"] + "/mam/v1"

    # Transport

    def exchange(self, method, url, fields=(), body=None):
        """One request on a connection of its own; returns status, fields and body."""
        parts = urlsplit(url)
        connection = http.client.HTTPSConnection(parts.hostname, parts.port, context=self.context, timeout=30)
        try:
            connection.request(method, parts.path, body=body, headers=dict(fields))
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()
        finally:
            connection.close()

    # Signatures

    def sign(self, url, body, authorization=None, key_id=None, created=None, nonce=None):
        """The fields of a signed POST."""
        covered = '"@method" "@target-uri" "content-digest"' + (' "authorization"' if authorization else "")
        parameters = (
            f'({covered});created={int(created or self.clock())};nonce="{nonce or b64url(os.urandom(16))}"'
            f';keyid="{key_id or self.registration}"'
        )
        lines = ['"@method": POST', f'"@target-uri": {url}', f'"content-digest": {digest(body)}']
        if authorization:
            lines.append(f'"authorization": {authorization}')
        base = "\n".join([*lines, f'"@signature-params": {parameters}'])
        r, s = utils.decode_dss_signature(self.key.sign(base.encode(), ec.ECDSA(hashes.SHA256())))
        signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
        fields = {
            "Content-Type": "application/json",
            "Content-Digest": digest(body),
            "Signature-Input": f"mam={parameters}",
            "Signature": f"mam=:{b64(signature)}:",
            "MAM-Client": "stranger/1.0 linux",
            "Accept-Encoding": "identity",
        }
        if authorization:
            fields["Authorization"] = authorization
        return fields

    def verify(self, status, fields, body, method, url, request=None):
        """Fail unless the authority signed this reply to this very request."""
        given, label = fields.get("Signature-Input", ""), "mam="
        covered = REPLY if request else DISCOVERY
        if not given.startswith(f"{label}({covered});created=") or fields.get("Content-Digest") != digest(body):
            raise Untrusted("not signed as it has to be")
        key = self.keys.get(given.rsplit(';keyid="', 1)[-1].rstrip('"'))
        signature = fields.get("Signature", "")
        if not key:
            raise UnknownKey("unknown key")
        if not (signature.startswith("mam=:") and signature.endswith(":")):
            raise Untrusted("not signed as it has to be")
        lines = [f'"@status": {status}', f'"content-digest": {digest(body)}']
        lines += [f'"@method";req: {method}', f'"@target-uri";req: {url}']
        if request:
            lines += [
                f'"content-digest";req: {request["Content-Digest"]}',
                f'"signature-input";req;key="mam": {request["Signature-Input"][len(label) :]}',
                f'"signature";req;key="mam": {request["Signature"][len(label) :]}',
            ]
        base = "\n".join([*lines, f'"@signature-params": {given[len(label) :]}'])
        try:
            key.verify(base64.b64decode(signature[5:-1]), base.encode())
        except InvalidSignature:
            raise Untrusted("the signature does not verify") from None

    # Keys

    @staticmethod
    def key_list(keys):
        """The keys that sign, and those for recovery, by thumbprint."""
        found = {"sign": {}, "recovery": {}}
        for key in keys:
            public = ed25519.Ed25519PublicKey.from_public_bytes(unb64url(key["x"]))
            found.get(key["use"], {})[thumbprint(key)] = public
        return found["sign"], found["recovery"]

    def follow(self, document):
        """Apply the statements that come after the latest one that is known."""
        for statement in document["statements"]:
            payload = json.loads(statement["payload"])
            if payload["number"] <= self.statement:
                continue
            signers = {one["kid"]: unb64url(one["sig"]) for one in statement["signatures"]}
            if payload["number"] != self.statement + 1 or payload["tenant"] != document["tenant"]:
                break
            if not self.has_signed(self.recovery, signers, statement["payload"]):
                break
            stated, recovery = self.key_list(payload["keys"])
            if not self.has_signed(self.keys, signers, statement["payload"]):
                stated = {kid: key for kid, key in stated.items() if kid not in self.keys}
            if not stated:
                break
            self.keys, self.recovery, self.statement = stated, recovery, payload["number"]

    @staticmethod
    def has_signed(keys, signatures, payload):
        for kid, key in keys.items():
            try:
                key.verify(signatures.get(kid, b""), b"libmam authority statement 1\n" + payload.encode())
                return True
            except InvalidSignature:
                pass
        return False

    def post(self, url, message, authorization=None, key_id=None, proof=None, **signing):
        """A signed request and its verified reply."""
        body = json.dumps(message).encode()
        fields = self.sign(url, body, authorization, key_id, **signing)
        if proof:
            fields["DPoP"] = proof
        status, reply_fields, reply = self.exchange("POST", url, fields, body)
        try:
            self.verify(status, reply_fields, reply, "POST", url, fields)
        except UnknownKey:
            self.discover()
            self.verify(status, reply_fields, reply, "POST", url, fields)
        document = json.loads(reply)
        if status >= 300:
            raise Problem(status, document, reply_fields["WWW-Authenticate"])
        if document.get("sequenceSeal"):
            self.sequence, self.seal = document["sequence"], document["sequenceSeal"]
        return document

    # Requests

    def discover(self):
        url = self.settings["url"] + "/.well-known/mam-authority"
        status, fields, body = self.exchange("GET", url)
        document = json.loads(body)
        self.follow(document)
        self.verify(status, fields, body, "GET", url)
        self.api, self.tenant = document["api"], document["tenant"]
        return document

    def state(self):
        return {"deviceTag": self.device, "stateGeneration": self.generation, "stateHead": self.head}

    def host(self):
        return {**self.state(), "platform": "linux", "platformVersion": "12", "model": None, "libraryVersion": "1.0"}

    def jwk(self):
        numbers = self.key.public_key().public_numbers()
        x, y = (b64url(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
        return {"kty": "EC", "crv": "P-256", "x": x, "y": y}

    def enroll(self, upn, invitation, wipe_mark=None, renew=None, token=None, **signing):
        sealing = {"kty": "OKP", "crv": "X25519", "x": b64url(self.seal_key.public_key().public_bytes_raw())}
        message = {
            "account": {"accountId": None, "upn": upn, "tenantId": None},
            "app": {"id": self.app, "version": "1.0"},
            "host": self.host(),
            "wipeMark": wipe_mark,
            "key": self.jwk(),
            "sealKey": sealing,
            "replaces": self.registration if renew else None,
        }
        authorization = f"MAM-Renew {renew}" if renew else f"Bearer {token}" if token else f"MAM-Invite {invitation}"
        if signing.get("proof"):
            authorization = f"DPoP {token}"
        signing.setdefault("key_id", thumbprint(self.jwk()))
        reply = self.post(f"{self.api}/registrations", message, authorization, **signing)
        if reply.get("result") != "wipe":
            self.registration, self.wipe_mark = reply["registration"], reply["wipeMark"]
            self.account_id, self.tenant_id = reply["accountId"], reply["tenantId"]
            self.remember(reply["checkIn"])
        return reply

    def check_in(self, challenge=None, invitation=None, token=None, **signing):
        message = {
            "app": {"id": self.app, "version": "1.0"},
            "host": self.host(),
            "wipeMark": self.wipe_mark,
            "sequence": self.sequence,
            "sequenceSeal": self.seal,
            "policyTag": self.tags[0],
            "appsTag": self.tags[1],
            "health": {"findings": []},
            "inUse": True,
            "challenge": challenge,
        }
        invited = f"MAM-Invite {invitation}" if invitation else None
        authorization = f"Bearer {token}" if token else invited
        reply = self.post(f"{self.api}/registrations/{self.registration}/check-in", message, authorization, **signing)
        if reply["result"] != "wipe":
            self.remember(reply)
        return reply

    def remember(self, reply):
        self.tags = (reply["policyTag"], reply["appsTag"])

    def renew(self, upn, renewal):
        """Enroll under a new device tag and key, without an invitation."""
        self.device = b64url(os.urandom(16))
        self.key = ec.generate_private_key(ec.SECP256R1())
        return self.enroll(upn, None, self.wipe_mark, renewal)

    def report_wipe(self, wipe, reason="administrator"):
        message = {
            "wipe": wipe,
            "reason": reason,
            "files": {"removed": 1, "failed": 0},
            "finished": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.clock())),
            **self.state(),
        }
        return self.post(f"{self.api}/registrations/{self.registration}/wipe-report", message)

    def unenroll(self):
        return self.post(f"{self.api}/registrations/{self.registration}/unenroll", {})

    def exchange_keys(self, first=0):
        """The exchange keys from an epoch on, opened: epoch, id and key."""
        url = f"{self.api}/registrations/{self.registration}/exchange-keys"
        reply = self.post(url, {"from": first, "wipeMark": self.wipe_mark})
        return [(key["epoch"], key["id"], self.open(key)) for key in reply["keys"]]

    def open(self, key):
        parts = [self.tenant, self.account_id, self.registration, str(key["epoch"]), key["id"]]
        info = b"libmam exchange key 1" + b"".join(struct.pack(">I", len(part.encode())) + part.encode() for part in parts)
        suite = hpke.Suite(hpke.KEM.X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM)
        return suite.decrypt(unb64url(key["sealed"]), self.seal_key, info=info)
