"""Launches under policies that are only simulated."""

from __future__ import annotations

from typing import Any

from ._records import build, converted, dataclass, many
from .enums import AuthenticationMethod, LaunchAction, LaunchOutcome
from .launch import LaunchFinding, NotApplicable
from .simulation_enums import Change


@dataclass(frozen=True)
class LaunchCause:
    """The action of a launch in a case, and the setting and policy that cause it."""

    action: LaunchAction | str
    setting: str | None = None
    value: Any = None
    policy_id: str | None = None
    policy_name: str | None = None


def _cause(raw: Any) -> LaunchCause:
    return build(LaunchCause, raw)


@dataclass(frozen=True)
class LaunchChange:
    """A cause that begins or stops to block or wipe accounts at launches.

    `check` finds it, as in `LaunchFinding`; `cases` describes when, in words.
    `before` and `after` are None if nothing is found in these cases.
    """

    check: str
    change: Change | str
    message: str
    cases: tuple[str, ...] = converted(tuple, default=())
    before: LaunchCause | None = converted(_cause)
    after: LaunchCause | None = converted(_cause)


@dataclass(frozen=True)
class SimulatedQuestion:
    """A question that a launch would ask the host, as in `Question`, with its `purpose` and `methods` if it has some."""

    kind: str = converted(key="question", default="")
    purpose: str | None = None
    methods: tuple[AuthenticationMethod | str, ...] = ()


@dataclass(frozen=True)
class SimulatedLaunch:
    """A simulated launch of one account.

    `outcome` and `findings` are those of a person who answers no question;
    `outcome_when_answered` is that of one who answers every question, in the order of `asks`.
    """

    outcome: LaunchOutcome | str
    outcome_when_answered: LaunchOutcome | str
    findings: tuple[LaunchFinding, ...] = converted(many(LaunchFinding), default=())
    asks: tuple[SimulatedQuestion, ...] = converted(many(SimulatedQuestion), default=())
    not_applicable: tuple[NotApplicable, ...] = converted(many(NotApplicable), default=())
