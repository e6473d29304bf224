"""Files with libmam's data in another form, and plain files of a managed account."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import mam
import pytest
from conftest import ANN, EVE, Office

PLAIN = bytes(range(256)) * 100


@pytest.fixture
def m(office: Office) -> Iterator[mam.Mam]:
    """Ann's files need not be encrypted."""
    with office.open() as session:
        session.register_and_enroll(ANN).wait(30)
        yield session


def test_a_stream_in_a_file_is_decrypted(m: mam.Mam, tmp_path: Path) -> None:
    path, copy = tmp_path / "plan", tmp_path / "copy"
    with path.open("wb") as file:
        m.protect_stream(ANN, io.BytesIO(PLAIN), file)
    assert m.file_is_encrypted(path)
    m.file_decrypt_copy(path, copy)
    assert copy.read_bytes() == PLAIN and m.file_is_encrypted(path)
    m.file_decrypt(path)
    assert path.read_bytes() == PLAIN and not m.file_is_encrypted(path)


def test_other_forms_name_their_call(m: mam.Mam, tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.write_bytes(PLAIN)
    m.file_encrypt(path, ANN)
    for strict in (False, True):
        with pytest.raises(mam.UnsupportedError, match=r"Mam\.open_file"):
            m.unprotect(path.read_bytes(), strict=strict)
        with pytest.raises(mam.UnsupportedError, match=r"Mam\.open_file"):
            m.unprotect_stream(io.BytesIO(path.read_bytes()), io.BytesIO(), strict=strict)


def test_a_plain_file_is_closed_with_its_owner(m: mam.Mam, tmp_path: Path) -> None:
    path, other = tmp_path / "plan", tmp_path / "other"
    with m.open_file(path, "w+b", buffering=0, account=ANN) as file, m.open_file(other, "w+b", account=EVE) as bystander:
        file.write(PLAIN)
        assert path.read_bytes() == PLAIN
        m.wipe_account(ANN).wait(30)
        with pytest.raises(mam.ClosedError):
            file.pread(1, 0)
        with pytest.raises(mam.ClosedError):
            file.write(b"x")
        bystander.write(b"x")
