"""Links against hand-written tables and against an oracle in Python, both in Tests/Golden/links."""

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
from conftest import ANN, Office

FOLDER = Path(__file__).parents[3] / "Tests" / "Golden" / "links"
TABLES = sorted(FOLDER.glob("*.txt"))
KIND = "#libmam.linuxManagedAppProtection"

sys.path.insert(0, str(FOLDER))
oracle: Any = importlib.import_module("link_oracle")


class Desk:
    """Ann under one set of policies after another."""

    def __init__(self, session: mam.Mam, office: Office) -> None:
        self.session, self.authority = session, office.authority
        self.ids = [office.policy.id]

    def put(self, policies: list[dict[str, Any]]) -> None:
        for old in self.ids:
            self.authority.remove_policy(old)
        self.ids = []
        for number, policy in enumerate(policies):
            (one,) = self.authority.import_policy({"@odata.type": KIND, "id": f"p{number}", "displayName": "P", **policy}).policies
            self.authority.assign(one.id, all_users=True)
            self.authority.target(one.id, all_apps=True)
            self.ids.append(one.id)
        self.session.check_in(ANN).wait(30)


@pytest.fixture
def desk(enrolled: mam.Mam, office: Office) -> Desk:
    return Desk(enrolled, office)


def rows(table: Path) -> tuple[dict[str, Any], list[tuple[str, ...]]]:
    lines = [line for line in table.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return json.loads(lines[0]), [tuple(cell.strip() for cell in line.split(" | ")) for line in lines[1:]]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: str(table.stem))
def test_the_tables(desk: Desk, table: Path) -> None:
    policy, wanted = rows(table)
    desk.put([policy])
    with desk.session.policy(ANN) as handle:
        for url, by, instead, universal in wanted:
            setting = {"yes": None, "-": ""}.get(by, by)
            answer = handle.url(url)
            assert (None if answer else (answer.reason.setting or "") if answer.reason else "?") == setting, url
            assert answer.instead == tuple(instead.split()), url
            assert handle.is_universal_link_allowed(url) is (universal == "yes"), url
            assert oracle.answer([policy], url) == oracle.Answer(setting, answer.instead), url
            assert oracle.universal([policy], url) is (universal == "yes"), url


LINKS = [
    "https://zoom.us/*",
    "https://*.contoso.com/in/*",
    "https://*contoso.com/l/*",
    "http://intranet/page",
    "https://a.b.c:8443/*",
]
APPS = [[], [{"name": "a", "value": "skype;zoommtg"}], [{"name": "a", "value": "x-y;"}, {"name": "b", "value": "Calshow"}]]
CHOICES: dict[str, list[Any]] = {
    "allowedOutboundDataTransferDestinations": ["allApps", "managedApps", "managedApps", "none"],
    "managedBrowserToOpenLinksRequired": [True, True, False],
    "managedBrowser": ["microsoftEdge", "notConfigured", "notConfigured"],
    "customBrowserProtocol": ["fx", "dolphin", ""],
    "exemptedAppProtocols": [*APPS, None],
    "exemptedUniversalLinks": [LINKS[:2], LINKS[2:], []],
    "managedUniversalLinks": [LINKS[1:4], LINKS[:1], []],
    "dialerRestrictionLevel": ["allApps", "managedApps", "customApp", "blocked"],
    "customDialerAppProtocol": ["dial", "ring:", "", None],
    "protectedMessagingRedirectAppType": ["anyApp", "anyManagedApp", "specificApps", "blocked"],
    "messagingRedirectAppUrlScheme": ["talk", "chat://", ""],
}
SCHEMES = [
    "http",
    "https",
    "HTTPS",
    "tel",
    "TelPrompt",
    "sms",
    "mmsto",
    "skype",
    "zoommtg",
    "x-y",
    "calshow",
    "mailto",
    "a-intunemam",
    "-intunemam",
    "1x",
    "",
]
HOSTS = [
    "zoom.us", "ZOOM.us", "a.zoom.us", "contoso.com", "a.contoso.com", "evilcontoso.com", "contoso.com.evil.org", "intranet",
    "a.b.c:8443", "a.b.c:08443", "a.b.c:443", "zoom.us:", "zoom.us:443", "zoom.us:x", "zoom.us:99999", "u@zoom.us",
    "zoom.us@evil.org", "zoom%2eus", "zoom.us.", ".zoom.us", "127.0.0.1", "0x7f.1", "[::1]", "[::1]:80", "[::1", "zöom.us",
    "maps.apple.com", "",
    "teams.microsoft.com", "a.sharepoint.com",
]  # fmt: skip
PATHS = ["", "/", "/in/", "/in/a", "/in", "/l/x", "/page", "/page?q", "/in/../x", "/in/%2E./x", "/in/..;p/x", "/in/a;../x",
         "/in/%2fx", "/in/%zz", "?a@b", "#f", "/in/ü", "/in/.a", "/l/..."]  # fmt: skip
BITS = ["", "\\", " ", "\t", "\x01", "\x7f", "%00", "é", "|"]


def some_policy(dice: random.Random) -> dict[str, Any]:
    return {name: dice.choice(values) for name, values in CHOICES.items() if dice.random() < 0.6}


def some_link(dice: random.Random) -> str:
    scheme = dice.choice(SCHEMES)
    middle = "//" if dice.random() < 0.9 else dice.choice(["", "/", "///"])
    link = f"{scheme}:{middle}{dice.choice(HOSTS)}{dice.choice(PATHS)}"
    if dice.random() < 0.1:
        place = dice.randrange(len(link) + 1)
        link = link[:place] + dice.choice(BITS) + link[place:]
    return link


def test_random_policies_and_links(desk: Desk) -> None:
    """Every answer equals the oracle's: 60 sets of policies, 400 links each, with and without a scheme known as managed."""
    dice = random.Random(int(os.environ.get("MAM_SEED", "1")))
    for _ in range(60):
        policies = [some_policy(dice) for _ in range(dice.choice([1, 1, 2, 3]))]
        desk.put(policies)
        with desk.session.policy(ANN) as handle:
            for _ in range(400):
                url = some_link(dice)
                wanted = oracle.answer(policies, url)
                answer = handle.url(url)
                said = None if answer else (answer.reason.setting or "") if answer.reason else "?"
                assert (said, answer.instead) == (wanted.refused_by, wanted.instead), (policies, url)
                known = oracle.answer(policies, url, known=True).refused_by is None
                assert handle.is_url_allowed(url, known_managed_scheme=True) is known, (policies, url)
                assert handle.is_universal_link_allowed(url) is oracle.universal(policies, url), (policies, url)


#: A property, its neutral and its most restrictive value, the settings that it needs, and a link whose answer it changes.
TURNS: list[tuple[str, Any, Any, dict[str, Any], str]] = [
    ("managedBrowserToOpenLinksRequired", False, True, {}, "https://contoso.com/"),
    (
        "managedBrowser",
        "notConfigured",
        "microsoftEdge",
        {"managedBrowserToOpenLinksRequired": True, "customBrowserProtocol": "fx"},
        "https://contoso.com/",
    ),
    ("customBrowserProtocol", "fx", None, {"managedBrowserToOpenLinksRequired": True}, "https://contoso.com/"),
    (
        "exemptedAppProtocols",
        [{"name": "a", "value": "zoommtg"}],
        [],
        {"allowedOutboundDataTransferDestinations": "managedApps"},
        "zoommtg:1",
    ),
    ("exemptedUniversalLinks", ["https://contoso.com/*"], [], {"managedBrowserToOpenLinksRequired": True}, "https://contoso.com/"),
    ("managedUniversalLinks", ["https://contoso.com/*"], [], {"managedBrowserToOpenLinksRequired": True}, "https://contoso.com/"),
    ("allowedOutboundDataTransferDestinations", "allApps", "none", {}, "zoommtg:1"),
    ("dialerRestrictionLevel", "allApps", "blocked", {}, "tel:1"),
    ("customDialerAppProtocol", "dial", None, {"dialerRestrictionLevel": "customApp"}, "tel:1"),
    ("protectedMessagingRedirectAppType", "anyApp", "blocked", {}, "sms:1"),
    ("messagingRedirectAppUrlScheme", "talk", None, {"protectedMessagingRedirectAppType": "specificApps"}, "sms:1"),
]


@pytest.mark.parametrize(("name", "neutral", "strict", "beside", "url"), TURNS, ids=[one[0] for one in TURNS])
def test_each_property_turns_an_answer(desk: Desk, name: str, neutral: Any, strict: Any, beside: dict[str, Any], url: str) -> None:
    with desk.session.policy(ANN) as handle:
        answers = []
        for value in (neutral, strict, neutral):
            desk.put([{**beside, name: value}])
            answers.append(handle.url(url))
    assert answers[0] == answers[2]
    assert (answers[0].allowed, answers[0].instead) != (answers[1].allowed, answers[1].instead)
    assert answers[0].allowed or not answers[1].allowed
