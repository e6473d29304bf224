"""Data that is not read while the screen is locked: by logind, by the host's report, under each level of policy and app."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import ANN
from logind import logind, needs_libsystemd, needs_mock
from mam.testing import Office, office

LOCKED, UNLOCKED, UNKNOWN = mam.ScreenState.LOCKED, mam.ScreenState.UNLOCKED, mam.ScreenState.UNKNOWN


@pytest.fixture
def desk() -> Iterator[Office]:
    with office() as desk:
        desk.user(ANN)
        yield desk


def begin(desk: Office, level: str = "whenDeviceLocked", **keys: Any) -> mam.Mam:
    desk.policy(name="Sealed", appDataEncryptionType=level)
    return desk.open(enroll=ANN, **keys)


def lock(desk: Office, m: mam.Mam) -> None:
    m.report_screen_lock(LOCKED)
    desk.advance(seconds=11)


def is_closed(read: Callable[[], object]) -> bool:
    try:
        read()
    except mam.LockedError as error:
        assert error.detail["reason"] == "screenLocked"
        assert (error.detail["setting"], error.detail["policyName"]) == ("appDataEncryptionType", "Sealed")
        assert error.user_message == mam.message("refusedScreenLocked")
        return True
    return False


def until(condition: Callable[[], bool]) -> None:
    """SQLite looks at the screen once a second."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@needs_libsystemd
@needs_mock
def test_logind_closes_data(desk: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    with logind(at="pid", properties={"LockedHint": False}) as login:
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", login.address)
        m = begin(desk)
        data = m.protect(ANN, b"plan")
        assert m.unprotect(data) == b"plan"
        login.set(LockedHint=True)
        desk.advance(seconds=11)
        assert is_closed(lambda: m.unprotect(data))
        assert m.diagnostics()["screenLock"] == {"state": "locked", "source": "logind", "closes": True}
        login.set(LockedHint=False)
        desk.advance(seconds=2)
        assert m.unprotect(data) == b"plan"
        # A host's word counts in its place.
        lock(desk, m)
        assert is_closed(lambda: m.unprotect(data))
        m.report_screen_lock(UNKNOWN)
        assert m.unprotect(data) == b"plan"


@needs_libsystemd
@needs_mock
def test_a_session_that_begins_locked_reads_nothing(desk: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    m = begin(desk)
    data = m.protect(ANN, b"plan")
    m.close()
    with logind(at="display", properties={"LockedHint": True}) as login:
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", login.address)
        m = desk.open()
        assert is_closed(lambda: m.unprotect(data))
    # logind is gone: what was closed stays closed.
    desk.advance(seconds=60)
    assert is_closed(lambda: m.unprotect(data))
    m.report_screen_lock(UNLOCKED)
    assert m.unprotect(data) == b"plan"


def test_every_way_to_read(desk: Office, tmp_path: Path) -> None:
    m = begin(desk)
    data, text = m.protect(ANN, b"plan"), m.protect_string(ANN, "plan")
    path = tmp_path / "plan.txt"
    file = m.open_file(path, "w+b", account=ANN)
    file.write(b"plan")
    file.flush()
    (tmp_path / "plan.mam").write_bytes(data)
    (tmp_path / "plain").write_bytes(b"plan")
    m.file_protect(tmp_path / "plan.mam", ANN)
    written = bytearray()
    stream = m.unprotect_stream_to(written.extend)
    stream.write(data[:300])
    reads: dict[str, Callable[[], object]] = {
        "unprotect": lambda: m.unprotect(data),
        "unprotect_string": lambda: m.unprotect_string(text),
        "unprotect_into": lambda: m.unprotect_into(data, bytearray(len(data))),
        "open_file": lambda: m.open_file(path).close(),
        "open_file, a container": lambda: m.file_decrypt_copy(tmp_path / "plan.mam", tmp_path / "copy"),
        "file_decrypt_copy": lambda: m.file_decrypt_copy(path, tmp_path / "copy"),
        "file_export": lambda: m.file_export(path, mam.SaveLocation.OTHER, tmp_path / "copy"),
        "file_import": lambda: m.file_import(tmp_path / "plan.mam", ANN, tmp_path / "copy"),
        "sqlite_encrypt": lambda: m.sqlite_encrypt(tmp_path / "a.db", ANN),
    }
    (tmp_path / "a.db").touch()
    for name, read in reads.items():
        assert not is_closed(read), name
        (tmp_path / "copy").unlink(missing_ok=True)
    lock(desk, m)
    for name, read in reads.items():
        assert is_closed(read), name
        assert not (tmp_path / "copy").exists()
    # A file that is open, and a stream.
    file.seek(0)
    assert is_closed(lambda: file.read())
    assert is_closed(lambda: stream.write(data[300:]))
    stream.abandon()
    # Owners are no content, and what arrives is kept.
    assert m.protection_info(data).authenticated and m.file_info(path).encrypted
    arrived = m.protect(ANN, b"mail")
    with m.open_file(tmp_path / "mail.txt", "wb", account=ANN) as mail:
        mail.write(b"mail")
    # Also for data from before: to encrypt it shows nothing.
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "old").write_bytes(b"plan")
    m.file_protect(tmp_path / "folder", ANN)
    m.file_encrypt(tmp_path / "plain", ANN)
    assert m.file_is_encrypted(tmp_path / "folder" / "old") and m.file_is_encrypted(tmp_path / "plain")
    with m.policy(ANN) as policy:
        assert policy.is_print_allowed
    m.report_screen_lock(UNLOCKED)
    assert m.unprotect(arrived) == b"mail"
    assert m.open_file(tmp_path / "mail.txt", "rb").read() == b"mail"
    file.seek(0)
    assert file.read() == b"plan"
    file.close()


def test_what_was_open_goes_on_under_the_weaker_level(desk: Office, tmp_path: Path) -> None:
    m = begin(desk, "whenDeviceLockedExceptOpenFiles")
    data = m.protect(ANN, b"plan" * 250)
    file = m.open_file(tmp_path / "plan.txt", "w+b", account=ANN)
    file.write(b"plan")
    written = bytearray()
    stream = m.unprotect_stream_to(written.extend)
    stream.write(data[:500])
    lock(desk, m)
    file.seek(0)
    assert file.read() == b"plan"
    stream.write(data[500:])
    assert stream.close() and written == b"plan" * 250
    assert is_closed(lambda: m.open_file(tmp_path / "plan.txt"))
    assert is_closed(lambda: m.unprotect(data))
    file.close()


@pytest.mark.parametrize(
    ("level", "cap"),
    [
        ("useDeviceSettings", None),
        ("afterDeviceRestart", None),
        ("whenDeviceLocked", "NSFileProtectionCompleteUntilFirstUserAuthentication"),
        ("whenDeviceLocked", "NSFileProtectionNone"),
    ],
)
def test_weaker_levels_close_nothing(desk: Office, level: str, cap: str | None) -> None:
    m = begin(desk, level, settings={} if cap is None else {"MaxFileProtectionLevel": cap})
    data = m.protect(ANN, b"plan")
    lock(desk, m)
    assert m.unprotect(data) == b"plan"


def reads(database: sqlite3.Connection) -> bool:
    try:
        database.execute("SELECT count(*) FROM t").fetchall()
    except sqlite3.OperationalError:
        return False
    return True


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_databases(desk: Office, tmp_path: Path, mode: str) -> None:
    m = begin(desk)
    database = m.connect_sqlite(tmp_path / "a.db", account=ANN)
    database.execute(f"PRAGMA journal_mode={mode}")
    database.execute("CREATE TABLE t(a)")
    database.commit()
    assert reads(database)
    lock(desk, m)
    until(lambda: not reads(database))
    with pytest.raises(sqlite3.OperationalError):
        m.connect_sqlite(tmp_path / "a.db", account=ANN).execute("SELECT * FROM t")
    m.report_screen_lock(UNLOCKED)
    until(lambda: reads(database))
    database.close()


def test_open_databases_go_on_under_the_weaker_level(desk: Office, tmp_path: Path) -> None:
    m = begin(desk, "whenDeviceLockedExceptOpenFiles")
    database = m.connect_sqlite(tmp_path / "a.db", account=ANN)
    database.execute("CREATE TABLE t(a)")
    database.commit()
    lock(desk, m)
    with pytest.raises(sqlite3.OperationalError):
        m.connect_sqlite(tmp_path / "a.db", account=ANN).execute("SELECT * FROM t")
    time.sleep(1.1)  # the interval in which SQLite looks at the screen
    database.execute("INSERT INTO t VALUES (1)")
    database.commit()
    assert database.execute("SELECT count(*) FROM t").fetchall() == [(1,)]
    database.close()
