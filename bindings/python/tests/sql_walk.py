"""Random statements on an encrypted and on a plain database: every result must be the same."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

#: In every row; no file may contain it.
MARKER = "MARKER-IN-THE-CLEAR"


def connect(path: Path, name: str | None = "mam") -> sqlite3.Connection:
    uri = f"file:{path}" + (f"?vfs={name}" if name else "")
    return sqlite3.connect(uri, uri=True, isolation_level=None, timeout=20)


def seen_in_the_clear(folder: Path, *besides: Path) -> list[str]:
    """Files that contain the marker, including deleted ones that this process has open."""
    found = []
    files = [one for one in folder.rglob("*") if one.is_file()]
    files += [one for one in Path("/proc/self/fd").iterdir() if "etilqs" in str(one.resolve(strict=False))]
    for file in files:
        try:
            if file not in besides and MARKER.encode() in file.read_bytes():
                found.append(str(file))
        except FileNotFoundError:  # deleted meanwhile
            continue
    return found


class Walk:
    """A pair of databases, and a random walk over them, determined by a seed."""

    def __init__(self, folder: Path, seed: int, mode: str, page_size: int) -> None:
        self.random = random.Random(seed)
        self.what = f"seed {seed}, {mode}, pages of {page_size}"
        self.paths = (folder / "plain.db", folder / "encrypted.db")
        self.mode, self.page_size = mode, page_size
        self.tables: list[str] = []
        self.pair: list[sqlite3.Connection] = []
        self.reopen()

    def reopen(self) -> None:
        self.close()
        for path, name in zip(self.paths, (None, "mam"), strict=True):
            database = connect(path, name)
            database.execute(f"PRAGMA page_size={self.page_size}")
            database.execute(f"PRAGMA journal_mode={self.mode}")
            database.execute("PRAGMA cache_size=10")
            if name is None:  # so that a temporary file belongs to the encrypted one
                database.execute("PRAGMA temp_store=MEMORY")
            self.pair.append(database)
        assert self.both("PRAGMA journal_mode") == [(self.mode,)]

    def close(self) -> None:
        for database in self.pair:
            database.close()
        self.pair = []

    def both(self, sql: str, *values: object) -> object:
        results: list[object] = []
        for database in self.pair:
            try:
                results.append(database.execute(sql, values).fetchall())
            except sqlite3.Error as error:
                results.append(f"{type(error).__name__}: {error}")
        assert results[0] == results[1], (self.what, sql, values)
        self.tables = [name for (name,) in self.pair[0].execute("SELECT name FROM sqlite_master WHERE name LIKE 't_'")]
        return results[0]

    def blob(self) -> bytes:
        sizes = (0, 3, 20, 100, 400) if self.random.random() < 0.9 else (3000, 9000, 40000)
        return self.random.randbytes(self.random.choice(sizes))

    def step(self) -> None:
        pick, number = self.random.random(), self.random.randrange
        busy = self.pair[0].in_transaction
        if not self.tables or (pick < 0.01 and len(self.tables) < 6):
            table = f"t{number(9)}"
            self.both(f"CREATE TABLE {table}(id INTEGER PRIMARY KEY, k TEXT, n INTEGER, b BLOB)")
            self.both(f"CREATE INDEX IF NOT EXISTS i{table} ON {table}(k)")
            return
        table = self.random.choice(self.tables)
        key = MARKER + str(number(500))
        if pick < 0.015:
            self.both(f"DROP TABLE {table}")
        elif pick < 0.40:
            self.both(f"INSERT OR IGNORE INTO {table} VALUES (?,?,?,?)", number(3000), key, number(100), self.blob())
        elif pick < 0.44:
            self.both(f"INSERT INTO {table}(k,n,b) SELECT k,n+1,b FROM {table} WHERE n<? ORDER BY id LIMIT 60", number(20))
        elif pick < 0.58:
            self.both(f"UPDATE {table} SET b=?,k=? WHERE id BETWEEN ? AND ?", self.blob(), key, first := number(3000), first + 9)
        elif pick < 0.66:
            self.both(f"DELETE FROM {table} WHERE id%?=?", self.random.choice((3, 7, 50, 50)), number(3))
        elif pick < 0.76:
            self.both(f"SELECT id,k,n,length(b),substr(b,1,9) FROM {table} WHERE k>=? ORDER BY k,id LIMIT 20", key)
        elif pick < 0.80:
            self.both(f"SELECT k,count(*),sum(n),total(length(b)) FROM {table} GROUP BY k ORDER BY 2 DESC,k")
        elif pick < 0.86:
            self.both(self.random.choice(("COMMIT", "COMMIT", "ROLLBACK")) if busy else "BEGIN IMMEDIATE")
        elif pick < 0.91:
            self.both(self.random.choice(("SAVEPOINT a", "SAVEPOINT b", "RELEASE a", "ROLLBACK TO a", "ROLLBACK TO b")))
        elif pick < 0.92:
            self.both("CREATE TEMP TABLE IF NOT EXISTS kept AS SELECT k,b FROM " + table)
            self.both("SELECT count(*),max(k) FROM kept")
        elif pick < 0.93:
            self.both("DROP TABLE IF EXISTS kept")
        elif not busy and pick < 0.95:
            self.between()
        else:
            self.both(f"SELECT * FROM {table} WHERE id=?", number(3000))

    def between(self) -> None:
        """Statements that only run outside a transaction."""
        pick = self.random.randrange(6)
        if pick == 0:
            self.both("VACUUM")
        elif pick == 1:
            assert self.both("PRAGMA integrity_check") == [("ok",)], self.what
        elif pick == 2:
            self.reopen()
        elif pick == 3 and self.mode == "wal":
            for database in self.pair:  # the number of frames differs
                database.execute(f"PRAGMA wal_checkpoint({self.random.choice(('PASSIVE', 'RESTART', 'TRUNCATE'))})")
        elif pick == 3:
            self.mode = self.random.choice(("delete", "truncate", "persist"))
            self.both(f"PRAGMA journal_mode={self.mode}")
        elif pick == 4:
            self.both(f"PRAGMA cache_size={self.random.choice((5, 10, 2000))}")
        else:
            for database, path, name in zip(self.pair, self.paths, (None, "mam"), strict=True):
                copy = connect(path.with_suffix(".copy"), name)
                database.backup(copy, pages=self.random.choice((-1, 7)))
                assert copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)], self.what
                copy.close()
                path.with_suffix(".copy").unlink()

    def compare(self) -> None:
        """Compare the whole contents."""
        if self.pair[0].in_transaction:
            self.both("COMMIT")
        assert self.both("PRAGMA integrity_check") == [("ok",)], self.what
        for table in self.tables:
            self.both(f"SELECT * FROM {table} ORDER BY id")
