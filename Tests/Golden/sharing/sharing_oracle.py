"""The rules of docs/transfer.md "Share targets" and "Web views", implemented independently of libmam: an oracle for tests. Policies
are as exported, without invalid values."""

from __future__ import annotations

from typing import Any

Policy = dict[str, Any]
OUTBOUND, FILTER = "allowedOutboundDataTransferDestinations", "filterOpenInToOnlyManagedApps"
LEVEL, EXCEPTION = "allowedOutboundClipboardSharingLevel", "allowedOutboundClipboardSharingExceptionLength"

#: The registry: each app and its managed accounts. "unlisted" has no policy at the authority any more.
APPS = {"same": ["ann"], "tenant": ["bob"], "other": ["cid"], "both": ["ann", "cid"]}
TENANTS = {"ann": "t1", "bob": "t1", "cid": "t2"}


def share(policies: list[Policy], target: str, account: str | None) -> str | None:
    """Return the setting that refuses to share Ann's data with the target; None if it may be shared."""
    levels = [policy.get(OUTBOUND, "allApps") for policy in policies]
    if "none" in levels:
        return OUTBOUND
    if "managedApps" not in levels:
        return None
    if target.endswith(":"):
        if not target.endswith("-intunemam:") or account not in (None, "ann"):
            return OUTBOUND
        return FILTER if any(policy.get(FILTER, False) for policy in policies) else None
    reached = [one for one in APPS.get(target, []) if account in (None, one)]
    return None if any(TENANTS[one] == TENANTS["ann"] for one in reached) else OUTBOUND


def web(policies: list[Policy], viewer: str, external: bool) -> tuple[str, bool, int | None, bool]:
    """Return the account of a viewer, whether it may upload, the paste limit (None: all), and whether an https link stays."""
    if viewer == "unset":
        viewer = "currentIdentity"
    who = "nobody" if viewer == "unmanaged" else "ann"
    inside = who == "ann" and not external
    upload = inside or all(policy.get(OUTBOUND, "allApps") == "allApps" for policy in policies)
    closed = [policy.get(EXCEPTION, 0) for policy in policies if policy.get(LEVEL, "allApps") != "allApps"]
    paste = min(closed, default=None) if not inside else None
    stays = inside or not any(policy.get("managedBrowserToOpenLinksRequired", False) for policy in policies)
    if viewer == "currentIdentityBlockUpload":
        upload, paste = False, 0
    return who, upload, paste, stays
