"""Waiting in C without delaying Ctrl-C."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable
from typing import Any

from . import _ffi
from ._call import C, check, number, own_text
from ._callback import CALLING
from ._session import Session
from .enums import Status

_CENTURY = 100 * 366 * 86400
# Milliseconds after which a waiting thread returns to Python. Python runs signal handlers between C calls of the main
# thread only; other threads check for an interrupt that came just before they began to wait in C.
_MAIN_SLICE, _SLICE = 100, 1000


def check_timeout(timeout: float | None) -> None:
    """Raise TypeError or ValueError for an invalid timeout."""
    if timeout is None:
        return
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError(f"timeout must be seconds or None, not {type(timeout).__name__}")
    if not timeout >= 0:  # also false for nan
        raise ValueError("timeout is None or 0 and more seconds")


def deadline_of(timeout: float | None) -> float | None:
    """The time at which the wait ends; None: never."""
    check_timeout(timeout)
    # An int may be too large for a float. Treat more than a century as for ever.
    return None if timeout is None or timeout > _CENTURY else time.monotonic() + timeout


def wait(call: Callable[[int], int], timeout: float | None, interrupts: Callable[[], int], before: int | None = None) -> int:
    """Call `call(milliseconds)` until it returns something other than `Status.TIMEOUT`, or the time is up.

    `interrupts` counts calls of Mam.interrupt: one between two slices must end this wait as well, and so must one since a
    loop counted `before`.
    """
    deadline = deadline_of(timeout)
    longest = _MAIN_SLICE if threading.current_thread() is threading.main_thread() else _SLICE
    if before is None:
        before = interrupts()
    while True:
        left = longest if deadline is None else max(0, math.ceil((deadline - time.monotonic()) * 1000))
        with CALLING:
            status = call(min(left, longest))
        if status != Status.TIMEOUT or (deadline is not None and left <= longest):
            return status
        if interrupts() != before:
            return Status.INTERRUPTED


def wait_for(session: Session, operation: int, timeout: float | None) -> Any:
    """An operation's result, as JSON."""
    out = _ffi.Text()
    reference = _ffi.byref(out)
    handle = session._handle
    operation = number(operation, "operation")
    check(wait(lambda ms: C.mam_wait(handle, operation, ms, reference), timeout, lambda: session._interrupts))
    return json.loads(own_text(out))
