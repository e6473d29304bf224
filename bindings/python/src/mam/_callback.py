"""Exceptions that must leave a callback although C cannot carry them: KeyboardInterrupt above all.

A delegate that runs inside a call of a Python thread may be interrupted. C returns as if nothing had happened, and the
interrupt is raised when that call ends.
"""

from __future__ import annotations

import threading
from types import TracebackType


class _Here(threading.local):
    depth = 0
    error: BaseException | None = None


_here = _Here()


class Calling:
    """A block with a C call that may call back: an exception that `hold` kept inside is raised at its end."""

    __slots__ = ()

    def __enter__(self) -> None:
        _here.depth += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        _here.depth -= 1
        if not _here.depth and _here.error is not None:
            held, _here.error = _here.error, None
            raise held


CALLING = Calling()


def hold(error: BaseException) -> bool:
    """Keep a callback's exception until the current call ends. Returns False if it is not for the caller: an Exception is
    the host's own mistake, and libmam's thread has no caller."""
    if isinstance(error, Exception) or not _here.depth:
        return False
    _here.error = error
    return True
