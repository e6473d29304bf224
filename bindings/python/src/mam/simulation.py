"""Policies before they apply: findings in one, the changes that another one would make, and the accounts it affects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._call import C, Names, json_text, names, objects, take_json, text
from ._names import python_names
from ._records import build, converted, dataclass, many
from .authority import encoded
from .authority_types import PolicyWarning
from .decisions import Reason
from .enums import DocumentType, LockState, PropertyStatus
from .policy import EffectivePolicy
from .simulated_launches import LaunchChange, SimulatedLaunch
from .simulation_enums import Change, Delivery, Effect, FindingKind, FindingSeverity, Resolution, Verdict

#: Policies as Microsoft Graph exports them: one, several, `{"value": ...}` around either, or None.
PolicyExport = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None


@dataclass(frozen=True)
class KnownProperty:
    """A property of policies and how libmam treats it.

    ENFORCED: `shown_by` names the methods whose answers it can change. NOT_ENFORCED: `waits_for` names those that will
    show it. NOT_APPLICABLE: `note` says why. `names` are the values from loose to strict, of lists the members; `neutral`
    restricts least, `strictest` most, `absent` holds if a policy does not state it (or states null), `misread` replaces a
    value that is not understood. None if there is no such value. `wipes`: it can cause a wipe of an account's data.
    """

    property: str
    status: PropertyStatus | str
    note: str
    kind: str | None
    neutral: Any
    strictest: Any
    absent: Any
    misread: Any = None
    wipes: bool = False
    platforms: tuple[str, ...] = converted(tuple, default=())
    shown_by: tuple[str, ...] = converted(python_names, default=())
    waits_for: tuple[str, ...] = converted(python_names, default=())
    names: tuple[str, ...] = converted(tuple, default=())


@dataclass(frozen=True)
class PolicyFinding:
    """A finding about a policy for an administrator, before the policy is rolled out.

    WIPE: `check` is the launch check that finds it, `signals` the signals of the device's health each of which causes it.
    """

    severity: FindingSeverity | str
    kind: FindingKind | str
    setting: str
    value: Any
    message: str
    check: str | None = None
    signals: tuple[str, ...] = converted(tuple, default=())


@dataclass(frozen=True)
class LintedPolicy:
    """A policy and its findings."""

    id: str
    name: str
    platform: str
    findings: tuple[PolicyFinding, ...] = converted(many(PolicyFinding), default=())


@dataclass(frozen=True)
class SettingChange:
    """How one setting differs. None: not stated."""

    setting: str
    before: Any
    after: Any
    change: Change | str
    message: str


@dataclass(frozen=True)
class PolicyChanges:
    """The changes. `launch` lists the causes that begin or stop to
    block or wipe accounts at launches, wipes first."""

    verdict: Verdict | str
    changes: tuple[SettingChange, ...] = converted(many(SettingChange), default=())
    launch: tuple[LaunchChange, ...] = converted(many(LaunchChange), default=())


def policy_properties() -> tuple[KnownProperty, ...]:
    """Every known property of policies and how libmam treats it. Needs no authority and no session."""
    return many(KnownProperty)(take_json(C.mam_policy_properties)["properties"])


def lint(policies: PolicyExport, *, type: DocumentType | str | None = None) -> tuple[LintedPolicy, ...]:
    """Findings about policies for an administrator, before they are rolled out.

    `type` is the type of policies for which neither `@odata.type` nor `@odata.context` states it. Raises JSONError (not
    policies), ArgumentError (no type, another type, more than 1000). Needs no authority and no session.
    """
    return many(LintedPolicy)(take_json(C.mam_policy_lint, _export_text(policies, "policies", type))["policies"])


def diff(before: PolicyExport, after: PolicyExport, *, type: DocumentType | str | None = None) -> PolicyChanges:
    """The changes for a user who moves from all policies of `before` to those of `after`, by the order that the merge
    uses: adding a policy to a merge never loosens anything. None holds no policy.

    `type` is as for `lint`, of both. Raises JSONError (not policies), ArgumentError (no type, another type, more than
    1000). Needs no authority and no session.
    """
    texts = _export_text(before, "before", type), _export_text(after, "after", type)
    return build(PolicyChanges, take_json(C.mam_policy_diff, *texts))


def _export_text(export: PolicyExport, name: str, type: DocumentType | str | None) -> bytes:
    return json_text(export if type is None or export is None else {"document": export, "type": type}, name)


@dataclass(frozen=True)
class ExpectedCheckIn:
    """The result of a check-in. If it delivers nothing (`code`: no licence, or being migrated) an app keeps its policies;
    the data of a user who is `disabled` is not shown."""

    delivers: bool
    code: int
    name: str
    message: str
    disabled: bool = False


@dataclass(frozen=True)
class StatedValue:
    """One policy's value of a setting; `stated` is False if the policy does not state it and `value` is the default."""

    value: Any
    policy_id: str
    policy_name: str | None
    stated: bool = True


@dataclass(frozen=True)
class SettingDisagreement:
    """A setting for which policies have different values."""

    setting: str
    chosen: Any
    resolution: Resolution | str
    message: str
    values: tuple[StatedValue, ...] = converted(many(StatedValue), default=())


@dataclass(frozen=True)
class ExplainedDocument:
    """A policy or app configuration of the authority, and why it reaches the user in the app, or does not.

    `groups` are those that bring it to the user.
    """

    id: str
    display_name: str | None
    message: str
    delivered: bool = False
    why: tuple[Delivery | str, ...] = ()
    groups: tuple[str, ...] = converted(tuple, default=())
    excluded_by: tuple[str, ...] = converted(tuple, default=())
    all_users: bool = False
    targets_app: bool = False
    all_apps: bool = False


@dataclass(frozen=True)
class ExplainedUser:
    """The user of an explanation."""

    account_id: str
    upn: str
    tenant_id: str | None


def _user(raw: Any) -> ExplainedUser:
    return build(ExplainedUser, raw)


def _check_in(raw: Any) -> ExpectedCheckIn:
    return build(ExpectedCheckIn, raw)


def _effective(raw: Any) -> EffectivePolicy:
    return build(EffectivePolicy, raw)


def _reason(raw: Any) -> Reason:
    return build(Reason, raw)


@dataclass(frozen=True)
class ExplainedDecision:
    """The answer to one request of `Mam.check` under the policies of an explanation, also as a truth value: one of
    `allowed` and `required` is None."""

    request: dict[str, Any]
    allowed: bool | None = None
    required: bool | None = None
    reason: Reason | None = converted(_reason)

    def __bool__(self) -> bool:
        return bool(self.allowed if self.required is None else self.required)


@dataclass(frozen=True)
class Explanation:
    """The policies and configurations of a user in an app, and why. `effective` is None if the check-in delivers nothing;
    `app_known` is False for an app that nothing at the authority names; `decisions` answer the default requests of
    `simulate`."""

    app: str
    user: ExplainedUser = converted(_user)
    check_in: ExpectedCheckIn = converted(_check_in)
    effective: EffectivePolicy | None = converted(_effective)
    app_known: bool = False
    may_enroll: bool = False
    decisions: tuple[ExplainedDecision, ...] = converted(many(ExplainedDecision), default=())
    disagreements: tuple[SettingDisagreement, ...] = converted(many(SettingDisagreement), default=())
    warnings: tuple[PolicyWarning, ...] = converted(many(PolicyWarning), default=())
    policies: tuple[ExplainedDocument, ...] = converted(many(ExplainedDocument), default=())
    configurations: tuple[ExplainedDocument, ...] = converted(many(ExplainedDocument), default=())


def explain(path: str | os.PathLike[str], user: str, app: str) -> Explanation:
    """The policies that the next check-in of `user` in `app` delivers from the authority at `path` (or an `Authority`),
    and why each policy reaches the user or does not. It runs the check-in's own query and writes
    nothing.

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
    """A policy that a check-in delivers."""

    id: str
    name: str | None


@dataclass(frozen=True)
class SimulatedPosition:
    """The position of an account: `known` to the authority, and what a check-in delivers; `code` is why it delivers
    nothing."""

    known: bool = False
    delivers: bool = False
    code: int | None = None
    name: str | None = None
    disabled: bool = False
    policies: tuple[DeliveredPolicy, ...] = converted(many(DeliveredPolicy), default=())


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
    """How the answer to one request changes."""

    request: dict[str, Any]
    change: Change | str
    message: str
    before: SimulatedAnswer = converted(_answer)
    after: SimulatedAnswer = converted(_answer)


def _position(raw: Any) -> SimulatedPosition:
    return build(SimulatedPosition, raw)


@dataclass(frozen=True)
class SimulatedChange:
    """A change that several accounts share.

    `launch` lists the causes that begin or stop to block or wipe them at launches.
    """

    effect: Effect | str
    verdict: Verdict | str
    message: str
    before: SimulatedPosition = converted(_position)
    after: SimulatedPosition = converted(_position)
    accounts: tuple[SimulatedAccount, ...] = converted(many(SimulatedAccount), default=())
    settings: tuple[SettingChange, ...] = converted(many(SettingChange), default=())
    decisions: tuple[DecisionChange, ...] = converted(many(DecisionChange), default=())
    launch: tuple[LaunchChange, ...] = converted(many(LaunchChange), default=())


def _launch(raw: Any) -> SimulatedLaunch:
    return build(SimulatedLaunch, raw)


@dataclass(frozen=True)
class SimulatedLaunches:
    """The launches of several accounts with the same result, after the actions and `before` them; None for an account
    that did not exist before."""

    accounts: tuple[SimulatedAccount, ...] = converted(many(SimulatedAccount), default=())
    before: SimulatedLaunch | None = converted(_launch)
    after: SimulatedLaunch | None = converted(_launch)


@dataclass(frozen=True)
class DecisionCounts:
    """The number of answers, over all accounts."""

    stricter: int = 0
    looser: int = 0
    reason: int = 0


def _decision_counts(raw: Any) -> DecisionCounts:
    return build(DecisionCounts, raw)


@dataclass(frozen=True)
class SimulationCounts:
    """The number of accounts with a change, by effect."""

    accounts: int = 0
    gains: int = 0
    loses: int = 0
    refused: int = 0
    changes: int = 0
    decisions: DecisionCounts = converted(_decision_counts)


@dataclass(frozen=True)
class SimulationScope:
    """The size of a simulation."""

    users: int = 0
    apps: int = 0
    requests: int = 0


def _counts(raw: Any) -> SimulationCounts:
    return build(SimulationCounts, raw)


def _compared(raw: Any) -> SimulationScope:
    return build(SimulationScope, raw)


@dataclass(frozen=True)
class Simulation:
    """The changes that administrative actions would make, and the accounts they affect; `warnings` are those of the
    imports. `launches` are the simulated launches, if `simulate` was given a `launch`: the wiped first, then the blocked,
    the warned, the allowed."""

    verdict: Verdict | str
    compared: SimulationScope = converted(_compared)
    counts: SimulationCounts = converted(_counts)
    warnings: tuple[PolicyWarning, ...] = converted(many(PolicyWarning), default=())
    changes: tuple[SimulatedChange, ...] = converted(many(SimulatedChange), default=())
    launches: tuple[SimulatedLaunches, ...] = converted(many(SimulatedLaunches), default=())

    def accounts(self, effect: Effect | str) -> tuple[SimulatedAccount, ...]:
        """The accounts with an effect."""
        return tuple(account for change in self.changes if change.effect == effect for account in change.accounts)


def simulate(
    path: str | os.PathLike[str],
    changes: Iterable[Mapping[str, Any]],
    *,
    users: Names[str] | None = None,
    apps: Names[str] | None = None,
    requests: Iterable[Mapping[str, Any]] | None = None,
    device_lock: LockState | str | None = None,
    launch: Mapping[str, Any] | None = None,
) -> Simulation:
    """The changes that administrative actions would make, and the accounts they affect, at the authority at `path` (or an
    `Authority`). The authority is not written: the actions run on a copy in memory, all or none.

    changes      up to 1000 requests as of `mam.admin`: {"action": "policy.import", "document": {...}}; of the actions of
                 users, groups and policies
    users, apps  the users and apps to examine; None: all that the authority knows, before or after
    requests     the requests for each user: as `mam.request` makes them, without "account"; "*" for locationAccount or
                 sender is the user. None: every predicate and every location
    device_lock  as in `mam.open`
    launch       the computer, person and time of simulated launches, with its keys ("deviceHealth", "device",
                 "offline"...); None: no launches

    Raises NotFoundError, ArgumentError, JSONError, AlreadyError (a mistake: `detail` states the "list" and the "index"),
    ArgumentError (too much to compare), StorageError (no authority).
    """
    request: dict[str, Any] = {"changes": objects(changes, "changes")}
    for key, value in (("users", users), ("apps", apps)):
        if value is not None:
            request[key] = names(value, key)
    if requests is not None:
        request["requests"] = objects(requests, "requests")
    if device_lock is not None:
        request["deviceLock"] = device_lock
    if launch is not None:
        request["launch"] = dict(launch)
    reply = take_json(C.mam_policy_simulate, text(encoded(path), "path"), json_text(request, "request"))
    return build(Simulation, reply)
