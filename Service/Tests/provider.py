"""A small OpenID provider on loopback: metadata, keys, tokens as a test wants them, and sign-ins."""

import contextlib
import hashlib
import json
import secrets
import ssl
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from client import b64url, thumbprint, unb64url
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

AUDIENCE = "https://mam.example.org"


def number(value):
    return b64url(value.to_bytes((value.bit_length() + 7) // 8, "big"))


class Key:
    """A key by which the provider signs."""

    def __init__(self, kid, alg="RS256"):
        self.kid, self.alg = kid, alg
        if alg == "RS256":
            self.key = rsa.generate_private_key(65537, 2048)
        elif alg == "ES256":
            self.key = ec.generate_private_key(ec.SECP256R1())
        else:
            self.key = ed25519.Ed25519PrivateKey.generate()

    def jwk(self):
        public, named = self.key.public_key(), {"kid": self.kid, "use": "sig", "alg": self.alg}
        if self.alg == "RS256":
            numbers = public.public_numbers()
            return {**named, "kty": "RSA", "n": number(numbers.n), "e": number(numbers.e)}
        if self.alg == "ES256":
            numbers = public.public_numbers()
            x, y = (b64url(one.to_bytes(32, "big")) for one in (numbers.x, numbers.y))
            return {**named, "kty": "EC", "crv": "P-256", "x": x, "y": y}
        return {**named, "kty": "OKP", "crv": "Ed25519", "x": b64url(public.public_bytes_raw())}

    def sign(self, message):
        if self.alg == "RS256":
            return self.key.sign(message, padding.PKCS1v15(), hashes.SHA256())
        if self.alg == "ES256":
            r, s = utils.decode_dss_signature(self.key.sign(message, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")
        return self.key.sign(message)


def encoded(document):
    return b64url(json.dumps(document).encode())


def compact(header, claims, sign):
    """A token whose signature `sign` makes."""
    message = f"{encoded(header)}.{encoded(claims)}"
    return f"{message}.{b64url(sign(message.encode()))}"


class Provider:
    """Listens with the certificate of a service's folder, which is for localhost."""

    def __init__(self, folder):
        self.keys = [Key("key-1")]
        self.requests, self.release = [], None
        self.forms, self.replies, self.signs_in = [], [], threading.Event()
        self.device_code = secrets.token_urlsafe(32)
        self.access_tokens = []
        self.codes = {}
        # Those that count, those that were used, and those that were revoked; a request for one waits for `refreshes`.
        self.refresh_tokens, self.used, self.revoked, self.replayed = [], [], [], 0
        # The one that took the place of each; a revocation ends both (RFC 7009 2.1).
        self.successors = {}
        self.refreshes = threading.Event()
        self.refreshes.set()
        self.lock = threading.Lock()
        # Whether tokens are bound to the key of a request's proof (DPoP), and the nonce that the proof needs.
        self.binding, self.nonce, self.thumbprints, self.bound_keys = False, None, [], []
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                provider.requests.append(self.path)
                if provider.release:
                    provider.release.wait()
                known = {"/.well-known/openid-configuration": provider.metadata, "/jwks": provider.jwks}
                answer = known.get(self.path)
                path, _, query = self.path.partition("?")
                if path == "/authorize":
                    self.send_response(302)
                    self.send_header("Location", provider.authorize(dict(urllib.parse.parse_qsl(query))))
                    self.end_headers()
                    return
                self.reply(200 if answer else 404, answer() if answer else {})

            def do_POST(self):
                length = int(self.headers["Content-Length"])
                form = dict(urllib.parse.parse_qsl(self.rfile.read(length).decode(), strict_parsing=True))
                provider.forms.append((self.path, form))
                known = {"/device": provider.device, "/token": provider.grant, "/revoke": provider.revoke}
                refused = self.path == "/token" and provider.binding and provider.check(self.headers.get_all("DPoP"))
                self.reply(*(refused or known[self.path](form)))

            def reply(self, status, document):
                body = json.dumps(document).encode()
                self.send_response(status)
                if provider.nonce:
                    self.send_header("DPoP-Nonce", provider.nonce)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with contextlib.suppress(OSError):  # whoever asked may have lost patience
                    self.wfile.write(body)

            def log_message(self, *_):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{folder}/server.pem", f"{folder}/server-key.pem")
        self.context, self.handler = context, Handler
        self.listen(0)
        self.issuer = f"https://localhost:{self.port}"

    def listen(self, port):
        self.server = ThreadingHTTPServer(("127.0.0.1", port), self.handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        self.server.socket = self.context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        if self.release:
            self.release.set()
        self.server.shutdown()
        self.server.server_close()

    def metadata(self):
        return {
            "issuer": self.issuer,
            "jwks_uri": f"{self.issuer}/jwks",
            "token_endpoint": f"{self.issuer}/token",
            "device_authorization_endpoint": f"{self.issuer}/device",
            "authorization_endpoint": f"{self.issuer}/authorize",
            "code_challenge_methods_supported": ["S256"],
            "revocation_endpoint": f"{self.issuer}/revoke",
            **({"dpop_signing_alg_values_supported": ["ES256"]} if self.binding else {}),
        }

    def authorize(self, asked):
        """The person at the browser signs in at once; returns where the browser goes on."""
        code = secrets.token_urlsafe(32)
        self.codes[code] = asked
        return f"{asked['redirect_uri']}?{urllib.parse.urlencode({'code': code, 'state': asked['state'], 'iss': self.issuer})}"

    def device(self, form):
        self.scope = form.get("scope", "")
        page = f"{self.issuer}/enter"
        return 200, {
            "device_code": self.device_code,
            "user_code": "WDJB-MJHT",
            "verification_uri": page,
            "verification_uri_complete": f"{page}?code=WDJB-MJHT",
            "expires_in": 600,
            "interval": 1,
        }

    def grant(self, form):
        """Replies that a test prepared come first."""
        if self.replies:
            return self.replies.pop(0)
        if form["grant_type"] == "refresh_token":
            return self.refresh(form["refresh_token"])
        if form["grant_type"] == "authorization_code":
            asked = self.codes.pop(form["code"], None)
            self.scope = asked["scope"] if asked else ""
            challenge = b64url(hashlib.sha256(form["code_verifier"].encode()).digest())
            if not asked or challenge != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
                return 400, {"error": "invalid_grant"}
        elif not self.signs_in.is_set():
            return 400, {"error": "authorization_pending"}
        return self.granted("offline_access" in self.scope.split())

    def granted(self, refreshes):
        bound = {"cnf": {"jkt": self.thumbprints[-1]}} if self.binding else {}
        kind = "DPoP" if self.binding else "Bearer"
        self.access_tokens.append(self.token(**bound))
        granted = {"access_token": self.access_tokens[-1], "token_type": kind, "expires_in": 600}
        if refreshes:
            self.refresh_tokens.append(secrets.token_urlsafe(32))
            granted["refresh_token"] = self.refresh_tokens[-1]
        return 200, granted

    def check(self, proofs):
        """The answer to a request without a proof that counts, RFC 9449."""
        (proof,) = proofs
        header, claims, signature = proof.split(".")
        jwk, claims = json.loads(unb64url(header))["jwk"], json.loads(unb64url(claims))
        x, y = (int.from_bytes(unb64url(jwk[name]), "big") for name in ("x", "y"))
        key = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
        r, s = (int.from_bytes(half, "big") for half in (unb64url(signature)[:32], unb64url(signature)[32:]))
        key.verify(utils.encode_dss_signature(r, s), proof.rsplit(".", 1)[0].encode(), ec.ECDSA(hashes.SHA256()))
        assert (claims["htm"], claims["htu"]) == ("POST", f"{self.issuer}/token")
        assert abs(claims["iat"] - time.time()) < 300
        if claims.get("nonce") != self.nonce:
            return 400, {"error": "use_dpop_nonce"}
        self.thumbprints.append(thumbprint(jwk))
        self.bound_keys.append(key)
        return None

    def refresh(self, token):
        """Each token is used once; a second use ends all of them (RFC 9700)."""
        with self.lock:
            if token in self.used:
                self.replayed += 1
                self.refresh_tokens.clear()
            if token not in self.refresh_tokens:
                return 400, {"error": "invalid_grant"}
            self.refresh_tokens.remove(token)
            self.used.append(token)
            granted = self.granted(True)
            self.successors[token] = self.refresh_tokens[-1]
        self.refreshes.wait()
        return granted

    def revoke(self, form):
        with self.lock:
            token = form["token"]
            self.revoked.append(token)
            while token:
                if token in self.refresh_tokens:
                    self.refresh_tokens.remove(token)
                token = self.successors.get(token)
        return 200, {}

    def jwks(self):
        return {"keys": [{"kty": "RSA"}, *(key.jwk() for key in self.keys)]}

    def claims(self, **changed):
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": AUDIENCE,
            "client_id": "libmam",
            "scope": "openid mam.enroll",
            "sub": "subject-1",
            "email": "alice@contoso.example",
            "email_verified": True,
            "iat": now,
            "exp": now + 600,
            **changed,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, key=None, header=None, **changed):
        key = key or self.keys[-1]
        return compact({"typ": "at+jwt", "alg": key.alg, "kid": key.kid, **(header or {})}, self.claims(**changed), key.sign)

    def settings(self, folder, **changed):
        return {
            "issuer": self.issuer,
            "audiences": [AUDIENCE],
            "clientIds": ["libmam"],
            "scopes": ["mam.enroll"],
            "accountClaim": "email",
            "caFile": f"{folder}/ca.pem",
            **changed,
        }
