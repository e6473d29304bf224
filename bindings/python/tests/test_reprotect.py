"""Files that move to the newest key of their account."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import ANN, EVE, Office

PLAIN = bytes(range(256)) * 100
ENCRYPTED = {
    "@odata.type": "#libmam.linuxManagedAppProtection",
    "id": "encrypted",
    "displayName": "E",
    "appDataEncryptionType": "whenDeviceLocked",
}


@pytest.fixture
def session(office: Office) -> Any:
    """Ann's files must be encrypted."""
    office.authority.import_policy(ENCRYPTED)
    office.authority.assign("encrypted", all_users=True)
    office.authority.target("encrypted", all_apps=True)
    with office.open() as session:
        session.register_and_enroll(ANN).wait(30)
        yield session


def made(session: mam.Mam, path: Path, form: str) -> Path:
    """A file of Ann's, sealed in place or a container."""
    if form == "sealed":
        with session.open_file(path, "wb", account=ANN) as file:
            file.write(PLAIN)
    else:
        path.write_bytes(session.protect(ANN, PLAIN))
    return path


def content(session: mam.Mam, path: Path, form: str) -> bytes:
    if form == "sealed":
        with session.open_file(path, "rb") as file:
            return bytes(file.read())
    return session.unprotect(path.read_bytes(), strict=True)


@pytest.mark.parametrize("form", ["sealed", "container"])
def test_a_file_moves_once_and_keeps_its_attributes(session: mam.Mam, tmp_path: Path, form: str) -> None:
    path = made(session, tmp_path / "plan", form)
    session.file_protect(path, ANN)
    os.setxattr(path, "user.colour", b"red")
    path.chmod(0o640)
    os.utime(path, ns=(10**18, 10**18 + 1))
    before = path.read_bytes()
    assert not session.file_reprotect(path)
    assert path.read_bytes() == before
    for _ in range(2):
        session.rotate_keys(ANN)
        assert session.file_reprotect(path) and not session.file_reprotect(path)
        facts = path.stat()
        assert (facts.st_mode & 0o777, facts.st_mtime_ns) == (0o640, 10**18 + 1)
        assert os.getxattr(path, "user.colour") == b"red"
        info = session.file_info(path)
        assert (info.account_id, info.known, info.encrypted) == (session.enrolled_accounts()[0].account_id, "both", True)
        assert content(session, path, form) == PLAIN
    if form == "container":
        info_ = session.protection_info(path.read_bytes())
        assert (info_.epoch, info_.content_type) == (3, "data")
    assert [one.name for one in tmp_path.iterdir() if one.suffix == ".new"] == []


def test_files_without_a_former_key_stay(session: mam.Mam, tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(PLAIN)
    (tmp_path / "labelled").write_bytes(session.protect(EVE, PLAIN))
    (tmp_path / "foreign").write_bytes(b"MAM\x01" + bytes(200))
    made(session, tmp_path / "sealed", "sealed")
    session.file_export(tmp_path / "sealed", mam.SaveLocation.SHAREPOINT, tmp_path / "exported", location_account=ANN)
    session.rotate_keys(ANN)
    for name in ("plain", "labelled", "exported"):
        before = (tmp_path / name).read_bytes()
        assert not session.file_reprotect(tmp_path / name)
        assert (tmp_path / name).read_bytes() == before
    with pytest.raises(mam.DamagedError):
        session.file_reprotect(tmp_path / "foreign")
    with pytest.raises(mam.MamError):
        session.file_reprotect(tmp_path)
    with pytest.raises(mam.NotFoundError):
        session.file_reprotect(tmp_path / "missing")


@pytest.mark.parametrize("form", ["sealed", "container"])
def test_several_names_are_refused(session: mam.Mam, tmp_path: Path, form: str) -> None:
    path = made(session, tmp_path / "plan", form)
    os.link(path, tmp_path / "other")
    session.rotate_keys(ANN)
    with pytest.raises(mam.UnsupportedError):
        session.file_reprotect(path)
    assert content(session, path, form) == PLAIN


def test_an_open_file_is_busy(session: mam.Mam, tmp_path: Path) -> None:
    path = made(session, tmp_path / "plan", "sealed")
    session.rotate_keys(ANN)
    with session.open_file(path, "rb+"), pytest.raises(mam.BusyError):
        session.file_reprotect(path)
    assert session.file_reprotect(path)


@pytest.mark.parametrize("form", ["sealed", "container"])
def test_a_damaged_file_stays_as_it_is(session: mam.Mam, tmp_path: Path, form: str) -> None:
    path = made(session, tmp_path / "plan", form)
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    session.rotate_keys(ANN)
    with pytest.raises((mam.DamagedError, mam.AuthenticationError)):
        session.file_reprotect(path)
    assert path.read_bytes() == raw


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_database_moves_while_it_is_open(session: mam.Mam, tmp_path: Path, mode: str) -> None:
    path = tmp_path / "notes.db"
    session.register_sqlite_vfs(ANN, name="mam-reprotect")
    with contextlib.closing(sqlite3.connect(f"file:{path}?vfs=mam-reprotect", uri=True, isolation_level=None)) as database:
        database.execute(f"PRAGMA journal_mode={mode}")
        database.execute("CREATE TABLE notes(text)")
        database.executemany("INSERT INTO notes VALUES (?)", [("x" * 500,)] * 200)
        assert not session.file_reprotect(path)
        session.rotate_keys(ANN)
        database.execute("BEGIN IMMEDIATE")
        with pytest.raises(mam.BusyError):
            session.file_reprotect(path)
        database.execute("COMMIT")
        assert session.file_reprotect(path) and not session.file_reprotect(path)
        assert database.execute("PRAGMA mam_former_pages").fetchall() == [("0",)]
        assert database.execute("SELECT count(*), max(rowid) FROM notes").fetchall() == [(200, 200)]
