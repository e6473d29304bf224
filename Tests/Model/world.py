"""libmam and the model, side by side: each step is done to both, and then everything that shows is compared."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import app as rules
import library
from app import HOUR, MINUTE, Account, App, Event, Span
from office import APPS, CONTENTS, FAULTS, GROUPS, POLICIES, TENANT, Authority, Policy, Wipe

USERS = ("ann", "bob", "cyd", "zed")
#: How a host names each user: by both names, by the UPN alone, by the id alone; nobody knows Zed.
FORMS = {"ann": ("accountId", "upn"), "bob": ("upn",), "cyd": ("accountId",), "zed": ("upn",)}
#: The app of each session that may be open: two of one app here, one of it in another process, one of another app.
SLOTS = ("app.a", "app.a", "app.b", "app.a")
REMOTE = 3


class Divergence(AssertionError):
    """libmam and the model disagree."""


@dataclass
class Held:
    """A policy handle that is held."""

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
    session: library.Session
    several: bool
    seen: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    held: dict[str, Held] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)  # users whose account was managed on this session and is unenrolled
    closed: set[str] = field(default_factory=set)  # users that this session has seen in lock-down meanwhile


#: name: (weight, choices of each argument). Another operation is another method with this in front.
OPERATIONS: dict[str, tuple[int, dict[str, tuple[Any, ...]]]] = {}


def operation(weight: int, **choices: tuple[Any, ...]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def add(method: Callable[..., None]) -> Callable[..., None]:
        OPERATIONS[method.__name__] = (weight, choices)
        return method

    return add


ANY_SLOT = tuple(range(len(SLOTS)))
BOTH = (False, True)


def milliseconds(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


class World:
    def __init__(self, clock: library.Clock, scratch: str | None = None) -> None:
        self.clock = clock
        clock.set(0, 0)
        self.folder = Path(tempfile.mkdtemp(dir=scratch))
        self.path = str(self.folder / "authority.db")
        (self.folder / "state").mkdir(mode=0o700)
        self.office = Authority()
        self.apps = {name: App(name) for name in APPS}
        self.slots: dict[int, Slot] = {}
        self.expected: dict[int, list[Event]] = {}
        self.containers: dict[tuple[str, str], tuple[str, int]] = {}  # the latest of each app and user, and its epoch
        self.admin("authority.create", tenantId=TENANT)
        for user in self.office.users.values():
            self.admin("user.add", upn=user.upn, accountId=user.id)
        for group in GROUPS:
            self.admin("group.add", name=group, id=group)

    def close(self) -> None:
        for slot in self.slots.values():
            slot.session.close()
        self.slots.clear()
        shutil.rmtree(self.folder)

    # ---- help

    def check(self, what: str, expected: Any, got: Any) -> None:
        if expected != got:
            raise Divergence(f"{what}: the model says {expected!r}, libmam {got!r}")

    def admin(self, action: str, **keys: Any) -> Any:
        self.move_authority(True)
        status, reply = library.admin(self.path, action, **keys)
        self.check(f"{action} {keys}", library.OK, status)
        return reply

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

    # ---- sessions

    @operation(6, index=ANY_SLOT, several=BOTH)
    def open(self, index: int, several: bool) -> None:
        if index in self.slots:
            return
        settings = {
            "app": {"id": SLOTS[index], "group": "com.example"},
            "stateDirectory": str(self.folder / "state"),
            "authority": {"type": "embedded", "path": self.path},
            "settings": {"MultiManagedIdentities": several},
        }
        kind = library.Remote if index == REMOTE else library.Session
        self.slots[index] = Slot(kind(settings), several)
        self.see(index)

    @operation(2, index=ANY_SLOT)
    def close_session(self, index: int) -> None:
        if index in self.slots:
            self.check("mam_close", library.OK, self.slots.pop(index).session.close())

    @operation(1)
    def kill(self) -> None:
        """The other process dies."""
        slot = self.slots.pop(REMOTE, None)
        if slot is not None:
            slot.session.kill()

    # ---- enrollment

    @operation(12, index=ANY_SLOT, user=USERS)
    def register(self, index: int, user: str) -> None:
        if index not in self.slots:
            return
        app, slot = self.apps[SLOTS[index]], self.slots[index]
        given = {form: self.names(user)[form] for form in FORMS[user]}
        account = app.accounts.get(user)
        if account is None or account.is_forgotten:
            account = account or Account(user, given.get("accountId"), given.get("upn"))
            account.is_forgotten = False
            app.accounts[user] = account
        result, now = self.wait(index, slot.session.started("mam_register_and_enroll", given))
        if account.is_enrolled:  # told by the names that the call gave
            names = (given.get("accountId"), given.get("upn"))
            code, events = 208, [("enrollmentRequest", names[0] or names[1], 208)]
        else:
            code, events = self.registered(index, account, now)
            if code is None:
                code, more = rules.asked_again(self.office, account, now)
                events += more
            names = (account.id, account.upn)
        self.check("register", (code, *names), (result["code"], result["accountId"], result["identity"]))
        self.expect(index, events)

    def registered(self, index: int, account: Account, now: Span) -> tuple[int | None, list[Event]]:
        slot = self.slots[index]
        code, events = rules.register(self.apps[SLOTS[index]], self.office, account, slot.several, now)
        if account.is_enrolled:  # in lock-down until its policy came
            slot.closed.add(account.user)
        return code, events

    @operation(12, index=ANY_SLOT, user=(*USERS, None))
    def check_in(self, index: int, user: str | None) -> None:
        if index not in self.slots:
            return
        app = self.apps[SLOTS[index]]
        asked = [one for one in app.enrolled() if user in (None, one.user)]
        result, now = self.wait(index, self.slots[index].session.started("mam_check_in", user and self.name(user).decode()))
        codes = self.all_checked_in(index, asked, now)
        while None in codes:  # once more, all of them
            codes = self.all_checked_in(index, asked, now)
        if not asked:
            codes = [214 if app.enrolled() else 213]
            self.expect(index, [("policyRequest", user and self.name(user).decode(), codes[0])])
        self.check("check in", max(code for code in codes if code is not None), result["code"])

    def all_checked_in(self, index: int, asked: list[Account], now: Span) -> list[int | None]:
        codes: list[int | None] = []
        for account in asked:
            if account.is_enrolled and account.user in self.apps[SLOTS[index]].accounts:
                codes.append(self.checked_in(index, account, now))
            if None in codes:
                break
        return codes

    def checked_in(self, index: int, account: Account, now: Span) -> int | None:
        app = self.apps[SLOTS[index]]
        code, events = rules.check_in(app, self.office, account, now)
        self.expect(index, events)
        if code == 102:
            self.wiped(index, account, "administrator")
        return code

    @operation(10, index=ANY_SLOT)
    def run_due(self, index: int) -> None:
        if index not in self.slots:
            return
        app, slot = self.apps[SLOTS[index]], self.slots[index]
        again: list[tuple[Account, bool]] = []
        while True:
            begin = self.now()
            self.check("mam_run_due", library.OK, slot.session.run_due())
            now = (begin, self.now())
            again = self.due(index, app, again, now)
            if not again:
                return
            time.sleep(0.06)

    def due(
        self, index: int, app: App, again: list[tuple[Account, bool]], now: Span
    ) -> list[tuple[Account, bool]]:
        """What mam_run_due does: what is to be asked again first; the result is what is to be asked again after it."""
        left = []
        for account, is_first in again:
            if is_first:
                self.expect(index, rules.asked_again(self.office, account, now)[1])
            elif self.checked_in(index, account, now) is None:
                left.append((account, False))
        done = [account for account, _ in again]
        for account in app.registered():
            if account in done or account.next is None or not self.is_due(account, now):
                continue
            if account.is_enrolled:
                if self.checked_in(index, account, now) is None:
                    left.append((account, False))
            else:
                code, events = self.registered(index, account, now)
                self.expect(index, events)
                if code is None:
                    left.append((account, True))
        return left

    def is_due(self, account: Account, now: Span) -> bool:
        """Nothing is planned more than a day ahead: what is, was planned before the clock was set back."""
        assert account.next is not None
        return now[0] >= account.next[0] or account.next[0] > now[1] + 25 * HOUR

    @operation(3, index=ANY_SLOT, user=USERS, wipe=BOTH)
    def deregister(self, index: int, user: str, wipe: bool) -> None:
        if index not in self.slots:
            return
        app, slot = self.apps[SLOTS[index]], self.slots[index]
        account = app.accounts.get(user)
        status, op = slot.session.start("mam_deregister_and_unenroll", self.name(user).decode(), int(wipe))
        if account is None or (account.is_forgotten and not wipe):
            self.check("deregister", 11, status)
            return
        result, _ = self.wait(index, op)
        self.check("deregister", 104, result["code"])
        if wipe:
            self.wiped(index, account, "deregistration")
            return
        registration, account.registration = account.registration, None
        account.is_enrolled, account.is_forgotten = False, True
        account.policies, account.failures, account.is_gone = None, 0, False
        if registration is not None:
            self.office.unenroll(registration)
        self.expect(index, [("unenrollRequest", account.name, 104)])

    @operation(3, index=ANY_SLOT, user=USERS)
    def wipe(self, index: int, user: str) -> None:
        if index not in self.slots:
            return
        account = self.apps[SLOTS[index]].accounts.get(user)
        status, op = self.slots[index].session.start("mam_wipe_account", self.name(user).decode())
        if account is None:
            self.check("wipe", 11, status)
            return
        result, _ = self.wait(index, op)
        self.check("wipe", 104, result["code"])
        self.wiped(index, account, "host")

    def wiped(self, index: int, account: Account, reason: str) -> None:
        app = self.apps[SLOTS[index]]
        events: list[Event] = [("wipeProgress", account.name, step) for step in ("closed", "shredded", "asked", "removed")]
        arrived = account.registration is None or self.office.report_wipe(account.registration)
        if arrived:
            events.append(("wipeProgress", account.name, "reported"))
        else:
            app.unreported.append(account.name)
        events += [("unenrollRequest", account.name, 104), ("wipeDidComplete", account.name, reason)]
        for other, slot in self.slots.items():
            if SLOTS[other] == app.name and account.user in slot.held:
                slot.held[account.user].is_wiped = True
        del app.accounts[account.user]
        app.wipes[account.user] = app.wipes.get(account.user, 0) + 1
        self.expect(index, events)

    # ---- answers

    @operation(4, index=ANY_SLOT, user=USERS)
    def hold(self, index: int, user: str) -> None:
        """Take a policy handle, and give back the one that was held."""
        if index not in self.slots:
            return
        slot = self.slots[index]
        held = slot.held.pop(user, None)
        if held is not None:
            slot.session.release(held.number)
        slot.held[user] = Held(slot.session.policy(self.name(user).decode()))

    def check_held(self, index: int) -> None:
        """A handle follows its account; once that is wiped, or unenrolled after it was managed, it stays locked down."""
        slot, app = self.slots[index], self.apps[SLOTS[index]]
        for user, held in slot.held.items():
            account = app.accounts.get(user)
            is_managed = account is not None and account.is_managed
            held.was_managed |= is_managed
            held.is_locked |= held.was_managed and not (account is not None and account.is_enrolled)
            answers = answers_of(account) if is_managed and account is not None else OPEN_ANSWERS
            got = tuple(slot.session.answers(held.number))
            if held.is_wiped:  # never managed: closed for good where it was seen while the wipe was under way
                held.is_locked |= got == CLOSED_ANSWERS
                held.is_wiped = False
            if held.is_locked:
                answers = CLOSED_ANSWERS
            self.check(f"policy of {user} in session {index}", answers, got)

    @operation(5, index=ANY_SLOT, user=USERS)
    def protect(self, index: int, user: str) -> None:
        if index not in self.slots:
            return
        slot, app = self.slots[index], self.apps[SLOTS[index]]
        account = app.accounts.get(user)
        is_enrolled = account is not None and account.is_enrolled
        status, container, is_encrypted = slot.session.protect(self.name(user).decode())
        expected = library.OK if app.enrolled() else 10
        if expected == library.OK and user in slot.lost and not is_enrolled:
            expected = 12
        self.check("protect", expected, status)
        if status == library.OK:
            is_managed = account is not None and account.is_managed
            self.check("encrypted", is_managed, is_encrypted)
            if is_managed:
                self.containers[app.name, user] = (container, app.wipes.get(user, 0))

    @operation(5, index=ANY_SLOT, user=USERS, origin=APPS)
    def unprotect(self, index: int, user: str, origin: str) -> None:
        if index not in self.slots or (origin, user) not in self.containers:
            return
        container, wipes = self.containers[origin, user]
        readable = origin == SLOTS[index] and wipes == self.apps[origin].wipes.get(user, 0)
        self.check("unprotect", library.OK if readable else 33, self.slots[index].session.unprotect(container))

    # ---- time

    @operation(1, is_there=BOTH)
    def move_authority(self, is_there: bool) -> None:
        """Its file goes away, or comes back."""
        if is_there != self.office.is_there:
            away = f"{self.path}.away"
            os.rename(*((away, self.path) if is_there else (self.path, away)))
            self.office.is_there = is_there

    @operation(6, minutes=(1, 7, 31, 61, 12 * 60 + 1, 24 * 60 + 1))
    def pass_by(self, minutes: int) -> None:
        self.clock.pass_by(minutes * MINUTE)

    @operation(2, minutes=(-3 * 24 * 60, -31, 31, 3 * 24 * 60))
    def turn_clock(self, minutes: int) -> None:
        self.clock.turn(minutes * MINUTE)

    # ---- the authority

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
        if policy not in self.office.policies:
            return
        self.admin("policy.assign" if is_on else "policy.unassign", policy=policy, group=group, exclude=exclude)
        one = self.office.policies[policy]
        groups = one.excluded if exclude else one.groups
        (groups.add if is_on else groups.discard)(group)

    @operation(2, policy=POLICIES[:3], is_on=BOTH)
    def assign_all(self, policy: str, is_on: bool) -> None:
        if policy in self.office.policies:
            self.admin("policy.assign" if is_on else "policy.unassign", policy=policy, allUsers=True)
            self.office.policies[policy].all_users = is_on

    @operation(6, policy=POLICIES[:3], app=(*APPS, None), is_on=(True, True, False))
    def target(self, policy: str, app: str | None, is_on: bool) -> None:
        if policy not in self.office.policies:
            return
        one = self.office.policies[policy]
        whom: dict[str, Any] = {"allApps": True} if app is None else {"app": app}
        self.admin("policy.target" if is_on else "policy.untarget", policy=policy, **whom)
        if app is None:
            one.all_apps = is_on
        else:
            (one.apps.add if is_on else one.apps.discard)(app)

    @operation(5, group=GROUPS, user=USERS[:3], is_on=(True, True, False))
    def member(self, group: str, user: str, is_on: bool) -> None:
        self.admin("group.addMember" if is_on else "group.removeMember", group=group, user=f"{user}-id")
        members = self.office.members[group]
        (members.add if is_on else members.discard)(user)

    @operation(4, user=USERS[:3], key=("enabled", "licensed", "migrating"), value=BOTH)
    def set_user(self, user: str, key: str, value: bool) -> None:
        self.admin("user.set", user=f"{user}-id", **{key: value})
        setattr(self.office.users[user], key, value)

    @operation(2, minutes=(None, 1, 60, 24 * 60))
    def set_interval(self, minutes: int | None) -> None:
        self.admin("authority.set", checkInInterval=minutes and f"PT{minutes}M")
        self.office.interval = minutes

    @operation(4, fault=tuple(FAULTS), where=("enroll", "checkIn", "unenroll", None), count=(None, 1, 2))
    def set_fault(self, fault: str, where: str | None, count: int | None) -> None:
        if where in ("unenroll", None):  # when reports are tried again is not promised, nor how often
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
        wipe = self.admin("wipe.request", user=f"{user}-id", **({} if app is None else {"app": app}))
        self.office.wipes.append(Wipe(wipe["id"], user, app, self.office.next_number()))

    @operation(1)
    def cancel_wipe(self) -> None:
        if self.office.wipes:
            self.admin("wipe.cancel", wipe=self.office.wipes.pop(0).id)

    @operation(2, user=USERS[:3], app=APPS)
    def remove_registration(self, user: str, app: str) -> None:
        for one in self.admin("registration.list", user=f"{user}-id", app=app)["registrations"]:
            self.admin("registration.remove", registration=one["id"])
        self.office.registrations = [one for one in self.office.registrations if (one.user, one.app) != (user, app)]

    # ---- what shows

    def expect(self, index: int, events: list[Event]) -> None:
        self.expected.setdefault(index, []).extend(events)

    def looks(self, app: App) -> dict[str, tuple[Any, Any]]:
        return {user: (one.view, one.protection) for user, one in app.accounts.items()}

    def see(self, index: int) -> None:
        self.slots[index].seen = self.looks(self.apps[SLOTS[index]])

    def changes(self, index: int) -> list[Event]:
        """What a session is told because the state is not what it saw last."""
        app, slot, found = self.apps[SLOTS[index]], self.slots[index], []
        nothing = ((False, None), (False, False))
        now = self.looks(app)
        for user in {**slot.seen, **now}:
            before, after = slot.seen.get(user, nothing), now.get(user, nothing)
            is_wiped = user in slot.seen and user not in now
            name = app.accounts[user].name if user in now else f"{user}-id"
            closed = user in slot.closed
            if user not in now or not app.accounts[user].is_enrolled:
                if before[1][0] or closed:
                    slot.lost.add(user)
            else:
                slot.lost.discard(user)
            if before[0] != after[0] or closed:
                found.append(("policyDidChange", name))
            if (before[1] != after[1] and not is_wiped) or (closed and before[1] != (True, True)):
                found.append(("dataProtectionDidChange", name))
        slot.seen = now
        slot.closed.clear()
        return found

    def compare(self) -> None:
        """After each step: events of every session, accounts of every app."""
        acting = list(self.expected)  # reads first: what it has read of outcomes, nobody else is told
        for index in [*acting, *(one for one in self.slots if one not in acting)]:
            slot = self.slots[index]
            told = self.expected.pop(index, [])
            orders = [one for one in told if one[0] == "policyRequest" and one[2] == 102]  # the order to wipe, then the wipe
            expected = in_order([*orders, *self.changes(index), *(one for one in told if one not in orders)])
            got = in_order(map(short, slot.session.events()))
            self.allow_late_reports(self.apps[SLOTS[index]].unreported, expected, got)
            self.check(f"events of session {index}", expected, got)
            self.check_accounts(index)
            self.check_held(index)
        self.expected.clear()

    def allow_late_reports(self, late: list[str], expected: dict[Any, list[Event]], got: dict[Any, list[Event]]) -> None:
        """A wipe whose report did not arrive is reported some time later: when is not promised."""
        for name in list(late):
            report = ("wipeProgress", name, "reported")
            if got.get(name, []).count(report) > expected.get(name, []).count(report):
                late.remove(name)
                got[name].remove(report)
                if not got[name]:
                    del got[name]

    def check_accounts(self, index: int) -> None:
        app = self.apps[SLOTS[index]]
        found = {one["accountId"] or one["upn"]: one for one in self.slots[index].session.accounts()}
        self.check(f"accounts of session {index}", {one.name for one in app.registered()}, set(found))
        for one in app.registered():
            shown = found[one.name]
            state = "enrolled" if one.is_enrolled else "registered"
            self.check(
                f"account {one.name} in session {index}",
                (one.id, one.upn, one.tenant, state, one.is_managed, one.code),
                tuple(shown[key] for key in ("accountId", "upn", "tenantId", "state", "managed", "lastCode")),
            )
            one.last = self.settled(f"{one.name}.lastCheckIn", one.last, shown["lastCheckIn"])
            one.next = self.settled(f"{one.name}.nextCheckIn", one.next, shown["nextCheckIn"])

    def settled(self, what: str, span: Span | None, shown: str | None) -> Span | None:
        """A time is within its range; from then on it is what it is."""
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


def short(event: dict[str, Any]) -> Event:
    name = event["event"]
    more: dict[str, Any] = {"wipeProgress": event.get("step"), "wipeDidComplete": event.get("reason")}
    if "status" in event:
        return (name, event.get("accountId"), event["status"]["code"])
    return (name, event.get("accountId"), more[name]) if name in more else (name, event.get("accountId"))


CHANGES = ("policyDidChange", "dataProtectionDidChange")


def may_follow(one: Event, change: Event) -> bool:
    if one[0] in CHANGES:
        return CHANGES.index(one[0]) > CHANGES.index(change[0])
    return one[0::2] == ("enrollmentRequest", 100)


def in_order(events: Iterable[Event]) -> dict[Any, list[Event]]:
    """By account: between accounts no order is promised, nor between those two, nor between them and the news that the
    account is enrolled."""
    found: dict[Any, list[Event]] = {}
    for event in events:
        of_account = found.setdefault(event[1], [])
        at = len(of_account)
        while event[0] in CHANGES and at > 0 and may_follow(of_account[at - 1], event):
            at -= 1
        of_account.insert(at, event)
    return found


def random_step(source: random.Random) -> tuple[str, dict[str, Any]]:
    names = list(OPERATIONS)
    name = source.choices(names, [OPERATIONS[one][0] for one in names])[0]
    return name, {key: source.choice(choices) for key, choices in OPERATIONS[name][1].items()}
