"""Connections whose errors have libmam's reason as their cause."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Callable
from typing import Any, cast

from . import errors
from ._call import last_error
from .errors import AccountUnavailableError, MamError

#: SQLite's words where its file system refuses something, which do not say why.
_OF_FILES = (
    "disk I/O error", "unable to open database", "database disk image is malformed", "attempt to write a readonly database",
)  # fmt: skip
#: Those of a connection whose account has left.
_OF_LEFT = ("interrupted", "attempt to write a readonly database", "unable to serialize")
_OF_CURSORS = ("execute", "executemany", "executescript", "fetchone", "fetchmany", "fetchall")
_OF_CONNECTIONS = ("commit", "rollback", "backup", "blobopen", "serialize", "__exit__")

#: The reason of a connection whose account has left, or None.
Left = Callable[[], "MamError | None"]


class LockedError(errors.LockedError, sqlite3.OperationalError):
    """The database's account is closed."""


class NotEnrolledError(errors.NotEnrolledError, sqlite3.OperationalError):
    """The database's account was wiped or unenrolled."""


class KeyUnavailableError(errors.KeyUnavailableError, sqlite3.OperationalError):
    """The database's key is not here."""


_CLASSES = {kind.__bases__[0]: kind for kind in (LockedError, NotEnrolledError, KeyUnavailableError)}


def of_sqlite(reason: MamError, error: sqlite3.Error | None = None) -> Exception:
    """The error to raise for libmam's reason: of its class and of SQLite's, where the account is not available."""
    kind = _CLASSES.get(type(reason))
    text = f"{error}: {reason}" if error is not None else str(reason)
    if kind is None:
        if error is None:
            return reason
        error.args = (text,)
        cast("Any", error).user_message = reason.user_message
        made: Any = error
    else:
        made = kind(reason.status, reason.name, text, reason.detail, reason.user_message, reason.message_key)
        for part in ("sqlite_errorcode", "sqlite_errorname"):  # from Python 3.11 on
            if hasattr(error, part):
                setattr(made, part, getattr(error, part))
    made.__cause__ = reason
    return cast("Exception", made)


def explained(error: sqlite3.Error, left: Left) -> Exception:
    """An error of SQLite with libmam's reason, in its words, as its cause, and its sentence for people as `user_message`."""
    if error.__cause__ is not None or isinstance(error, AccountUnavailableError):
        return error
    words = str(error)
    reason = last_error() if words.startswith(_OF_FILES) else None  # which the next call clears
    if words.startswith(_OF_LEFT):
        reason = left() or reason
    return error if reason is None else of_sqlite(reason, error)


def _explaining(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, *arguments: Any, **keywords: Any) -> Any:
        try:
            return method(self, *arguments, **keywords)
        except sqlite3.Error as error:
            shown = explained(error, getattr(self, "connection", self)._mam_left)
            # A traceback that is kept does not keep the statement, and with it the locks of a connection that was closed.
            del self, arguments, keywords
            raise shown from shown.__cause__

    return call


def _explained(base: type, methods: tuple[str, ...]) -> dict[str, Any]:
    return {name: _explaining(getattr(base, name)) for name in methods if hasattr(base, name)}


def _next(self: Any, following: Callable[[Any], Any] = sqlite3.Cursor.__next__) -> Any:
    # Each row passes here: as little as possible.
    try:
        return following(self)
    except sqlite3.Error as error:
        shown = explained(error, self.connection._mam_left)
        raise shown from shown.__cause__


_Cursor: Any = type("Cursor", (sqlite3.Cursor,), {**_explained(sqlite3.Cursor, _OF_CURSORS), "__next__": _next})


class _Executing:
    """The methods that make a cursor: sqlite3's own make one of its own class."""

    def cursor(self: Any, factory: Any = _Cursor) -> Any:
        return sqlite3.Connection.cursor(self, factory)

    def execute(self: Any, *arguments: Any) -> Any:
        return self.cursor().execute(*arguments)

    def executemany(self: Any, *arguments: Any) -> Any:
        return self.cursor().executemany(*arguments)

    def executescript(self: Any, *arguments: Any) -> Any:
        return self.cursor().executescript(*arguments)


#: The class of connections where none is given.
Connection: Any = type(
    "Connection",
    (_Executing, sqlite3.Connection),
    {**_explained(sqlite3.Connection, _OF_CONNECTIONS), "_mam_left": staticmethod(lambda: None)},
)
