"""Launch: whether data may be shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from . import _ffi
from ._call import C, check, own_text, take_operation
from ._records import build, converted, many, moment
from ._session import Session
from ._waiting import wait


@dataclass(frozen=True)
class LaunchFinding:
    """What a check found. `check` and `action` ("block", "warn") are open sets: take one you do not know for a block.

    `setting` asks for it; `account_id` is None where the finding is about the app; `message` says what happened and
    what to do.
    """

    check: str
    action: str
    setting: str | None = None
    account_id: str | None = None
    message: str | None = None


@dataclass(frozen=True)
class LaunchReport:
    """How a launch ended. True when data may be shown: `outcome` is "allowed" or "warned", not "blocked".

    `findings` has every finding, the severest first.
    """

    outcome: str
    findings: tuple[LaunchFinding, ...] = converted(many(LaunchFinding), default=())
    did_succeed: bool = False
    time: datetime | None = converted(moment)

    def __bool__(self) -> bool:
        return self.did_succeed


def launch_report_of(raw: Mapping[str, Any]) -> LaunchReport:
    """The object of mam_wait after mam_launch."""
    return build(LaunchReport, raw)


class LaunchOperation:
    """A launch under way. Any thread may wait for it."""

    __slots__ = ("_session", "number")

    def __init__(self, session: Session, number: int) -> None:
        self._session = session
        #: libmam's number of it.
        self.number = number

    def wait(self, timeout: float | None = None) -> LaunchReport:
        """Wait at most `timeout` seconds (None: for ever); see `Mam.wait`."""
        session, out = self._session, _ffi.Text()
        handle, number, reference = session._handle, self.number, _ffi.byref(out)
        check(wait(lambda ms: C.mam_wait(handle, number, ms, reference), timeout, lambda: session._interrupts))
        return launch_report_of(json.loads(own_text(out)))

    def __repr__(self) -> str:
        return f"<mam.LaunchOperation {self.number}>"


class LaunchCalls(Session):
    """Section 7 of mam.h."""

    def launch(self) -> LaunchOperation:
        """Find out whether data may be shown: call it at start, and show none before `launch().wait()` is true.

        With the setting AutoEnrollOnLaunch it first enrolls the device's account, or the one account that is
        registered and not enrolled; where that fails and MAMPolicyRequired is set, the signIn question asks a person.
        Mirrors the launch of the SDK: AutoEnrollOnLaunch, MAMPolicyRequired, MAMPolicyWarnAbsent.
        """
        return LaunchOperation(self, take_operation(C.mam_launch, self._handle))
