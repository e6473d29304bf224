"""An administrator changes an account's UPN: everything bound to the account follows it, text does not."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import BEN, EVE
from names import ANN, ANN_ID, SECRET, Place, is_secret

S = mam.Status
NEW = "ann.b@contoso.example"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Ann is enrolled, and no other account was before."""
    with Place.make(tmp_path) as place:
        place.enroll()
        yield place


def events(m: mam.Mam, kind: str) -> list[dict[str, Any]]:
    return [dict(event.raw) for event in m.events(timeout=0) if event.kind == kind]


def sessions(place: Place) -> Iterator[mam.Mam]:
    """The present session, and then a later one."""
    yield place.m
    yield place.reopen()


def is_hers(place: Place, name: str) -> bool:
    data = place.m.protect(name, SECRET)
    info = place.m.protection_info(data)
    return info.account_id == ANN_ID and bool(info.encrypted) and is_secret(data)


def test_it_is_an_event(place: Place) -> None:
    place.rename(NEW)
    (event,) = events(place.m, "accountDidChange")
    assert (event["accountId"], event["upn"], event["formerUpn"]) == (ANN_ID, NEW, ANN)
    assert place.m.check_in(ANN_ID).wait(30).succeeded
    assert events(place.m, "accountDidChange") == []


def test_another_case_is_the_same_name(place: Place) -> None:
    place.rename("Ann@Contoso.example")
    assert is_hers(place, ANN)
    for event in events(place.m, "accountDidChange"):
        assert event["upn"] == "Ann@Contoso.example"


def test_the_current_upn_is_reported(place: Place) -> None:
    place.rename(NEW)
    for m in sessions(place):
        for accounts in (m.registered_accounts(), m.enrolled_accounts()):
            assert [(one.account_id, one.upn) for one in accounts] == [(ANN_ID, NEW)]
    status = place.m.check_in(ANN).wait(30)
    assert status.succeeded, status
    assert status.identity == NEW


def test_it_is_an_event_in_another_session(place: Place) -> None:
    with place.opened() as other:
        place.rename(NEW)
        other.run_due()
        assert [one.upn for one in other.registered_accounts()] == [NEW]
        for name in (ANN, NEW):
            assert other.is_account_managed(name)
            assert other.protection_info(other.protect(name, SECRET)).account_id == ANN_ID


def test_renamed_back_and_forth(place: Place) -> None:
    """Renamed back and forth, twice: each name is hers all the time."""
    for upn in (NEW, ANN, NEW, ANN):
        place.rename(upn)
        assert is_hers(place, ANN) and is_hers(place, NEW)
        assert [one.upn for one in place.m.registered_accounts()] == [upn]


def test_policy_handles_follow(place: Place) -> None:
    with (
        place.m.policy(ANN) as held,
        place.m.policy_for_accounts([ANN]) as several,
        place.m.identity(ANN),
        place.m.current_policy() as current,
    ):
        place.rename(NEW)
        for policy in (held, several, current):
            assert not policy.is_print_allowed
            assert policy.is_file_encryption_required
            assert held.effective().account_id == ANN_ID
    for name in (ANN, NEW):
        with place.m.policy(name) as policy:
            assert not policy.is_print_allowed


def test_identities_follow(place: Place) -> None:
    place.m.set_process_identity(ANN)
    place.m.push_thread_identity(ANN)
    assert place.m.set_ui_identity([ANN], window="one").wait(30).succeeded
    with place.m.capture_identity() as captured:
        place.rename(NEW)
        assert captured.run(place.m.effective_identity, mam.IdentityTask.FILE) == ANN_ID
    assert place.m.process_identity() == ANN_ID
    assert place.m.effective_identity(mam.IdentityTask.FILE) == ANN_ID
    assert place.m.ui_identity(window="one") == [ANN_ID]
    path = place.path()
    with place.m.open_file(path, "wb") as file:
        file.write(SECRET)
    assert place.m.file_info(path).account_id == ANN_ID and is_secret(path.read_bytes())
    place.m.pop_thread_identity()
    assert place.m.effective_identity(mam.IdentityTask.FILE) == ANN_ID
    with place.m.current_policy(window="one") as policy:
        assert not policy.is_print_allowed


def test_an_open_stream_and_file_follow(place: Place) -> None:
    made, path = io.BytesIO(), place.path()
    with place.m.open_file(path, "wb", account=ANN) as file, place.m.protect_stream_to(ANN, made.write) as stream:
        stream.write(SECRET)
        file.write(SECRET)
        place.rename(NEW)
        stream.write(SECRET)
        file.write(SECRET)
    assert place.m.unprotect(made.getvalue()) == SECRET * 2
    assert place.m.protection_info(made.getvalue()).account_id == ANN_ID
    with place.m.open_file(path, "rb") as file:
        assert file.read() == SECRET * 2
    assert is_secret(path.read_bytes())


def test_protected_data_stays_readable(place: Place) -> None:
    container, path = place.m.protect(ANN, SECRET), place.sealed()
    place.rename(NEW)
    for m in sessions(place):
        assert m.unprotect(container) == SECRET
        with m.open_file(path, "rb") as file:
            assert file.read() == SECRET
        with m.policy(NEW) as policy:
            assert policy.can_receive_data(container)


def take_over(place: Place) -> None:
    """Ann is renamed, and Ben gets her former name."""
    place.authority.set_user(ANN_ID, upn=NEW)
    place.authority.set_user(BEN, upn=ANN)
    assert place.m.check_in(ANN_ID).wait(30).succeeded


def test_a_former_name_that_another_account_has(place: Place) -> None:
    """A new look-up finds the other account; open handles stay Ann's."""
    place.m.set_process_identity(ANN)
    assert place.m.set_ui_identity([ANN], window="one").wait(30).succeeded
    with place.m.policy(ANN) as held:
        take_over(place)
        assert is_hers(place, ANN), "the name is Ben's before this app knows Ben"
        place.enroll(ANN)
        assert held.effective().account_id == ANN_ID
        assert place.m.process_identity() == ANN_ID
        assert place.m.ui_identity(window="one") == [ANN_ID]
    for m in sessions(place):
        ben = next(one for one in m.enrolled_accounts() if one.account_id != ANN_ID)
        assert ben.upn == ANN
        data = m.protect(ANN, SECRET)
        assert m.protection_info(data).account_id == ben.account_id and is_secret(data)
        assert is_hers(place, NEW) and is_hers(place, ANN_ID)


def test_a_former_name_that_was_taken_and_given_back(place: Place) -> None:
    """Ben has Ann's former name and leaves: the name is his, and retired."""
    take_over(place)
    place.enroll(ANN)
    assert place.m.wipe_account(ANN).wait(30).succeeded
    assert [one.account_id for one in place.m.enrolled_accounts()] == [ANN_ID]
    for m in sessions(place):
        assert is_hers(place, NEW)
        try:
            data = m.protect(ANN, SECRET)
        except mam.NotEnrolledError:
            continue
        assert is_secret(data), "a name that two accounts had is nobody's now"


@pytest.mark.parametrize("later", [False, True])
def test_a_pending_registration_takes_no_name(place: Place, later: bool) -> None:
    place.rename(NEW)
    place.authority.set_fault("network", operation="enroll")
    place.m.register_and_enroll(ANN, account_id="somebody-else").wait(30)
    place.m.register_and_enroll(ANN).wait(30)
    if later:
        place.reopen()
    assert is_hers(place, ANN)
    place.authority.clear_faults()
    place.m.register_and_enroll(ANN).wait(30)
    assert is_hers(place, ANN)


def test_a_swap(place: Place) -> None:
    """Ann and Ben swap names: each handle stays, each name means its present account."""
    place.enroll(BEN)
    with place.m.policy(ANN) as ann, place.m.policy(BEN) as ben:
        ben_id = ben.effective().account_id
        place.authority.set_user(ANN_ID, upn="between@contoso.example")
        place.authority.set_user(str(ben_id), upn=ANN)
        place.authority.set_user(ANN_ID, upn=BEN)
        assert place.m.check_in().wait(30).succeeded
        assert (ann.effective().account_id, ben.effective().account_id) == (ANN_ID, ben_id)
    for m in sessions(place):
        assert m.protection_info(m.protect(BEN, SECRET)).account_id == ANN_ID
        assert m.protection_info(m.protect(ANN, SECRET)).account_id == ben_id


def test_leaving_by_a_former_name(place: Place) -> None:
    container = place.m.protect(ANN, SECRET)
    place.rename(NEW)
    assert place.m.wipe_account(ANN).wait(30).succeeded
    with pytest.raises(mam.KeyUnavailableError):
        place.m.unprotect(container)
    for name in (ANN, NEW, ANN_ID, ANN.upper()):
        with pytest.raises(mam.NotEnrolledError):
            place.m.protect(name, SECRET)


def test_the_names_are_not_in_the_state(place: Place) -> None:
    """Former names are sealed with the account, and removed with it."""
    place.rename(NEW)
    place.reopen()
    assert place.m.wipe_account(ANN).wait(30).succeeded
    place.close()
    for path in (place.folder / "state").rglob("*"):
        if path.is_file():
            data = path.read_bytes().lower()
            assert ANN.encode() not in data and NEW.encode() not in data, path


def test_a_personal_account_stays_as_it_is(place: Place) -> None:
    place.rename(NEW)
    data = place.m.protect(EVE, SECRET)
    assert not is_secret(data) and place.m.unprotect(data) == SECRET
    with place.m.policy(EVE) as policy:
        assert policy.is_print_allowed
