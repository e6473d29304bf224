"""Plain files of an account that the state does not know: their labels say that it was managed, and nothing releases them."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import struct
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import mam
import pytest
from conftest import ANN, APP, BEN, EVE, Office

OWNER = "user.mam.owner"
WORK = {"own label": "note", "in its directory": "sub/dropped"}
PERSONAL = {"of Eve": "eves", "of no user": "nobodys"}
# Ann's name is unknown in a domain of Ben's, whose policy receives from managed apps alone, and owners need an enrolled account.
REFUSALS = (mam.NotEnrolledError, mam.NotFoundError, mam.NotManagedError, mam.DeniedError)


@pytest.fixture(params=["lost", "older", "elsewhere"])
def folder(request: pytest.FixtureRequest, office: Office, tmp_path: Path) -> Path:
    """A directory of Ann's, whose policy requires no encryption, without the state that knew her."""
    (folder := tmp_path / "work").mkdir()
    (folder / "sub").mkdir()
    state = tmp_path / "state"
    with office.open() as m:
        m.register_account(EVE)
    shutil.copytree(state, tmp_path / "older")
    with office.open() as m:
        assert m.register_and_enroll(ANN).wait(30).succeeded
        m.file_protect(folder, ANN)
        for name, account in (("note", ANN), ("eves", EVE), ("nobodys", "")):
            with m.open_file(folder / name, "w", account=account) as file:
                file.write(name)
        (folder / "sub" / "dropped").write_text("sub/dropped")
        assert not m.file_is_encrypted(folder / "note")
    if request.param == "elsewhere":
        state.rename(tmp_path / "of another computer")
    else:
        shutil.rmtree(state)
    if request.param == "older":
        shutil.copytree(tmp_path / "older", state)
    return folder


@pytest.fixture
def m(office: Office, folder: Path) -> Iterator[mam.Mam]:
    with office.open() as session:
        yield session


def releases(m: mam.Mam, path: Path, target: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Each call that reads a file, writes to it, or gives it away."""
    for mode in ("rb", "r+b", "ab"):
        yield f"open {mode}", partial(m.open_file, path, mode)
    for account in (None, EVE, ANN, BEN):
        yield f"overwrite for {account}", partial(m.open_file, path, "wb", account=account)
    for account in (EVE, ANN, ""):
        for give in (m.file_protect, m.file_verify_and_protect, m.file_unmanage):
            yield f"{give.__name__} {account}", partial(give, path, account)
        yield f"import for {account}", partial(m.file_import, path, account, target)
    yield "export", partial(m.file_export, path, mam.SaveLocation.LOCAL_DRIVE, target)
    yield "plain copy", partial(m.file_decrypt_copy, path, target)
    for account in (None, EVE, ""):
        yield f"import in its place for {account}", partial(m.file_import, Path(__file__), account, path)


def label(account: str, *, managed: int) -> bytes:
    """A label of another group."""
    app = APP.encode()
    return b"MAMO\1" + struct.pack(">BHH", managed, len(account), len(app)) + bytes(16) + account.encode() + app + bytes(32)


@pytest.mark.parametrize("name", WORK.values(), ids=WORK)
@pytest.mark.parametrize("other", [None, BEN, ANN], ids=["nobody enrolled", "another enrolled", "a sign-in that fails"])
def test_nothing_releases_it(office: Office, m: mam.Mam, folder: Path, tmp_path: Path, name: str, other: str | None) -> None:
    if other == ANN:
        office.authority.set_fault("network")
        assert not m.register_and_enroll(account_id=m.file_info(folder).account_id).wait(30).succeeded
        other = None
    elif other:
        assert m.register_and_enroll(other).wait(30).succeeded
    path, target = folder / name, tmp_path / "target"
    for call, release in releases(m, path, target):
        with pytest.raises(REFUSALS) as refused:
            release()
            pytest.fail(call)
        if (EVE in call and other) or call in ("open rb", "overwrite for None", "export", "plain copy"):
            assert isinstance(refused.value, mam.NotEnrolledError), call
            assert refused.value.message_key == "errorNotEnrolled", call
    assert path.read_text() == name
    assert not target.exists()
    with m.policy(EVE) as eves, m.policy(other or EVE) as others:
        assert eves.can_receive_file(path)
        assert others.can_receive_file(path) == (other is None)


@pytest.mark.parametrize("form", ["damaged", "longest name", "labelled container"])
def test_other_forms_are_not_released(m: mam.Mam, folder: Path, tmp_path: Path, form: str) -> None:
    path, target = folder / "note", tmp_path / "target"
    if form == "damaged":
        os.setxattr(path, OWNER, os.getxattr(path, OWNER)[:-1])
    elif form == "longest name":
        os.setxattr(path, OWNER, label("n" * 1024, managed=1))
    else:
        owner = os.getxattr(path, OWNER)
        assert m.register_and_enroll(BEN).wait(30).succeeded
        path.write_bytes(m.protect("", b"note"))
        os.setxattr(path, OWNER, owner)
        with pytest.raises(mam.NotEnrolledError):
            m.file_decrypt(path)
    before = path.read_bytes()
    for call, release in releases(m, path, target):
        with pytest.raises(REFUSALS):
            release()
            pytest.fail(call)
    assert path.read_bytes() == before
    assert not target.exists()


def test_databases_are_not_opened(m: mam.Mam, folder: Path) -> None:
    with contextlib.closing(sqlite3.connect(folder / "work.db")) as database:
        database.execute("CREATE TABLE notes AS SELECT 'secret'")
        database.commit()
    before = (folder / "work.db").read_bytes()
    for name, accounts in (("work.db", (ANN, EVE, "")), ("new.db", (ANN, EVE))):
        for account in accounts:
            with pytest.raises(mam.AccountUnavailableError) as refused:
                m.connect_sqlite(folder / name, account=account)
            assert isinstance(refused.value, sqlite3.OperationalError)
    assert (folder / "work.db").read_bytes() == before
    assert not (folder / "new.db").exists()
    with contextlib.closing(m.connect_sqlite(folder / "nobodys.db", account="")) as database:
        database.execute("CREATE TABLE mine (text)")
        database.commit()
    assert m.register_and_enroll(ANN).wait(30).succeeded
    for account in (EVE, ""):
        with pytest.raises(sqlite3.OperationalError, match="not of"):
            m.connect_sqlite(folder / "work.db", account=account)
    with contextlib.closing(m.connect_sqlite(folder / "work.db", account=ANN)) as database:
        assert database.execute("SELECT * FROM notes").fetchone() == ("secret",)


def test_after_signing_in_policy_decides_before_its_directory_is_protected(m: mam.Mam, folder: Path, tmp_path: Path) -> None:
    account = m.file_info(folder).account_id
    assert m.register_and_enroll(ANN).wait(30).succeeded
    (folder / "older").write_text("older")
    os.setxattr(folder / "older", OWNER, label(account or "", managed=0))
    for name in (*WORK.values(), "older"):
        for receiver in (EVE, ""):
            with pytest.raises(mam.DeniedError):
                m.file_import(folder / name, receiver, tmp_path / "target")
            with pytest.raises(mam.DeniedError):
                m.file_protect(folder / name, receiver)
    m.deregister_and_unenroll(ANN).wait(30)
    with pytest.raises(mam.MamError):
        m.file_import(folder / "note", EVE, tmp_path / "target")
    assert not (tmp_path / "target").exists()


def test_nothing_is_stored_in_its_directory(m: mam.Mam, folder: Path, tmp_path: Path) -> None:
    (source := tmp_path / "source").write_text("source")
    for account in (None, EVE, ANN):
        with pytest.raises(mam.NotEnrolledError):
            m.open_file(folder / "new", "w", account=account)
        with pytest.raises(mam.NotEnrolledError):
            m.file_import(source, account, folder / "sub" / "new")
    for copy in (partial(m.file_export, source, mam.SaveLocation.LOCAL_DRIVE), partial(m.file_decrypt_copy, source)):
        with pytest.raises(mam.NotEnrolledError):
            copy(folder / "new")
    for give in (m.file_protect, m.file_verify_and_protect, m.file_unmanage):
        for account in (EVE, ""):
            with pytest.raises(REFUSALS):
                give(folder, account)
    assert not (folder / "new").exists()
    assert not (folder / "sub" / "new").exists()
    assert m.register_and_enroll(BEN).wait(30).succeeded
    with m.open_file(folder / "new", "w", account=BEN) as file:
        file.write("Ben's")
    assert m.file_info(folder / "new").disagreement is None


@pytest.mark.parametrize("name", PERSONAL.values(), ids=PERSONAL)
def test_personal_files_stay_usable(m: mam.Mam, folder: Path, tmp_path: Path, name: str) -> None:
    with m.open_file(folder / name, "a") as file:
        file.write(" and more")
    with m.open_file(folder / name) as file:
        assert file.read() == f"{name} and more"
    with m.open_file(folder / name, "w", account="" if name == "nobodys" else EVE) as file:
        file.write("anew")
    m.file_export(folder / name, mam.SaveLocation.LOCAL_DRIVE, tmp_path / "target")
    assert m.register_and_enroll(BEN).wait(30).succeeded
    m.file_protect(folder / name, EVE)


def test_signing_in_again_takes_the_work_and_leaves_the_rest(m: mam.Mam, folder: Path) -> None:
    assert m.register_and_enroll(ANN).wait(30).succeeded
    with m.open_file(folder / "note") as file:
        assert file.read() == "note"
    m.file_protect(folder, ANN)
    (warning,) = (event for event in m.events(timeout=1) if isinstance(event, mam.WarningEvent))
    assert {Path(one.path).name for one in warning.named} == set(PERSONAL.values())
    ann = m.enrolled_accounts()[0].account_id
    for name in WORK.values():
        assert m.file_info(folder / name).account_id == ann
    m.wipe_account(ANN).wait(30)
    assert {path.name for path in folder.rglob("*") if path.is_file()} == set(PERSONAL.values())
