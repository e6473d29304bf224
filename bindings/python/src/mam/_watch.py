"""Waiting in asyncio for a session's descriptor: no thread, and a cancelled task loses no event."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio


class _Watch:
    """One event loop's reader of one descriptor, until it is readable or no task waits any more."""

    def __init__(self, loop: asyncio.AbstractEventLoop, descriptor: int) -> None:
        self._loop = loop
        self.waiters: set[asyncio.Future[bool]] = set()
        self.is_over = False
        # A duplicate: a close by another thread frees libmam's descriptor number while the loop still listens to it.
        self._descriptor = os.dup(descriptor)
        self._stop: int | None = None
        try:
            loop.add_reader(self._descriptor, self.wake, True)
        except NotImplementedError:
            self._listen()

    def wake(self, readable: bool) -> None:
        """On the loop: wake all waiters. One that finds nothing waits again, on a new watch if this one has ended."""
        if readable:
            self.close()
        for waiter in self.waiters:
            if not waiter.done():
                waiter.set_result(readable)

    def wake_from_anywhere(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self.wake, False)
        except RuntimeError:
            pass  # the loop is closed, and so nobody waits on it

    def close(self) -> None:
        """On the loop."""
        if self.is_over:
            return
        self.is_over = True
        if self._stop is None:
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
        else:
            os.close(self._stop)  # the thread sees it, and closes its own descriptors

    def _listen(self) -> None:
        """Start a thread for a loop that cannot watch descriptors."""
        end, self._stop = os.pipe()
        threading.Thread(target=self._poll, args=(self._descriptor, end), daemon=True, name="mam-events").start()

    def _poll(self, descriptor: int, end: int) -> None:
        try:
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            poll.register(end, select.POLLIN)
            if all(ready != end for ready, _ in poll.poll()):
                self._loop.call_soon_threadsafe(self.wake, True)
        except RuntimeError:
            pass  # the loop was closed under its tasks
        finally:
            os.close(descriptor)
            os.close(end)


class Watches:
    """The watches of one session, one per loop with waiting tasks."""

    def __init__(self) -> None:
        # Replaced as a whole under the lock, so that `wake`, which may run in a signal handler, needs no lock.
        self._by_loop: dict[asyncio.AbstractEventLoop, _Watch] = {}
        self._lock = threading.Lock()

    async def readable(self, descriptor: int, stopped: Callable[[], bool], timeout: float | None) -> bool:
        """Wait until the descriptor is readable (True), or until `wake` or the timeout (False).

        `stopped` is called once `wake` knows this task: it catches earlier events, `wake` catches later ones.
        """
        import asyncio

        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[bool] = loop.create_future()
        watch = self._by_loop.get(loop)
        if watch is None or watch.is_over:
            try:
                watch = _Watch(loop, descriptor)
            except OSError:
                return False  # closed meanwhile: the next call reports it
            self._replace(loop, watch)
        watch.waiters.add(waiter)
        timer = None if timeout is None else loop.call_later(timeout, _time_is_up, waiter)
        try:
            return False if stopped() else await waiter
        finally:
            if timer is not None:
                timer.cancel()
            watch.waiters.discard(waiter)
            if not watch.waiters:
                watch.close()
                if self._by_loop.get(loop) is watch:
                    self._replace(loop, None)

    def _replace(self, loop: asyncio.AbstractEventLoop, watch: _Watch | None) -> None:
        with self._lock:
            others = {one: its for one, its in self._by_loop.items() if one is not loop}
            self._by_loop = others if watch is None else {**others, loop: watch}

    def wake(self) -> None:
        """Wake all waiters, from any thread or signal handler."""
        for watch in self._by_loop.values():
            watch.wake_from_anywhere()


def _time_is_up(waiter: asyncio.Future[bool]) -> None:
    if not waiter.done():
        waiter.set_result(False)
