"""`Mam.connect_sqlite`: one call in place of a VFS, its name and a URI."""

from __future__ import annotations

import pickle
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import mam
import pytest
from conftest import ANN, BEN, POLICY, Office
from mam import sqlite

ENCRYPTED, PLAIN = b"MAM\x03", b"SQLi"


@pytest.fixture
def m(office: Office) -> Iterator[mam.Mam]:
    """Ann and Ben, whose data must be encrypted."""
    office.authority.import_policy({**POLICY, "id": office.policy.id, "appDataEncryptionType": "whenDeviceLocked"})
    with office.open(settings={"MultiIdentity": True, "MultiManagedIdentities": True}) as session:
        for upn in (ANN, BEN):
            assert session.register_and_enroll(upn).wait(30)
        yield session


def made(database: sqlite3.Connection) -> None:
    with database:
        database.execute("CREATE TABLE t (x)")
    database.close()


@pytest.mark.parametrize("name", ["notes.db", "a b?c=d#e%20.db", "\u00fc.db", b"\xff.db"])
def test_names_of_files(m: mam.Mam, tmp_path: Path, name: str | bytes) -> None:
    path = str(tmp_path).encode() + b"/" + name if isinstance(name, bytes) else tmp_path / name
    made(m.connect_sqlite(path, account=ANN))
    with open(path, "rb") as file:
        assert file.read(4) == ENCRYPTED
    if isinstance(name, str):
        assert m.file_info(path).account_id


def test_the_account_decides(m: mam.Mam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for account, kind in ((ANN, ENCRYPTED), (BEN, ENCRYPTED), ("", PLAIN)):
        made(m.connect_sqlite(f"{account}.db", account=account))
        assert Path(f"{account}.db").read_bytes()[:4] == kind
        with m.identity(account):
            made(m.connect_sqlite(f"{account}-too.db"))
        assert m.file_info(f"{account}-too.db") == m.file_info(f"{account}.db")
    with pytest.raises(mam.ArgumentError, match="account is needed"):
        m.connect_sqlite("none.db")
    with pytest.raises(sqlite3.DatabaseError):
        m.connect_sqlite(f"{ANN}.db", account=BEN).execute("SELECT * FROM t")
    assert not Path("none.db").exists()


def test_the_arguments_of_sqlite3(m: mam.Mam, tmp_path: Path) -> None:
    class Own(sqlite3.Connection):
        pass

    database: Own = m.connect_sqlite(tmp_path / "a.db", account=ANN, factory=Own, isolation_level=None, timeout=0.1)
    assert type(database) is Own and database.isolation_level is None
    database.execute("CREATE TABLE t (x)")
    uri = f"file:{quote(str(tmp_path / 'a.db'))}?mode=ro#part"
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        m.connect_sqlite(uri, account=ANN, uri=True).execute("INSERT INTO t VALUES (1)")
    with pytest.raises(ValueError, match="vfs"):
        m.connect_sqlite("file:a.db?vfs=unix", account=ANN, uri=True)
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        m.connect_sqlite(tmp_path / "none" / "a.db", account=ANN)
    with pytest.raises(ValueError, match="NUL"):
        m.connect_sqlite("a\0.db", account=ANN)


@pytest.mark.parametrize("name", [":memory:", ""])
def test_databases_without_a_file(m: mam.Mam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    database = m.connect_sqlite(name, account=ANN)
    database.execute("CREATE TABLE t AS SELECT 1")
    assert database.execute("SELECT * FROM t").fetchall() == [(1,)]
    assert sorted(tmp_path.iterdir()) == before


def test_two_sessions_have_names_of_their_own(m: mam.Mam, office: Office, tmp_path: Path) -> None:
    database = m.connect_sqlite(tmp_path / "a.db", account=ANN)
    database.execute("CREATE TABLE t (x)")
    with office.open() as other:
        assert other.connect_sqlite(tmp_path / "a.db", account=ANN).execute("SELECT * FROM t").fetchall() == []
    database.execute("INSERT INTO t VALUES (1)")


def test_a_wipe_removes_and_closes(m: mam.Mam, tmp_path: Path) -> None:
    database = m.connect_sqlite(tmp_path / "a.db", account=ANN)
    database.execute("CREATE TABLE t (x)")
    assert m.wipe_account(ANN).wait(30)
    assert not (tmp_path / "a.db").exists()
    with pytest.raises(sqlite3.OperationalError):
        database.execute("SELECT * FROM t")
    with pytest.raises(mam.NotEnrolledError):
        m.connect_sqlite(tmp_path / "b.db", account=ANN)


def test_a_refused_database_says_why(m: mam.Mam, tmp_path: Path) -> None:
    made(m.connect_sqlite(tmp_path / "a.db", account=ANN))
    assert m.deregister_and_unenroll(ANN, wipe=False).wait(30)
    m.connect_sqlite(tmp_path / "a.db", account=ANN).close()
    with pytest.raises(sqlite3.OperationalError, match=r"unable to open database file: .*no new database") as refused:
        m.connect_sqlite(tmp_path / "b.db", account=ANN)
    reason = refused.value.__cause__
    assert isinstance(reason, mam.NotEnrolledError) and reason.message_key == "errorAccountRemoved"
    assert getattr(refused.value, "user_message", None) == reason.user_message
    with pytest.raises(sqlite3.OperationalError, match=r"unable to open database file$"):
        m.connect_sqlite(tmp_path / "none" / "a.db", account=BEN)


#: Statements of a connection, with a cursor that was left in the middle.
STATEMENTS: dict[str, Callable[[Any, Any], Any]] = {
    "fetchall": lambda database, cursor: cursor.fetchall(),
    "next": lambda database, cursor: next(cursor),
    "execute": lambda database, cursor: database.execute("SELECT * FROM t"),
    "executemany": lambda database, cursor: database.executemany("INSERT INTO t VALUES (?)", [(1,)]),
    "a cursor": lambda database, cursor: database.cursor().execute("SELECT * FROM t"),
    "iterdump": lambda database, cursor: list(database.iterdump()),
}
if sys.version_info >= (3, 11):
    STATEMENTS["serialize"] = lambda database, cursor: database.serialize()
    STATEMENTS["blobopen"] = lambda database, cursor: database.blobopen("t", "x", 1)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_after_a_wipe_each_statement_says_why(m: mam.Mam, tmp_path: Path, statement: str) -> None:
    database = m.connect_sqlite(tmp_path / "a.db", account=ANN)
    database.execute("CREATE TABLE t (x)")
    with database:
        database.executemany("INSERT INTO t VALUES (?)", [(bytes(1000),)] * 100)
    cursor = database.execute("SELECT * FROM t")
    assert cursor.fetchone()
    assert m.wipe_account(ANN).wait(30)
    with pytest.raises(sqlite3.OperationalError) as refused:
        STATEMENTS[statement](database, cursor)
    assert isinstance(refused.value, mam.NotEnrolledError) and isinstance(refused.value, mam.AccountUnavailableError)
    assert "wiped" in str(refused.value) and "Something went wrong" not in refused.value.user_message


def test_while_it_is_wiped(m: mam.Mam, tmp_path: Path) -> None:
    """The account is managed still, and its data is not available."""
    made(m.connect_sqlite(tmp_path / "a.db", account=ANN))
    seen: list[Exception] = []

    @m.on_question(mam.WIPE_DATA)
    def ask(_: mam.WipeDataQuestion) -> bool:
        for name in ("a.db", "new.db"):
            try:
                m.connect_sqlite(tmp_path / name, account=ANN)
            except sqlite3.OperationalError as error:
                seen.append(error)
        return False

    assert m.wipe_account(ANN).wait(30)
    assert [type(error).__bases__ for error in seen] == [(mam.NotEnrolledError, sqlite3.OperationalError)] * 2


def test_a_write_after_unenrolling_says_why(m: mam.Mam, tmp_path: Path) -> None:
    made(m.connect_sqlite(tmp_path / "a.db", account=ANN))
    assert m.deregister_and_unenroll(ANN, wipe=False).wait(30)
    with pytest.raises(mam.NotEnrolledError, match=r"readonly database: .*unenrolled") as refused:
        m.connect_sqlite(tmp_path / "a.db", account=ANN).execute("INSERT INTO t VALUES (1)")
    assert isinstance(refused.value, sqlite3.OperationalError) and refused.value.message_key == "errorAccountRemoved"
    assert pickle.loads(pickle.dumps(refused.value)).user_message == refused.value.user_message


def test_a_closed_account_says_why(m: mam.Mam, office: Office, tmp_path: Path) -> None:
    made(m.connect_sqlite(tmp_path / "a.db", account=ANN))
    m.close()
    with office.open() as again:
        database = again.connect_sqlite(tmp_path / "a.db", account=ANN)
        assert again.launch().wait(30).outcome != "allowed"  # there is no PIN
        for call in (lambda: database.execute("SELECT * FROM t"), lambda: again.connect_sqlite(tmp_path / "a.db", account=ANN)):
            with pytest.raises(sqlite3.OperationalError) as refused:
                call()
            assert isinstance(refused.value, mam.LockedError) and isinstance(refused.value, mam.AccountUnavailableError)


def test_other_errors_of_sqlite_stay_as_they_are(m: mam.Mam, tmp_path: Path) -> None:
    database = m.connect_sqlite(tmp_path / "a.db", account=ANN)
    database.set_progress_handler(lambda: 1, 1)
    for statement in ("SELECT 1", "no SQL"):
        with pytest.raises(sqlite3.OperationalError) as refused:
            database.execute(statement).fetchall()
        assert type(refused.value) is sqlite3.OperationalError and refused.value.__cause__ is None


def test_another_sqlite(m: mam.Mam, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not know the name until libmam is its extension."""
    connect = sqlite3.connect
    extended: list[str] = []

    def other(path: str, uri: bool, factory: type[sqlite3.Connection]) -> sqlite3.Connection:
        if not extended:
            raise sqlite3.OperationalError("no such vfs: mam-py-1-1")
        return connect(path, uri=uri, factory=factory)

    monkeypatch.setattr(sqlite3, "connect", other)
    monkeypatch.setattr(sqlite, "_extend", lambda module: extended.append(module.__name__))
    made(m.connect_sqlite(tmp_path / "a.db", account=ANN))
    assert extended == ["sqlite3"]


def test_the_extension(m: mam.Mam) -> None:
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        sqlite._extend(sqlite3)
    else:
        with pytest.raises(mam.UnsupportedError, match="extension"):
            sqlite._extend(sqlite3)
