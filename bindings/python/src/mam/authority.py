"""The embedded authority: one file that plays the MAM service on this computer."""

from __future__ import annotations

import enum
import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Literal

from ._call import C, json_text, take_json, text
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
    Wipe,
)
from .errors import argument_error


#: The types of documents, as `import_policy` and `lint` take them.
DocumentType = Literal["ios", "android", "windows", "linux", "default", "config"]


class _Unset(enum.Enum):
    UNSET = "UNSET"


# Where None has a meaning of its own, this one says "leave it as it is".
_UNSET = _Unset.UNSET
_Maybe = Literal[_Unset.UNSET]


def admin(path: str | bytes | os.PathLike[str], action: str, **keys: Any) -> dict[str, Any]:
    """Do one action of docs/authority.md on the authority in the file `path` and return its reply.

    Keys are the request's own (`displayName=...`), and None is sent as null. `Authority` has a method for every action.
    Raises JSONError, ArgumentError, NotFoundError (file, user, policy), AlreadyError, StatePermissionError (not your
    authority), StorageError. Mirrors the Graph resources of managedAppPolicy and its relatives.
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
    """An embedded authority's file. It holds nothing open: every method is one `mam.admin`, which tells the errors.

    `user` is an account id or a UPN, `group` a group's id or name, `policy` a policy's id, `config` an app
    configuration's, `app` an app's id.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)

    @classmethod
    def create(
        cls, path: str | os.PathLike[str], *, tenant_id: str | None = None, name: str | None = None
    ) -> Authority:
        """Make the file. AlreadyError where it exists."""
        authority = cls(path)
        authority._do("authority.create", tenant_id=tenant_id, name=name)
        return authority

    def __repr__(self) -> str:
        return f"mam.Authority({self.path!r})"

    def __fspath__(self) -> str:
        return self.path

    def _do(self, action: str, **keys: Any) -> dict[str, Any]:
        """An action with the keys that are there, in camel case."""
        return admin(self.path, action, **present(**keys))

    # The authority

    def show(self) -> AuthorityInfo:
        """What the authority is and how much it holds."""
        return build(AuthorityInfo, self._do("authority.show"))

    def set(
        self,
        *,
        name: str | None = None,
        check_in_interval: timedelta | float | str | None | _Maybe = _UNSET,
        domains: Sequence[str] | None = None,
    ) -> AuthorityInfo:
        """Set the name, how often apps check in (one minute to one day; None: the default), or the domains of the
        organisation's names ([]: apps go by those of managed accounts)."""
        keys = present(name=name, domains=None if domains is None else list(domains))
        if check_in_interval is not _UNSET:
            keys["checkInInterval"] = None if check_in_interval is None else iso_duration(check_in_interval)
        return build(AuthorityInfo, admin(self.path, "authority.set", **keys))

    def key(self) -> AuthorityKey:
        """The key that the authority signs with now."""
        return build(AuthorityKey, self._do("key.show"))

    def rotate_key(self) -> AuthorityKey:
        """Begin a new key, which the one before it signs: apps that know that one follow. StatePermissionError without the key file."""
        return build(AuthorityKey, self._do("key.rotate"))

    def sign(self) -> AuthorityKey:
        """Sign all rows as they stand, where the file was changed outside libmam. Look at all of it first."""
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
        """Add a user. `access_token_file` names a file with the token that apps must then show to enroll the user."""
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
        access_token_file: str | os.PathLike[str] | None | _Maybe = _UNSET,
    ) -> User:
        """Change what is given; `access_token_file=None` asks for no token any more."""
        keys = present(
            user=user, upn=upn, display_name=display_name, enabled=enabled, licensed=licensed, migrating=migrating
        )
        if access_token_file is not _UNSET:
            keys["accessTokenFile"] = _path(access_token_file)
        return build(User, admin(self.path, "user.set", **keys))

    def user(self, user: str) -> User:
        """One user."""
        return build(User, self._do("user.show", user=user))

    def remove_user(self, user: str) -> User:
        """Remove a user; returns what it was."""
        return build(User, self._do("user.remove", user=user))

    def users(self) -> list[User]:
        """All users, oldest first."""
        return [build(User, raw) for raw in self._do("user.list")["users"]]

    # Groups

    def add_group(self, name: str, *, id: str | None = None) -> Group:
        """Add a group. Give it the `id` that an export's assignments name, and they count."""
        return build(Group, self._do("group.add", name=name, id=id))

    def group(self, group: str) -> Group:
        """One group."""
        return build(Group, self._do("group.show", group=group))

    def remove_group(self, group: str) -> Group:
        """Remove a group; returns what it was."""
        return build(Group, self._do("group.remove", group=group))

    def groups(self) -> list[Group]:
        """All groups, oldest first."""
        return [build(Group, raw) for raw in self._do("group.list")["groups"]]

    def add_member(self, group: str, user: str) -> Group:
        """Put a user into a group."""
        return build(Group, self._do("group.addMember", group=group, user=user))

    def remove_member(self, group: str, user: str) -> Group:
        """Take a user out of a group."""
        return build(Group, self._do("group.removeMember", group=group, user=user))

    # Apps and policies

    def apps(self) -> list[App]:
        """Apps that policies or app configurations target or that registered."""
        return [build(App, raw) for raw in self._do("app.list")["apps"]]

    def import_policy(
        self,
        document: Mapping[str, Any] | Sequence[Any],
        *,
        type: DocumentType | None = None,
        replace: bool | None = None,
    ) -> Import:
        """Import what Microsoft Graph exports, unchanged: a policy, a list, or {"value": ...} around either; app
        configurations among the policies are imported with them, and all of it or nothing is.

        `type` is the type of documents of which neither `@odata.type` nor `@odata.context` says it: ArgumentError where
        nothing does. A policy with an id that is here already replaces it and keeps its assignments and apps; one without
        an id but with the name and type of another, and one with the id but another type than that of another, is
        AlreadyError, or with `replace` takes its place. Look at `warnings`.
        """
        return build(Import, self._do("policy.import", document=document, type=type, replace=replace))

    def policies(self) -> list[PolicySummary]:
        """All policies, oldest first."""
        return [build(PolicySummary, raw) for raw in self._do("policy.list")["policies"]]

    def policy(self, policy: str) -> PolicySummary:
        """One policy, with what became of each of its properties."""
        return build(PolicySummary, self._do("policy.show", policy=policy))

    def export_policy(self, policy: str | None = None, *, import_id: str | None = None) -> Any:
        """The document that was imported, of one policy or of one import."""
        return self._export("policy.export", import_id, policy=policy)

    def remove_policy(self, policy: str) -> PolicySummary:
        """Remove a policy; returns what it was."""
        return build(PolicySummary, self._do("policy.remove", policy=policy))

    def assign(
        self, policy: str, group: str | None = None, *, all_users: bool | None = None, exclude: bool | None = None
    ) -> PolicySummary:
        """Let a policy reach a group or all users; `exclude` leaves a group's members out instead."""
        return self._policy("policy.assign", policy, group=group, all_users=all_users, exclude=exclude)

    def unassign(
        self, policy: str, group: str | None = None, *, all_users: bool | None = None, exclude: bool | None = None
    ) -> PolicySummary:
        """Take back an `assign` of the same arguments."""
        return self._policy("policy.unassign", policy, group=group, all_users=all_users, exclude=exclude)

    def target(self, policy: str, app: str | None = None, *, all_apps: bool | None = None) -> PolicySummary:
        """Let a policy reach an app or all apps."""
        return self._policy("policy.target", policy, app=app, all_apps=all_apps)

    def untarget(self, policy: str, app: str | None = None, *, all_apps: bool | None = None) -> PolicySummary:
        """Take back a `target` of the same arguments."""
        return self._policy("policy.untarget", policy, app=app, all_apps=all_apps)

    def _policy(self, action: str, policy: str, **keys: Any) -> PolicySummary:
        return build(PolicySummary, self._do(action, policy=policy, **keys))

    # App configurations

    def import_configuration(
        self,
        document: Mapping[str, Any] | Sequence[Any],
        *,
        type: Literal["config"] | None = None,
        replace: bool | None = None,
    ) -> ConfigurationImport:
        """Import what Microsoft Graph exports as targetedManagedAppConfiguration, in the forms of `import_policy`, with
        the same `type` and `replace`.

        The setting `__IsDefault` makes one the tenant default, which reaches everybody: AlreadyError for a second one.
        """
        return build(ConfigurationImport, self._do("config.import", document=document, type=type, replace=replace))

    def configurations(self) -> list[ConfigurationSummary]:
        """All app configurations, oldest first."""
        return [build(ConfigurationSummary, raw) for raw in self._do("config.list")["configurations"]]

    def configuration(self, config: str) -> ConfigurationSummary:
        """One app configuration, with its settings."""
        return self._configuration("config.show", config)

    def export_configuration(self, config: str | None = None, *, import_id: str | None = None) -> Any:
        """The document that was imported, of one app configuration or of one import."""
        return self._export("config.export", import_id, config=config)

    def remove_configuration(self, config: str) -> ConfigurationSummary:
        """Remove an app configuration; returns what it was."""
        return self._configuration("config.remove", config)

    def assign_configuration(
        self, config: str, group: str | None = None, *, all_users: bool | None = None, exclude: bool | None = None
    ) -> ConfigurationSummary:
        """Let an app configuration reach a group or all users; `exclude` leaves a group's members out instead."""
        return self._configuration("config.assign", config, group=group, all_users=all_users, exclude=exclude)

    def unassign_configuration(
        self, config: str, group: str | None = None, *, all_users: bool | None = None, exclude: bool | None = None
    ) -> ConfigurationSummary:
        """Take back an `assign_configuration` of the same arguments."""
        return self._configuration("config.unassign", config, group=group, all_users=all_users, exclude=exclude)

    def target_configuration(
        self, config: str, app: str | None = None, *, all_apps: bool | None = None
    ) -> ConfigurationSummary:
        """Let an app configuration reach an app or all apps."""
        return self._configuration("config.target", config, app=app, all_apps=all_apps)

    def untarget_configuration(
        self, config: str, app: str | None = None, *, all_apps: bool | None = None
    ) -> ConfigurationSummary:
        """Take back a `target_configuration` of the same arguments."""
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
        """Which apps of which users are registered."""
        reply = self._do("registration.list", user=user, app=app)
        return [build(Registration, raw) for raw in reply["registrations"]]

    def remove_registration(self, registration: str) -> Registration:
        """Forget a registration: the app's next check-in ends with StatusCode.POLICY_RECORD_GONE."""
        return build(Registration, self._do("registration.remove", registration=registration))

    def request_wipe(self, user: str, *, app: str | None = None, device_tag: str | None = None) -> Wipe:
        """Have a user's apps wiped at their next check-in; without `app` and `device_tag`, all of them."""
        return build(Wipe, self._do("wipe.request", user=user, app=app, device_tag=device_tag))

    def wipes(self) -> list[Wipe]:
        """All wipes that were asked for."""
        return [build(Wipe, raw) for raw in self._do("wipe.list")["wipes"]]

    def cancel_wipe(self, wipe: int | Wipe) -> Wipe:
        """Take back a wipe, as far as it is pending."""
        return build(Wipe, self._do("wipe.cancel", wipe=wipe.id if isinstance(wipe, Wipe) else wipe))

    def block_device(self, device_tag: str) -> bool:
        """Let no app of a device enroll; returns whether the device is blocked."""
        return bool(self._do("device.block", device_tag=device_tag)["blocked"])

    def devices(self) -> list[dict[str, Any]]:
        """How far the state of each device has come, which were older than before, and every wipe there, as device.list of
        docs/authority.md returns them: kept beyond registrations, where apps can write the file. Source: device.list."""
        return list(self._do("device.list")["devices"])

    def unblock_device(self, device_tag: str) -> bool:
        """Take that back; returns whether the device is blocked."""
        return bool(self._do("device.unblock", device_tag=device_tag)["blocked"])

    # Faults

    def set_fault(self, fault: str, *, operation: str | None = None, count: int | None = None) -> list[Fault]:
        """Play a failure, to see how an app takes it.

        fault      network, timeout, parsing, internal or gone
        operation  enroll, checkIn or unenroll; None: all
        count      how often; None: until `clear_faults`
        """
        return self._faults("fault.set", fault=fault, operation=operation, count=count)

    def clear_faults(self) -> list[Fault]:
        """Play none any more."""
        return self._faults("fault.clear")

    def faults(self) -> list[Fault]:
        """The failures that are played now."""
        return self._faults("fault.list")

    def _faults(self, action: str, **keys: Any) -> list[Fault]:
        return [build(Fault, raw) for raw in self._do(action, **keys)["faults"]]


def _path(path: str | os.PathLike[str] | None | _Maybe) -> str | None:
    return None if path is None or path is _UNSET else os.fspath(path)
