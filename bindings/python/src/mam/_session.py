"""The session's life: the handle, and closing it in every situation Python can produce."""

from __future__ import annotations

import atexit
import itertools
import json
import os
import sys
import threading
import weakref
from types import TracebackType
from typing import Any, TypeVar

from . import _ffi
from ._call import C, check, fail
from ._handle import Handle, warn_unclosed
from ._session_files import SessionFiles
from ._watch import Watches
from .enums import Status

S = TypeVar("S", bound="Session")

# Sessions to close at interpreter exit: see _close_all.
_open_sessions: weakref.WeakSet[Session] = weakref.WeakSet()
_serials = itertools.count(1)
_has_ended = False


class Session(Handle):
    """State that all parts of `Mam` share: the handle, its callbacks and its end."""

    def __init__(self, settings: bytes, *, worker: bool = True) -> None:
        self._closed = True  # so that __del__ does nothing after a failed open
        if worker and _has_ended:
            raise RuntimeError("the interpreter is ending: nothing would stop the worker of a session opened now")
        self._process = os.getpid()
        self._interrupts = 0
        self._serial = next(_serials)  # never reused
        self._has_worker = worker
        language = json.loads(settings).get("language")
        self._language: bytes | None = language.encode() if isinstance(language, str) else None  # of messages for people
        self._watches = Watches()
        self._files = SessionFiles()
        self._changing = threading.Lock()  # serializes changes of handlers; never held while one runs
        # C functions made from Python ones, which C may call until the session is closed; folders and names of file systems.
        self._kept_alive: dict[str, Any] = {}
        handle = _ffi.MamHandle()
        check(C.mam_open(settings, _ffi.byref(handle)))
        self._handle = handle
        self._closed = False
        _open_sessions.add(self)

    @property
    def closed(self) -> bool:
        """True after `close`."""
        return self._closed

    def interrupt(self) -> None:
        """Make every call that waits on this session now raise WaitInterruptedError; `events` loops end.

        Work in progress continues. Any thread and any signal handler may call it.
        """
        self._interrupts += 1
        check(C.mam_interrupt(self._handle))
        self._watches.wake()

    def close(self) -> None:
        """Close: flush and close its files, interrupt calls of other threads, wait for them, stop the worker, zero keys, free.
        Idempotent.

        Its policies raise ClosedError afterwards, its files ValueError. Raises what flushing a file raises, once everything is
        closed; DeadlockError from a delegate or log function, and the session then stays open. In a forked child it only frees
        memory: what the parent's files hold is the parent's to write.
        """
        if self._closed:
            return
        failure = None
        is_own = self._process == os.getpid()
        try:
            if is_own:
                failure = self._files.flush()
        finally:
            self._close_handle()
        if is_own:
            late = self._files.close()  # fails where flushing did, or where another thread has written since
            failure = failure or late
        if failure is not None:
            raise failure

    def _close_handle(self) -> None:
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

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        # Late in interpreter shutdown the modules are gone, and _close_all has already run.
        if self._closed or sys is None or sys.is_finalizing():
            return
        description = repr(self)
        self._closed = True
        status = C.mam_close(self._handle)
        if status == Status.DEADLOCK:
            # The collector ran inside a callback of this session, which closing would wait for. Close on another
            # thread; it holds the callbacks until then, and interpreter shutdown waits for it.
            threading.Thread(target=_close_later, args=(self._handle, self._kept_alive)).start()
        if status != Status.FORKED:
            warn_unclosed(self, description)

    def __repr__(self) -> str:
        return f"<mam.{type(self).__qualname__} {self._serial}, {'closed' if self._closed else 'open'}>"


def _close_later(handle: Any, callbacks: dict[str, Any]) -> None:
    C.mam_close(handle)
    callbacks.clear()


def _close_all() -> None:
    """Close all open sessions before interpreter shutdown.

    A libmam worker that called into Python later would be terminated in the middle of C code. atexit runs while callbacks
    still work, and closing waits until none is running any more.
    """
    global _has_ended
    _has_ended = True
    for session in list(_open_sessions):
        try:
            session.close()
        except Exception:
            sys.excepthook(*sys.exc_info())


atexit.register(_close_all)
