"""Owners of files: set, read, and removed by a wipe."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path

import mam
import pytest
from conftest import ANN, BEN, EVE, POLICY, Office


def test_owner_is_set_and_reported(enrolled: mam.Mam, tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.write_text("plan")
    assert enrolled.file_info(path) == mam.FileInfo()
    enrolled.file_protect(path, ANN)
    info = enrolled.file_info(str(path))
    assert (info.known, info.disagreement, info.authenticated) == ("both", None, True)
    assert info.account_id == enrolled.enrolled_accounts()[0].account_id
    for give in (enrolled.file_verify_and_protect, enrolled.file_unmanage):
        with pytest.raises(mam.DeniedError, match="allowedOutboundDataTransferDestinations"):
            give(os.fsencode(path), EVE)
        assert enrolled.file_info(path) == info


def test_sealed_files_stay_sealed_without_a_policy(enrolled: mam.Mam, office: Office, tmp_path: Path) -> None:
    office.authority.import_policy({**POLICY, "id": office.policy.id, "appDataEncryptionType": "whenDeviceLocked"})
    enrolled.check_in(ANN).wait(30)
    (folder := tmp_path / "work").mkdir()
    path = folder / "plan"
    path.write_text("plan")
    enrolled.file_protect(folder, ANN)
    assert enrolled.file_is_encrypted(path)
    office.authority.remove_policy(office.policy.id)
    assert enrolled.check_in(ANN).wait(30).code == mam.StatusCode.NO_POLICY_RECEIVED
    assert not enrolled.is_account_managed(ANN)
    for protect in (enrolled.file_protect, enrolled.file_verify_and_protect):
        for place in (path, folder):
            protect(place, ANN)
            assert enrolled.file_is_encrypted(path)
    with enrolled.open_file(path) as file:
        assert file.read() == "plan"
    (relaxed,) = office.authority.import_policy(
        {"@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "Relaxed", "printBlocked": True}
    ).policies
    office.authority.assign(relaxed.id, all_users=True)
    office.authority.target(relaxed.id, all_apps=True)
    assert enrolled.check_in(ANN).wait(30).code == mam.StatusCode.NEW_POLICIES_RECEIVED
    enrolled.file_protect(folder, ANN)
    assert path.read_text() == "plan", "a policy says that it may be plain"


def test_files_of_no_policy_given_away_are_plain(enrolled: mam.Mam, office: Office, tmp_path: Path) -> None:
    office.authority.import_policy({**POLICY, "id": office.policy.id, "appDataEncryptionType": "whenDeviceLocked"})
    enrolled.check_in(ANN).wait(30)
    path = tmp_path / "plan"
    path.write_text("plan")
    enrolled.file_protect(path, ANN)
    assert path.read_bytes() != b"plan"
    office.authority.remove_policy(office.policy.id)
    enrolled.check_in(ANN).wait(30)
    enrolled.file_unmanage(path)
    assert path.read_text() == "plan"


def test_a_file_without_an_owner_can_be_given_to_any_account(enrolled: mam.Mam, tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.write_text("plan")
    enrolled.file_protect(path, EVE)
    enrolled.file_unmanage(path)
    assert enrolled.file_info(path).account_id == ""


def test_account_of_the_thread(enrolled: mam.Mam, tmp_path: Path) -> None:
    (tmp_path / "plan").touch()
    with enrolled.identity(EVE):
        enrolled.file_protect(tmp_path / "plan")
    assert enrolled.file_info(tmp_path / "plan").account_id == EVE


@pytest.mark.parametrize("name", ["a\nb", "\udcff", " "])
def test_any_name(enrolled: mam.Mam, tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    enrolled.file_protect(tmp_path / name, ANN)
    assert enrolled.file_info(tmp_path / name).known == "both"


def test_only_files_are_accepted(enrolled: mam.Mam, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        enrolled.file_info(tmp_path / "none")
    assert isinstance(caught.value, mam.NotFoundError)
    assert caught.value.original_code == 104
    for call in (enrolled.file_protect, enrolled.file_verify_and_protect):
        with pytest.raises(FileNotFoundError):
            call(tmp_path / "none", ANN)
    (tmp_path / "link").symlink_to("none")
    with pytest.raises(mam.UnsupportedError):
        enrolled.file_protect(tmp_path / "link", ANN)
    with pytest.raises(ValueError, match="NUL"):
        enrolled.file_info("a\0b")
    with pytest.raises(TypeError):
        enrolled.file_info(1)  # type: ignore[arg-type]


def test_receive(enrolled: mam.Mam, tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.touch()
    with enrolled.policy(ANN) as policy:
        assert not policy.can_receive_file(path)
        enrolled.file_protect(path, ANN)
        assert policy.can_receive_file(path)
        with pytest.raises(FileNotFoundError):
            policy.can_receive_file(tmp_path / "none")


def test_a_wipe_reports_removed_files(enrolled: mam.Mam, tmp_path: Path) -> None:
    for name in ("gone", "there"):
        (tmp_path / name).touch()
        enrolled.file_protect(tmp_path / name, ANN)
    (tmp_path / "gone").unlink()
    enrolled.wipe_account(ANN).wait()
    events = {event.kind: event for event in enrolled.events(timeout=0)}
    completed = events[mam.EventKind.WIPE_COMPLETED]
    assert isinstance(completed, mam.WipeCompletedEvent)
    files = completed.files
    assert files is not None
    assert (files.known, files.removed, files.gone, files.left) == (2, 1, 1, 0)
    assert files.named[0].path == str(tmp_path / "gone")
    assert files.named[0].reason == "gone"
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("outbound", ["managedApps", "none"])
def test_content_sealed_for_another_account(office: Office, enrolled: mam.Mam, tmp_path: Path, outbound: str) -> None:
    """Ann's sealed bytes that an unrelated program copied into Ben's file stay Ann's."""
    policy = {
        "@odata.type": "#libmam.linuxManagedAppProtection",
        "displayName": "More",
        "appDataEncryptionType": "whenDeviceLocked",
        "allowedOutboundDataTransferDestinations": outbound,
    }
    (more,) = office.authority.import_policy(policy).policies
    office.authority.assign(more.id, all_users=True)
    office.authority.target(more.id, all_apps=True)
    enrolled.check_in().wait(30)
    assert enrolled.register_and_enroll(BEN).wait(30).succeeded
    anns, bens = tmp_path / "anns", tmp_path / "bens"
    for path, account in ((anns, ANN), (bens, BEN)):
        path.write_text(f"of {account}")
        enrolled.file_protect(path, account)
    with bens.open("r+b") as file:
        file.write(anns.read_bytes())
        file.truncate()
    ids = {account.upn: account.account_id for account in enrolled.enrolled_accounts()}
    if outbound == "none":
        for give in (enrolled.file_protect, enrolled.file_verify_and_protect, enrolled.file_encrypt):
            with pytest.raises(mam.DeniedError):
                give(bens, BEN)
    enrolled.file_decrypt(bens)
    assert bens.read_text() == f"of {ANN}"
    assert enrolled.file_info(bens).account_id == ids[ANN]


def encrypts(office: Office, session: mam.Mam) -> None:
    """Have the policy require encryption from now on."""
    required = {"displayName": "More", "appDataEncryptionType": "whenDeviceLocked"}
    (policy,) = office.authority.import_policy({"@odata.type": "#libmam.linuxManagedAppProtection", **required}).policies
    office.authority.assign(policy.id, all_users=True)
    office.authority.target(policy.id, all_apps=True)
    session.check_in().wait(30)


def test_verifying_a_directory_encrypts_what_is_still_plain(enrolled: mam.Mam, office: Office, tmp_path: Path) -> None:
    """Its owner is known already, and yet the call does what it says."""
    folder = tmp_path / "work"
    (folder / "deep").mkdir(parents=True)
    ours, deep, others = folder / "plan", folder / "deep" / "plan", tmp_path / "own"
    for path in (ours, deep, others):
        path.write_text("plan")
    enrolled.file_verify_and_protect(folder, ANN)
    enrolled.file_protect(others, EVE)
    others = others.rename(folder / "own")
    encrypts(office, enrolled)
    assert ours.read_text() == "plan"
    enrolled.file_verify_and_protect(folder, ANN)
    for path in (ours, deep):
        assert enrolled.file_info(path).encrypted and enrolled.file_info(path).known == "both"
        with enrolled.open_file(path) as file:
            assert file.read() == "plan"
    assert others.read_text() == "plan" and enrolled.file_info(others).account_id == EVE
    sealed = [path.read_bytes() for path in (ours, deep)]
    enrolled.file_verify_and_protect(folder, ANN)
    assert [path.read_bytes() for path in (ours, deep)] == sealed


def test_verifying_fails_while_a_database_is_plain(enrolled: mam.Mam, office: Office, tmp_path: Path) -> None:
    encrypts(office, enrolled)
    folder = tmp_path / "work"
    folder.mkdir()
    with contextlib.closing(sqlite3.connect(folder / "notes.db")) as database:
        database.execute("CREATE TABLE notes (text)")
    for _ in range(2):
        with pytest.raises(mam.UnsupportedError, match="sqlite_encrypt"):
            enrolled.file_verify_and_protect(folder, ANN)
    enrolled.sqlite_encrypt(folder / "notes.db", ANN)
    enrolled.file_verify_and_protect(folder, ANN)


@pytest.mark.parametrize("mode", ["wal", "persist"])
@pytest.mark.parametrize("is_lost", [False, True], ids=["enrolled", "lost"])
def test_the_log_of_a_plain_database_is_its_owners(office: Office, tmp_path: Path, mode: str, is_lost: bool) -> None:
    """Also where the directory is nobody's: it has what was committed, and no label of its own."""
    (folder := tmp_path / "folder").mkdir()
    work, own = folder / "work.db", folder / "own.db"
    log = "-wal" if mode == "wal" else "-journal"
    with office.open() as m:
        m.register_account(EVE)
        assert m.register_and_enroll(ANN).wait(30).succeeded
        for path, account in ((work, ANN), (own, EVE)):
            database = m.connect_sqlite(path, account=account)
            database.execute(f"PRAGMA journal_mode = {mode}")
            database.execute("CREATE TABLE notes AS SELECT 'a plan' AS text")
            database.commit()
            database.execute("UPDATE notes SET text = 'another plan'")
            database.commit()
            shutil.copyfile(f"{path}{log}", kept := folder / "kept")
            database.close()
            kept.rename(f"{path}{log}")
    if is_lost:
        shutil.rmtree(tmp_path / "state")
    with office.open() as m:
        target = tmp_path / "copy"
        owner = m.file_info(work).account_id
        assert owner and m.file_info(f"{work}{log}").account_id == owner
        with pytest.raises((mam.DeniedError, mam.NotEnrolledError)):
            m.file_export(f"{work}{log}", mam.SaveLocation.LOCAL_DRIVE, target)
        if not is_lost:
            with pytest.raises(mam.DeniedError):
                m.file_unmanage(f"{work}{log}", "")
        assert not target.exists()
        m.file_export(f"{own}{log}", mam.SaveLocation.LOCAL_DRIVE, target)
        assert target.exists()
