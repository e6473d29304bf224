"""The model's authority: users, groups, policies, configurations, faults and wipes, from docs/authority.md and
docs/policy.md alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

APPS = ("app.a", "app.b")
GROUPS = ("g1", "g2")
POLICIES = ("p1", "p2", "p3", "p-default")
CONFIGURATIONS = ("c1", "c2", "c-default")
TENANT = "tenant-1"

#: Contents of a policy, by a number, so that a step is short to print.
CONTENTS: tuple[dict[str, Any], ...] = (
    {},
    {"printBlocked": True},
    {"printBlocked": True, "contactSyncBlocked": True, "appActionIfUnableToAuthenticateUser": "block"},
    {"appDataEncryptionType": "whenDeviceLocked"},
    {"allowedOutboundDataTransferDestinations": "none", "simplePinBlocked": True},
)

#: Contents of a configuration, by a number.
SETTINGS: tuple[dict[str, str], ...] = (
    {},
    {"server": "a", "limit": "20"},
    {"server": "b", "limit": "+7", "on": "TRUE"},
    {"limit": "many", "on": "false"},
)

#: How long the authority keeps a silent enrollment, in milliseconds.
SILENCE = 90 * 24 * 60 * 60_000


@dataclass
class User:
    id: str
    upn: str
    enabled: bool = True
    licensed: bool = True
    migrating: bool = False


@dataclass
class Policy:
    """A policy, or an app configuration: both reach users in the same way."""

    content: int
    groups: set[str] = field(default_factory=set)
    excluded: set[str] = field(default_factory=set)
    apps: set[str] = field(default_factory=set)
    all_users: bool = False
    all_apps: bool = False


@dataclass(eq=False)
class Registration:
    """An enrollment in the authority's view."""

    user: str
    app: str
    number: int  # grows with each enrollment and each wipe
    last: int = 0  # the time of its last request


@dataclass
class Wipe:
    """Concerns the enrollments made before it, including one that was removed since and that the app still has."""

    id: int
    user: str
    app: str | None
    number: int

    def concerns(self, one: Registration) -> bool:
        return self.user == one.user and self.app in (None, one.app) and one.number < self.number


@dataclass
class Fault:
    fault: str
    operation: str | None
    count: int | None


#: The code of each fault by operation; a report of an unenrollment has no code of its own.
FAULTS = {
    "network": {"enroll": 205, "checkIn": 212},
    "timeout": {"enroll": 216, "checkIn": 216},
    "parsing": {"enroll": 206, "checkIn": 206},
    "internal": {"enroll": 201, "checkIn": 201},
    "gone": {"enroll": 220, "checkIn": 220},
}


@dataclass
class Reply:
    """Of an enrollment or a check-in: a code, with policies and the user's status if it succeeded."""

    code: int
    policies: tuple[tuple[str, int], ...] = ()
    enabled: bool = True
    registration: Registration | None = None
    configurations: tuple[tuple[str, int], ...] = ()


class Authority:
    def __init__(self) -> None:
        self.users = {one: User(f"{one}-id", f"{one}@contoso.example") for one in ("ann", "bob", "cyd")}
        self.members: dict[str, set[str]] = {group: set() for group in GROUPS}
        self.policies: dict[str, Policy] = {}
        self.configurations: dict[str, Policy] = {}
        self.registrations: list[Registration] = []
        self.wipes: list[Wipe] = []
        self.faults: list[Fault] = []
        self.interval: int | None = None  # in minutes
        self.is_blocked = False  # this device
        self.is_there = True  # its file
        self.number = 0
        self.passed = 0  # milliseconds since the beginning

    def next_number(self) -> int:
        self.number += 1
        return self.number

    def reaching(self, user: str, app: str) -> tuple[tuple[str, int], ...]:
        """Policies of a user in an app, by id, each with its content."""
        found = self.targeted(self.policies, user, app)
        if not found and "p-default" in self.policies:
            found = [("p-default", self.policies["p-default"].content)]
        return tuple(sorted(found))

    def targeted(self, documents: dict[str, Policy], user: str, app: str) -> list[tuple[str, int]]:
        """Those that reach a user in an app, in the order of their creation."""
        found = []
        for name, one in documents.items():
            groups = {group for group in GROUPS if user in self.members[group]}
            reaches = (one.all_users or groups & one.groups) and not groups & one.excluded
            if not name.endswith("-default") and reaches and (one.all_apps or app in one.apps):
                found.append((name, one.content))
        return found

    def configuring(self, user: str, app: str) -> tuple[tuple[str, int], ...]:
        """The default comes after the others."""
        default = [(name, one.content) for name, one in self.configurations.items() if name == "c-default"]
        return (*self.targeted(self.configurations, user, app), *default)

    def forget_silent(self, now: int) -> None:
        self.registrations = [one for one in self.registrations if one.last >= now - SILENCE]

    def failing(self, operation: str) -> str | None:
        """The first fault that matches an operation; a count is decremented."""
        for fault in self.faults:
            if fault.operation in (None, operation):
                if fault.count is not None:
                    fault.count -= 1
                    if fault.count == 0:
                        self.faults.remove(fault)
                return fault.fault
        return None

    def enroll(self, user: str, app: str, now: int, number: int | None = None) -> Reply:
        """`number`: of an enrollment that ended without a wipe; later wipes concern its data, and so the new one."""
        if not self.is_there:
            return Reply(204)
        fault = self.failing("enroll")
        if fault is not None:
            return Reply(FAULTS[fault]["enroll"])
        known = self.users.get(user)
        if known is None or not known.enabled:
            return Reply(203)
        if known.migrating:
            return Reply(222)
        if not known.licensed:
            return Reply(200)
        if self.is_blocked:
            return Reply(226)
        if not self.reaching(user, app) and not self.targeted(self.configurations, user, app):
            return Reply(225)
        self.forget_silent(now)
        self.registrations = [one for one in self.registrations if (one.user, one.app) != (user, app)]
        self.registrations.append(Registration(user, app, number or self.next_number(), now))
        return Reply(100, registration=self.registrations[-1])

    def check_in(self, registration: Registration, now: int) -> Reply:
        """100 stands for success: only the app knows whether anything changed."""
        if not self.is_there:
            return Reply(204)
        fault = self.failing("checkIn")
        if fault is not None:
            return Reply(FAULTS[fault]["checkIn"])
        self.forget_silent(now)
        registration.last = now
        if self.has_wipe(registration):
            return Reply(102)
        if registration not in self.registrations:
            return Reply(220)
        known = self.users[registration.user]
        if known.migrating:
            return Reply(222)
        if not known.licensed:
            return Reply(200)
        policies = self.reaching(registration.user, registration.app)
        configurations = self.configuring(registration.user, registration.app)
        return Reply(100 if policies else 103, policies, known.enabled, configurations=configurations)

    def has_wipe(self, registration: Registration) -> bool:
        return any(wipe.concerns(registration) for wipe in self.wipes)

    def report_wipe(self, registration: Registration) -> bool:
        """Whether it arrived. A lost record needs no report."""
        faults = [fault.fault for fault in self.faults if fault.operation is None]
        if not self.is_there or (faults and faults[0] != "gone"):
            return False
        if registration in self.registrations and not faults:
            self.registrations.remove(registration)
        return True

    def set_fault(self, fault: str, operation: str | None, count: int | None) -> None:
        """Replaces the same fault for the same operation, and goes last."""
        self.faults = [one for one in self.faults if (one.fault, one.operation) != (fault, operation)]
        self.faults.append(Fault(fault, operation, count))

    @property
    def hears_of_unenrollments(self) -> bool:
        return self.is_there and self.failing("unenroll") is None

    def unenroll(self, registration: Registration) -> Reply | None:
        """The reply to the report of an unenrollment; None where it did not arrive."""
        if not self.hears_of_unenrollments:
            return None
        if self.has_wipe(registration):
            return Reply(102)
        if registration in self.registrations:
            self.registrations.remove(registration)
        return Reply(104)
