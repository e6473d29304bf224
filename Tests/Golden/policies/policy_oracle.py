"""The rules of docs/policy.md, implemented independently of libmam: an oracle for tests.

`python3 policy_oracle.py` compares the tables of this folder with its answers, and `--write` rewrites them. It imports nothing of
libmam and does not use its answers.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

Policy = dict[str, Any]
FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent / "links"))
links: Any = importlib.import_module("link_oracle")
sys.path.insert(0, str(FOLDER.parent / "launch"))
launches: Any = importlib.import_module("launch_oracle")

INBOUND, OUTBOUND = "allowedInboundDataTransferSources", "allowedOutboundDataTransferDestinations"
SAVE_AS, STORAGE = "saveAsBlocked", "allowedDataStorageLocations"
INGESTION, SOURCES = "blockDataIngestionIntoOrganizationDocuments", "allowedDataIngestionLocations"
BROWSER, WIDGETS = "managedBrowserToOpenLinksRequired", "allowWidgetContentSync"
PIN, UNLESS_LOCKED = "pinRequired", "disableAppPinIfDevicePinIsSet"
ENCRYPTION, ENCRYPT, CAPTURE, CAPTURE_BLOCKED = (
    "appDataEncryptionType", "encryptAppData", "screenCaptureConfigurationState", "screenCaptureBlocked",
)  # fmt: skip
#: Android: "If Keyboard Restriction is enabled, only keyboards in this approved list will be allowed", and the list has packages.
RESTRICTED = "keyboardsRestricted"
LEVELS = ["allApps", "managedApps", "none"]  # from loose to strict
#: Windows' "none" (Graph, windowsManagedAppProtection; Intune's "No destinations") keeps data from external accounts, documents,
#: locations and applications: the organisation's remain, and a location without an account is external.
ORDER = ["allApps", "managedApps", "organisation", "none"]
#: The properties of a windowsManagedAppProtection that are used here (Graph; it inherits only from managedAppPolicy).
WINDOWS = {INBOUND, OUTBOUND, "printBlocked", "@odata.type", "id", "displayName", "description"}
ENCRYPTIONS = ["useDeviceSettings", "afterDeviceRestart", "whenDeviceLockedExceptOpenFiles", "whenDeviceLocked"]
#: Booleans, with the restrictive value.
FLAGS = {
    SAVE_AS: True, INGESTION: True, BROWSER: True, PIN: True, ENCRYPT: True, CAPTURE_BLOCKED: True, WIDGETS: False,
    UNLESS_LOCKED: False, RESTRICTED: True, "contactSyncBlocked": True, "printBlocked": True, "dataBackupBlocked": True,
    "thirdPartyKeyboardsBlocked": True,
}  # fmt: skip
ENUMS = {INBOUND: LEVELS, OUTBOUND: LEVELS, ENCRYPTION: ENCRYPTIONS, CAPTURE: ["notBlocked", "blocked"]}
#: The names that can be listed, and the location that each name means.
STORES = {
    "oneDriveForBusiness": "oneDriveForBusiness", "sharePoint": "sharePoint", "box": "box", "localStorage": "localDrive",
    "photoLibrary": "cameraRoll", "iManage": "iManage", "egnyte": "egnyte",
}  # fmt: skip
INTAKES = {"oneDriveForBusiness": "oneDriveForBusiness", "sharePoint": "sharePoint", "camera": "camera", "photoLibrary": "photos"}
LISTS = {STORAGE: STORES, SOURCES: INTAKES}
SAVES = "other oneDriveForBusiness sharePoint box dropbox googleDrive localDrive cameraRoll accountDocument iManage egnyte".split()
OPENS = "other oneDriveForBusiness sharePoint camera localStorage photos accountDocument box iManage egnyte".split()
#: A service that no policy can name never belongs to the managed account, whatever account is used there.
UNNAMEABLE = {"other", "dropbox", "googleDrive"}
NOBODYS = {"localDrive", "cameraRoll", "localStorage", "camera", "photos"}  # locations without an account
#: The account on the other side: unknown; this account; another of the tenant with the same policies, and one with a policy that
#: restricts nothing; one of another tenant with such a policy; a personal account.
SIDES = ["nobody", "own", "colleague", "partner", "foreign", "personal"]
SAME_TENANT = {"own", "colleague", "partner"}


def read(policy: Policy) -> Policy:
    """Return the effective values; docs/policy.md "How values are read"."""
    out: Policy = {}
    is_windows = "windowsManagedAppProtection" in str(policy.get("@odata.type"))
    for name, value in policy.items():
        if value is None or (is_windows and name not in WINDOWS):
            continue  # null is "not configured"; settings of other platforms are ignored in Windows policies
        if name in FLAGS:
            out[name] = value if isinstance(value, bool) else FLAGS[name]
        elif name in ENUMS:
            out[name] = value if isinstance(value, str) and value in ENUMS[name] else ENUMS[name][-1]
            if is_windows and out[name] == "none":
                out[name] = "organisation"
        elif name in LISTS:
            listed = value if isinstance(value, list) else []
            out[name] = [LISTS[name][one] for one in listed if isinstance(one, str) and one in LISTS[name]]
        else:
            out[name] = value
    if CAPTURE in out:
        out.pop(CAPTURE_BLOCKED, None)
    if ENCRYPTION in out:
        out.pop(ENCRYPT, None)
    return out


def counting(policies: list[Policy]) -> list[Policy]:
    """Return the effective policies: a targeted policy replaces the tenant's default."""
    targeted = [one for one in policies if "defaultManagedAppProtection" not in str(one.get("@odata.type"))]
    return [read(one) for one in targeted or policies]


class Rules:
    """The merge of several policies: the strictest value of each setting."""

    def __init__(self, policies: list[Policy]) -> None:
        self.policies = policies
        self.outbound, self.inbound = self.strictest(OUTBOUND), self.strictest(INBOUND)
        self.saves = self.places(SAVE_AS, STORAGE)
        self.opens = self.places(INGESTION, SOURCES)
        self.encrypts = self.strictest(ENCRYPTION) != ENCRYPTIONS[0] or self.any(ENCRYPT)
        self.captures = self.strictest(CAPTURE) == "notBlocked" and not self.any(CAPTURE_BLOCKED)
        # An absent allowWidgetContentSync follows the policy's own outbound level.
        self.widgets = all(one.get(WIDGETS, one.get(OUTBOUND, "allApps") == "allApps") for one in policies)

    def strictest(self, name: str) -> str:
        order = ORDER if ENUMS[name] is LEVELS else ENUMS[name]
        return max((one.get(name, order[0]) for one in self.policies), key=order.index, default=order[0])

    def any(self, name: str) -> bool:
        return any(one.get(name, False) for one in self.policies)

    def places(self, block: str, exceptions: str) -> set[str] | None:
        """Return the exceptions that all blocking policies have in common. None: nothing is blocked."""
        lists = [set(one.get(exceptions, [])) for one in self.policies if one.get(block, False)]
        return set.intersection(*lists) if lists else None

    def pin(self, locked: bool) -> bool:
        return any(one.get(PIN, False) and not (locked and one.get(UNLESS_LOCKED, False)) for one in self.policies)


def permits(level: str, side: str) -> bool:
    """Return whether the level permits the side: all, the organisation's accounts, or none."""
    return level == "allApps" or (level in ("managedApps", "organisation") and side in SAME_TENANT)


def may_save(rules: Rules, place: str, side: str) -> bool:
    if place in NOBODYS and side != "nobody":
        return False  # a location without an account and a named account: refused
    if rules.outbound in ("allApps", "none"):
        return rules.outbound == "allApps"  # all locations, or none without exceptions
    listed = rules.saves is None or place in rules.saves
    if place in NOBODYS:
        return listed and rules.outbound == "managedApps"
    return side in SAME_TENANT and place not in UNNAMEABLE and (listed or place == "accountDocument")


def may_open(rules: Rules, place: str, side: str) -> bool:
    if place in NOBODYS and side != "nobody":
        return False
    if rules.inbound in ("allApps", "none"):
        return rules.inbound == "allApps"
    listed = rules.opens is None or place in rules.opens  # localStorage, box, iManage and egnyte are in no list
    if place in NOBODYS:
        return listed and rules.inbound == "managedApps"
    # allowedDataIngestionLocations are exceptions; accountDocument follows the transfer rule between the accounts.
    return side in SAME_TENANT and place not in UNNAMEABLE and (listed or place == "accountDocument")


def predicate(rules: Rules, name: str) -> bool:
    """Return whether a predicate is allowed or, for requirements, not required."""
    match name:
        case "pinRequired":
            return not rules.pin(locked=False)
        case "pinRequired, device lock on":
            return not rules.pin(locked=True)
        case "managedBrowserRequired":
            return not rules.any(BROWSER)
        case "contactSync":
            return not rules.any("contactSyncBlocked")
        case "widgetContentSync":
            return rules.widgets
        case "indexing" | "assistantIntents" | "appIntents":
            return rules.outbound == "allApps"
        case "appSharing":
            return rules.outbound != "none"
        case "fileEncryptionRequired":
            return not rules.encrypts
        case "fileProviderEncrypt":
            return not (rules.encrypts and rules.outbound != "allApps")
        case "screenCapture":
            return rules.captures
        case "print":
            return not rules.any("printBlocked")
        case "backup":
            return not rules.any("dataBackupBlocked")
        case "thirdPartyKeyboards" | "thirdPartyKeyboards, personal account":  # personal accounts too
            return not rules.any("thirdPartyKeyboardsBlocked") and not rules.any(RESTRICTED)
        case "documentPicker import" | "documentPicker open":
            return rules.inbound == "allApps" or (rules.inbound == "managedApps" and rules.opens is None)
        case "documentPicker export" | "documentPicker move":
            return may_save(rules, "other", "nobody")
    raise KeyError(name)


#: The settings that a predicate depends on, the most direct first (docs/policy.md "Reasons"); by default the one of the same name.
DIRECT = {
    "pinRequired": [PIN], "pinRequired, device lock on": [PIN], "managedBrowserRequired": [BROWSER],
    "contactSync": ["contactSyncBlocked"], "widgetContentSync": [WIDGETS, OUTBOUND], "indexing": [OUTBOUND],
    "assistantIntents": [OUTBOUND], "appIntents": [OUTBOUND], "appSharing": [OUTBOUND],
    "fileEncryptionRequired": [ENCRYPTION, ENCRYPT], "fileProviderEncrypt": [ENCRYPTION, ENCRYPT, OUTBOUND],
    "screenCapture": [CAPTURE, CAPTURE_BLOCKED], "print": ["printBlocked"], "backup": ["dataBackupBlocked"],
    "thirdPartyKeyboards": ["thirdPartyKeyboardsBlocked", RESTRICTED],
    "thirdPartyKeyboards, personal account": ["thirdPartyKeyboardsBlocked", RESTRICTED],
    "documentPicker import": [INGESTION, INBOUND], "documentPicker open": [INGESTION, INBOUND],
    "documentPicker export": [SAVE_AS, OUTBOUND], "documentPicker move": [SAVE_AS, OUTBOUND],
}  # fmt: skip
REQUIREMENTS = {
    "pinRequired",
    "pinRequired, device lock on",
    "managedBrowserRequired",
    "fileEncryptionRequired",
    "fileProviderEncrypt",
}
FREE = {WIDGETS: True, OUTBOUND: "allApps", INBOUND: "allApps", ENCRYPTION: ENCRYPTIONS[0], CAPTURE: "notBlocked"}


def blamed(policies: list[Policy], name: str) -> str | None:
    """Return the setting whose neutral value reverses a refusal: in one policy, else in all of them (docs/policy.md "Reasons")."""
    if predicate(Rules(policies), name):
        return None
    neutral = {
        setting: [{**one, setting: FREE.get(setting, False)} if setting in one else one for one in policies]
        for setting in DIRECT[name]
    }
    for setting, changed in neutral.items():
        for index in range(len(policies)):
            if predicate(Rules([*policies[:index], changed[index], *policies[index + 1 :]]), name):
                return setting
    for setting, changed in neutral.items():
        if predicate(Rules(changed), name):
            return setting
    return next(setting for setting in DIRECT[name] if any(setting in one for one in policies))


def transfers(rules: Rules, action: str, place: str, side: str) -> bool:
    """Decide a transfer by both sides: the partner and the foreign account have a policy that restricts nothing."""
    if action == "saveTo":
        mine = may_save(rules, place, side)
    else:
        mine = may_open(rules, place, side) if action == "openFrom" else side == "own" or permits(rules.inbound, side)
    if side != "colleague":
        return mine
    # The policy of the other side can refuse too; the colleague's is the same.
    return mine and permits(rules.inbound if action == "saveTo" else rules.outbound, side)


URLS = [
    "https://contoso.example/a", "https://maps.apple.com/", "https://teams.microsoft.com/l/x", "http://intranet/page", "tel:+49123",
    "sms:+49123", "skype:bob", "zoommtg://zoom.us/join", "ms-outlook-intunemam://compose", "no link",
]  # fmt: skip


def table(policies: list[Policy]) -> list[str]:
    """Return the rows of a table: questions and answers."""
    read_ones = counting(policies)
    rules = Rules(read_ones)
    lines = ["question                                answer"]
    for name in DIRECT:
        by = blamed(read_ones, name)
        word = ("required" if name in REQUIREMENTS else "refused") if by else "not required" if name in REQUIREMENTS else "allowed"
        lines.append(f"{name:<40}{word}{': ' + by if by else ''}")
    for action, title, places in (
        ("saveTo", "save to", SAVES),
        ("openFrom", "open from", OPENS),
        ("receive", "receive from", [""]),
    ):
        lines += ["", f"{title:<22}" + "".join(f"{side:<11}" for side in SIDES).rstrip()]
        for place in places:
            cells = ("yes" if transfers(rules, action, place, side) else "no" for side in SIDES)
            lines.append((f"{place or 'data':<22}" + "".join(f"{cell:<11}" for cell in cells)).rstrip())
    lines += ["", "link | refused by | instead | in an app"]
    in_order = sorted(counting(policies), key=lambda one: str(one.get("id", "")))
    for url in URLS:
        answer = links.answer(in_order, url)
        by = {None: "yes", "": "-"}.get(answer.refused_by, answer.refused_by)
        lines.append(f"{url} | {by} | {' '.join(answer.instead)} | {'yes' if links.universal(in_order, url) else 'no'}")
    return lines


def document(path: Path) -> list[Policy]:
    """Read a policy, an array, or a wrapper around either."""
    found = json.loads(path.read_text(encoding="utf-8"))
    found = found.get("value", found) if isinstance(found, dict) else found
    return found if isinstance(found, list) else [found]


def tables() -> dict[Path, list[Policy]]:
    """Return each table of this folder with its policies: those here, and the project's examples."""
    examples = FOLDER.parents[2] / "examples" / "policies"
    found = {FOLDER / f"example-{path.stem}.txt": document(path) for path in sorted(examples.glob("*.json"))}
    return found | {path.with_suffix(".txt"): document(path) for path in sorted(FOLDER.glob("*.json"))}


def text(policies: list[Policy]) -> str:
    titles = [f"# {one.get('displayName', one.get('id', '?'))}: {one.get('description', '')}".rstrip(": ") for one in policies]
    return "\n".join([*titles, "", *table(policies), "", *launches.rows(policies)]) + "\n"


if __name__ == "__main__":
    different = 0
    for path, policies in tables().items():
        wanted = text(policies)
        if "--write" in sys.argv:
            path.write_text(wanted, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != wanted:
            print(f"{path.name} is not what the oracle says")
            different = 1
    sys.exit(different)
