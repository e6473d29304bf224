"""mamctl against mamd with somebody between them who ends TLS: nothing but a signed reply changes anything."""

import base64
import hashlib
import threading

import pytest
from app import ALICE, App, needs_mamctl, refused
from conftest import Service
from cryptography.hazmat.primitives import serialization
from wire import Wire

pytestmark = needs_mamctl


@pytest.fixture
def wire(tmp_path):
    """A wire, and behind it the service that has its address."""
    made = Wire(tmp_path)
    made.service = Service(str(tmp_path / "behind"), "--url", f"https://localhost:{made.port}").people().start()
    yield made
    made.close()
    made.service.stop()


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
    process = app.start("enroll", ALICE, "--invite", str(tmp_path / "code"))
    reached.wait()
    process.kill()
    process.communicate()
    wire.change = None
    status, _, errors = app.enroll(code)
    assert status == 0, errors
    assert len(wire.service.admin("registration.list")["registrations"]) == 1
