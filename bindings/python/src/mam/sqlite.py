"""SQLite databases of an account: section 10 of mam.h."""

from __future__ import annotations

import os

from ._call import C, check, text
from ._session import Session


class SQLiteCalls(Session):
    """Databases that are encrypted for an account, in whatever SQLite this process uses."""

    def register_sqlite_vfs(self, account: str | bytes, name: str = "mam") -> None:
        """Give SQLite a file system of this name, with which an account's databases are encrypted.

        It is for Python's own `sqlite3` where that uses the system's libsqlite3, as it does on Linux distributions:

            m.register_sqlite_vfs("ann@contoso.example")
            db = sqlite3.connect("file:notes.db?vfs=mam", uri=True)

        A module that carries an SQLite of its own (apsw, some builds of Python) loads `library_path()` as an extension
        first, entry point "mam_sqlite_extension_init". What is encrypted when, and what a closed account answers:
        docs/sqlite.md. Raises AlreadyError where SQLite has another file system of that name. Mirrors protectSqliteVFS:.
        """
        check(C.mam_sqlite_vfs_register(self._handle, text(name, "name"), text(account, "account")))

    def sqlite_encrypt(self, path: str | bytes | os.PathLike[str], account: str | bytes) -> None:
        """Encrypt a database in place for a managed account, whatever its policy requires.

        It is written anew beside itself and renamed over the old one; nobody may have it open. Nothing is done where it is
        encrypted. Raises BusyError (another connection has it open), FileMissingError, UnsupportedError (a sealed file, a
        container), NotManagedError, LockedError, NotEnrolledError, WaitInterruptedError. Mirrors encryptFile:forAccountId:.
        """
        check(C.mam_sqlite_encrypt(self._handle, _path(path), text(account, "account")))

    def sqlite_decrypt(self, path: str | bytes | os.PathLike[str], account: str | bytes) -> None:
        """Make an encrypted database of an account's plain again, in place. Nothing is done where it is plain. Raises as
        `sqlite_encrypt`. Mirrors decryptFile:."""
        check(C.mam_sqlite_decrypt(self._handle, _path(path), text(account, "account")))


def _path(path: str | bytes | os.PathLike[str]) -> bytes:
    return text(os.path.abspath(os.fsdecode(path)) if path else "", "path")
