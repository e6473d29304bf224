"""JSON to dataclasses: times, durations, new keys."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from mam._records import build, camel, iso_duration, moment
from mam.decisions import _decision
from mam.enrollment import EnrollmentStatus
from mam.errors import InternalError
from mam.events import Event, EventKind, QuestionEvent, event_of


@pytest.mark.parametrize(
    ("text", "micro"),
    [("2026-11-21T09:30:00Z", 0), ("2026-11-21T09:30:00.5Z", 500000), ("2026-11-21T09:30:00.000Z", 0),
     ("2026-11-21T09:30:00.123456789+00:00", 123456)],
)  # fmt: skip
def test_times(text: str, micro: int) -> None:
    assert moment(text) == datetime(2026, 11, 21, 9, 30, 0, micro, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (30, "PT30S"),
        (0.25, "PT0.25S"),
        (timedelta(minutes=2), "PT120S"),
        ("PT1H", "PT1H"),
        (0, "PT0S"),
        (100, "PT100S"),
    ],
)
def test_durations(value: timedelta | float | str, text: str) -> None:
    assert iso_duration(value) == text


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), timedelta(seconds=-1)])
def test_impossible_durations(value: timedelta | float) -> None:
    with pytest.raises(ValueError):
        iso_duration(value)


def test_camel_case() -> None:
    assert camel("created_date_time") == "createdDateTime"


def test_keys_that_are_new_or_missing() -> None:
    status = build(EnrollmentStatus, {"code": 555, "didSucceed": False, "somethingNew": 1})
    assert status.code == 555
    assert status.account_id is None
    assert not status


def test_events_that_are_new() -> None:
    event = event_of({"event": "somethingNew", "time": "2026-11-21T09:30:00.000Z", "extra": 1})
    assert event.kind == "somethingNew"
    assert event.raw["extra"] == 1


def test_a_question_event() -> None:
    event: Event = event_of({"event": "question", "id": 7, "question": "wipeData", "accountId": "a"})
    assert event.kind is EventKind.QUESTION and isinstance(event, QuestionEvent)
    assert (event.question.id, event.question.kind, event.question.account_id) == (7, "wipeData", "a")


def test_a_reply_without_an_answer_is_not_an_answer() -> None:
    with pytest.raises(InternalError):
        _decision({"action": "print"}, {})
