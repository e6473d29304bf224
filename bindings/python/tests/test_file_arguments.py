"""The arguments that `open_file` shares with the built-in `open`."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import ANN, POLICY, Office


@pytest.fixture
def m(office: Office) -> Iterator[mam.Mam]:
    office.authority.import_policy({**POLICY, "id": office.policy.id, "appDataEncryptionType": "whenDeviceLocked"})
    with office.open() as session:
        assert session.register_and_enroll(ANN).wait(30)
        yield session


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "folder").mkdir()
    descriptor = os.open(tmp_path / "folder", os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def opened(m: mam.Mam, how: str, folder: int, mode: str) -> Any:
    if how == "dir_fd":
        return m.open_file("notes", mode, account=ANN, dir_fd=folder)
    return m.open_file("notes", mode, account=ANN, opener=partial(os.open, dir_fd=folder))


@pytest.mark.parametrize("how", ["dir_fd", "opener"])
def test_in_a_directory(m: mam.Mam, folder: int, tmp_path: Path, how: str) -> None:
    """Each mode is what the built-in `open` makes of it, in a directory that was moved meanwhile."""
    (tmp_path / "folder").rename(tmp_path / "moved")
    path = tmp_path / "moved" / "notes"
    for mode in ("r", "r+"):
        with pytest.raises(FileNotFoundError):
            opened(m, how, folder, mode)
    for mode, text in (("a", "one"), ("a", "onetwo"), ("w", "new"), ("a+", "new+"), ("w+", "again")):
        with opened(m, how, folder, mode) as file:
            file.write(text if "w" in mode else text[-3:] if mode == "a" else "+")
        assert m.open_file(path).read() == text, mode
        assert m.file_is_encrypted(path) and m.file_info(path).account_id
    with opened(m, how, folder, "r+") as file:
        file.write("A")
        file.seek(0)
        assert file.read() == "Again"
    with pytest.raises(FileExistsError):
        opened(m, how, folder, "x")
    path.unlink()
    with opened(m, how, folder, "xb") as file:
        file.write(b"x")
    assert m.file_is_encrypted(path)


def test_an_opener_never_truncates(m: mam.Mam, tmp_path: Path) -> None:
    seen: list[int] = []

    def opener(path: str, flags: int) -> int:
        seen.append(flags)
        return os.open(path, flags, 0o600)

    (tmp_path / "plain").write_text("kept")
    with m.open_file(tmp_path / "plain", "w", account=ANN, opener=opener):
        pass
    assert seen and not any(flags & os.O_TRUNC for flags in seen)
    with pytest.raises(ValueError, match="opener returned -1"):
        m.open_file(tmp_path / "plain", opener=lambda path, flags: -1)


def test_descriptors(m: mam.Mam, tmp_path: Path) -> None:
    path = tmp_path / "notes"
    with m.open_file(path, "w", account=ANN) as file:
        file.write("text")
    descriptor = os.open(path, os.O_RDWR)
    with m.open_file(descriptor, closefd=False) as file:
        assert (file.name, file.read()) == (descriptor, "text")
    os.fstat(descriptor)
    with m.open_file(descriptor, "ab") as file:
        file.write(b"!")
    with pytest.raises(OSError) as closed:
        os.fstat(descriptor)
    assert closed.value.errno == errno.EBADF
    assert m.open_file(path).read() == "text!"


def test_descriptors_of_nothing(m: mam.Mam, tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.touch()
    descriptor = os.open(path, os.O_RDWR)
    for change in (path.unlink, path.touch):
        change()
        for mode in ("r", "w", "x", "a"):
            with pytest.raises(FileNotFoundError):
                m.open_file(descriptor, mode, account=ANN, closefd=False)
    assert sorted(one.name for one in tmp_path.iterdir() if one.name.startswith("notes")) == ["notes"]
    os.close(descriptor)
    read, write = os.pipe()
    with pytest.raises(mam.UnsupportedError):
        m.open_file(read, closefd=False)
    os.close(read)
    os.close(write)


def test_mistakes(m: mam.Mam, folder: int, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="closefd"):
        m.open_file(tmp_path / "a", closefd=False)
    with pytest.raises(ValueError, match="neither opener nor dir_fd"):
        m.open_file(folder, dir_fd=folder)
    with pytest.raises(TypeError):
        m.open_file(True)
    with pytest.raises(TypeError):
        m.open_file(None)  # type: ignore[call-overload]


def test_errors_are_python_s(m: mam.Mam, tmp_path: Path) -> None:
    expected: dict[str, tuple[type[OSError], type[mam.MamError], int]] = {
        "none": (FileNotFoundError, mam.FileNotFoundError, errno.ENOENT),
        "": (IsADirectoryError, mam.IsADirectoryError, errno.EISDIR),
    }
    for name, (python, own, number) in expected.items():
        path = tmp_path / name
        with pytest.raises(python) as caught:
            m.open_file(path)
        assert isinstance(caught.value, own)
        assert (caught.value.errno, caught.value.filename) == (number, str(path)) and caught.value.strerror
    (tmp_path / "there").touch()
    with pytest.raises(FileExistsError) as there:
        m.open_file(tmp_path / "there", "x", account=ANN)
    assert type(there.value) is mam.FileExistsError and there.value.errno == errno.EEXIST
