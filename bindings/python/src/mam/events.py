"""Events: what happened, read one after the other."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from . import _ffi
from ._call import C, check, fail, own_text
from ._records import build, converted, moment
from ._session import Session
from ._waiting import wait
from .enrollment import EnrollmentStatus, status_of
from .enums import Status
from .questions import Question, question_of


class EventKind(str, enum.Enum):
    """The events of this release; compare with `Event.kind`, which may also be a newer one's name."""

    ENROLLMENT_REQUEST = "enrollmentRequest"
    POLICY_REQUEST = "policyRequest"
    UNENROLL_REQUEST = "unenrollRequest"
    POLICY_DID_CHANGE = "policyDidChange"
    DATA_PROTECTION_DID_CHANGE = "dataProtectionDidChange"
    ALLOWED_ACCOUNTS_DID_CHANGE = "allowedAccountsDidChange"
    MDM_ACCOUNT_DID_CHANGE = "mdmAccountDidChange"
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

    status              enrollmentRequest, policyRequest, unenrollRequest
    account_id          all that concern an account
    step                wipeProgress: closed, shredded, asked, removed, reported
    reason              wipeDidComplete: administrator, host, deregistration
    host_removed_data   wipeDidComplete
    question            question (sessions opened with questions="events"): answer it with `Mam.answer`
    message             warning
    count               eventsLost
    allowed_accounts    allowedAccountsDidChange: the list, or None where anybody may sign in
    mdm_account         mdmAccountDidChange: the account id, or None
    raw                 all of the JSON
    """

    kind: str = converted(_kind, key="event", default="")
    time: datetime | None = converted(moment)
    account_id: str | None = None
    status: EnrollmentStatus | None = converted(status_of)
    step: str | None = None
    reason: str | None = None
    host_removed_data: bool | None = None
    question: Question | None = None
    message: str | None = None
    count: int | None = None
    allowed_accounts: tuple[str, ...] | None = converted(tuple)
    mdm_account: str | None = converted(lambda raw: str(raw["accountId"]))
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)


def event_of(raw: Mapping[str, Any]) -> Event:
    """The event in libmam's JSON."""
    # "question" is the question's kind in JSON, and the whole question here.
    asked = question_of(raw) if raw.get("event") == EventKind.QUESTION else None
    return build(Event, {**raw, "question": asked, "raw": raw})


class EventCalls(Session):
    """The first half of section 3 of mam.h."""

    def next_event(self, timeout: float | None = None) -> Event:
        """Take the next event, waiting at most `timeout` seconds (None: for ever, 0: look).

        Taking an event says that the one before is dealt with: unenrollRequest and wipeDidComplete are told again
        if the process dies before. Raises WaitTimeoutError, WaitInterruptedError, ClosedError, ForkedError.
        Mirrors the notifications and the enrollment and policy delegates.
        """
        status, event = self._take(timeout)
        if event is None:
            fail(status)
        return event

    def events(self, timeout: float | None = None) -> Iterator[Event]:
        """Iterate over events as they come.

        The loop ends when none has come for `timeout` seconds (None: never; 0: when the queue is empty), and when
        `interrupt` or `close` is called. Raises ClosedError at once on a closed session, ForkedError in a child.
        """
        self.event_fd()  # a closed or forked session must not look like one without events
        return self._iterate(timeout)

    def _iterate(self, timeout: float | None) -> Iterator[Event]:
        while True:
            status, event = self._take(timeout)
            if event is None:
                if status in (Status.TIMEOUT, Status.INTERRUPTED, Status.CLOSED):
                    return
                fail(status)
            yield event

    def _take(self, timeout: float | None) -> tuple[int, Event | None]:
        out = _ffi.Text()
        reference = _ffi.byref(out)
        handle = self._handle
        status = wait(lambda ms: C.mam_event_next(handle, ms, reference), timeout, lambda: self._interrupts)
        return status, None if status else event_of(json.loads(own_text(out)))

    def event_fd(self) -> int:
        """A descriptor for select, poll and asyncio's add_reader: readable when an event waits, or (without a
        worker) work is due. It is libmam's: do not read or close it; it ends with `close`."""
        descriptor = int(C.mam_event_fd(self._handle))
        if descriptor < 0:
            check(C.mam_last_status())
        return descriptor

    def fileno(self) -> int:
        """The same, so that the session itself can be given to select."""
        return self.event_fd()
