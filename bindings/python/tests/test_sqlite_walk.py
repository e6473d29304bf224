"""Random statements and kills: an encrypted database behaves as a plain one, and no file ever shows its content.

MAM_STATEMENTS and MAM_KILLS set the numbers for a soak.
"""

from __future__ import annotations

import os
import random
import signal
import time
import traceback
from pathlib import Path

import mam
import pytest
from conftest import ANN, POLICY, Office
from sql_walk import MARKER, Walk, connect, seen_in_the_clear

STATEMENTS = int(os.environ.get("MAM_STATEMENTS", "1500"))
KILLS = int(os.environ.get("MAM_KILLS", "10"))
SEED = int(os.environ.get("MAM_SEED", "1"))


@pytest.fixture
def enrolled(office: Office) -> mam.Mam:
    """Ann's data must be encrypted."""
    policy = office.authority.import_policy({**POLICY, "id": "sealed", "appDataEncryptionType": "whenDeviceLocked"}).policies[0]
    office.authority.assign(policy.id, office.authority.groups()[0].id)
    office.authority.target(policy.id, "com.example.notes")
    return enroll(office)


def enroll(office: Office) -> mam.Mam:
    session = office.open(settings={"MultiManagedIdentities": True})
    session.register_and_enroll(ANN).wait(30)
    session.register_sqlite_vfs(ANN)
    return session


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_random_statements_give_equal_results(enrolled: mam.Mam, tmp_path: Path, mode: str) -> None:
    folder = tmp_path / "databases"
    folder.mkdir()
    turns = max(1, STATEMENTS // 1000)
    for turn in range(turns):
        for leftover in folder.iterdir():
            leftover.unlink()
        walk = Walk(folder, SEED + turn, mode, random.Random(turn).choice((512, 1024, 4096, 4096, 65536)))
        for step in range(STATEMENTS // turns):
            walk.step()
            if step % 50 == 0:
                plain = [one for one in folder.iterdir() if one.name.startswith("plain")]
                assert seen_in_the_clear(folder, *plain) == [], walk.what
        walk.compare()
        walk.close()
    enrolled.close()


def write_until_killed(office: Office, path: Path, mode: str, out: int, seed: int) -> None:
    """Rows of a child, each reported to the parent once it is committed."""
    with enroll(office):
        database = connect(path)
        database.execute(f"PRAGMA journal_mode={mode}")
        database.execute("PRAGMA cache_size=10")
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute("CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, text TEXT, filler BLOB)")
        pick = random.Random(seed)
        (last,) = database.execute("SELECT coalesce(max(id), 0) FROM t").fetchone()
        for number in range(last + 1, last + 100_000):
            database.execute("BEGIN")
            database.execute(
                "INSERT INTO t VALUES (?,?,?)", (number, MARKER + str(number), pick.randbytes(pick.choice((10, 9000))))
            )
            database.execute("UPDATE t SET filler=? WHERE id%17=?", (pick.randbytes(300), pick.randrange(17)))
            database.execute("COMMIT")
            os.write(out, number.to_bytes(8, "big"))


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_a_kill_loses_no_committed_row(enrolled: mam.Mam, office: Office, tmp_path: Path, mode: str) -> None:
    path, committed, pick = tmp_path / f"{mode}.db", 0, random.Random(SEED)
    for kill in range(KILLS // 2):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.close(read)
                write_until_killed(office, path, mode, write, SEED + kill)
            except BaseException:
                traceback.print_exc()
            os._exit(1)
        os.close(write)
        with os.fdopen(read, "rb") as source:
            committed = max(committed, int.from_bytes(source.read(8), "big"))
            time.sleep(pick.random() * 0.2)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            rows = source.read()
        committed = max([committed, *(int.from_bytes(rows[at : at + 8], "big") for at in range(0, len(rows) - 7, 8))])
        assert seen_in_the_clear(tmp_path) == []
        database = connect(path)
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)], f"after kill {kill}"
        rows_there = [number for (number,) in database.execute("SELECT id FROM t ORDER BY id")]
        assert rows_there[:committed] == list(range(1, committed + 1)), f"after kill {kill}"
        assert len(rows_there) <= committed + 1
        database.close()
    enrolled.close()
