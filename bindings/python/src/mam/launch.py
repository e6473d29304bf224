"""Launch: whether data may be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ._call import C, take_operation
from ._records import build, converted, many, moment
from ._session import Session
from .operations import Operation


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
    """How a launch ended (mam_launch). True when data may be shown: `outcome` is "allowed" or "warned", not "blocked".

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


class LaunchCalls(Session):
    """Section 7 of mam.h."""

    def launch(self) -> Operation[LaunchReport]:
        """Find out whether data may be shown: call it at start, and show none before `launch().wait()` is true.

        With the setting AutoEnrollOnLaunch it first enrolls the device's account, or the one account that is
        registered and not enrolled; where that fails and MAMPolicyRequired is set, the signIn question asks a person.
        Mirrors the launch of the SDK: AutoEnrollOnLaunch, MAMPolicyRequired, MAMPolicyWarnAbsent.
        """
        return Operation(self, take_operation(C.mam_launch, self._handle), launch_report_of)
