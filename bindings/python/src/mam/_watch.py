"""Waiting in asyncio for a session's descriptor: no thread, and nothing is taken that a cancelled task could lose."""

from __future__ import annotations

import asyncio
import os
import select
import threading
from collections.abc import Callable


class _Watch:
    """One loop's reader of one descriptor: until it is readable, or no task waits any more."""

    def __init__(self, loop: asyncio.AbstractEventLoop, descriptor: int) -> None:
        self._loop = loop
        self.waiters: set[asyncio.Future[bool]] = set()
        self.is_over = False
        # Its own: a close by another thread frees libmam's number while the loop still listens to it.
        self._descriptor = os.dup(descriptor)
        self._stop: int | None = None
        try:
            loop.add_reader(self._descriptor, self.wake, True)
        except NotImplementedError:
            self._listen()

    def wake(self, readable: bool) -> None:
        """On the loop: all waiters look. Who finds nothing waits again, on a new watch where this one is over."""
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
            os.close(self._stop)  # the thread sees it, and closes what is its own

    def _listen(self) -> None:
        """A loop that cannot watch descriptors gets a thread that does."""
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
    """The watches of one session, one for each loop with waiting tasks."""

    def __init__(self) -> None:
        # Replaced whole under the lock, so that `wake` needs none: it may run in a signal handler.
        self._by_loop: dict[asyncio.AbstractEventLoop, _Watch] = {}
        self._lock = threading.Lock()

    async def readable(self, descriptor: int, stopped: Callable[[], bool], timeout: float | None) -> bool:
        """Wait until the descriptor is readable (True), or until `wake` or the timeout (False).

        `stopped` is asked once this task is known to `wake`: what happens before is seen by it, what happens after
        by `wake`.
        """
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[bool] = loop.create_future()
        watch = self._by_loop.get(loop)
        if watch is None or watch.is_over:
            try:
                watch = _Watch(loop, descriptor)
            except OSError:
                return False  # closed meanwhile: the next look tells
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
        """From any thread or signal handler: all waiters look."""
        for watch in self._by_loop.values():
            watch.wake_from_anywhere()


def _time_is_up(waiter: asyncio.Future[bool]) -> None:
    if not waiter.done():
        waiter.set_result(False)
