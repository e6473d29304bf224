"""Policies before anybody is under them: what is the matter with one, what another one would change, and for whom."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ._call import C, json_text, take_json, text
from ._records import build, converted, many
from .authority import DocumentType, encoded
from .authority_types import PolicyWarning
from .decisions import Reason
from .policy import EffectivePolicy
from .rehearsed_launches import LaunchChange, RehearsedLaunch

#: Policies as Microsoft Graph exports them: one, several, `{"value": ...}` around either, or None.
PolicyExport = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None


@dataclass(frozen=True)
class KnownProperty:
    """A property that policies can have, and what becomes of it.

    `status` is "enforced" (`shown_by` names the functions of mam.h whose answers it can change), "notEnforced" (by this
    release; `waits_for` names those that will show it), "notApplicable" (`note` says why) or "descriptive". `names` are the
    values from loose to strict, of lists the members; `neutral` restricts least, `strictest` most, `absent` holds where
    a policy does not state it (or states null), `misread` stands in for what is not understood. None where there is no
    such value. `wipes`: it can have an account's data removed.
    """

    property: str
    status: str
    note: str
    kind: str | None
    neutral: Any
    strictest: Any
    absent: Any
    misread: Any = None
    wipes: bool = False
    platforms: tuple[str, ...] = converted(tuple, default=())
    shown_by: tuple[str, ...] = converted(tuple, default=())
    waits_for: tuple[str, ...] = converted(tuple, default=())
    names: tuple[str, ...] = converted(tuple, default=())


@dataclass(frozen=True)
class PolicyFinding:
    """Something about a policy that an administrator should know before it is rolled out.

    `severity` is "warning" (it can wipe, or does not do what it seems to) or "note" (it does nothing). `kind` is "unknown"
    (in no table), "value" (not understood, so the most restrictive one counts), "contradictory", "ineffective",
    "crossPlatform", "notEnforced" (by this release), "reach" (an app or assignment that reaches nobody, or others than
    it seems to) or "wipe" (it can have an account's data removed on this platform: `check` is the check of launches that
    finds it, `signals` those of the device's health that each do it).
    """

    severity: str
    kind: str
    setting: str
    value: Any
    message: str
    check: str | None = None
    signals: tuple[str, ...] = converted(tuple, default=())


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
    """What changes; `verdict` is "same", "stricter", "looser" or "mixed". `launch` is what begins or stops to block or wipe
    accounts at launches, what wipes first."""

    verdict: str
    changes: tuple[SettingChange, ...] = converted(many(SettingChange), default=())
    launch: tuple[LaunchChange, ...] = converted(many(LaunchChange), default=())


def policy_properties() -> tuple[KnownProperty, ...]:
    """Every property of policies that is known, and what becomes of it. Needs no authority and no session."""
    return many(KnownProperty)(take_json(C.mam_policy_properties)["properties"])


def lint(policies: PolicyExport, *, type: DocumentType | None = None) -> tuple[LintedPolicy, ...]:
    """What an administrator should know about policies before they are rolled out.

    `type` is the type of policies of which neither `@odata.type` nor `@odata.context` says it. Raises JSONError (not
    policies), ArgumentError (no type, another type, more than 1000). Needs no authority and no session.
    """
    return many(LintedPolicy)(take_json(C.mam_policy_lint, _export_text(policies, "policies", type))["policies"])


def diff(before: PolicyExport, after: PolicyExport, *, type: DocumentType | None = None) -> PolicyChanges:
    """What changes for whoever comes from under all policies of `before` under those of `after`, by the order that the
    merge uses: from one policy to its merge with others nothing is ever looser. None holds no policy.

    `type` is as for `lint`, of both. Raises JSONError (not policies), ArgumentError (no type, another type, more than
    1000). Needs no authority and no session.
    """
    texts = _export_text(before, "before", type), _export_text(after, "after", type)
    return build(PolicyChanges, take_json(C.mam_policy_diff, *texts))


def _export_text(export: PolicyExport, name: str, type: DocumentType | None) -> bytes:
    return json_text(export if type is None or export is None else {"document": export, "type": type}, name)


@dataclass(frozen=True)
class ExpectedCheckIn:
    """What a check-in would come to. Where it does not deliver (`code`: no licence, or being moved) an app keeps what it
    has; of a user who is `disabled` nothing is shown."""

    delivers: bool
    code: int
    name: str
    message: str
    disabled: bool = False


@dataclass(frozen=True)
class StatedValue:
    """What holds of a setting in one policy; `stated` is False where the policy is silent and `value` holds for that."""

    value: Any
    policy_id: str
    policy_name: str | None
    stated: bool = True


@dataclass(frozen=True)
class SettingDisagreement:
    """A setting of which policies say different things; `resolution` is "strictest", "common" (of lists what all have)
    or "lowestId" (no order)."""

    setting: str
    chosen: Any
    resolution: str
    message: str
    values: tuple[StatedValue, ...] = converted(many(StatedValue), default=())


@dataclass(frozen=True)
class ExplainedDocument:
    """A policy or app configuration of the authority, and why it reaches the user in the app, or does not.

    `why` is "assigned" or "tenantDefault" where it is `delivered`, else what stands in the way: "notAssigned",
    "excluded", "notTargeted", "replaced" (a default, and another policy reaches the user), "refused". `groups` are those
    that bring it to the user.
    """

    id: str
    display_name: str | None
    message: str
    delivered: bool = False
    why: tuple[str, ...] = converted(tuple, default=())
    groups: tuple[str, ...] = converted(tuple, default=())
    excluded_by: tuple[str, ...] = converted(tuple, default=())
    all_users: bool = False
    targets_app: bool = False
    all_apps: bool = False


@dataclass(frozen=True)
class ExplainedUser:
    """Whom it is about."""

    account_id: str
    upn: str
    tenant_id: str | None


def _user(raw: Any) -> ExplainedUser:
    return build(ExplainedUser, raw)


def _check_in(raw: Any) -> ExpectedCheckIn:
    return build(ExpectedCheckIn, raw)


def _effective(raw: Any) -> EffectivePolicy:
    return build(EffectivePolicy, raw)


@dataclass(frozen=True)
class Explanation:
    """What a user gets in an app, and why. `effective` is None where the check-in does not deliver; `app_known` is False
    for an app that nothing at the authority names."""

    app: str
    user: ExplainedUser = converted(_user)
    check_in: ExpectedCheckIn = converted(_check_in)
    effective: EffectivePolicy | None = converted(_effective)
    app_known: bool = False
    may_enroll: bool = False
    disagreements: tuple[SettingDisagreement, ...] = converted(many(SettingDisagreement), default=())
    warnings: tuple[PolicyWarning, ...] = converted(many(PolicyWarning), default=())
    policies: tuple[ExplainedDocument, ...] = converted(many(ExplainedDocument), default=())
    configurations: tuple[ExplainedDocument, ...] = converted(many(ExplainedDocument), default=())


def explain(path: str | os.PathLike[str], user: str, app: str) -> Explanation:
    """What the next check-in of `user` in `app` brings from the authority at `path` (or an `Authority`), by the same
    question, and why each policy reaches the user or does not (mam_policy_explain). Nothing is written.

    Raises NotFoundError (file, user), ArgumentError, StorageError (no authority).
    """
    request = json_text({"user": user, "app": app}, "request")
    return build(Explanation, take_json(C.mam_policy_explain, text(encoded(path), "path"), request))


@dataclass(frozen=True)
class SimulatedAccount:
    """A user in an app."""

    account_id: str
    upn: str
    app: str


@dataclass(frozen=True)
class DeliveredPolicy:
    """A policy that a check-in brings."""

    id: str
    name: str | None


@dataclass(frozen=True)
class SimulatedPosition:
    """Where an account stands: `known` to the authority, and what a check-in brings; `code` is why it brings nothing."""

    known: bool = False
    delivers: bool = False
    code: int | None = None
    name: str | None = None
    disabled: bool = False
    policies: tuple[DeliveredPolicy, ...] = converted(many(DeliveredPolicy), default=())


def _reason(raw: Any) -> Reason:
    return build(Reason, raw)


@dataclass(frozen=True)
class SimulatedAnswer:
    """An answer of `Mam.check`, also as a truth value: one of `allowed` and `required` is None."""

    allowed: bool | None = None
    required: bool | None = None
    reason: Reason | None = converted(_reason)

    def __bool__(self) -> bool:
        return bool(self.allowed if self.required is None else self.required)


def _answer(raw: Any) -> SimulatedAnswer:
    return build(SimulatedAnswer, raw)


@dataclass(frozen=True)
class DecisionChange:
    """How the answer to one request changes: "stricter", "looser" or "reason" (the reason alone)."""

    request: dict[str, Any]
    change: str
    message: str
    before: SimulatedAnswer = converted(_answer)
    after: SimulatedAnswer = converted(_answer)


def _position(raw: Any) -> SimulatedPosition:
    return build(SimulatedPosition, raw)


@dataclass(frozen=True)
class SimulatedChange:
    """What changes for several accounts alike.

    `effect` is "gains" or "loses" (a policy restricts them, or none any more), "refused" (their check-ins, from then on:
    apps keep what they have) or "changes"; `verdict` is "same", "stricter", "looser" or "mixed". `launch` is what begins or
    stops to block or wipe them at launches.
    """

    effect: str
    verdict: str
    message: str
    before: SimulatedPosition = converted(_position)
    after: SimulatedPosition = converted(_position)
    accounts: tuple[SimulatedAccount, ...] = converted(many(SimulatedAccount), default=())
    settings: tuple[SettingChange, ...] = converted(many(SettingChange), default=())
    decisions: tuple[DecisionChange, ...] = converted(many(DecisionChange), default=())
    launch: tuple[LaunchChange, ...] = converted(many(LaunchChange), default=())


def _launch(raw: Any) -> RehearsedLaunch:
    return build(RehearsedLaunch, raw)


@dataclass(frozen=True)
class RehearsedLaunches:
    """What launches would do to several accounts alike, after the actions and `before` them; None for an account that there
    was not."""

    accounts: tuple[SimulatedAccount, ...] = converted(many(SimulatedAccount), default=())
    before: RehearsedLaunch | None = converted(_launch)
    after: RehearsedLaunch | None = converted(_launch)


@dataclass(frozen=True)
class DecisionCounts:
    """How many answers, over all accounts."""

    stricter: int = 0
    looser: int = 0
    reason: int = 0


def _decision_counts(raw: Any) -> DecisionCounts:
    return build(DecisionCounts, raw)


@dataclass(frozen=True)
class SimulationCounts:
    """How many accounts see a change, and of which effect."""

    accounts: int = 0
    gains: int = 0
    loses: int = 0
    refused: int = 0
    changes: int = 0
    decisions: DecisionCounts = converted(_decision_counts)


@dataclass(frozen=True)
class SimulationScope:
    """How much was looked at."""

    users: int = 0
    apps: int = 0
    requests: int = 0


def _counts(raw: Any) -> SimulationCounts:
    return build(SimulationCounts, raw)


def _compared(raw: Any) -> SimulationScope:
    return build(SimulationScope, raw)


@dataclass(frozen=True)
class Simulation:
    """What administrative actions would change, for whom; `warnings` are those of the imports. `launches` are what launches
    would do, where `simulate` was given a `launch`: the wiped first, then the blocked, the warned, the allowed."""

    verdict: str
    compared: SimulationScope = converted(_compared)
    counts: SimulationCounts = converted(_counts)
    warnings: tuple[PolicyWarning, ...] = converted(many(PolicyWarning), default=())
    changes: tuple[SimulatedChange, ...] = converted(many(SimulatedChange), default=())
    launches: tuple[RehearsedLaunches, ...] = converted(many(RehearsedLaunches), default=())

    def accounts(self, effect: str) -> tuple[SimulatedAccount, ...]:
        """The accounts that an effect has: "gains", "loses", "refused" or "changes"."""
        return tuple(account for change in self.changes if change.effect == effect for account in change.accounts)


def simulate(
    path: str | os.PathLike[str],
    changes: Iterable[Mapping[str, Any]],
    *,
    users: Sequence[str] | None = None,
    apps: Sequence[str] | None = None,
    requests: Iterable[Mapping[str, Any]] | None = None,
    device_lock: Literal["on", "off", "notApplicable", "unknown"] | None = None,
    launch: Mapping[str, Any] | None = None,
) -> Simulation:
    """What administrative actions would change, for whom, at the authority at `path` (or an `Authority`), which is not
    written: they are done on a copy in memory, all or none (mam_policy_simulate).

    changes      up to 1000 requests as of `mam.admin`: {"action": "policy.import", "document": {...}}; of the actions of
                 users, groups and policies
    users, apps  whom to look at; None: everybody that the authority knows, before or after
    requests     what to ask about each user: as `mam.request` makes them, without "account"; "*" for locationAccount
                 or sender is the user. None: every predicate and every location
    device_lock  as in `mam.open`
    launch       the computer, person and time at which launches are rehearsed, with the keys of mam.h
                 ("deviceHealth", "device", "offline"...); None: none are

    Raises NotFoundError, ArgumentError, JSONError, AlreadyError (a mistake: `detail` says in which "list" at which
    "index"), ArgumentError (too much to compare), StorageError (no authority).
    """
    request: dict[str, Any] = {"changes": [dict(change) for change in changes]}
    for key, value in (("users", users), ("apps", apps), ("requests", requests)):
        if isinstance(value, (str, bytes)):
            raise TypeError(f"{key} is a list, not one text")
        if value is not None:
            request[key] = list(value)
    if device_lock is not None:
        request["deviceLock"] = device_lock
    if launch is not None:
        request["launch"] = dict(launch)
    reply = take_json(C.mam_policy_simulate, text(encoded(path), "path"), json_text(request, "request"))
    return build(Simulation, reply)
