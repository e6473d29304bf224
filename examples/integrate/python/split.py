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
    """The account's own database, with the messages that the common one had. Each `with` is a transaction, and a kill between two
    repeats the rest: a message whose number is taken gets another, and only what is there is deleted here. No column is NULL, which
    IN would not find."""
    own_path = folder / "mail.db"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with session.policy(address) as policy:
        if own_path.exists() and policy.is_file_encryption_required:
            session.sqlite_encrypt(own_path, address)  # a policy may begin to require it; an encrypted one stays as it is
    own: sqlite3.Connection = session.connect_sqlite(own_path, account=address)
    columns = "(address TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (address, number))"
    own.execute(f"CREATE TABLE IF NOT EXISTS messages {columns}")
    session.file_protect(folder, address)  # with everything in it, and now: it would seal an empty database as a file
    own.execute("ATTACH ? AS common", [f"{Path(database).resolve().as_uri()}?vfs=unix&mode=rw"])
    own.execute("PRAGMA common.secure_delete = ON")
    with own:
        own.execute(
            "UPDATE common.messages SET number = number"
            " + max((SELECT max(number) FROM main.messages), (SELECT max(number) FROM common.messages))"
            " WHERE address = ? COLLATE NOCASE AND number IN (SELECT number FROM main.messages)"
            " AND (address, number, text) NOT IN main.messages",
            [address],
        )
    with own:
        own.execute("INSERT OR IGNORE INTO main.messages SELECT * FROM common.messages WHERE address = ? COLLATE NOCASE", [address])
    with own:
        own.execute("DELETE FROM common.messages WHERE (address, number, text) IN main.messages")
    own.execute("VACUUM common")
    own.execute("PRAGMA common.wal_checkpoint(TRUNCATE)")  # a WAL keeps former pages
    own.execute("DETACH common")
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
