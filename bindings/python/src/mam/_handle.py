"""Common to all handles: a handle belongs to one process and must be closed once."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, SupportsIndex, TypeVar

from . import _ffi
from ._call import check

if TYPE_CHECKING:
    from ._session import Session

S = TypeVar("S", bound="SessionHandle")


class Handle:
    """A libmam object that is released once. A copy would release it a second time, and another process cannot use it:
    `copy`, `pickle` and multiprocessing's arguments are refused."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        name = f"mam.{type(self).__name__}"
        raise TypeError(f"{name} cannot be copied or pickled: it belongs to this process, and another opens its own")


class SessionHandle(Handle):
    """A handle that a session made: released by `close`, by `with`, else by the collector."""

    __slots__ = ("__weakref__", "_handle", "_released", "_session")

    _type: ClassVar[Any]
    _release: ClassVar[Any]

    def __init__(self, session: Session, make: Callable[[Any], int]) -> None:
        self._released = True  # so that __del__ does nothing after a failed construction
        handle = self._type()
        check(make(_ffi.byref(handle)))
        self._handle = _ffi.as_argument(handle)
        # Keep the session alive: it may have no other reference.
        self._session = session
        self._released = False

    def close(self) -> None:
        """Release the handle; idempotent. Every later call on it raises ClosedError."""
        if not self._released:
            self._released = True
            self._release(self._handle)

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if not self._released and sys is not None and not sys.is_finalizing():
            description = repr(self)
            self.close()
            if self._session._process == os.getpid():  # a forked child did not open it
                warn_unclosed(self, description)

    def __repr__(self) -> str:
        state = "closed" if self._released else "open"
        return f"<mam.{type(self).__name__} of session {self._session._serial}, {state}>"


def warn_unclosed(handle: Any, description: str) -> None:
    """Warn that the collector had to close it, as Python does for files; `description` is its repr from before."""
    warnings.warn(f"unclosed {description}", ResourceWarning, stacklevel=2, source=handle)
