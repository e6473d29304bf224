"""Accounts from registration to wipe."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta, timezone

import mam
import pytest
from conftest import ANN, BEN, EVE, Office
from mam import StatusCode


def test_enrolling(m: mam.Mam) -> None:
    operation = m.register_and_enroll(ANN)
    status = operation.wait(30)
    assert status
    assert status.succeeded
    assert status.code is StatusCode.NEW_POLICIES_RECEIVED
    assert status.identity == ANN
    assert status.time is not None
    assert abs(status.time - datetime.now(timezone.utc)) < timedelta(minutes=1)
    assert m.wait(operation) == m.wait(operation.number, 0) == status
    (account,) = m.enrolled_accounts()
    assert m.registered_accounts() == [account]
    assert (account.upn, account.state, account.managed) == (ANN, "enrolled", True)
    assert account.account_id == status.account_id
    assert account.last_code is StatusCode.NEW_POLICIES_RECEIVED and account.last_message is None
    assert account.next_check_in is not None and account.last_check_in is not None
    assert account.next_check_in > account.last_check_in


def test_enrolling_again(enrolled: mam.Mam) -> None:
    assert enrolled.register_and_enroll(ANN.upper()).wait(30).code == StatusCode.ALREADY_ENROLLED


def test_enrolling_by_account_id(m: mam.Mam, office: Office) -> None:
    ben = office.authority.user(BEN)
    assert m.register_and_enroll(account_id=ben.account_id).wait(30)
    assert [account.upn for account in m.enrolled_accounts()] == [BEN]


@pytest.mark.parametrize(
    ("licensed", "code"),
    [(False, StatusCode.ACCOUNT_NOT_LICENSED), (True, StatusCode.LICENSED_NOT_TARGETED)],
)
def test_refusals(m: mam.Mam, office: Office, licensed: bool, code: StatusCode) -> None:
    office.authority.add_user("new@contoso.example", licensed=licensed)
    status = m.register_and_enroll("new@contoso.example").wait(30)
    assert not status
    assert status.code == code
    assert status.message
    assert m.enrolled_accounts() == []


def test_check_in(enrolled: mam.Mam, office: Office) -> None:
    assert enrolled.check_in(ANN).wait(30).code == StatusCode.POLICIES_HAVE_NOT_CHANGED
    office.authority.unassign(office.policy.id, "Staff")
    office.authority.assign(office.policy.id, all_users=True)
    assert enrolled.check_in().wait(30)
    assert not enrolled.check_in(EVE).wait(30)
    with pytest.raises(mam.ArgumentError):
        enrolled.check_in("")


def test_a_network_failure(enrolled: mam.Mam, office: Office) -> None:
    office.authority.set_fault("network", operation="checkIn", count=1)
    assert enrolled.check_in(ANN).wait(30).code == StatusCode.POLICY_ENDPOINT_NETWORK_FAILURE
    assert enrolled.check_in(ANN).wait(30)


def test_unenrolling_keeps_the_data_readable(enrolled: mam.Mam) -> None:
    sealed = enrolled.protect(ANN, b"minutes")
    assert enrolled.deregister_and_unenroll(ANN).wait(30).code == StatusCode.UNENROLLMENT_SUCCESS
    assert enrolled.registered_accounts() == []
    assert enrolled.unprotect(sealed) == b"minutes"


def test_unenrolling_with_wipe(enrolled: mam.Mam) -> None:
    sealed = enrolled.protect(ANN, b"minutes")
    assert enrolled.deregister_and_unenroll(ANN, wipe=True).wait(30)
    with pytest.raises(mam.KeyUnavailableError):
        enrolled.unprotect(sealed)


def test_a_wipe_affects_no_other_account(enrolled: mam.Mam) -> None:
    assert enrolled.register_and_enroll(BEN).wait(30)
    anns, bens, eves = (enrolled.protect(upn, b"data") for upn in (ANN, BEN, EVE))
    operation = enrolled.wipe_account(ANN)
    # It applies from here on, not from the operation's end.
    with pytest.raises(mam.KeyUnavailableError):
        enrolled.unprotect(anns)
    with pytest.raises(mam.NotEnrolledError):
        enrolled.protect(ANN, b"late")
    assert operation.wait(30).code == StatusCode.UNENROLLMENT_SUCCESS
    assert [account.upn for account in enrolled.enrolled_accounts()] == [BEN]
    assert enrolled.unprotect(bens) == enrolled.unprotect(eves) == b"data"


def test_a_wipe_of_the_administrator(enrolled: mam.Mam, office: Office) -> None:
    sealed = enrolled.protect(ANN, b"minutes")
    wipe = office.authority.request_wipe(ANN)
    assert wipe.pending == 1
    assert enrolled.check_in(ANN).wait(30).code == StatusCode.WIPE_RECEIVED
    enrolled.run_due()
    with pytest.raises(mam.KeyUnavailableError):
        enrolled.unprotect(sealed)


def test_unknown_accounts(m: mam.Mam) -> None:
    for call in (m.wipe_account, m.deregister_and_unenroll):
        with pytest.raises(mam.NotRegisteredError):
            call(EVE)
        with pytest.raises(mam.ArgumentError):
            call("")


@pytest.mark.parametrize("account", ["nul\0inside", " ann@contoso.example", "tab\there", "a" * 257, "lone\ud800"])
def test_names_that_are_not_accounts(m: mam.Mam, account: str) -> None:
    with pytest.raises(mam.ArgumentError):
        m.policy(account)
    with pytest.raises(mam.ArgumentError):
        m.wipe_account(account)
    with pytest.raises(mam.ArgumentError):
        m.protect(account, b"x")


@pytest.mark.parametrize("account", [1, 1.5, bytearray(b"a"), object()])
def test_types_that_are_not_accounts(m: mam.Mam, account: object) -> None:
    with pytest.raises(TypeError):
        m.policy(account)  # type: ignore[arg-type]


def test_waiting(m: mam.Mam, office: Office) -> None:
    with pytest.raises(mam.NotFoundError):
        m.wait(4711, 0)
    for timeout in (-1, float("nan")):
        with pytest.raises(ValueError):
            m.wait(1, timeout)
    office.authority.set_fault("network", operation="enroll", count=1)
    # The first try has failed, and the operation ends with that: the next one is scheduled.
    assert not m.register_and_enroll(ANN).wait(30)


def test_any_thread_may_wait(office: Office) -> None:
    with office.open(worker=True) as session:
        operation = session.register_and_enroll(ANN)
        seen: list[mam.EnrollmentStatus] = []
        threads = [threading.Thread(target=lambda: seen.append(operation.wait(30))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [status.code for status in seen] == [StatusCode.NEW_POLICIES_RECEIVED] * 4


def test_accounts_that_may_sign_in(office: Office, m: mam.Mam) -> None:
    assert m.allowed_accounts() is None
    assert m.mdm_account() is None
    device = {
        "mdmAccountId": "11111111-2222-3333-4444-555555555555",
        "managedAppConfig": {"IntuneMAMAllowedAccountsOnly": "Enabled", "IntuneMAMUPN": ANN},
    }
    with office.open(app="com.example.mdm", device=device) as session:
        assert session.allowed_accounts() == [ANN]
        assert session.mdm_account() == device["mdmAccountId"]


def test_the_primary_account(office: Office) -> None:
    with office.open(settings={}) as session:
        assert session.primary_account() is None
        session.register_and_enroll(ANN).wait(30)
        primary = session.primary_account()
        assert primary is not None and primary.upn == ANN
        assert session.register_and_enroll(BEN).wait(30).code == StatusCode.SINGLE_MANAGED_ACCOUNT_MODE


def test_state_outlives_the_process(office: Office) -> None:
    with office.open() as session:
        session.register_and_enroll(ANN).wait(30)
        sealed = session.protect(ANN, b"minutes")
    with office.open() as session:
        assert [account.upn for account in session.enrolled_accounts()] == [ANN]
        assert session.unprotect(sealed) == b"minutes"
