"""Policies before anybody is under them: what is the matter with one, and what another one would change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ._call import C, json_text, take_json
from ._records import build, converted, many

#: Policies as Microsoft Graph exports them: one, several, `{"value": ...}` around either, or None.
PolicyExport = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None


@dataclass(frozen=True)
class PolicyFinding:
    """Something about a policy that an administrator should know before it is rolled out.

    `severity` is "warning" (it does not do what it seems to) or "note" (it does nothing). `kind` is "unknown" (in no
    table), "value" (not understood, so the most restrictive one counts), "contradictory", "ineffective",
    "crossPlatform" or "notEnforced" (by this release).
    """

    severity: str
    kind: str
    setting: str
    value: Any
    message: str


@dataclass(frozen=True)
class LintedPolicy:
    """A policy and what was found in it."""

    id: str
    name: str
    platform: str
    findings: tuple[PolicyFinding, ...] = converted(many(PolicyFinding), default=())


@dataclass(frozen=True)
class SettingChange:
    """How one setting differs; `change` is "stricter", "looser" or "different" (no order). None: nothing is stated."""

    setting: str
    before: Any
    after: Any
    change: str
    message: str


@dataclass(frozen=True)
class PolicyChanges:
    """What changes; `verdict` is "same", "stricter", "looser" or "mixed"."""

    verdict: str
    changes: tuple[SettingChange, ...] = converted(many(SettingChange), default=())


def lint(policies: PolicyExport) -> tuple[LintedPolicy, ...]:
    """What an administrator should know about policies before they are rolled out.

    Raises JSONError (not policies), ArgumentError (more than 1000). Needs no authority and no session.
    """
    return many(LintedPolicy)(take_json(C.mam_policy_lint, json_text(policies, "policies"))["policies"])


def diff(before: PolicyExport, after: PolicyExport) -> PolicyChanges:
    """What changes for whoever comes from under all policies of `before` under those of `after`, by the order that the
    merge uses: from one policy to its merge with others nothing is ever looser. None holds no policy.

    Raises JSONError (not policies), ArgumentError (more than 1000). Needs no authority and no session.
    """
    reply = take_json(C.mam_policy_diff, json_text(before, "before"), json_text(after, "after"))
    return build(PolicyChanges, reply)
