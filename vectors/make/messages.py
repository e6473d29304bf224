#!/usr/bin/env python3
"""Makes vectors/message: signed requests and replies of the app protocol, accepted and refused. Needs PyCA cryptography."""

import base64
import hashlib
import json
import pathlib

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils

FOLDER = pathlib.Path(__file__).parent.parent / "message"
API = "https://mam.example.org/contoso/mam/v1"
REQUEST = '"@method" "@target-uri" "content-digest"'
DISCOVERY = '"@status" "content-digest" "@method";req "@target-uri";req'
REPLY = DISCOVERY + ' "content-digest";req "signature-input";req;key="mam" "signature";req;key="mam"'

request_key = ec.derive_private_key(int.from_bytes(hashlib.sha256(b"request key").digest(), "big"), ec.SECP256R1())
authority_key = ed25519.Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"authority key").digest())


def b64(data):
    return base64.b64encode(data).decode()


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def digest(body):
    return f"sha-256=:{b64(hashlib.sha256(body).digest())}:"


def public_bytes():
    numbers = request_key.public_key().public_numbers()
    return b"\4" + numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")


def kid():
    jwk = {"crv": "Ed25519", "kty": "OKP", "x": b64url(authority_key.public_key().public_bytes_raw())}
    return b64url(hashlib.sha256(json.dumps(jwk, separators=(",", ":")).encode()).digest())


def sign_request(base):
    signing = ec.ECDSA(hashes.SHA256(), deterministic_signing=True)
    r, s = utils.decode_dss_signature(request_key.sign(base.encode(), signing))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def request(body, target=API + "/registrations/r-1/check-in", method="POST", authorization=None, covered=None, tail=""):
    """The fields of a signed request."""
    covered = covered or REQUEST + (' "authorization"' if authorization else "")
    parameters = f'({covered});created=1790000000;nonce="AAECAwQFBgcICQoLDA0ODw";keyid="r-1"{tail}'
    values = {
        "@method": method,
        "@target-uri": target,
        "content-digest": digest(body),
        "authorization": authorization,
        "content-type": "application/json",
    }
    lines = [f"{name}: {values[name[1:-1]]}" for name in covered.split(" ")]
    base = "\n".join([*lines, f'"@signature-params": {parameters}'])
    fields = {
        "content-digest": digest(body),
        "signature-input": f"mam={parameters}",
        "signature": f"mam=:{b64(sign_request(base))}:",
    }
    if authorization:
        fields["authorization"] = authorization
    return fields


def reply(status, body, target, method="POST", asked=None, covered=None, tail=""):
    """The fields of a signed reply to a request."""
    covered = covered or (REPLY if asked else DISCOVERY)
    parameters = f'({covered});created=1790000001;keyid="{kid()}"{tail}'
    lines = [f'"@status": {status}', f'"content-digest": {digest(body)}']
    lines += [f'"@method";req: {method}', f'"@target-uri";req: {target}']
    if asked:
        lines += [
            f'"content-digest";req: {asked["content-digest"]}',
            f'"signature-input";req;key="mam": {asked["signature-input"][4:]}',
            f'"signature";req;key="mam": {asked["signature"][4:]}',
        ]
    base = "\n".join([*lines, f'"@signature-params": {parameters}'])
    return {
        "content-digest": digest(body),
        "signature-input": f"mam={parameters}",
        "signature": f"mam=:{b64(authority_key.sign(base.encode()))}:",
    }


def write(name, comment, expect, body, fields, asked=None, **values):
    lines = [f"comment: {comment}", f"expect: {expect}"]
    lines += [f"{key}: {value}" for key, value in values.items()]
    lines += [f"field: {key}: {value}" for key, value in fields.items()]
    lines += [f"request-field: {key}: {value}" for key, value in (asked or {}).items()]
    (FOLDER / f"{name}.txt").write_text("\n".join(lines) + "\n\n" + body.hex() + "\n")


def main():
    FOLDER.mkdir(exist_ok=True)
    target = API + "/registrations/r-1/check-in"
    ask, say = b'{"sequence":null}', b'{"result":"unchanged","sequence":9}'
    good = request(ask)
    invited = request(ask, authorization="MAM-Invite 0123456789abcdef")
    to = {"kind": "request", "method": "POST", "target": target, "key": public_bytes().hex()}
    write("request", "a signed request", "ok", ask, good, **to)
    write("request-authorization", "a request with an invitation", "ok", ask, invited, **to)
    state = {"deviceTag": "5f", "stateGeneration": 12, "stateHead": "AAECAwQFBgcICQoLDA0ODw"}
    host = {**state, "platform": "linux", "platformVersion": "12", "model": None, "libraryVersion": "0.1.0"}
    check_in = {"app": {"id": "notes", "version": "2.1"}, "host": host, "wipeMark": 42, "sequence": 42, "sequenceSeal": "x"}
    whole = json.dumps({**check_in, "policyTag": None, "appsTag": None}, separators=(",", ":")).encode()
    write("request-check-in", "a whole check-in", "ok", whole, request(whole), **to)
    told = {"wipe": 43, "reason": "administrator", "finished": "2026-11-22T11:00:00Z", **state}
    report, place = json.dumps(told, separators=(",", ":")).encode(), API + "/registrations/r-1/wipe-report"
    write("request-wipe-report", "a wipe's report", "ok", report, request(report, place), **{**to, "target": place})
    write("request-other-body", "its body was changed", "refused", ask + b" ", good, **to)
    write("request-other-target", "it was signed for another URL", "refused", ask, good, **{**to, "target": target + "s"})
    write("request-other-method", "it was signed for POST", "refused", ask, good, **{**to, "method": "PUT"})
    bare = {name: value for name, value in invited.items() if name != "authorization"}
    write("request-authorization-removed", "its Authorization was removed", "refused", ask, bare, **to)
    added = {**good, "authorization": "MAM-Invite 0123456789abcdef"}
    write("request-authorization-added", "its Authorization is not signed", "refused", ask, added, **to)
    short = request(ask, covered='"@method" "@target-uri"')
    write("request-fewer-components", "its digest is not signed", "refused", ask, short, **to)
    longer = request(ask, covered=REQUEST + ' "content-type"')
    write("request-more-components", "it signs a component that is not the protocol's", "refused", ask, longer, **to)
    order = request(ask, covered='"@target-uri" "@method" "content-digest"')
    write("request-other-order", "its components are in another order", "refused", ask, order, **to)
    algorithm = request(ask, tail=';alg="ecdsa-p256-sha256"')
    write("request-alg", "it has a parameter that is not the protocol's", "refused", ask, algorithm, **to)
    label = {**good, "signature-input": "sig" + good["signature-input"][3:], "signature": "sig" + good["signature"][3:]}
    write("request-other-label", "its label is not the protocol's", "refused", ask, label, **to)

    of = {"kind": "reply", "method": "POST", "target": target, "key": authority_key.public_key().public_bytes_raw().hex()}
    answer = reply(200, say, target, asked=good)
    write("reply", "a signed reply", "ok", say, answer, good, status=200, **of)
    write("reply-other-status", "its status was changed", "refused", say, answer, good, status=403, **of)
    write("reply-other-body", "its body was changed", "refused", say + b" ", answer, good, status=200, **of)
    write("reply-other-request", "it answers another request", "refused", say, answer, request(b"{}"), status=200, **of)
    nonce = {**good, "signature-input": good["signature-input"].replace("AAEC", "BBEC")}
    write("reply-other-input", "it answers a request with another nonce", "refused", say, answer, nonce, status=200, **of)
    write("reply-unsigned", "it has no signature", "unsigned", say, {"content-digest": digest(say)}, good, status=200, **of)
    stripped = {name: value for name, value in answer.items() if name != "signature"}
    write("reply-stripped", "its signature was removed, and its input was not", "refused", say, stripped, good, status=200, **of)
    free = reply(200, say, target)
    write("reply-unbound", "it is bound to no request", "refused", say, free, good, status=200, **of)
    partial = reply(200, say, target, asked=good, covered=REPLY.replace(' "content-digest";req', ""))
    write("reply-fewer-components", "it does not sign all components", "refused", say, partial, good, status=200, **of)
    other = {**of, "key": "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"}
    write("reply-other-key", "another authority signed it", "refused", say, answer, good, status=200, **other)
    place = "https://mam.example.org/contoso/.well-known/mam-authority"
    found = {**of, "method": "GET", "target": place}
    document = reply(200, say, place, method="GET")
    write("discovery", "a signed discovery document", "ok", say, document, status=200, **found)
    write(
        "discovery-other-place",
        "it was signed for another URL",
        "refused",
        say,
        document,
        status=200,
        **{**found, "target": target},
    )


if __name__ == "__main__":
    main()
