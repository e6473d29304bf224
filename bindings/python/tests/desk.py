"""Accounts of every kind in one session, under policies that a test replaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

import mam
from conftest import ANN, BEN, EVE, Office

PARTNER, FOREIGN = "cat@contoso.example", "dan@other.example"
#: The other account of a transfer, by its name in the tables. The questions are about Ann.
OTHERS: dict[str, str | None] = {
    "nobody": None,
    "own": ANN,
    "colleague": BEN,
    "partner": PARTNER,
    "foreign": FOREIGN,
    "personal": EVE,
}
DEFAULT = "#microsoft.graph.defaultManagedAppProtection"
FREE = {"@odata.type": "#libmam.linuxManagedAppProtection", "id": "free", "displayName": "Free"}


class Staff:
    """Ann and Ben under the policies of a test; Cat of their tenant and Dan of another under one that restricts nothing."""

    def __init__(self, office: Office) -> None:
        self.authority = office.authority
        self.folder = office.folder
        self.ids = [office.policy.id]
        self.open = ExitStack()
        self.authority.add_user(PARTNER)
        self.authority.add_user(FOREIGN, tenant_id="99999999-9999-4999-8999-999999999999")
        self.authority.add_group("Guests")
        for guest in (PARTNER, FOREIGN):
            self.authority.add_member("Guests", guest)
        self.authority.import_policy(FREE)
        self.authority.assign("free", "Guests")
        self.authority.target("free", all_apps=True)
        self.device = {"lock": "off", "platform": "linux", "version": "5.0", "model": "Toaster"}
        self.session = self.open.enter_context(office.open(version="1.0", device=self.device))
        for account in (ANN, BEN, PARTNER, FOREIGN):
            assert self.session.register_and_enroll(account).wait(30).succeeded
        self.policy = self.open.enter_context(self.session.policy(ANN))

    @classmethod
    def of(cls, office: Office) -> Staff:
        return cls(office)

    def __enter__(self) -> Staff:
        return self

    def __exit__(self, *_: object) -> None:
        self.open.close()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """While the device has a lock."""
        self.session.set_device({**self.device, "lock": "on"})
        try:
            yield
        finally:
            self.session.set_device(self.device)

    def put(self, policies: Sequence[dict[str, Any]]) -> None:
        """Put Ann and Ben under these policies only."""
        for old in self.ids:
            self.authority.remove_policy(old)
        self.ids = []
        for number, policy in enumerate(policies):
            document = {"@odata.type": FREE["@odata.type"], "displayName": f"P{number}", **policy}
            (one,) = self.authority.import_policy(document).policies
            if policy.get("@odata.type") != DEFAULT:
                self.authority.assign(one.id, "Staff")
                self.authority.target(one.id, all_apps=True)
            self.ids.append(one.id)
        for account in (ANN, BEN):
            self.session.check_in(account).wait(30)

    def predicates(self, names: Sequence[str]) -> dict[str, mam.Decision]:
        """The predicates "print", "documentPicker open", "pinRequired, device lock on", "thirdPartyKeyboards, personal
        account"."""
        made: dict[str, tuple[bool, dict[str, Any]]] = {}
        for name in names:
            words, _, beside = name.partition(", ")
            action, _, mode = words.partition(" ")
            account = EVE if beside == "personal account" else ANN
            made[name] = beside == "device lock on", mam.request(action, account, mode=mode or None)
        answers: dict[str, mam.Decision] = {}
        for is_locked in (False, True):
            asked = {name: request for name, (locked, request) in made.items() if locked is is_locked}
            with self.locked() if is_locked and asked else nullcontext():
                answers |= dict(zip(asked, self.session.check_many(asked.values()), strict=True))
        return {name: answers[name] for name in names}

    def transfers(self) -> dict[str, dict[str, dict[str, bool]]]:
        """Direction, location, the location's account: allowed or not."""
        saves = {side: self.policy.save_to_locations(other) for side, other in OTHERS.items()}
        opens = {side: self.policy.open_from_locations(other) for side, other in OTHERS.items()}
        asked = self.session.check_many([mam.request("receive", ANN, sender=other) for other in OTHERS.values()])
        return {
            "save to": {SAVE_NAMES[one]: {side: saves[side][one] for side in OTHERS} for one in mam.SaveLocation},
            "open from": {OPEN_NAMES[one]: {side: opens[side][one] for side in OTHERS} for one in mam.OpenLocation},
            "receive from": {"data": {side: bool(one) for side, one in zip(OTHERS, asked, strict=True)}},
        }

    def link(self, url: str) -> tuple[mam.LinkDecision, bool]:
        return self.policy.url(url), self.policy.is_universal_link_allowed(url)


def _words(name: str) -> str:
    """OneDRIVE is spelled in the tables as in JSON."""
    special = {"ONEDRIVE_FOR_BUSINESS": "oneDriveForBusiness", "SHAREPOINT": "sharePoint", "IMANAGE": "iManage"}
    first, *rest = name.lower().split("_")
    return special.get(name, first + "".join(part.capitalize() for part in rest))


SAVE_NAMES = {one: _words(one.name) for one in mam.SaveLocation}
OPEN_NAMES = {one: _words(one.name) for one in mam.OpenLocation}
