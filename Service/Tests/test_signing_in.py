"""Hosts in C that libmam signs in: a fork while a sign-in or the use of a refresh token is under way, and what stays in memory."""

import contextlib
import json
import os
import signal
import ssl
import subprocess
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from client import b64url, thumbprint
from cryptography.hazmat.primitives.asymmetric import ec
from test_refresh import grow_old, providing

ROOT = Path(__file__).parents[2]
# A page of secret memory begins with it (process_secrets.h).
MARK = 0x6D616D206B657973.to_bytes(8, "little")
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
PIECE = 16
LIBRARY = os.environ.get("LIBMAM_PATH", "")

pytestmark = pytest.mark.skipif(not os.path.exists(LIBRARY), reason="no libmam.so.0; set LIBMAM_PATH")


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    program = tmp_path_factory.mktemp("host") / "signing_in"
    words = ["cc", "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", "-o", program]
    # Else the loader looks up a function at its first call, and leaves registers on the host's stack: they have the last copy.
    words += ["-Wl,-z,now", ROOT / "Service/Tests/signing_in.c", LIBRARY, f"-Wl,-rpath,{Path(LIBRARY).parent}"]
    subprocess.run([str(word) for word in words], check=True)
    return str(program)


@pytest.fixture
def provider(tmp_path):
    with providing(tmp_path, refresh=True) as provider:
        yield provider


class Host:
    """The program under test."""

    def __init__(self, program, provider, tmp_path, mode):
        settings = {
            "app": {"id": "notes", "version": "1"},
            "stateDirectory": str(tmp_path / "state"),
            "authority": {**provider.service.settings, "signIn": {"caFile": f"{provider.service.folder}/ca.pem"}},
            "questions": "events",
        }
        clean = {key: value for key, value in os.environ.items() if "proxy" not in key.lower()}
        library = {"LD_LIBRARY_PATH": str(Path(LIBRARY).parent)}
        self.process = subprocess.Popen(
            [program, json.dumps(settings), mode],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**clean, **library},
        )

    def shows(self, word):
        line = self.process.stdout.readline().split()
        if not line:
            _, errors = self.process.communicate()
            raise AssertionError(f"{word} was expected: {errors}")
        assert line[0] == word, line
        return line[1]

    def says(self, word):
        return int(self.shows(word))

    def goes_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def ends(self):
        _, errors = self.process.communicate()
        assert self.process.returncode == 0, errors

    def finds(self, secrets):
        """The names of the secrets of which a piece is in the process's memory, its secret memory included."""
        pieces = {
            (name, form[at : at + PIECE])
            for name, secret in secrets.items()
            for form in forms(secret)
            for at in range(0, len(form) - PIECE + 1, 8)
        }
        return {name for content in self.memory() for name, piece in pieces if piece in content}

    def memory(self):
        """The memory that the process can write, while it stands still."""
        self.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOWAIT)
        try:
            with open(f"/proc/{self.process.pid}/mem", "rb", buffering=0) as memory:
                for line in Path(f"/proc/{self.process.pid}/maps").read_text().splitlines():
                    words = line.split()
                    if not words[1].startswith("rw") or words[-1] in ("[vvar]", "[vdso]"):
                        continue
                    begin, end = (int(word, 16) for word in words[0].split("-"))
                    with contextlib.suppress(OSError):  # nothing can be read of a page that was never written
                        memory.seek(begin)
                        yield memory.read(end - begin)
        finally:
            self.process.send_signal(signal.SIGCONT)

    def private_key(self, name):
        """The key with a thumbprint, which lies in a cell of libmam's secret memory."""
        pages = [content[at : at + 4096] for content in self.memory() for at in range(0, len(content), 4096)]
        for page in pages:
            for at in range(128, 4096, 128) if page.startswith(MARK) else []:
                number = int.from_bytes(page[at : at + 32], "big")
                if 0 < number < ORDER and thumbprint(jwk(number)) == name:
                    return page[at : at + 32]
        raise AssertionError(f"the key {name} is not in memory")


def jwk(number):
    public = ec.derive_private_key(number, ec.SECP256R1()).public_key().public_numbers()
    x, y = (b64url(one.to_bytes(32, "big")) for one in (public.x, public.y))
    return {"kty": "EC", "crv": "P-256", "x": x, "y": y}


def forms(secret):
    """A text, or the bytes of a key: as libcrypto has them as well, and as texts."""
    if isinstance(secret, bytes):
        return [secret, secret[::-1], b64url(secret).encode(), secret.hex().encode()]
    return [secret.encode()]


def enrolled(host, provider, tmp_path):
    provider.signs_in.set()
    made = Host(host, provider, tmp_path, "device")
    made.says("forked")
    assert made.says("code") == 100
    assert made.says("child") == 0
    made.ends()


def test_a_fork_while_a_person_signs_in(host, provider, tmp_path):
    provider.signs_in.clear()
    made = Host(host, provider, tmp_path, "device")
    made.says("forked")
    provider.signs_in.set()
    assert made.says("code") == 100
    assert made.says("child") == 0
    made.ends()
    assert len([path for path, _ in provider.forms if path == "/device"]) == 1
    assert len(provider.refresh_tokens) == 1, "one process got tokens"


def test_a_child_closes_the_loopback_address(host, provider, tmp_path):
    made = Host(host, provider, tmp_path, "browser")
    assert made.says("forked") > 1
    made.goes_on()
    assert made.says("open") == 0, "the child, which still runs, does not listen"
    assert made.says("child") == 0
    made.ends()


def test_a_fork_while_a_refresh_token_is_in_use(host, provider, tmp_path):
    enrolled(host, provider, tmp_path)
    (token,) = provider.refresh_tokens
    grow_old(provider)
    provider.refreshes.clear()
    made = Host(host, provider, tmp_path, "check-in")
    made.says("begun")
    while not provider.used:
        assert made.process.poll() is None
    made.goes_on()
    made.says("child-begun")
    provider.refreshes.set()
    assert made.says("child-code") in (100, 101)
    assert made.says("code") in (100, 101)
    assert made.says("child") == 0
    made.ends()
    assert provider.used[0] == token and provider.replayed == 0
    assert len(provider.refresh_tokens) == 1 and provider.revoked == []


def fetched(provider, page):
    """A browser that follows the provider's answer back to libmam."""
    context = ssl.create_default_context(cafile=f"{provider.service.folder}/ca.pem")
    handlers = urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context)
    with urllib.request.build_opener(*handlers).open(page) as reply:
        assert reply.status == 200


@pytest.mark.parametrize(("mode", "binding"), [("remain", False), ("remain", True), ("browse", False), ("browse", True)])
def test_no_secret_of_a_sign_in_stays_in_memory(host, provider, tmp_path, mode, binding):
    (provider.binding, provider.nonce) = (binding, "nonce-1" if binding else None)
    provider.signs_in.clear()
    made = Host(host, provider, tmp_path, mode)
    secrets = {}
    if mode == "browse":
        page = made.shows("page")
        names = urllib.parse.parse_qs(urllib.parse.urlsplit(page).query).get("dpop_jkt", [])
    else:
        while not [form for path, form in provider.forms if path == "/token"] or (binding and not provider.thumbprints):
            assert made.process.poll() is None
        names = provider.thumbprints[:1]
    if binding:
        secrets["key"] = made.private_key(*names)
        assert made.finds(secrets) == {"key"}
    if mode == "browse":
        fetched(provider, page)
    provider.signs_in.set()
    assert made.says("code") == 100
    secrets |= {"refresh token": provider.refresh_tokens[-1], "access token": provider.access_tokens[-1]}
    if mode == "browse":
        (form,) = [form for path, form in provider.forms if path == "/token" and "code" in form][-1:]
        secrets |= {"code": form["code"], "verifier": form["code_verifier"]}
    else:
        secrets["device code"] = provider.device_code
    assert made.finds({"user": "alice@contoso.example"}), "the search finds what is there"
    assert made.finds(secrets) == set()
    grow_old(provider)
    made.goes_on()
    assert made.says("code") in (100, 101)
    assert len(provider.used) == 1
    secrets |= {"next refresh token": provider.refresh_tokens[-1], "next access token": provider.access_tokens[-1]}
    assert made.finds(secrets) == set()
    made.goes_on()
    made.says("closed")
    assert made.finds(secrets) == set()
    made.goes_on()
    made.ends()


@pytest.mark.parametrize("kind", ["invitation", "access token"])
def test_no_answer_of_a_host_stays_in_memory(host, provider, tmp_path, kind):
    secret = provider.service.invite() if kind == "invitation" else provider.token()
    made = Host(host, provider, tmp_path, "secret")
    made.says("asked")
    made.process.stdin.write(secret)
    made.goes_on()
    assert made.says("code") == 100
    assert made.finds({kind: secret}) == set()
    made.goes_on()
    assert made.says("code") in (100, 101)
    made.goes_on()
    made.says("closed")
    assert made.finds({kind: secret}) == set()
    made.goes_on()
    made.ends()
