"""Explain and simulate: the records, and refused requests. test_simulation_is_real.py checks that they are true."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mam
import pytest
from mam import testing
from mam.testing import Office

ANN = "ann@contoso.example"
BLOCK: dict[str, Any] = {
    "action": "policy.import",
    "type": "linux",
    "document": {"id": "block", "displayName": "Block", "printBlocked": True},
}
FOR_ALL: list[dict[str, Any]] = [
    BLOCK,
    {"action": "policy.assign", "policy": "block", "allUsers": True},
    {"action": "policy.target", "policy": "block", "app": "notes"},
]


@pytest.fixture
def mam_office(tmp_path: Path) -> Iterator[Office]:
    (tmp_path / "office").mkdir()
    with testing.office(tmp_path / "office") as office:
        yield office


def test_conflicting_values_are_reported(mam_office: Office) -> None:
    mam_office.user(ANN, account_id="ann")
    mam_office.policy(name="Hard", printBlocked=True)
    mam_office.policy(name="Soft", printBlocked=False)
    result = mam.explain(mam_office.authority, ANN, "notes")
    assert (result.user.account_id, result.app, result.app_known, result.may_enroll) == ("ann", "notes", False, True)
    assert result.check_in.delivers and result.check_in.code == 100
    (one,) = result.disagreements
    assert (one.setting, one.chosen, one.resolution) == ("printBlocked", True, "strictest")
    assert sorted((said.policy_name, said.value) for said in one.values) == [("Hard", True), ("Soft", False)]
    (printing,) = [decision for decision in result.decisions if decision.request == {"action": "print"}]
    assert not printing and printing.allowed is False and printing.required is None
    assert printing.reason is not None and printing.reason.policy_name == "Hard"
    assert [(policy.display_name, policy.why) for policy in result.policies] == [
        ("Hard", ("assigned",)), ("Soft", ("assigned",)),
    ]  # fmt: skip


def test_changes_are_reported_with_their_reasons(mam_office: Office) -> None:
    mam_office.user(ANN, account_id="ann")
    result = mam.simulate(mam_office.authority, FOR_ALL)
    (change,) = result.changes
    assert (change.effect, change.verdict, result.verdict) == ("gains", "stricter", "stricter")
    assert change.accounts == (mam.SimulatedAccount("ann", ANN, "notes"),) == result.accounts("gains")
    assert change.after.policies == (mam.DeliveredPolicy("block", "Block"),)
    (decision,) = change.decisions
    assert (decision.request, decision.before.allowed, decision.change) == ({"action": "print"}, True, "stricter")
    assert decision.after.reason is not None and decision.after.reason.policy_id == "block"
    assert result.counts.gains == 1 and result.counts.decisions == mam.DecisionCounts(stricter=1)
    assert result.accounts("loses") == ()


def test_a_device_lock_counts(mam_office: Office) -> None:
    mam_office.user(ANN)
    mam_office.policy(printBlocked=False)
    policy: dict[str, Any] = {"id": "pin", "pinRequired": True, "disableAppPinIfDevicePinIsSet": True}
    changes = [
        {"action": "policy.import", "document": policy, "type": "linux"},
        {"action": "policy.assign", "policy": "pin", "allUsers": True},
        {"action": "policy.target", "policy": "pin", "allApps": True},
    ]
    asked = [{"action": "pinRequired"}]
    for lock, count in (("on", 0), ("off", 1)):
        result = mam.simulate(mam_office.authority, changes, apps=["notes"], requests=asked, device_lock=lock)  # type: ignore[arg-type]
        assert len(result.changes[0].decisions) == count


@pytest.mark.parametrize(
    ("request_", "error", "where"),
    [
        ({"changes": [*FOR_ALL, {"action": "policy.remove", "policy": "none"}]}, mam.NotFoundError, ("changes", 3)),
        ({"changes": [{"action": "policy.list"}]}, mam.ArgumentError, ("changes", 0)),
        ({"changes": [{"action": "config.remove", "config": "x"}]}, mam.ArgumentError, ("changes", 0)),
        ({"changes": [{"action": "fly"}]}, mam.ArgumentError, ("changes", 0)),
        ({"changes": [], "users": [ANN, "eve"]}, mam.NotFoundError, ("users", 1)),
        ({"changes": [], "requests": [{"action": "print", "account": ANN}]}, mam.JSONError, ("requests", 0)),
        ({"changes": [], "requests": [{"action": "saveTo", "location": "moon"}]}, mam.ArgumentError, ("requests", 0)),
        ({"changes": [{}] * 1001}, mam.ArgumentError, (None, None)),
        ({"changes": [], "apps": ["a b"]}, mam.ArgumentError, (None, None)),
    ],
)  # fmt: skip
def test_a_mistake_names_its_place(
    request_: dict[str, Any], error: type[mam.MamError], where: tuple[Any, Any], mam_office: Office
) -> None:
    mam_office.user(ANN)
    with pytest.raises(error) as caught:
        mam.simulate(mam_office.authority, **request_)
    assert (caught.value.detail.get("list"), caught.value.detail.get("index")) == where
    assert mam_office.authority.policies() == []


def test_only_authorities_are_accepted(tmp_path: Path) -> None:
    with pytest.raises(mam.NotFoundError):
        mam.explain(tmp_path / "none.db", ANN, "notes")
    (tmp_path / "junk.db").write_bytes(b"junk" * 5000)
    with pytest.raises(mam.StorageError):
        mam.simulate(tmp_path / "junk.db", [])
    with pytest.raises(TypeError):
        mam.simulate(tmp_path / "junk.db", [], users=ANN)  # type: ignore[arg-type]


def test_launches_are_simulated(mam_office: Office) -> None:
    """Tests/Model/test_simulated_launches.py checks that they are true."""
    mam_office.user(ANN, account_id="ann")
    mam_office.policy(name="Now", minimumRequiredAppVersion="2")
    wiping = {"id": "w", "displayName": "W", "minimumWipeAppVersion": "1.5", "pinRequired": True}
    rollout: list[dict[str, Any]] = [
        {"action": "policy.import", "type": "linux", "document": wiping},
        {"action": "policy.assign", "policy": "w", "allUsers": True},
        {"action": "policy.target", "policy": "w", "app": "notes"},
    ]
    assert mam.simulate(mam_office.authority, rollout).launches == ()
    result = mam.simulate(mam_office.authority, rollout, launch={"appVersion": "1.0"})
    (row,) = result.launches
    assert [account.upn for account in row.accounts] == [ANN]
    assert row.before is not None and row.after is not None
    assert (row.before.outcome, row.after.outcome) == ("blocked", "wiped")
    found = row.after.findings[0]
    assert (found.check, found.action, found.setting, found.value, found.policy_name) == (
        "appVersion", "wipe", "minimumWipeAppVersion", "1.5", "W",
    )  # fmt: skip
    assert result.changes[0].launch[0].check == "appVersion"
    (row,) = mam.simulate(mam_office.authority, rollout, launch={"appVersion": "2", "pin": {}}).launches
    assert row.after is not None
    assert (row.after.outcome, row.after.outcome_when_answered) == ("blocked", "allowed")
    assert row.after.asks == (mam.SimulatedQuestion("pin", "enter"),)


@pytest.mark.parametrize(
    "launch", [{"odd": 1}, {"device": {"lock": "odd"}}, {"offline": "soon"}, {"deviceHealth": {"signals": [{"signal": "odd"}]}}]
)
def test_an_invalid_state_is_refused(mam_office: Office, launch: dict[str, Any]) -> None:
    with pytest.raises((mam.ArgumentError, mam.JSONError)):
        mam.simulate(mam_office.authority, [], launch=launch)
