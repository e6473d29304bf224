"""An office to test in: an authority in a temporary folder with users, a group and a policy, and sessions of an app.

The tests use the real library and fail without it; LIBMAM_PATH names it.
"""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pytest

try:
    import mam
except ImportError as error:
    raise pytest.UsageError(f"{error}\nThe tests need the library: set LIBMAM_PATH to its path.") from error

from asked_office import AskedOffice

APP = "com.example.notes"
ANN = "ann@contoso.example"
BEN = "ben@contoso.example"
EVE = "eve@personal.example"

POLICY: dict[str, Any] = {
    "@odata.type": "#libmam.linuxManagedAppProtection",
    "displayName": "Staff",
    "allowedInboundDataTransferSources": "managedApps",
    "allowedOutboundDataTransferDestinations": "managedApps",
    "saveAsBlocked": True,
    "allowedDataStorageLocations": ["oneDriveForBusiness", "sharePoint"],
    "printBlocked": True,
    "contactSyncBlocked": False,
    "dataBackupBlocked": True,
    "pinRequired": True,
    "managedBrowserToOpenLinksRequired": False,
}


@dataclass(frozen=True)
class Office:
    """Ann and Ben are staff and under the policy; Eve is unknown here."""

    authority: mam.Authority
    policy: mam.PolicySummary
    folder: Path
    sessions: WeakSet[mam.Mam] = field(default_factory=WeakSet, compare=False, repr=False)

    def open(self, **keys: Any) -> mam.Mam:
        """A session of the app; without a worker by default, so that nothing happens on its own."""
        keys = {"app": APP, "worker": False, "state_directory": self.folder / "state", **keys}
        keys.setdefault("settings", {"MultiManagedIdentities": True})
        session = mam.open(authority=self.authority.path, **keys)
        self.sessions.add(session)
        return session

    def close(self) -> None:
        """Close sessions that a failed test has left open: their workers would go on during the next tests."""
        for session in list(self.sessions):
            session.close()

    @classmethod
    def make(cls, folder: Path) -> Office:
        authority = mam.Authority.create(folder / "authority.db", name="Contoso")
        group = authority.add_group("Staff")
        for upn in (ANN, BEN):
            authority.add_user(upn)
            authority.add_member(group.id, upn)
        (policy,) = authority.import_policy(POLICY).policies
        authority.assign(policy.id, group.id)
        return cls(authority, authority.target(policy.id, APP), folder)


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = Office.make(tmp_path)
    yield made
    made.close()


@pytest.fixture
def m(office: Office) -> Iterator[mam.Mam]:
    """A session without an enrolled account."""
    with office.open() as session:
        yield session


@pytest.fixture
def enrolled(m: mam.Mam) -> mam.Mam:
    """A session in which Ann is enrolled."""
    assert m.register_and_enroll(ANN).wait(30).code == mam.StatusCode.NEW_POLICIES_RECEIVED
    return m


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedOffice]:
    """The office of Tests/Golden/asked."""
    made = AskedOffice(tmp_path_factory.mktemp("asked"))
    yield made
    made.close()


def in_child(function: Callable[[], object]) -> str:
    """The result of a function, or its traceback, in a child made by os.fork."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        # The test is about forking with libmam's worker running.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            answer = str(function())
        except BaseException:
            answer = traceback.format_exc()
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        answer = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return answer
