"""Events: what happened, read one after the other."""

from __future__ import annotations

import asyncio
import enum
import json
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from . import _ffi
from ._call import C, check, fail, own_text
from ._callback import CALLING
from ._records import build, converted, moment, one
from ._session import Session
from ._waiting import check_timeout, deadline_of, wait
from .enrollment import EnrollmentStatus, status_of
from .enums import Status
from .errors import ClosedError
from .owners import WipedFiles
from .questions import Question, question_of


# How often a task of a session without a worker looks for what other processes did, in seconds.
_LOOK = 0.1


class EventKind(str, enum.Enum):
    """The events of this release; compare with `Event.kind`, which may also be a newer one's name.

    ENROLLMENT_REQUEST, POLICY_REQUEST, UNENROLL_REQUEST
                                an enrollment, check-in or unenrollment ended: see `Event.status`
    POLICY_DID_CHANGE           an account's policy is another; held `Policy` handles follow by themselves
    APP_CONFIG_DID_CHANGE       an account's app configuration is another: ask for a new `AppConfig`
    DATA_PROTECTION_DID_CHANGE  whether an account's data is sealed is another
    ACCOUNT_BLOCKED             an account must be hidden, or need not be any more: see `Event.reason`
    ACCOUNT_DID_CHANGE          an account has another UPN: see `Event.upn` and `Event.former_upn`
    ALLOWED_ACCOUNTS_DID_CHANGE who may sign in is another: see `Event.allowed_accounts`
    MDM_ACCOUNT_DID_CHANGE      whose the device is is another: see `Event.mdm_account`
    WIPE_PROGRESS               a wipe came one step further: see `Event.step`
    WIPE_DID_COMPLETE           a wipe ended
    QUESTION                    a question for `Mam.answer`, in sessions opened with questions="events"
    WARNING                     something that a person should know
    EVENTS_LOST                 more came than was read: see `Event.count`
    """

    ENROLLMENT_REQUEST = "enrollmentRequest"
    POLICY_REQUEST = "policyRequest"
    UNENROLL_REQUEST = "unenrollRequest"
    POLICY_DID_CHANGE = "policyDidChange"
    APP_CONFIG_DID_CHANGE = "appConfigDidChange"
    DATA_PROTECTION_DID_CHANGE = "dataProtectionDidChange"
    ACCOUNT_BLOCKED = "accountBlocked"
    ALLOWED_ACCOUNTS_DID_CHANGE = "allowedAccountsDidChange"
    MDM_ACCOUNT_DID_CHANGE = "mdmAccountDidChange"
    ACCOUNT_DID_CHANGE = "accountDidChange"
    WIPE_PROGRESS = "wipeProgress"
    WIPE_DID_COMPLETE = "wipeDidComplete"
    QUESTION = "question"
    WARNING = "warning"
    EVENTS_LOST = "eventsLost"

    def __str__(self) -> str:
        return self.value


def _kind(name: str) -> str:
    try:
        return EventKind(name)
    except ValueError:
        return name


@dataclass(frozen=True)
class Event:
    """One event. Fields that its kind does not have are None.

    status              enrollmentRequest, policyRequest, unenrollRequest; it has no truth value: ask `did_succeed`
    account_id          all that concern an account
    upn                 its UPN, where that is known; after accountDidChange the new one
    step                wipeProgress: closed, shredded, asked, files, removed, reported
    removed             wipeProgress files: how many files went so far, of `known`; `left` could not be removed
    reason              wipeDidComplete: administrator, host, deregistration, pin, conditionalLaunch, offline;
                        accountBlocked: conditionalLaunchBlocked, conditionalLaunchCanceled, clockedOut, or notBlocked when
                        it is not any more
    host_removed_data   wipeDidComplete
    files               wipeDidComplete: what became of the account's files; None where the host removed its data
    question            question (sessions opened with questions="events"): answer it with `Mam.answer`
    message             warning
    count               eventsLost
    allowed_accounts    allowedAccountsDidChange: the list, or None where anybody may sign in
    former_upn          accountDidChange: the UPN that it had before
    mdm_account         mdmAccountDidChange: the account id, or None
    raw                 all of the JSON
    """

    kind: str = converted(_kind, key="event", default="")
    time: datetime | None = converted(moment)
    account_id: str | None = None
    status: EnrollmentStatus | None = converted(lambda raw: replace(status_of(raw), in_event=True))
    step: str | None = None
    reason: str | None = None
    host_removed_data: bool | None = None
    files: WipedFiles | None = converted(one(WipedFiles))
    removed: int | None = None
    known: int | None = None
    left: int | None = None
    question: Question | None = None
    message: str | None = None
    count: int | None = None
    allowed_accounts: tuple[str, ...] | None = converted(tuple)
    upn: str | None = None
    former_upn: str | None = None
    mdm_account: str | None = converted(lambda raw: str(raw["accountId"]))
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)


def event_of(raw: Mapping[str, Any]) -> Event:
    """The event in libmam's JSON."""
    # "question" is the question's kind in JSON, and the whole question here.
    asked = question_of(raw) if raw.get("event") == EventKind.QUESTION else None
    return build(Event, {**raw, "question": asked, "raw": raw})


class Events(Iterator[Event], AsyncIterator[Event]):
    """Events as they come; `Mam.events` makes it. Several threads and tasks may share one or have one each: an event
    goes to one of them.

    In asyncio it watches `Mam.event_fd` and needs no thread, but on a loop that has no add_reader. A task that is
    cancelled while it waits has taken nothing. Without a worker, work that is due is done as by `Mam.run_due`, on the
    loop's thread.
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
    """The first half of section 3 of mam.h."""

    def next_event(self, timeout: float | None = None) -> Event:
        """Take the next event (mam_event_next), waiting at most `timeout` seconds (None: for ever, 0: look).

        Taking an event says that the one before is dealt with: unenrollRequest and wipeDidComplete are told again
        if the process dies before. Raises WaitTimeoutError, WaitInterruptedError, ClosedError, ForkedError.
        Mirrors the notifications and the enrollment and policy delegates.
        """
        status, event = self._take(timeout)
        if event is None:
            fail(status)
        return event

    async def next_event_async(self, timeout: float | None = None) -> Event:
        """The same for a task (mam_event_next). Cancelling it loses no event; see `Events`."""
        status, event = await self._take_async(timeout, self._interrupts)
        if event is None:
            fail(status)
        return event

    def events(self, timeout: float | None = None) -> Events:
        """Events as they come (mam_event_next): for `for` and for `async for`.

        The loop ends when none has come for `timeout` seconds (None: never; 0: when the queue is empty), and when
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
        """Wait for the descriptor, then take what is there without giving way to anything that could cancel."""
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
                # Nobody else notices what other processes did: look now and then, as mam_event_next does.
                left = _LOOK if left is None else min(left, _LOOK)
            try:
                descriptor = self.event_fd()
            except ClosedError:
                return Status.CLOSED, None
            is_readable = await self._watches.readable(
                descriptor, lambda: self._closed or self._interrupts != before, left
            )
            if self._closed:
                return Status.CLOSED, None
            if is_readable and not self._has_worker:
                # It may say that work is due, and goes on saying it until that is done.
                with CALLING:
                    status = C.mam_run_due(self._handle)
                if status:
                    return status, None

    def event_fd(self) -> int:
        """A descriptor for select, poll and asyncio's add_reader: readable when an event waits, or (without a
        worker) work is due. It is libmam's: do not read or close it; it ends with `close`."""
        descriptor = int(C.mam_event_fd(self._handle))
        if descriptor < 0:
            check(C.mam_last_status())
        return descriptor

    def fileno(self) -> int:
        """mam_event_fd by the name that select asks for, so that it can be given the session itself."""
        return self.event_fd()
