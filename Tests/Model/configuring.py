"""App configuration: the administrators' settings, and the app's answers; docs/configuration.md."""

from __future__ import annotations

from typing import Any

import library
from app import Account
from base import ANY_SLOT, SLOTS, USERS, Base, operation
from device import BOB, BOB_ID, DEVICES, Host
from office import APPS, CONFIGURATIONS, GROUPS, SETTINGS, Policy

NOT_ENROLLED = 12
KEYS = ("server", "limit", "on", "missing")
ANY, MIN, MAX = 0, 1, 2


def dictionaries(account: Account, host: Host, own: str | None) -> list[dict[str, Any]]:
    """Every dictionary of an account, in the order received, without empty ones."""
    found = []
    for name, content in account.configurations:
        channel = "tenantDefault" if name == "c-default" else "targeted"
        found.append({"id": name, "name": name, "channel": channel, "values": SETTINGS[content]})
    device = DEVICES[own].get("device", {}) if own == host.device else {}  # another statement replaced it
    config = device.get("managedAppConfig", {})
    names = [device["mdmAccountId"]] if "mdmAccountId" in device else [BOB, BOB_ID]
    if config and {account.id, account.upn} & set(names):
        values = {key: str(value) for key, value in config.items()}
        found.append({"id": "", "name": "", "channel": "device", "values": values})
    return [one for one in found if one["values"]]


def counting(found: list[dict[str, Any]], key: str) -> list[str]:
    """The values that count: all the targeted ones, else the device's, else the default's."""
    for channel in ("targeted", "device", "tenantDefault"):
        values = [one["values"][key] for one in found if one["channel"] == channel and key in one["values"]]
        if values:
            return values
    return []


def whole(text: str) -> int | None:
    return int(text) if text.lstrip("+-").isdigit() else None


def chosen(values: list[Any], query: int) -> Any:
    if not values:
        return None
    return values[0] if query == ANY else min(values) if query == MIN else max(values)


def answers(found: list[dict[str, Any]], key: str) -> dict[str, Any]:
    """A handle's answers for a key."""
    values = counting(found, key)
    truths = [text.lower() == "true" for text in values if text.lower() in ("true", "false")]
    numbers = [number for number in map(whole, values) if number is not None]
    targeted = {one["values"][key] for one in found if one["channel"] == "targeted" and key in one["values"]}
    return {
        "string": [chosen(values, query) for query in (ANY, MIN, MAX)],
        "integer": [chosen(numbers, query) for query in (ANY, MIN, MAX)],
        "bool": [truths[0] if truths else None, any(truths) if truths else None, all(truths) if truths else None],
        "conflict": len(targeted) > 1,
    }


class Configuring(Base):
    @operation(4, config=CONFIGURATIONS, content=tuple(range(len(SETTINGS))))
    def import_configuration(self, config: str, content: int) -> None:
        settings = dict(SETTINGS[content])
        if config == "c-default":
            settings["__IsDefault"] = "true"
        document = {
            "@odata.type": "#microsoft.graph.targetedManagedAppConfiguration",
            "id": config,
            "displayName": config,
            "customSettings": [{"name": key, "value": value} for key, value in settings.items()],
        }
        self.admin("config.import", document=document)
        self.office.configurations.setdefault(config, Policy(content)).content = content

    @operation(1, config=CONFIGURATIONS)
    def remove_configuration(self, config: str) -> None:
        if self.office.configurations.pop(config, None) is not None:
            self.admin("config.remove", config=config)

    @operation(3, config=CONFIGURATIONS[:2], group=GROUPS, is_on=(True, True, False))
    def assign_configuration(self, config: str, group: str, is_on: bool) -> None:
        if config in self.office.configurations:
            self.assigning("config", config, self.office.configurations[config].groups, group, is_on)

    @operation(3, config=CONFIGURATIONS[:2], app=(*APPS, None), is_on=(True, True, False))
    def target_configuration(self, config: str, app: str | None, is_on: bool) -> None:
        if config in self.office.configurations:
            self.targeting("config", config, self.office.configurations[config], app, is_on)

    @operation(6, index=ANY_SLOT, user=USERS)
    def ask_configuration(self, index: int, user: str) -> None:
        if index not in self.slots:
            return
        slot, account = self.slots[index], self.apps[SLOTS[index]].accounts.get(user)
        status, full, answered = slot.session.configuration(self.name(user).decode(), list(KEYS))
        is_enrolled = account is not None and account.is_enrolled
        self.check(f"configuration of {user}", library.OK if is_enrolled else NOT_ENROLLED, status)
        if account is None or not is_enrolled:
            return
        expected = dictionaries(account, slot.host, slot.own)
        self.check(f"configurations of {user}", expected, full)
        for key in KEYS:
            self.check(f"{key} of {user}", answers(expected, key), answered[key])
