"""Handlers: functions and coroutines that are called for questions and events."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ._records import dataclass

if TYPE_CHECKING:
    import asyncio


#: The handle of a session, and the kind of its question.
_Answered = tuple[object, str]


def log_exception(message: str, *arguments: object) -> None:
    """Log the current exception of a handler, by the logger "mam"."""
    import logging

    logging.getLogger("mam").exception(message, *arguments)


@dataclass(frozen=True)
class Handler:
    """A function with the loop that was running when it was registered; its coroutines run there."""

    function: Callable[[Any], Any]
    loop: asyncio.AbstractEventLoop | None
    is_coroutine: bool
    #: Why its coroutine could not run since somebody asked.
    failures: list[RuntimeError]

    def start(self, awaitable: Awaitable[Any], after: Callable[[Any], None], about: _Answered | None = None) -> None:
        """Run the function's awaitable on its loop, from any thread, and pass the result to `after` there: None if it
        raised or was cancelled. `about`: what it answers. Raises RuntimeError if there is no loop to run it on."""
        loop = self.loop
        try:
            if loop is None:
                raise RuntimeError(f"{name_of(self.function)} must be registered where its event loop is running")
            loop.call_soon_threadsafe(_start, loop, awaitable, after, name_of(self.function), about)
        except RuntimeError as error:
            if inspect.iscoroutine(awaitable):
                awaitable.close()  # or Python warns that it was never awaited
            self.failures[:] = [error]
            raise


def make_handler(function: Callable[[Any], Any]) -> Handler:
    """A handler for the running loop. Raises RuntimeError for a coroutine function without one."""
    if not callable(function):
        raise TypeError(f"a handler is a callable, not {type(function).__name__}")
    loop = running_loop()
    call = getattr(function, "__call__", None)  # noqa: B004
    is_coroutine = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)
    if loop is None and is_coroutine:
        raise RuntimeError(f"{name_of(function)} is a coroutine function: register it where its event loop is running")
    return Handler(function, loop, is_coroutine, [])


def running_loop() -> asyncio.AbstractEventLoop | None:
    """This thread's running loop. Loading asyncio takes longer than the rest of this package, and without it no loop runs."""
    if "asyncio" not in sys.modules:
        return None
    import asyncio

    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def name_of(function: Callable[..., Any]) -> str:
    """The function's name for log lines."""
    return getattr(function, "__qualname__", None) or type(function).__qualname__


# The tasks with what they answer. The loop holds its tasks only weakly.
_running: dict[asyncio.Task[None], _Answered | None] = {}


def answered_by_this_task() -> _Answered | None:
    """The session and the kind of the question that the current task answers; None for none."""
    if running_loop() is None:
        return None
    import asyncio

    task = asyncio.current_task()
    return None if task is None else _running.get(task)


def _start(
    loop: asyncio.AbstractEventLoop, awaitable: Awaitable[Any], after: Callable[[Any], None], name: str, about: _Answered | None
) -> None:
    task = loop.create_task(_run(awaitable, after, name))
    _running[task] = about
    task.add_done_callback(lambda ended: _running.pop(ended, None))


async def _run(awaitable: Awaitable[Any], after: Callable[[Any], None], name: str) -> None:
    result: Any = None
    try:
        result = await awaitable
    except Exception:
        log_exception("%s raised", name)
    finally:
        after(result)
