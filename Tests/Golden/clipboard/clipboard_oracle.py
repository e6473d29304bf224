"""The rules of docs/transfer.md "Clipboard", implemented independently of libmam: an oracle for tests.

Policies are as exported, but for odd values: an unknown name or a wrong type is not this oracle's business.
"""

from __future__ import annotations

from typing import Any

Policy = dict[str, Any]
LEVEL, EXCEPTION = "allowedOutboundClipboardSharingLevel", "allowedOutboundClipboardSharingExceptionLength"

#: The accounts that may paste it, and those whose text may be pasted: "all", "organisation" or "self".
OUT = {"allApps": "all", "managedAppsWithPasteIn": "organisation", "managedApps": "organisation", "blocked": "self"}
IN = {"allApps": "all", "managedAppsWithPasteIn": "all", "managedApps": "organisation", "blocked": "self"}
WINDOWS = {
    "anyDestinationAnySource": "allApps",
    "orgDestinationAnySource": "managedAppsWithPasteIn",
    "orgDestinationOrgSource": "managedApps",
    # "Org users cannot cut, copy or paste data to or from external accounts …": the organisation's own are not restricted.
    "none": "managedApps",
}


def level(policy: Policy) -> str:
    """Return the name for mobile platforms. Windows' "none" is unknown in other policies, and so the strictest."""
    stated = policy.get(LEVEL) or "allApps"
    if stated == "none" and "windowsManagedAppProtection" not in str(policy.get("@odata.type")):
        return "blocked"
    return WINDOWS.get(stated, stated)


def side(policies: list[Policy], table: dict[str, str], organisation: bool) -> int | None:
    """Return the number of characters that policies allow if the peer is another account; None for all."""
    strict = ["all", "organisation", "self"]
    levels = [level(one) for one in policies]
    reach = max((table[level] for level in levels), key=strict.index, default="all")
    if reach == "all" or (reach == "organisation" and organisation):
        return None
    # Exceptions come from all policies that block something, whichever of them blocks this.
    return min(one.get(EXCEPTION, 0) for one, level in zip(policies, levels, strict=True) if level != "allApps")


def limit(sender: list[Policy] | None, receiver: list[Policy] | None, *, same: bool, organisation: bool) -> int | None:
    """Return the number of characters that pass; None for all. A side without policies is None."""
    if same:
        return None
    found = [
        one
        for one in (
            side(sender, OUT, organisation) if sender is not None else None,
            side(receiver, IN, organisation) if receiver is not None else None,
        )
        if one is not None
    ]
    return min(found, default=None)
