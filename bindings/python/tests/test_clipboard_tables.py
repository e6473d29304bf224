"""The clipboard against hand-written tables and against an oracle in Python, both in Tests/Golden/clipboard."""

from __future__ import annotations

import importlib
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import ANN, BEN, EVE, Office

FOLDER = Path(__file__).parents[3] / "Tests" / "Golden" / "clipboard"
TABLES = sorted(FOLDER.glob("*.txt"))
KIND = "#libmam.linuxManagedAppProtection"
LEVELS = ["allApps", "managedAppsWithPasteIn", "managedApps", "blocked"]

sys.path.insert(0, str(FOLDER))
oracle: Any = importlib.import_module("clipboard_oracle")

NAMES = {"ann": ANN, "bob": BEN, "eve": EVE, "-": None}


class Desk:
    """Ann and Bob in one tenant, each under their own policies."""

    def __init__(self, session: mam.Mam, office: Office) -> None:
        self.session, self.authority = session, office.authority
        self.ids: dict[str, list[str]] = {ANN: [office.policy.id], BEN: []}
        for upn in (ANN, BEN):
            self.authority.add_group(upn)
            self.authority.add_member(upn, upn)
        self.put(BEN, [{}])
        assert session.register_and_enroll(BEN).wait(30)

    def put(self, upn: str, policies: list[dict[str, Any]]) -> None:
        for old in self.ids[upn]:
            self.authority.remove_policy(old)
        self.ids[upn] = []
        for number, policy in enumerate(policies):
            document = {"@odata.type": KIND, "displayName": "P", **policy, "id": f"{upn}-{number}"}
            (one,) = self.authority.import_policy(document).policies
            self.authority.assign(one.id, upn)
            self.authority.target(one.id, all_apps=True)
            self.ids[upn].append(one.id)
        if upn in [one.upn for one in self.session.enrolled_accounts()]:
            self.session.check_in(upn).wait(30)

    def limit(self, sender: str | None, receiver: str | None) -> int | None:
        """The limit, checked against every function that reports it."""
        with self.session.policy(sender) as policy:
            answer = policy.clipboard(10**9, to=receiver)
            assert answer.allowed is (answer.limit is None) and answer.allowed is (answer.reason is None)
            if answer.limit is not None:
                assert policy.clipboard(answer.limit, to=receiver) and not policy.clipboard(answer.limit + 1, to=receiver)
        out = self.session.check("clipboard", sender, receiver=receiver, length=10**9)
        back = self.session.check("clipboard", receiver, sender=sender, length=10**9)
        assert (out.allowed, out.limit) == (back.allowed, back.limit) == (answer.allowed, answer.limit)
        assert out.reason == answer.reason
        if answer.reason is not None:  # the same refusal has the same sentence, whichever side is asked
            assert back.reason is not None and back.reason.user_message == answer.reason.user_message
        return answer.limit


@pytest.fixture
def desk(enrolled: mam.Mam, office: Office) -> Desk:
    return Desk(enrolled, office)


def test_there_are_tables() -> None:
    assert len(TABLES) >= 6


@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table.stem))
def test_the_tables(desk: Desk, table: Path) -> None:
    lines = [line for line in table.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    policy = json.loads(lines[0])
    desk.put(ANN, [policy])
    sides = {"ann": [policy], "bob": [{}]}
    for line in lines[1:]:
        sender, receiver, wanted = (cell.strip() for cell in line.split("|"))
        limit = None if wanted == "all" else int(wanted)
        assert desk.limit(NAMES[sender], NAMES[receiver]) == limit, line
        organisation = {sender, receiver} <= {"ann", "bob"}
        answer = oracle.limit(sides.get(sender), sides.get(receiver), same=sender == receiver, organisation=organisation)
        assert answer == limit, line


def some_policies(dice: random.Random) -> list[dict[str, Any]]:
    made = []
    for _ in range(dice.choice([1, 1, 2, 3])):
        policy: dict[str, Any] = {}
        if dice.random() < 0.8:
            policy[oracle.LEVEL] = dice.choice([*LEVELS, *oracle.WINDOWS])
        if dice.random() < 0.6:
            policy[oracle.EXCEPTION] = dice.choice([0, 1, 10, 65535])
        made.append(policy)
    return made


def test_random_policies(desk: Desk) -> None:
    """Every answer equals the oracle's: 40 pairs of sets of policies, every pair of accounts."""
    dice = random.Random(int(os.environ.get("MAM_SEED", "1")))
    for _ in range(40):
        sides = {"ann": some_policies(dice), "bob": some_policies(dice)}
        desk.put(ANN, sides["ann"])
        desk.put(BEN, sides["bob"])
        for sender in NAMES:
            for receiver in NAMES:
                organisation = {sender, receiver} <= {"ann", "bob"}
                same = sender == receiver != "-"
                wanted = oracle.limit(sides.get(sender), sides.get(receiver), same=same, organisation=organisation)
                assert desk.limit(NAMES[sender], NAMES[receiver]) == wanted, (sides, sender, receiver)


@pytest.mark.parametrize(
    ("name", "strict"), [(oracle.LEVEL, "blocked"), (oracle.EXCEPTION, 0), ("notificationRestriction", "block")]
)
def test_each_property_turns_an_answer(desk: Desk, name: str, strict: Any) -> None:
    neutral = {oracle.LEVEL: "allApps", oracle.EXCEPTION: 100, "notificationRestriction": "allow"}[name]
    beside = {oracle.LEVEL: "blocked"} if name == oracle.EXCEPTION else {}
    answers = []
    for value in (neutral, strict, neutral):
        desk.put(ANN, [{**beside, name: value}])
        with desk.session.policy(ANN) as policy:
            answers.append((bool(policy.clipboard(50)), policy.notification))
    assert answers[0] == answers[2] != answers[1]


def test_notifications(desk: Desk) -> None:
    levels = {
        "allow": mam.NotificationPolicy.ALLOW,
        "blockOrganizationalData": mam.NotificationPolicy.BLOCK_ORG_DATA,
        "block": mam.NotificationPolicy.BLOCK,
    }
    with desk.session.policy(ANN) as policy:
        for name, wanted in levels.items():
            desk.put(ANN, [{"notificationRestriction": name}])
            assert policy.notification is wanted
            shown, whole = desk.session.check("notification", ANN), desk.session.check("notificationOrgData", ANN)
            assert bool(shown) is (wanted < mam.NotificationPolicy.BLOCK) and bool(whole) is (wanted == 0)
            assert whole.reason is None or whole.reason.setting == "notificationRestriction"
        desk.put(ANN, [{"notificationRestriction": "block"}, {"notificationRestriction": "allow"}])
        assert policy.notification is mam.NotificationPolicy.BLOCK
    with pytest.raises(mam.ClosedError):
        _ = policy.notification


def test_invalid_lengths_and_names(desk: Desk) -> None:
    with desk.session.policy(ANN) as policy:
        for length in (-1, -(1 << 62), 1 << 63, 1 << 200):
            with pytest.raises(mam.ArgumentError):
                policy.clipboard(length)
        for odd in (True, 1.5, "1", None):
            with pytest.raises(TypeError):
                policy.clipboard(odd)  # type: ignore[arg-type]
        for name in ("a" * (1 << 20), " ann", "a\nb"):
            with pytest.raises(mam.ArgumentError):
                policy.clipboard(1, to=name)
        assert policy.clipboard((1 << 63) - 1, to=ANN)
    for request in (
        mam.request("clipboard", ANN),
        mam.request("clipboard", ANN, length=-1),
        mam.request("clipboard", ANN, length=1, sender=None, receiver=None),
        mam.request("print", ANN, length=1),
    ):
        with pytest.raises((mam.ArgumentError, mam.JSONError)):
            desk.session.check_many([request])
