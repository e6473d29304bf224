"""Encrypted SQLite databases: when they are encrypted, beside plain ones, damaged, and closed."""

from __future__ import annotations

import contextlib
import gc
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import mam
import pytest
from conftest import ANN, BEN, EVE, POLICY, Office, in_child
from sql_walk import MARKER, connect, seen_in_the_clear

ENCRYPTED, PLAIN = b"MAM\x03", b"SQLite format 3\0"


@pytest.fixture
def office(tmp_path: Path) -> Office:
    """Staff's data must be encrypted."""
    office = Office.make(tmp_path)
    (policy,) = office.authority.import_policy({**POLICY, "id": "sealed", "appDataEncryptionType": "whenDeviceLocked"}).policies
    office.authority.assign(policy.id, office.authority.groups()[0].id)
    office.authority.target(policy.id, "com.example.notes")
    return office


@pytest.fixture
def m(office: Office) -> Iterator[mam.Mam]:
    with office.open() as session:
        session.register_and_enroll(ANN).wait(30)
        session.register_sqlite_vfs(ANN)
        yield session


def fill(path: Path, name: str | None = "mam", rows: int = 200, mode: str = "delete") -> sqlite3.Connection:
    database = connect(path, name)
    database.execute(f"PRAGMA journal_mode={mode}")
    database.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT)")
    database.executemany("INSERT INTO t VALUES (?,?)", [(i, f"{MARKER} {i} " * 9) for i in range(rows)])
    return database


def name_of(error: sqlite3.DatabaseError) -> str:
    return str(getattr(error, "sqlite_errorname", ""))  # unknown to typeshed


def refusal(database: sqlite3.Connection, sql: str) -> str:
    with pytest.raises(sqlite3.DatabaseError) as caught:
        database.execute(sql).fetchall()
    return name_of(caught.value)


def test_new_databases_are_encrypted_and_readable(m: mam.Mam, tmp_path: Path) -> None:
    database = fill(tmp_path / "a.db")
    assert (tmp_path / "a.db").read_bytes()[:4] == ENCRYPTED
    assert database.execute("PRAGMA mam_encrypted").fetchall() == [("1",)]
    assert connect(tmp_path / "a.db").execute("SELECT count(*) FROM t").fetchall() == [(200,)]
    assert refusal(connect(tmp_path / "a.db", None), "SELECT * FROM t") == "SQLITE_NOTADB"
    assert seen_in_the_clear(tmp_path) == []


def test_databases_without_an_account_are_plain(m: mam.Mam, tmp_path: Path) -> None:
    m.register_sqlite_vfs("", "nobody")
    m.register_sqlite_vfs(EVE, "eve")
    for name in ("nobody", "eve"):
        fill(tmp_path / f"{name}.db", name).close()
        assert (tmp_path / f"{name}.db").read_bytes()[:16] == PLAIN


@pytest.mark.parametrize("lock", ["", "PRAGMA locking_mode=EXCLUSIVE"])
@pytest.mark.parametrize("mode", ["delete", "persist", "wal", "off", "memory"])
def test_a_plain_database_is_only_read(m: mam.Mam, tmp_path: Path, mode: str, lock: str) -> None:
    """Where the policy requires encryption. Afterwards it is encrypted, and written to."""
    gc.collect()  # a connection of a former test that ends in the middle would leave its own reason
    lines: list[str] = []
    m.set_log(lambda level, line: lines.append(line), mam.LogLevel.WARNING)
    fill(tmp_path / "a.db", None, mode=mode).close()
    before = (tmp_path / "a.db").read_bytes()
    database = m.connect_sqlite(tmp_path / "a.db", account=ANN)
    database.execute(f"PRAGMA journal_mode={mode}")
    database.execute(lock)
    assert database.execute("PRAGMA mam_encrypted").fetchall() == []
    assert any("a.db" in line and "sqlite_encrypt" in line for line in lines)
    for statement in (
        "INSERT INTO t VALUES (1000, 'more')",
        "CREATE TABLE more (a)",
        "DELETE FROM t",
        "VACUUM",
        "PRAGMA user_version=5",
    ):
        with pytest.raises(sqlite3.OperationalError) as caught:
            database.execute(statement)
            database.commit()
        assert name_of(caught.value) == "SQLITE_READONLY" and "sqlite_encrypt" in str(caught.value), statement
        assert isinstance(caught.value.__cause__, mam.UnsupportedError) and hasattr(caught.value, "user_message")
        database.rollback()
        assert database.execute("SELECT count(*) FROM t").fetchall() == [(200,)]
    database.execute("CREATE TEMP TABLE mine AS SELECT * FROM t")
    database.close()
    for uri in ("nolock=1", "immutable=1"):
        database = m.connect_sqlite(f"file:{tmp_path}/a.db?{uri}", account=ANN, uri=True)
        with contextlib.closing(database), pytest.raises(sqlite3.OperationalError, match=r"readonly|unable to open"), database:
            database.execute("INSERT INTO t VALUES (1000, 'more')")
    assert (tmp_path / "a.db").read_bytes() == before
    m.sqlite_encrypt(tmp_path / "a.db", ANN)
    with m.connect_sqlite(tmp_path / "a.db", account=ANN) as database:
        database.execute("INSERT INTO t VALUES (1000, 'more')")
    assert m.file_info(tmp_path / "a.db").account_id
    assert (tmp_path / "a.db").read_bytes()[:4] == ENCRYPTED


def test_a_plain_database_is_repaired(m: mam.Mam, tmp_path: Path) -> None:
    """A hot journal is rolled back, and a WAL moved into it: both were in the clear before."""
    fill(tmp_path / "a.db", None, rows=3).close()
    writer = connect(tmp_path / "a.db", None)
    writer.execute("PRAGMA cache_size=1")
    writer.execute("BEGIN")
    writer.executemany("INSERT INTO t VALUES (?,?)", [(i, MARKER * 90) for i in range(100, 400)])
    for suffix in ("", "-journal"):
        (tmp_path / f"copy.db{suffix}").write_bytes((tmp_path / f"a.db{suffix}").read_bytes())
    writer.close()
    fill(tmp_path / "b.db", None, rows=3, mode="wal")
    writer = connect(tmp_path / "b.db", None)
    writer.execute("INSERT INTO t VALUES (1000, 'in the WAL')")
    for suffix in ("", "-wal"):
        (tmp_path / f"logged.db{suffix}").write_bytes((tmp_path / f"b.db{suffix}").read_bytes())
    for name, rows in (("copy.db", 3), ("logged.db", 4)):
        database = m.connect_sqlite(tmp_path / name, account=ANN)
        assert database.execute("SELECT count(*) FROM t").fetchall() == [(rows,)], name
        database.close()


def test_a_personal_database_stays_plain_and_is_written(m: mam.Mam, tmp_path: Path) -> None:
    for account in ("", EVE):
        fill(tmp_path / "mine.db", None).close()
        with m.connect_sqlite(tmp_path / "mine.db", account=account) as database:
            database.execute("INSERT INTO t VALUES (1000, 'more')")
        (tmp_path / "mine.db").unlink()


def test_a_database_of_another_account_names_both(m: mam.Mam, tmp_path: Path) -> None:
    m.register_and_enroll(BEN).wait(30)
    fill(tmp_path / "a.db").close()
    with pytest.raises(sqlite3.DatabaseError) as caught:
        m.connect_sqlite(tmp_path / "a.db", account=BEN).execute("SELECT * FROM t")
    assert ANN in str(caught.value) and BEN in str(caught.value)
    assert isinstance(caught.value.__cause__, mam.KeyUnavailableError)
    assert caught.value.__cause__.message_key == "errorOtherAccount"


def test_another_account_cannot_open_it(m: mam.Mam, tmp_path: Path) -> None:
    m.register_and_enroll(BEN).wait(30)
    m.register_sqlite_vfs(BEN, "ben")
    fill(tmp_path / "a.db").close()
    assert refusal(connect(tmp_path / "a.db", "ben"), "SELECT * FROM t") == "SQLITE_IOERR_DATA"


def test_names_are_one_session_s(m: mam.Mam, office: Office) -> None:
    m.register_sqlite_vfs(ANN)
    with pytest.raises(mam.AlreadyError):
        m.register_sqlite_vfs(EVE)
    with pytest.raises(mam.AlreadyError):
        m.register_sqlite_vfs(ANN, "unix")
    with office.open() as other, pytest.raises(mam.AlreadyError):
        other.register_sqlite_vfs(ANN)
    for bad in ("", " a", "a ", "a\tb", "n" * 257):
        with pytest.raises(mam.ArgumentError):
            m.register_sqlite_vfs(ANN, bad)
    m.close()
    with office.open() as later:
        later.register_sqlite_vfs(ANN)


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_with_plain_and_protected_ones_attached(m: mam.Mam, tmp_path: Path, mode: str) -> None:
    fill(tmp_path / "plain.db", None, mode=mode).close()
    fill(tmp_path / "other.db", rows=3, mode=mode).close()
    database = fill(tmp_path / "main.db", mode=mode)
    database.execute(f"ATTACH 'file:{tmp_path}/plain.db?vfs=unix' AS plain")
    database.execute(f"ATTACH '{tmp_path}/other.db' AS other")
    database.execute(f"ATTACH '{tmp_path}/new.db' AS new")
    database.execute(f"ATTACH 'file:{tmp_path}/unix.db?vfs=unix' AS unix")
    database.execute("BEGIN")
    for name in ("new", "unix"):
        database.execute(f"CREATE TABLE {name}.t AS SELECT * FROM main.t")
    for name in ("main", "plain", "other"):
        database.execute(f"INSERT INTO {name}.t VALUES (5000, 'last')")
    database.execute("COMMIT")
    database.close()
    heads = {one.stem: one.read_bytes()[:4] for one in tmp_path.glob("*.db")}
    del heads["authority"]
    plain = PLAIN[:4]
    assert heads == {"plain": plain, "unix": plain, "other": ENCRYPTED, "main": ENCRYPTED, "new": ENCRYPTED}
    for name, rows in (("main", 201), ("other", 4), ("new", 200)):
        assert connect(tmp_path / f"{name}.db").execute("SELECT count(*) FROM t").fetchall() == [(rows,)]
    assert connect(tmp_path / "plain.db", None).execute("SELECT count(*) FROM t").fetchall() == [(201,)]


def test_copies_in_both_directions(m: mam.Mam, tmp_path: Path) -> None:
    database = fill(tmp_path / "a.db")
    database.execute(f"VACUUM INTO 'file:{tmp_path}/plain.db?vfs=unix'")
    plain = connect(tmp_path / "plain.db", None)
    plain.execute(f"VACUUM INTO 'file:{tmp_path}/again.db?vfs=mam'")
    for name, vfs in (("plain", None), ("again", "mam")):
        assert (
            connect(tmp_path / f"{name}.db", vfs).execute("SELECT * FROM t").fetchall()
            == database.execute("SELECT * FROM t").fetchall()
        )
    copy = connect(tmp_path / "copy.db")
    database.backup(copy)
    assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert [(tmp_path / f"{name}.db").read_bytes()[:4] for name in ("plain", "again", "copy")] == [PLAIN[:4], ENCRYPTED, ENCRYPTED]
    # Pages without room for their seals are refused, and leave nothing behind.
    other = connect(tmp_path / "refused.db")
    source = fill(tmp_path / "source.db", None)
    with pytest.raises(sqlite3.OperationalError):
        source.backup(other)
    other.close()
    assert MARKER.encode() not in (tmp_path / "refused.db").read_bytes()


def test_page_sizes(m: mam.Mam, tmp_path: Path) -> None:
    for size in (512, 1024, 8192, 65536):
        database = connect(tmp_path / f"{size}.db")
        database.execute(f"PRAGMA page_size={size}")
        database.execute("CREATE TABLE t AS SELECT 1")
        assert database.execute("PRAGMA page_size").fetchall() == [(size,)]
        assert refusal(database, "PRAGMA page_size=2048") == "SQLITE_ERROR"
        database.execute("VACUUM")
        assert connect(tmp_path / f"{size}.db").execute("PRAGMA page_size").fetchall() == [(size,)]


def test_damage_is_detected_and_not_returned(m: mam.Mam, tmp_path: Path) -> None:
    lines: list[str] = []
    m.set_log(lambda level, line: lines.append(line), mam.LogLevel.ERROR)
    fill(tmp_path / "whole.db").close()
    whole = (tmp_path / "whole.db").read_bytes()
    pages = len(whole) // 4096
    path = tmp_path / "bent.db"

    def opened_as(content: bytes) -> str:
        path.write_bytes(content)
        with pytest.raises(sqlite3.DatabaseError) as caught, contextlib.closing(connect(path)) as database:
            database.execute("SELECT * FROM t").fetchall()
        return name_of(caught.value)

    for at in (*range(24), 24, 100, 4000, 4063, 4064, 4076, 4092, 4095):
        damaged = bytearray(whole)
        damaged[at] ^= 1
        assert opened_as(bytes(damaged)) in ("SQLITE_NOTADB", "SQLITE_IOERR_DATA", "SQLITE_CORRUPT"), at
    for page in range(1, pages):
        damaged = bytearray(whole)
        damaged[page * 4096 + 77 * page % 4096] ^= 0x80
        assert opened_as(bytes(damaged)) == "SQLITE_IOERR_DATA"
        assert any(f"bent.db: page {page + 1} " in line for line in lines)
    swapped = whole[: 4096 * 2] + whole[4096 * 3 : 4096 * 4] + whole[4096 * 2 : 4096 * 3] + whole[4096 * 4 :]
    assert opened_as(swapped) == "SQLITE_IOERR_DATA"
    zeros = whole[: 4096 * 3] + bytes(4096) + whole[4096 * 4 :]
    assert opened_as(zeros) == "SQLITE_IOERR_DATA"
    fill(tmp_path / "other.db").close()
    foreign = whole[: 4096 * 3] + (tmp_path / "other.db").read_bytes()[4096 * 3 :]
    assert opened_as(foreign) == "SQLITE_IOERR_DATA"
    for cut in (4096, 8192, len(whole) - 4096, len(whole) - 1, len(whole) - 4000):
        assert opened_as(whole[:cut]) in ("SQLITE_CORRUPT", "SQLITE_IOERR_DATA", "SQLITE_IOERR_SHORT_READ"), cut


def test_a_damaged_log_ends_at_the_damage(m: mam.Mam, tmp_path: Path) -> None:
    database = fill(tmp_path / "a.db", mode="wal")
    (tmp_path / "copy").mkdir()
    head, whole = (tmp_path / "a.db").read_bytes(), (tmp_path / "a.db-wal").read_bytes()
    database.close()
    log = tmp_path / "copy" / "a.db-wal"
    for at in (0, 5, 20, 47, 48, 90, 110, 5000, len(whole) // 2, len(whole) - 3):
        (tmp_path / "copy" / "a.db").write_bytes(head)
        log.write_bytes(whole[:at] + bytes((whole[at] ^ 1,)) + whole[at + 1 :])
        (tmp_path / "copy" / "a.db-shm").unlink(missing_ok=True)
        damaged = connect(tmp_path / "copy" / "a.db")
        assert damaged.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        damaged.close()


def test_a_closed_account_is_closed_at_once(m: mam.Mam, office: Office, tmp_path: Path) -> None:
    databases = [fill(tmp_path / f"{mode}.db", mode=mode) for mode in ("delete", "wal")]
    assert in_child(lambda: refusal(databases[0], "SELECT * FROM t")) == "SQLITE_IOERR_AUTH"
    m.wipe_account(ANN).wait(30)
    for database in databases:
        assert refusal(database, "SELECT * FROM t") == "SQLITE_IOERR_AUTH"
    with pytest.raises(sqlite3.OperationalError):
        connect(tmp_path / "wal.db")
    m.close()
    for database in databases:
        assert refusal(database, "SELECT * FROM t") == "SQLITE_IOERR_AUTH"
        database.close()
    with pytest.raises(sqlite3.OperationalError, match="no such vfs"):
        connect(tmp_path / "wal.db")


def test_the_error_of_a_closed_account_s_connection_has_its_reason(m: mam.Mam, tmp_path: Path) -> None:
    databases = [m.connect_sqlite(tmp_path / "a.db", account=ANN) for _ in range(2)]
    assert type(databases[0]).__name__ == "Connection" and isinstance(databases[0], sqlite3.Connection)
    with databases[0]:
        databases[0].execute("CREATE TABLE t AS SELECT 1")
    # An error that is not libmam's has no cause.
    with pytest.raises(sqlite3.OperationalError, match="no such table") as wrong:
        databases[0].execute("SELECT * FROM missing")
    assert wrong.value.__cause__ is None
    databases[1].execute("BEGIN IMMEDIATE")
    databases[1].execute("INSERT INTO t VALUES (2)")
    m.wipe_account(ANN).wait(30)
    for attempt in (
        lambda: databases[0].execute("SELECT * FROM t"),
        lambda: databases[0].cursor().executescript("SELECT * FROM t"),
        lambda: databases[0].executemany("INSERT INTO t VALUES (?)", [(1,)]),
        databases[1].commit,
        lambda: m.connect_sqlite(tmp_path / "b.db", account=ANN),
    ):
        with pytest.raises((sqlite3.OperationalError, mam.MamError)) as raised:
            attempt()
        reason = raised.value if isinstance(raised.value, mam.MamError) else raised.value.__cause__
        assert isinstance(reason, mam.MamError) and reason.user_message
        assert str(reason) in str(raised.value)
    for database in databases:
        database.close()


def test_a_file_that_cannot_grow_loses_nothing(m: mam.Mam, tmp_path: Path) -> None:
    import resource

    database = fill(tmp_path / "a.db", rows=100)
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(tmp_path / "a.db") + 5000, former[1]))
    try:
        with pytest.raises(sqlite3.DatabaseError):
            database.executemany("INSERT INTO t VALUES (?,?)", [(i, MARKER * 50) for i in range(1000, 3000)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)
    if database.in_transaction:
        database.execute("ROLLBACK")
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert database.execute("SELECT count(*) FROM t WHERE id<1000").fetchall() == [(100,)]
    assert seen_in_the_clear(tmp_path) == []
