"""Operations of an administrator, of time, and of failures of an authority."""

from __future__ import annotations

import os
from typing import Any

from app import MINUTE
from base import BOTH, USERS, Base, operation
from office import APPS, CONTENTS, FAULTS, GROUPS, POLICIES, Policy, Wipe


class Administering(Base):
    @operation(1)
    def take_away(self) -> None:
        """Move the authority's file away, until something is administered."""
        if self.office.is_there:
            os.rename(self.path, f"{self.path}.away")
            self.office.is_there = False

    @operation(6, minutes=(1, 7, 31, 61, 12 * 60 + 1, 24 * 60 + 1, 91 * 24 * 60))
    def pass_by(self, minutes: int) -> None:
        self.clock.pass_by(minutes * MINUTE)
        self.office.passed += minutes * MINUTE

    @operation(2, minutes=(-3 * 24 * 60, -31, 31, 3 * 24 * 60))
    def turn_clock(self, minutes: int) -> None:
        self.clock.turn(minutes * MINUTE)

    @operation(4, policy=POLICIES, content=tuple(range(len(CONTENTS))))
    def import_policy(self, policy: str, content: int) -> None:
        kind = "default" if policy == "p-default" else "linux"
        document = {"@odata.type": f"#libmam.{kind}ManagedAppProtection", "id": policy, "displayName": policy}
        if kind == "default":
            document["@odata.type"] = "#microsoft.graph.defaultManagedAppProtection"
        self.admin("policy.import", document={**document, **CONTENTS[content]})
        self.office.policies.setdefault(policy, Policy(content)).content = content

    @operation(1, policy=POLICIES)
    def remove_policy(self, policy: str) -> None:
        if self.office.policies.pop(policy, None) is not None:
            self.admin("policy.remove", policy=policy)

    @operation(5, policy=POLICIES[:3], group=GROUPS, is_on=(True, True, False), exclude=(False, False, True))
    def assign(self, policy: str, group: str, is_on: bool, exclude: bool) -> None:
        if policy in self.office.policies:
            one = self.office.policies[policy]
            groups = one.excluded if exclude else one.groups
            self.assigning("policy", policy, groups, group, is_on, exclude=exclude)

    @operation(2, policy=POLICIES[:3], is_on=BOTH)
    def assign_all(self, policy: str, is_on: bool) -> None:
        if policy in self.office.policies:
            self.admin("policy.assign" if is_on else "policy.unassign", policy=policy, allUsers=True)
            self.office.policies[policy].all_users = is_on

    @operation(6, policy=POLICIES[:3], app=(*APPS, None), is_on=(True, True, False))
    def target(self, policy: str, app: str | None, is_on: bool) -> None:
        if policy in self.office.policies:
            self.targeting("policy", policy, self.office.policies[policy], app, is_on)

    @operation(5, group=GROUPS, user=USERS[:3], is_on=(True, True, False))
    def member(self, group: str, user: str, is_on: bool) -> None:
        self.admin("group.addMember" if is_on else "group.removeMember", group=group, user=f"{user}-id")
        members = self.office.members[group]
        (members.add if is_on else members.discard)(user)

    @operation(4, user=USERS[:3], key=("enabled", "licensed", "migrating"), value=BOTH)
    def set_user(self, user: str, key: str, value: bool) -> None:
        self.admin("user.set", user=f"{user}-id", **{key: value})
        setattr(self.office.users[user], key, value)

    @operation(1, is_on=BOTH)
    def block_device(self, is_on: bool) -> None:
        for one in self.admin("registration.list")["registrations"][:1]:
            self.admin("device.block" if is_on else "device.unblock", deviceTag=one["deviceTag"])
            self.office.is_blocked = is_on

    @operation(2, minutes=(None, 1, 60, 24 * 60))
    def set_interval(self, minutes: int | None) -> None:
        self.admin("authority.set", checkInInterval=minutes and f"PT{minutes}M")
        self.office.interval = minutes

    @operation(4, fault=tuple(FAULTS), where=("enroll", "checkIn", "unenroll", None), count=(None, 1, 2))
    def set_fault(self, fault: str, where: str | None, count: int | None) -> None:
        if where in ("unenroll", None):  # neither the time nor the number of retries of reports is promised
            count = None
        keys: dict[str, Any] = {"fault": fault}
        if where is not None:
            keys["operation"] = where
        if count is not None:
            keys["count"] = count
        self.admin("fault.set", **keys)
        self.office.set_fault(fault, where, count)

    @operation(5)
    def clear_faults(self) -> None:
        self.admin("fault.clear")
        self.office.faults.clear()

    @operation(2, user=USERS[:3], app=(*APPS, None))
    def request_wipe(self, user: str, app: str | None) -> None:
        if app is not None and app not in [one["id"] for one in self.admin("app.list")["apps"]]:
            return  # refused: nothing targets it any more, and nobody is enrolled in it
        accounts = [app.accounts.get(user) for app in self.apps.values()]
        if any(one is not None and one.is_leaving and not one.is_enrolled for one in accounts):
            return  # the time of a late report, and so of the wipe, is not promised
        wipe = self.admin("wipe.request", user=f"{user}-id", **({} if app is None else {"app": app}))
        self.office.wipes.append(Wipe(wipe["id"], user, app, self.office.next_number()))

    @operation(1)
    def cancel_wipe(self) -> None:
        if self.office.wipes:
            self.admin("wipe.cancel", wipe=self.office.wipes.pop(0).id)

    @operation(2, user=USERS[:3], app=APPS)
    def remove_registration(self, user: str, app: str) -> None:
        # An app that nothing targets any more is unknown as a filter.
        for one in self.admin("registration.list", user=f"{user}-id")["registrations"]:
            if one["app"] == app:
                self.admin("registration.remove", registration=one["id"])
        self.office.registrations = [one for one in self.office.registrations if (one.user, one.app) != (user, app)]
