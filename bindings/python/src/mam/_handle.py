"""What all handles have in common: they belong to one process, and somebody has to close them."""

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
    """Something of libmam's that is released once. A copy would release it a second time, and another process has no
    use for it: `copy`, `pickle` and multiprocessing's arguments are refused."""

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
        self._released = True  # so that __del__ of one that could not be made does nothing
        handle = self._type()
        check(make(_ffi.byref(handle)))
        self._handle = _ffi.as_argument(handle)
        # One of a session that nobody else holds must not find it closed.
        self._session = session
        self._released = False

    def close(self) -> None:
        """Release the handle; idempotent. Every other call on it raises ClosedError afterwards."""
        if not self._released:
            self._released = True
            self._release(self._handle)

    def __enter__(self: S) -> S:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if not self._released and sys is not None and not sys.is_finalizing():
            told = repr(self)
            self.close()
            if self._session._process == os.getpid():  # a forked child did not open it
                warn_unclosed(self, told)

    def __repr__(self) -> str:
        state = "closed" if self._released else "open"
        return f"<mam.{type(self).__name__} of session {self._session._serial}, {state}>"


def warn_unclosed(handle: Any, told: str) -> None:
    """Tell that the collector had to close it, as Python does for files; `told` is what it was before."""
    warnings.warn(f"unclosed {told}", ResourceWarning, stacklevel=2, source=handle)
