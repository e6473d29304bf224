"""Policies before they apply."""

from __future__ import annotations

import mam
import pytest

TYPE = "#libmam.linuxManagedAppProtection"
RELAXED = {"@odata.type": TYPE, "id": "r", "displayName": "Relaxed", "printBlocked": False}
BLOCKED = {**RELAXED, "printBlocked": True}
STRICT = {"@odata.type": TYPE, "id": "s", "displayName": "Strict", "printBlocked": True, "minimumPinLength": 6}


def test_findings_name_the_setting_and_the_remedy() -> None:
    (linted,) = mam.lint(STRICT)
    assert (linted.id, linted.name) == ("s", "Strict")
    assert [(one.severity, one.kind, one.setting, one.value) for one in linted.findings] == [
        ("note", "ineffective", "minimumPinLength", 6)
    ]
    assert "pinRequired" in linted.findings[0].message
    assert [one.id for one in mam.lint({"value": [RELAXED, STRICT]})] == ["r", "s"]
    assert mam.lint(None) == ()


def test_a_merge_is_never_looser_than_its_part() -> None:
    changes = mam.diff(RELAXED, [RELAXED, {**BLOCKED, "id": "b"}])
    assert changes.verdict == "stricter"
    assert [(one.setting, one.before, one.after, one.change) for one in changes.changes] == [
        ("printBlocked", False, True, "stricter")
    ]
    assert mam.diff([RELAXED, STRICT], RELAXED).verdict == "looser"
    assert mam.diff(STRICT, STRICT) == mam.PolicyChanges("same", ())


@pytest.mark.parametrize("bad", [1, "text", [1], {"value": 1}])
def test_invalid_policies_are_refused(bad: object) -> None:
    with pytest.raises(mam.JSONError) as caught:
        mam.lint(bad)  # type: ignore[arg-type]
    assert caught.value.detail["argument"] == "policy"


def test_the_type_is_stated_or_given() -> None:
    with pytest.raises(mam.ArgumentError) as caught:
        mam.lint({"printBlock": True})
    assert "--type" in str(caught.value)
    (linted,) = mam.lint({"printBlock": True}, type="ios")
    assert [(one.severity, one.kind) for one in linted.findings] == [("warning", "unknown")]
    assert "printBlocked" in linted.findings[0].message and linted.platform == "ios"
    assert mam.diff({"printBlocked": True}, {}, type="android").verdict == "looser"
    with pytest.raises(mam.ArgumentError):
        mam.diff(STRICT, RELAXED, type="ios")


def test_wiping_findings_are_warnings_and_come_first() -> None:
    wiping = {**BLOCKED, "deviceComplianceRequired": True, "appActionIfDeviceComplianceRequired": "wipe"}
    (linted,) = mam.lint(wiping)
    (found,) = linted.findings
    assert (found.severity, found.kind, found.check) == ("warning", "wipe", "deviceHealth")
    assert found.setting == "appActionIfDeviceComplianceRequired" and "injectedLibraries" in found.signals
    changes = mam.diff(BLOCKED, wiping)
    first = changes.launch[0]
    assert (first.check, first.change, first.before) == ("deviceHealth", "stricter", None)
    assert first.after == mam.LaunchCause("wipe", "deviceComplianceRequired", True, "r", "Relaxed")
    assert mam.diff(wiping, BLOCKED).launch[0].after is None
    assert mam.diff(wiping, wiping).launch == ()
