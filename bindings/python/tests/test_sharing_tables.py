"""Share targets and web viewers against hand-written tables and an oracle in Python, both in Tests/Golden/sharing."""

from __future__ import annotations

import importlib
import json
import os
import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import mam
import pytest
from mam import testing

FOLDER = Path(__file__).parents[3] / "Tests" / "Golden" / "sharing"
TABLES = sorted(FOLDER.glob("*.txt"))
KIND = "#libmam.linuxManagedAppProtection"
URL = "https://contoso.example/"

sys.path.insert(0, str(FOLDER))
oracle: Any = importlib.import_module("sharing_oracle")


class Desk:
    """Ann's session of an app of her own, beside the apps of the registry."""

    def __init__(self, office: testing.Office, session: mam.Mam) -> None:
        self.authority, self.session = office.authority, session
        self.ids: list[str] = []

    def put(self, policies: list[dict[str, Any]]) -> None:
        for old in self.ids:
            self.authority.remove_policy(old)
        self.ids = []
        for number, policy in enumerate(policies):
            document = {"@odata.type": KIND, "displayName": "P", **policy, "id": f"p{number}"}
            (one,) = self.authority.import_policy(document).policies
            self.authority.assign(one.id, "Ann")
            self.authority.target(one.id, "mine")
            self.ids.append(one.id)
        self.session.check_in("ann").wait(30)

    def share(self, target: str, account: str | None) -> str | None:
        kind = "scheme" if target.endswith(":") else "executable" if target.startswith("/") else "app_id"
        with self.session.policy("ann") as policy:
            found = policy.filter_share_targets([mam.ShareTarget(**{kind: target}, identity=account)])
        if found.remaining:
            return None
        assert found.removed[0].reason is not None
        return found.removed[0].reason.setting

    def web(self, viewer: str, external: bool) -> tuple[str, bool, int | None, bool]:
        with self.session.policy("ann") as policy:
            answer = policy.web_view(URL, policy=mam.WebViewPolicy(viewer), external=external)
        assert answer.paste.allowed is (answer.paste.limit is None) and answer.url is not None
        return answer.identity or "nobody", bool(answer.upload), answer.paste.limit, answer.url.allowed


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with testing.office(tmp_path_factory.mktemp("sharing")) as office, ExitStack() as stack:
        authority = office.authority
        for user, tenant in oracle.TENANTS.items():
            authority.add_user(f"{user}@x.example", account_id=user, tenant_id=tenant)
        authority.add_group("Ann")
        authority.add_member("Ann", "ann")
        # Keeps everybody managed, and restricts nothing; "unlisted" will lose it.
        apps = {**oracle.APPS, "unlisted": ["ann"], "mine": ["ann"]}
        (free,) = authority.import_policy({"@odata.type": KIND, "displayName": "Free", "id": "free"}).policies
        authority.assign(free.id, all_users=True)
        for app in apps:
            authority.target(free.id, app)
        sessions = {}
        for app, users in apps.items():
            sessions[app] = stack.enter_context(
                mam.open(
                    app,
                    authority,
                    group="group",
                    state_directory=office.state,
                    worker=False,
                    inherit_identity=False,
                    settings={"MultiManagedIdentities": True},
                )
            )
            for user in users:
                assert sessions[app].register_and_enroll(f"{user}@x.example").wait(30)
        authority.untarget(free.id, "unlisted")
        yield Desk(office, sessions["mine"])


def test_there_are_tables() -> None:
    assert len(TABLES) >= 5


@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table.stem))
def test_the_tables(desk: Desk, table: Path) -> None:
    lines = [line for line in table.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    policy = json.loads(lines[0])
    desk.put([policy])
    for line in lines[1:]:
        kind, what, *wanted = (cell.strip() for cell in line.split("|"))
        if kind == "share":
            target, _, account = what.partition(" for ")
            by = None if wanted[0] == "yes" else wanted[0]
            assert desk.share(target, account or None) == by, line
            assert oracle.share([policy], target, account or None) == by, line
        else:
            viewer, _, external = what.partition(" ")
            who, upload, paste, link = wanted
            answer = (who, upload == "yes", None if paste == "all" else int(paste), link == "stays")
            assert desk.web(viewer, bool(external)) == answer, line
            assert oracle.web([policy], viewer, bool(external)) == answer, line


def some_policy(dice: random.Random) -> dict[str, Any]:
    values = {
        oracle.OUTBOUND: dice.choice(["allApps", "managedApps", "managedApps", "none"]),
        oracle.FILTER: dice.random() < 0.5,
        oracle.LEVEL: dice.choice(["allApps", "managedAppsWithPasteIn", "managedApps", "blocked"]),
        oracle.EXCEPTION: dice.choice([0, 5, 500]),
        "managedBrowserToOpenLinksRequired": dice.random() < 0.5,
        "disableProtectionOfManagedOutboundOpenInData": dice.random() < 0.5,
    }
    return {name: value for name, value in values.items() if dice.random() < 0.7}


def test_random_policies(desk: Desk) -> None:
    """Every answer equals the oracle's: 40 sets of policies, every target and viewer. If several policies refuse by
    different settings, the reason is any of those."""
    dice = random.Random(int(os.environ.get("MAM_SEED", "1")))
    targets = [*oracle.APPS, "unlisted", "stranger", "skype:", "x-intunemam:", "/bin/cat"]
    for _ in range(40):
        policies = [some_policy(dice) for _ in range(dice.choice([1, 1, 2, 3]))]
        desk.put(policies)
        for target in targets:
            for account in (None, *oracle.TENANTS):
                wanted, answer = oracle.share(policies, target, account), desk.share(target, account)
                assert (answer is None) is (wanted is None), (policies, target, account, answer)
                assert answer in (None, oracle.OUTBOUND, oracle.FILTER)
                if len(policies) == 1:
                    assert answer == wanted, (policies, target, account)
        for viewer in ("unset", "unmanaged", "currentIdentity", "currentIdentityBlockUpload"):
            for external in (True, False):
                assert desk.web(viewer, external) == oracle.web(policies, viewer, external), (policies, viewer, external)


@pytest.mark.parametrize("name", [oracle.FILTER])
def test_each_property_turns_an_answer(desk: Desk, name: str) -> None:
    answers = []
    for value in (False, True, False):
        desk.put([{oracle.OUTBOUND: "managedApps", name: value}])
        answers.append(desk.share("x-intunemam:", None))
    assert answers == [None, name, None]
