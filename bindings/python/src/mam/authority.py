"""The embedded authority: one file that acts as the MAM service on this computer."""

from __future__ import annotations

import enum
import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal

from ._call import C, Names, domain_names, json_text, names, objects, take_json, text
from ._records import build, iso_duration, present
from .authority_types import (
    App,
    AuthorityInfo,
    AuthorityKey,
    ConfigurationImport,
    ConfigurationSummary,
    Fault,
    Group,
    Import,
    PolicySummary,
    Registration,
    User,
    UserImport,
    Wipe,
)
from .enums import DocumentType, FaultKind, FaultOperation
from .errors import argument_error


class _Unset(enum.Enum):
    UNSET = "UNSET"


# Default of arguments for which None has a meaning of its own: leave the value unchanged.
_UNSET = _Unset.UNSET
_Maybe = Literal[_Unset.UNSET]


def admin(path: str | bytes | os.PathLike[str], action: str, **keys: Any) -> dict[str, Any]:
    """Perform one action of docs/authority.md on the authority in the file `path` and return its reply.

    Keys are the request's own (`displayName=...`), and None is sent as null. `Authority` has a method for every action.
    Raises JSONError, ArgumentError, NotFoundError (file, user, policy), AlreadyError, PermissionError (the authority
    belongs to another user), StorageError. Mirrors the Graph resources of managedAppPolicy and its relatives.
    """
    request = json_text({"action": action, **keys}, "request")
    return dict(take_json(C.mam_admin, text(encoded(path), "path"), request))


def encoded(path: str | bytes | os.PathLike[str]) -> bytes:
    """A path's bytes."""
    try:
        return os.fsencode(path)
    except UnicodeEncodeError:
        raise argument_error("path", "path holds a lone surrogate, which UTF-8 has no bytes for") from None


class Authority:
    """An embedded authority's file. It holds nothing open: every method is one `mam.admin` and raises its errors.

    `user` is an account id or a UPN, `group` a group's id or name, `policy` a policy's id, `config` an app
    configuration's, `app` an app's id.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)

    @classmethod
    def create(cls, path: str | os.PathLike[str], *, tenant_id: str | None = None, name: str | None = None) -> Authority:
        """Create the file. Raises AlreadyError if it exists."""
        authority = cls(path)
        authority._do("authority.create", tenant_id=tenant_id, name=name)
        return authority

    def __repr__(self) -> str:
        return f"mam.Authority({self.path!r})"

    def __fspath__(self) -> str:
        return self.path

    def _do(self, action: str, **keys: Any) -> dict[str, Any]:
        """Perform an action with the keys that are not None, in camel case."""
        return admin(self.path, action, **present(**keys))

    # The authority

    def show(self) -> AuthorityInfo:
        """The authority's settings and how many objects it holds."""
        return build(AuthorityInfo, self._do("authority.show"))

    def set(
        self,
        *,
        name: str | None = None,
        check_in_interval: timedelta | float | str | _Maybe | None = _UNSET,
        domains: Names[str] | None = None,
    ) -> AuthorityInfo:
        """Set the name, the check-in interval of apps (one minute to one day; None: the default), or the domains of the
        organisation's names ([]: apps use those of managed accounts)."""
        keys = present(name=name, domains=None if domains is None else domain_names(domains, "domains"))
        if check_in_interval is not _UNSET:
            keys["checkInInterval"] = None if check_in_interval is None else iso_duration(check_in_interval)
        return build(AuthorityInfo, admin(self.path, "authority.set", **keys))

    def accept(self) -> AuthorityInfo:
        """Accept an older copy that was put back: apps refuse a file with a lower `revision` than they have seen. Repeat first what
        was decided after the copy was made."""
        return build(AuthorityInfo, self._do("authority.accept"))

    def key(self) -> AuthorityKey:
        """The current signing key."""
        return build(AuthorityKey, self._do("key.show"))

    def rotate_key(self) -> AuthorityKey:
        """Begin a new key, signed by the previous one; apps that know that one follow. Raises PermissionError
        without the key file."""
        return build(AuthorityKey, self._do("key.rotate"))

    def sign(self) -> AuthorityKey:
        """Sign all rows as they are, after the file was changed outside libmam. Check all of it first."""
        return build(AuthorityKey, self._do("key.sign"))

    # Users

    def add_user(
        self,
        upn: str,
        *,
        account_id: str | None = None,
        tenant_id: str | None = None,
        display_name: str | None = None,
        licensed: bool | None = None,
        enabled: bool | None = None,
        access_token_file: str | os.PathLike[str] | None = None,
    ) -> User:
        """Add a user. `access_token_file` names a file with the token that apps must present to enroll the user."""
        reply = self._do(
            "user.add", upn=upn, account_id=account_id, tenant_id=tenant_id, display_name=display_name,
            licensed=licensed, enabled=enabled, access_token_file=_path(access_token_file),
        )  # fmt: skip
        return build(User, reply)

    def set_user(
        self,
        user: str,
        *,
        upn: str | None = None,
        display_name: str | None = None,
        enabled: bool | None = None,
        licensed: bool | None = None,
        migrating: bool | None = None,
        access_token_file: str | os.PathLike[str] | _Maybe | None = _UNSET,
    ) -> User:
        """Change the given fields; `access_token_file=None` removes the token requirement."""
        keys = present(user=user, upn=upn, display_name=display_name, enabled=enabled, licensed=licensed, migrating=migrating)
        if access_token_file is not _UNSET:
            keys["accessTokenFile"] = _path(access_token_file)
        return build(User, admin(self.path, "user.set", **keys))

    def user(self, user: str) -> User:
        """One user."""
        return build(User, self._do("user.show", user=user))

    def remove_user(self, user: str, *, force: bool | None = None) -> User:
        """Remove a user; returns the removed user. One with enrollments, whose data would stay readable, is removed only with
        `force`: else DeniedError. Request the wipe, see it done, then remove the user."""
        return build(User, self._do("user.remove", user=user, force=force))

    def users(self) -> list[User]:
        """All users, oldest first."""
        return [build(User, raw) for raw in self._do("user.list")["users"]]

    def import_users(
        self, users: Sequence[Mapping[str, Any]], *, update: bool | None = None, dry_run: bool | None = None
    ) -> UserImport:
        """Add many users and their groups at once, all of them or none: mappings with the keys of docs/authority.md
        (`upn`, `displayName`, `groups`...). A user that exists is left as it is where the mapping says the same; else
        AlreadyError, or with `update` it is changed. `dry_run` returns the same and writes nothing. An error's detail has
        "list" and "index"."""
        return build(UserImport, self._do("user.import", users=objects(users, "users"), update=update, dryRun=dry_run))

    # Groups

    def add_group(self, name: str, *, id: str | None = None) -> Group:
        """Add a group. With the `id` that an export's assignments name, those assignments take effect."""
        return build(Group, self._do("group.add", name=name, id=id))

    def group(self, group: str) -> Group:
        """One group."""
        return build(Group, self._do("group.show", group=group))

    def remove_group(self, group: str, *, dry_run: bool | None = None) -> Group:
        """Remove a group; returns the removed group. `dry_run` returns the same and removes nothing."""
        return build(Group, self._do("group.remove", group=group, dryRun=dry_run))

    def groups(self) -> list[Group]:
        """All groups, oldest first."""
        return [build(Group, raw) for raw in self._do("group.list")["groups"]]

    def add_member(self, group: str, user: str) -> Group:
        """Add a user to a group."""
        return build(Group, self._do("group.addMember", group=group, user=user))

    def remove_member(self, group: str, user: str) -> Group:
        """Remove a user from a group."""
        return build(Group, self._do("group.removeMember", group=group, user=user))

    # Apps and policies

    def apps(self) -> list[App]:
        """Apps that policies or app configurations target or that registered."""
        return [build(App, raw) for raw in self._do("app.list")["apps"]]

    def import_policy(
        self,
        document: Mapping[str, Any] | Sequence[Any],
        *,
        type: DocumentType | str | None = None,
        replace: bool | None = None,
        groups: Names[str] | None = None,
        all_users: bool | None = None,
        apps: Names[str] | None = None,
        all_apps: bool | None = None,
        dry_run: bool | None = None,
    ) -> Import:
        """Import a Microsoft Graph export, unchanged: a policy, a list, or {"value": ...} around either. App
        configurations among the policies are imported as well. Either everything is imported or nothing.

        `groups`, `all_users`, `apps` and `all_apps` add users and apps to those that each document states. `dry_run`
        returns the same and writes nothing.

        `type` is the type of documents for which neither `@odata.type` nor `@odata.context` states it; ArgumentError if
        nothing does. A policy with an existing id replaces that policy and keeps its assignments and apps. A policy
        without an id but with the name and type of another, and one with the id but not the type of another, raises
        AlreadyError, or with `replace` replaces it. Check `warnings`.
        """
        keys = present(type=type, replace=replace, allUsers=all_users, allApps=all_apps, dryRun=dry_run)
        return build(Import, self._do("policy.import", document=document, **self._reach(groups, apps), **keys))

    @staticmethod
    def _reach(groups: Names[str] | None, apps: Names[str] | None) -> dict[str, list[str]]:
        given = {"groups": groups, "apps": apps}
        return {key: names(values, key) for key, values in given.items() if values is not None}

    def policies(self) -> list[PolicySummary]:
        """All policies, oldest first."""
        return [build(PolicySummary, raw) for raw in self._do("policy.list")["policies"]]

    def policy(self, policy: str) -> PolicySummary:
        """One policy, with the result of each of its properties."""
        return build(PolicySummary, self._do("policy.show", policy=policy))

    def export_policy(self, policy: str | None = None, *, import_id: str | None = None) -> Any:
        """The imported document of one policy or of one import."""
        return self._export("policy.export", import_id, policy=policy)

    def remove_policy(self, policy: str, *, dry_run: bool | None = None) -> PolicySummary:
        """Remove a policy; returns the removed policy. `dry_run` returns the same and removes nothing."""
        return build(PolicySummary, self._do("policy.remove", policy=policy, dryRun=dry_run))

    def assign(
        self, policy: str, group: str | None = None, *, all_users: bool | None = None, exclude: bool | None = None
    ) -> PolicySummary:
        """Assign a policy to a group or to all users; `exclude` excludes a group's members instead."""
        return self._policy("policy.assign", policy, group=group, all_users=all_users, exclude=exclude)

    def unassign(
        self, policy: str, group: str | None = None, *, all_users: bool | None = None, exclude: bool | None = None
    ) -> PolicySummary:
        """Undo an `assign` with the same arguments."""
        return self._policy("policy.unassign", policy, group=group, all_users=all_users, exclude=exclude)

    def target(self, policy: str, app: str | None = None, *, all_apps: bool | None = None) -> PolicySummary:
        """Target a policy at an app or at all apps."""
        return self._policy("policy.target", policy, app=app, all_apps=all_apps)

    def untarget(self, policy: str, app: str | None = None, *, all_apps: bool | None = None) -> PolicySummary:
        """Undo a `target` with the same arguments."""
        return self._policy("policy.untarget", policy, app=app, all_apps=all_apps)

    def _policy(self, action: str, policy: str, **keys: Any) -> PolicySummary:
        return build(PolicySummary, self._do(action, policy=policy, **keys))

    # App configurations

    def import_configuration(
        self,
        document: Mapping[str, Any] | Sequence[Any],
        *,
        type: DocumentType | str | None = None,
        replace: bool | None = None,
        groups: Names[str] | None = None,
        all_users: bool | None = None,
        apps: Names[str] | None = None,
        all_apps: bool | None = None,
        dry_run: bool | None = None,
    ) -> ConfigurationImport:
        """Import a Microsoft Graph export of targetedManagedAppConfiguration, in the forms of `import_policy`, with the
        same other arguments.

        The setting `__IsDefault` makes one the tenant default, which reaches every user; a second one raises
        AlreadyError.
        """
        keys = present(type=type, replace=replace, allUsers=all_users, allApps=all_apps, dryRun=dry_run)
        return build(ConfigurationImport, self._do("config.import", document=document, **self._reach(groups, apps), **keys))

    def configurations(self) -> list[ConfigurationSummary]:
        """All app configurations, oldest first."""
        return [build(ConfigurationSummary, raw) for raw in self._do("config.list")["configurations"]]

    def configuration(self, config: str) -> ConfigurationSummary:
        """One app configuration, with its settings."""
        return self._configuration("config.show", config)

    def export_configuration(self, config: str | None = None, *, import_id: str | None = None) -> Any:
        """The imported document of one app configuration or of one import."""
        return self._export("config.export", import_id, config=config)

    def remove_configuration(self, config: str, *, dry_run: bool | None = None) -> ConfigurationSummary:
        """Remove an app configuration; returns the removed configuration. `dry_run` returns the same and removes nothing."""
        return self._configuration("config.remove", config, dryRun=dry_run)

    def assign_configuration(
        self, config: str, group: str | None = None, *, all_users: bool | None = None, exclude: bool | None = None
    ) -> ConfigurationSummary:
        """Assign an app configuration to a group or to all users; `exclude` excludes a group's members instead."""
        return self._configuration("config.assign", config, group=group, all_users=all_users, exclude=exclude)

    def unassign_configuration(
        self, config: str, group: str | None = None, *, all_users: bool | None = None, exclude: bool | None = None
    ) -> ConfigurationSummary:
        """Undo an `assign_configuration` with the same arguments."""
        return self._configuration("config.unassign", config, group=group, all_users=all_users, exclude=exclude)

    def target_configuration(self, config: str, app: str | None = None, *, all_apps: bool | None = None) -> ConfigurationSummary:
        """Target an app configuration at an app or at all apps."""
        return self._configuration("config.target", config, app=app, all_apps=all_apps)

    def untarget_configuration(self, config: str, app: str | None = None, *, all_apps: bool | None = None) -> ConfigurationSummary:
        """Undo a `target_configuration` with the same arguments."""
        return self._configuration("config.untarget", config, app=app, all_apps=all_apps)

    def _configuration(self, action: str, config: str, **keys: Any) -> ConfigurationSummary:
        return build(ConfigurationSummary, self._do(action, config=config, **keys))

    def _export(self, action: str, import_id: str | None, **keys: Any) -> Any:
        keys = present(**keys)
        if import_id is not None:
            keys["import"] = import_id
        return admin(self.path, action, **keys)["document"]

    # Registrations, wipes, devices

    def registrations(self, *, user: str | None = None, app: str | None = None) -> list[Registration]:
        """The registrations of apps and users."""
        reply = self._do("registration.list", user=user, app=app)
        return [build(Registration, raw) for raw in reply["registrations"]]

    def remove_registration(self, registration: str) -> Registration:
        """Remove a registration: the app's next check-in ends with StatusCode.POLICY_RECORD_GONE."""
        return build(Registration, self._do("registration.remove", registration=registration))

    def request_wipe(self, user: str, *, app: str | None = None, device_tag: str | None = None) -> Wipe:
        """Wipe a user's apps at their next check-in; without `app` and `device_tag`, all of them. Raises NotFoundError for an
        app or device that the authority has never met; where apps may only read the file, the wipe's `note` says so."""
        return build(Wipe, self._do("wipe.request", user=user, app=app, device_tag=device_tag))

    def wipes(self) -> list[Wipe]:
        """All requested wipes."""
        return [build(Wipe, raw) for raw in self._do("wipe.list")["wipes"]]

    def cancel_wipe(self, wipe: int | Wipe) -> Wipe:
        """Cancel the part of a wipe that is still pending."""
        return build(Wipe, self._do("wipe.cancel", wipe=wipe.id if isinstance(wipe, Wipe) else wipe))

    def block_device(self, device_tag: str) -> bool:
        """Block a device: no app on it can enroll. Returns whether the device is blocked. A tag with which no account enrolled is
        NotFoundError, unless apps may only read the authority."""
        return bool(self._do("device.block", device_tag=device_tag)["blocked"])

    def devices(self) -> list[dict[str, Any]]:
        """The progress of each device's state, which states were older than before, and every wipe on the device, as
        device.list of docs/authority.md returns them. Kept longer than registrations, if apps can write the file."""
        return list(self._do("device.list")["devices"])

    def unblock_device(self, device_tag: str) -> bool:
        """Unblock a device; returns whether the device is blocked."""
        return bool(self._do("device.unblock", device_tag=device_tag)["blocked"])

    # Faults

    def set_fault(
        self, fault: FaultKind | str, *, operation: FaultOperation | str | None = None, count: int | None = None
    ) -> list[Fault]:
        """Simulate a failure, to see how an app handles it.

        operation  None: all
        count      how often; None: until `clear_faults`
        """
        return self._faults("fault.set", fault=fault, operation=operation, count=count)

    def clear_faults(self) -> list[Fault]:
        """Stop simulating failures."""
        return self._faults("fault.clear")

    def faults(self) -> list[Fault]:
        """The failures that are being simulated."""
        return self._faults("fault.list")

    def _faults(self, action: str, **keys: Any) -> list[Fault]:
        return [build(Fault, raw) for raw in self._do(action, **keys)["faults"]]


def _path(path: str | os.PathLike[str] | _Maybe | None) -> str | None:
    return None if path is None or path is _UNSET else os.fspath(path)
