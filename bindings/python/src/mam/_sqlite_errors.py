"""Connections whose errors have libmam's reason as their cause."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Callable
from typing import Any, cast

from ._call import last_error

#: SQLite's words where its file system refuses something, which do not say why.
_WORDS = ("disk I/O error", "unable to open database file", "database disk image is malformed")
_OF_CURSORS = ("execute", "executemany", "executescript", "fetchone", "fetchmany", "fetchall")
_OF_CONNECTIONS = ("execute", "executemany", "executescript", "commit", "rollback", "backup", "__exit__")


def explain(error: sqlite3.Error) -> None:
    """Give an error of SQLite libmam's reason, in its words, as its cause, and its sentence for people as `user_message`."""
    reason = last_error() if str(error).startswith(_WORDS) and error.__cause__ is None else None
    if reason is not None:
        error.args = (f"{error}: {reason}",)
        error.__cause__ = reason
        cast("Any", error).user_message = reason.user_message


def _explained(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            return method(*arguments, **keywords)
        except sqlite3.Error as error:
            explain(error)
            raise

    return call


def _derived(base: type, methods: tuple[str, ...], **more: Any) -> Any:
    return type(base.__name__, (base,), {name: _explained(getattr(base, name)) for name in methods} | more)


_Cursor = _derived(sqlite3.Cursor, _OF_CURSORS)


def _cursor(self: sqlite3.Connection, factory: Any = _Cursor) -> Any:
    return sqlite3.Connection.cursor(self, factory)


#: The class of connections where none is given.
Connection = _derived(sqlite3.Connection, _OF_CONNECTIONS, cursor=_cursor)
