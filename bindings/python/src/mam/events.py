"""Events of a session, read one after the other."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from . import _ffi
from ._call import C, check, fail, own_text
from ._callback import CALLING
from ._handle import Handle
from ._records import build, converted, dataclass, many, moment, one
from ._session import Session
from ._waiting import check_timeout, deadline_of, wait
from .enrollment import EnrollmentStatus, status_of
from .enums import Name, Status, WipeReason, WipeStep
from .errors import ClosedError
from .owners import FileLeft, WipedFiles
from .question_types import Question, block_reason, question_of

# How often a task of a session without a worker checks for changes by other processes, in seconds.
_POLL_INTERVAL = 0.1


class EventKind(Name):
    """The events of this release; compare with `Event.kind`, which may also name a newer event.

    ENROLLMENT_REQUEST, POLICY_REQUEST, UNENROLL_REQUEST
                             an enrollment, check-in or unenrollment ended (`RequestEvent`)
    POLICY_CHANGED           an account's policy changed; held `Policy` handles follow it
    APP_CONFIG_CHANGED       an account's app configuration changed: request a new `AppConfig`
    DATA_PROTECTION_CHANGED  whether an account's data is sealed changed
    ACCOUNT_BLOCKED          an account must be hidden, or no longer has to be (`AccountBlockedEvent`)
    ACCOUNT_CHANGED          an account's UPN changed (`AccountChangedEvent`)
    ALLOWED_ACCOUNTS_CHANGED the accounts that may sign in changed (`AllowedAccountsEvent`)
    MDM_ACCOUNT_CHANGED      the device's account changed (`MDMAccountEvent`)
    WIPE_PROGRESS            a wipe completed a step (`WipeProgressEvent`)
    WIPE_COMPLETED           a wipe ended (`WipeCompletedEvent`)
    QUESTION                 a question for `Mam.answer`, in sessions opened with questions="events" (`QuestionEvent`)
    WARNING                  a message for a person (`WarningEvent`)
    EVENTS_LOST              events were dropped because they were not read (`EventsLostEvent`)
    """

    ENROLLMENT_REQUEST = "enrollmentRequest"
    POLICY_REQUEST = "policyRequest"
    UNENROLL_REQUEST = "unenrollRequest"
    POLICY_CHANGED = "policyDidChange"
    APP_CONFIG_CHANGED = "appConfigDidChange"
    DATA_PROTECTION_CHANGED = "dataProtectionDidChange"
    ACCOUNT_BLOCKED = "accountBlocked"
    ALLOWED_ACCOUNTS_CHANGED = "allowedAccountsDidChange"
    MDM_ACCOUNT_CHANGED = "mdmAccountDidChange"
    ACCOUNT_CHANGED = "accountDidChange"
    WIPE_PROGRESS = "wipeProgress"
    WIPE_COMPLETED = "wipeDidComplete"
    QUESTION = "question"
    WARNING = "warning"
    EVENTS_LOST = "eventsLost"


@dataclass(frozen=True)
class Event:
    """An event: this class itself if its kind has no fields of its own, or is one of a newer libmam; see `raw` then.

    kind          an `EventKind` if this binding knows it
    account_id    the account that it is about
    upn           that account's UPN, if known
    user_message  one sentence or two for the person who uses the host
    message_key   its stable name
    raw           the whole JSON object
    """

    kind: EventKind | str = converted(EventKind.of, key="event", default="")
    time: datetime | None = converted(moment)
    account_id: str | None = None
    upn: str | None = None
    user_message: str | None = None
    message_key: str | None = None
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True)
class RequestEvent(Event):
    """An enrollment, check-in or unenrollment ended."""

    status: EnrollmentStatus = converted(status_of, default=EnrollmentStatus(None, None))


@dataclass(frozen=True)
class AccountBlockedEvent(Event):
    """An account must be hidden, or with `BlockReason.NONE` no longer has to be."""

    reason: int = converted(block_reason, key="blockReason", default=0)


@dataclass(frozen=True)
class AccountChangedEvent(Event):
    """An account's UPN changed, from `former_upn` to `upn`."""

    former_upn: str | None = None


@dataclass(frozen=True)
class AllowedAccountsEvent(Event):
    """The accounts that may sign in changed; None: any may."""

    allowed_accounts: tuple[str, ...] | None = converted(tuple)


@dataclass(frozen=True)
class MDMAccountEvent(Event):
    """The account that the device is enrolled with changed; None: there is none."""

    mdm_account: str | None = converted(lambda raw: str(raw["accountId"]))


@dataclass(frozen=True)
class WipeProgressEvent(Event):
    """A wipe completed a step. Of FILES: `removed` files of `known` so far; `left` could not be removed."""

    step: WipeStep | str | None = None
    removed: int | None = None
    known: int | None = None
    left: int | None = None


@dataclass(frozen=True)
class WipeCompletedEvent(Event):
    """A wipe ended.

    files           the result for the account's files; None if the host removed its data
    open_databases  the connections of this process to the account's databases that are still in a transaction
    """

    reason: WipeReason | str | None = None
    host_removed_data: bool = False
    files: WipedFiles | None = converted(one(WipedFiles))
    open_databases: int = 0


@dataclass(frozen=True)
class QuestionEvent(Event):
    """A question, in sessions opened with questions="events": answer it with `Mam.answer`."""

    question: Question = converted(question_of, default=Question(0))


@dataclass(frozen=True)
class WarningEvent(Event):
    """A message for a person; with an `error` data stays closed.

    Of `Mam.file_protect`: in the directory `path` so many files, `left`, kept their owner; `named` has the first 32.
    """

    message: str = ""
    error: int | None = None
    path: str | None = None
    left: int = 0
    named: tuple[FileLeft, ...] = converted(many(FileLeft), default=())


@dataclass(frozen=True)
class EventsLostEvent(Event):
    """`count` events were dropped because they were not read."""

    count: int = 0


_CLASSES: dict[str, type[Event]] = {
    EventKind.ENROLLMENT_REQUEST: RequestEvent,
    EventKind.POLICY_REQUEST: RequestEvent,
    EventKind.UNENROLL_REQUEST: RequestEvent,
    EventKind.ACCOUNT_BLOCKED: AccountBlockedEvent,
    EventKind.ACCOUNT_CHANGED: AccountChangedEvent,
    EventKind.ALLOWED_ACCOUNTS_CHANGED: AllowedAccountsEvent,
    EventKind.MDM_ACCOUNT_CHANGED: MDMAccountEvent,
    EventKind.WIPE_PROGRESS: WipeProgressEvent,
    EventKind.WIPE_COMPLETED: WipeCompletedEvent,
    EventKind.QUESTION: QuestionEvent,
    EventKind.WARNING: WarningEvent,
    EventKind.EVENTS_LOST: EventsLostEvent,
}


def kinds_of(cls: type[Event]) -> list[str]:
    """The kinds of the events of a class; of `Event` itself none, which stands for all."""
    return [kind for kind, one in _CLASSES.items() if one is cls]


def event_of(raw: Mapping[str, Any]) -> Event:
    """The event in libmam's JSON."""
    kind = str(raw.get("event"))
    # "question" is the question's kind in JSON, but the whole question here.
    question = {"question": raw} if kind == EventKind.QUESTION else {}
    return build(_CLASSES.get(kind, Event), {**raw, **question, "raw": raw})


class Events(Handle, Iterator[Event], AsyncIterator[Event]):
    """An iterator of events, from `Mam.events`. Several threads and tasks may share one or have one each: an event goes
    to only one of them.

    In asyncio it watches `Mam.event_fd` and needs no thread, unless the loop has no add_reader. A task that is cancelled
    while it waits has taken no event. Without a worker, due work is done on the loop's thread, as by `Mam.run_due`.
    """

    def __init__(self, session: EventCalls, timeout: float | None) -> None:
        self._session = session
        self._timeout = timeout
        self._interrupts = session._interrupts
        self._has_ended = False

    def __next__(self) -> Event:
        session = self._session
        if not self._has_ended and session._interrupts == self._interrupts:
            status, event = session._take(self._timeout, self._interrupts)
            if event is not None:
                return event
            self._end(status)
        raise StopIteration

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> Event:
        if not self._has_ended:
            status, event = await self._session._take_async(self._timeout, self._interrupts)
            if event is not None:
                return event
            self._end(status)
        raise StopAsyncIteration

    def _end(self, status: int) -> None:
        self._has_ended = True
        if status not in (Status.TIMEOUT, Status.INTERRUPTED, Status.CLOSED):
            fail(status)


class EventCalls(Session):
    """Events."""

    def next_event(self, timeout: float | None = None) -> Event:
        """Take the next event, waiting at most `timeout` seconds (None: for ever, 0: do not wait).

        Taking an event acknowledges the previous one: unenrollRequest and wipeDidComplete are delivered again if the
        process dies before. Raises TimeoutError, WaitInterruptedError, ClosedError, ForkedError. Mirrors the
        notifications and the enrollment and policy delegates.
        """
        status, event = self._take(timeout)
        if event is None:
            fail(status)
        return event

    async def next_event_async(self, timeout: float | None = None) -> Event:
        """The same for a task. Cancelling it loses no event; see `Events`."""
        status, event = await self._take_async(timeout, self._interrupts)
        if event is None:
            fail(status)
        return event

    def events(self, timeout: float | None = None) -> Events:
        """Events as they come: for `for` and for `async for`.

        The loop ends when no event has come for `timeout` seconds (None: never; 0: when the queue is empty), and when
        `interrupt` or `close` is called. Raises ClosedError at once on a closed session, ForkedError in a child.
        """
        self.event_fd()  # a closed or forked session must not look like one without events
        check_timeout(timeout)
        return Events(self, timeout)

    def _take(self, timeout: float | None, before: int | None = None) -> tuple[int, Event | None]:
        out = _ffi.Text()
        reference = _ffi.byref(out)
        handle = self._handle
        status = wait(lambda ms: C.mam_event_next(handle, ms, reference), timeout, lambda: self._interrupts, before)
        return status, None if status else event_of(json.loads(own_text(out)))

    async def _take_async(self, timeout: float | None, before: int) -> tuple[int, Event | None]:
        """Wait for the descriptor, then take the event without an await at which the task could be cancelled."""
        import asyncio

        deadline = deadline_of(timeout)
        await asyncio.sleep(0)  # a full queue must not starve the other tasks
        while True:
            if self._interrupts != before:
                return Status.INTERRUPTED, None
            status, event = self._take(0)
            if status != Status.TIMEOUT:
                return status, event
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                return status, None
            if not self._has_worker:
                # Without a worker nothing notices changes by other processes: poll for them, as a waiting thread does.
                left = _POLL_INTERVAL if left is None else min(left, _POLL_INTERVAL)
            try:
                descriptor = self.event_fd()
            except ClosedError:
                return Status.CLOSED, None
            is_readable = await self._watches.readable(descriptor, lambda: self._closed or self._interrupts != before, left)
            if self._closed:
                return Status.CLOSED, None
            if is_readable and not self._has_worker:
                # The descriptor may report due work, and keeps reporting it until it is done.
                with CALLING:
                    status = C.mam_run_due(self._handle)
                if status:
                    return status, None

    def event_fd(self) -> int:
        """A descriptor for select, poll and asyncio's add_reader: readable when an event waits, or (without a worker)
        work is due. It belongs to libmam: do not read or close it; `close` ends it."""
        descriptor = int(C.mam_event_fd(self._handle))
        if descriptor < 0:
            check(C.mam_last_status())
        return descriptor

    def fileno(self) -> int:
        """`event_fd` under the name that select expects, so that select takes the session itself."""
        return self.event_fd()
