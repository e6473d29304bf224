"""Names while others rename, wipe and take over: SQLite VFSes, blocks and threads in use, long histories."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import mam
import pytest
from conftest import BEN
from names import ANN, ANN_ID, BEN_ID, SECRET, Place, is_secret

#: The number of times an account is renamed; more than 1016 reach the limit.
RENAMES = int(os.environ.get("MAM_RENAMES", "60"))
NEW = "ann.b@contoso.example"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with Place.make(tmp_path) as place:
        place.enroll()
        yield place


def database(path: Path, vfs: str) -> bytes:
    """Create a database and return its bytes on the disk."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?vfs={vfs}", uri=True)) as connection, connection:
        connection.execute("CREATE TABLE notes (text)")
        connection.execute("INSERT INTO notes VALUES (?)", (SECRET.decode(),))
    return path.read_bytes()


def test_a_vfs_follows_the_account(place: Place) -> None:
    """A VFS registered by a name that another account gets later stays Ann's."""
    place.m.register_sqlite_vfs(ANN, "held")
    place.rename(NEW)
    first, second = place.path(), place.path()
    assert is_secret(database(first, "held"))
    assert place.m.file_info(first).account_id == ANN_ID
    place.m.register_sqlite_vfs(ANN, "held")
    place.m.register_sqlite_vfs(NEW, "held")
    place.authority.set_user(BEN, upn=ANN)
    place.enroll(ANN)
    assert is_secret(database(second, "held"))
    assert place.m.file_info(second).account_id == ANN_ID
    with pytest.raises(mam.AlreadyError):
        place.m.register_sqlite_vfs(ANN, "held")


@pytest.mark.parametrize("how", ["wipe", "unenroll"])
def test_a_vfs_of_an_account_that_left(place: Place, how: str) -> None:
    place.m.register_sqlite_vfs(ANN, "left")
    if how == "wipe":
        assert place.m.wipe_account(ANN).wait(30).succeeded
    else:
        assert place.m.deregister_and_unenroll(ANN).wait(30).succeeded
    path = place.path()
    with pytest.raises(sqlite3.Error):
        database(path, "left")
    for one in path.parent.glob(f"{path.name}*"):
        assert is_secret(one.read_bytes())


def test_an_identity_block_follows_the_account(place: Place) -> None:
    """`with m.identity(…)` is about an account, even when it is entered again in another task or thread."""
    with place.m.identity(ANN):
        place.rename(NEW)
        place.authority.set_user(BEN, upn=ANN)
        place.enroll(ANN)
        assert place.m.effective_identity(mam.IdentityTask.FILE) == ANN_ID
        path = place.path()
        with place.m.open_file(path, "wb") as file:
            file.write(SECRET)
        assert place.m.file_info(path).account_id == ANN_ID
    with place.m.identity(ANN):
        assert place.m.effective_identity(mam.IdentityTask.FILE) == BEN_ID


def test_data_is_never_plain(place: Place) -> None:
    """Threads store under both names while the account is renamed back and forth, and is wiped at the end."""
    ended = threading.Event()
    plain: list[str] = []

    def store(name: str, makes_files: bool) -> None:
        while not ended.is_set():
            # FileNotFoundError: the wipe has removed the file before it is read.
            with contextlib.suppress(mam.NotEnrolledError, mam.ClosedError, FileNotFoundError):
                if makes_files:
                    path = place.folder / f"{threading.get_ident()}"
                    with place.m.open_file(path, "wb", account=name) as file:
                        file.write(SECRET)
                    data = path.read_bytes()
                else:
                    data = place.m.protect(name, SECRET)
                if not is_secret(data):
                    plain.append(name)
                    return

    place.rename(NEW)
    threads = [threading.Thread(target=store, args=one) for one in ((ANN, False), (NEW, False), (ANN, True), (ANN_ID, False))]
    for thread in threads:
        thread.start()
    try:
        for upn in (ANN, NEW) * 5:
            place.rename(upn)
        assert place.m.wipe_account(ANN).wait(30).succeeded
        with pytest.raises(mam.NotEnrolledError):
            place.m.protect(ANN, SECRET)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert plain == []


def test_many_retired_names(place: Place) -> None:
    """1000 are remembered. Older ones are unknown, and while the organisation is managed its unknown names are refused as well."""
    names = [ANN]
    for number in range(RENAMES):
        names.append(f"n{number}@contoso.example")
        place.rename(names[-1])
    retired, kept = names[:-17], names[-17:]
    for later in (False, True):
        m = place.reopen() if later else place.m
        for name in kept:
            assert is_secret(m.protect(name, SECRET))
        for name in retired[-1000:]:
            with pytest.raises(mam.NotEnrolledError):
                m.protect(name, SECRET)
        for name in retired[:-1000]:
            with pytest.raises((mam.NotEnrolledError, mam.NotFoundError)):
                m.protect(name, SECRET)


def test_an_account_that_was_enrolled_by_its_id(tmp_path: Path) -> None:
    """Its UPN at the authority is one of its names and determines the organisation's domain."""
    with Place.make(tmp_path) as place:
        place.authority.set_user(ANN_ID, upn="Ann@CONTOSO.Example")
        assert place.m.register_and_enroll(account_id=ANN_ID).wait(30).succeeded
        assert is_secret(place.m.protect(ANN, SECRET))
        for name in ("anm@contoso.example", "anm@Contoso.EXAMPLE"):
            with pytest.raises(mam.NotFoundError):
                place.m.protect(name, SECRET)
