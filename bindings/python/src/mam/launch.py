"""Launch: whether data may be shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from . import _ffi
from ._call import C, Texts, account_text, check, fail, take_operation
from ._records import build, converted, many, moment
from ._session import Session
from .operations import Operation


@dataclass(frozen=True)
class LaunchFinding:
    """What a check found. `check` and `action` ("wipe", "block", "prompt", "warn") are open sets: take one you do not know
    for a block.

    `setting` asks for it, with its `value`, in the policy `policy_id`; `account_id` and `upn` are None where the finding is
    about the app; `message` says what happened and what to do. `dismissed`: a warning that was told before, and counts no more.
    """

    check: str
    action: str
    setting: str | None = None
    account_id: str | None = None
    message: str | None = None
    value: Any = None
    policy_id: str | None = None
    policy_name: str | None = None
    dismissed: bool = False
    upn: str | None = None


@dataclass(frozen=True)
class NotApplicable:
    """What a policy of another platform says of that platform's systems: neither passed nor failed here."""

    setting: str
    account_id: str | None = None
    policy_id: str | None = None
    policy_name: str | None = None
    message: str | None = None
    upn: str | None = None


@dataclass(frozen=True)
class LaunchReport:
    """How a launch or a resume ended. True when data may be shown: `outcome` is "allowed" or "warned", not "blocked" or
    "wiped".

    `findings` has every finding, the severest first.
    """

    outcome: str
    findings: tuple[LaunchFinding, ...] = converted(many(LaunchFinding), default=())
    did_succeed: bool = False
    time: datetime | None = converted(moment)
    not_applicable: tuple[NotApplicable, ...] = converted(many(NotApplicable), default=())

    def __bool__(self) -> bool:
        return self.did_succeed


def launch_report_of(raw: Mapping[str, Any]) -> LaunchReport:
    """The object of mam_wait after mam_launch."""
    return build(LaunchReport, raw)


# Asked before data is shown again and again: bound once, and unchecked, because the arguments are made here.
_conditional_launch = _ffi.unchecked("mam_conditional_launch")
_free = _ffi.unchecked("mam_free", releases_gil=False)
_names = Texts("account", 64)


class _Told(dict[bytes, LaunchReport]):
    """Reports by the JSON that they were read from: libmam tells the same text until a look would find something else."""

    __slots__ = ()

    def __missing__(self, raw: bytes) -> LaunchReport:
        report = launch_report_of(json.loads(raw))
        # A list could be changed by who has got it.
        if not any(isinstance(finding.value, (list, dict)) for finding in report.findings):
            if len(self) >= 16:
                self.clear()
            self[raw] = report
        return report


_told = _Told()


class LaunchCalls(Session):
    """Section 7 of mam.h."""

    def launch(self) -> Operation[LaunchReport]:
        """Find out whether data may be shown: call it at start, and show none before `launch().wait()` is true.

        With the setting AutoEnrollOnLaunch it first enrolls the device's account, else the one account that is
        registered and not enrolled, else the one that other apps of the group have; where that fails and MAMPolicyRequired is set, the signIn question asks a person.
        Then it looks at every account, asks a person for what its policies want to be shown (the questions pin and
        authenticate), and carries out what it finds: an account with a finding that wipes is wiped. Accounts that it
        finds closed answer closed in this session until a later launch, resume or switch finds them open.
        Mirrors the launch of the SDK: AutoEnrollOnLaunch, MAMPolicyRequired, MAMPolicyWarnAbsent, conditional launch.
        """
        return Operation(self, take_operation(C.mam_launch, self._handle), launch_report_of)

    def pause(self) -> None:
        """Tell that the host goes out of sight: from here on it counts as not used, for the inactivity timer of the group.

        Mirrors the SDK's inactivity timer.
        """
        check(C.mam_pause(self._handle))

    def resume(self) -> Operation[LaunchReport]:
        """Find out whether data may still be shown: call it when the host is seen again. Looks as `launch` does, without
        enrolling anybody; after the inactivity timer has run out the person is asked again.

        Mirrors the SDK's checks at resume.
        """
        return Operation(self, take_operation(C.mam_resume, self._handle), launch_report_of)

    def conditional_launch(self, account: str | bytes | None) -> LaunchReport:
        """What a launch would find for one account now. Nothing is carried out: nobody is asked, checked in or wiped.

        Raises ArgumentError; NotFoundError where unknown names are errors.
        """
        name = _names[account] if type(account) is str else account_text(account)
        out = _ffi.Text()
        status = _conditional_launch(self._handle, name, _ffi.byref(out))
        if status:
            fail(status)
        try:
            return _told[out.value or b"{}"]
        finally:
            _free(out)
