"""libmam against mamd with somebody between them who ends TLS: nothing but a signed reply to this very request changes anything,
each attack ends with its status, and memory stays bounded."""

import os
import threading

import pytest
from app import ALICE, App, needs_mamctl
from conftest import Service
from hostile import ATTACKS, LATE, NETWORK, UNTRUSTED
from wire import Wire, certificate, pem

pytestmark = needs_mamctl

# By the phase: docs/status-codes.md.
CODES = {
    "discovery": {NETWORK: 204, UNTRUSTED: 204, LATE: 216},
    "enroll": {NETWORK: 205, UNTRUSTED: 206, LATE: 216},
    "check-in": {NETWORK: 212, UNTRUSTED: 206, LATE: 216},
}
# Twice the longest reply, and what a check-in takes without a network, in KiB.
MOST_MEMORY = 160 * 1024


class Between:
    """The wire, the service behind it, and one app that lives through every attack."""

    def __init__(self, folder):
        self.wire = Wire(folder)
        self.service = Service(str(folder / "behind"), "--url", f"https://localhost:{self.wire.port}").people().start()
        self.wire.service = self.service
        self.app = App(folder / "app", self.wire.settings())

    def hurried(self, kind):
        """The app waits for no reply longer than a second where none comes."""
        self.app.use(self.wire.settings(timeout="PT1S" if kind == LATE else "PT1M"))

    def attacked(self, method, attack, granted=False):
        def change(handler, body):
            handler.body = body
            reply = self.wire.ask(handler.command, handler.path, dict(handler.headers.items()), body)
            # At an enrollment the reply that grants it.
            if handler.command == method and (not granted or reply[0] < 300):
                attack(handler, reply)
            else:
                handler.send(*reply)

        self.wire.change = change

    def end(self):
        self.wire.close()
        self.service.stop()


@pytest.fixture(scope="module")
def between(tmp_path_factory):
    made = Between(tmp_path_factory.mktemp("hostile"))
    yield made
    made.end()


@pytest.fixture(scope="module")
def enrolled(tmp_path_factory):
    """An app with a policy, for which a wipe waits."""
    made = Between(tmp_path_factory.mktemp("enrolled"))
    status, _, errors = made.app.enroll(made.service.invite())
    assert status == 0, errors
    made.wire.keep = True
    assert made.app.run("check-in")[0] == 0
    made.service.admin("wipe.request", user=ALICE, app="notes")
    yield made
    made.wire.change = None
    assert "wipeReceived, 102" in made.app.run("check-in")[1], "no attack lost the wipe"
    assert made.app.accounts() == []
    assert [wipe["done"] for wipe in made.service.admin("wipe.list")["wipes"]] == [1]
    made.end()


def fails(app, code, *words):
    """A command fails with a status, and takes no more memory than it may."""
    process = app.start(*words)
    errors = process.stderr.read()
    process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stdout.close()
    process.stderr.close()
    assert process.returncode not in (0, -6, -9, -11), errors
    assert f", {code})" in errors, errors
    assert usage.ru_maxrss < MOST_MEMORY
    return errors


def lasting(app):
    """The state that no attack may change."""
    status = app.status()
    shown = ("accountId", "upn", "state", "policies", "policy", "managed")
    return [{key: one.get(key) for key in shown} for one in status["accounts"]], status["wipes"]


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("phase", ["check-in", "discovery"])
def test_of_a_check_in(enrolled, phase, name):
    attack, kind = ATTACKS[name]
    if phase == "discovery" and name in NOT_OF_DISCOVERY:
        pytest.skip("a reply to discovery is bound to no more of its request")
    enrolled.hurried(kind)
    before = lasting(enrolled.app)
    enrolled.attacked("GET" if phase == "discovery" else "POST", attack)
    fails(enrolled.app, CODES[phase][kind], "check-in")
    assert lasting(enrolled.app) == before


# They need a request with a signature, or are the reply of discovery itself.
NOT_OF_DISCOVERY = {name for name in ATTACKS if name.startswith("provoked")} | {"reply_of_discovery"}


def test_of_an_enrollment(between):
    """One invitation outlives every attack on the replies to it, and makes one registration."""
    made, code = between, between.service.invite()
    path = made.app.folder / "invitation"
    path.write_text(code)
    for name, (attack, kind) in ATTACKS.items():
        if name in ("a_former_reply", "signature_of_a_former_reply"):
            continue
        made.hurried(kind)
        made.attacked("POST", attack, granted=True)
        try:
            fails(made.app, CODES["enroll"][kind], "enroll", ALICE, "--invite", str(path))
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from None
        assert [one for one in made.app.accounts() if one["state"] == "enrolled"] == [], name
    made.wire.change = None
    status, output, errors = made.app.run("enroll", ALICE, "--invite", str(path))
    assert (status, "newPoliciesReceived, 100" in output) == (0, True), errors
    assert len(made.service.admin("registration.list")["registrations"]) == 1


@pytest.mark.parametrize("name", ["a_former_reply", "balancer_502", "cut_in_the_body", "held_back", "unsigned_410"])
def test_of_a_report(tmp_path, name):
    """A wipe is carried out, and its report is owed until the service has signed for it."""
    made = Between(tmp_path)
    try:
        attack, kind = ATTACKS[name]
        assert made.app.enroll(made.service.invite())[0] == 0
        made.wire.keep = True
        assert made.app.run("check-in")[0] == 0
        wipe = made.service.admin("wipe.request", user=ALICE, app="notes")["id"]
        made.hurried(kind)

        def change(handler, body):
            handler.body = body
            reply = made.wire.ask(handler.command, handler.path, dict(handler.headers.items()), body)
            attack(handler, reply) if handler.path.endswith("wipe-report") else handler.send(*reply)

        made.wire.change = change
        made.app.run("check-in")
        assert made.app.accounts() == [], "the account is wiped, whatever becomes of the report"
        assert [one["step"] for one in made.app.status()["wipes"]] != [], "its report is owed"
        made.wire.change = None
        made.app.use(made.wire.settings())
        made.app.run("check-in")
        assert made.app.status()["wipes"] == []
        done = {one["id"]: one["done"] for one in made.service.admin("wipe.list")["wipes"]}
        assert done[wipe] == 1
    finally:
        made.end()


def test_replies_of_two_clients_are_swapped(tmp_path, enrolled):
    """Both ask at once, and each gets the reply to the other."""
    other = App(tmp_path / "other", enrolled.wire.settings())
    enrolled.wire.change = None
    assert other.enroll(enrolled.service.invite())[0] == 0
    enrolled.hurried(UNTRUSTED)
    before = lasting(enrolled.app), lasting(other)
    replies, met = {}, threading.Barrier(2)

    def change(handler, body):
        reply = enrolled.wire.ask(handler.command, handler.path, dict(handler.headers.items()), body)
        if handler.command == "GET":
            return handler.send(*reply)
        replies[handler.path] = reply
        met.wait()
        handler.send(*next(reply for path, reply in replies.items() if path != handler.path))

    enrolled.wire.change = change
    processes = [app.start("check-in") for app in (enrolled.app, other)]
    for process in processes:
        _, errors = process.communicate()
        assert ", 206)" in errors, errors
    assert (lasting(enrolled.app), lasting(other)) == before


CERTIFICATES = {
    "expired": ({"days": (-30, -1)}, "not trusted"),
    "of tomorrow": ({"days": (1, 30)}, "clock"),
    "of another host": ({"host": "elsewhere.example"}, "another host"),
}


@pytest.mark.parametrize("name", [*CERTIFICATES, "of another chain", "of another pin"])
def test_certificates(tmp_path, enrolled, name):
    """The connection ends before anything is sent."""
    (tmp_path / "wire").mkdir()
    options, words = CERTIFICATES.get(name, ({}, "not trusted" if name == "of another chain" else "authority.pins"))
    wire = Wire(tmp_path / "wire", enrolled.service, **options)
    # The address stays the one that the account knows: only the port's owner changed.
    more = {}
    if name == "of another chain":
        more["ca"] = pem(certificate("another")[0])
    if name == "of another pin":
        more["pins"] = [f"sha256//{letter * 43}=" for letter in "AB"]
    app = App(tmp_path / "app", wire.settings(**more))
    assert words in fails(app, 204, "enroll", ALICE, "--invite", str(code_file(tmp_path)))
    assert wire.seen == []
    wire.close()


def code_file(folder):
    path = folder / "code"
    path.write_text("AAAA-BBBB")
    return path
