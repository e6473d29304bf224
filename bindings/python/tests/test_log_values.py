"""Values of the device's app configuration that libmam does not understand: a warning names the key, and has no value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mam
import mam.testing
import pytest

SECRET = "swordfish-of-the-device"

ODD: list[dict[str, Any]] = [
    {"IntuneMAMAllowedAccountsOnly": SECRET},
    {"IntuneMAMUPN": [SECRET]},
    {"IntuneMAMOID": {"a": SECRET}},
    {"server": [SECRET]},
]


@pytest.mark.parametrize(
    "listed", [[], ["IntuneMAMAllowedAccountsOnly", "IntuneMAMUPN", "IntuneMAMOID", "server"]], ids=["", "scrubbed"]
)
@pytest.mark.parametrize("configuration", ODD, ids=lambda one: next(iter(one)))
def test_no_value_without_verbose_lines(tmp_path: Path, configuration: dict[str, Any], listed: list[str]) -> None:
    heard: list[str] = []
    settings: dict[str, Any] = {"ValuesToScrubFromLogging": listed, "VerboseLoggingEnabled": False}
    with mam.testing.office(tmp_path) as office:
        m = office.open(settings=settings, device={"managedAppConfig": configuration})
        m.set_log(lambda level, message: heard.append(message), mam.LogLevel.WARNING)
        m.set_device({"managedAppConfig": {**configuration, "again": 1}})
        events = [repr(event) for event in m.events(timeout=0)]
        lines = [Path(path).read_text(encoding="utf-8") for path in m.log_paths()]
        diagnosis = m.diagnostics()["log"]
    (key,) = configuration
    assert any(key in one for one in heard + events), "there is a warning"
    for text in [*heard, *events, *lines, json.dumps(diagnosis)]:
        assert SECRET not in text
