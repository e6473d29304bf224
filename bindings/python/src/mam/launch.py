"""Launch: whether data may be shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from . import _ffi
from ._call import C, Texts, account_text, check, fail, take_operation
from ._records import build, converted, dataclass, many, moment
from ._session import Session
from .enums import LaunchAction, LaunchOutcome
from .operations import Operation


@dataclass(frozen=True)
class LaunchFinding:
    """The result of one check. `check` and `action` are open sets: treat an unknown action as a block.

    `setting`, with its `value`, in the policy `policy_id` requires it; `account_id` and `upn` are None if the finding is
    about the app; `message` says what happened and what to do, `user_message` the same for the person who uses the
    host, with the stable name `message_key`. `dismissed`: a warning that was shown before and no longer
    counts.
    """

    check: str
    action: LaunchAction | str
    setting: str | None = None
    account_id: str | None = None
    message: str | None = None
    value: Any = None
    policy_id: str | None = None
    policy_name: str | None = None
    dismissed: bool = False
    upn: str | None = None
    user_message: str | None = None
    message_key: str | None = None


@dataclass(frozen=True)
class NotApplicable:
    """A setting for another platform's systems: neither passed nor failed here."""

    setting: str
    account_id: str | None = None
    policy_id: str | None = None
    policy_name: str | None = None
    message: str | None = None
    upn: str | None = None
    user_message: str | None = None
    message_key: str | None = None


@dataclass(frozen=True)
class LaunchReport:
    """How a launch or a resume ended. True when data may be shown: `outcome` is ALLOWED or WARNED.

    `findings` has every finding, the most severe first.
    """

    outcome: LaunchOutcome | str
    findings: tuple[LaunchFinding, ...] = converted(many(LaunchFinding), default=())
    succeeded: bool = converted(key="didSucceed", default=False)
    time: datetime | None = converted(moment)
    not_applicable: tuple[NotApplicable, ...] = converted(many(NotApplicable), default=())

    def __bool__(self) -> bool:
        return self.succeeded


def launch_report_of(raw: Mapping[str, Any]) -> LaunchReport:
    """The result of a launch or resume."""
    return build(LaunchReport, raw)


# Called often, before data is shown: bound once, and unchecked because the arguments are built here.
_conditional_launch = _ffi.unchecked("mam_conditional_launch")
_free = _ffi.unchecked("mam_free", releases_gil=False)
_names = Texts("account", 64)


class _ReportCache(dict[bytes, LaunchReport]):
    """Cache of reports by their JSON: libmam returns the same text until a check would give another result."""

    __slots__ = ("latest",)

    def __init__(self) -> None:
        #: The entry that was made last; comparing texts takes less time than hashing one.
        self.latest: tuple[bytes, LaunchReport | None] = (b"", None)

    def __missing__(self, raw: bytes) -> LaunchReport:
        report = launch_report_of(json.loads(raw))
        # A caller could change a list in the report.
        if not any(isinstance(finding.value, (list, dict)) for finding in report.findings):
            if len(self) >= 16:
                self.clear()
            self[raw] = report
            self.latest = (raw, report)
        return report


_reports = _ReportCache()


class LaunchCalls(Session):
    """Launches."""

    def launch(self) -> Operation[LaunchReport]:
        """Check whether data may be shown: call it at start, and show none before `launch().wait()` is true.

        With the setting AutoEnrollOnLaunch it first enrolls the device's account, else the one account that is registered
        and not enrolled, else the one that other apps of the group have; if that fails and MAMPolicyRequired is set, the
        signIn question asks a person. Then it checks every account, asks a person for the proofs that its policies
        require (the questions pin and authenticate), and acts on the findings: an account with a finding that wipes is
        wiped. An account that it closes stays closed in this session until a later launch, resume or switch finds it
        open. Mirrors the launch of the Intune App SDK: AutoEnrollOnLaunch, MAMPolicyRequired, MAMPolicyWarnAbsent,
        conditional launch.
        """
        return Operation(self, take_operation(C.mam_launch, self._handle), launch_report_of, "launch")

    def pause(self) -> None:
        """Report that the host is no longer visible: the group's inactivity timer starts.

        Mirrors the Intune App SDK's inactivity timer.
        """
        check(C.mam_pause(self._handle))

    def resume(self) -> Operation[LaunchReport]:
        """Check whether data may still be shown: call it when the host becomes visible again. Checks as `launch` does,
        but enrolls no account; after the inactivity timer has expired the person is asked again.

        Mirrors the Intune App SDK's checks at resume.
        """
        return Operation(self, take_operation(C.mam_resume, self._handle), launch_report_of, "resume")

    def conditional_launch(self, account: str | bytes | None) -> LaunchReport:
        """The report of a launch for one account now, without acting on it: no question, check-in or wipe.

        Raises ArgumentError; NotFoundError if unknown names are errors.
        """
        name = _names[account] if type(account) is str else account_text(account)
        out = _ffi.Text()
        status = _conditional_launch(self._handle, name, _ffi.byref(out))
        if status:
            fail(status)
        try:
            text = out.value or b"{}"
            known, report = _reports.latest
            return report if report is not None and text == known else _reports[text]
        finally:
            _free(out)
