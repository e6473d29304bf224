"""Where an account's policy requires encryption nothing is written to its files in the clear, however they came to be plain."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import mam
import pytest
from conftest import EVE
from mam.testing import Office, office
from names import ANN, SECRET, is_secret

OLD = b"what was there before, "


@pytest.fixture
def desk() -> Iterator[Office]:
    with office() as desk:
        desk.user(ANN)
        yield desk


@pytest.fixture
def m(desk: Office) -> mam.Mam:
    desk.policy(appDataEncryptionType="whenDeviceLocked")
    return desk.open(enroll=ANN, worker=False)


@pytest.fixture
def folder(m: mam.Mam, desk: Office) -> Path:
    folder = Path(desk.folder) / "hers"
    folder.mkdir()
    m.file_protect(folder, ANN)
    return folder


def _touched(m: mam.Mam, folder: Path) -> Path:
    (folder / "a").touch()
    return folder / "a"


def _written(m: mam.Mam, folder: Path) -> Path:
    (folder / "a").write_bytes(OLD)
    return folder / "a"


def _cut(m: mam.Mam, folder: Path) -> Path:
    with m.open_file(folder / "a", "wb", account=ANN) as file:
        file.write(OLD)
    os.truncate(folder / "a", 0)
    return folder / "a"


def _decrypted(m: mam.Mam, folder: Path) -> Path:
    """Elsewhere, with her label."""
    path = folder.parent / "elsewhere"
    with m.open_file(path, "wb", account=ANN) as file:
        file.write(OLD)
    m.file_decrypt(path)
    return path


def _stripped(m: mam.Mam, folder: Path) -> Path:
    """Elsewhere, and known to the index alone."""
    path = _decrypted(m, folder)
    os.removexattr(path, "user.mam.owner")
    return path


PLAIN: dict[str, tuple[Callable[[mam.Mam, Path], Path], bytes]] = {
    "touched in her directory": (_touched, b""),
    "written by another program into her directory": (_written, OLD),
    "sealed, and cut to nothing by another program": (_cut, b""),
    "decrypted, with her label": (_decrypted, OLD),
    "decrypted, known to the index": (_stripped, OLD),
}


@pytest.mark.parametrize("given", [None, ANN], ids=["omitted", "named"])
@pytest.mark.parametrize("mode", ["ab", "rb+", "wb", "wb+", "ab+"])
@pytest.mark.parametrize("kind", PLAIN)
def test_it_is_sealed_before_it_is_written(m: mam.Mam, folder: Path, kind: str, mode: str, given: str | None) -> None:
    make, old = PLAIN[kind]
    path = make(m, folder)
    path.chmod(0o640)
    before = m.file_info(path)
    with m.open_file(path, mode, account=given) as file:
        if mode == "rb+":
            file.seek(0, os.SEEK_END)
        file.write(SECRET)
    assert is_secret(path.read_bytes()) and OLD not in path.read_bytes()
    assert m.file_is_encrypted(path) and path.stat().st_mode & 0o777 == 0o640
    with m.open_file(path, "rb") as file:
        assert file.read() == (SECRET if mode[0] == "w" else old + SECRET)
    after = m.file_info(path)
    assert (after.account_id == before.account_id and after.disagreement is None) or kind.endswith("index")
    m.wipe_account(ANN).wait(30)
    assert not path.exists()


def test_a_plain_file_from_before_the_policy(desk: Office) -> None:
    policy = desk.policy()
    m = desk.open(enroll=ANN, worker=False)
    path = Path(desk.folder) / "note"
    with m.open_file(path, "wb", account=ANN) as file:
        file.write(OLD)
    assert path.read_bytes() == OLD
    desk.change(policy, appDataEncryptionType="whenDeviceLocked")
    assert m.check_in(ANN).wait(30).succeeded
    with m.open_file(path, "rb") as file:
        assert file.read() == OLD
    assert path.read_bytes() == OLD  # reading converts nothing
    with m.open_file(path, "ab") as file:
        file.write(SECRET)
    assert is_secret(path.read_bytes())
    assert m.file_info(path).known == "both"


def test_files_of_others_stay_plain(m: mam.Mam, folder: Path) -> None:
    for owner in ("", EVE):
        path = folder.parent / f"of {owner or 'nobody'}"
        path.write_bytes(OLD)
        m.file_protect(path, owner)
        with m.open_file(path, "ab", account=owner) as file:
            file.write(b"more")
        assert path.read_bytes() == OLD + b"more"
    mine = folder / "stated"
    with m.open_file(mine, "wb", account=EVE) as file:
        file.write(OLD)
    with m.open_file(mine, "ab", account=EVE) as file:
        file.write(OLD)
    assert mine.read_bytes() == 2 * OLD


def test_what_cannot_be_sealed_is_not_written(m: mam.Mam, folder: Path) -> None:
    database, sidecar, container, linked = (folder / name for name in ("db", "db-wal", "container", "linked"))
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE t (a)")
    sidecar.write_bytes(OLD)
    container.write_bytes(m.protect(ANN, OLD))
    linked.write_bytes(OLD)
    os.link(linked, folder / "other name")
    for path in (database, sidecar, container, linked):
        before = path.read_bytes()
        for mode in ("ab", "rb+"):
            with pytest.raises(mam.UnsupportedError) as caught:
                m.open_file(path, mode)
            assert caught.value.user_message and path.read_bytes() == before
        with m.open_file(path, "rb") as file:
            assert file.read() == before
    with pytest.raises(mam.UnsupportedError, match="sqlite_encrypt"):
        m.open_file(database, "ab")


def test_it_is_open_for_writing_elsewhere(m: mam.Mam, desk: Office) -> None:
    path = Path(desk.folder) / "unowned"
    path.write_bytes(OLD)
    with m.open_file(path, "ab") as held:
        folder = Path(desk.folder)
        os.rename(path, folder / "renamed")
        (folder / "hers").mkdir()
        m.file_protect(folder / "hers", ANN)
        os.rename(folder / "renamed", folder / "hers" / "a")
        with pytest.raises(mam.BusyError):
            m.open_file(folder / "hers" / "a", "ab")
        held.write(b"more")
    with m.open_file(folder / "hers" / "a", "ab") as file:
        file.write(SECRET)
    assert is_secret((folder / "hers" / "a").read_bytes())


@pytest.mark.parametrize("content", [b"", OLD])
def test_many_threads_open_it_at_once(m: mam.Mam, folder: Path, content: bytes) -> None:
    path = folder / "log"
    for _ in range(5):
        path.unlink(missing_ok=True)
        path.write_bytes(content)
        start, failed = threading.Barrier(6), []

        def write(number: int) -> None:
            start.wait()
            try:
                with m.open_file(path, "ab", buffering=0) as file:
                    file.write(b"line %d\n" % number)
            except mam.MamError as error:
                failed.append(error)

        threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # A thread that finds the file open for writing may fail with BusyError; nothing is lost, and nothing is in the clear.
        assert not [error for error in failed if not isinstance(error, mam.BusyError)]
        with m.open_file(path, "rb") as file:
            data = file.read()
        assert data.startswith(content) and data.count(b"line") == 6 - len(failed) >= 1
        assert b"line" not in path.read_bytes()


def test_a_closed_account_is_written_for(desk: Office) -> None:
    policy = desk.policy(appDataEncryptionType="whenDeviceLocked")
    m = desk.open(enroll=ANN, worker=False)
    folder = Path(desk.folder) / "hers"
    folder.mkdir()
    m.file_protect(folder, ANN)
    (folder / "a").write_bytes(OLD)
    desk.change(policy, minimumRequiredSdkVersion="99.0")
    m.check_in(ANN).wait(30)
    assert m.launch().wait(30).outcome == "blocked"
    with pytest.raises(mam.LockedError):
        m.open_file(folder / "a", "rb+")
    assert (folder / "a").read_bytes() == OLD
    with m.open_file(folder / "a", "ab", buffering=0) as file:
        file.write(SECRET)
    assert is_secret((folder / "a").read_bytes()) and OLD not in (folder / "a").read_bytes()
