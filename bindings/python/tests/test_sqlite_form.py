"""docs/sqlite.md suffices to read an encrypted database: with a reader that uses nothing of libmam."""

from __future__ import annotations

import hashlib
import importlib.util
import sqlite3
from pathlib import Path

import header
import pytest

VECTORS = header.PATH.parents[1] / "vectors"
SPEC = importlib.util.spec_from_file_location("sqlite_reader", VECTORS / "make" / "sqlite.py")
assert SPEC and SPEC.loader
reader = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(reader)


def test_a_reader_made_from_the_page_alone(tmp_path: Path) -> None:
    folder = VECTORS / "sqlite"
    keys = reader.read_keys(folder / "keys.txt")
    (tmp_path / "plain.db").write_bytes(reader.plain_database(folder / "notes.db", keys))
    database = sqlite3.connect(tmp_path / "plain.db")
    assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    rows = database.execute("SELECT * FROM notes ORDER BY id").fetchall()
    assert f"rows {hashlib.sha256(repr(rows).encode()).hexdigest()}" in (folder / "keys.txt").read_text()
    with pytest.raises(ValueError):
        reader.plain_database(folder / "notes.db", {epoch: bytes(32) for epoch in keys})
