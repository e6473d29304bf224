"""Device health: facts, reports of hosts, and signals that count."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any

import mam
import pytest
from conftest import APP, Office


def test_every_signal_names_its_source(m: mam.Mam) -> None:
    health = m.device_health()
    assert len(health.signals) == 12
    assert all(one.source and one.detail and one.state in ("ok", "fail", "unknown", "notApplicable") for one in health.signals)
    assert bool(health) == (not any(one.refuses for one in health.signals))
    assert health["rootUser"].state == ("fail" if os.geteuid() == 0 else "ok")
    assert (health.threat_level, health.report) == (None, None)
    assert health.time is not None
    with pytest.raises(KeyError):
        health["jailbreak"]


def test_a_report_holds_for_the_group(office: Office) -> None:
    with office.open(group="com.example") as notes, office.open(app="com.example.mail", group="com.example") as mail:
        notes.report_device_health(
            threat_level="medium",
            compliant=False,
            lock="on",
            signals={"com.example.edr": "ok", "com.example.usb": {"state": "fail", "detail": "a stick"}},
            valid_for=timedelta(hours=1),
        )
        health = mail.device_health()
        assert not health
        assert health.threat_level == "medium"
        assert health.report is not None
        assert (health.report.app, health.report.valid_for) == (APP, "PT1H")
        assert {one.signal for one in health.signals if one.refuses} >= {"compliance", "com.example.usb"}
        assert health["com.example.usb"].detail == "a stick"
        assert (health["deviceLock"].state, health["deviceLock"].source) == ("ok", "host")
        mail.report_device_health()
        assert notes.device_health().threat_level is None


@pytest.mark.parametrize(
    ("keys", "error"),
    [
        ({"threat_level": "none"}, mam.ArgumentError),
        ({"compliant": "yes"}, mam.JSONError),
        ({"lock": "unknown"}, mam.ArgumentError),
        ({"signals": {"tracer": "ok"}}, mam.ArgumentError),
        ({"signals": {"a.b": None}}, mam.JSONError),
        ({"signals": {"a.b": {"state": "ok", "detail": "x" * 513}}}, mam.JSONError),
        ({"signals": {f"a.{i}": "ok" for i in range(65)}}, mam.ArgumentError),
        ({"valid_for": 0}, mam.ArgumentError),
        ({"valid_for": -1}, ValueError),
        ({"valid_for": "soon"}, mam.ArgumentError),
    ],
)
def test_junk_changes_nothing(m: mam.Mam, keys: dict[str, Any], error: type[Exception]) -> None:
    m.report_device_health(threat_level="high")
    with pytest.raises(error):
        m.report_device_health(**keys)
    assert m.device_health().threat_level == "high"


def test_settings_select_the_signals(office: Office) -> None:
    device = {"health": {"ignore": ["tracer"], "require": ["com.example.edr"]}}
    with office.open(device=device) as session:
        health = session.device_health()
        assert health["tracer"].standing == "ignored"
        assert (health["com.example.edr"].state, health["com.example.edr"].refuses) == ("unknown", True)
        session.report_device_health(signals={"com.example.edr": "ok"})
        assert not session.device_health()["com.example.edr"].refuses
    with pytest.raises(mam.ArgumentError, match="rooted"):
        office.open(device={"health": {"ignore": ["rooted"]}})
