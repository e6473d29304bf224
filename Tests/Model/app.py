"""The model's app: what one app's state says of its accounts, and what a session of it has seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from office import CONTENTS, TENANT, Authority, Registration, Reply

MINUTE = 60_000
HOUR = 60 * MINUTE
NETWORK = (204, 205, 212, 216)

#: A time: not before the first, not after the second, in milliseconds.
Span = tuple[int, int]
Event = tuple[Any, ...]


@dataclass
class Account:
    """One account of one app; forgotten where it was unenrolled without a wipe, and its data left."""

    user: str
    id: str | None
    upn: str | None
    tenant: str | None = None
    is_enrolled: bool = False
    is_forgotten: bool = False
    policies: tuple[tuple[str, int], ...] | None = None  # None: enrolled, and none has come yet
    enabled: bool = True
    registration: Registration | None = None
    is_gone: bool = False  # the authority answered 220 and nothing better since
    failures: int = 0  # in a row: of networks, or others
    interval: int | None = None  # what the authority said last, in minutes
    last: Span | None = None
    next: Span | None = None
    code: int | None = None

    @property
    def is_managed(self) -> bool:
        return self.is_enrolled and self.policies != ()

    @property
    def is_blocked(self) -> bool:
        """The authority's latest answer called the user disabled."""
        return self.is_enrolled and not self.enabled

    @property
    def name(self) -> str:
        """How events name it."""
        return self.id or self.upn or ""

    def says(self, setting: str, value: Any = True) -> bool:
        """Whether a policy has this value, which is the most restrictive one."""
        return any(CONTENTS[content].get(setting) == value for _, content in self.policies or ())

    @property
    def protection(self) -> tuple[bool, bool]:
        """What dataProtectionDidChange tells of a change of."""
        is_required = self.is_managed and (self.policies is None or self.says("appDataEncryptionType", "whenDeviceLocked"))
        return (self.is_managed, is_required)

    @property
    def view(self) -> tuple[Any, ...]:
        """What policyDidChange tells of a change of."""
        return (self.is_managed, self.policies if self.is_managed else None)


@dataclass
class App:
    """The state of one app, which its sessions share."""

    name: str
    accounts: dict[str, Account] = field(default_factory=dict)
    device: str | None = None  # what the latest session was told
    wipes: dict[str, int] = field(default_factory=dict)  # how many, by user
    unreported: list[str] = field(default_factory=list)  # names of wiped accounts

    def registered(self) -> list[Account]:
        return [one for one in self.accounts.values() if not one.is_forgotten]

    def enrolled(self) -> list[Account]:
        return [one for one in self.accounts.values() if one.is_enrolled]


def schedule(account: Account, code: int, now: Span, enrolling: bool = False) -> None:
    """docs/status-codes.md, "When it is tried again"."""
    is_same_kind = account.code is not None and (account.code in NETWORK) == (code in NETWORK)
    account.failures = 0 if code < 200 else account.failures + 1 if is_same_kind else 1
    account.is_gone = code >= 200 and (account.is_gone or code == 220)
    said = None if enrolling else account.interval
    low = high = 24 * HOUR if enrolling and code >= 200 else (said or 30) * MINUTE
    if code in (103, 200, 225):
        low = high = (said or 12 * 60) * MINUTE
    elif code in NETWORK or (code == 220 and account.failures > 1):
        high = min(2 ** (account.failures - 1), 60) * MINUTE
        low = high * 3 // 4
    elif code in (218, 220):
        low = high = 0
    account.code = code
    account.next = (now[0] + low, now[1] + high)


def ask_policy(office: Authority, account: Account, now: Span, is_new: bool, refusing: int | None = None) -> int:
    """The policy request of an enrolled account: its code. Whom the device refuses gets wipes alone."""
    assert account.registration is not None
    reply = office.check_in(account.registration)
    code = reply.code
    if refusing is not None and code in (100, 103):
        return refusing
    if code in (100, 103):
        is_same = (account.policies, account.enabled) == (reply.policies, reply.enabled)
        code = 103 if code == 103 else 101 if is_same and not is_new else 100
        account.policies, account.enabled, account.last = reply.policies, reply.enabled, now
        account.interval = office.interval
    return code


def enroll(app: App, office: Authority, account: Account) -> int:
    """Only the enrollment: its code."""
    reply = office.enroll(account.user, app.name)
    if reply.code == 100:
        known = office.users[account.user]
        account.id, account.upn, account.tenant = known.id, known.upn, TENANT
        account.is_enrolled, account.registration = True, reply.registration
        account.is_gone = False
    return reply.code


def register(
    app: App, office: Authority, account: Account, hindrance: int | None, now: Span
) -> tuple[int | None, list[Event]]:
    """Enroll a registered account, asked to or on schedule: the code, None where `asked_again` follows, and the events."""
    code = hindrance or enroll(app, office, account)
    if code != 100:
        schedule(account, code, now, enrolling=True)
        return code, [("enrollmentRequest", account.name, code)]
    account.failures, account.policies, account.last, account.code = 0, None, None, None
    code = ask_policy(office, account, now, is_new=True)
    told: list[Event] = [("enrollmentRequest", account.name, 100)]
    if code == 220:  # another process may have enrolled it at the same time
        return None, told
    schedule(account, code, now)
    return code, [*told, ("policyRequest", account.name, code)]


def asked_again(
    office: Authority, account: Account, refusing: int | None, now: Span
) -> tuple[int, list[Event]]:
    code = ask_policy(office, account, now, is_new=False, refusing=refusing)
    schedule(account, code, now)
    return code, [("policyRequest", account.name, code)]


def check_in(
    app: App, office: Authority, account: Account, refusing: int | None, now: Span
) -> tuple[int | None, list[Event]]:
    """A check-in of an enrolled account, asked for or on schedule: the code, None where it is to be asked again at
    once, and the events but a wipe's."""
    code, events = ask_policy(office, account, now, is_new=False, refusing=refusing), []
    if code == 220 and account.is_gone and refusing is not None:
        code = refusing
    elif code == 220 and account.is_gone:
        code = enroll(app, office, account)
        if code == 100:
            events = [("enrollmentRequest", account.name, 100)]
            code = ask_policy(office, account, now, is_new=True)
            if code == 220:
                return None, events
        elif code == 203:
            code = 221
    schedule(account, code, now)
    return code, [*events, ("policyRequest", account.name, code)]
