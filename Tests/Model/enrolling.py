"""Operations of a host: sessions, enrollment, check-ins, wipes."""

from __future__ import annotations

from dataclasses import replace

import app as rules
import library
from app import HOUR, Account, Event, Span
from base import ANY_SLOT, BOTH, FORMS, REMOTE, SLOTS, USERS, Base, Slot, operation
from device import ALLOWED, DEVICES, MDM, Host

#: Launch settings that are on.
LAUNCHES = (
    (),
    ("AutoEnrollOnLaunch",),
    ("AutoEnrollOnLaunch", "MAMPolicyRequired"),
    ("AutoEnrollOnLaunch", "MAMPolicyWarnAbsent"),
    ("MAMPolicyRequired", "MAMPolicyWarnAbsent"),
)


class Enrolling(Base):
    @operation(6, index=ANY_SLOT, several=BOTH, device=(*[None] * 3, *["nobody"] * 4, *DEVICES), launch=LAUNCHES)
    def open(self, index: int, several: bool, device: str | None = None, launch: tuple[str, ...] = ()) -> None:
        if index in self.slots:
            return
        settings = {
            "app": {"id": SLOTS[index], "group": "com.example"},
            "stateDirectory": str(self.folder / "state"),
            "authority": {"type": "embedded", "path": self.path},
            "settings": {"MultiManagedIdentities": several, **dict.fromkeys(launch, True)},
            **DEVICES[device],
        }
        kind = library.Remote if index == REMOTE else library.Session
        app = self.apps[SLOTS[index]]
        self.state_device(device or self.device)
        before, app.reported_device = app.reported_device, self.device
        slot = self.slots[index] = Slot(kind(settings), Host(several, self.device), device, launch=launch)
        self.check("allowed accounts", ALLOWED.get(self.device), slot.session.allowed())
        bob = app.accounts.get("bob")
        upn = bob.upn if bob is not None and bob.id is not None else None
        mdm = {**MDM[self.device], "upn": upn} if self.device in MDM else None
        self.check("account of the device", mdm, slot.session.mdm_account())
        self.see(index)
        self.tell_device(index, before)
        for account in app.registered():
            refused = account.refusal(slot.host)
            if refused is not None:
                self.expect(index, [("enrollmentRequest", account.name, refused)])

    def state_device(self, device: str) -> None:
        """Every open session follows, and gets events for accounts that must be removed now."""
        before, self.device = self.device, device
        if before == device:
            return
        for index, slot in self.slots.items():
            former, slot.host = slot.host, replace(slot.host, device=device)
            self.tell_device(index, before)
            for account in self.apps[SLOTS[index]].registered():
                refused = account.refusal(slot.host)
                if refused not in (None, account.refusal(former)):
                    self.expect(index, [("enrollmentRequest", account.name, refused)])

    def tell_device(self, index: int, before: str) -> None:
        if ALLOWED.get(before) != ALLOWED.get(self.device):
            self.expect(index, [("allowedAccountsDidChange", None)])
        if MDM.get(before) != MDM.get(self.device):
            self.expect(index, [("mdmAccountDidChange", None)])

    @operation(2, index=ANY_SLOT)
    def close_session(self, index: int) -> None:
        if index in self.slots:
            self.apps[SLOTS[index]].reported_device = self.device
            self.check("mam_close", library.OK, self.slots.pop(index).session.close())

    @operation(1)
    def kill(self) -> None:
        """The other process dies."""
        slot = self.slots.pop(REMOTE, None)
        if slot is not None:
            slot.session.kill()

    @operation(12, index=ANY_SLOT, user=USERS)
    def register(self, index: int, user: str) -> None:
        if index not in self.slots:
            return
        app, slot = self.apps[SLOTS[index]], self.slots[index]
        given = {form: self.names(user)[form] for form in FORMS[user]}
        known = app.accounts.get(user)
        is_here = known is not None and known.is_enrolled
        names = (known.id, known.upn) if known is not None and is_here else (given.get("accountId"), given.get("upn"))
        refused = slot.host.refusal(*names)
        if refused is not None:
            result, _ = self.wait(index, slot.session.started("mam_register_and_enroll", given))
            self.check("register", refused, result["code"])
            self.expect(index, [("enrollmentRequest", given.get("accountId") or given["upn"], refused)])
            return
        account = app.accounts.get(user)
        if account is None or account.is_forgotten:
            account = account or Account(user, given.get("accountId"), given.get("upn"))
            account.is_forgotten = False
            app.accounts[user] = account
        result, now = self.wait(index, slot.session.started("mam_register_and_enroll", given))
        if account.is_enrolled:  # reported by the names of the call
            names = (given.get("accountId"), given.get("upn"))
            code, events = 208, [("enrollmentRequest", names[0] or names[1], 208)]
        else:
            code, events = self.registered(index, account, now)
            names = (account.id, account.upn)
        self.check("register", (code, *names), (result["code"], result["accountId"], result["identity"]))
        self.expect(index, events)
        self.ordered(index, account, code)

    @operation(1, user=USERS, wipe=BOTH)
    def die_unread(self, user: str, wipe: bool) -> None:
        """The other process ends an enrollment and dies before it has read the event: others get it."""
        if REMOTE not in self.slots:
            return
        self.deregister(REMOTE, user, wipe)
        delivered = self.expected.pop(REMOTE, [])
        self.unread += [event for event in delivered if event[0] in ("unenrollRequest", "wipeDidComplete")]
        self.kill()

    def ordered(self, index: int, account: Account, code: int) -> None:
        """The first check-in of an account that came back orders the wipe of what it had left."""
        if code == 102:
            self.wiped(index, account, "administrator")

    def registered(self, index: int, account: Account, now: Span) -> tuple[int, list[Event]]:
        slot = self.slots[index]
        code, events = rules.register(self.apps[SLOTS[index]], self.office, account, slot.host, now)
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
        codes = [self.checked_in(index, account, now) for account in asked]
        if not asked:
            codes = [214 if app.enrolled() else 213]
            self.expect(index, [("policyRequest", user and self.name(user).decode(), codes[0])])
        self.check("check in", max(codes), result["code"])

    def checked_in(self, index: int, account: Account, now: Span) -> int:
        app = self.apps[SLOTS[index]]
        code, events = rules.check_in(app, self.office, account, self.slots[index].host, now)
        self.expect(index, events)
        if account.is_refused:
            self.wiped(index, account, "offline")
        elif code == 102:
            self.wiped(index, account, "administrator")
        return code

    @operation(10, index=ANY_SLOT)
    def run_due(self, index: int) -> None:
        if index not in self.slots:
            return
        app, slot = self.apps[SLOTS[index]], self.slots[index]
        begin = self.now()
        self.check("mam_run_due", library.OK, slot.session.run_due())
        now = (begin, self.now())
        due = [one for one in app.registered() if self.is_due(one, now) and not rules.is_waiting(app, one, slot.host)]
        for account in due:
            if account.is_enrolled:
                self.checked_in(index, account, now)
            elif not rules.is_waiting(app, account, slot.host):
                code, events = self.registered(index, account, now)
                self.expect(index, events)
                self.ordered(index, account, code)

    def is_due(self, account: Account, now: Span) -> bool:
        """Nothing is scheduled more than a day ahead: a later time was scheduled before the clock was set back."""
        if account.next is None:
            return False
        return now[0] >= account.next[0] or account.next[0] > now[1] + 25 * HOUR

    @operation(3, index=ANY_SLOT, user=USERS, wipe=BOTH)
    def deregister(self, index: int, user: str, wipe: bool) -> None:
        if index not in self.slots:
            return
        app, slot = self.apps[SLOTS[index]], self.slots[index]
        account = app.accounts.get(user)
        registration = account and account.registration
        is_wiped_late = registration and self.office.has_wipe(registration) and not self.office.hears_of_unenrollments
        if is_wiped_late and not wipe:
            return  # the time of a late report, and so of the wipe, is not promised
        status, op = slot.session.start("mam_deregister_and_unenroll", self.name(user).decode(), int(wipe))
        if account is None or (account.is_forgotten and not wipe):
            self.check("deregister", 11, status)
            return
        result, _ = self.wait(index, op)
        self.check("deregister", 104, result["code"])
        if wipe:
            self.wiped(index, account, "deregistration")
            return
        self.left(index, account)

    def left(self, index: int, account: Account) -> None:
        """Unenrolled, with its data left."""
        if account.configured:
            self.slots[index].configured.add(account.user)
        registration, account.registration = account.registration, None
        account.left_number = registration.number if registration else account.left_number
        account.has_left = account.is_enrolled
        account.keeps_names |= account.is_enrolled
        if account.is_enrolled:
            self.apps[SLOTS[index]].retired |= set(self.names(account.user).values())
            self.apps[SLOTS[index]].has_lost = True
        account.left_closed = account.seen_by(self.slots[index].host).is_blocked
        account.is_enrolled, account.is_forgotten = False, True
        account.policies, account.configurations = None, ()
        account.failures, account.is_gone = 0, False
        reply = None if registration is None else self.office.unenroll(registration)
        account.is_leaving = registration is not None and reply is None
        outcome = ("unenrollRequest", account.name, 104)
        if reply is None or reply.code != 102:
            self.expect(index, [outcome])
            return
        # A wipe was ordered before the account left. Both outcomes are read at the end.
        account.registration = registration
        self.expect(index, self.changes(index))
        self.wiped(index, account, "administrator")
        events = self.expected[index]
        events.insert(events.index(outcome), outcome)

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
            if SLOTS[other] == app.name:
                slot.wiped.add(account.user)
                if account.user in slot.held:
                    slot.held[account.user].is_wiped = True
        del app.accounts[account.user]
        if account.is_enrolled or account.has_left:
            app.retired |= set(self.names(account.user).values())
            app.has_lost = True
        app.wipes[account.user] = app.wipes.get(account.user, 0) + 1
        self.expect(index, events)
