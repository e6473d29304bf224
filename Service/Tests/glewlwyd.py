"""glewlwyd, an OpenID provider from Debian, in a folder of its own: https on loopback, with alice and the client libmam."""

import gzip
import http.cookiejar
import json
import re
import sqlite3
import ssl
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from conftest import free_port
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

CONFIGURATION = Path("/etc/glewlwyd/glewlwyd.conf")
TABLES = Path("/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz")
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


def installed():
    return CONFIGURATION.exists() and TABLES.exists()


class Person:
    """Somebody at a browser."""

    def __init__(self, base, context, user, password):
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.base = base
        self.opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=context), cookies, Unredirected())
        self.send("POST", "/api/auth/", {"username": user, "password": password})

    def send(self, method, path, document=None):
        data = None if document is None else json.dumps(document).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with self.opener.open(request) as reply:
            self.location = reply.headers["Location"]
            return reply.read()


class Unredirected(urllib.request.HTTPErrorProcessor):
    """Takes a redirection as the answer."""

    def http_response(self, request, response):
        return response if response.status < 400 else super().http_response(request, response)

    https_response = http_response


class Glewlwyd:
    """The provider; its certificate is the one of a service's folder, which is for localhost."""

    def __init__(self, folder, service, **parameters):
        self.parameters = parameters
        folder.mkdir()
        self.base = f"https://localhost:{free_port()}"
        self.issuer = self.base + "/api/oidc"
        self.redirect = f"http://127.0.0.1:{free_port()}/callback"  # it knows no other port
        self.context = ssl.create_default_context(cafile=f"{service}/ca.pem")
        database = sqlite3.connect(folder / "g.db")
        database.executescript(gzip.decompress(TABLES.read_bytes()).decode())
        database.close()
        text = CONFIGURATION.read_text()
        for name, value in {
            "port": self.base.rsplit(":", 1)[1],
            "external_url": f'"{self.base}"',
            "log_mode": '"file"',
            "log_file": f'"{folder}/g.log"',
            "use_secure_connection": "true",
            "secure_connection_key_file": f'"{service}/server-key.pem"',
            "secure_connection_pem_file": f'"{service}/server.pem"',
        }.items():
            text = re.sub(rf"(?m)^#? ?{name} *=.*\n", "", text) + f"\n{name}={value}\n"
        text = re.sub(r"(?m)^(@include|secure_connection_ca_file|bind_address).*$", "", text)
        text += f'bind_address="127.0.0.1"\ndatabase={{type="sqlite3";path="{folder}/g.db"}};\n'
        (folder / "g.conf").write_text(text)
        self.output = folder / "output"
        with open(self.output, "w") as output:
            self.process = subprocess.Popen(["glewlwyd", "-c", folder / "g.conf"], stdout=output, stderr=output)
        try:
            self.await_start()
            self.set_up()
        except BaseException:
            self.stop()
            raise

    def await_start(self):
        while True:
            try:
                return urllib.request.urlopen(self.base + "/api/auth/scheme", context=self.context).close()
            except urllib.error.HTTPError:
                return None
            except OSError:
                assert self.process.poll() is None, self.output.read_text()
                time.sleep(0.05)

    def signing_key(self):
        """The parameters of a new key."""
        self.key = rsa.generate_private_key(65537, 2048)
        pem, form = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        private = self.key.private_bytes(pem, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())
        return {"key": private.decode(), "cert": self.key.public_key().public_bytes(pem, form).decode()}

    def rotate(self):
        """Sign with a new key from now on, and show it alone."""
        admin = self.admin()
        plugin = json.loads(admin.send("GET", "/api/mod/plugin/oidc"))
        plugin["parameters"].update(self.signing_key())
        admin.send("PUT", "/api/mod/plugin/oidc", plugin)
        admin.send("PUT", "/api/mod/plugin/oidc/reset/")

    def admin(self):
        return Person(self.base, self.context, "admin", "password")

    def set_up(self):
        admin = self.admin()
        parameters = {
            "iss": self.issuer,
            "jwt-type": "rsa",
            "jwt-key-size": "256",
            **self.signing_key(),
            "access-token-duration": 600,
            "refresh-token-duration": 1209600,
            "code-duration": 600,
            "refresh-token-rolling": True,
            "allow-non-oidc": True,
            "auth-type-code-enabled": True,
            "auth-type-id-token-enabled": True,
            "auth-type-device-enabled": True,
            "auth-type-refresh-enabled": True,
            "scope": [],
            "additional-parameters": [],
            "claims": [],
            "subject-type": "public",
            "jwks-show": True,
            "pkce-allowed": True,
            "secret-type": "pairwise",
            "address-claim": {"type": "no"},
            "name-claim": "no",
            "email-claim": "no",
            "scope-claim": "no",
            "device-authorization-expiration": 600,
            "device-authorization-interval": 1,
            "allowed-scope": ["openid", "mam"],
            **self.parameters,
        }
        admin.send("POST", "/api/scope/", {"name": "mam", "password_required": True, "scheme": {}})
        plugin = {"module": "oidc", "name": "oidc", "display_name": "OIDC", "parameters": parameters}
        admin.send("POST", "/api/mod/plugin/", plugin)
        # Another issuer, with the same key and people.
        other = {**parameters, "iss": self.base + "/api/other"}
        admin.send("POST", "/api/mod/plugin/", {**plugin, "name": "other", "parameters": other})
        for name in ("alice", "bob"):
            user = {"username": name, "enabled": True, "password": name + "pw123", "scope": ["openid", "mam"]}
            admin.send("POST", "/api/user/?source=database", user)
        client = {
            "enabled": True,
            "confidential": False,
            "redirect_uri": [self.redirect],
            "authorization_type": ["code", "id_token", "refresh_token", "device_authorization"],
            "token_endpoint_auth_method": ["none"],
            "scope": [],
        }
        for name in ("libmam", "other"):
            admin.send("POST", "/api/client/?source=database", {**client, "client_id": name, "name": name})

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def ask(self, path, proof=None, plugin="oidc", **form):
        url = f"{self.base}/api/{plugin}{path}"
        fields = {"DPoP": proof(url)} if proof else {}
        request = urllib.request.Request(url, urllib.parse.urlencode(form).encode(), fields)
        with urllib.request.urlopen(request, context=self.context) as reply:
            return json.load(reply)

    def enter(self, user_code, plugin="oidc", client="libmam", name="alice"):
        """alice, or somebody else, enters a code."""
        self.person(name, client).send("GET", f"/api/{plugin}/device?code={user_code}&g_continue")

    def alice(self):
        """alice at a browser; libmam may have what it asks for."""
        return self.person("alice", "libmam")

    def person(self, name, client):
        person = Person(self.base, self.context, name, name + "pw123")
        person.send("PUT", f"/api/auth/grant/{client}", {"scope": "openid mam"})
        return person

    def sign_in(self, scope="openid mam", proof=None, client="libmam", plugin="oidc", name="alice"):
        """alice, or somebody else, signs in by the device authorization grant (RFC 8628), as at a second computer; returns the
        tokens. `proof` makes the proof of a key for a URL (RFC 9449)."""
        asked = self.ask("/device_authorization", plugin=plugin, client_id=client, scope=scope)
        self.enter(asked["user_code"], plugin, client, name)
        form = {"grant_type": DEVICE, "client_id": client, "device_code": asked["device_code"]}
        while True:
            try:
                return self.ask("/token", proof, plugin, **form)
            except urllib.error.HTTPError as error:
                reason = json.load(error)["error"]
                assert reason in ("authorization_pending", "slow_down"), reason
                time.sleep(asked["interval"])
