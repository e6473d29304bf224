"""Files of accounts that have left, and files whose content belongs to another account than their label says."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import mam
import pytest
from conftest import ANN, BEN, EVE, Office


@pytest.fixture
def loose(office: Office) -> Office:
    """Data may go anywhere: a refusal is because of the owner, not of policy."""
    document = {
        "@odata.type": "#libmam.linuxManagedAppProtection",
        "id": office.policy.id,
        "displayName": "Loose",
        "appDataEncryptionType": "whenDeviceLocked",
    }
    office.authority.import_policy(document)
    return office


def test_data_of_an_unenrolled_account_goes_to_no_account(loose: Office, tmp_path: Path) -> None:
    with loose.open() as m:
        assert m.register_and_enroll(ANN).wait(30).succeeded
        assert m.register_and_enroll(BEN).wait(30).succeeded
        path = tmp_path / "plan"
        path.write_text("plan")
        m.file_protect(path, ANN)
        m.deregister_and_unenroll(ANN).wait(30)
        before = path.read_bytes()
        for account in (BEN, EVE, ""):
            for give in (m.file_protect, m.file_verify_and_protect, m.file_unmanage):
                if give == m.file_unmanage and account == BEN:
                    continue
                with pytest.raises(mam.NotEnrolledError):
                    give(path, account)
        with pytest.raises(mam.NotEnrolledError):
            m.file_encrypt(path, BEN)
        assert path.read_bytes() == before
        with m.open_file(path) as file:
            assert file.read() == "plan"
        m.wipe_account(ANN).wait(30)
        assert not path.exists()


def test_a_refused_file_keeps_its_content(loose: Office, tmp_path: Path) -> None:
    """In the directory of a wiped account, with no account enrolled any more."""
    (tmp_path / "work").mkdir()
    mine = tmp_path / "work" / "mine"
    with loose.open(settings={"MultiIdentity": True}) as m:
        assert m.register_and_enroll(ANN).wait(30).succeeded
        m.file_protect(tmp_path / "work", ANN)
        with m.open_file(tmp_path / "work" / "eves", "wb", account=EVE) as file:
            file.write(b"eve's")
        m.wipe_account(ANN).wait(30)
        mine.write_bytes(b"mine")
        with pytest.raises(mam.NotEnrolledError):
            m.open_file(mine, "wb")
        assert mine.read_bytes() == b"mine"
        with m.open_file(mine, "wb", account=EVE) as file:
            file.write(b"eve's, too")
        assert m.file_info(mine).account_id == EVE


def test_sealed_content_stays_its_accounts(office: Office, enrolled: mam.Mam, tmp_path: Path) -> None:
    """A sealed file that a program without attributes copied into another account's directory."""
    work, home = tmp_path / "work", tmp_path / "home"
    home.mkdir()
    work.write_text("plan")
    enrolled.file_encrypt(work, ANN)
    enrolled.file_protect(home, EVE)
    copy = home / "copy"
    copy.write_bytes(work.read_bytes())
    with enrolled.policy(EVE) as policy:
        assert not policy.can_receive_file(copy)
    for give in (enrolled.file_protect, enrolled.file_verify_and_protect, enrolled.file_unmanage):
        with pytest.raises(mam.DeniedError):
            give(copy, EVE)
    enrolled.file_decrypt(copy)
    assert enrolled.file_info(copy).account_id == enrolled.enrolled_accounts()[0].account_id
    enrolled.wipe_account(ANN).wait(30)
    assert not copy.exists()


def test_no_copy_replaces_another_accounts_file(loose: Office, tmp_path: Path) -> None:
    with loose.open() as m:
        for account in (ANN, BEN):
            assert m.register_and_enroll(account).wait(30).succeeded
            (tmp_path / account).write_text(account)
            m.file_protect(tmp_path / account, account)
        copies: tuple[Callable[[], None], ...] = (
            lambda: m.file_export(tmp_path / BEN, mam.SaveLocation.OTHER, tmp_path / ANN),
            lambda: m.file_import(tmp_path / BEN, BEN, tmp_path / ANN),
            lambda: m.file_decrypt_copy(tmp_path / BEN, tmp_path / ANN),
        )
        for copy in copies:
            with pytest.raises(mam.DeniedError, match="does not replace"):
                copy()
        with m.open_file(tmp_path / ANN) as file:
            assert file.read() == ANN


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
@pytest.mark.parametrize("account", [EVE, ""])
def test_a_wipe_leaves_personal_databases_whole(enrolled: mam.Mam, tmp_path: Path, mode: str, account: str) -> None:
    """Their logs and journals have no label of their own, and lie in the account's directory."""
    (folder := tmp_path / "work").mkdir()
    path = folder / "personal.db"
    enrolled.file_protect(folder, ANN)
    database = enrolled.connect_sqlite(path, account=account)
    database.execute(f"PRAGMA journal_mode={mode}")
    database.execute("CREATE TABLE notes (text)")
    database.commit()
    database.execute("INSERT INTO notes VALUES ('mine')")
    if mode == "WAL":
        database.commit()
    sidecar = folder / f"personal.db-{'wal' if mode == 'WAL' else 'journal'}"
    assert sidecar.exists()
    enrolled.file_protect(folder, ANN)
    assert enrolled.file_info(sidecar).known != mam.OwnerEvidence.BOTH
    enrolled.wipe_account(ANN).wait(30)
    assert sidecar.exists()
    database.commit()
    assert database.execute("SELECT text FROM notes").fetchall() == [("mine",)]
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


def test_looks_keep_the_locks_of_the_process(enrolled: mam.Mam, tmp_path: Path) -> None:
    """Closing any descriptor of a file drops the process's POSIX locks on it."""
    path = tmp_path / "personal.db"
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("CREATE TABLE t (a)")
    other = f"import sqlite3; c = sqlite3.connect({str(path)!r}, timeout=0, isolation_level=None); c.execute('BEGIN IMMEDIATE')"
    descriptors = len(os.listdir("/proc/self/fd"))
    holder.execute("BEGIN IMMEDIATE")
    for _ in range(400):
        enrolled.file_info(path)
        enrolled.connect_sqlite(path, account="").close()
    tried = subprocess.run([sys.executable, "-c", other], capture_output=True, text=True, check=False)
    assert "database is locked" in tried.stderr
    holder.execute("ROLLBACK")
    assert len(os.listdir("/proc/self/fd")) < descriptors + 16
    holder.close()


def test_models_of_another_platform_are_not_checked(office: Office) -> None:
    document = {
        "@odata.type": "#microsoft.graph.androidManagedAppProtection",
        "displayName": "Phones",
        "allowedIosDeviceModels": "iPhone13,1",
        "appActionIfIosDeviceModelNotAllowed": "wipe",
    }
    (policy,) = office.authority.import_policy(document).policies
    office.authority.assign(policy.id, all_users=True)
    office.authority.target(policy.id, all_apps=True)
    with office.open(device={"platform": "android", "version": "14", "model": "SM-G991B"}) as m:
        assert m.register_and_enroll(ANN).wait(30).succeeded
        report = m.conditional_launch(ANN)
        assert not [one for one in report.findings if one.check == "deviceModel"]
        assert "allowedIosDeviceModels" in {one.setting for one in report.not_applicable}
