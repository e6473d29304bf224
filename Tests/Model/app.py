"""The model's app: an app's state of its accounts, and the view of each session."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from device import Host
from office import CONTENTS, SETTINGS, TENANT, Authority, Registration

MINUTE = 60_000
HOUR = 60 * MINUTE
NETWORK = (204, 205, 212, 216)

#: A time: not before the first, not after the second, in milliseconds.
Span = tuple[int, int]
Event = tuple[Any, ...]


@dataclass
class Account:
    """One account of one app; dropped when it was unenrolled without a wipe, and its data left."""

    user: str
    id: str | None
    upn: str | None
    tenant: str | None = None
    is_enrolled: bool = False
    is_forgotten: bool = False
    policies: tuple[tuple[str, int], ...] | None = None  # None: enrolled, and no policy has come yet
    configurations: tuple[tuple[str, int], ...] = ()
    enabled: bool = True
    registration: Registration | None = None
    is_gone: bool = False  # the authority replied 220 and nothing better since
    failures: int = 0  # in a row, of the latest kind: not reached, or refused
    interval: int | None = None  # the authority's latest value, in minutes
    last: Span | None = None
    checked_at: int = 0  # the time that had passed by then, whatever the clock showed
    must_sign_in: bool = False  # the wipe period had passed before it checked in
    is_leaving: bool = False  # the authority may not know yet that it was unenrolled
    has_left: bool = False  # it was enrolled when it was forgotten
    keeps_names: bool = False  # it has left since its latest wipe: its retired names mean it
    left_number: int | None = None  # of the enrollment that ended and left its data here
    left_closed: bool = False  # it was blocked when it was unenrolled without a wipe
    overdue: bool = False  # a launch found it offline for too long, and the authority has not replied since
    is_refused: bool = False  # the authority refused after the wipe period
    next: Span | None = None
    code: int | None = None
    rotations: int | None = 0  # of its data key; None in a session that may not use it

    @property
    def is_managed(self) -> bool:
        return self.is_enrolled and self.policies != ()

    @property
    def is_blocked(self) -> bool:
        """Blocked by a cause of the account, in every session; docs/launch.md, "Block"."""
        if not self.is_enrolled:
            return self.left_closed
        is_lock_down = self.policies is None and self.code is not None
        return is_lock_down or self.overdue or (not self.enabled and self.closes_disabled)

    @property
    def closes_disabled(self) -> bool:
        return self.says("appActionIfUnableToAuthenticateUser", "block")

    @property
    def name(self) -> str:
        """Its name in events."""
        return self.id or self.upn or ""

    def says(self, setting: str, value: Any = True) -> bool:
        """Whether a policy has this value, which is the most restrictive one."""
        return any(CONTENTS[content].get(setting) == value for _, content in self.policies or ())

    @property
    def configured(self) -> tuple[tuple[str, int], ...]:
        """The part that appConfigDidChange reports; empty ones count as none."""
        return tuple(one for one in self.configurations if SETTINGS[one[1]])

    @property
    def protection(self) -> tuple[bool, bool, int | None]:
        """The part that dataProtectionDidChange reports; the key's number is None while there is none."""
        is_required = self.is_managed and (self.policies is None or self.says("appDataEncryptionType", "whenDeviceLocked"))
        return (self.is_managed, is_required, self.rotations if self.is_managed else None)

    @property
    def view(self) -> tuple[Any, ...]:
        """The part that policyDidChange reports."""
        return (self.is_managed, self.policies if self.is_managed else None)

    def refusal(self, host: Host) -> int | None:
        """Why it may not be used there."""
        return host.refusal(self.id, self.upn)

    def seen_by(self, host: Host) -> Account:
        """A session's view: enrolled, but not allowed on its device, it is in lock-down."""
        code = self.refusal(host)
        return replace(self, policies=None, rotations=None, code=code) if self.is_enrolled and code else self


@dataclass
class App:
    """The state of one app, which its sessions share."""

    name: str
    reported_device: str = "nobody"  # the device's account at the last event of its host
    accounts: dict[str, Account] = field(default_factory=dict)
    wipes: dict[str, int] = field(default_factory=dict)  # the number of wipes, by user
    unreported: list[str] = field(default_factory=list)  # names of wiped accounts
    has_lost: bool = False  # a managed account has left: the organisation's domain stays known
    retired: set[str] = field(default_factory=set)  # names whose account was wiped or unenrolled; docs/identity.md

    def registered(self) -> list[Account]:
        return [one for one in self.accounts.values() if not one.is_forgotten]

    def enrolled(self) -> list[Account]:
        return [one for one in self.accounts.values() if one.is_enrolled]

    def is_retired(self, *names: str | None) -> bool:
        """Whether any of the names is retired; an account that left its data here keeps its own."""
        left = {name for one in self.accounts.values() if one.is_forgotten and one.has_left for name in (one.id, one.upn)}
        return any(name in self.retired or name in left for name in names if name)

    def is_registered(self, user: str) -> bool:
        return user in self.accounts and not self.accounts[user].is_forgotten


def schedule(account: Account, code: int, now: Span, enrolling: bool = False, has_only: bool = False) -> None:
    """docs/status-codes.md, "When it is tried again"; `has_only`: only app configuration reaches it."""
    is_same_kind = account.code is not None and account.code >= 200 and (account.code in NETWORK) == (code in NETWORK)
    account.failures = 0 if code < 200 else account.failures + 1 if is_same_kind else 1
    account.is_gone = code >= 200 and (account.is_gone or code == 220)
    said = None if enrolling else account.interval
    low = high = 24 * HOUR if enrolling else (said or (12 * 60 if has_only else 30)) * MINUTE
    if code in (103, 200, 225):
        low = high = (said or 12 * 60) * MINUTE
    elif code in NETWORK or (code == 220 and account.failures > 1):
        high = min(2 ** (account.failures - 1), 60) * MINUTE
        low = high * 3 // 4
    elif code in (218, 220):
        low = high = 0
    account.code = code
    account.next = (now[0] + low, now[1] + high)


def is_overdue(office: Authority, account: Account) -> bool:
    """The wipe period of every policy here has passed without a check-in; docs/launch.md, "Offline"."""
    return bool(account.policies) and account.last is not None and office.passed - account.checked_at > 90 * 24 * HOUR


def ask_policy(office: Authority, account: Account, host: Host, now: Span, is_new: bool) -> int:
    """The policy request of an enrolled account; returns its code."""
    assert account.registration is not None
    reply = office.check_in(account.registration, now[0])
    code = reply.code
    if code in (100, 103):
        code = account.refusal(host) or code
    if code in (100, 103) and not reply.enabled and not is_new and is_overdue(office, account):
        account.is_refused = True
        return 102
    if code in (100, 103):
        account.must_sign_in = account.must_sign_in or is_overdue(office, account)
        account.checked_at, account.overdue = office.passed, False
        is_same = (account.policies, account.enabled) == (reply.policies, reply.enabled)
        code = 103 if code == 103 else 101 if is_same and not is_new else 100
        account.policies, account.enabled, account.last = reply.policies, reply.enabled, now
        account.interval, account.configurations = office.interval, reply.configurations
    return code


def enroll(app: App, office: Authority, account: Account, now: Span, asked: Account | None = None) -> int:
    """Only the enrollment, with the names of `asked`; returns its code."""
    reply = office.enroll(account.user, app.name, now[0], account.left_number)
    if reply.code == 100:
        account.left_number = None
        user = office.users[account.user]
        account.id, account.upn, account.tenant = user.id, user.upn, TENANT
        account.is_enrolled, account.registration = True, reply.registration
        account.is_gone = account.overdue = account.left_closed = False
    if reply.code in (100, 200, 225):  # the authority knows the account: the names it was asked with are usable again
        known = account if reply.code == 100 else asked or account
        app.retired -= {known.id, known.upn}
    return reply.code


def second(app: App, host: Host) -> int | None:
    """Why no other account may be enrolled beside the enrolled ones."""
    if host.several or not app.enrolled():
        return None
    return 218 if all(one.refusal(host) for one in app.enrolled()) else 227


def is_waiting(app: App, account: Account, host: Host) -> bool:
    """If only one may be managed, the others are not tried while one is."""
    return not account.is_enrolled and not host.several and bool(app.enrolled())


def register(app: App, office: Authority, account: Account, host: Host, now: Span) -> tuple[int, list[Event]]:
    """Enroll a registered account, on request or on schedule; returns the code and the events."""
    code = account.refusal(host) or second(app, host) or enroll(app, office, account, now)
    if code != 100:
        schedule(account, code, now, enrolling=True)
        return code, [("enrollmentRequest", account.name, code)]
    return first_check_in(office, account, host, now)


def first_check_in(office: Authority, account: Account, host: Host, now: Span) -> tuple[int, list[Event]]:
    """Request the policy of an account that the authority has just enrolled."""
    account.failures, account.policies, account.last, account.code = 0, None, None, None
    account.must_sign_in = False
    code = ask_policy(office, account, host, now, is_new=True)
    schedule(account, code, now)
    # A wipe ordered for what the account left here is all that is reported.
    came = [] if code == 102 else [("enrollmentRequest", account.name, 100)]
    return code, [*came, ("policyRequest", account.name, code)]


def check_in(app: App, office: Authority, account: Account, host: Host, now: Span) -> tuple[int, list[Event]]:
    """A check-in of an enrolled account, on request or on schedule; returns the code, and the events except a wipe's."""
    has_only = account.seen_by(host).policies == () and account.configured != ()
    code, events = ask_policy(office, account, host, now, is_new=False), []
    if code == 220 and account.is_gone:
        # Wipes that were ordered for the lost enrollment concern the new one.
        account.left_number = account.registration.number if account.registration is not None else None
        code = account.refusal(host) or enroll(app, office, account, now)
        if code == 100:
            code = ask_policy(office, account, host, now, is_new=True)
            # As for an account that came back: a wipe is all that is reported.
            events = [] if code == 102 else [("enrollmentRequest", account.name, 100)]
        elif code in (203, 226):
            code = 221 if code == 203 else code
            account.is_refused = is_overdue(office, account) and account.refusal(host) is None
            if account.is_refused:
                return code, [("policyRequest", account.name, code)]
    # A success delivered policy, or is 103.
    schedule(account, code, now, has_only=has_only and code >= 200)
    return code, [*events, ("policyRequest", account.name, code)]
