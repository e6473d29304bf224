"""Random policies, accounts and computers, and libmam under each: the simulation of a launch, and the real launch."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import library
from library import C
from mam import _ffi

APP, ID, UPN = "app.a", "ann-id", "ann@contoso.example"
PIN, NEW_PIN = b"258036", b"905174"
LINUX = "#libmam.linuxManagedAppProtection"
#: Signals that decide nothing here, so that another machine gives the same result; the tests' clock is an unlisted
#: LD_PRELOAD.
IGNORED = ["tracer", "setUserId"]
CLOCK_LIBRARY = os.environ.get("LD_PRELOAD", "").split(":")[0]

ACTIONS = ["warn", "block", "blockWhenSettingIsSupported", "wipe"]
VERSIONS = ["1", "1.2", "2", "22.04", "24.04", "30"]
#: Values by property; "odd" is never understood.
VALUES: dict[str, list[Any]] = {
    **{f"minimum{word}{thing}Version": VERSIONS for word in ("Wipe", "Required", "Warning") for thing in ("App", "Os")},
    **{f"minimum{word}SdkVersion": ["0.0.1", "0.1.0", "9"] for word in ("Wipe", "Required", "Warning")},
    **{f"maximum{word}OsVersion": VERSIONS for word in ("Wipe", "Required", "Warning")},
    "deviceComplianceRequired": [True, True, False],
    "appActionIfDeviceComplianceRequired": ACTIONS,
    "deviceLockRequired": [True, False],
    "appActionIfDeviceLockNotSet": ACTIONS,
    "appDataEncryptionType": ["useDeviceSettings", "whenDeviceLocked"],
    "maximumAllowedDeviceThreatLevel": ["secured", "low", "high", "notConfigured"],
    "mobileThreatDefenseRemediationAction": ACTIONS,
    "allowedIosDeviceModels": ["Toaster", "Kettle", "Kettle;Toaster"],
    "appActionIfIosDeviceModelNotAllowed": ACTIONS,
    "appActionIfUnableToAuthenticateUser": ACTIONS,
    "appActionIfAccountIsClockedOut": ACTIONS,
    "gracePeriodToBlockAppsDuringOffClockHours": ["PT1H", "P30D"],
    "periodOfflineBeforeAccessCheck": ["PT0S", "PT12H", "P30D"],
    "periodOfflineBeforeWipeIsEnforced": ["PT0S", "P1D", "P90D"],
    "periodOnlineBeforeAccessCheck": ["PT0S", "PT30M", "P30D"],
    "organizationalCredentialsRequired": [True, False],
    "pinRequired": [True, True, False],
    "disableAppPinIfDevicePinIsSet": [True, False],
    "maximumPinRetries": [2, 5],
    "appActionIfMaximumPinRetriesExceeded": ACTIONS,
    "periodBeforePinReset": ["P1D", "P365D"],
    "pinRequiredInsteadOfBiometricTimeout": ["PT20M", "P2D"],
    "fingerprintBlocked": [True, False],
}
#: Idle time before the launch, in seconds: values that a message does not round to another number.
PAUSES = [5, 5, 630, 2430, 13 * 3600 + 30, 3 * 86400 + 30, 40 * 86400 + 30, 100 * 86400 + 30]


def policies(dice: random.Random, case: int) -> list[dict[str, Any]]:
    """One or two policies; half of them have few settings, so that not every launch is blocked."""
    made = []
    for number in range(dice.choice([1, 1, 1, 2])):
        kind = LINUX if dice.random() < 0.8 else f"#microsoft.graph.{dice.choice(['ios', 'android'])}ManagedAppProtection"
        policy: dict[str, Any] = {"@odata.type": kind, "id": f"p{number}", "displayName": f"{case}.{number}"}
        if dice.random() < 0.3:
            policy["apps"] = [{"mobileAppIdentifier": {"bundleId": dice.choice([APP, "app.b"])}}]
        share = dice.choice([0.05, 0.15, 0.4])
        for name, values in VALUES.items():
            if dice.random() < share:
                policy[name] = "odd" if dice.random() < 0.03 else dice.choice(values)
        made.append(policy)
    if dice.random() < 0.15:
        # Few launches get as far as the last PIN attempt.
        wiping = {"pinRequired": True, "maximumPinRetries": 5, "appActionIfMaximumPinRetriesExceeded": "wipe"}
        return [{"@odata.type": LINUX, "id": "p0", "displayName": f"{case}.pin", **wiping}]
    return made


@dataclass
class Past:
    """The history of a saved folder, in words of the request, with its times."""

    folder: Path
    at: int = 0
    pin: dict[str, Any] | None = None
    shown: list[str] = field(default_factory=list)
    is_pin_entered: bool = False


class Scenario:
    """One folder, in which each case begins from a copy of the saved one."""

    def __init__(self, folder: Path, clock: library.Clock) -> None:
        self.folder, self.clock = folder, clock
        self.here = folder / "here"
        self.path = str(self.here / "authority.db")
        self.session: library.Session | None = None
        self.device: dict[str, Any] = {}

    def begin(self, past: Past | None) -> None:
        self.end()
        shutil.rmtree(self.here, ignore_errors=True)
        if past is not None:
            shutil.copytree(past.folder, self.here)

    def end(self) -> None:
        if self.session is not None:
            self.session.close()
        self.session = None
        self.clock.set(0, 0)

    def now(self) -> int:
        """libmam's time, in milliseconds."""
        return time.time_ns() // 1_000_000 + self.clock.time_of_day

    def admin(self, action: str, **keys: Any) -> Any:
        status, reply = library.admin(self.path, action, **keys)
        assert status == library.OK, (action, keys, C.mam_last_message())
        return reply

    def open(self, device: dict[str, Any], version: str | None) -> library.Session:
        self.device = device
        app = {"id": APP} if version is None else {"id": APP, "version": version}
        self.session = library.Session(
            {
                "app": app, "stateDirectory": str(self.here / "state"), "authority": {"type": "embedded", "path": self.path},
                "device": device, "settings": {"MultiManagedIdentities": True, "MultiIdentity": True},
            }
        )  # fmt: skip
        return self.session

    def act(self) -> None:
        """The host acts for Ann: her account is in use."""
        assert self.session is not None
        assert C.mam_set_process_identity(self.session.handle, UPN.encode()) == library.OK

    def past(self, name: str, pin: str | None, has_signed_in: bool) -> Past:
        """An enrolled account, with a PIN if `pin` says so: "set", "shown", "failed", "exhausted"."""
        self.begin(None)
        (self.here / "state").mkdir(parents=True, mode=0o700)
        self.admin("authority.create", tenantId="tenant-1")
        self.admin("user.add", upn=UPN, accountId=ID)
        wanted = {"pinRequired": pin is not None, "organizationalCredentialsRequired": has_signed_in, "maximumPinRetries": 5}
        self.put([{"@odata.type": LINUX, "id": "base", "displayName": "Base", **wanted}])
        session = self.open({"lock": "on"}, None)
        session.wait(session.started("mam_register_and_enroll", {"upn": UPN, "accountId": ID}))
        past = Past(self.folder / name, pin=None if pin is None else {"failures": {"failed": 1, "exhausted": 5}.get(pin, 0)})
        self.act()
        if pin is not None:
            assert C.mam_pin_set(session.handle, UPN.encode(), None, 0, PIN, len(PIN)) == library.OK
        if has_signed_in:
            answers = {"authenticate": {"authenticated": True, "method": "credentials"}}
            report = session.asked(answers, "mam_launch")[1]
            assert report["outcome"] == "allowed", report
            past.shown.append("credentials")
        for _ in range((past.pin or {}).get("failures", 0)):
            C.mam_pin_verify(session.handle, UPN.encode(), b"000000", 6)
        past.at = self.now()
        # Setting a PIN counts as entering it.
        past.shown += ["pin"] if pin is not None else []
        past.is_pin_entered = pin is not None
        self.end()
        shutil.copytree(self.here, past.folder)
        return past

    def put(self, wanted: list[dict[str, Any]]) -> None:
        for action in putting(wanted):
            self.admin(**action)


def putting(wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The actions that put everybody under policies."""
    return [
        action
        for policy in wanted
        for action in (
            {"action": "policy.import", "document": policy},
            {"action": "policy.assign", "policy": policy["id"], "allUsers": True},
            {"action": "policy.target", "policy": policy["id"], "allApps": True},
        )
    ]


def simulated(path: str, changes: list[dict[str, Any]], launch: dict[str, Any]) -> dict[str, Any]:
    """The simulation of Ann's launch in the app."""
    request = {"changes": changes, "users": [UPN], "apps": [APP], "requests": [], "launch": launch}
    status, reply = library.take(C.mam_policy_simulate, path.encode(), json.dumps(request).encode())
    assert status == library.OK, (request, C.mam_last_message())
    (row,) = reply["launches"]
    assert [one["accountId"] for one in row["accounts"]] == [ID]
    row_after: dict[str, Any] = row["after"]
    return row_after


def diagnosed(session: library.Session) -> Any:
    status, reply = library.take(C.mam_diagnostics, session.handle)
    assert status == library.OK, C.mam_last_message()
    return reply["deviceHealth"]


class Person:
    """Answers the questions of a launch, or none of them, and records them."""

    def __init__(self, session: library.Session, answers: bool) -> None:
        self.session, self.does_answer = session, answers
        self.asked: list[dict[str, Any]] = []
        self.are_taken = True

    def _answer(self, body: dict[str, Any]) -> Any:
        if not self.does_answer or body["question"] in ("deviceHealth", "wipeData"):
            return None
        if body["purpose"] == "pinReset":
            return {"accountId": ID, "upn": UPN}
        return {"authenticated": True, "method": body["methods"][0]}

    def launch(self) -> Any:
        def delegate(_context: Any, _question: Any, text: bytes) -> None:
            body = json.loads(text)
            kept = {key: body[key] for key in ("question", "purpose", "methods") if body.get(key) is not None}
            self.asked.append(kept)
            if self.does_answer and body["question"] == "pin":
                pin = NEW_PIN if body["purpose"] == "new" else PIN
                status = C.mam_answer_secret(self.session.handle, body["id"], pin, len(pin))
            else:
                status = C.mam_answer(self.session.handle, body["id"], json.dumps(self._answer(body)).encode())
            self.are_taken = self.are_taken and status == library.OK

        function = _ffi.DelegateFunction(delegate)
        C.mam_set_delegate(self.session.handle, function, None)
        status, report = self.session.wait(self.session.started("mam_launch"))
        C.mam_set_delegate(self.session.handle, _ffi.DelegateFunction(), None)
        assert status == library.OK and self.are_taken, self.asked
        return report


def enrolled(session: library.Session) -> list[Any]:
    status, found = library.take(C.mam_enrolled_accounts, session.handle)
    assert status == library.OK
    return list(found)
