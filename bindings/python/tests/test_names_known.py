"""Unknown names in the domain of a managed account, and the remedy: mam_register_account."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import APP, BEN, EVE
from names import ANN, ANN_ID, FAR, MISSPELT, SECRET, SHARED, Place, is_secret

S, CODE = mam.Status, mam.StatusCode
MOST = 4096


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with Place.make(tmp_path) as place:
        place.enroll()
        yield place


def is_plain_for(m: mam.Mam, name: str) -> bool:
    data = m.protect(name, SECRET)
    return not is_secret(data) and m.unprotect(data) == SECRET and m.protection_info(data).account_id in (name, name.lower())


def is_refused(m: mam.Mam, name: str) -> str:
    """Check that the name is refused, and return the message."""
    with pytest.raises(mam.NotFoundError) as caught:
        m.protect(name, SECRET)
    return caught.value.message


def test_a_known_name_is_an_unmanaged_user(place: Place) -> None:
    is_refused(place.m, SHARED)
    place.m.register_account(SHARED)
    place.m.register_account(SHARED.upper())
    for _ in range(2):
        assert place.m.known_accounts() == [SHARED]
        assert is_plain_for(place.m, SHARED) and is_plain_for(place.m, SHARED.upper())
        assert [one.upn for one in place.m.registered_accounts()] == [ANN]
        assert not place.m.is_account_managed(SHARED)
        with place.m.policy(SHARED) as policy:
            assert policy.is_print_allowed
        is_refused(place.m, FAR)
        place.reopen()


def test_it_is_not_enrolled_automatically(place: Place) -> None:
    """Although the authority would enroll it: not at a launch, not on schedule, not together with others."""
    place.reopen(settings={"AutoEnrollOnLaunch": True})
    place.m.register_account(BEN)
    place.m.launch().wait(30)
    place.m.check_in().wait(30)
    place.m.run_due()
    assert place.m.check_in(BEN).wait(30).code == CODE.NOT_ENROLLED_ACCOUNT
    assert [one.upn for one in place.m.registered_accounts()] == [ANN]
    assert place.m.known_accounts() == [BEN]


def test_it_is_enrolled_when_the_host_enrolls_it(place: Place) -> None:
    place.m.register_account(BEN)
    place.enroll(BEN)
    for _ in range(2):
        assert is_secret(place.m.protect(BEN, SECRET))
        assert BEN not in place.m.known_accounts(), "a registered account is listed with those"
        place.reopen()


def test_it_is_forgotten(place: Place) -> None:
    place.m.register_account(SHARED)
    assert place.m.deregister_and_unenroll(SHARED.upper()).wait(30).code == CODE.UNENROLLMENT_SUCCESS
    for _ in range(2):
        assert place.m.known_accounts() == []
        is_refused(place.m, SHARED)
        assert is_secret(place.m.protect(ANN, SECRET))
        place.reopen()
    with pytest.raises(mam.NotRegisteredError):
        place.m.deregister_and_unenroll(SHARED)


def test_no_wipe_of_a_known_name(place: Place) -> None:
    place.m.register_account(SHARED)
    with pytest.raises(mam.NotRegisteredError):
        place.m.wipe_account(SHARED)
    assert is_secret(place.m.protect(ANN, SECRET))


@pytest.mark.parametrize("name", ["", " ", " a@contoso.example", "a\n@contoso.example", "x" * 257, b"\xff@contoso.example"])
def test_invalid_names(place: Place, name: str) -> None:
    with pytest.raises(mam.ArgumentError) as caught:
        place.m.register_account(name)
    assert caught.value.message
    assert place.m.known_accounts() == []


@pytest.mark.parametrize("name", [ANN, ANN_ID, ANN.upper(), "ann.former00@contoso.example"])
def test_an_account_of_this_app_is_known_already(tmp_path: Path, name: str) -> None:
    with Place.make(tmp_path) as place:
        place.live("renamed once", False)
        place.m.register_account(name)
        assert place.m.known_accounts() == []
        assert is_secret(place.m.protect(name, SECRET))


def test_without_an_enrolled_account(tmp_path: Path) -> None:
    with Place.make(tmp_path) as place:
        place.m.register_account(SHARED)
        with pytest.raises(mam.NotManagedError):
            place.m.protect(SHARED, SECRET)
        place.enroll()
        assert is_plain_for(place.reopen(), SHARED)


def test_another_session_knows_it(place: Place) -> None:
    with place.opened() as other:
        is_refused(other, SHARED)
        place.m.register_account(SHARED)
        assert is_plain_for(other, SHARED)
        assert other.known_accounts() == [SHARED]


def test_another_app_of_the_group_does_not(place: Place) -> None:
    keys: dict[str, Any] = {"worker": False, "state_directory": place.folder / "state", "inherit_identity": False}
    place.m.register_account(SHARED)
    with mam.open("com.example.mail", place.authority.path, group="com.example.notes", **keys) as mail:
        assert mail.register_and_enroll(ANN).wait(30).succeeded
        assert mail.known_accounts() == []
        is_refused(mail, SHARED)


def test_at_most_4096(place: Place) -> None:
    for number in range(MOST):
        place.m.register_account(f"n{number}@contoso.example")
    for _ in range(2):
        with pytest.raises(mam.NoSpaceError) as caught:
            place.m.register_account(SHARED)
        assert caught.value.message
        assert len(place.m.known_accounts()) == MOST
        place.m.register_account("N0@contoso.example")  # already known
        is_refused(place.m, SHARED)
        assert is_plain_for(place.m, f"n{MOST - 1}@contoso.example")
        place.reopen()
    assert place.m.deregister_and_unenroll("n7@contoso.example").wait(30).succeeded
    place.m.register_account(SHARED)
    assert is_plain_for(place.m, SHARED)


@pytest.mark.parametrize(
    ("name", "is_near"),
    [
        ("anm@contoso.example", True),  # one different letter
        ("an@contoso.example", True),
        ("annn@contoso.example", True),
        ("naan@contoso.example", True),  # two edits
        ("ANM@CONTOSO.EXAMPLE", True),
        ("annabel@contoso.example", False),
        ("zac@contoso.example", False),
    ],
)
def test_the_nearest_name_is_in_the_message(place: Place, name: str, is_near: bool) -> None:
    message = is_refused(place.m, name)
    assert "Mam.register_account" in message
    assert (ANN in message) is is_near, message


def test_the_nearest_name_is_in_no_log(place: Place) -> None:
    lines: list[tuple[int, str]] = []
    place.m.set_log(lambda level, line: lines.append((level, line)), mam.LogLevel.VERBOSE)
    path = place.sealed()
    for call in (lambda: place.m.protect(MISSPELT, SECRET), lambda: place.m.file_protect(path, MISSPELT)):
        with pytest.raises(mam.NotFoundError):
            call()
    place.m.run_due()
    visible = [line for level, line in lines if level > mam.LogLevel.VERBOSE]
    assert not [line for line in visible if ANN in line or MISSPELT in line]


def test_free_mail_is_no_organisation(tmp_path: Path) -> None:
    """An account at a mail provider: names in its domain belong to other people."""
    with Place.make(tmp_path) as place:
        for number, domain in enumerate(("gmail.com", "outlook.com", "GMail.com")):
            upn = f"ann{number}@{domain}"
            place.authority.add_user(upn, account_id=f"mail-{number}")
            place.enroll(upn)
            assert is_secret(place.m.protect(upn, SECRET))
            assert is_plain_for(place.m, f"anm{number}@{domain}")


def test_the_domains_of_the_setting(place: Place) -> None:
    """They replace the automatic choice; [] is none."""
    place.reopen(organization_domains=["Fabrikam.example", "third.example"])
    assert is_plain_for(place.m, MISSPELT)
    for name in ("x@fabrikam.example", "x@FABRIKAM.example", "x@third.example"):
        is_refused(place.m, name)
    is_refused(place.m, "x@mail.fabrikam.example")
    place.reopen(organization_domains=[])
    for name in (MISSPELT, "x@fabrikam.example", "CONTOSO\\x", "contoso.example"):
        assert is_plain_for(place.m, name)
    place.reopen()
    is_refused(place.m, MISSPELT)
    assert is_plain_for(place.m, "x@fabrikam.example")


def test_the_domains_that_the_host_adds(place: Place) -> None:
    """Beside those of the accounts, or those stated in their place."""
    place.reopen(additional_organization_domains=["fabrikam.example"])
    assert place.m.settings()["additionalOrganizationDomains"] == ["fabrikam.example"]
    for name in (MISSPELT, "x@fabrikam.example", "x@mail.fabrikam.example", "x@fabrikan.example"):
        is_refused(place.m, name)
    assert is_plain_for(place.m, "x@third.example")
    place.reopen(organization_domains=["third.example"], additional_organization_domains=["fabrikam.example"])
    for name in ("x@third.example", "x@fabrikam.example"):
        is_refused(place.m, name)
    assert is_plain_for(place.m, MISSPELT)


def test_added_domains_without_an_account(tmp_path: Path) -> None:
    """A host whose state is lost refuses the names of the data that it finds."""
    with mam.open(APP, tmp_path / "a.db", state_directory=tmp_path / "s", additional_organization_domains=["contoso.example"]) as m:
        with pytest.raises(mam.NotFoundError, match="not registered"):
            m.check_name(ANN)
        m.check_name("x@third.example")


def test_a_domain_stays_the_organisations_when_its_account_has_left(place: Place) -> None:
    place.authority.add_user("fay@other.example", account_id="fay-id")
    assert is_plain_for(place.m, "x@other.example")
    place.enroll("fay@other.example")
    is_refused(place.m, "x@other.example")
    assert place.m.wipe_account("fay-id").wait(30).succeeded
    is_refused(place.m, "x@other.example")
    is_refused(place.m, MISSPELT)
    place.reopen()
    is_refused(place.m, "x@other.example")
    place.reopen(organization_domains=["contoso.example"])
    assert is_plain_for(place.m, "x@other.example")


@pytest.mark.parametrize("wipe", [False, True], ids=["unenrolled", "wiped"])
def test_a_stated_domain_stays_too(place: Place, wipe: bool) -> None:
    """Of the authority's domains the account is in one alone."""
    place.authority.set(domains=["third.example"])
    assert place.m.check_in(None).wait(30).succeeded
    is_refused(place.m, "x@third.example")
    assert place.m.deregister_and_unenroll(ANN, wipe=wipe).wait(30).succeeded
    is_refused(place.m, "x@third.example")
    place.reopen()
    is_refused(place.m, "x@third.example")


def test_personal_accounts_and_no_account(place: Place) -> None:
    assert is_plain_for(place.m, EVE)
    data = place.m.protect("", SECRET)
    assert not is_secret(data)


def test_unknown_identities_as_errors(place: Place) -> None:
    """The stricter setting still applies: a registered name is known to it."""
    place.reopen(unknown_identities="error")
    for name in (MISSPELT, EVE):
        with pytest.raises(mam.NotFoundError):
            place.m.protect(name, SECRET)
        with pytest.raises(mam.NotFoundError):
            place.m.policy(name)
        assert place.m.is_account_managed(name) is False
    place.m.register_account(EVE)
    assert is_plain_for(place.m, EVE)


def test_an_account_that_cannot_be_read_is_not_unknown(place: Place) -> None:
    """Where unknown names are errors: an older state was put back after a wipe, whose key is gone."""
    place.m.close()
    shares = [share for share in place.folder.rglob("shares/*") if share.is_file()]
    assert shares
    for share in shares:
        share.unlink()
    place.reopen(unknown_identities="error")
    with place.m.policy(ANN) as policy:
        assert not policy.is_print_allowed
    with pytest.raises(mam.KeyUnavailableError):
        place.m.protect(ANN, SECRET)
    with pytest.raises(mam.NotFoundError):
        place.m.policy("zac@elsewhere.example")
