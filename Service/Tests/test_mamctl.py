"""mamctl and libmam against mamd: over a real network, and over a hostile one."""

import base64
import hashlib
import json
import os
import subprocess
import threading
from pathlib import Path

import pytest
from conftest import Service
from cryptography.hazmat.primitives import serialization
from wire import Wire, closed_port

MAMCTL = os.environ.get("MAMCTL", str(Path(__file__).parents[2] / ".build/debug/mamctl"))
ALICE = "alice@contoso.example"

pytestmark = pytest.mark.skipif(not os.access(MAMCTL, os.X_OK), reason=f"no mamctl at {MAMCTL}; set MAMCTL")


class App:
    """An app on a computer, by mamctl."""

    def __init__(self, folder, settings, name="notes"):
        self.folder = folder
        folder.mkdir()
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("MAM") and "proxy" not in key.lower()},
            "MAM_APP": name,
            "MAM_STATE": str(folder / "state"),
            "XDG_CONFIG_HOME": str(folder),
            "COLUMNS": "200",
        }
        self.use(settings)

    def use(self, settings):
        path = self.folder / "authority.json"
        path.write_text(json.dumps(settings))
        self.environment["MAM_AUTHORITY"] = str(path)

    def start(self, *words, **more):
        return subprocess.Popen(
            [MAMCTL, *words], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
        )

    def run(self, *words, data=""):
        process = self.start(*words, stdin=subprocess.PIPE)
        output, errors = process.communicate(data)
        return process.returncode, output, errors

    def enroll(self, code):
        path = self.folder / "code"
        path.write_text(code)
        return self.run("enroll", ALICE, "--token-file", str(path))

    def status(self):
        return json.loads(self.run("status", "--json")[1])

    def accounts(self):
        return self.status()["accounts"]


@pytest.fixture
def app(tmp_path, service):
    return App(tmp_path / "app", service.settings)


@pytest.fixture
def wire(tmp_path):
    """A wire, and behind it the service that has its address."""
    made = Wire(tmp_path)
    made.service = Service(str(tmp_path / "behind"), "--url", f"https://localhost:{made.port}").people().start()
    yield made
    made.close()
    made.service.stop()


def test_an_invitation_a_policy_and_a_wipe(app, service):
    status, output, errors = app.enroll(service.invite())
    assert (status, errors) == (0, ""), errors
    assert "newPoliciesReceived, 100" in output
    assert app.status()["authority"]["custody"] == "service"
    status, output, _ = app.run("check-in")
    assert status == 0 and "policiesHaveNotChanged, 101" in output
    wipe = service.admin("wipe.request", user=ALICE, app="notes")["id"]
    status, output, _ = app.run("check-in")
    assert "wipeReceived, 102" in output
    assert app.accounts() == []
    done = [one for one in service.admin("wipe.list")["wipes"] if one["id"] == wipe]
    assert [(one["pending"], one["done"]) for one in done] == [(0, 1)]


def test_an_invitation_is_needed_and_used_once(tmp_path, app, service):
    assert "(authRequired, 203)" in app.run("enroll", ALICE)[2]
    code = service.invite()
    assert app.enroll(code)[0] == 0
    assert "(authRequired, 203)" in App(tmp_path / "other", service.settings).enroll(code)[2]


def test_two_apps_exchange_a_file(tmp_path, app, service):
    example = Path(__file__).parents[2] / "examples/policies/strict.json"
    service.admin("policy.import", document={**json.loads(example.read_text()), "id": "strict"}, replace=True)
    service.admin("policy.target", policy="strict", app="mail")
    other = App(tmp_path / "mail", service.settings, "mail")
    assert app.enroll(service.invite())[0] == 0
    assert other.enroll(service.invite())[0] == 0
    plain, sent, got = (str(tmp_path / name) for name in ("plain", "sent", "got"))
    assert app.run("file", "write", "--account", ALICE, plain, data="for colleagues")[0] == 0
    location = ("--location", "oneDriveForBusiness", "--location-account", ALICE)
    status, _, errors = app.run("file", "export", plain, sent, *location)
    assert status == 0, errors
    assert b"colleagues" not in Path(sent).read_bytes()
    status, _, errors = other.run("file", "import", sent, got, "--account", ALICE)
    assert status == 0, errors
    assert other.run("file", "read", got)[1] == "for colleagues"


def test_a_forgotten_enrollment_is_made_again_by_invitation(app, service):
    assert app.enroll(service.invite())[0] == 0
    assert app.run("unenroll", ALICE)[0] == 0
    assert app.enroll(service.invite())[0] == 0
    assert len(service.admin("registration.list")["registrations"]) == 1


def test_the_keys_are_secret(app, service):
    """Nothing that mamctl shows has a key of the registration, nor has a file of the state one in clear."""
    assert app.enroll(service.invite())[0] == 0
    shown = app.run("status", "--json")[1] + app.run("doctor", "--json")[1] + app.run("events", "--json")[1]
    assert '"r-' not in shown and ".r-" not in shown
    for path in (app.folder / "state").rglob("*"):
        assert not path.is_file() or b'"registration":"r-' not in path.read_bytes()


def refused(app, *codes):
    """A check-in fails with one of these statuses, and the account stays as it is."""
    before = app.accounts()[0]
    status, _, errors = app.run("check-in")
    assert status != 0
    assert any(f", {code})" in errors for code in codes), errors
    after = app.accounts()[0]
    assert after["state"] == before["state"] == "enrolled"
    assert app.status()["wipes"] == []
    return errors


def test_no_service(app, service):
    assert app.enroll(service.invite())[0] == 0
    service.stop()
    refused(app, 204)
    app.use({**service.settings, "url": f"https://localhost:{closed_port()}"})
    refused(app, 204)
    app.use({**service.settings, "url": "https://no-such-host.invalid"})
    refused(app, 204)


def test_certificates(tmp_path, app, service):
    assert app.enroll(service.invite())[0] == 0
    for name, options in {"expired": {"days": (-9, -1)}, "future": {"days": (1, 9)}, "other-host": {"host": "example.org"}}.items():
        folder = tmp_path / name
        folder.mkdir()
        made = Wire(folder, service, **options)
        app.use(made.settings())
        refused(app, 204)
        assert made.seen == [], "nothing is said to a server that is not trusted"
        made.close()
    (tmp_path / "good").mkdir()
    made = Wire(tmp_path / "good", service)
    app.use(made.settings(ca=service.settings["ca"]))
    refused(app, 204)
    assert made.seen == []
    app.use({key: value for key, value in made.settings().items() if key != "ca"})
    refused(app, 204)
    assert made.seen == []
    made.close()


def test_pins(tmp_path, wire):
    app = App(tmp_path / "app", wire.settings())
    assert app.enroll(wire.service.invite())[0] == 0
    pins = [pin(key) for key in (wire.key, wire.authority[1])]
    app.use(wire.settings(pins=pins))
    assert app.run("check-in")[0] == 0
    wire.seen.clear()
    app.use(wire.settings(pins=pins[1:] * 2))
    assert "authority.pins" in refused(app, 204)
    assert wire.seen == []


def pin(key):
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    spki = key.public_key().public_bytes(serialization.Encoding.DER, form)
    return "sha256//" + base64.b64encode(hashlib.sha256(spki).digest()).decode()


def portal(handler, _):
    handler.send(200, [("Content-Type", "text/html")], b"<html>Please sign in</html>")


def redirect(handler, _):
    handler.send(302, [("Location", "https://localhost:1/")])


def proxy(handler, _):
    handler.send(407)


def balancer(handler, _):
    handler.send(502)


def cut(handler, reply):
    begin(handler, 9999)
    handler.wfile.write(reply[2][:10])
    handler.close_connection = True


def changed(handler, reply):
    handler.send(reply[0], reply[1], reply[2].replace(b'"wipe":', b'"wipe": '))


def unsigned(handler, reply):
    handler.send(reply[0], [(key, value) for key, value in reply[1] if "signature" not in key.lower()], reply[2])


def huge(handler, _):
    begin(handler, 1 << 40)
    try:
        while True:
            handler.wfile.write(bytes(1 << 20))
    except OSError:
        handler.close_connection = True


def many_fields(handler, _):
    handler.send_response_only(200)
    try:
        while True:
            handler.send_header("X-More", "x" * 8000)
            handler.flush_headers()
    except OSError:
        handler.close_connection = True


def slow(handler, reply):
    """A byte at a time, for longer than the app waits."""
    begin(handler, len(reply[2]))
    for byte in reply[2]:
        if handler.wire.ended.wait(0.2):
            return
        try:
            handler.wfile.write(bytes([byte]))
        except OSError:
            return


def silent(handler, _):
    handler.wire.ended.wait()
    handler.close_connection = True


def begin(handler, length):
    handler.send_response_only(200)
    handler.send_header("Content-Length", str(length))
    handler.end_headers()


ATTACKS = {
    portal: 206,
    redirect: 212,
    proxy: 212,
    balancer: 212,
    cut: 212,
    changed: 206,
    unsigned: 206,
    huge: 206,
    many_fields: 206,
    slow: 216,
    silent: 216,
}


@pytest.mark.parametrize("attack, code", ATTACKS.items(), ids=[attack.__name__ for attack in ATTACKS])
def test_a_hostile_wire(tmp_path, wire, attack, code):
    app = App(tmp_path / "app", wire.settings(timeout="PT3S" if code == 216 else "PT1M"))
    assert app.enroll(wire.service.invite())[0] == 0
    wire.service.admin("wipe.request", user=ALICE, app="notes")

    def change(handler, body):
        reply = wire.ask(handler.command, handler.path, dict(handler.headers.items()), body)
        if handler.command == "GET":
            handler.send(*reply)
        else:
            attack(handler, reply)

    wire.change = change
    refused(app, code)
    wire.change = None
    assert "wipeReceived, 102" in app.run("check-in")[1]


def test_a_lost_reply_costs_no_invitation(tmp_path, wire):
    """The process ends between the request to enroll and its reply."""
    app = App(tmp_path / "app", wire.settings())
    code = wire.service.invite()
    reached = threading.Event()

    def lose(handler, body):
        reply = wire.ask(handler.command, handler.path, dict(handler.headers.items()), body)
        if handler.command == "GET":
            return handler.send(*reply)
        if reply[0] == 201:
            reached.set()
            wire.ended.wait()
        else:
            handler.send(*reply)

    wire.change = lose
    (tmp_path / "code").write_text(code)
    process = app.start("enroll", ALICE, "--token-file", str(tmp_path / "code"))
    reached.wait()
    process.kill()
    process.communicate()
    wire.change = None
    status, _, errors = app.enroll(code)
    assert status == 0, errors
    assert len(wire.service.admin("registration.list")["registrations"]) == 1


def test_a_wrong_clock(tmp_path, app, service):
    source = Path(__file__).parents[2] / "Tests/Shell/clock.c"
    clock = tmp_path / "clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(clock), str(source)], check=True)
    app.environment |= {"LD_PRELOAD": str(clock), "CLOCK_MOVED": "-600"}
    assert app.enroll(service.invite())[0] == 0
    assert app.run("check-in")[0] == 0
