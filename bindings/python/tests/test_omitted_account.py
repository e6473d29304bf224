"""Calls that store data without an account, where the app has several identities and none is set: nothing is stored."""

from __future__ import annotations

import asyncio
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import ANN, BEN, EVE, Office

MULTI = {"MultiIdentity": True, "MultiManagedIdentities": True}


def _plain(folder: Path) -> Path:
    path = folder / "plain"
    path.write_bytes(b"plan")
    return path


def _opened(mode: str) -> Callable[[mam.Mam, Path], object]:
    return lambda m, folder: m.open_file(folder / "new", mode).close()


#: Every call of the package that stores data for an account that may be omitted.
STORES: dict[str, Callable[[mam.Mam, Path], object]] = {
    **{f"open_file {mode}": _opened(mode) for mode in ("w", "wb", "w+", "x", "x+b", "a", "a+")},
    "file_encrypt": lambda m, folder: m.file_encrypt(_plain(folder)),
    "file_protect": lambda m, folder: m.file_protect(_plain(folder)),
    "file_verify_and_protect": lambda m, folder: m.file_verify_and_protect(_plain(folder)),
    "file_unmanage": lambda m, folder: m.file_unmanage(_plain(folder), None),
    "file_import": lambda m, folder: m.file_import(_plain(folder), None, folder / "new"),
    "import_bytes": lambda m, folder: m.import_bytes(b"plan"),
    "export_bytes": lambda m, folder: m.export_bytes(b"plan", mam.SaveLocation.OTHER),
    "connect_sqlite": lambda m, folder: m.connect_sqlite(folder / "new"),
}
#: Methods with a parameter `account` that may be omitted, and store nothing for it.
ASKS = {"blocked_reason", "check", "check_in", "identities_equal", "identity", "is_account_managed", "login_and_enroll", "open_url",
        "policy", "push_thread_identity", "run_as", "set_process_identity", "conditional_launch"}  # fmt: skip


def refused(m: mam.Mam, folder: Path, call: Callable[[mam.Mam, Path], object]) -> None:
    with pytest.raises(mam.ArgumentError, match="account is needed, because no identity is set") as error:
        call(m, folder)
    assert error.value.detail["argument"] == "account"
    assert not (folder / "new").exists()


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("case", ["multi", "unknown identities are errors", "wiped", "two accounts"])
def test_nothing_is_stored_in_the_clear(office: Office, tmp_path: Path, case: str, store: str) -> None:
    keys: dict[str, Any] = {} if case == "two accounts" else {"settings": MULTI}
    if case == "unknown identities are errors":
        keys["unknown_identities"] = "error"
    with office.open(**keys) as m:
        for name in (ANN, BEN) if case == "two accounts" else (ANN,):
            assert m.register_and_enroll(name).wait(30)
        if case == "wiped":
            assert m.wipe_account(ANN).wait(30)
        refused(m, tmp_path, STORES[store])


@pytest.mark.parametrize("store", [name for name in STORES if not name.startswith(("export", "connect"))])
@pytest.mark.parametrize("who", ["", ANN])
def test_with_an_identity_it_goes_on(office: Office, tmp_path: Path, store: str, who: str) -> None:
    with office.open(settings=MULTI) as m:
        assert m.register_and_enroll(ANN).wait(30)
        with m.identity(who):
            try:
                STORES[store](m, tmp_path)
            except mam.MamError as error:
                assert "no identity" not in error.message


@pytest.mark.parametrize("enrolled", [0, 1])
def test_an_app_of_one_identity_is_as_before(office: Office, tmp_path: Path, enrolled: int) -> None:
    with office.open(settings={}) as m:
        if enrolled:
            assert m.register_and_enroll(ANN).wait(30)
        with m.open_file(tmp_path / "new", "w") as file:
            file.write("plan")
        owner = m.file_info(tmp_path / "new").account_id
        assert owner == (m.enrolled_accounts()[0].account_id if enrolled else None)


def test_a_directory_lends_its_owner(office: Office, tmp_path: Path) -> None:
    with office.open(settings=MULTI) as m:
        assert m.register_and_enroll(ANN).wait(30)
        (folder := tmp_path / "ann").mkdir()
        m.file_protect(folder, ANN)
        m.open_file(folder / "new", "w").close()
        (tmp_path / "link").symlink_to(folder)
        m.open_file(tmp_path / "link" / "other", "w").close()
        owner = m.enrolled_accounts()[0].account_id
        assert m.file_info(folder / "new").account_id == m.file_info(folder / "other").account_id == owner


def test_an_executor_has_no_identity(office: Office, tmp_path: Path) -> None:
    async def store(m: mam.Mam) -> None:
        with m.identity(ANN):
            await asyncio.to_thread(_opened("w"), m, tmp_path)
            (tmp_path / "new").unlink()
            with pytest.raises(mam.ArgumentError, match="no identity"):
                await asyncio.get_running_loop().run_in_executor(None, _opened("w"), m, tmp_path)

    with office.open(settings=MULTI) as m:
        assert m.register_and_enroll(ANN).wait(30)
        asyncio.run(store(m))


def test_every_storing_call_is_here() -> None:
    found = set()
    for name, method in inspect.getmembers(mam.Mam, inspect.isfunction):
        account = inspect.signature(method).parameters.get("account")
        if name[0] != "_" and account is not None and "None" in str(account.annotation):
            found.add(name)
    assert found - {name.split()[0] for name in STORES} == ASKS


WRITES = ["a", "ab", "r+", "r+b", "a+"]


@pytest.mark.parametrize("mode", WRITES)
def test_existing_files_of_others_are_not_written(office: Office, tmp_path: Path, mode: str) -> None:
    with office.open(settings=MULTI) as m:
        for name in (ANN, BEN):
            assert m.register_and_enroll(name).wait(30)
        ids = {one.upn: one.account_id for one in m.enrolled_accounts()}
        for owner in (ANN, BEN, EVE, ""):
            with m.open_file(tmp_path / f"of {owner}", "w", account=owner) as file:
                file.write("plan")
        (tmp_path / "unlabelled").write_text("plan")
        for path, account, whose in [
            ("of ", ANN, "personal data"), (f"of {EVE}", ANN, EVE), (f"of {BEN}", ANN, BEN), (f"of {ANN}", EVE, ANN),
            (f"of {ANN}", "", ANN), ("unlabelled", ANN, "no owner"), (f"of {EVE}", "", EVE),
        ]:  # fmt: skip
            before = (tmp_path / path).read_bytes()
            with pytest.raises(mam.DeniedError, match=whose) as error:
                m.open_file(tmp_path / path, mode, account=account)
            assert error.value.filename == str(tmp_path / path)
            assert (tmp_path / path).read_bytes() == before
        for path, account in [
            (f"of {ANN}", ANN), (f"of {ANN}", ids[ANN]), (f"of {ANN}", ANN.upper()), (f"of {EVE}", EVE), ("of ", ""),
            ("unlabelled", ""), ("unlabelled", EVE),
        ]:  # fmt: skip
            m.open_file(tmp_path / path, mode, account=account).close()
        for existing in tmp_path.glob("of *"):
            m.open_file(existing, mode).close()  # an omitted account: whoever owns it
            m.open_file(existing, "r", account=ANN).close()  # reading takes none


@pytest.mark.parametrize("mode", WRITES)
def test_names_for_which_nothing_may_be_stored(office: Office, tmp_path: Path, mode: str) -> None:
    with office.open(settings=MULTI) as m:
        for name in (ANN, BEN):
            assert m.register_and_enroll(name).wait(30)
        assert m.wipe_account(BEN).wait(30)
        for one in ("plan", "personal"):
            (tmp_path / one).write_text("plan")
        m.file_protect(tmp_path / "personal", "")
        for one in ("plan", "personal"):
            with pytest.raises(mam.NotEnrolledError):
                m.open_file(tmp_path / one, mode, account=BEN)
            with pytest.raises(mam.NotFoundError):
                m.open_file(tmp_path / one, mode, account="anm@contoso.example")


def test_descriptors_and_openers_too(office: Office, tmp_path: Path) -> None:
    with office.open(settings=MULTI) as m:
        assert m.register_and_enroll(ANN).wait(30)
        (path := tmp_path / "plan").write_text("plan")
        with pytest.raises(mam.DeniedError, match="no owner"):
            m.open_file(path, "a", opener=os.open, account=ANN)
        descriptor = os.open(path, os.O_RDWR)
        with pytest.raises(mam.DeniedError, match="no owner"):
            m.open_file(descriptor, "r+", account=ANN)
        os.close(descriptor)
        with pytest.raises(FileExistsError):
            m.open_file(path, "x", account=ANN)
        assert path.read_text() == "plan"


def test_a_renamed_account_is_the_owner_under_both_names(office: Office, tmp_path: Path) -> None:
    with office.open(settings=MULTI) as m:
        assert m.register_and_enroll(ANN).wait(30)
        (account,) = m.enrolled_accounts()
        m.open_file(tmp_path / "plan", "w", account=ANN).close()
        office.authority.set_user(account.account_id, upn="anna@contoso.example")
        assert m.check_in().wait(30)
        for name in (ANN, "anna@contoso.example", account.account_id):
            m.open_file(tmp_path / "plan", "a", account=name).close()
