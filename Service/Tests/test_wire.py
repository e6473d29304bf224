"""mamctl against mamd with somebody between them who ends TLS; test_hostile.py has their attacks."""

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


def test_requests_that_follow_each_other_have_one_connection(tmp_path, wire):
    """A process asks for the service's document first, and has no second handshake for its check-in."""
    app = App(tmp_path / "app", wire.settings())
    assert app.enroll(wire.service.invite())[0] == 0
    wire.seen.clear()
    wire.connections = 0
    assert app.run("check-in")[0] == 0
    assert [method for method, _, _ in wire.seen] == ["GET", "POST"]
    assert wire.connections == 1


def test_a_service_that_closes_each_connection(tmp_path, wire):
    """The requests that follow have connections of their own."""

    def close(handler, body):
        handler.close_connection = True
        handler.send(*wire.ask(handler.command, handler.path, dict(handler.headers.items()), body))

    app = App(tmp_path / "app", wire.settings())
    assert app.enroll(wire.service.invite())[0] == 0
    wire.connections, wire.change = 0, close
    assert app.run("check-in")[0] == 0
    assert wire.connections == 2


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
