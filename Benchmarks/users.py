"""users.py FOLDER ROUNDS: user.import of 10,000 users in two groups each, beside one transaction that writes the same rows
into a copy of the same empty authority with Python's sqlite3. Prints lines "row<TAB>ours<TAB>peer", in milliseconds."""

from __future__ import annotations

import shutil
import sqlite3
import sys
import time
from pathlib import Path

import mam

COUNT = 10_000
USERS = [
    {"upn": f"person{number}@contoso.example", "displayName": f"Person {number}", "groups": ["Staff", f"Team {number % 50}"]}
    for number in range(COUNT)
]
Rows = list[tuple[object, ...]]


def connect(path: Path) -> sqlite3.Connection:
    """As libmam opens an authority: each commit is durable, references are checked."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def rows(path: Path) -> dict[str, Rows]:
    connection = connect(path)
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
    found = {str(name): connection.execute(f"SELECT * FROM {name}").fetchall() for (name,) in tables.fetchall()}
    connection.close()
    return found


def write(path: Path, added: dict[str, Rows]) -> float:
    begin = time.perf_counter()
    connection = connect(path)
    connection.execute("BEGIN IMMEDIATE")
    for table, content in added.items():
        connection.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({','.join('?' * len(content[0]))})", content)
    connection.execute("COMMIT")
    took = time.perf_counter() - begin
    connection.close()
    return took


def main(folder: Path, rounds: int) -> None:
    for number in range(-1, rounds):  # one to warm up
        path, copy = folder / "users.db", folder / "copy.db"
        authority = mam.Authority.create(path)
        shutil.copy(path, copy)
        before = rows(path)
        begin = time.perf_counter()
        done = authority.import_users(USERS)
        took = time.perf_counter() - begin
        after = rows(path)
        if (done.added, len(after["users"]), len(after["members"])) != (COUNT, COUNT, 2 * COUNT):
            raise SystemExit(f"not everybody was imported: {done}")
        former = {table: set(content) for table, content in before.items()}
        added = {table: [row for row in after[table] if row not in former[table]] for table in after}
        peer = write(copy, {table: content for table, content in added.items() if content})
        if rows(copy) != after:
            raise SystemExit("the peer wrote other rows")
        if number >= 0:
            print("users", f"{took * 1e3:.3f}", f"{peer * 1e3:.3f}", sep="\t")
        for file in (path, Path(f"{path}.key"), copy):
            file.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
