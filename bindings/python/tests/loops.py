"""Event loops to test on: asyncio's, and one that cannot watch descriptors."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class BlindLoop(asyncio.SelectorEventLoop):
    """A loop without add_reader for foreign descriptors, like Windows' proactor loop."""

    def add_reader(self, *_: Any) -> None:  # type: ignore[override]
        raise NotImplementedError


LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "reader": asyncio.SelectorEventLoop,
    "thread": BlindLoop,
}


def run(main: Coroutine[Any, Any, T], loop_class: Callable[[], asyncio.AbstractEventLoop] | None = None) -> T:
    """asyncio.run with a time limit, on a loop of the given class."""

    async def limited() -> T:
        return await asyncio.wait_for(main, 60)

    loop = (loop_class or asyncio.SelectorEventLoop)()
    try:
        return loop.run_until_complete(limited())
    finally:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def descriptors() -> set[str]:
    """The open descriptors of this process with their targets."""
    found: set[str] = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            found.add(f"{name}: {os.readlink(f'/proc/self/fd/{name}')}")
        except OSError:
            pass
    return found


#: Seconds after which a test gives up waiting; generous, for a busy computer.
SOON = 120.0


def wait_until(condition: Callable[[], bool], seconds: float = SOON) -> bool:
    """Whether the condition becomes true in time."""
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()
