"""Links: allowed ones, alternatives to refused ones, and arguments that are not links."""

from __future__ import annotations

import mam
import pytest
from conftest import ANN, EVE, Office

RULES = {
    "@odata.type": "#libmam.linuxManagedAppProtection",
    "displayName": "Links",
    "allowedOutboundDataTransferDestinations": "managedApps",
    "managedBrowserToOpenLinksRequired": True,
    "customBrowserProtocol": "fx",
    "dialerRestrictionLevel": "blocked",
}


@pytest.fixture
def ruled(enrolled: mam.Mam, office: Office) -> mam.Mam:
    """The account under RULES as well."""
    (policy,) = office.authority.import_policy(RULES).policies
    office.authority.assign(policy.id, all_users=True)
    office.authority.target(policy.id, all_apps=True)
    enrolled.check_in(ANN).wait(30)
    return enrolled


def test_decisions_on_links(ruled: mam.Mam) -> None:
    with ruled.policy(ANN) as policy:
        answer = policy.url("https://contoso.example/a")
        assert not answer and answer.instead == ("fxs://contoso.example/a",)
        assert answer.reason is not None
        assert answer.reason.setting == "managedBrowserToOpenLinksRequired"
        assert answer.reason.policy_name == "Links"
        assert policy.url("tel:1").instead == ()
        assert policy.url(b"calshow:1") == mam.LinkDecision(True)
        assert policy.is_url_allowed("calshow:1") and not policy.is_url_allowed("zoommtg:1")
        assert policy.is_url_allowed("zoommtg:1", known_managed_scheme=True)
        assert policy.is_universal_link_allowed("https://zoom.us/j")
        assert not policy.is_universal_link_allowed("https://contoso.example/")


def test_decisions_agree_with_the_handle(ruled: mam.Mam) -> None:
    for account in (ANN, EVE, None):
        with ruled.policy(account) as policy:
            for url in ("https://contoso.example/", "https://zoom.us/j", "tel:1", "x:", "", "no link", "é"):
                link, decision = policy.url(url), ruled.check("url", account, url=url)
                assert (decision.allowed, decision.instead, decision.reason) == (link.allowed, link.instead, link.reason)
                assert policy.is_url_allowed(url) is link.allowed
                known = ruled.check("url", account, url=url, known_managed_scheme=True).allowed
                assert policy.is_url_allowed(url, known_managed_scheme=True) is known
                universal = ruled.check("universalLink", account, url=url)
                assert policy.is_universal_link_allowed(url) is universal.allowed


def test_invalid_links(ruled: mam.Mam) -> None:
    with ruled.policy(ANN) as policy:
        for broken in ("x:\0", "x:\ud800", b"x:\xff", "x:" + "a" * (1 << 20)):
            for ask in (policy.url, policy.is_url_allowed, policy.is_universal_link_allowed):
                with pytest.raises(mam.ArgumentError):
                    ask(broken)
        with pytest.raises(TypeError):
            policy.is_url_allowed("x:", known_managed_scheme=1)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            policy.url(None)  # type: ignore[arg-type]
    for request in (
        mam.request("url", ANN),
        mam.request("url", ANN, url="x:\0"),
        mam.request("url", ANN, url="x:" + "a" * (1 << 20)),
        mam.request("print", ANN, url="x:"),
        mam.request("universalLink", ANN, url="x:", known_managed_scheme=True),
    ):
        with pytest.raises(ValueError):
            ruled.check_many([request])


def test_a_long_link_costs_no_more_than_its_length(ruled: mam.Mam) -> None:
    with ruled.policy(ANN) as policy:
        long = "https://zoom.us/" + "*/../" * 200_000
        assert policy.url(long).instead[0].startswith("https-intunemam://https%3A%2F%2Fzoom.us%2F%2A%2F..")
