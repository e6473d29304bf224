"""A state that was lost: after signing in again, data from before is neither converted nor overwritten."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import mam
import pytest
from conftest import ANN, POLICY, Office


def test_data_without_its_key_stays(office: Office, tmp_path: Path) -> None:
    office.authority.import_policy({**POLICY, "id": office.policy.id, "appDataEncryptionType": "whenDeviceLocked"})
    tags, plan = tmp_path / "tags.db", tmp_path / "plan.txt"
    with office.open() as m:
        assert m.register_and_enroll(ANN).wait(30)
        with contextlib.closing(m.connect_sqlite(tags, account=ANN)) as database:
            database.execute("CREATE TABLE tags AS SELECT 'secret'")
            database.commit()
        with m.open_file(plan, "w", account=ANN) as file:
            file.write("the plan")
    shutil.rmtree(tmp_path / "state")
    with office.open() as m:
        assert m.register_and_enroll(ANN).wait(30)
        calls: dict[str, Callable[[], object]] = {
            "sqlite_encrypt": lambda: m.sqlite_encrypt(tags, ANN),
            "sqlite_decrypt": lambda: m.sqlite_decrypt(tags, ANN),
            "file_encrypt": lambda: m.file_encrypt(plan, ANN),
            "file_protect": lambda: m.file_protect(plan, ANN),
            "file_verify_and_protect": lambda: m.file_verify_and_protect(plan, ANN),
            **{f"open_file {mode}": partial(m.open_file, plan, mode, account=ANN) for mode in ("r", "a", "w", "w+")},
        }
        before = tags.read_bytes(), plan.read_bytes()
        for name, call in calls.items():
            with pytest.raises(mam.KeyUnavailableError) as refused:
                call()
                pytest.fail(name)
            assert refused.value.message_key == "errorKeyUnavailable", name
        assert (tags.read_bytes(), plan.read_bytes()) == before
        plan.rename(tmp_path / "plan.txt.old")
        with m.open_file(plan, "w", account=ANN) as file:
            file.write("another plan")


def test_a_directory_with_data_without_its_key_fails_each_time(office: Office, tmp_path: Path) -> None:
    office.authority.import_policy({**POLICY, "id": office.policy.id, "appDataEncryptionType": "whenDeviceLocked"})
    (folder := tmp_path / "work").mkdir()
    (plain := folder / "later").write_text("later")
    with office.open() as m:
        assert m.register_and_enroll(ANN).wait(30)
        m.file_protect(folder, ANN)
    shutil.rmtree(tmp_path / "state")
    with office.open() as m:
        assert m.register_and_enroll(ANN).wait(30)
        before = plain.read_bytes()
        for call in (m.file_verify_and_protect, m.file_verify_and_protect, m.file_protect, m.file_verify_and_protect):
            with pytest.raises(mam.KeyUnavailableError, match="later") as refused:
                call(folder, ANN)
            assert refused.value.message_key == "errorSomeFiles"
        # Plain files become the account's again; the attribute names those that do not.
        (folder / "note").write_text("a note")
        with pytest.raises(mam.KeyUnavailableError, match="later"):
            m.file_protect(folder, ANN)
        note, lost = m.file_info(folder / "note"), m.file_info(plain)
        assert note.encrypted and note.disagreement is None and note.account_id == m.enrolled_accounts()[0].account_id
        assert note.key_available and lost.key_available is False
        assert lost.encrypted and lost.disagreement == mam.OwnerDisagreement.ATTRIBUTE_FOREIGN
        assert plain.read_bytes() == before


def test_whether_the_key_of_a_file_is_here(office: Office, tmp_path: Path) -> None:
    """Asked again after each change of the keys: an answer from memory is no longer than that."""
    office.authority.import_policy({**POLICY, "id": office.policy.id, "appDataEncryptionType": "whenDeviceLocked"})
    names = ("labelled", "bare", "plain", "tags.db", "container")
    labelled, bare, plain, tags, container = (tmp_path / name for name in names)

    def answers(m: mam.Mam) -> list[bool | None]:
        first, second = ([m.file_info(path).key_available for path in (labelled, bare, plain, tags, container)] for _ in range(2))
        assert first == second
        return first

    with office.open() as m:
        assert m.register_and_enroll(ANN).wait(30)
        for path in (labelled, bare):
            with m.open_file(path, "w", account=ANN) as file:
                file.write("the plan")
        os.removexattr(bare, "user.mam.owner")
        plain.write_text("nobody's")
        with contextlib.closing(m.connect_sqlite(tags, account=ANN)) as database:
            database.execute("CREATE TABLE tags AS SELECT 'secret'")
            database.commit()
        container.write_bytes(m.protect(ANN, b"the plan"))
        assert answers(m) == [True, True, None, None, None]
        m.rotate_keys(ANN)
        assert answers(m) == [True, True, None, None, None]
    (tmp_path / "state").rename(tmp_path / "kept")
    with office.open() as m:
        assert answers(m) == [False, False, None, None, None]
        assert m.register_and_enroll(ANN).wait(30)
        assert answers(m) == [False, False, None, None, None]
    shutil.rmtree(tmp_path / "state")
    (tmp_path / "kept").rename(tmp_path / "state")
    with office.open() as m:
        assert answers(m) == [True, True, None, None, None]
        shutil.copyfile(labelled, tmp_path / "copy")
        assert m.wipe_account(ANN).wait(30)
        assert m.file_info(tmp_path / "copy").key_available is False
