"""An office to test in: an authority in a temporary folder with users, a group and a policy, and sessions of an app.

The tests are of the real library. Without it they fail; LIBMAM_PATH names it.
"""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

try:
    import mam
except ImportError as error:
    raise pytest.UsageError(f"{error}\nThe tests need the library: set LIBMAM_PATH to its path.") from error

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
    """Ann and Ben are staff and under the policy; Eve is not known here."""

    authority: mam.Authority
    policy: mam.PolicySummary
    folder: Path

    def open(self, **keys: Any) -> mam.Mam:
        """A session of the app; without a worker unless the test says so, so that nothing happens by itself."""
        keys = {"app": APP, "worker": False, "state_directory": self.folder / "state", **keys}
        keys.setdefault("settings", {"MultiManagedIdentities": True})
        return mam.open(authority=self.authority.path, **keys)

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
def office(tmp_path: Path) -> Office:
    return Office.make(tmp_path)


@pytest.fixture
def m(office: Office) -> Iterator[mam.Mam]:
    """A session in which nobody is enrolled."""
    with office.open() as session:
        yield session


@pytest.fixture
def enrolled(m: mam.Mam) -> mam.Mam:
    """A session in which Ann is enrolled."""
    assert m.register_and_enroll(ANN).wait(30).code == mam.StatusCode.NEW_POLICIES_RECEIVED
    return m


def in_child(function: Callable[[], object]) -> str:
    """What a function returns, or the traceback of what it raises, in a child made by os.fork."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        # Forking with libmam's worker running is what is tested.
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
