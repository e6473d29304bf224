"""Launches against the oracle of Tests/Golden/launch: the tables written by hand, and random policies. Cases that need time to
pass run in Swift, on the same tables (LaunchTableTests.swift)."""

from __future__ import annotations

import importlib
import os
import random
import sys
from pathlib import Path
from typing import Any

import mam
from conftest import ANN, APP, Office

FOLDER = Path(__file__).parents[3] / "Tests" / "Golden" / "launch"
sys.path.insert(0, str(FOLDER))
oracle: Any = importlib.import_module("launch_oracle")

#: Signals that may fail on a machine that runs tests.
IGNORED = [
    "osDistribution",
    "kernelTaint",
    "tracer",
    "injectedLibraries",
    "rootUser",
    "setUserId",
    "secureBoot",
    "diskEncryption",
    "deviceLock",
]
ODD: list[Any] = ["odd", 1, {}, True, "", None]
VERSIONS = ["0.5", "1.0", "1.0.1", "2", "5.0", "24.04"]
ACTIONS = ["warn", "block", "blockWhenSettingIsSupported", "wipe"]
CHOICES: dict[str, list[Any]] = {
    **{f"minimum{word}{thing}Version": VERSIONS for word in ("Wipe", "Required", "Warning") for thing in ("App", "Os")},
    **{f"minimum{word}SdkVersion": ["0.0.1", "0.1.0", "9"] for word in ("Wipe", "Required", "Warning")},
    **{f"maximum{word}OsVersion": VERSIONS for word in ("Wipe", "Required", "Warning")},
    "deviceComplianceRequired": [True, True, False],
    "deviceLockRequired": [True, False],
    "organizationalCredentialsRequired": [True, False],
    "pinRequired": [True, False],
    "encryptAppData": [True, False],
    "appDataEncryptionType": oracle.ENCRYPTIONS,
    "maximumAllowedDeviceThreatLevel": [*oracle.LEVELS, "notConfigured"],
    "allowedIosDeviceModels": ["Toaster", "toaster;Kettle", "Kettle"],
    "gracePeriodToBlockAppsDuringOffClockHours": ["PT1H", "P1D"],
    **dict.fromkeys((
        "appActionIfDeviceComplianceRequired", "appActionIfDeviceLockNotSet", "appActionIfIosDeviceModelNotAllowed",
        "mobileThreatDefenseRemediationAction", "appActionIfUnableToAuthenticateUser", "appActionIfAccountIsClockedOut",
    ), ACTIONS),
}  # fmt: skip
SITUATIONS: list[tuple[str, dict[str, Any]]] = [
    ("threat -", {}),
    ("threat low, work working", {"threat_level": "low", "signals": {"work.time": "ok"}}),
    ("threat high, health fail, work out PT0S", {"threat_level": "high", "compliant": False, "signals": {"work.time": "fail"}}),
]


def test_the_tables_match_the_oracle() -> None:
    tables = [path for path in sorted(FOLDER.glob("*.txt")) if path.name != "clock.txt"]
    assert len(tables) > 6
    assert [line for path in tables for line in oracle.differences(path)] == []


def some_policy(dice: random.Random, number: int) -> dict[str, Any]:
    kinds = ["#libmam.linuxManagedAppProtection"] * 3 + [
        f"#microsoft.graph.{one}ManagedAppProtection" for one in ("ios", "android", "windows")
    ]
    policy: dict[str, Any] = {"@odata.type": dice.choice(kinds), "id": f"p{number}", "displayName": f"P{number}"}
    if dice.random() < 0.5:
        policy["apps"] = [{"mobileAppIdentifier": {"bundleId": dice.choice([APP, "com.example.other"])}}]
    for name, values in CHOICES.items():
        if dice.random() < 0.3:
            # A grace period that is not understood counts as none, and by then a moment has passed.
            is_odd = dice.random() < 0.05 and not name.startswith("grace")
            policy[name] = dice.choice(ODD) if is_odd else dice.choice(values)
    return policy


def outcome_of(report: mam.LaunchReport) -> str:
    found = ", ".join(f"{one.action} {one.check} {one.setting or '-'}" for one in report.findings)
    elsewhere = sorted({one.setting for one in report.not_applicable}, key=oracle.ELSEWHERE.index)
    return f"{report.outcome} | {found} | {' '.join(elsewhere)}".rstrip(" |")


def test_random_policies_match_the_oracle(office: Office) -> None:
    dice = random.Random(os.environ.get("MAM_SEED", "1"))
    device = {"lock": "off", "version": "5.0", "model": "Toaster", "health": {"ignore": IGNORED}}
    authority, ids = office.authority, [office.policy.id]
    with office.open(version="1.0", device=device, worker=False) as session:
        assert session.register_and_enroll(ANN).wait(30)
        for _ in range(int(os.environ.get("MAM_CASES", "40"))):
            policies = [some_policy(dice, number) for number in range(dice.randint(1, 3))]
            for old in ids:
                authority.remove_policy(old)
            ids = []
            for policy in policies:
                (one,) = authority.import_policy(policy).policies
                authority.assign(one.id, all_users=True)
                authority.target(one.id, all_apps=True)
                ids.append(one.id)
            session.check_in(ANN).wait(30)
            for situation, report in SITUATIONS:
                session.report_device_health(**report)
                row = f"{situation}, system 5.0, model Toaster, app 1.0, libmam {mam.version()}, lock off, pin set"
                assert outcome_of(session.conditional_launch(ANN)) == oracle.find(policies, row), f"{policies} {row}"
