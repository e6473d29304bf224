"""The objects of the embedded authority, as docs/authority.md describes them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ._records import converted, dataclass, many, moment, one
from .enums import Custody, FaultKind, FaultOperation, PropertyStatus


@dataclass(frozen=True)
class AuthorityInfo:
    """The authority itself. `custody_reason`: why its custody is DEVELOPMENT. `revision`: the number of changes."""

    path: str
    name: str | None
    tenant_id: str | None
    custody: Custody | str | None
    custody_reason: str | None = None
    revision: int = 0
    check_in_interval: str | None = None
    domains: tuple[str, ...] = converted(tuple, default=())
    users: int = 0
    groups: int = 0
    apps: int = 0
    policies: int = 0
    configurations: int = 0
    registrations: int = 0
    wipes: int = 0


@dataclass(frozen=True)
class AuthorityKey:
    """An authority's key. `key`: 32 bytes in base64, for "keys" of the authority in `open`; None if it has none. `number`
    counts its keys from 1. `can_sign`: this user may read the key file."""

    authority: str | None
    number: int
    key: str | None
    key_file: str
    can_sign: bool


@dataclass(frozen=True)
class User:
    """A user; `requires_token`: apps answer the accessToken question to enroll the user."""

    account_id: str
    upn: str
    tenant_id: str | None
    display_name: str | None
    enabled: bool = True
    licensed: bool = True
    migrating: bool = False
    requires_token: bool = False
    groups: tuple[str, ...] = converted(tuple, default=())


@dataclass(frozen=True)
class LostPolicies:
    """Users whom a change leaves without any policy: nothing protects their data from the next check-in on. `users` and `apps`
    are the first 20 of each, `user_count` and `app_count` how many there are; `app_user_counts` are the users of each app
    in `apps`, `other_apps` whether it is so in every other app too, and `other_apps_user_count` for how many."""

    users: tuple[str, ...] = converted(tuple, default=())
    user_count: int = 0
    apps: tuple[str, ...] = converted(tuple, default=())
    app_user_counts: tuple[int, ...] = converted(tuple, default=())
    app_count: int = 0
    other_apps: bool = False
    other_apps_user_count: int = 0


@dataclass(frozen=True)
class ImportedUsers:
    """Users of one kind in an import: `users` are the UPNs of the first 20, `user_count` how many there are."""

    users: tuple[str, ...] = converted(tuple, default=())
    user_count: int = 0


@dataclass(frozen=True)
class KeptMember:
    """A user who stays in groups that their row of an import does not name."""

    upn: str
    groups: tuple[str, ...] = converted(tuple, default=())


@dataclass(frozen=True)
class KeptMembers:
    """The first 20 users who stay in groups that their rows do not name; `user_count` is how many there are."""

    users: tuple[KeptMember, ...] = converted(many(KeptMember), default=())
    user_count: int = 0


@dataclass(frozen=True)
class UserImport:
    """The result of importing users: how many of each, the names of the groups that were added, and notes: on users who have
    the former UPN of another one, or the display name of one who is missing, and on disabled ones. Each of these is None for
    nobody: `without_policy`, users who lose their last policy; `unreached`, new users whom no policy reaches; and of an
    update `absent`, users whom the list does not name, and `kept_groups`, users who stay in groups that it does not name."""

    added: int
    changed: int
    unchanged: int
    groups: tuple[str, ...] = converted(tuple, default=())
    notes: tuple[str, ...] = converted(tuple, default=())
    without_policy: LostPolicies | None = converted(one(LostPolicies))
    unreached: ImportedUsers | None = converted(one(ImportedUsers))
    absent: ImportedUsers | None = converted(one(ImportedUsers))
    kept_groups: KeptMembers | None = converted(one(KeptMembers))


@dataclass(frozen=True)
class Group:
    """A group; `members` are UPNs. `without_policy`: users whom the change that returns this leaves without any policy; None
    for nobody."""

    id: str
    name: str
    members: tuple[str, ...] = converted(tuple, default=())
    note: str | None = None
    without_policy: LostPolicies | None = converted(one(LostPolicies))


@dataclass(frozen=True)
class App:
    """An app that policies or app configurations target or that registered."""

    id: str
    policies: int = 0
    configurations: int = 0
    registrations: int = 0


@dataclass(frozen=True)
class PolicyCounts:
    """How many properties of a policy are enforced, do not apply here, and are unknown."""

    enforced: int = 0
    not_applicable: int = 0
    unknown: int = 0


@dataclass(frozen=True)
class PolicyProperty:
    """One property of an imported policy."""

    property: str
    value: Any
    status: PropertyStatus | str
    note: str | None = None


@dataclass(frozen=True)
class PolicyWarning:
    """A part of a policy that does not do what it appears to do. `kind` is as in `PolicyFinding`, None in an
    explanation."""

    policy_id: str | None
    setting: str | None
    value: Any
    message: str | None
    kind: str | None = None


@dataclass(frozen=True)
class PolicySummary:
    """A policy and the users it reaches. `import_id` is the import that it came with; only `Authority.policy` fills
    `properties` and `warnings`. Of a change, `note` says what has no effect, and `without_policy` which users it leaves
    without any policy; None for nobody."""

    id: str
    display_name: str | None
    platform: str | None
    type: str | None
    encrypts_files: bool = False
    import_id: str | None = converted(str, key="import")
    groups: tuple[str, ...] = converted(tuple, default=())
    excluded_groups: tuple[str, ...] = converted(tuple, default=())
    all_users: bool = False
    apps: tuple[str, ...] = converted(tuple, default=())
    all_apps: bool = False
    counts: PolicyCounts | None = converted(one(PolicyCounts))
    properties: tuple[PolicyProperty, ...] = converted(many(PolicyProperty), default=())
    warnings: tuple[PolicyWarning, ...] = converted(many(PolicyWarning), default=())
    note: str | None = None
    without_policy: LostPolicies | None = converted(one(LostPolicies))


def _configurations(raw: Any) -> tuple[ConfigurationSummary, ...]:
    return many(ConfigurationSummary)(raw)


@dataclass(frozen=True)
class Import:
    """The result of importing one document. `without_policy`: users whom it leaves without any policy; None for nobody."""

    import_id: str = converted(str, key="import", default="")
    policies: tuple[PolicySummary, ...] = converted(many(PolicySummary), default=())
    configurations: tuple[ConfigurationSummary, ...] = converted(_configurations, default=())
    warnings: tuple[PolicyWarning, ...] = converted(many(PolicyWarning), default=())
    without_policy: LostPolicies | None = converted(one(LostPolicies))


@dataclass(frozen=True)
class ConfigurationWarning:
    """A part of an app configuration that reaches no user, or other users than it appears to; `kind` is "reach"."""

    configuration_id: str | None
    setting: str | None
    value: Any
    message: str | None
    kind: str | None = None


@dataclass(frozen=True)
class ConfigurationSummary:
    """An app configuration and the users it reaches; `settings` counts its settings. Only `Authority.configuration` fills
    `values` and `warnings`."""

    id: str
    display_name: str | None
    tenant_default: bool
    type: str | None
    import_id: str | None = converted(str, key="import")
    groups: tuple[str, ...] = converted(tuple, default=())
    excluded_groups: tuple[str, ...] = converted(tuple, default=())
    all_users: bool = False
    apps: tuple[str, ...] = converted(tuple, default=())
    all_apps: bool = False
    settings: int = 0
    values: Mapping[str, str] | None = None
    warnings: tuple[ConfigurationWarning, ...] = converted(many(ConfigurationWarning), default=())


@dataclass(frozen=True)
class ConfigurationImport:
    """The result of importing one document of app configurations."""

    import_id: str = converted(str, key="import", default="")
    configurations: tuple[ConfigurationSummary, ...] = converted(many(ConfigurationSummary), default=())
    warnings: tuple[ConfigurationWarning, ...] = converted(many(ConfigurationWarning), default=())


@dataclass(frozen=True)
class Registration:
    """One app of one user on one device."""

    id: str
    account_id: str | None
    upn: str | None
    app: str | None
    app_version: str | None
    device_tag: str | None
    platform: str | None
    platform_version: str | None
    sdk_version: str | None
    created_date_time: datetime | None = converted(moment)
    last_sync_date_time: datetime | None = converted(moment)
    state_generation: int | None = None


@dataclass(frozen=True)
class Wipe:
    """A requested wipe; `pending` and `done` count registrations. `app` and `device_tag` None: all. `note` states what
    the counts omit: apps of other users, which may only read the authority's file; None if nothing."""

    id: int
    account_id: str | None
    upn: str | None
    app: str | None
    device_tag: str | None
    requested_date_time: datetime | None = converted(moment)
    pending: int = 0
    done: int = 0
    note: str | None = None


@dataclass(frozen=True)
class Fault:
    """A simulated failure. `operation` None: all; `count` None: until cleared."""

    fault: FaultKind | str
    operation: FaultOperation | str | None = None
    count: int | None = None
