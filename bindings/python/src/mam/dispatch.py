"""Handlers of events, and the loops that call them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar, overload

from ._call import unknown_kind
from .events import Event, EventCalls, EventKind, QuestionEvent, kinds_of
from .handlers import Handler, log_exception, make_handler, name_of, running_loop
from .questions import QuestionCalls, answer_with

E = TypeVar("E", bound=Event)
F = TypeVar("F", bound=Callable[[Event], Any])
R = TypeVar("R")

_KINDS = [kind.value for kind in EventKind]


class DispatchCalls(EventCalls, QuestionCalls):
    """Decorators for events."""

    _on: tuple[tuple[frozenset[str], Handler], ...] = ()

    @overload
    def on(self, *kinds: str) -> Callable[[F], F]: ...
    @overload
    def on(self, *kinds: type[E]) -> Callable[[Callable[[E], R]], Callable[[E], R]]: ...
    def on(self, *kinds: str | type[Event]) -> Any:
        """Decorate a function or coroutine that is called with each event of these kinds or classes, as in
        on(mam.WipeCompletedEvent); without any, with every event.

        `serve`, `serve_async` or `dispatch` must read the events. A coroutine runs on the loop that was running when it
        was registered. Exceptions in it are logged by the logger "mam". Raises TypeError (a kind that is not a str, or an
        object that is not callable), ArgumentError (an unknown kind, with the nearest known one; handlers without kinds
        receive a newer libmam's kinds), RuntimeError (a coroutine function while no loop runs).
        """
        names: set[str] = set()
        for kind in kinds:
            if isinstance(kind, type) and issubclass(kind, Event):
                if kind is not Event and not kinds_of(kind):
                    raise TypeError(f"on takes mam's classes of events, not {kind.__name__}")
                names.update(kinds_of(kind))
            elif not isinstance(kind, str):
                raise TypeError(f"on takes kinds of events, as in on(mam.EventKind.WARNING), not {type(kind).__name__}")
            elif kind in _KINDS:
                names.add(str(kind))
            else:
                raise unknown_kind(kind, _KINDS, "event")
        if Event in kinds:
            names.clear()  # every event, a newer libmam's too

        def register(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
            handler = make_handler(function)
            with self._changing:
                self._on = (*self._on, (frozenset(names), handler))
            return function

        return register

    def off(self, function: Callable[[Any], Any]) -> None:
        """Remove a handler of events or questions; does nothing if it is not one."""
        with self._changing:
            self._on = tuple(one for one in self._on if one[1].function != function)
        asked = [kind for kind, one in self._slot().handlers.items() if one.function == function]
        if asked:
            self.set_handlers(dict.fromkeys(asked))

    def dispatch(self, event: Event) -> None:
        """Call the handlers of one event, in the order of their registration; coroutines are started, not awaited.

        A question's handler answers it; without a handler it stays open.
        """
        self._answer_with_handler(event)
        for handler in self._handlers_of(event):
            result = _call(handler, event)
            if inspect.isawaitable(result):
                try:
                    handler.start(result, _nothing)
                except RuntimeError:
                    log_exception("%s cannot run", name_of(handler.function))

    async def dispatch_async(self, event: Event) -> None:
        """The same, and coroutines of this loop are awaited, each before the next handler."""
        self._answer_with_handler(event)
        for handler in self._handlers_of(event):
            result = _call(handler, event)
            if not inspect.isawaitable(result):
                continue
            try:
                if handler.loop in (None, running_loop()):
                    await result
                else:
                    handler.start(result, _nothing)
            except Exception:
                log_exception("%s raised", name_of(handler.function))

    def serve(self, timeout: float | None = None) -> None:
        """Dispatch events as they come; ends, and raises, as a loop over `events` does."""
        for event in self.events(timeout):
            self.dispatch(event)

    async def serve_async(self, timeout: float | None = None) -> None:
        """The same as a task: it takes an event when the handlers of the previous one have ended."""
        async for event in self.events(timeout):
            await self.dispatch_async(event)

    def _answer_with_handler(self, event: Event) -> None:
        if isinstance(event, QuestionEvent):
            handler = self._slot().handlers.get(event.question.kind)
            if handler is not None:
                answer_with(handler, self._handle, event.question)

    def _handlers_of(self, event: Event) -> list[Handler]:
        return [handler for kinds, handler in self._on if not kinds or event.kind in kinds]


def _call(handler: Handler, event: Event) -> Any:
    try:
        return handler.function(event)
    except Exception:
        log_exception("%s raised", name_of(handler.function))


def _nothing(_result: Any) -> None:
    pass
