"""Files through `open_file`: wrapped by io, and used by other libraries."""

from __future__ import annotations

import io
import os
import pathlib
import random
import sqlite3
import tarfile
import zipfile
from collections.abc import Iterator

import mam
import pytest
from conftest import ANN, EVE, POLICY, Office

MARK = b"the minutes of a meeting that nobody else may read"


@pytest.fixture
def office(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Office:
    """An office whose policy requires encryption."""
    monkeypatch.setitem(POLICY, "appDataEncryptionType", "whenDeviceLocked")
    return Office.make(tmp_path)


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "notes"


@pytest.fixture
def raw(enrolled: mam.Mam, path: pathlib.Path) -> Iterator[mam.File]:
    with enrolled.open_file(path, "w+b", 0, account=ANN) as file:
        yield file


def test_written_data_reads_back_and_is_sealed(enrolled: mam.Mam, path: pathlib.Path) -> None:
    with enrolled.open_file(path, "wb", account=ANN) as file:
        file.write(MARK)
    assert MARK not in path.read_bytes()
    assert path.read_bytes()[:4] == b"MAM\2"
    with enrolled.open_file(path, "rb") as file:
        assert file.read() == MARK


@pytest.mark.parametrize("mode", ["w", "x", "a"])
def test_a_file_is_created_for_the_current_identity(enrolled: mam.Mam, path: pathlib.Path, mode: str) -> None:
    other = path.with_name("encrypted")
    other.touch()
    with enrolled.identity(EVE):
        enrolled.open_file(path, mode).close()
        with pytest.raises(mam.NotManagedError):
            enrolled.file_encrypt(other)
    assert enrolled.file_info(path).account_id == EVE
    with enrolled.identity(ANN):
        enrolled.open_file(path, "w").close()
        enrolled.file_encrypt(other)
    ann = enrolled.enrolled_accounts()[0].account_id
    assert [enrolled.file_info(made).account_id for made in (path, other)] == [ann, ann]
    with enrolled.identity(EVE):  # an existing file keeps its owner
        enrolled.open_file(path, "a").close()
    assert enrolled.file_info(path).account_id == ann


def test_text(enrolled: mam.Mam, path: pathlib.Path) -> None:
    with enrolled.open_file(path, "w", encoding="utf-8", account=ANN) as file:
        print("één\nzwei", file=file)
    with enrolled.open_file(path, encoding="utf-8") as file:
        assert list(file) == ["één\n", "zwei\n"]
    with enrolled.open_file(path, "a", encoding="utf-8") as file:
        file.write("drei")
    with enrolled.open_file(path, "r", encoding="utf-8") as file:
        assert file.read() == "één\nzwei\ndrei"


def test_modes_are_those_of_open(enrolled: mam.Mam, path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError) as missing:
        enrolled.open_file(path, "rb")
    assert missing.value.filename == str(path)
    with enrolled.open_file(path, "xb", account=ANN) as file:
        assert isinstance(file, io.BufferedWriter)
    with pytest.raises(FileExistsError):
        enrolled.open_file(path, "xb", account=ANN)
    with enrolled.open_file(path, "r+b") as file:
        assert isinstance(file, io.BufferedRandom)
    with enrolled.open_file(path.with_name("log"), "ab", account=ANN) as file:
        file.write(b"one")
    with enrolled.open_file(path.with_name("log"), "ab") as file:
        file.write(b"two")
    with enrolled.open_file(path.with_name("log"), "rb", 0) as file:
        assert isinstance(file, mam.File) and file.readall() == b"onetwo"
        with pytest.raises(io.UnsupportedOperation):
            file.write(b"x")
        with pytest.raises(io.UnsupportedOperation):
            file.fileno()
    for mode in ("", "q", "rw", "rbt", "rr"):
        with pytest.raises(ValueError, match="mode"):
            enrolled.open_file(path, mode)
    with pytest.raises(mam.UnsupportedError, match="directory"):
        enrolled.open_file(path.parent)


def test_a_random_run_equals_a_plain_file(raw: mam.File, tmp_path: pathlib.Path) -> None:
    seed = random.randrange(1 << 32)
    dice = random.Random(seed)
    with io.BufferedRandom(raw) as file, (tmp_path / "plain").open("w+b") as plain:
        for _ in range(2000):
            what, at, size = dice.random(), dice.randrange(300_000), dice.randrange(1, 20_000)
            if what < 0.4:
                data = dice.randbytes(size)
                for one in (file, plain):
                    one.seek(at)
                    one.write(data)
            elif what < 0.9:
                read = []
                for one in (file, plain):
                    one.seek(at)
                    read.append(one.read(size))
                assert read[0] == read[1], seed
            elif what < 0.95:
                assert file.truncate(at) == plain.truncate(at)
            else:
                assert file.seek(0, 2) == plain.seek(0, 2)


def test_zip_and_tar_work_on_it(enrolled: mam.Mam, path: pathlib.Path) -> None:
    contents = {f"file{i}": os.urandom(i * 1000) for i in range(20)}
    with enrolled.open_file(path, "w+b", account=ANN) as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in contents.items():
                archive.writestr(name, data)
        with zipfile.ZipFile(file, "a") as archive:
            archive.writestr("last", b"appended")
        with zipfile.ZipFile(file) as archive:
            assert archive.testzip() is None
            assert {name: archive.read(name) for name in contents} == contents
            assert archive.read("last") == b"appended"
    with enrolled.open_file(path, "w+b", account=ANN) as file:
        with tarfile.open(fileobj=file, mode="w") as tape:
            for name, data in contents.items():
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tape.addfile(info, io.BytesIO(data))
        file.seek(0)
        with tarfile.open(fileobj=file) as tape:
            found = {one.name: tape.extractfile(one).read() for one in tape}  # type: ignore[union-attr]
        assert found == contents


def test_a_closed_file_raises(raw: mam.File) -> None:
    raw.close()
    raw.close()
    assert raw.closed
    for call in (raw.readable, raw.tell, raw.readall, lambda: raw.write(b"x"), raw.size, lambda: raw.pread(1, 0)):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_pread_and_pwrite_leave_the_position(raw: mam.File) -> None:
    raw.write(b"0123456789")
    assert raw.pwrite(b"xy", 3) == 2
    assert raw.pread(4, 2) == b"2xy5"
    assert raw.pread(100, 8) == b"89"
    assert raw.pread(5, 10) == b""
    assert raw.tell() == raw.size() == 10
    raw.sync()
    raw.datasync()


def test_a_damaged_record_reports_its_offset(raw: mam.File, enrolled: mam.Mam, path: pathlib.Path) -> None:
    raw.write(bytes(10_000))
    raw.sync()
    raw.close()
    with path.open("r+b") as file:
        file.seek(4096 * 3 + 17)  # header, table, record 0, record 1
        file.write(b"x")
    with enrolled.open_file(path, "rb", 0) as damaged:
        assert damaged.pread(10_000, 0) == bytes(4096)
        with pytest.raises(mam.DamagedError) as error:
            damaged.pread(1, 5000)
        assert error.value.detail["offset"] == 4096
        assert error.value.original_code == 103
        assert damaged.pread(100, 8192) == bytes(100)


def left_of(m: mam.Mam) -> tuple[mam.FileLeft, ...]:
    """The files that the latest protection of a directory left."""
    return next(event.named for event in m.events(timeout=0) if isinstance(event, mam.WarningEvent))


def test_protecting_a_directory_again_leaves_personal_files(enrolled: mam.Mam, tmp_path: pathlib.Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    for _ in range(2):
        with enrolled.open_file(work / "mine", "w", account="") as file:
            file.write("personal")
        enrolled.file_protect(work, ANN)
        assert [(one.path, one.reason) for one in left_of(enrolled)] == [(f"{work}/mine", mam.LeftReason.NO_USER)]
    enrolled.wipe_account(ANN).wait(timeout=30)
    assert (work / "mine").read_text() == "personal"


def test_the_state_has_no_owner(enrolled: mam.Mam, office: Office, tmp_path: pathlib.Path) -> None:
    database = next(tmp_path.rglob("state.db"))
    before = database.read_bytes()[:100]
    for one in (database, database.parent, database.parent / "shares"):
        with pytest.raises(mam.ArgumentError, match="own state"):
            enrolled.file_protect(one, ANN)
    with pytest.raises(mam.ArgumentError, match="own state"):
        enrolled.file_encrypt(database, ANN)
    with pytest.raises(mam.ArgumentError, match="own state"):
        enrolled.file_import(__file__, "", database.parent / "copy")
    with pytest.raises(mam.ArgumentError, match="own state"):
        enrolled.open_file(database, "wb", account=ANN)
    for path in (database, database.parent / "new.db"):
        for account in (ANN, ""):
            with pytest.raises((mam.MamError, sqlite3.Error), match="own state"):
                enrolled.connect_sqlite(path, account=account).execute("CREATE TABLE t (a)")
    assert not (database.parent / "new.db").exists()
    (tmp_path / "notes").write_bytes(MARK)
    key = tmp_path / "authority.db.key"
    content = key.read_bytes()
    enrolled.file_protect(tmp_path, ANN)
    left = left_of(enrolled)
    assert {pathlib.Path(one.path).name for one in left} == {"authority.db", key.name, "state"}
    assert {one.reason for one in left} == {mam.LeftReason.LIBMAM}
    assert database.read_bytes()[:100] == before
    assert key.read_bytes() == content
    enrolled.wipe_account(ANN).wait(timeout=30)
    assert not (tmp_path / "notes").exists()
    assert database.exists()
    assert key.exists()
    with office.open() as again:
        assert again.registered_accounts() == []


def test_a_directory_reports_files_that_could_not_be_sealed(enrolled: mam.Mam, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "one").write_bytes(MARK)
    (folder / "two").write_bytes(MARK)
    os.link(folder / "one", tmp_path / "another name")
    (folder / "link").symlink_to("two")
    with pytest.raises(mam.UnsupportedError, match="hard links"):
        enrolled.file_protect(folder, ANN)
    assert enrolled.file_is_encrypted(folder / "two")
