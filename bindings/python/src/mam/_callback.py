"""Exceptions that must leave a callback although C cannot carry them: KeyboardInterrupt above all.

A delegate that runs inside a call of a Python thread may be interrupted. C returns as if nothing had happened, and the
interrupt is raised when that call ends.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any


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


class Slot:
    """The current receiver behind one C function, which lives as long as the session: C may call it until that is closed.

    kind     the type of the C function
    convert  the receiver's arguments, from those of C behind `user`
    """

    def __init__(self, kind: Any, convert: Callable[..., tuple[Any, ...]]) -> None:
        self.kind = kind
        self._convert = convert
        self._receiver: Callable[..., object] | None = None
        self._function = kind(self._call)

    def _call(self, _user: Any, *arguments: Any) -> None:
        # ctypes passes an exception raised here to sys.unraisablehook.
        receiver = self._receiver
        if receiver is None:
            return
        try:
            receiver(*self._convert(*arguments))
        except BaseException as error:
            if not hold(error):
                raise

    def set(self, receiver: Callable[..., object] | None, set_in_c: Callable[[Any], None]) -> None:
        """Replace the receiver. `set_in_c` passes a function to C, or NULL; if it raises, the former receiver stays."""
        if receiver is None:
            set_in_c(self.kind())
            self._receiver = None
            return
        before, self._receiver = self._receiver, receiver
        try:
            set_in_c(self._function)
        except BaseException:
            self._receiver = before
            raise
