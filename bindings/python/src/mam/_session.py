"""The session's life: the handle, closing in every situation Python can think of."""

from __future__ import annotations

import atexit
import itertools
import os
import sys
import threading
import weakref
from types import TracebackType
from typing import Any, TypeVar

from . import _ffi
from ._call import C, check, fail
from ._handle import Handle, warn_unclosed
from ._watch import Watches
from .enums import Status

S = TypeVar("S", bound="Session")

# Sessions that the interpreter's end must close: see _close_all.
_open_sessions: weakref.WeakSet[Session] = weakref.WeakSet()
_serials = itertools.count(1)
_has_ended = False


class Session(Handle):
    """What all parts of `Mam` share: the handle, its callbacks and its end."""

    def __init__(self, settings: bytes, *, worker: bool = True) -> None:
        self._closed = True  # so that __del__ of a session that failed to open does nothing
        if worker and _has_ended:
            raise RuntimeError("the interpreter is ending: nothing would stop the worker of a session opened now")
        self._process = os.getpid()
        self._interrupts = 0
        self._serial = next(_serials)  # never used twice
        self._has_worker = worker
        self._watches = Watches()
        self._changing = threading.Lock()  # of changing handlers, never held while one is called
        # C functions made of Python ones. They live until mam_close has returned: until then C may call them.
        self._callbacks: dict[str, Any] = {}
        handle = _ffi.MamHandle()
        check(C.mam_open(settings, _ffi.byref(handle)))
        self._handle = handle
        self._closed = False
        _open_sessions.add(self)

    @property
    def closed(self) -> bool:
        """True after `close` (mam_close)."""
        return self._closed

    def interrupt(self) -> None:
        """Make every call that waits on this session now raise WaitInterruptedError; `events` loops end.

        Work under way goes on. Any thread may call it; a signal handler too.
        """
        self._interrupts += 1
        check(C.mam_interrupt(self._handle))
        self._watches.wake()

    def close(self) -> None:
        """Close: interrupt calls of other threads, wait for them, stop the worker, zero keys, free. Idempotent.

        Its policies answer ClosedError afterwards. Raises DeadlockError from a delegate or log function, and the
        session stays open then. In a forked child it only frees memory.
        """
        if self._closed:
            return
        status = C.mam_close(self._handle)
        # CLOSED: another thread was faster. FORKED: the parent's session, whose memory is free now.
        if status not in (Status.OK, Status.CLOSED, Status.FORKED):
            fail(status)
        self._closed = True
        _open_sessions.discard(self)
        if status != Status.FORKED:
            self._watches.wake()

    def __enter__(self: S) -> S:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # Late in the interpreter's end the modules are gone, and _close_all was here before.
        if self._closed or sys is None or sys.is_finalizing():
            return
        told = repr(self)
        self._closed = True
        status = C.mam_close(self._handle)
        if status == Status.DEADLOCK:
            # The collector ran inside a callback of this very session, which mam_close would wait for. Another thread
            # can wait; it holds the callbacks until then, and the interpreter's end waits for it.
            threading.Thread(target=_close_later, args=(self._handle, self._callbacks)).start()
        if status != Status.FORKED:
            warn_unclosed(self, told)

    def __repr__(self) -> str:
        return f"<mam.{type(self).__qualname__} {self._serial}, {'closed' if self._closed else 'open'}>"


def _close_later(handle: Any, callbacks: dict[str, Any]) -> None:
    C.mam_close(handle)
    callbacks.clear()


def _close_all() -> None:
    """Close what is still open, before the interpreter goes away.

    A worker of libmam that calls into Python after that would be ended by it in the middle of C code. atexit runs
    while callbacks still work, and mam_close returns when none is running any more.
    """
    global _has_ended
    _has_ended = True
    for session in list(_open_sessions):
        try:
            session.close()
        except Exception:
            sys.excepthook(*sys.exc_info())


atexit.register(_close_all)
