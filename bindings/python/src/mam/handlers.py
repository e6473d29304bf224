"""Handlers: functions and coroutines that are called for questions and events."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

#: Where a handler's exception is told.
log = logging.getLogger("mam")


@dataclass(frozen=True)
class Handler:
    """A function with the loop that was running when it was registered; its coroutines run there."""

    function: Callable[[Any], Any]
    loop: asyncio.AbstractEventLoop | None

    def start(self, awaitable: Awaitable[Any], after: Callable[[Any], None]) -> None:
        """Run what the function returned on its loop, from any thread, and hand the result to `after` there: None
        when it raised or was cancelled. RuntimeError when there is no loop to run it on."""
        loop = self.loop
        try:
            if loop is None:
                raise RuntimeError(f"{name_of(self.function)} must be registered where its event loop is running")
            loop.call_soon_threadsafe(_start, loop, awaitable, after, name_of(self.function))
        except RuntimeError:
            if inspect.iscoroutine(awaitable):
                awaitable.close()  # or Python warns that nobody awaited it
            raise


def make_handler(function: Callable[[Any], Any]) -> Handler:
    """A handler for the loop of this moment. RuntimeError for a coroutine function without one."""
    if not callable(function):
        raise TypeError(f"a handler is a callable, not {type(function).__name__}")
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        loop = None
    if loop is None and (
        inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))
    ):
        raise RuntimeError(f"{name_of(function)} is a coroutine function: register it where its event loop is running")
    return Handler(function, loop)


def name_of(function: Callable[..., Any]) -> str:
    """How a log line calls it."""
    return getattr(function, "__qualname__", None) or type(function).__qualname__


# The loop itself holds its tasks weakly.
_running: set[asyncio.Task[None]] = set()


def _start(
    loop: asyncio.AbstractEventLoop, awaitable: Awaitable[Any], after: Callable[[Any], None], name: str
) -> None:
    task = loop.create_task(_run(awaitable, after, name))
    _running.add(task)
    task.add_done_callback(_running.discard)


async def _run(awaitable: Awaitable[Any], after: Callable[[Any], None], name: str) -> None:
    result: Any = None
    try:
        result = await awaitable
    except Exception:
        log.exception("%s raised", name)
    finally:
        after(result)
