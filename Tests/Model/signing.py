"""Signing in and launching: enrolling unregistered accounts; docs/enrollment.md, docs/settings.md and mam.h."""

from __future__ import annotations

from dataclasses import dataclass

import app as rules
from app import Account, App, Span
from base import ANY_SLOT, SLOTS, USERS, Base, operation
from device import BOB, BOB_ID
from enrolling import Enrolling

#: The device's account, as each host names it.
DEVICE_NAMES = {"mdm": (BOB_ID, None), "config": (None, BOB), "oid": (BOB_ID, None), "only": (None, BOB)}
AUTO, REQUIRED, WARN = "AutoEnrollOnLaunch", "MAMPolicyRequired", "MAMPolicyWarnAbsent"


@dataclass(frozen=True)
class Name:
    """A name from a host or a device."""

    id: str | None
    upn: str | None

    @property
    def text(self) -> str | None:
        return self.id or self.upn

    @property
    def user(self) -> str:
        return (self.text or "").partition("@")[0].removesuffix("-id")

    def matches(self, account: Account) -> bool:
        return bool((self.id and self.id == account.id) or (self.upn and self.upn == account.upn))

    def find(self, app: App) -> Account | None:
        """The registered account of this name."""
        return next((one for one in app.registered() if self.matches(one)), None)

    def was_wiped(self, app: App) -> bool:
        """Whether it is the name of a wiped account and no other account's here. The app's account of the same user does not
        count while it lacks this name: only the authority knows that both are one."""
        names = [name for name in (self.id, self.upn) if name]
        taken = {name for one in app.accounts.values() for name in (one.id, one.upn)}
        return any(name in app.retired and name not in taken for name in names)


class Signing(Enrolling, Base):
    def called(self, user: str) -> Name:
        text = self.name(user).decode()
        return Name(None, text) if "@" in text else Name(text, None)

    def of_device(self, index: int) -> Name | None:
        names = DEVICE_NAMES.get(self.slots[index].host.device)
        return names and Name(*names)

    def brought_in(self, index: int, name: Name, now: Span, is_quiet: bool, by_itself: bool = False) -> int:
        """Enroll an account, registered or not; an unregistered one leaves nothing if that fails. A quiet attempt is no
        event if it fails. A session never brings back a wiped account automatically."""
        app, host = self.apps[SLOTS[index]], self.slots[index].host
        known = name.find(app)
        account = known or app.accounts.get(name.user) or Account(name.user, name.id, name.upn)
        called = known or Account(name.user, name.id, name.upn)
        is_wiped = known is None and name.was_wiped(app)
        code = 203 if by_itself and is_wiped else called.refusal(host) or rules.second(app, host)
        if code is None:
            code = self.granted(app, account, called, now, index)
        if code != 100:
            if known is not None:
                rules.schedule(known, code, now, enrolling=True)
            if not is_quiet:
                self.expect(index, [("enrollmentRequest", called.name, code)])
            return code
        account.is_forgotten = False
        app.accounts[name.user] = account
        code, events = rules.first_check_in(self.office, account, host, now)
        self.slots[index].closed.add(account.user)
        self.expect(index, events)
        self.ordered(index, account, code)
        return code

    def granted(self, app: App, account: Account, called: Account, now: Span, index: int) -> int:
        """Ask the authority; an account that turns out not to be allowed on the device is withdrawn."""
        known = self.office.users.get(account.user)
        refused = known and self.slots[index].host.refusal(known.id, known.upn)
        if not refused:
            return rules.enroll(app, self.office, account, now, called)
        reply = self.office.enroll(account.user, app.name, now[0])
        if reply.registration is None:
            return reply.code
        self.office.unenroll(reply.registration)
        return refused

    def signed_in(self, index: int, name: Name, now: Span, is_launch: bool) -> int:
        account = name.find(self.apps[SLOTS[index]])
        if account is None or not account.is_enrolled:
            return self.brought_in(index, name, now, is_quiet=False)
        code = account.refusal(self.slots[index].host) or 208
        if not is_launch:
            self.expect(index, [("enrollmentRequest", account.name, code)])
        return code

    @operation(6, index=ANY_SLOT, user=(*USERS, None), answer=(*USERS, None))
    def login(self, index: int, user: str | None, answer: str | None) -> None:
        if index not in self.slots:
            return
        begin = self.now()
        status, result, asked = self.slots[index].session.asked(
            {"signIn": self.answered(answer)}, "mam_login_and_enroll", user and self.name(user).decode()
        )
        self.check("mam_wait", 0, status)
        code, questions = self.logged_in(index, user, answer, (begin, self.now()))
        self.check("login", (code, questions), (result["code"], [one for one in asked if one == "signIn"]))

    def answered(self, user: str | None) -> dict[str, str] | None:
        if user is None:
            return None
        name = self.called(user)
        return {"accountId": name.id} if name.id else {"upn": name.upn or ""}

    def logged_in(self, index: int, user: str | None, answer: str | None, now: Span) -> tuple[int, list[str]]:
        hint = self.called(user) if user else self.of_device(index) or self.of_group(index)
        was_asked = hint is not None and not (user is None and hint.was_wiped(self.apps[SLOTS[index]]))
        if hint is not None:
            known = hint.find(self.apps[SLOTS[index]])
            host = self.slots[index].host
            is_here = known is not None and known.is_enrolled
            code = (known.refusal(host) or 208) if known is not None and is_here else host.refusal(hint.id, hint.upn)
            if code is not None:
                self.expect(index, [("enrollmentRequest", hint.text, code)])
                return code, []
            name = known.name if known is not None else hint.text
            code = self.brought_in(index, hint, now, is_quiet=True, by_itself=user is None)
            if code == 102:
                return code, []
            if code != 203:
                account = hint.find(self.apps[SLOTS[index]])
                if account is None or not account.is_enrolled:
                    self.expect(index, [("enrollmentRequest", name, code)])
                return code, []
        if answer is not None:
            return self.signed_in(index, self.called(answer), now, is_launch=False), ["signIn"]
        # A sign-in would not have helped a user that the authority refuses, so the refusal is the result, by the names of a
        # registered account.
        user_there = hint and self.office.users.get(hint.user)
        if hint and was_asked and self.office.is_there and not (user_there and user_there.enabled):
            known = hint.find(self.apps[SLOTS[index]])
            self.expect(index, [("enrollmentRequest", known.name if known is not None else hint.text, 203)])
            return 203, ["signIn"]
        self.expect(index, [("enrollmentRequest", hint and hint.text, 219)])
        return 219, ["signIn"]

    def has_policy(self, index: int) -> bool:
        accounts = [self.account(index, user) for user in self.apps[SLOTS[index]].accounts]
        return any(one is not None and one.is_managed for one in accounts)

    def launched(self, index: int, answer: str | None, added: bool, now: Span) -> list[str]:
        """The questions of a launch."""
        app, given = self.apps[SLOTS[index]], self.slots[index].launch
        if AUTO not in given:
            return []
        may_ask = REQUIRED in given and not self.has_policy(index)
        hint = self.to_enroll(index)
        if hint is not None:
            was_registered = hint.user in [one.user for one in app.registered()]
            code = self.brought_in(index, hint, now, is_quiet=True, by_itself=True)
            account = hint.find(app)
            if account is not None and account.is_enrolled and not was_registered:
                if not added:
                    if account.is_managed and account.user in self.slots[index].held:
                        self.slots[index].held[account.user].was_managed = True
                    self.left(index, account)
                return ["addAccount"]
            may_ask = may_ask and code == 203
        if not may_ask:
            return []
        if answer is not None:
            self.signed_in(index, self.called(answer), now, is_launch=True)
        return ["signIn"]

    def to_enroll(self, index: int) -> Name | None:
        """The device's account, or the one registered account, if it is not enrolled and may be."""
        app, host = self.apps[SLOTS[index]], self.slots[index].host
        if app.enrolled() and not host.several:
            return None
        device = self.of_device(index)
        if device is not None:
            known = device.find(app)
            return None if known is not None and known.is_enrolled else device
        waiting = [one for one in app.registered() if not one.is_enrolled]
        if not waiting:
            return self.of_group(index)
        return Name(waiting[0].id, waiting[0].upn) if len(waiting) == 1 else None

    def of_group(self, index: int) -> Name | None:
        """The one account that the other app manages, and that this one may enroll; docs/enrollment.md."""
        app, host = self.apps[SLOTS[index]], self.slots[index].host
        if app.enrolled() and not host.several:
            return None
        found = [
            Name(one.id, one.upn)
            for other in self.apps.values()
            if other is not app
            for one in other.enrolled()
            if one.policies
            and not host.refusal(one.id, one.upn)
            and not app.is_retired(one.id, one.upn)
            and one.user not in {mine.user for mine in app.enrolled()}
        ]
        return found[0] if len(found) == 1 else None
