"""Each secret that the service gets to know, and each that it must not, in each place where it must not be."""

import base64
import os
import resource
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from app import ALICE, App, needs_mamctl
from client import Client, Problem
from conftest import MAMD, Service
from cryptography.hazmat.primitives.asymmetric import ec
from provider import Provider
from test_bound import bound, proof
from test_sign_in import sign_in


class Listening(Client):
    """Keeps all that it receives."""

    def __init__(self, heard, *arguments, **options):
        super().__init__(*arguments, **options)
        self.heard = heard

    def exchange(self, *arguments):
        status, fields, body = super().exchange(*arguments)
        self.heard += str(fields).encode() + body
        return status, fields, body


class Story:
    """All that a service is used for, and what is left of it."""

    def __init__(self, folder, database):
        self.errors, self.replies = b"", bytearray()
        options = ("--database", database) if database else ()
        self.service = service = Service(str(folder / "mamd"), *options).people()
        self.provider = provider = Provider(service.folder)
        provider.signs_in.set()
        sign_in(service, provider, frequency="P7D", refresh=True)
        service.start("--log-level", "debug", "--log-format", "json")
        code, unused = service.invite(), service.invite()
        invited, signed_in, holder = (Listening(self.replies, service.settings) for _ in range(3))
        invited.discover()
        invited.enroll(ALICE, code)
        self.fails(lambda: Listening(self.replies, service.settings).enroll(ALICE, code))
        token, wrong = provider.token(), provider.token(aud="other")
        signed_in.enroll(ALICE, None, token=token)
        self.fails(lambda: Listening(self.replies, service.settings).enroll(ALICE, None, token=wrong))
        key = ec.generate_private_key(ec.SECP256R1())
        held = bound(provider, key)
        proven = proof(holder, key, held)
        self.fails(lambda: Listening(self.replies, service.settings).enroll(ALICE, None, token=held, proof=proven))
        holder.enroll(ALICE, None, token=held, proof=proven)
        keys = [key for _, _, key in invited.exchange_keys()]
        self.secrets = {
            "access token": [part for one in (token, wrong, held) for part in one.split(".")[1:]],
            "proof of a token's key": proven.split(".")[1:],
            "invitation": [bytes.fromhex(code), bytes.fromhex(unused)],
            "exchange key": keys,
            "store key": [service.path("mamd.key").read_bytes()[8:]],
            "recovery key": [base64.b64decode(service.path("recovery.key").read_text().split("\n")[1])],
        }
        # Secrets of libmam and the provider, which the service never gets.
        app = App(folder / "app", {**service.settings, "signIn": {"caFile": f"{service.folder}/ca.pem"}})
        status, output, errors = app.run("enroll", ALICE, "--sign-in")
        assert status == 0, output + errors
        self.secrets["refresh token"] = list(provider.refresh_tokens)
        self.secrets["code of a sign-in"] = [provider.device_code]
        # Commands of administrators, those that fail too.
        self.run("keys", "rotate", service.folder, "--recovery", f"{service.folder}/recovery.key")
        invited.check_in()
        self.run("keys", "rotate", service.folder, "--recovery", f"{service.folder}/mamd.key")
        self.run("admin", service.folder, "{}")
        self.run("restore", service.folder)
        status = Path(f"/proc/{service.process.pid}")
        self.arguments = (status / "cmdline").read_bytes() + (status / "environ").read_bytes()

    def fails(self, call):
        with pytest.raises(Problem):
            call()

    def run(self, *words):
        done = subprocess.run([MAMD, *words], capture_output=True, check=False)
        self.errors += done.stdout + done.stderr

    def end(self):
        self.service.stop()
        self.provider.stop()


def stored(story, postgresql):
    """All that the database has."""
    if story.url:
        name = story.url.split("?")[0].rsplit("/", 1)[-1]
        return postgresql.run("pg_dump", "-h", str(postgresql.folder), "-U", "mamd", name).stdout.encode()
    return b"".join(path.read_bytes() for path in story.service.path("").glob("mamd.db*"))


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def story(request, tmp_path_factory):
    server = request.getfixturevalue("postgresql") if request.param == "postgresql" else None
    url = server.database() if server else None
    made = Story(tmp_path_factory.mktemp("story"), url)
    made.url = url
    made.places = {
        "log": made.service.log().encode(),
        "reply": bytes(made.replies),
        "error": made.errors,
        "database": stored(made, server),
        "argument": made.arguments,
    }
    yield made
    made.end()


def forms(secret):
    """A secret as it may be written."""
    if isinstance(secret, str):
        return [secret.encode()]
    spelt = [base64.b64encode(secret), base64.urlsafe_b64encode(secret)]
    return [secret, secret.hex().encode(), secret.hex().upper().encode(), *(one.rstrip(b"=") for one in spelt)]


SECRETS = ("access token", "proof of a token's key", "invitation", "exchange key", "store key", "recovery key")
OTHERS = ("refresh token", "code of a sign-in")


@needs_mamctl
@pytest.mark.parametrize("place", ["log", "reply", "error", "database", "argument"])
@pytest.mark.parametrize("noun", [*SECRETS, *OTHERS])
def test_no_secret_is_anywhere(story, noun, place):
    assert story.secrets[noun] and story.places[place]
    for secret in story.secrets[noun]:
        assert len(secret) >= 16
        for form in forms(secret):
            assert form not in story.places[place]


def dumps_core(words, ready=None):
    """Whether a process that aborts leaves a core dump, where it may."""
    limit = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    process = subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, limit),
        env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},  # its report takes minutes
    )
    if ready:
        ready(process)
    os.kill(process.pid, signal.SIGABRT)
    _, status = os.waitpid(process.pid, 0)
    process.stdout.close()
    process.returncode = os.waitstatus_to_exitcode(status)
    assert os.WIFSIGNALED(status)
    return os.WCOREDUMP(status)


def test_there_is_no_core_dump(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if resource.getrlimit(resource.RLIMIT_CORE)[1] != resource.RLIM_INFINITY or not dumps_core([shutil.which("sleep"), "600"]):
        pytest.skip("no process leaves a core dump here")
    service = Service(str(tmp_path / "mamd")).people()
    code = service.invite()

    def enrolls(process):
        assert b"listening" in process.stdout.readline()
        service.client().enroll(ALICE, code)

    assert not dumps_core([MAMD, "serve", service.folder], enrolls)
