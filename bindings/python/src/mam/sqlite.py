"""SQLite databases of an account."""

from __future__ import annotations

import contextlib
import itertools
import os
import weakref
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ._call import C, check, take_json, text
from ._context import file_identity
from ._session import Session
from .enums import Status
from .errors import AccountUnavailableError, MamError, NotEnrolledError, UnsupportedError
from .library import library_path

if TYPE_CHECKING:
    import sqlite3

    D = TypeVar("D", bound=sqlite3.Connection)

_ENTRY = "mam_sqlite_extension_init"


class SQLiteCalls(Session):
    """Databases that are encrypted for an account, in whatever SQLite this process uses."""

    @overload
    def connect_sqlite(
        self, path: str | bytes | os.PathLike[Any], *, account: str | bytes | None = None, factory: type[D], **keywords: Any
    ) -> D: ...
    @overload
    def connect_sqlite(
        self, path: str | bytes | os.PathLike[Any], *, account: str | bytes | None = None, **keywords: Any
    ) -> sqlite3.Connection: ...
    def connect_sqlite(
        self, path: str | bytes | os.PathLike[Any], *, account: str | bytes | None = None, uri: bool = False, **keywords: Any
    ) -> Any:
        """Connect to a database of an account, as `sqlite3.connect` does, with its arguments.

        A new database is the account's: a wipe removes it, and it is encrypted if the account's policy requires encryption.
        An existing one keeps its form; a plain one is only read where the policy requires encryption ("attempt to write a readonly
        database"), until `sqlite_encrypt` encrypts it. `account` None: the identity of the calling
        code (`identity`), by default the one enrolled account; personal data is opened with account="". With `uri` the path is a
        URI without "vfs". A database that is attached needs "?vfs=unix", or it is the account's too.

        While the account is closed, being wiped, or has left, this call, statements and cursors raise AccountUnavailableError
        (LockedError, NotEnrolledError or KeyUnavailableError), which is an sqlite3.OperationalError too: its message says why, and
        `user_message` is the sentence for people. Other errors of SQLite where libmam refuses have the sentence too, and libmam's
        error as their cause. SQLite's words alone: blob handles, and cursors and connections of a `factory` of your own.

        Raises ArgumentError (there is no identity), UnsupportedError (the module sqlite3 has an SQLite of its own, and cannot
        load libmam as an extension), and the exceptions of `sqlite3.connect`.
        """
        import sqlite3

        from ._sqlite_errors import of_sqlite

        owner = text(file_identity(self) if account is None else account, "account")
        try:
            target = _uri(path, self._vfs_of(owner), uri)
        except AccountUnavailableError as error:
            raise of_sqlite(error) from error
        left = partial(_left, weakref.ref(self), owner)
        try:
            return _connect(target, keywords, left)
        except sqlite3.OperationalError as error:
            if "no such vfs" not in str(error):
                raise
        _extend(sqlite3)
        return _connect(target, keywords, left)

    def _vfs_of(self, raw: bytes) -> str:
        """The VFS of an account in this session, which is registered once. Its name is the session's alone in this process."""
        with self._changing:
            names: dict[bytes, str] = self._kept_alive.setdefault("vfs", {})
            if raw in names:
                status = C.mam_sqlite_vfs_register(self._handle, names[raw].encode(), raw)
                if status != Status.ALREADY:  # else the account's name has become another one's since
                    check(status)
                    return names[raw]
            name = f"mam-py-{self._serial}-{next(self._kept_alive.setdefault('vfs serials', itertools.count(1)))}"
            check(C.mam_sqlite_vfs_register(self._handle, name.encode(), raw))
            names[raw] = name
        return name

    def register_sqlite_vfs(self, account: str | bytes, name: str = "mam") -> None:
        """Register an SQLite VFS of this name that encrypts an account's databases.

        `connect_sqlite` needs no name. This is for other modules, and for C code: one that uses the system's libsqlite3 opens
        "file:notes.db?vfs=mam"; one with an SQLite of its own, such as apsw, first loads `library_path()` as an extension,
        with the entry point that docs/sqlite.md names. That page describes which databases are encrypted and what a closed
        account's databases return. Raises AlreadyError if SQLite has another VFS of that name. Mirrors protectSqliteVFS:.
        """
        check(C.mam_sqlite_vfs_register(self._handle, text(name, "name"), text(account, "account")))

    def sqlite_encrypt(self, path: str | bytes | os.PathLike[str], account: str | bytes) -> None:
        """Encrypt a database in place for a managed account, whatever its policy requires.

        A new file is written beside it and renamed over the old one. Close other connections first: an idle one keeps the replaced
        file, and fails at its next change. Does nothing if it is already encrypted. Raises BusyError (another connection is in a
        transaction, or has a log open), KeyUnavailableError (it is encrypted, and no key
        of the account opens it), FileNotFoundError, UnsupportedError (a sealed file, a container), NotManagedError,
        LockedError, NotEnrolledError, WaitInterruptedError. Mirrors encryptFile:forAccountId:.
        """
        check(C.mam_sqlite_encrypt(self._handle, _path(path), text(account, "account")))

    def sqlite_decrypt(self, path: str | bytes | os.PathLike[str], account: str | bytes) -> None:
        """Decrypt an account's encrypted database in place. Does nothing if it is plain. Raises as `sqlite_encrypt`.
        Mirrors decryptFile:."""
        check(C.mam_sqlite_decrypt(self._handle, _path(path), text(account, "account")))


def _connect(uri: str, keywords: dict[str, Any], left: Callable[[], MamError | None]) -> Any:
    """Connect; errors, also those of the connection's statements, say why libmam refuses something."""
    import sqlite3

    from ._sqlite_errors import Connection, explained

    try:
        connection = sqlite3.connect(uri, uri=True, **{"factory": Connection, **keywords})
    except sqlite3.OperationalError as error:
        shown = explained(error, left)
        raise shown from shown.__cause__
    if isinstance(connection, Connection):
        connection._mam_left = left
    return connection


def _left(session: weakref.ref[SQLiteCalls], account: bytes) -> MamError | None:
    """The reason of a connection whose account has left: SQLite's own words then tell of an interruption, or of locks."""
    raw = None
    with contextlib.suppress(MamError):
        if (open_session := session()) is not None:
            raw = take_json(C.mam_former_account, open_session._handle, account)
    if raw is None:
        return None
    how = "wiped" if raw["end"] == "wiped" else "unenrolled"
    message = f"the account was {how} in this app"
    return NotEnrolledError(Status.NOT_ENROLLED, "notEnrolled", message, None, raw["userMessage"], raw["messageKey"])


def _path(path: str | bytes | os.PathLike[str]) -> bytes:
    return text(os.path.abspath(os.fsdecode(path)) if path else "", "path")


def _uri(path: str | bytes | os.PathLike[Any], vfs: str, is_uri: bool) -> str:
    """The URI that opens a database with a VFS."""
    from urllib.parse import quote

    if is_uri:
        given, mark, fragment = os.fsdecode(path).partition("#")
        if "vfs=" in given.partition("?")[2]:
            raise ValueError("the URI names a vfs: connect_sqlite has its own")
        return f"{given}{'&' if '?' in given else '?'}vfs={vfs}{mark}{fragment}"
    raw = os.fsencode(path)
    if b"\0" in raw:
        raise ValueError("path contains NUL")
    # These two are no files: a database in memory, and a temporary one.
    where = raw if raw in (b"", b":memory:") else os.path.abspath(raw)
    return f"file:{quote(where)}?vfs={vfs}"


def _extend(sqlite3: Any) -> None:
    """Make libmam an extension of an SQLite that is not the system's: it gets the VFSs of all sessions."""
    database = sqlite3.connect(":memory:")
    try:
        database.enable_load_extension(True)
        database.execute("SELECT load_extension(?, ?)", (library_path(), _ENTRY))
    except (AttributeError, sqlite3.Error) as error:
        reason = f"the module sqlite3 has an SQLite of its own, and cannot load libmam as an extension: {error}"
        raise UnsupportedError(Status.UNSUPPORTED, "unsupported", reason) from error
    finally:
        database.close()
