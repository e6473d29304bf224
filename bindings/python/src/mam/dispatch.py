"""Handlers of events, and the loops that call them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from ._call import unknown_kind
from .events import Event, EventCalls, EventKind
from .handlers import Handler, log, make_handler, name_of
from .questions import QuestionCalls, ask

F = TypeVar("F", bound=Callable[[Event], Any])

_KINDS = [kind.value for kind in EventKind]


class DispatchCalls(EventCalls, QuestionCalls):
    """Decorators for events, over section 3 of mam.h."""

    _on: tuple[tuple[frozenset[str], Handler], ...] = ()

    def on(self, *kinds: str) -> Callable[[F], F]:
        """Decorate a function or coroutine that is called with each `Event` of these kinds; without kinds, of all
        (mam_event_next).

        Something must read the events: `serve`, `serve_async` or `dispatch`. A coroutine runs on the loop that was
        running when it was registered. What it raises is logged by the logger "mam". Raises TypeError (a kind that is
        no str, or nothing to call), ArgumentError (a kind that nobody knows: the nearest is named; a newer libmam's reach
        handlers without kinds), RuntimeError (a coroutine function where no loop runs).
        """
        for kind in kinds:
            if not isinstance(kind, str):
                raise TypeError(f"on takes kinds of events, as in on(mam.EventKind.WARNING), not {type(kind).__name__}")
            if kind not in _KINDS:
                raise unknown_kind(kind, _KINDS, "event")

        def register(function: F) -> F:
            handler = make_handler(function)
            with self._changing:
                self._on = (*self._on, (frozenset(str(kind) for kind in kinds), handler))
            return function

        return register

    def off(self, function: Callable[[Any], Any]) -> None:
        """Take a handler of events or questions (mam_set_delegate) back; nothing happens where it is none."""
        with self._changing:
            self._on = tuple(one for one in self._on if one[1].function != function)
        asked = [kind for kind, one in self._slot().handlers.items() if one.function == function]
        if asked:
            self.set_handlers(dict.fromkeys(asked))

    def dispatch(self, event: Event) -> None:
        """Call the handlers of one event, in the order of their registration; coroutines are started, not awaited.

        A question is answered by its handler (mam_answer), and stays open where it has none.
        """
        self._answer_with_handler(event)
        for handler in self._handlers_of(event):
            result = _call(handler, event)
            if inspect.isawaitable(result):
                try:
                    handler.start(result, _nothing)
                except RuntimeError:
                    log.exception("%s cannot run", name_of(handler.function))

    async def dispatch_async(self, event: Event) -> None:
        """The same (mam_answer), and coroutines of this loop are awaited, each before the next handler."""
        self._answer_with_handler(event)
        for handler in self._handlers_of(event):
            result = _call(handler, event)
            if not inspect.isawaitable(result):
                continue
            try:
                if handler.loop in (None, asyncio.get_running_loop()):
                    await result
                else:
                    handler.start(result, _nothing)
            except Exception:
                log.exception("%s raised", name_of(handler.function))

    def serve(self, timeout: float | None = None) -> None:
        """Dispatch events as they come (mam_event_next); ends, and raises, as a loop over `events` does."""
        for event in self.events(timeout):
            self.dispatch(event)

    async def serve_async(self, timeout: float | None = None) -> None:
        """The same as a task (mam_event_next): an event is taken when the handlers of the one before have ended."""
        async for event in self.events(timeout):
            await self.dispatch_async(event)

    def _answer_with_handler(self, event: Event) -> None:
        question = event.question
        handler = None if question is None else self._slot().handlers.get(question.question)
        if question is not None and handler is not None:
            ask(handler, self._handle, question)

    def _handlers_of(self, event: Event) -> list[Handler]:
        return [handler for kinds, handler in self._on if not kinds or event.kind in kinds]


def _call(handler: Handler, event: Event) -> Any:
    try:
        return handler.function(event)
    except Exception:
        log.exception("%s raised", name_of(handler.function))


def _nothing(_result: Any) -> None:
    pass
