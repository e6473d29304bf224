#!/usr/bin/env python3
"""Make docs/properties.md: `mamctl policy properties --json | scripts/properties.py >docs/properties.md`."""

from __future__ import annotations

import json
import sys
from typing import Any

Property = dict[str, Any]

TOP = """\
# Properties: what policies can say, and what becomes of it

Made by `scripts/properties.py` from what the library says (`mam_policy_properties`, `mam.policy_properties`, `mamctl policy
properties`); `scripts/test.sh docs` fails where they differ. How values are read and merged, and what they decide together, is in
[policy.md](policy.md).

- **values**: from the neutral one, which restricts least, to the **most restrictive** one, which also stands in for what is not
  understood (a wrong type, an unknown name); of actions `block` does, and a scheme is left out. "*any*" is every value at once.
- **where absent**: what holds in a policy that does not state the property, or states it as null; the neutral value, where nothing
  stands there.
- **policies**: the platforms whose policies have it. "all" are those for ios, android, windows and linux, and default (the
  tenant's); windows has much less than the others, and "most" are all but windows. A Windows policy counts by its own properties
  alone; the others understand each other's.
- **can wipe**: it can have an account's data removed, by what it says or together with the authority's refusal. No other property
  can, and nothing that is not understood does.
"""
#: Status, heading, introduction, and the titles of the columns.
SECTIONS = [
    ("enforced", "Enforced", "Each is turned from neutral to most restrictive by a test, which sees an answer change.",
     ["property", "policies", "values", "where absent", "what it does here", "shown by"]),
    ("notEnforced", "Not enforced by this release",
     "Read, merged, and shown by `mam_policy_json`; nothing acts on them yet.",
     ["property", "policies", "values", "where absent", "waits for"]),
    ("notApplicable", "Not applicable here",
     "Kept and exported unchanged; they change no answer.", ["property", "policies", "why"]),
    ("descriptive", "Describing the policy", "", []),
]  # fmt: skip


def code(value: Any) -> str:
    return f"`{value if isinstance(value, str) else json.dumps(value)}`"


def values(one: Property) -> str:
    kind, names, neutral, strictest = one["kind"], one["names"], one["neutral"], one["strictest"]
    bold = f"**{code(strictest)}**"
    if kind == "flag":
        return f"{code(neutral)}, {bold}"
    if kind == "level":
        shown = [" = ".join(code(name) for name in level.split(" = ")) for level in names]
        return ", ".join([*shown[:-1], f"**{shown[-1]}**"])
    if kind == "number":
        return f"{code(neutral)} to {bold}"
    if kind == "duration":
        return f"{'`PT0S` (never)' if neutral else '*none*'}, longer to **shorter**"
    if kind in ("minimumVersion", "maximumVersion"):
        return "*none*, lower to **higher**" if kind == "minimumVersion" else "*none*, higher to **lower**"
    if kind in ("exceptions", "allowOnly"):
        listed = ", ".join(code(name) for name in names) if names else "*any*"
        return f"{listed} to **{'none' if kind == 'exceptions' else 'fewest'}**"
    return {"scheme": "a scheme", "text": "text"}.get(kind, "–")  # noqa: RUF001


def absent(one: Property) -> str:
    value = one["absent"]
    if value is None or value == one["neutral"]:
        return ""
    if isinstance(value, list):
        return "none" if not value else "[those of the Intune App SDK](policy.md#links)"
    return code(value)


def policies(one: Property) -> str:
    has = one["platforms"]
    if {"ios", "android", "default", "linux"} <= set(has):
        return "all" if "windows" in has else "most"
    return ", ".join(has)


def cells(one: Property) -> dict[str, str]:
    shown = ", ".join(f"`{name}`" for name in one["shownBy"])
    waits = f"{one['note']}: {', '.join(f'`{name}`' for name in one['waitsFor'])}"
    return {
        "property": f"`{one['property']}`" + (" **can wipe**" if one["wipes"] else ""),
        "policies": policies(one), "values": values(one), "where absent": absent(one),
        "what it does here": one["note"], "why": one["note"], "shown by": shown, "waits for": waits,
    }  # fmt: skip


def page(properties: list[Property]) -> str:
    lines = [TOP]
    for status, heading, intro, titles in SECTIONS:
        group = [one for one in properties if one["status"] == status]
        if not group:
            continue
        lines += [f"## {heading}", ""]
        if not titles:
            lines += [", ".join(f"`{one['property']}`" for one in group) + ', and every key with an "@" in it.', ""]
            continue
        lines += [intro, "", "| " + " | ".join(titles) + " |", "| " + " | ".join("---" for _ in titles) + " |"]
        lines += ["| " + " | ".join(cells(one)[title] or " " for title in titles) + " |" for one in group]
        lines.append("")
    return "\n".join(lines).replace(" |  |", " | |").rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(json.load(sys.stdin)["properties"]))
