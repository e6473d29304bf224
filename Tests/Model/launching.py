"""Launches, resumes and conditional_launch: findings for an account and their consequences; docs/launch.md."""

from __future__ import annotations

from typing import Any

from app import HOUR, Account, Span
from base import ANY_SLOT, SLOTS, USERS, operation
from enrolling import Enrolling
from events import in_order, leading, short, without
from signing import REQUIRED, WARN, Signing

DAY = 24 * HOUR
OFFLINE = ("offline", "offlineWipe")
#: Checks that depend on the machine.
OF_MACHINE = "deviceLock"


class Launching(Signing, Enrolling):
    def standing(self, index: int, account: Account) -> list[tuple[str, str]]:
        """The findings of a launch: no policy here requires a PIN, or restricts systems and versions."""
        if not account.is_enrolled:
            return []
        seen = account.seen_by(self.slots[index].host)
        found = [("disabledAccount", "block")] if not account.enabled and seen.closes_disabled else []
        if seen.policies is None:
            return [("account", "block"), *found]
        if seen.policies:
            passed = self.office.passed - account.checked_at
            found += [("offlineWipe", "block")] if passed > 90 * DAY else []
            found += [("offline", "block")] if passed > 12 * HOUR else []
            found += [("credentials", "prompt")] if account.must_sign_in else []
        return found

    @operation(8, index=ANY_SLOT, user=USERS)
    def look(self, index: int, user: str) -> None:
        """Twice: the second report equals the first."""
        if index not in self.slots:
            return
        account = self.apps[SLOTS[index]].accounts.get(user)
        wanted = self.standing(index, account) if account is not None else []
        for _ in range(2):
            report = self.slots[index].session.look(self.name(user).decode())
            got = [(one["check"], one["action"]) for one in report["findings"] if one["check"] != OF_MACHINE]
            self.check(f"look at {user} in session {index}", wanted, got)

    @operation(5, index=ANY_SLOT, answer=(*USERS, None), added=(True, False, None))
    def launch(self, index: int, answer: str | None, added: bool | None) -> None:
        if index not in self.slots:
            return
        answers = {"signIn": self.answered(answer), "addAccount": None if added is None else {"added": added}}
        begin = self.now()
        status, report, asked = self.slots[index].session.asked(answers, "mam_launch")
        self.check("mam_wait", 0, status)
        now = (begin, self.now())
        questions = self.launched(index, answer, bool(added), now)
        # Beside its own, there may be questions about a window that shows an account blocked meanwhile.
        self.check("questions of a launch", questions, [one for one in asked if one in answers])
        self.looked_at(index, report, asked, now)

    @operation(6, index=ANY_SLOT)
    def resume(self, index: int) -> None:
        if index not in self.slots:
            return
        begin = self.now()
        status, report, asked = self.slots[index].session.asked({}, "mam_resume")
        self.check("mam_wait", 0, status)
        self.looked_at(index, report, asked, (begin, self.now()))

    def looked_at(self, index: int, report: Any, asked: list[str], now: Span) -> None:
        """Accounts that are due check in, and those that were offline for too long; the rest is reported. A session that
        finds an account closed keeps it closed, which is tested in the launch suites: here it ends."""
        app, slot = self.apps[SLOTS[index]], self.slots[index]
        wanted: list[tuple[str, str, str]] = []
        for account in app.enrolled():
            name = account.name
            self.looked_after(index, account, now)
            if account.user not in app.accounts:
                wanted.append((name, "wipe", "wipe"))
        for one in app.enrolled():
            standing = self.standing(index, one)
            if one.seen_by(slot.host).policies is not None:
                one.overdue = any(check in OFFLINE for check, _ in standing)
            is_asked = one.user in self.in_use(index)
            wanted += [(one.name, *found) for found in standing if is_asked or found[1] != "prompt"]
        findings = [one for one in report["findings"] if one["accountId"] is not None]
        got = [(one["accountId"], one["check"], one["action"]) for one in findings if one["check"] != OF_MACHINE]
        self.check(f"findings in session {index}", sorted(wanted), sorted(got))
        bare = [name for name, key in (("policyRequired", REQUIRED), ("policyAbsent", WARN)) if key in slot.launch]
        found = [one["check"] for one in report["findings"] if one["accountId"] is None]
        self.check("findings of the app", [] if self.has_policy(index) else bare, found)
        # Nobody is asked while the account is blocked anyway.
        shut = {name for name, _, action in got if action == "block"}
        is_asked = any(check == "credentials" and name not in shut for name, check, _ in wanted)
        self.check("asked to sign in", is_asked, "authenticate" in asked)
        if any(one["action"] in ("block", "prompt") for one in findings):
            self.leave_guarded(index)

    def in_use(self, index: int) -> set[str]:
        """Users whose accounts cause questions at a launch or resume; no app here has several identities, docs/launch.md."""
        enrolled = {one.user for one in self.apps[SLOTS[index]].enrolled()}
        windows = self.slots[index].windows
        if len(enrolled) == 1 or not windows:
            return enrolled
        return enrolled & {user for users in windows.values() for user in users}

    def looked_after(self, index: int, account: Account, now: Span) -> None:
        """An account whose enrollment is lost checks in twice: the second check-in re-enrolls it."""
        for _ in range(2):
            is_offline = any(check in OFFLINE for check, _ in self.standing(index, account))
            if not is_offline and not self.is_due(account, now):
                return
            if self.checked_in(index, account, now) != 220:
                return

    def leave_guarded(self, index: int) -> None:
        """The events of a session until it closed, except accounts that the launch has kept closed in it."""
        delivered = self.expected.pop(index, [])
        if SLOTS[index] == "app.a":
            delivered, self.unread = [*self.unread, *delivered], []
        first = leading(delivered)
        expected = [*first, *self.changes(index), *without(delivered, first)]
        heard = [one for one in self.slots[index].session.events() if one["event"] not in ("warning", "accountBlocked")]
        wanted, got = in_order(one for one in expected if one[0] != "accountBlocked"), in_order(map(short, heard))
        self.allow_late_reports(self.apps[SLOTS[index]].unreported, wanted, got)
        self.check(f"events of session {index}", wanted, got)
        self.close_session(index)
