"""Log and diagnostics."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

import mam
import pytest
from conftest import ANN
from mam import LogLevel


def test_lines_come_with_their_level(m: mam.Mam) -> None:
    lines: list[tuple[LogLevel, str]] = []
    m.set_log(lambda level, message: lines.append((level, message)), LogLevel.VERBOSE)
    m.register_and_enroll(ANN).wait(30)
    assert lines
    assert all(isinstance(level, LogLevel) and message and "\n" not in message for level, message in lines)
    m.set_log(None)
    count = len(lines)
    m.check_in().wait(30)
    assert len(lines) == count


def test_only_verbose_names_people(m: mam.Mam) -> None:
    lines: list[str] = []
    m.set_log(lambda level, message: lines.append(message), LogLevel.INFO)
    m.register_and_enroll(ANN).wait(30)
    m.wipe_account(ANN).wait(30)
    assert not any(ANN in line for line in lines)


def test_a_logger_of_python(m: mam.Mam, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "notes.mam")
    m.set_log(logging.getLogger("notes.mam"), LogLevel.VERBOSE)
    m.register_and_enroll(ANN).wait(30)
    m.set_log(None)
    assert caplog.records
    assert {record.name for record in caplog.records} == {"notes.mam"}


def test_an_exception_in_a_log(m: mam.Mam, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: seen.append(args.exc_type))

    def log(level: LogLevel, message: str) -> None:
        raise ValueError("the host's own")

    m.set_log(log, LogLevel.VERBOSE)
    assert m.register_and_enroll(ANN).wait(30)
    m.set_log(None)
    assert set(seen) == {ValueError}


def test_things_that_are_not_logs(m: mam.Mam) -> None:
    with pytest.raises(TypeError):
        m.set_log(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        m.set_log(lambda level, message: None, 1)  # type: ignore[arg-type]


def test_diagnostics(enrolled: mam.Mam) -> None:
    secret = "the minutes of the meeting"
    enrolled.protect_string(ANN, secret)
    text = json.dumps(enrolled.diagnostics())
    assert ANN in text
    assert mam.version() in text
    assert "development" in text
    assert secret not in text
