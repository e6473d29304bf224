"""libmam and the model, side by side: their objects, and the comparison of everything observable."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import app as rules
import library
from app import Account, App, Event, Span
from device import BOB, BOB_ID, DEVICES, Host
from events import in_order, leading, short, without
from office import APPS, GROUPS, TENANT, Authority, Policy

USERS = ("ann", "bob", "cyd", "zed")
#: The names that a host uses for each user: both names, the UPN alone, the id alone; Zed is unknown to the authority.
FORMS = {"ann": ("accountId", "upn"), "bob": ("upn",), "cyd": ("accountId",), "zed": ("upn",)}
#: The app of each session that may be open: two of one app here, one of it in another process, one of another app.
SLOTS = ("app.a", "app.a", "app.b", "app.a")
REMOTE = 3


ANY_SLOT = tuple(range(len(SLOTS)))
BOTH = (False, True)


class Divergence(AssertionError):
    """libmam and the model disagree."""


@dataclass
class Held:
    """A held policy handle."""

    number: int
    was_managed: bool = False
    is_locked: bool = False
    is_wiped: bool = False  # just now


#: Answers of a handle: print, contact sync, app sharing; a PIN is required, encryption is required.
Answers = tuple[int, ...]
OPEN_ANSWERS: Answers = (1, 1, 1, 0, 0)
CLOSED_ANSWERS: Answers = (0, 0, 0, 1, 1)


def answers_of(account: Account) -> Answers:
    if account.policies is None:
        return CLOSED_ANSWERS
    return (
        int(not account.says("printBlocked")),
        int(not account.says("contactSyncBlocked")),
        int(not account.says("allowedOutboundDataTransferDestinations", "none")),
        int(account.says("pinRequired")),
        int(account.says("appDataEncryptionType", "whenDeviceLocked")),
    )


@dataclass
class Slot:
    session: Any  # a library.Session, or a Remote that does the same
    host: Host
    own: str | None = None  # the host's statement about its device, one of DEVICES
    seen: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    held: dict[str, Held] = field(default_factory=dict)
    windows: dict[str | None, list[str]] = field(default_factory=dict)  # the users that each shows; an empty list is no user
    ids: dict[str | None, dict[str, str]] = field(default_factory=dict)  # the account ids that were known while each showed them
    gone: set[str] = field(default_factory=set)  # users whose account was managed and ended in this step
    wiped: set[str] = field(default_factory=set)  # users whose account was wiped in this step
    closed: set[str] = field(default_factory=set)  # users that this session has seen in lock-down meanwhile
    configured: set[str] = field(default_factory=set)  # users that it has seen with app configuration meanwhile
    launch: tuple[str, ...] = ()  # launch settings that are on


#: name: (weight, choices of each argument). Another operation is another method with this decorator.
OPERATIONS: dict[str, tuple[int, dict[str, tuple[Any, ...]]]] = {}


def operation(weight: int, **choices: tuple[Any, ...]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def add(method: Callable[..., None]) -> Callable[..., None]:
        OPERATIONS[method.__name__] = (weight, choices)
        return method

    return add


def milliseconds(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


class Base:
    def __init__(self, clock: library.Clock) -> None:
        self.clock = clock
        clock.set(0, 0)
        self.folder = Path(tempfile.mkdtemp())
        self.path = str(self.folder / "authority.db")
        (self.folder / "state").mkdir(mode=0o700)
        self.office = Authority()
        self.apps = {name: App(name) for name in APPS}
        self.device = "nobody"  # by the latest statement of any app: they are of one group
        self.slots: dict[int, Slot] = {}
        self.expected: dict[int, list[Event]] = {}
        self.unread: list[Event] = []  # outcomes of app.a that a process did not live to read
        self.containers: dict[tuple[str, str], tuple[str, int]] = {}  # the latest of each app and user, and its epoch
        self.admin("authority.create", tenantId=TENANT)
        for user in self.office.users.values():
            self.admin("user.add", upn=user.upn, accountId=user.id)
        for group in GROUPS:
            self.admin("group.add", name=group, id=group)
        # The authority knows an app that a policy once named: a wipe of an unknown one is refused.
        self.admin("policy.import", document={"id": "naming", "displayName": "Naming", "apps": []}, type="linux")
        for app in APPS:
            self.admin("policy.target", policy="naming", app=app)
        self.admin("policy.remove", policy="naming")

    def close(self) -> None:
        for slot in self.slots.values():
            slot.session.close()
        self.slots.clear()
        shutil.rmtree(self.folder)

    # ---- helpers

    def check(self, what: str, expected: Any, got: Any) -> None:
        if expected != got:
            raise Divergence(f"{what}: the model says {expected!r}, libmam {got!r}")

    def admin(self, action: str, **keys: Any) -> Any:
        self.bring_back()
        status, reply = library.admin(self.path, action, **keys)
        self.check(f"{action} {keys}", library.OK, status)
        return reply

    def assigning(self, kind: str, name: str, groups: set[str], group: str, is_on: bool, **more: bool) -> None:
        """Assign a policy or a configuration to a group, or unassign it."""
        one = (self.office.policies if kind == "policy" else self.office.configurations)[name]
        other = one.groups if groups is one.excluded else one.excluded
        if not is_on and group not in groups and group in other:
            return  # refused: it is assigned in the other way
        self.admin(f"{kind}.assign" if is_on else f"{kind}.unassign", **{kind: name}, group=group, **more)
        (groups.add if is_on else groups.discard)(group)

    def targeting(self, kind: str, name: str, one: Policy, app: str | None, is_on: bool) -> None:
        """Target a policy or a configuration at an app or at all (None), or untarget it."""
        if not is_on and app is not None and app not in one.apps:
            return  # refused where nothing names the app
        whom: dict[str, Any] = {"allApps": True} if app is None else {"app": app}
        self.admin(f"{kind}.target" if is_on else f"{kind}.untarget", **{kind: name}, **whom)
        if app is None:
            one.all_apps = is_on
        else:
            (one.apps.add if is_on else one.apps.discard)(app)

    def bring_back(self) -> None:
        """Move the authority's file back."""
        if not self.office.is_there:
            os.rename(f"{self.path}.away", self.path)
            self.office.is_there = True

    def now(self) -> int:
        """libmam's time."""
        return time.time_ns() // 1_000_000 + self.clock.time_of_day

    def names(self, user: str) -> dict[str, str]:
        return {"accountId": f"{user}-id", "upn": f"{user}@contoso.example"}

    def name(self, user: str) -> bytes:
        """A name that a host may use for a user whether enrolled or not: one of those it registers with."""
        return self.names(user)[FORMS[user][-1]].encode()

    def wait(self, index: int, op: int) -> tuple[Any, Span]:
        begin = self.now()
        status, result = self.slots[index].session.wait(op)
        self.check("mam_wait", library.OK, status)
        return result, (begin, self.now())

    # ---- observable state

    def expect(self, index: int, events: list[Event]) -> None:
        self.expected.setdefault(index, []).extend(events)

    def account(self, index: int, user: str) -> Account | None:
        """A session's view of it."""
        account = self.apps[SLOTS[index]].accounts.get(user)
        return account and account.seen_by(self.slots[index].host)

    def looks(self, index: int) -> dict[str, tuple[Any, ...]]:
        seen = {user: one.seen_by(self.slots[index].host) for user, one in self.apps[SLOTS[index]].accounts.items()}
        return {
            user: (one.view, one.protection, one.is_blocked, one.configured, self.has_device_values(index, one))
            for user, one in seen.items()
        }

    def has_device_values(self, index: int, account: Account) -> bool | None:
        """Whether the device's own values are an enrolled account's, in the session whose statement still counts."""
        slot = self.slots[index]
        if not account.is_enrolled:
            return None
        has_values = "managedAppConfig" in DEVICES[slot.own or "nobody"].get("device", {})
        return slot.own == self.device and has_values and bool({account.id, account.upn} & {BOB, BOB_ID})

    def see(self, index: int) -> None:
        self.slots[index].seen = self.looks(index)

    def changes(self, index: int) -> list[Event]:
        """The events of a session whose last view differs from the state."""
        app, slot = self.apps[SLOTS[index]], self.slots[index]
        found: list[Event] = []
        nothing = ((False, None), (False, False, None), False, (), None)
        now = self.looks(index)
        for user in {**slot.seen, **now}:
            before, after = slot.seen.get(user, nothing), now.get(user, nothing)
            is_wiped = user in slot.seen and user not in now
            name = app.accounts[user].name if user in now else f"{user}-id"
            closed = user in slot.closed
            if (user not in now or not app.accounts[user].is_enrolled) and (before[1][0] or closed):
                slot.gone.add(user)
            if before[0] != after[0] or closed:
                found.append(("policyDidChange", name))
            is_rotated = None not in (before[1][2], after[1][2]) and before[1][2] != after[1][2]
            is_changed = before[1][:2] != after[1][:2] or is_rotated
            if (is_changed and not is_wiped) or (closed and before[1][:2] != (True, True)):
                found.append(("dataProtectionDidChange", name))
            is_of_device = None not in (before[4], after[4]) and before[4] != after[4]
            if before[3] != after[3] or user in slot.configured or is_of_device:
                found.append(("appConfigDidChange", name))
            if before[2] != after[2] and not is_wiped:
                found.append(("accountBlocked", name, int(after[2])))
        slot.seen = now
        slot.closed.clear()
        slot.configured.clear()
        return found

    def compare(self) -> None:
        """After each step: events of every session, accounts of every app."""
        acting = list(self.expected)  # reads first: outcomes that it has read are not delivered to others
        for index in [*acting, *(one for one in self.slots if one not in acting)]:
            slot = self.slots[index]
            delivered = self.expected.pop(index, [])
            if SLOTS[index] == SLOTS[REMOTE]:
                delivered, self.unread = [*self.unread, *delivered], []
            first = leading(delivered)
            before = {user: look[2] for user, look in slot.seen.items()}
            expected = in_order([*first, *self.changes(index), *without(delivered, first)])
            # A window that still shows a blocked account causes a warning, sooner or later.
            heard = [short(event) for event in slot.session.events() if event["event"] != "warning"]
            got = in_order(one for one in heard if one not in self.repeated(index, before))
            self.allow_late_reports(self.apps[SLOTS[index]].unreported, expected, got)
            self.check(f"events of session {index}", expected, got)
            self.check_accounts(index)
            self.check_held(index)
            self.check_windows(index)
        self.expected.clear()

    def repeated(self, index: int, before: dict[str, bool]) -> set[Event]:
        """Of a block that began and ended in one step the last state is reported, which is the former one."""
        accounts = self.apps[SLOTS[index]].accounts
        now = {user: look[2] for user, look in self.slots[index].seen.items() if user in accounts}
        return {("accountBlocked", accounts[user].name, int(is_)) for user, is_ in now.items() if is_ == before.get(user, False)}

    def allow_late_reports(self, late: list[str], expected: dict[Any, list[Event]], got: dict[Any, list[Event]]) -> None:
        """A wipe whose report did not arrive is reported some time later; the time is not promised."""
        for name in list(late):
            report = ("wipeProgress", name, "reported")
            if got.get(name, []).count(report) > expected.get(name, []).count(report):
                late.remove(name)
                got[name].remove(report)
                if not got[name]:
                    del got[name]

    def check_held(self, index: int) -> None:
        """A handle follows its account; after its wipe, or an unenrollment from management, it stays locked down. Nothing is
        released under a retired name, or an unknown one in the organisation's domain."""
        slot, app = self.slots[index], self.apps[SLOTS[index]]
        for user, held in slot.held.items():
            account = self.account(index, user)
            is_managed = account is not None and account.is_managed
            held.was_managed |= is_managed
            held.is_locked |= held.was_managed and not (account is not None and account.is_enrolled)
            answers = answers_of(account) if is_managed and account is not None else OPEN_ANSWERS
            is_unknown = not app.is_registered(user) and self.is_in_domain(index, user)
            if account is not None and account.is_blocked:
                answers = CLOSED_ANSWERS
            # A handle follows a registered account by its id, which may still be retired where only the UPN is usable again.
            names = (self.name(user).decode(), account.id if account is not None else None)
            if not is_managed and (app.is_retired(*names) or is_unknown):
                answers = CLOSED_ANSWERS
            got = tuple(slot.session.answers(held.number))
            # Never managed: closed for good if the wipe was in progress when it was checked. It shows once nothing else closes it.
            if held.is_wiped and answers != CLOSED_ANSWERS:
                held.is_locked |= got == CLOSED_ANSWERS
                held.is_wiped = False
            if held.is_locked:
                answers = CLOSED_ANSWERS
            self.check(f"policy of {user} in session {index}", answers, got)

    def is_in_domain(self, index: int, user: str) -> bool:
        """Whether the host's name for a user is in the domain of the UPN of an account that is managed, or has left."""
        seen = [one.seen_by(self.slots[index].host) for one in self.apps[SLOTS[index]].accounts.values()]
        domains = {one.upn.partition("@")[2] for one in seen if one.is_managed and one.upn}
        domains |= {"contoso.example"} if self.apps[SLOTS[index]].has_lost else set()
        return self.name(user).decode().partition("@")[2] in domains

    def check_windows(self, index: int) -> None:
        """A window shows the accounts it was switched to, except formerly managed accounts that are no longer enrolled."""
        slot, app = self.slots[index], self.apps[SLOTS[index]]
        for window, users in slot.windows.items():
            users[:] = [user for user in users if user not in slot.gone]
            got = slot.session.shows(window)
            ids = slot.ids.setdefault(window, {})
            ids |= self.ids(app)
            if got != self.shown(users, ids):  # never managed: removed if the wipe was in progress when it was checked
                users[:] = [user for user in users if user not in slot.wiped]
            self.check(f"window {window} of session {index}", self.shown(users, ids), got)
        slot.gone.clear()
        slot.wiped.clear()

    def shown(self, users: list[str], ids: dict[str, str]) -> list[str]:
        return [ids.get(user) or self.name(user).decode() for user in users] or [""]

    def ids(self, app: App) -> dict[str, str]:
        # The names of an account that was only registered, and then deregistered, are again what the host says, in later switches.
        # So are names that are retired by a wipe.
        def is_known(one: Account) -> bool:
            return not one.is_forgotten or (one.keeps_names and app.is_retired(one.id, one.upn))

        return {user: one.id for user, one in app.accounts.items() if one.id and is_known(one)}

    def check_accounts(self, index: int) -> None:
        app, host = self.apps[SLOTS[index]], self.slots[index].host
        found = {one["accountId"] or one["upn"]: one for one in self.slots[index].session.accounts()}
        self.check(f"accounts of session {index}", {one.name for one in app.registered()}, set(found))
        for one in app.registered():
            shown = found[one.name]
            state = "enrolled" if one.is_enrolled else "registered"
            self.check(
                f"account {one.name} in session {index}",
                (one.id, one.upn, one.tenant, state, one.seen_by(host).is_managed, one.code),
                tuple(shown[key] for key in ("accountId", "upn", "tenantId", "state", "managed", "lastCode")),
            )
            one.last = self.settled(f"{one.name}.lastCheckIn", one.last, shown["lastCheckIn"])
            if rules.is_waiting(app, one, host):
                self.check(f"{one.name}.nextCheckIn", None, shown["nextCheckIn"])
            else:
                one.next = self.settled(f"{one.name}.nextCheckIn", one.next, shown["nextCheckIn"])

    def settled(self, what: str, span: Span | None, shown: str | None) -> Span | None:
        """A time is within its range; from then on it is fixed."""
        if span is None or shown is None:
            self.check(what, span, shown)
            return None
        if not span[0] - 2 <= milliseconds(shown) <= span[1] + 2:
            low, high = (datetime.fromtimestamp(one / 1000).isoformat() for one in span)
            raise Divergence(f"{what}: the model says {low} to {high}, libmam {shown}")
        return (milliseconds(shown),) * 2

    def step(self, name: str, **arguments: Any) -> None:
        getattr(self, name)(**arguments)
        self.compare()
