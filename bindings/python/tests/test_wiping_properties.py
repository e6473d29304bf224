"""Each property of the library's list in one policy, at its most drastic value, on a computer that fails every check: a launch
wipes the account if mam_policy_lint warns of that property, and only then."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mam
import pytest
from mam.testing import APP, Office, office

ANN = "ann@contoso.example"
LINUX = "#libmam.linuxManagedAppProtection"
PIN = "2580"
#: Settings without which a property has no effect, and the effective value if the list's strictest one has none.
BESIDE: dict[str, dict[str, Any]] = {
    "appActionIfDeviceComplianceRequired": {"deviceComplianceRequired": True},
    "appActionIfDeviceLockNotSet": {"deviceLockRequired": True},
    "appActionIfIosDeviceModelNotAllowed": {"allowedIosDeviceModels": "Kettle"},
    "mobileThreatDefenseRemediationAction": {"maximumAllowedDeviceThreatLevel": "low"},
    "appActionIfMaximumPinRetriesExceeded": {"pinRequired": True, "maximumPinRetries": 2, "periodOnlineBeforeAccessCheck": "PT0S"},
    "maximumPinRetries": {"pinRequired": True},
    "appActionIfAccountIsClockedOut": {"gracePeriodToBlockAppsDuringOffClockHours": "PT0S"},
}
PROPERTIES = [one for one in mam.policy_properties() if one.kind is not None]


def values(one: mam.KnownProperty) -> list[Any]:
    """The values by which a property could wipe: the one that states it, or the strictest."""
    named = [name for group in one.names for name in group.split(" = ") if name == "wipe"]
    return named or ([] if one.strictest in (None, []) else [one.strictest])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    folder: Path = tmp_path_factory.mktemp("wiping")
    with office(folder) as made:
        made.user(ANN)
        yield made


def put(place: Office, policy: dict[str, Any]) -> None:
    document = {"@odata.type": LINUX, "id": "one", "displayName": "One", **policy}
    place.authority.import_policy(document)
    place.authority.assign("one", all_users=True)
    place.authority.target("one", all_apps=True)


def use_up_the_pin(session: mam.Mam, retries: int) -> None:
    session.pin_set(ANN, PIN)
    for _ in range(retries - 1):
        with pytest.raises(mam.DeniedError):
            session.pin_verify(ANN, "0852")


def launched(place: Office, policy: dict[str, Any]) -> bool:
    """Whether a launch wipes Ann's account, which fails every check, and how the refusal after the wipe period ends."""
    put(place, {name: value for name, value in policy.items() if name.startswith("apps")})
    device = {"lock": "off", "version": "5.0", "model": "Toaster"}
    with mam.open(APP, place.authority.path, worker=False, state_directory=place.folder / "state", device=device, version="0.1",
                  settings={"MultiManagedIdentities": True}, inherit_identity=False) as session:  # fmt: skip
        place.authority.set_user(ANN, enabled=True)
        assert session.register_and_enroll(ANN).wait(30)
        session.report_device_health(threat_level="high", compliant=False, signals={"work.time": "fail"})
        put(place, policy)
        place.authority.set_user(ANN, enabled=False)
        session.set_process_identity(ANN)
        session.check_in(ANN).wait(30)
        if policy.get("appActionIfMaximumPinRetriesExceeded") is not None:
            use_up_the_pin(session, 2)
            session.report_device_health(threat_level="secured")
            place.authority.set_user(ANN, enabled=True)
            session.check_in(ANN).wait(30)
            session.on_question(mam.PIN)(lambda question: "0852")
        if "periodOfflineBeforeWipeIsEnforced" in policy:
            # Until the second is over, as a check reports it; the test has no clock.
            while not any(one.check == "offlineWipe" for one in session.conditional_launch(ANN).findings):
                pass
        session.launch().wait(30)
        wiped = ANN not in [one.upn for one in session.enrolled_accounts()]
        if not wiped:
            session.deregister_and_unenroll(ANN, wipe=True).wait(30)
        return wiped


@pytest.mark.parametrize("one", PROPERTIES, ids=lambda one: str(one.property))
def test_lint_names_properties_that_wipe(place: Office, one: mam.KnownProperty) -> None:
    can_wipe = False
    for value in values(one):
        policy = {**BESIDE.get(one.property, {}), one.property: value}
        (linted,) = mam.lint({"@odata.type": LINUX, "id": "one", "displayName": "One", **policy})
        warned = [found for found in linted.findings if found.kind == "wipe"]
        assert [found.setting for found in warned] in ([], [one.property]), policy
        assert all(found.severity == "warning" and found.check and "To choose otherwise" in found.message for found in warned)
        assert launched(place, policy) == bool(warned), policy
        can_wipe = can_wipe or bool(warned)
    assert can_wipe == one.wipes
