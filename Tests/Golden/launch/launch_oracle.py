"""The rules of docs/launch.md, implemented independently of libmam: an oracle for tests.

`find(policies, situation)` returns the findings of a launch, in the words of the tables here. It imports nothing of libmam and does
not use its answers.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

Policy = dict[str, Any]
#: The order of launch checks.
CHECKS = [
    "account", "deviceHealth", "disabledAccount", "threatLevel", "deviceModel", "sdkVersion", "appVersion", "osVersion",
    "offlineWipe", "offline", "clockedOut", "deviceLock", "pin", "credentials",
]  # fmt: skip
SEVERITIES = ["wipe", "block", "prompt", "warn"]
OUTCOMES = {"wipe": "wiped", "block": "blocked", "prompt": "blocked", "warn": "warned"}
LEVELS = ["secured", "low", "medium", "high"]
ENCRYPTIONS = ["useDeviceSettings", "afterDeviceRestart", "whenDeviceLockedExceptOpenFiles", "whenDeviceLocked"]
ACTIONS = ["warn", "block", "blockWhenSettingIsSupported", "wipe"]
MODELS = "allowedIosDeviceModels"
OF_PLATFORM = [f"{bound}{word}OsVersion" for bound in ("minimum", "maximum") for word in ("Wipe", "Required", "Warning")]
OF_PLATFORM += [MODELS, "allowedAndroidDeviceModels", "allowedAndroidDeviceManufacturers"]
#: Versions of Intune's SDK and of an app: those of other products do not apply.
OF_SDK, OF_APP = ([f"minimum{word}{thing}Version" for word in ("Wipe", "Required", "Warning")] for thing in ("Sdk", "App"))
ELSEWHERE = OF_PLATFORM + OF_SDK + OF_APP
#: The properties of a windowsManagedAppProtection that are used here (Graph; it inherits only from managedAppPolicy).
WINDOWS = {
    *OF_PLATFORM[:6], *OF_SDK[:2], *OF_APP, "@odata.type", "id", "displayName", "description", "apps",
    "periodOfflineBeforeAccessCheck", "periodOfflineBeforeWipeIsEnforced",
    "maximumAllowedDeviceThreatLevel", "mobileThreatDefenseRemediationAction",
    "appActionIfUnableToAuthenticateUser",
}  # fmt: skip
#: A device that is in order.
FINE = {
    "platform": "linux", "system": "24.04", "id": "com.example.notes", "app": "2.0", "libmam": "0.1.0", "model": "ThinkPad T14",
    "lock": "on", "health": "ok", "threat": None, "offline": "PT0S", "work": None, "pin": None,
}  # fmt: skip
MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


class Misread(Exception):
    """A value that is not understood: it counts as the strictest one, and never wipes."""


def seconds(text: Any) -> float:
    """Parse an ISO 8601 duration of days, hours, minutes and seconds."""
    found = re.fullmatch(r"P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", text) if isinstance(text, str) else None
    if not found or text in ("P", "PT") or len(text) > 20:
        raise Misread
    parts = [float(part or 0) for part in found.groups()]
    return parts[0] * DAY + parts[1] * HOUR + parts[2] * MINUTE + parts[3]


def version(text: Any) -> tuple[int, ...]:
    """Parse one to eight numbers; missing ones are 0."""
    if not isinstance(text, str) or not re.fullmatch(r"\d+(\.\d+){0,7}", text):
        raise Misread
    parts = [int(part) for part in text.split(".")]
    return tuple(parts + [0] * (8 - len(parts)))


def situation(text: str) -> dict[str, Any]:
    """Parse a row's first cell: the differences from FINE."""
    facts: dict[str, Any] = dict(FINE)
    for clause in text.split(","):
        word, _, value = clause.strip().partition(" ")
        if word != "nothing":
            facts[word] = None if value == "-" else value or True
    return facts


class Part:
    """A parsed policy."""

    def __init__(self, policy: Policy, facts: dict[str, Any]) -> None:
        self.facts = facts
        kind = re.fullmatch(r"#?(?:microsoft\.graph|libmam)\.(\w+)ManagedAppProtection", str(policy.get("@odata.type")))
        platform = kind[1] if kind and kind[1] in ("ios", "android", "windows", "linux") else None
        # Settings about a platform's systems apply to hosts that state this platform (docs/policy.md).
        # The tenant's default applies to both mobile platforms.
        is_default = bool(kind) and kind[1] == "default"
        self.is_ours = facts["platform"] in ("ios", "android") if is_default else platform is None or platform == facts["platform"]
        # null is "not configured"; properties that Windows policies do not have are ignored in them.
        self.policy = {
            name: value for name, value in policy.items() if value is not None and (platform != "windows" or name in WINDOWS)
        }
        self.is_of_libmam = platform == "linux"
        named = [one.get("mobileAppIdentifier", {}) for one in policy.get("apps") or []]
        ids = [one[key] for one in named for key in ("bundleId", "packageId", "windowsAppId") if key in one]
        self.is_of_app = self.is_of_libmam or facts["id"] in ids
        # Models are those of iOS devices, or of Linux devices in a Linux policy; Android models are not known here.
        self.has_models = facts["platform"] in ("ios", "linux")
        is_mobile = platform == "android" or is_default
        unchecked = [
            name
            for name in OF_PLATFORM
            if (is_mobile and name.startswith("allowedAndroid")) or (name == MODELS and not self.has_models)
        ]
        meant = unchecked if self.is_ours else OF_PLATFORM
        meant = meant + ([] if self.is_of_libmam else OF_SDK) + ([] if self.is_of_app else OF_APP)
        self.elsewhere = [name for name in meant if policy.get(name) not in (None, "", [])]
        self.found: list[tuple[str, str, str]] = []

    def flag(self, name: str) -> bool:
        """Return a boolean; other values count as the restrictive one."""
        return self.policy.get(name, False) is not False

    def misread(self, name: str) -> bool:
        return not isinstance(self.policy.get(name), bool)

    def has(self, name: str) -> bool:
        """Return whether a property is set; null and "" set nothing for durations, versions, text and actions."""
        return self.policy.get(name) not in (None, "")

    def disabled(self) -> str | None:
        """Graph: "If this property is not set, no action will be taken." """
        setting = "appActionIfUnableToAuthenticateUser"
        return None if not self.has(setting) else "wipe" if self.action(setting) == "wipe" else "block"

    def action(self, name: str, default: str = "block") -> str:
        """Return an action; one that is not understood blocks."""
        value = self.policy.get(name)
        if not self.has(name):
            return default
        return "block" if value not in ACTIONS or value == "blockWhenSettingIsSupported" else str(value)

    def add(self, check: str, action: str, setting: str, *, certain: bool = True) -> None:
        """Add a finding, without a wipe if the facts are uncertain."""
        self.found.append((check, "block" if action == "wipe" and not certain else action, setting))

    def span(self, name: str, default: float) -> float:
        if not self.has(name):
            return default
        try:
            return seconds(self.policy[name])
        except Misread:
            return 1.0 if name == "periodOfflineBeforeWipeIsEnforced" else 0.0  # zero means never for wipes

    def look(self) -> None:
        self.device()
        for thing, fact in (("Sdk", "libmam"), ("App", "app"), ("Os", "system")):
            if {"Sdk": self.is_of_libmam, "App": self.is_of_app, "Os": self.is_ours}[thing]:
                self.versions(thing, self.facts[fact])
        self.times()
        self.person()

    def device(self) -> None:
        required = "deviceComplianceRequired"
        if self.flag(required) and self.facts["health"] != "ok":
            certain = self.facts["health"] == "fail" and not self.misread(required)
            self.add("deviceHealth", self.action("appActionIfDeviceComplianceRequired"), required, certain=certain)
        allowed = "maximumAllowedDeviceThreatLevel"
        highest = self.policy.get(allowed)
        if self.has(allowed) and highest != "notConfigured":
            level = self.facts["threat"] if self.facts["health"] else None
            known = isinstance(highest, str) and highest in LEVELS
            if level is None or LEVELS.index(level) > (LEVELS.index(str(highest)) if known else 0):
                wipes = self.action("mobileThreatDefenseRemediationAction") == "wipe"
                self.add("threatLevel", "wipe" if wipes else "block", allowed, certain=known and level is not None)
        models = self.policy.get(MODELS)
        if self.is_ours and self.has_models and models not in (None, ""):
            names = [name.strip().lower() for name in models.split(";")] if isinstance(models, str) else []
            model = self.facts["model"]
            if model is None or model.lower() not in names:
                certain = model is not None and isinstance(models, str)
                self.add("deviceModel", self.action("appActionIfIosDeviceModelNotAllowed"), MODELS, certain=certain)
        self.lock()

    def lock(self) -> None:
        """Check the lock that encryption requires, and the one that a policy requires with its own action."""
        if self.flag("deviceLockRequired"):
            self.locked("deviceLockRequired", self.action("appActionIfDeviceLockNotSet"))
        if "appDataEncryptionType" in self.policy:
            if self.policy["appDataEncryptionType"] != ENCRYPTIONS[0]:
                self.locked("appDataEncryptionType", "block")
        elif self.flag("encryptAppData") and self.policy.get("deviceLockRequired") is not False:
            # Android's encryption has its own keys: a policy that does not require a lock needs none for it.
            self.locked("encryptAppData", "block")

    def locked(self, setting: str, action: str) -> None:
        if self.facts["lock"] == "off":
            self.add("deviceLock", action, setting, certain=not self.misread(setting))
        elif self.facts["lock"] == "unknown":
            self.add("deviceLock", "warn", setting)

    def versions(self, thing: str, actual: str | None) -> None:
        for word, action in (("Wipe", "wipe"), ("Required", "block"), ("Warning", "warn")):
            for bound in ("minimum", "maximum") if thing == "Os" else ("minimum",):
                setting = f"{bound}{word}{thing}Version"
                if not self.has(setting):
                    continue
                try:
                    limit, have = version(self.policy[setting]), version(actual)
                except Misread:
                    self.add(f"{thing.lower()}Version", action, setting, certain=False)
                    continue
                if have < limit if bound == "minimum" else have > limit:
                    self.add(f"{thing.lower()}Version", action, setting)

    def times(self) -> None:
        passed = float("inf") if self.facts["offline"] == "never" else seconds(self.facts["offline"])
        self.wipe_period = self.span("periodOfflineBeforeWipeIsEnforced", 90 * DAY)
        if 0 < self.wipe_period < passed:
            self.add("offlineWipe", "block", "periodOfflineBeforeWipeIsEnforced")
        if passed > self.span("periodOfflineBeforeAccessCheck", 12 * HOUR):
            self.add("offline", "block", "periodOfflineBeforeAccessCheck")
        setting, work = "appActionIfAccountIsClockedOut", self.facts["work"]
        if not self.has(setting) or work == "working":
            return
        wanted = "warn" if self.action(setting) == "warn" else "block"
        grace = "gracePeriodToBlockAppsDuringOffClockHours"
        if work is not None and self.has(grace) and seconds(work.removeprefix("out ")) <= self.span(grace, 0):
            wanted = "warn"
        self.add("clockedOut", wanted, setting)

    def person(self) -> None:
        if not self.facts.get("signedIn"):
            if self.flag("organizationalCredentialsRequired"):
                self.add("credentials", "prompt", "organizationalCredentialsRequired")
            elif self.facts.get("mustSignIn") and self.wipe_period > 0:
                self.add("credentials", "prompt", "periodOfflineBeforeWipeIsEnforced")
        if self.facts["pin"] and self.flag("pinRequired"):
            self.add("pin", "prompt", "pinRequired")


def find(policies: list[Policy], row: str) -> str:
    """Return the other cells of a row: outcome | findings | settings that do not apply here."""
    facts = situation(row)
    targeted = [one for one in policies if "defaultManagedAppProtection" not in str(one.get("@odata.type"))] or policies
    parts = [Part(one, facts) for one in sorted(targeted, key=lambda one: str(one.get("id", "")))]
    found: list[tuple[str, str, str]] = []
    if facts.get("closed"):
        found.append(("account", "block", "-"))
    else:
        for part in parts:
            part.look()
            found += part.found
    if facts.get("disabled"):
        found += [
            ("disabledAccount", action, "appActionIfUnableToAuthenticateUser")
            for action in (part.disabled() for part in parts)
            if action
        ]
    # The severest finding of a setting is reported once, at the position of the first one.
    severest: dict[tuple[str, str], str] = {}
    for check, action, setting in found:
        known = severest.get((check, setting), "warn")
        severest[check, setting] = min(known, action, key=SEVERITIES.index)
    told = sorted(
        ((action, check, setting) for (check, setting), action in severest.items()),
        key=lambda one: (SEVERITIES.index(one[0]), CHECKS.index(one[1])),
    )
    outcome = OUTCOMES[told[0][0]] if told else "allowed"
    elsewhere = [] if facts.get("closed") else sorted({name for part in parts for name in part.elsewhere}, key=ELSEWHERE.index)
    return f"{outcome} | {', '.join(' '.join(one) for one in told)} | {' '.join(elsewhere)}".rstrip(" |")


#: The situations for every policy of Tests/Golden/policies.
SITUATIONS = [
    "nothing wrong", "health fail", "health unknown", "health -", "threat secured", "threat medium", "threat high, health fail",
    "lock off", "lock none", "lock unknown", "model XPS 13", "model -", "libmam 0.0.1", "app 0.9", "app -", "system 15.1",
    "system 12",
    "system -", "platform windows, system 10.0", "platform ios, system 12, model iPhone 15", "offline PT12H", "offline PT12H1S",
    "offline PT25H", "offline P31D", "offline P91D", "offline never", "disabled", "signedIn", "mustSignIn", "pin enter",
    "pin set, lock off", "work working", "work out PT30M", "work out P1D", "closed", "closed, disabled",
]  # fmt: skip


def rows(policies: list[Policy]) -> list[str]:
    """Return the launches of a table in Tests/Golden/policies."""
    return ["launch | outcome | findings | not applicable here"] + [f"{row} | {find(policies, row)}" for row in SITUATIONS]


def differences(path: Path) -> list[str]:
    """Return the differences from the hand-written tables."""
    import json

    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    policies = [
        {"id": f"p{number}", **json.loads(line)} for number, line in enumerate(line for line in lines if line.startswith("{"))
    ]
    wrong = []
    for line in lines:
        if policies and not line.startswith("{"):
            cells = [cell.strip() for cell in line.split("|")] + ["", ""]
            ours = (find(policies, cells[0]) + " | | ").split("|")
            # Settings that do not apply have no order.
            same = [cell.strip() for cell in ours[:2]] == cells[1:3] and sorted(ours[2].split()) == sorted(cells[3].split())
            wrong += [] if same else [f"{path.name}: {cells[0]}: {find(policies, cells[0])}"]
    return wrong


if __name__ == "__main__":
    found = [line for path in sorted(Path(__file__).parent.glob("*.txt")) if path.name != "clock.txt" for line in differences(path)]
    print("\n".join(found))
    sys.exit(1 if found else 0)
