"""Move the messages of a work account from a common database to one of its own.

Usage: split.py APP AUTHORITY STATE DATABASE ADDRESS FOLDER
"""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import mam


def split(session: mam.Mam, database: str, address: str, folder: Path) -> sqlite3.Connection:
    """The account's own database, with the messages that the common one had. They are committed there before they are deleted
    here, so that a kill in between repeats it."""
    own_path = folder / "mail.db"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with session.policy(address) as policy:
        if own_path.exists() and policy.is_file_encryption_required:
            session.sqlite_encrypt(own_path, address)  # a policy may begin to require it; an encrypted one stays as it is
    session.file_protect(folder, address)  # the account's, with everything in it: a wipe removes it
    own: sqlite3.Connection = session.connect_sqlite(own_path, account=address)
    own.execute("CREATE TABLE IF NOT EXISTS messages (number INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    with closing(sqlite3.connect(database)) as common:
        common.execute("PRAGMA secure_delete = ON")
        theirs = "FROM messages WHERE address = ? COLLATE NOCASE"
        messages = common.execute(f"SELECT number, text {theirs}", [address])
        with own:
            own.executemany("INSERT OR IGNORE INTO messages VALUES (?, ?)", messages)
        with common:
            common.execute(f"DELETE {theirs}", [address])
        common.execute("VACUUM")
    return own


def main(app: str, authority: str, state: str, database: str, address: str, folder: str) -> None:
    with (
        mam.open(app, authority, state_directory=state) as session,
        closing(split(session, database, address, Path(folder))) as own,
    ):
        for (text,) in own.execute("SELECT text FROM messages ORDER BY number"):
            print(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
