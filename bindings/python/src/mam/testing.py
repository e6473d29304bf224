"""An office to test a host program in: an authority with users and policies in a temporary folder.

    def test_notes_are_not_printed(mam_office):
        mam_office.user("ann@contoso.example")
        mam_office.policy(printBlocked=True)
        m = mam_office.open("com.example.notes", enroll="ann@contoso.example")
        assert not m.check("print", "ann@contoso.example")

`mam_office` is a pytest fixture of the plugin `mam_pytest`. Without pytest, `with mam.testing.office() as office`. It is
the real library on real files; nothing outside the folder is touched, and nothing is left.
"""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .authority import Authority
from .authority_types import Fault, PolicySummary, User, Wipe
from .session import Mam, open

__all__ = ["APP", "Office", "office"]

#: The app of `Office.open` where the test names none.
APP = "com.example.app"

# Graph's own names for what the embedded authority knows as a policy for this platform.
_TYPE = "#libmam.linuxManagedAppProtection"


class Office:
    """An authority and the sessions of a test. `authority` has everything that has no shorthand here.

    folder     all files of it
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

    # What the administrator does

    def user(self, upn: str, **keys: Any) -> User:
        """Add a user; keys are those of `Authority.add_user`."""
        return self.authority.add_user(upn, **keys)

    def policy(self, *, name: str = "Test policy", apps: list[str] | None = None, **settings: Any) -> PolicySummary:
        """Make a policy of settings as Graph names them: printBlocked=True.

        It reaches all users and, where `apps` names none, all apps. ValueError for a setting that libmam does not
        know: a test would otherwise pass for a misspelt name.
        """
        document = {"@odata.type": _TYPE, "id": str(uuid.uuid4()), "displayName": name, **settings}
        return self._import(document, apps)

    def change(self, policy: PolicySummary, **settings: Any) -> PolicySummary:
        """Change settings of a policy of this office; apps see it at their next check-in."""
        document = {**self.authority.export_policy(policy.id), "id": policy.id, **settings}
        return self._import(document, None, known=True)

    def _import(self, document: dict[str, Any], apps: list[str] | None, known: bool = False) -> PolicySummary:
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

    def wipe(self, user: str, *, app: str | None = None) -> Wipe:
        """Have a user's data wiped at each app's next check-in."""
        return self.authority.request_wipe(user, app=app)

    def fault(self, fault: str, *, operation: str | None = None, count: int | None = None) -> list[Fault]:
        """Let the authority fail: "network", "timeout", "parsing", "internal" or "gone", as in `Authority.set_fault`."""
        return self.authority.set_fault(fault, operation=operation, count=count)

    def no_faults(self) -> None:
        """Let it work again."""
        self.authority.clear_faults()

    # What the host does

    def open(self, app: str = APP, *, enroll: str | None = None, **keys: Any) -> Mam:
        """A session that is closed at the test's end; keys are those of `mam.open`.

        Without a worker unless the test says so: then nothing happens outside its calls. `enroll` names a user to
        enroll at once; AssertionError when that fails. Several managed accounts are allowed.
        """
        keys = {"worker": False, "state_directory": self.state, **keys}
        keys.setdefault("settings", {"MultiManagedIdentities": True})
        keys.setdefault("inherit_identity", False)  # a test is the same wherever it runs
        session = open(app, self.authority.path, **keys)
        self._sessions.append(session)
        if enroll is not None:
            status = session.register_and_enroll(enroll).wait(30)
            assert status, f"{enroll} was not enrolled: {status.code} {status.message}"
        return session

    def close(self) -> None:
        """Close all sessions; the files stay."""
        while self._sessions:
            self._sessions.pop().close()


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
