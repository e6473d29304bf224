"""The identity that Python code acts for, in a context variable, so that it follows asyncio tasks and copied contexts.

libmam keeps an identity per thread, but many tasks share a thread. So nothing stays on a thread: the context's identity
is pushed for one C call that needs it, and popped before other code can run there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar, Token
from types import TracebackType
from typing import cast

from ._call import C, check, take_json, text
from ._session import Session
from .enums import IdentityTask
from .errors import ArgumentError, MamError, argument_error

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
    found = _identity_for_files(session)
    if found is None:
        raise _no_identity()
    return found


def storing_account(session: Session, account: str | bytes | None, *, in_directory_of: bytes | None = None) -> bytes | None:
    """The account argument of a call that stores data; None is the identity of the calling code.

    Raises ArgumentError if there is none and the app has several identities, or several accounts: the data would be nobody's,
    in the clear. A new file, `in_directory_of`, may instead have its directory's owner.
    """
    if account is not None:
        return text(account, "account")
    if _identity_for_files(session) is not None or not _has_several_identities(session):
        return None
    if in_directory_of is None or not _owner_of_directory(session, in_directory_of):
        raise _no_identity()
    return None


def _identity_for_files(session: Session) -> str | None:
    with Carried(session):
        found = take_json(C.mam_effective_identity, session._handle, IdentityTask.FILE, None)
    return found if isinstance(found, str) else None


def _has_several_identities(session: Session) -> bool:
    if any(one["key"] == "MultiIdentity" and one["value"] for one in take_json(C.mam_settings, session._handle)["settings"]):
        return True
    return len(take_json(C.mam_enrolled_accounts, session._handle)) > 1


def _owner_of_directory(session: Session, path: bytes) -> str | None:
    """The owner that a new file at a path inherits."""
    try:
        info = take_json(C.mam_file_info, session._handle, os.path.realpath(os.path.dirname(path)))
    except MamError:
        return None  # creating the file fails too, and says why
    return cast("str | None", info["accountId"])


def _no_identity() -> ArgumentError:
    return argument_error("account", "account is needed, because no identity is set")


@contextmanager
def acting_as(session: Session, account: bytes | None) -> Iterator[None]:
    """A block in which the context's identity is `account`."""
    token = _identities.set({**_identities.get(_NONE), session._serial: account})
    try:
        yield
    finally:
        _reset(token)


@contextmanager
def acting_as_the_thread(session: Session) -> Iterator[None]:
    """A block without a context identity, in which the thread's own identity in C counts."""
    others = {serial: name for serial, name in _identities.get(_NONE).items() if serial != session._serial}
    token = _identities.set(others)
    try:
        yield
    finally:
        _reset(token)


def _reset(token: Token[Mapping[int, bytes | None]]) -> None:
    # asyncio ends a forgotten asynchronous generator in a task of its own, whose context never had this identity.
    with suppress(ValueError):
        _identities.reset(token)
