"""Findings of launches for an account, and their consequences."""

from __future__ import annotations

import time
from collections.abc import Callable

import mam
import pytest
from conftest import ANN, Office

Policy = Callable[..., None]


@pytest.fixture
def policy(office: Office) -> Policy:
    """Sets the one policy of everybody."""
    for known in office.authority.policies():
        office.authority.remove_policy(known.id)

    def set_policy(**properties: object) -> None:
        document = {"@odata.type": "#libmam.linuxManagedAppProtection", "id": "launch", "displayName": "Launch"}
        office.authority.import_policy({**document, **properties})
        office.authority.assign("launch", all_users=True)
        office.authority.target("launch", all_apps=True)

    return set_policy


def test_conditional_launch_only_reports(office: Office, policy: Policy) -> None:
    policy(minimumWipeAppVersion="99.0")
    with office.open(version="1.0") as m:
        assert m.register_and_enroll(ANN).wait(30)
        report = m.conditional_launch(ANN)
        assert not report
        assert report.outcome == "wiped"
        (finding,) = report.findings
        assert (finding.check, finding.action, finding.setting) == ("appVersion", "wipe", "minimumWipeAppVersion")
        assert finding.policy_id == "launch"
        assert len(m.enrolled_accounts()) == 1
        assert m.conditional_launch(None).outcome == m.conditional_launch("eve@contoso.example").outcome == "allowed"


def test_blocked_until_found_open(office: Office, policy: Policy) -> None:
    policy(maximumRequiredOsVersion="0.1")
    with office.open() as m:
        assert m.register_and_enroll(ANN).wait(30)
        sealed = m.protect(ANN, b"minutes")
        assert m.unprotect(sealed) == b"minutes"
        report = m.launch().wait(30)
        assert (report.outcome, [one.check for one in report.findings]) == ("blocked", ["osVersion"])
        with pytest.raises(mam.LockedError):
            m.unprotect(sealed)
        assert m.protect(ANN, b"more")
        assert [one.block_reason for one in m.blocked_accounts()] == [mam.BlockReason.CONDITIONAL_LAUNCH]
        policy()
        m.check_in().wait(30)
        m.pause()
        assert m.resume().wait(30)
        assert m.unprotect(sealed) == b"minutes"


def test_another_platform_is_not_applicable(office: Office, policy: Policy) -> None:
    policy(**{"@odata.type": "#microsoft.graph.androidManagedAppProtection", "minimumRequiredOsVersion": "99"})
    with office.open() as m:
        assert m.register_and_enroll(ANN).wait(30)
        report = m.launch().wait(30)
        assert report.outcome == "allowed"
        assert [one.setting for one in report.not_applicable] == ["minimumRequiredOsVersion"]
        assert [one.message_key for one in report.not_applicable] == ["launchNotApplicable"]
        assert all(one.user_message for one in report.not_applicable)


def test_the_platform_is_that_of_the_open_before(office: Office, policy: Policy) -> None:
    policy(minimumWipeOsVersion="99")
    with office.open(device={"platform": "windows"}) as m:
        assert m.register_and_enroll(ANN).wait(30)
        assert m.conditional_launch(ANN).outcome == "allowed"
    with office.open() as m:  # as mamctl does, which is given nothing about the device
        report = m.conditional_launch(ANN)
        assert report.outcome == "allowed"
        assert [one.setting for one in report.not_applicable] == ["minimumWipeOsVersion"]
    with office.open(device={}) as m:
        assert m.conditional_launch(ANN).outcome == "wiped"


@pytest.mark.parametrize("word", ["iOS", "macos", "", "default", "unknown", "linux "])
def test_the_platform_is_a_known_word(office: Office, word: str) -> None:
    with pytest.raises(mam.ArgumentError) as caught:
        office.open(device={"platform": word})
    assert caught.value.detail["setting"] == "device.platform"
    assert "linux, ios, android, windows" in str(caught.value)


@pytest.mark.parametrize(
    ("device", "outcome", "elsewhere"),
    [
        ({"platform": "ios", "version": "14.7"}, "blocked", []),
        ({"platform": "ios", "version": "14.8"}, "allowed", []),
        ({"platform": "ios"}, "blocked", []),  # the version of iOS is unknown: Linux's is no substitute
        ({"platform": "android", "version": "14.7"}, "allowed", ["minimumRequiredOsVersion"]),
        ({"version": "14.7"}, "allowed", ["minimumRequiredOsVersion"]),
    ],
)
def test_a_host_is_judged_by_the_policies_of_its_platform(
    office: Office, policy: Policy, device: dict[str, str], outcome: str, elsewhere: list[str]
) -> None:
    policy(**{"@odata.type": "#microsoft.graph.iosManagedAppProtection", "minimumRequiredOsVersion": "14.8"})
    with office.open(device=device) as m:
        assert m.register_and_enroll(ANN).wait(30)
        report = m.conditional_launch(ANN)
        assert report.outcome == outcome
        assert [one.setting for one in report.not_applicable] == elsewhere


def test_a_wipe_under_way_names_its_account(office: Office) -> None:
    with office.open() as m:
        assert m.register_and_enroll(ANN).wait(30)
        account = m.enrolled_accounts()[0].account_id
        m.wipe_account(ANN)
        (finding,) = m.conditional_launch(ANN).findings
        assert (finding.check, finding.account_id) == ("wipe", account)


@pytest.mark.parametrize("worker", [False, True])
@pytest.mark.parametrize(
    ("answer", "outcome"), [("credentials", "allowed"), (ANN, "allowed"), (False, "blocked"), (None, "blocked")]
)
def test_credentials(office: Office, policy: Policy, answer: str | bool | None, outcome: str, worker: bool) -> None:
    policy(organizationalCredentialsRequired=True)
    asked: list[mam.AuthenticateQuestion] = []

    def authenticate(question: mam.AuthenticateQuestion) -> str | bool | None:
        asked.append(question)
        return answer

    with office.open(on_question={mam.AUTHENTICATE: authenticate}, worker=worker) as m:
        assert m.register_and_enroll(ANN).wait(30)
        assert m.launch().wait(30).outcome == outcome
        (question,) = asked
        assert (question.purpose, question.methods, question.may_cancel) == ("access", ("credentials",), True)


@pytest.mark.parametrize(
    "properties",
    [
        {"deviceLockRequired": "perhaps", "appActionIfDeviceLockNotSet": "wipe"},
        {"deviceComplianceRequired": "perhaps", "appActionIfDeviceComplianceRequired": "wipe"},
    ],
)
def test_a_misread_value_wipes_nothing(office: Office, policy: Policy, properties: dict[str, str]) -> None:
    policy(**properties)
    with office.open(device={"lock": "off"}) as m:
        assert m.register_and_enroll(ANN).wait(30)
        m.report_device_health(compliant=False)
        report = m.launch().wait(30)
        assert report.outcome == "blocked"
        assert {one.action for one in report.findings} == {"block"}
        assert len(m.enrolled_accounts()) == 1


@pytest.mark.parametrize(("period", "stays"), [("P99999999999999999999D", 1), ("PT1S", 0)])
def test_a_misread_period_wipes_no_refused_user(office: Office, policy: Policy, period: str, stays: int) -> None:
    policy(periodOfflineBeforeWipeIsEnforced=period)
    with office.open() as m:
        assert m.register_and_enroll(ANN).wait(30)
        office.authority.remove_user(ANN, force=True)
        time.sleep(1.2)
        assert m.launch().wait(30).outcome == ("blocked" if stays else "wiped")
        assert len(m.enrolled_accounts()) == stays


@pytest.mark.parametrize("worker", [False, True])
def test_a_launch_that_delivers_a_wipe_reports_it(office: Office, policy: Policy, worker: bool) -> None:
    policy(periodOfflineBeforeAccessCheck="PT0S")
    with office.open(worker=worker) as m:
        assert m.register_and_enroll(ANN).wait(30)
        office.authority.request_wipe(ANN)
        report = m.launch().wait(30)
        assert (report.outcome, [(one.check, one.action) for one in report.findings]) == ("wiped", [("wipe", "wipe")])
        assert not m.enrolled_accounts()
        assert m.launch().wait(30).outcome == "allowed"


@pytest.mark.parametrize("period", ["PT0S", "P99999999999999999999D"])
def test_without_offline_time_the_authority_is_asked_and_no_person(office: Office, policy: Policy, period: str) -> None:
    policy(periodOfflineBeforeAccessCheck=period)
    with office.open() as session:
        assert session.register_and_enroll(ANN).wait(timeout=30)
        for _ in range(40):
            report = session.launch().wait(timeout=30)
            assert report, report.findings
        office.authority.set_fault("network")
        time.sleep(0.01)
        assert not session.launch().wait(timeout=30)
