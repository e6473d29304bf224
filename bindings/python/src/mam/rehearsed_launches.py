"""What launches would do under policies that are only rehearsed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._records import build, converted, many
from .launch import LaunchFinding, NotApplicable


@dataclass(frozen=True)
class LaunchCause:
    """What a launch does in a case ("wipe", "block", "warn", "prompt"), and the setting and policy that have it do so."""

    action: str
    setting: str | None = None
    value: Any = None
    policy_id: str | None = None
    policy_name: str | None = None


def _cause(raw: Any) -> LaunchCause:
    return build(LaunchCause, raw)


@dataclass(frozen=True)
class LaunchChange:
    """What begins or stops to block or wipe accounts at launches.

    `check` finds it, as in `LaunchFinding`; `cases` says when, in words; `change` is "stricter" or "looser". `before` and
    `after` are None where nothing is found in these cases.
    """

    check: str
    change: str
    message: str
    cases: tuple[str, ...] = converted(tuple, default=())
    before: LaunchCause | None = converted(_cause)
    after: LaunchCause | None = converted(_cause)


@dataclass(frozen=True)
class RehearsedQuestion:
    """A question that a launch would ask the host, as in `Question`: its `purpose` and `methods` where it has some."""

    question: str
    purpose: str | None = None
    methods: tuple[str, ...] = converted(tuple, default=())


@dataclass(frozen=True)
class RehearsedLaunch:
    """What a launch would do to one account.

    `outcome` ("allowed", "warned", "blocked", "wiped") and `findings` are those of a person who shows nothing;
    `outcome_when_answered` is that of one who shows everything that is asked for, in the order of `asks`.
    """

    outcome: str
    outcome_when_answered: str
    findings: tuple[LaunchFinding, ...] = converted(many(LaunchFinding), default=())
    asks: tuple[RehearsedQuestion, ...] = converted(many(RehearsedQuestion), default=())
    not_applicable: tuple[NotApplicable, ...] = converted(many(NotApplicable), default=())
