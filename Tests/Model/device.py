"""What the device says of its account, and whom it refuses; docs/enrollment.md."""

from __future__ import annotations

from typing import Any

from app import Account, Event

BOB = "bob@contoso.example"
#: What the device says of its account: nobody but Bob.
DEVICES: dict[str, dict[str, Any]] = {
    "mdm": {"mdmAccountId": "bob-id"},
    "config": {"managedAppConfig": {"IntuneMAMUPN": BOB}},
    "only": {"managedAppConfig": {"IntuneMAMUPN": BOB, "IntuneMAMAllowedAccountsOnly": "enabled"}},
}
ALLOWED: dict[str | None, list[str]] = {"only": [BOB]}


def refusal(device: str | None, given: dict[str, str]) -> int | None:
    """Why the device refuses an account; docs/status-codes.md. A UPN says nothing of an account known by its id."""
    if device == "mdm":
        return 210 if given.get("accountId", "bob-id") != "bob-id" else None
    if device is None or given.get("upn") == BOB:
        return None
    return {"config": 209, "only": 211}[device]


def refused(device: str | None, account: Account) -> int | None:
    """The same of an account by the names that are known of it."""
    names = {"accountId": account.id, "upn": account.upn}
    return refusal(device, {key: name for key, name in names.items() if name is not None})


def told_at_open(before: str | None, device: str | None, accounts: list[Account]) -> list[Event]:
    """What a session is told of the device: what has changed since the open before, and who has to go."""
    found: list[Event] = []
    if ALLOWED.get(before) != ALLOWED.get(device):
        found.append(("allowedAccountsDidChange", None))
    if (before == "mdm") != (device == "mdm"):
        found.append(("mdmAccountDidChange", None))
    codes = {account.name: refused(device, account) for account in accounts}
    return found + [("enrollmentRequest", name, code) for name, code in codes.items() if code is not None]
