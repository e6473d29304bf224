"""The session's lock as logind reports it: python-dbusmock's logind on a private bus, and buses that misbehave."""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import Office
from logind import logind, needs_libsystemd, needs_mock


def lock_of(office: Office, address: str, monkeypatch: pytest.MonkeyPatch, **keys: Any) -> mam.DeviceSignal:
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
    with office.open(**keys) as session:
        return session.device_health()["deviceLock"]


@needs_libsystemd
@needs_mock
@pytest.mark.parametrize(
    ("session", "state", "said"),
    [
        ({"at": "pid", "properties": {"LockedHint": True}}, "ok", "is locked"),
        ({"at": "pid", "properties": {"LockedHint": False, "CanLock": False}}, "fail", "cannot be locked"),
        ({"at": "pid", "properties": {"LockedHint": False, "CanLock": True}}, "unknown", "open now"),
        ({"at": "pid", "properties": {"LockedHint": False}}, "unknown", "open now"),
        ({"at": "display", "properties": {"LockedHint": True}}, "ok", "is locked"),
        ({"at": "pid", "properties": {"Remote": True}}, "notApplicable", "from elsewhere"),
        ({"at": "pid", "properties": {"Class": "background"}}, "notApplicable", "not a person's"),
        ({}, "notApplicable", "no login session"),
        ({"at": "pid", "properties": {"LockedHint": "yes"}}, "unknown", "no answer that makes sense"),
    ],
)
def test_states_of_logind(office: Office, monkeypatch: pytest.MonkeyPatch, session: dict[str, Any], state: str, said: str) -> None:
    with logind(**session) as login:
        lock = lock_of(office, login.address, monkeypatch)
    assert (lock.state, lock.source) == (state, "logind"), lock.detail
    assert said in lock.detail


@needs_libsystemd
@needs_mock
def test_the_host_overrides_logind(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    with logind(at="pid", properties={"LockedHint": True}) as login:
        lock = lock_of(office, login.address, monkeypatch, device={"lock": "off"})
    assert (lock.state, lock.source) == ("fail", "settings")


@needs_libsystemd
def test_a_bus_that_never_answers_is_not_waited_for(office: Office, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(tmp_path / "bus"))
        silent.listen(4)
        before = time.monotonic()
        lock = lock_of(office, f"unix:path={tmp_path}/bus", monkeypatch)
        assert time.monotonic() - before < 20
    assert lock.state == "unknown"


@needs_libsystemd
@pytest.mark.parametrize("reply", [b"", b"REJECTED\r\n", b"\0" * 4096, b"OK 0\r\nAGREE_UNIX_FD\r\n" + b"\xff" * 65536])
def test_a_bus_with_invalid_replies(office: Office, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, reply: bytes) -> None:
    def serve(bus: socket.socket) -> None:
        client, _ = bus.accept()
        with client:
            client.recv(4096)
            try:
                client.sendall(reply)
            except OSError:
                pass

    with socket.socket(socket.AF_UNIX) as bus:
        bus.bind(str(tmp_path / "bus"))
        bus.listen(4)
        thread = threading.Thread(target=serve, args=(bus,))
        thread.start()
        lock = lock_of(office, f"unix:path={tmp_path}/bus", monkeypatch)
        thread.join(30)
    assert lock.state in ("unknown", "notApplicable")


@pytest.mark.parametrize("address", ["unix:path=/nowhere/bus", "nonsense", "unix:", "tcp:host=,port=0", ";;;", "x" * 9000])
def test_no_bus_is_no_session(office: Office, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    lock = lock_of(office, address, monkeypatch)
    assert (lock.state, lock.source) == ("notApplicable", "logind")


def test_on_a_small_stack(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """64 KiB of stack suffice for every function, even while libsystemd is loaded."""
    found: list[mam.DeviceSignal] = []
    monkeypatch.delenv("DBUS_SYSTEM_BUS_ADDRESS", raising=False)
    before = threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=lambda: found.append(lock_of(office, "unix:path=/nowhere", monkeypatch)))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join(30)
    assert found[0].signal == "deviceLock"
