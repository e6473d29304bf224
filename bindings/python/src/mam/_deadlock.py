"""Waits that could not end: for the answer of a coroutine that the waiting thread or task would have to run itself."""

from __future__ import annotations

from ._session import Session
from .enums import Status
from .errors import DeadlockError
from .handlers import answered_by_this_task, running_loop

_CHECK_IN = frozenset({"accessToken", "signIn", "proxyCredentials", "wipeData"})
_LAUNCH = _CHECK_IN | {"deviceHealth", "pin", "authenticate"}
_SWITCH = _LAUNCH | {"blockAccount", "identitySwitch"}
#: The questions that an operation may ask before it ends, by the method that starts it.
ASKED: dict[str, frozenset[str]] = {
    "register_and_enroll": _CHECK_IN,
    "login_and_enroll": _CHECK_IN,
    "deregister_and_unenroll": frozenset({"wipeData", "proxyCredentials"}),
    "check_in": _CHECK_IN,
    "wipe_account": frozenset({"wipeData"}),
    "launch": _LAUNCH | {"addAccount"},
    "resume": _LAUNCH,
    "set_ui_identity": _SWITCH,
    "open_url": _SWITCH,
    "pin_reset": frozenset({"pin", "authenticate"}),
}
#: Other operations go on while a person answers these. For every other answer the worker waits, and all operations behind it.
PERSONAL = frozenset({"signIn", "pin", "authenticate", "proxyCredentials"})
#: No operation waits for the answers to these.
_UNAWAITED = frozenset({"restartApplication", "isExternalURL"})


def needs(method: str | None, kind: str, has_worker: bool) -> bool:
    """Whether an operation may have to wait for the answer to a kind of question; `method` None: an operation of any kind."""
    if kind in _UNAWAITED:
        return False
    return method is None or kind in ASKED[method] or (has_worker and kind not in PERSONAL)


def on_this_loop(session: Session, method: str | None) -> DeadlockError | None:
    """The error of a wait that blocks this thread while an answer may have to come from a coroutine of its event loop."""
    for kind in _of_this_loop(session):
        if needs(method, kind, session._has_worker):
            return _error(
                f"{method or 'the operation'} may need the answer of the handler of {kind}, a coroutine of the event loop of"
                " this thread, which would wait: await the operation instead"
            )
    return None


def of_this_loop(session: Session, kind: str, method: str) -> DeadlockError | None:
    """The error of a call that asks on its caller's thread, if the answer has to come from a coroutine of its event loop."""
    if kind not in _of_this_loop(session):
        return None
    return _error(
        f"{method} needs the answer of the handler of {kind}, a coroutine of the event loop of this thread, which would wait:"
        " make the handler a function, or call it in asyncio.to_thread"
    )


def in_this_task(session: Session, method: str | None) -> DeadlockError | None:
    """The error of a task that awaits an operation which may wait for the answer that this task is to give."""
    answered = answered_by_this_task()
    if answered is None or answered[0] is not session._handle or not needs(method, answered[1], session._has_worker):
        return None
    return _error(
        f"{method or 'the operation'} may need the answer to {answered[1]}, which the handler that awaits it is to give:"
        " return the answer first, or await the operation in another task"
    )


def unheard(session: Session, method: str | None) -> RuntimeError | None:
    """The error of an operation that failed because nobody could be asked: the handler's event loop had ended."""
    slot = session._kept_alive.get("delegate")
    if slot is None:
        return None
    for kind in PERSONAL & ASKED.get(method or "", PERSONAL):
        handler = slot.handlers.get(kind)
        if handler is not None and handler.failures:
            return RuntimeError(
                f"the handler of {kind} is a coroutine of an event loop that has ended ({handler.failures.pop()}): register it"
                " again in the loop that runs now"
            )
    return None


def _of_this_loop(session: Session) -> list[str]:
    """The kinds of question whose handlers are coroutines of the event loop that this thread runs."""
    slot = session._kept_alive.get("delegate")
    loop = running_loop()
    if slot is None or loop is None:
        return []
    return [kind for kind, one in slot.handlers.items() if one.loop is loop and one.is_coroutine]


def _error(message: str) -> DeadlockError:
    return DeadlockError(Status.DEADLOCK, "deadlock", message)
