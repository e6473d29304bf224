"""Tests of the notebook with libmam, in its directory: pytest -p mam_pytest."""

from __future__ import annotations

from pathlib import Path

import mam
import mam.testing
import pytest
from work import Work

ANN = "ann@contoso.example"


def test_work_notes(mam_office: mam.testing.Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mam_office.user(ANN)
    mam_office.policy(
        appDataEncryptionType="whenDeviceLocked", saveAsBlocked=True, allowedOutboundDataTransferDestinations="managedApps"
    )
    monkeypatch.setenv("MAM_AUTHORITY", str(mam_office.authority.path))
    work = Work(tmp_path)
    work.sign_in(ANN)
    note = tmp_path / ANN / "Plan.txt"
    with work.open(note, "w", ANN) as file:
        file.write("Merger on Friday")
    assert b"Merger" not in note.read_bytes()
    with pytest.raises(mam.DeniedError):
        work.save(note, str(tmp_path / "copy"))
    assert not (tmp_path / "copy").exists()
    with pytest.raises(mam.NotFoundError):
        work.open(note, "w", "anm@contoso.example")

    mam_office.wipe(ANN)
    assert work.session is not None
    assert work.session.check_in().wait(30)
    assert any(isinstance(event, mam.WipeCompletedEvent) for event in work.session.events(timeout=30))
    assert not note.exists()
    note.parent.mkdir()
    with pytest.raises(mam.NotEnrolledError):
        work.open(note, "w", ANN)
    work.close()


def test_a_renamed_account(mam_office: mam.testing.Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its notes go with it, and are not those of the next person with the name."""
    mam_office.user(ANN)
    mam_office.policy(appDataEncryptionType="whenDeviceLocked")
    monkeypatch.setenv("MAM_AUTHORITY", str(mam_office.authority.path))
    work = Work(tmp_path)
    work.sign_in(ANN)
    with work.open(tmp_path / ANN / "Plan.txt", "w", ANN) as file:
        file.write("Merger on Friday")
    mam_office.authority.set_user(ANN, upn="anna@contoso.example")
    mam_office.user(ANN)
    assert work.session is not None
    assert work.session.check_in().wait(30)
    work.close()
    work = Work(tmp_path)
    with work.open(tmp_path / "anna@contoso.example" / "Plan.txt", "r", "anna@contoso.example") as file:
        assert file.read() == "Merger on Friday"
    assert not (tmp_path / ANN).exists()
    work.close()
