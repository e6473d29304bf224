"""A sealed file that lost its header is damaged, not plain; and plain files that were sealed once are plain."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import mam
import pytest
from mam.testing import Office
from names import ANN, SECRET
from test_sealed_first import OLD, desk, folder, m  # noqa: F401


def sealed(m: mam.Mam, path: Path, length: int = 9000) -> Path:
    with m.open_file(path, "wb", account=ANN) as file:
        file.write((SECRET * length)[:length])
    return path


def overwrite(path: Path, data: bytes, at: int = 0) -> bytes:
    with path.open("rb+") as file:
        file.seek(at)
        file.write(data)
    return path.read_bytes()


@pytest.mark.parametrize(
    "damage",
    [(b"\0" * 4096, 0), (b"\0" * 4, 0), (b"X", 0), (b"X", 1), (b"X", 2), (b"\0", 3), (b"plain text", 0), (b"\0" * 8192, 0)],
    ids=str,
)
@pytest.mark.parametrize("length", [0, 9000])
def test_a_sealed_file_without_its_header_is_damaged(m: mam.Mam, desk: Office, damage: tuple[bytes, int], length: int) -> None:
    path, to = sealed(m, Path(desk.folder) / "a", length), Path(desk.folder) / "to"
    before = overwrite(path, *damage)
    calls: list[Callable[[], object]] = [
        lambda: m.open_file(path, "rb"),
        lambda: m.open_file(path, "ab"),
        lambda: m.open_file(path, "rb+"),
        lambda: m.file_is_encrypted(path),
        lambda: m.file_protect(path, ANN),
        lambda: m.file_verify_and_protect(path, ANN),
        lambda: m.file_encrypt(path, ANN),
        lambda: m.file_decrypt(path),
        lambda: m.file_decrypt_copy(path, to),
        lambda: m.file_export(path, mam.SaveLocation.LOCAL_DRIVE, to),
        lambda: m.file_import(path, ANN, to),
        lambda: m.file_reprotect(path),
    ]
    for number, call in enumerate(calls):
        with pytest.raises(mam.DamagedError) as caught:
            call()
        assert str(path) in caught.value.message and caught.value.message_key == "errorDamaged", number
        assert path.read_bytes() == before and not to.exists(), number
    assert m.file_info(path).account_id
    with m.open_file(path, "wb", account=ANN) as file:  # a new content takes its place
        file.write(SECRET)
    with m.open_file(path, "rb") as file:
        assert file.read() == SECRET


def test_a_damaged_file_in_a_directory_is_reported_and_stays(m: mam.Mam, folder: Path) -> None:
    path = sealed(m, folder / "a")
    (folder / "b").write_bytes(OLD)
    before = overwrite(path, b"\0" * 4096)
    with pytest.raises(mam.DamagedError, match="a: was sealed"):
        m.file_verify_and_protect(folder, ANN)
    assert path.read_bytes() == before and m.file_is_encrypted(folder / "b")


def test_without_the_mark_it_is_taken_as_it_is(m: mam.Mam, desk: Office) -> None:
    path = sealed(m, Path(desk.folder) / "a")
    before = overwrite(path, b"plain text")
    os.removexattr(path, "user.mam.sealed")
    with m.open_file(path, "rb") as file:
        assert file.read() == before


def test_what_is_plain_again_has_no_mark(m: mam.Mam, desk: Office) -> None:
    """Plain files that were sealed once, in every way in which a sealed file becomes plain."""
    folder = Path(desk.folder)
    decrypted, given, copied, exported, cut = (sealed(m, folder / name) for name in ("a", "b", "c", "d", "e"))
    m.file_decrypt(decrypted)
    m.file_unmanage(given, "")
    m.file_decrypt_copy(copied, folder / "c2")
    m.file_export(exported, mam.SaveLocation.LOCAL_DRIVE, folder / "d2")
    with m.open_file(cut, "wb", account=ANN) as file:
        file.write(OLD)
    shutil.copy2(copied, folder / "c3")
    for path in (decrypted, given, folder / "c2"):
        assert "user.mam.sealed" not in os.listxattr(path)
        path.write_bytes(OLD)
        with m.open_file(path, "rb") as file:
            assert file.read() == OLD
    for path in (copied, cut, folder / "c3"):
        assert "user.mam.sealed" in os.listxattr(path)
        assert m.file_is_encrypted(path)


def test_an_emptied_file_of_a_lenient_policy_is_plain(desk: Office) -> None:
    policy = desk.policy(appDataEncryptionType="whenDeviceLocked")
    m = desk.open(enroll=ANN, worker=False)
    path = sealed(m, Path(desk.folder) / "a")
    os.truncate(path, 0)
    with m.open_file(path, "rb") as file:
        assert file.read() == b""
    desk.change(policy, appDataEncryptionType="useDeviceSettings")
    m.check_in(ANN).wait(30)
    with m.open_file(path, "ab") as file:
        file.write(OLD)
    with m.open_file(path, "rb") as file:
        assert file.read() == OLD
    assert path.read_bytes() == OLD
