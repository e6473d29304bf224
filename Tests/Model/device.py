"""The device's account, from docs/enrollment.md: the host's statement at an open, and the accounts that it refuses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

BOB, BOB_ID = "bob@contoso.example", "bob-id"
#: The host's statement: none, that the device has no account, or that it is Bob's.
DEVICES: dict[str | None, dict[str, Any]] = {
    None: {},
    "nobody": {"device": {}},
    "mdm": {"device": {"mdmAccountId": BOB_ID}},
    "config": {"device": {"managedAppConfig": {"IntuneMAMUPN": BOB, "server": "device", "limit": 9}}},
    "oid": {"device": {"managedAppConfig": {"IntuneMAMOID": BOB_ID}}},
    "only": {"device": {"managedAppConfig": {"IntuneMAMUPN": BOB, "IntuneMAMAllowedAccountsOnly": "enabled"}}},
}
ALLOWED = {"only": [BOB]}
MDM = {"mdm": {"accountId": BOB_ID}}


@dataclass(frozen=True)
class Host:
    """The settings of a session."""

    several: bool  # MultiManagedIdentities
    device: str  # one of DEVICES

    def refusal(self, id: str | None, upn: str | None) -> int | None:
        """Why an account may not be used; docs/status-codes.md. A UPN does not identify the account of an MDM."""
        if self.device == "nobody":
            return None
        if self.device == "mdm":
            return 210 if id not in (None, BOB_ID) else None
        if (id if self.device == "oid" else upn) in (BOB, BOB_ID):
            return None
        return 211 if self.device == "only" else 209
