"""mam.testing: for host authors' tests, as a fixture in a separate pytest run and without pytest."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import mam
import mam.testing
import pytest
from conftest import ANN, BEN
from loops import SOON
from mam import StatusCode

SOURCES = Path(mam.__file__).parent.parent


@pytest.fixture
def office() -> Iterator[mam.testing.Office]:
    with mam.testing.office() as made:
        yield made


def pytest_run(folder: Path, test: str, *options: str) -> subprocess.CompletedProcess[str]:
    """A separate pytest run, as a host author would start it, without plugins that happen to be installed here."""
    (folder / "test_host.py").write_text(test)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, str(folder)],
        env={**os.environ, "PYTHONPATH": str(SOURCES), "PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_five_lines_of_a_host_author(tmp_path: Path) -> None:
    text = mam.testing.__doc__ or ""
    lines = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    assert len(lines) == 5
    done = pytest_run(tmp_path, "\n".join(lines), "-p", "mam_pytest")
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    failing = "\n".join(lines).replace("printBlocked=True", "printBlocked=False")
    done = pytest_run(tmp_path, failing, "-p", "mam_pytest")
    assert "1 failed" in done.stdout, done.stdout + done.stderr


def test_tests_are_kept_apart(tmp_path: Path) -> None:
    """Two tests have two authorities, and so has a host that opens its default state."""
    done = pytest_run(
        tmp_path,
        """
import mam, os, pytest

@pytest.mark.parametrize("run", [1, 2])
def test_one(mam_office, run):
    assert mam_office.authority.users() == []
    mam_office.user("ann@contoso.example")
    mam_office.policy(printBlocked=True)
    with mam.open("com.example.host", mam_office.authority.path, worker=False) as m:
        assert m.registered_accounts() == []
        assert m.register_and_enroll("ann@contoso.example").wait(30)
        assert m.settings()["stateDirectory"].startswith(str(mam_office.folder))
""",
        "-p",
        "mam_pytest",
    )
    assert "2 passed" in done.stdout, done.stdout + done.stderr


def test_other_peoples_tests_do_not_need_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIBMAM_PATH", "/nonexistent/libmam.so")
    done = pytest_run(tmp_path, "def test_nothing(): pass", "-p", "mam_pytest")
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_nothing_is_left() -> None:
    with mam.testing.office() as office:
        office.user(ANN)
        office.policy()
        m = office.open(enroll=ANN)
        folder = office.folder
        assert folder.exists()
    assert m.closed
    assert not folder.exists()


def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    with mam.testing.office(tmp_path) as office:
        office.user(ANN)
    assert mam.Authority(tmp_path / "authority.db").user(ANN).upn == ANN


def test_policies(office: mam.testing.Office) -> None:
    for upn in (ANN, BEN):
        office.user(upn)
    policy = office.policy(name="Strict", printBlocked=True)
    m = office.open("com.example.notes", enroll=ANN)
    decision = m.check("print", ANN)
    assert not decision
    assert decision.reason is not None
    assert decision.reason.policy_name == "Strict"
    assert office.change(policy, printBlocked=False).display_name == "Strict"
    assert not m.check("print", ANN)
    assert m.check_in(ANN).wait(30)
    assert m.check("print", ANN)


def test_a_policy_for_some_apps(office: mam.testing.Office) -> None:
    office.user(ANN)
    office.policy(apps=["com.example.notes"], printBlocked=True)
    office.open("com.example.notes", enroll=ANN)
    with pytest.raises(AssertionError, match="225"):
        office.open("com.example.other", enroll=ANN)


def test_misspelt_settings(office: mam.testing.Office) -> None:
    with pytest.raises(ValueError, match="printBlokced"):
        office.policy(printBlokced=True)
    assert office.authority.policies() == []
    with pytest.raises(ValueError, match="printBlocked"):
        office.policy(printBlocked="maybe")
    policy = office.policy(printBlocked=True)
    with pytest.raises(ValueError, match="nothing"):
        office.change(policy, nothing=1)


def test_wipes_and_faults(office: mam.testing.Office) -> None:
    office.user(ANN)
    office.policy()
    m = office.open(enroll=ANN)
    office.fault("network", count=1)
    assert m.check_in(ANN).wait(30).code == StatusCode.POLICY_ENDPOINT_NETWORK_FAILURE
    office.fault("network")
    office.no_faults()
    office.wipe(ANN, check_in=False)
    assert m.check_in(ANN).wait(30).code == StatusCode.WIPE_RECEIVED
    assert m.enrolled_accounts() == []


def test_a_wipe_is_carried_out_at_once(office: mam.testing.Office) -> None:
    office.user(ANN)
    office.policy()
    apps = [office.open(f"com.example.{name}", enroll=ANN) for name in ("notes", "mail")]
    absent = office.open("com.example.absent", enroll=ANN)
    absent.close()
    wipe = office.wipe(ANN)
    assert [m.registered_accounts() for m in apps] == [[], []]
    assert (wipe.pending, wipe.done) == (1, 2)


def test_sessions_are_as_in_production(office: mam.testing.Office) -> None:
    settings = office.open().effective_settings()
    assert {one.source for one in settings.values()} == {"default"}


@pytest.mark.parametrize("worker", [False, True])
def test_time_passes(office: mam.testing.Office, worker: bool) -> None:
    office.user(ANN)
    office.policy(periodOfflineBeforeAccessCheck="P1D")
    m = office.open(enroll=ANN, worker=worker)
    before = m.enrolled_accounts()[0].last_check_in
    assert before is not None
    office.advance(days=2)
    end = time.monotonic() + SOON
    while (after := m.enrolled_accounts()[0].last_check_in) == before and time.monotonic() < end:
        time.sleep(0.01)
    assert after is not None and after - before >= timedelta(days=2)
    office.fault("network")
    office.advance(timedelta(days=3))
    assert [one.check for one in m.launch().wait(30).findings] == ["offline"]
    office.no_faults()
    with pytest.raises(ValueError, match="forward"):
        office.advance(-1)
    office.close()
    with office.open() as later:
        status = later.check_in(ANN).wait(30)
        assert status.time is not None and abs(status.time - datetime.now(timezone.utc)) < timedelta(hours=1)


@pytest.mark.parametrize("period", [None, "PT12H", "PT0S"])
def test_a_pin_without_a_question(office: mam.testing.Office, period: str | None) -> None:
    office.user(ANN)
    settings: dict[str, Any] = {} if period is None else {"periodOnlineBeforeAccessCheck": period}
    office.policy(pinRequired=True, **settings)
    m = office.open(enroll=ANN, pin="258013")
    asked: list[mam.PINQuestion] = []

    @m.on_question(mam.PIN)
    def enter(question: mam.PINQuestion) -> bytes:
        asked.append(question)
        return b"258013"

    assert m.launch().wait(30)
    assert [one.purpose for one in asked] == [mam.PINPurpose.ENTER]
    assert m.resume().wait(30)
    assert len(asked) == (2 if period == "PT0S" else 1)
    office.forget_proofs()
    assert m.resume().wait(30)
    assert len(asked) == (3 if period == "PT0S" else 2)
