"""The identity that Python code acts for, in a context variable, so that it follows asyncio tasks and copied contexts.

libmam keeps an identity per thread, but many tasks share a thread. So nothing stays on a thread: the context's identity
is pushed for one C call that needs it, and popped before other code can run there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType

from ._call import C, check, take_json
from ._session import Session
from .enums import IdentityTask
from .errors import argument_error

# One variable for all sessions, keyed by session number: a context would keep a variable for ever.
_identities: ContextVar[Mapping[int, bytes | None]] = ContextVar("mam_identities")
_NONE: Mapping[int, bytes | None] = {}


class Carried:
    """A block in which the calling thread carries its context's identity. Check statuses inside it: leaving it is a call
    that clears the last error."""

    __slots__ = ("_handle", "_is_pushed", "_serial")

    def __init__(self, session: Session) -> None:
        self._handle, self._serial = session._handle, session._serial
        self._is_pushed = False

    def __enter__(self) -> None:
        identities = _identities.get(_NONE)
        if self._serial in identities:
            check(C.mam_push_thread_identity(self._handle, identities[self._serial]))
            self._is_pushed = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self._is_pushed:
            C.mam_pop_thread_identity(self._handle)


def file_identity(session: Session) -> str:
    """The identity of the calling code for files. Raises ArgumentError if none is set."""
    with Carried(session):
        found = take_json(C.mam_effective_identity, session._handle, IdentityTask.FILE, None)
    if not isinstance(found, str):
        raise argument_error("account", "account is needed, because no identity is set")
    return found


@contextmanager
def acting_as(session: Session, account: bytes | None) -> Iterator[None]:
    """A block in which the context's identity is `account`."""
    token = _identities.set({**_identities.get(_NONE), session._serial: account})
    try:
        yield
    finally:
        _identities.reset(token)


@contextmanager
def acting_as_the_thread(session: Session) -> Iterator[None]:
    """A block without a context identity, in which the thread's own identity in C counts."""
    others = {serial: name for serial, name in _identities.get(_NONE).items() if serial != session._serial}
    token = _identities.set(others)
    try:
        yield
    finally:
        _identities.reset(token)
