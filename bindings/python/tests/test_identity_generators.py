"""Asynchronous generators that act for an account, and are left before their end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import AsyncGenerator

import mam


def test_a_generator_that_is_left_inside_an_identity(enrolled: mam.Mam) -> None:
    """Without aclosing the identity stays with the task, as any context variable; ending the generator is no error."""
    problems: list[object] = []

    async def names() -> AsyncGenerator[int, None]:
        with enrolled.identity("eve@personal.example"):
            yield 1
            yield 2

    async def leave() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: problems.append(context))
        async for _ in names():
            break
        gc.collect()
        await asyncio.sleep(0.01)

    async def close() -> None:
        before = enrolled.effective_identity()
        async with contextlib.aclosing(names()) as closing:
            async for _ in closing:
                break
        assert enrolled.effective_identity() == before

    asyncio.run(leave())
    asyncio.run(close())
    assert problems == []
