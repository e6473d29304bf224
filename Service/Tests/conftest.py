"""A service in a temporary folder, run as its own process."""

import contextlib
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import threading
from pathlib import Path

import pytest
from client import Client, Untrusted
from postgresql import ROOTS, PostgreSQL

MAMD = os.environ.get("MAMD", str(Path(__file__).parents[1] / ".build/debug/mamd"))
POLICY = {"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "strict", "displayName": "Strict"}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Service:
    """mamd and its administrator."""

    def __init__(self, folder, *options):
        self.folder, self.process, self.port = folder, None, free_port()
        arguments = ["--listen", f"127.0.0.1:{self.port}", "--tenant", "contoso", *options]
        if "--url" not in options:
            arguments += ["--url", f"https://localhost:{self.port}"]
        self.settings = json.loads(self.run("init", *arguments))

    def run(self, command, *arguments, check=True):
        return self.finished([command, self.folder, *arguments], check)

    def keys(self, command, *arguments, check=True):
        return self.finished(["keys", command, self.folder, *arguments], check)

    def finished(self, words, check):
        done = subprocess.run([MAMD, *words], capture_output=True, text=True, check=False)
        if check:
            assert done.returncode == 0, done.stderr
            return done.stdout
        return done

    def start(self, *options, **environment):
        with open(self.folder + ".log", "a") as log:
            self.process = subprocess.Popen(
                [MAMD, "serve", self.folder, *options],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**os.environ, **environment},
            )
        self.listening = self.process.stdout.readline().strip()
        assert "listening" in self.listening, self.log()
        return self

    def path(self, name):
        return Path(self.folder) / name

    def log(self):
        """The log of all starts."""
        return Path(self.folder + ".log").read_text()

    def put_back(self, copy):
        """Stop, put a backup in place, start."""
        self.stop()
        shutil.rmtree(self.folder)
        shutil.copytree(copy, self.folder)
        return self.start()

    def stop(self, how=signal.SIGTERM):
        if self.process:
            self.process.send_signal(how)
            status = self.process.wait()
            self.process.stdout.close()
            self.process = None
            assert status == (0 if how == signal.SIGTERM else -how), self.log()

    def admin(self, action, **keys):
        return json.loads(self.run("admin", json.dumps({"action": action, **keys})))

    def ask(self, action, **keys):
        """An action of an administrator in the process of the service: its reply, or error. Fails with OSError or ValueError where
        that ends before it answers."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(self.path("mamd.sock")))
            connection.sendall(json.dumps({"action": action, **keys}).encode() + b"\n")
            with connection.makefile("rb") as reply:
                return json.loads(reply.read())

    def people(self):
        """alice, and a policy that reaches everybody in notes."""
        self.admin("user.add", upn="alice@contoso.example", accountId="alice-id")
        self.admin("policy.import", document=POLICY)
        self.admin("policy.assign", policy="strict", allUsers=True)
        self.admin("policy.target", policy="strict", app="notes")
        return self

    def invite(self, user="alice@contoso.example"):
        return self.run("invite", user).strip()

    def client(self, **options):
        return Client(self.settings, **options)

    def enrolled(self, **options):
        client = self.client(**options)
        client.enroll("alice@contoso.example", self.invite())
        return client


@contextlib.contextmanager
def waiting_enrollment(service):
    """An enrollment that waits for the database until the end, as the one request that may be under way. Another client, and the
    reply that it got meanwhile: status, fields and body."""
    waiting, other, code = service.client(), service.enrolled(), service.invite()
    database = sqlite3.connect(service.path("mamd.db"), isolation_level=None)
    database.execute("BEGIN IMMEDIATE")

    def enroll():
        while not waiting.registration:
            # A check-in of the other client may be the one that is under way.
            with contextlib.suppress(Untrusted):
                waiting.enroll("alice@contoso.example", code)

    enrolling = threading.Thread(target=enroll)
    enrolling.start()
    replies = []
    exchange = other.exchange

    def kept(*arguments):
        replies.append(exchange(*arguments))
        return replies[-1]

    other.exchange = kept
    try:
        with pytest.raises(Untrusted):
            while enrolling.is_alive():
                other.check_in()
        yield other, replies[-1]
    finally:
        database.execute("ROLLBACK")
        enrolling.join()
    assert waiting.registration, "the one that waited was served"


@pytest.fixture
def service(tmp_path):
    made = Service(str(tmp_path / "mamd")).people().start()
    yield made
    made.stop()


@pytest.fixture(scope="session")
def postgresql():
    """A server for databases of services."""
    if not ROOTS:
        pytest.skip("PostgreSQL's server programs are not installed")
    server = PostgreSQL()
    yield server
    server.end()
