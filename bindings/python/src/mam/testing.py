"""An office to test a host program in: an authority with users and policies in a temporary folder.

    def test_notes_are_not_printed(mam_office):
        mam_office.user("ann@contoso.example")
        mam_office.policy(printBlocked=True)
        m = mam_office.open("com.example.notes", enroll="ann@contoso.example")
        assert not m.check("print", "ann@contoso.example")

`mam_office` is a pytest fixture of the plugin `mam_pytest`. Without pytest, use `with mam.testing.office() as office`. It
is the real library on real files; nothing outside the folder is touched, and nothing is left. `mam.exit_criteria` has
checks of a whole program.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from . import _clock
from ._call import Names, names
from .authority import Authority
from .authority_types import Fault, PolicySummary, User, Wipe
from .enrollment import EnrollmentStatus
from .enums import FaultKind, FaultOperation, StatusCode
from .session import Mam, open

__all__ = ["APP", "Office", "office"]

#: The default app of `Office.open`.
APP = "com.example.app"

# The inactivity timer of a policy that states none.
_INACTIVITY = timedelta(minutes=30)
_DURATION = re.compile(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")

# Graph's @odata.type for a policy of this platform.
_TYPE = "#libmam.linuxManagedAppProtection"


class Office:
    """An authority and the sessions of a test. `authority` has every action without a shorthand here.

    folder     all of its files
    authority  the `Authority`; its `path` is what a host program opens
    state      the state directory that `open` uses
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).resolve()
        self.state = self.folder / "state"
        self.authority = Authority.create(self.folder / "authority.db", name="Test office")
        self._sessions: list[Mam] = []

    def __repr__(self) -> str:
        return f"mam.testing.Office({str(self.folder)!r})"

    # Actions of the administrator

    def user(self, upn: str, **keys: Any) -> User:
        """Add a user; keys are those of `Authority.add_user`."""
        return self.authority.add_user(upn, **keys)

    def policy(self, *, name: str = "Test policy", apps: Names[str] | None = None, **settings: Any) -> PolicySummary:
        """Create a policy of settings as Graph names them: printBlocked=True.

        It reaches all users and, unless `apps` names some, all apps. Raises ValueError for a setting that libmam does not
        know: otherwise a test with a misspelt name would pass.
        """
        apps = None if apps is None else names(apps, "apps")
        document = {"@odata.type": _TYPE, "id": str(uuid.uuid4()), "displayName": name, **settings}
        return self._import(document, apps)

    def change(self, policy: PolicySummary, **settings: Any) -> PolicySummary:
        """Change settings of a policy of this office; apps see it at their next check-in."""
        document = {**self.authority.export_policy(policy.id), "id": policy.id, **settings}
        return self._import(document, None, known=True)

    def _import(self, document: dict[str, Any], apps: Names[str] | None, known: bool = False) -> PolicySummary:
        imported = self.authority.import_policy(document)
        (policy,) = imported.policies
        shown = self.authority.policy(policy.id)
        wrong = [warning for warning in imported.warnings if warning.kind in ("unknown", "value")]
        if wrong:
            if not known:
                self.authority.remove_policy(policy.id)
            raise ValueError("; ".join(str(warning.message) for warning in wrong))
        if known:
            return shown
        self.authority.assign(policy.id, all_users=True)
        if apps is None:
            return self.authority.target(policy.id, all_apps=True)
        for app in apps:
            policy = self.authority.target(policy.id, app)
        return policy

    def wipe(self, user: str, *, app: str | None = None, check_in: bool = True) -> Wipe:
        """Request a wipe of a user's data, and have the open sessions of `open` check in and carry it out; with `check_in=False`
        each app wipes at its next check-in."""
        wipe = self.authority.request_wipe(user, app=app)
        if not check_in:
            return wipe
        apps = {session.settings()["app"]["id"] for session in self._open_sessions() if session.enrolled_accounts()}
        self.check_in()
        end = time.monotonic() + 30
        while any(one.app in apps for one in self.authority.registrations(user=user)) and time.monotonic() < end:
            for session in self._open_sessions():
                session.run_due()
            time.sleep(0.002)
        return next(one for one in self.authority.wipes() if one.id == wipe.id)

    def fault(
        self, fault: FaultKind | str, *, operation: FaultOperation | str | None = None, count: int | None = None
    ) -> list[Fault]:
        """Make the authority fail, as `Authority.set_fault` does."""
        return self.authority.set_fault(fault, operation=operation, count=count)

    def no_faults(self) -> None:
        """End all failures."""
        self.authority.clear_faults()

    # Time

    def advance(self, by: timedelta | float | None = None, **units: float) -> None:
        """Let time pass for libmam: advance(hours=2), or a timedelta, or seconds; `units` are those of timedelta.

        What is due by then is done at once in sessions without a worker, else by the worker. Only libmam in this process
        sees it. It ends with the office.
        """
        given = timedelta(**units) if by is None else by if isinstance(by, timedelta) else timedelta(seconds=by)
        _clock.advance(given.total_seconds())
        for session in self._open_sessions():
            session.run_due()

    # Actions of the host

    def check_in(self) -> list[EnrollmentStatus]:
        """Have every open session with an account check in now; returns how each ended."""
        return [session.check_in().wait(30) for session in self._open_sessions() if session.enrolled_accounts()]

    def _open_sessions(self) -> list[Mam]:
        return [session for session in self._sessions if not session.closed]

    def open(self, app: str = APP, *, enroll: str | None = None, pin: str | None = None, **keys: Any) -> Mam:
        """A session that is closed at the test's end; keys and their defaults are those of `mam.open`, but for the state
        directory and `inherit_identity`, so that a test depends on nothing outside.

        enroll  a user to enroll at once; AssertionError if that fails
        pin     set this PIN for that user, whom nobody has asked for it yet: a launch asks, in this process. In a subprocess
                it does not, because the PIN was shown just now (`forget_proofs`)
        """
        if pin is not None and enroll is None:
            raise ValueError("pin needs enroll: whose PIN it is")
        keys = {"state_directory": self.state, "inherit_identity": False, **keys}
        session = open(app, self.authority.path, **keys)
        self._sessions.append(session)
        if enroll is not None:
            status = session.register_and_enroll(enroll).wait(30)
            assert status or status.code == StatusCode.ALREADY_ENROLLED, (
                f"{enroll} was not enrolled: {status.code} {status.message}"
            )
            if pin is not None:
                session.pin_set(enroll, pin)
                self.forget_proofs()
        return session

    def forget_proofs(self) -> None:
        """Let the inactivity timers of all accounts expire: whatever a person has shown, a launch or resume asks for it again.

        As `advance` does, it reaches libmam in this process alone: a program in a subprocess has the system's time, and does
        not ask before its own timers expire.
        """
        periods = [_INACTIVITY]
        for session in self._open_sessions():
            for account in session.enrolled_accounts():
                with session.policy(account.account_id) as policy:
                    settings = {one.setting: one.value for one in policy.effective().settings}
                periods.append(_duration(settings.get("periodOnlineBeforeAccessCheck")))
        self.advance(max(periods) + timedelta(seconds=1))

    def close(self) -> None:
        """Close all sessions, and give libmam the system's time; the files stay."""
        while self._sessions:
            self._sessions.pop().close()
        _clock.reset()


def _duration(text: object) -> timedelta:
    found = _DURATION.fullmatch(str(text))
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()) if found else (0, 0, 0, 0)
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)


@contextmanager
def office(folder: str | os.PathLike[str] | None = None) -> Iterator[Office]:
    """An office for a `with` block: in a temporary folder that is removed after it, or in a folder that stays."""
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="mam-office-") as made, office(made) as inside:
            yield inside
        return
    made_here = Office(folder)
    try:
        yield made_here
    finally:
        made_here.close()
