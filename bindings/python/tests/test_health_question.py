"""The deviceHealth question: a launch asks for facts that only the host knows."""

from __future__ import annotations

import mam
import pytest
from conftest import ANN, POLICY, Office


@pytest.mark.parametrize("worker", [False, True])
def test_a_handler_reports_the_threat_level(office: Office, worker: bool) -> None:
    bounded = {"maximumAllowedDeviceThreatLevel": "low", "pinRequired": False}
    office.authority.import_policy({**POLICY, "id": office.policy.id, **bounded})
    level = "high"
    asked: list[mam.Question] = []

    def report(question: mam.Question) -> dict[str, str]:
        asked.append(question)
        return {"threatLevel": level, "validFor": "PT1H"}

    with office.open(on_question={mam.DEVICE_HEALTH: report}, worker=worker) as session:
        assert session.launch().wait(30)
        assert asked == []
        assert session.register_and_enroll(ANN).wait(30)
        blocked = session.launch().wait(30)
        assert not blocked
        assert "threatLevel" in [finding.check for finding in blocked.findings]
        assert (len(asked), asked[0].kind) == (1, "deviceHealth")
        assert session.device_health().threat_level == "high"
        session.report_device_health()
        level = "secured"
        assert session.launch().wait(30)
        assert session.device_health().threat_level == "secured"
        assert session.launch().wait(30)
        assert len(asked) == 2


def test_an_invalid_report_is_no_answer(office: Office) -> None:
    office.authority.import_policy({**POLICY, "id": office.policy.id, "maximumAllowedDeviceThreatLevel": "low"})
    with office.open(questions="events") as session:
        assert session.register_and_enroll(ANN).wait(30)
        launch = session.launch()
        with pytest.raises(mam.TimeoutError):
            launch.wait(0)
        (event,) = [event for event in session.events(timeout=0) if event.kind == "question"]
        for bad in ({"threatLevel": "none"}, {"level": "low"}, {"threatLevel": 1}):
            with pytest.raises(mam.JSONError):
                session.answer(event.raw["id"], bad)
        session.answer(event.raw["id"], {"threatLevel": "low"})
        with pytest.raises(mam.TimeoutError):
            launch.wait(0)  # continues, to the PIN
        assert session.device_health().threat_level == "low"


def test_without_an_answer_the_check_finds_it(office: Office) -> None:
    office.authority.import_policy({**POLICY, "id": office.policy.id, "maximumAllowedDeviceThreatLevel": "low"})
    with office.open(delegate=lambda question: None) as session:
        assert session.register_and_enroll(ANN).wait(30)
        assert "threatLevel" in [finding.check for finding in session.launch().wait(30).findings]
