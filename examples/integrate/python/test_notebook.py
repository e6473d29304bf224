"""Tests of the notebook with libmam, in its directory: pytest -p mam_pytest."""

from __future__ import annotations

import shutil
from pathlib import Path

import mam
import mam.testing
import pytest
from work import FAILURES, Refused, Work

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


@pytest.fixture
def work(mam_office: mam.testing.Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    """Ann is signed in, and her notes are encrypted."""
    mam_office.user(ANN)
    mam_office.policy(appDataEncryptionType="whenDeviceLocked")
    monkeypatch.setenv("MAM_AUTHORITY", str(mam_office.authority.path))
    work = Work(tmp_path)
    work.sign_in(ANN)
    return work


def test_an_account_at_a_public_provider(work: Work, mam_office: mam.testing.Office, tmp_path: Path) -> None:
    """Other names there are still a person's own, unlike those in a domain of the organisation."""
    assert (tmp_path / ".domains").read_text().split() == ["contoso.example"]
    mam_office.authority.set_user(ANN, upn="boss@gmail.com")
    assert work.session is not None
    assert work.session.check_in().wait(30)
    work.close()
    work = Work(tmp_path)
    work.check_name("me@gmail.com")
    with pytest.raises(mam.NotFoundError):
        work.check_name("anm@contoso.example")
    assert (tmp_path / ".domains").read_text().split() == ["contoso.example"]
    work.close()


def test_a_renamed_account(work: Work, mam_office: mam.testing.Office, tmp_path: Path) -> None:
    """Its notes go with it, and are not those of the next person with the name."""
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


def test_a_folder_with_a_former_name(work: Work, mam_office: mam.testing.Office, tmp_path: Path) -> None:
    """Notes that were there under it become the account's, beside those of the same title."""
    anna = tmp_path / "anna@contoso.example"
    mam_office.authority.set_user(ANN, upn=anna.name)
    assert work.session is not None
    assert work.session.check_in().wait(30)
    with work.open(tmp_path / ANN / "Plan.txt", "w", anna.name) as file:
        file.write("Merger on Friday")
    work.close()
    Work(tmp_path).close()
    (tmp_path / ANN).mkdir()
    (tmp_path / ANN / "Plan.txt").write_text("from before")
    work = Work(tmp_path)
    assert not (tmp_path / ANN).exists()
    assert b"before" not in (anna / "Plan+.txt").read_bytes()
    for title, text in (("Plan", "Merger on Friday"), ("Plan+", "from before")):
        with work.open(anna / f"{title}.txt", "r", anna.name) as file:
            assert file.read() == text
    work.close()


@pytest.mark.parametrize("slips", [False, True], ids=["", "after a refused sign-in with it"])
def test_an_account_with_the_name_of_a_personal_folder(
    work: Work, mam_office: mam.testing.Office, tmp_path: Path, slips: bool
) -> None:
    """The person's own notes stay theirs, under a longer name."""
    own = tmp_path / "ann@home.example" / "Plan.txt"
    own.parent.mkdir()
    for path in (own, tmp_path / ANN / "Plan.txt"):
        with work.open(path, "w", path.parent.name) as file:
            file.write(path.parent.name)
    if slips:
        with pytest.raises(Refused):
            work.sign_in(own.parent.name)
    mam_office.authority.set_user(ANN, upn=own.parent.name)
    assert work.session is not None
    assert work.session.check_in().wait(30)
    work.close()
    work = Work(tmp_path)
    with work.open(own, "r", own.parent.name) as file:
        assert file.read() == ANN
    mam_office.wipe(own.parent.name)
    assert work.session is not None
    assert work.session.check_in().wait(30)
    work.close()
    Work(tmp_path).close()
    assert not own.exists()
    assert (tmp_path / "ann@home.example+" / "Plan.txt").read_text() == "ann@home.example"


def test_a_wipe_removes_folders_meanwhile(work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that open finishes is at work while the notebook looks at its folders."""
    (tmp_path / "ann@home.example").mkdir()
    (tmp_path / "ann@home.example" / "Plan.txt").touch()
    label = Work.label

    def label_of_removed(work: Work, folder: Path) -> str | None:
        shutil.rmtree(folder)
        return label(work, folder)

    with monkeypatch.context() as patches:
        patches.setattr(Work, "label", label_of_removed)
        work.forget_wiped()
        (tmp_path / "ann@home.example").mkdir()
        work.make_room("ann@home.example")
    work.close()


def test_a_wipe_of_what_was_set_aside(work: Work, mam_office: mam.testing.Office, tmp_path: Path) -> None:
    """Notes that a lost key sealed are the organisation's, too."""
    aside = tmp_path / f".lost-{ANN}"
    aside.mkdir()
    (aside / "Plan.txt").write_text("sealed under a lost key")
    mam_office.wipe(ANN)
    assert work.session is not None
    assert work.session.check_in().wait(30)
    work.close()
    Work(tmp_path).close()
    assert not aside.exists()


@pytest.mark.parametrize("is_lost", [True, False], ids=["without its state", "a state that does not open"])
def test_personal_notes_are_shown_alone(
    mam_office: mam.testing.Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_lost: bool
) -> None:
    mam_office.user(ANN)
    mam_office.policy()
    monkeypatch.setenv("MAM_AUTHORITY", str(mam_office.authority.path))
    monkeypatch.setenv("MAM_STATE", str(tmp_path / "state"))
    work = Work(tmp_path / "notes")
    work.sign_in(ANN)
    note, own = (tmp_path / "notes" / name / "Plan.txt" for name in (ANN, "ann@home.example"))
    own.parent.mkdir()
    for path in (note, own):
        with work.open(path, "w", path.parent.name) as file:
            file.write("a plan")
    work.close()
    if is_lost:
        shutil.rmtree(tmp_path / "state")
    else:
        (key,) = (tmp_path / "state").rglob("root.key")
        key.unlink()
    work = Work(tmp_path / "notes")
    with work.open(own, "r", own.parent.name) as file:
        assert file.read() == "a plan"
    assert work.hides(ANN)
    assert not work.hides(own.parent.name)
    for name in (ANN, "carl@contoso.example"):
        for mode in ("r", "w"):
            with pytest.raises((Refused, *FAILURES)):
                work.open(tmp_path / "notes" / name / "Plan.txt", mode, name)
    work.close()
