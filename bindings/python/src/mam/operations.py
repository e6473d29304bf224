"""Operations: asynchronous work, and the ways to wait for its end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Mapping
from typing import Any, Generic, TypeVar

from . import _ffi
from ._call import C, fail, number, own_text
from ._callback import CALLING
from ._deadlock import in_this_task, on_this_loop, unheard
from ._handle import Handle
from ._session import Session
from ._waiting import check_timeout, deadline_of, wait_for
from .enums import Status
from .errors import TimeoutError

R = TypeVar("R")

# How long a task sleeps between two polls: short at first, for work that ends at once, then doubling up to the longest.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.05


class Operation(Handle, Generic[R]):
    """Asynchronous work. Any thread or task may wait for it, as often as it likes; `await` works too, and so do
    `asyncio.gather` and `asyncio.ensure_future`. `asyncio.create_task` and `TaskGroup.create_task` take its `wait_async()`:
    it is no coroutine. It has no truth value, but its result has."""

    __slots__ = ("_method", "_read", "_session", "number")

    def __init__(self, session: Session, number: int, read: Callable[[Mapping[str, Any]], R], method: str | None = None) -> None:
        self._session = session
        self._read = read
        self._method = method
        #: libmam's number of the operation, for `Mam.wait`.
        self.number = number

    def wait(self, timeout: float | None = None) -> R:
        """Wait at most `timeout` seconds (None: for ever); see `Mam.wait`.

        Raises DeadlockError at once in an event loop, where the operation may need the answer of a handler that is a
        coroutine of this loop, unless it has ended: await it there. Raises RuntimeError where it failed because the handler
        that asks a person is a coroutine of a loop that has ended.
        """
        check_timeout(timeout)
        error = None if timeout == 0 else on_this_loop(self._session, self._method)
        if error is None:
            return self._result(wait_for(self._session, self.number, timeout))
        try:
            return self._result(wait_for(self._session, self.number, 0))
        except TimeoutError:
            raise error from None

    async def wait_async(self, timeout: float | None = None) -> R:
        """The same for a task, which may be cancelled at any time: the work goes on, and can be waited for again.

        It takes no thread: the loop polls, and is at most 50 ms late. Without a worker the work is done here, on the
        loop's thread. Raises DeadlockError in a handler whose own answer the operation may need.
        """
        import asyncio

        session, before = self._session, self._session._interrupts
        deadline, operation = deadline_of(timeout), number(self.number, "operation")
        pause, error = _FIRST_PAUSE, None if timeout == 0 else in_this_task(session, self._method)
        while True:
            was_interrupted = session._interrupts != before  # read first: work that ended before is still reported
            out = _ffi.Text()
            with CALLING:
                status = C.mam_wait(session._handle, operation, 0, _ffi.byref(out))
            if not status:
                return self._result(json.loads(own_text(out)))
            if status != Status.TIMEOUT:
                fail(status)
            left = _LONGEST_PAUSE if deadline is None else deadline - time.monotonic()
            if was_interrupted:
                fail(Status.INTERRUPTED)
            if error is not None:
                raise error
            if left <= 0:
                fail(status)
            await asyncio.sleep(min(pause, left))
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _result(self, raw: Any) -> R:
        """The result; if it is a failure because a person could not be asked, this is raised, once."""
        result = self._read(raw)
        error = unheard(self._session, self._method)
        if error is not None and not result:
            raise error
        return result

    def __await__(self) -> Generator[Any, None, R]:
        return self.wait_async().__await__()

    def __bool__(self) -> bool:
        raise TypeError("an operation has no truth value: wait for how it ends, with wait() or await")

    def __repr__(self) -> str:
        return f"<mam.Operation {self.number}>"
