"""libmam against the tables of Tests/Golden/policies, and against the oracle that wrote them, with random policies too."""

from __future__ import annotations

import importlib
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Office
from desk import Staff

FOLDER = Path(__file__).parents[3] / "Tests" / "Golden" / "policies"
sys.path.insert(0, str(FOLDER))
oracle: Any = importlib.import_module("policy_oracle")
TABLES: dict[Path, list[dict[str, Any]]] = oracle.tables()


@pytest.fixture
def staff(office: Office) -> Iterator[Staff]:
    with Staff.of(office) as staff:
        yield staff


def table_of(staff: Staff) -> list[str]:
    """libmam's answers, in the form of a table."""
    lines = ["question                                answer"]
    for name, decision in staff.predicates(list(oracle.DIRECT)).items():
        word = {(None, True): "required", (None, False): "not required", (True, None): "allowed"}.get(
            (decision.allowed, decision.required), "refused"
        )
        lines.append(f"{name:<40}{word}" + (f": {decision.reason.setting}" if decision.reason else ""))
    for title, places in staff.transfers().items():
        lines += ["", f"{title:<22}" + "".join(f"{side:<11}" for side in oracle.SIDES).rstrip()]
        for place, sides in places.items():
            lines.append((f"{place:<22}" + "".join(f"{'yes' if sides[side] else 'no':<11}" for side in oracle.SIDES)).rstrip())
    lines += ["", "link | refused by | instead | in an app"]
    for url in oracle.URLS:
        answer, universal = staff.link(url)
        by = "yes" if answer else (answer.reason.setting if answer.reason else None) or "-"
        lines.append(f"{url} | {by} | {' '.join(answer.instead)} | {'yes' if universal else 'no'}")
    return lines


def test_the_tables_match_the_oracle() -> None:
    assert len(TABLES) > 15
    for path, policies in TABLES.items():
        assert path.read_text(encoding="utf-8") == oracle.text(policies), (
            f"{path.name}: read the difference, then policy_oracle.py --write"
        )
    assert {path.stem for path in FOLDER.glob("*.txt")} == {path.stem for path in TABLES}


@pytest.mark.parametrize("path", TABLES, ids=lambda path: str(path.stem))
def test_libmam_matches_the_tables(staff: Staff, path: Path) -> None:
    staff.put(TABLES[path])
    wanted = path.read_text(encoding="utf-8").splitlines()
    # The launches below run in Swift, where tests control time: LaunchTableTests.swift.
    launches = next(number for number, line in enumerate(wanted) if line.startswith("launch | "))
    assert table_of(staff) == wanted[wanted.index("") + 1 : launches - 1]


ODD = ["odd", 1, None, {}]
CHOICES: dict[str, list[Any]] = {
    **{name: [True, True, False] for name in oracle.FLAGS},
    **oracle.ENUMS,
    oracle.OUTBOUND: ["allApps", "managedApps", "managedApps", "none"],
    oracle.INBOUND: ["allApps", "managedApps", "managedApps", "none"],
}


def some_policy(dice: random.Random, number: int) -> dict[str, Any]:
    kinds = ["#libmam.linuxManagedAppProtection"] + [
        f"#microsoft.graph.{one}ManagedAppProtection" for one in ("ios", "android", "windows")
    ]
    policy: dict[str, Any] = {"@odata.type": dice.choice(kinds), "id": f"p{number}", "displayName": "P"}
    for name, values in CHOICES.items():
        if dice.random() < 0.5:
            policy[name] = dice.choice(ODD) if dice.random() < 0.05 else dice.choice(values)
    for name, members in oracle.LISTS.items():
        if dice.random() < 0.5:
            policy[name] = [one for one in [*members, "moon"] if dice.random() < 0.5]
    return policy


def test_random_policies(staff: Staff) -> None:
    """Every answer equals the oracle's under 60 sets of one to three policies."""
    dice = random.Random(int(os.environ.get("MAM_SEED", "1")))
    for _ in range(60):
        policies = [some_policy(dice, number) for number in range(dice.choice([1, 1, 2, 3]))]
        staff.put(policies)
        assert table_of(staff) == oracle.table(policies), policies
