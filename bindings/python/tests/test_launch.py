"""Launch and login: which account is enrolled, and whether data may be shown."""

from __future__ import annotations

import resource

import mam
import pytest
from conftest import ANN, EVE, POLICY, Office
from mam import StatusCode


@pytest.fixture(autouse=True)
def no_pin(office: Office) -> None:
    """The checks of an account's policies are in test_conditional_launch.py and test_pin.py."""
    office.authority.import_policy({**POLICY, "id": office.policy.id, "pinRequired": False})


def test_nothing_is_asked_for(m: mam.Mam) -> None:
    report = m.launch().wait(30)
    assert report
    assert (report.outcome, report.findings) == ("allowed", ())
    assert report.time is not None


def test_a_launch_that_cannot_be_recorded(enrolled: mam.Mam) -> None:
    """It closes the accounts, says why, and leaves personal data alone."""
    sealed, own = enrolled.protect(ANN, b"plan"), enrolled.protect(EVE, b"plan")
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, former[1]))
    try:
        report = enrolled.launch().wait(30)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)
    assert [(one.check, one.action, one.upn) for one in report.findings] == [("library", "block", ANN)]
    assert report.findings[0].message_key in ("errorNoSpace", "errorStorage")
    with pytest.raises(mam.LockedError):
        enrolled.unprotect(sealed)
    assert enrolled.unprotect(own) == b"plan"
    assert enrolled.launch().wait(30).findings == ()
    assert enrolled.unprotect(sealed) == b"plan"


def test_policy_required_and_absent(office: Office) -> None:
    settings = {"MAMPolicyRequired": True, "MAMPolicyWarnAbsent": True}
    with office.open(settings=settings) as session:
        report = session.launch().wait(30)
        assert not report
        assert report.outcome == "blocked"
        assert [(one.check, one.action, one.setting) for one in report.findings] == [
            ("policyRequired", "block", "MAMPolicyRequired"),
            ("policyAbsent", "warn", "MAMPolicyWarnAbsent"),
        ]
        assert all(one.message and one.account_id is None for one in report.findings)
        assert session.register_and_enroll(ANN).wait(30)
        assert session.launch().wait(30).outcome == "allowed"


@pytest.mark.parametrize("worker", [False, True])
def test_a_person_signs_in_at_launch(office: Office, worker: bool) -> None:
    settings = {"MAMPolicyRequired": True, "AutoEnrollOnLaunch": True}
    asked: list[mam.Question] = []

    def delegate(question: mam.Question) -> mam.Answer:
        asked.append(question)
        return {"upn": ANN}

    with office.open(settings=settings, delegate=delegate, worker=worker) as session:
        assert session.launch().wait(30)
    assert [one.kind for one in asked] == ["signIn"]


def test_login(office: Office) -> None:
    with office.open(delegate=lambda question: {"upn": ANN} if question.kind == "signIn" else None) as session:
        assert session.login_and_enroll().wait(30).code == StatusCode.NEW_POLICIES_RECEIVED
        assert session.login_and_enroll(ANN).wait(30).code == StatusCode.ALREADY_ENROLLED
    with office.open(app="com.example.mail") as session:
        assert session.login_and_enroll().wait(30).code == StatusCode.LOGIN_CANCELED
        assert session.registered_accounts() == []
        with pytest.raises(mam.ArgumentError):
            session.login_and_enroll("")


@pytest.mark.parametrize("who", [ANN, {"upn": ANN}])
def test_a_handler_names_the_user_who_signs_in(office: Office, who: str | dict[str, str]) -> None:
    with office.open(on_question={mam.SIGN_IN: lambda question: who}) as session:
        assert session.login_and_enroll().wait(30).identity == ANN
        assert session.login_and_enroll().wait(30).code == StatusCode.ALREADY_ENROLLED


@pytest.mark.parametrize("is_shown", [True, False])
def test_a_handler_takes_the_device_s_account_or_not(office: Office, is_shown: bool) -> None:
    device, settings = {"mdmAccountId": office.authority.users()[0].account_id}, {"AutoEnrollOnLaunch": True}
    with office.open(device=device, settings=settings, on_question={mam.ADD_ACCOUNT: lambda _: is_shown}) as session:
        assert session.launch().wait(30)  # no policy is required
        assert bool(session.enrolled_accounts()) == is_shown


def test_a_device_s_account_is_introduced(office: Office) -> None:
    ann = office.authority.users()[0].account_id
    device = {"mdmAccountId": ann}
    with office.open(device=device, settings={"AutoEnrollOnLaunch": True}, delegate=lambda question: True) as session:
        assert session.launch().wait(30)
        assert [one.account_id for one in session.enrolled_accounts()] == [ann]
