"""Exports and imports of bytes."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import mam
import pytest
from conftest import ANN, POLICY, Office

DRIVE = mam.SaveLocation.ONEDRIVE_FOR_BUSINESS


@pytest.fixture
def apps(office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[mam.Mam, mam.Mam]]:
    """Two apps of Ann's, and a place for temporary files that must be empty at the end."""
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    office.authority.target(office.policy.id, "com.example.viewer")
    with office.open() as m, office.open(app="com.example.viewer") as viewer:
        for session in (m, viewer):
            assert session.register_and_enroll(ANN).wait(30)
        yield m, viewer
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("data", [b"", b"the plan", bytes(300_000)], ids=["empty", "short", "long"])
@pytest.mark.parametrize("demand", [False, True], ids=["plain files", "sealed files"])
def test_there_and_back(apps: tuple[mam.Mam, mam.Mam], office: Office, data: bytes, demand: bool) -> None:
    if demand:
        office.authority.import_policy({**POLICY, "id": office.policy.id, "appDataEncryptionType": "whenDeviceLocked"})
    m, viewer = apps
    for session in apps:
        assert session.check_in(ANN).wait(30)
    exported = m.export_bytes(memoryview(data), DRIVE, ANN, account=ANN)
    assert exported[:4] == b"MAM\x01" and (len(data) != 8 or data not in exported)
    assert viewer.import_bytes(bytearray(exported), ANN) == data
    with m.identity(ANN), viewer.identity(ANN):
        assert viewer.import_bytes(m.export_bytes(data, DRIVE, ANN)) == data


def test_refusals_name_no_file(apps: tuple[mam.Mam, mam.Mam]) -> None:
    m, viewer = apps
    with pytest.raises(PermissionError, match=r"^Saving to localDrive is refused") as refused:
        m.export_bytes(b"x", mam.SaveLocation.LOCAL_DRIVE, account=ANN)
    assert isinstance(refused.value, mam.DeniedError)
    assert refused.value.detail["reason"]["setting"] and refused.value.filename is None
    with pytest.raises(mam.DeniedError, match=r"^Receiving the data is refused"):
        viewer.import_bytes(b"from somewhere", ANN)
    with pytest.raises(TypeError, match="bytes-like"):
        viewer.import_bytes("text", ANN)  # type: ignore[arg-type]


def test_personal_data_is_plain(apps: tuple[mam.Mam, mam.Mam]) -> None:
    m, viewer = apps
    exported = m.export_bytes(b"mine", mam.SaveLocation.LOCAL_DRIVE, account="")
    assert exported == b"mine" == viewer.import_bytes(exported, "")


def test_a_session_uses_few_paths(apps: tuple[mam.Mam, mam.Mam]) -> None:
    """The index of owners has a row for each."""
    m, viewer = apps
    exported = m.export_bytes(b"x", DRIVE, ANN, account=ANN)
    for _ in range(5):
        viewer.import_bytes(exported, ANN)
    assert viewer.wipe_account(ANN).wait(30)
    (files,) = [event.files for event in viewer.events(timeout=0) if isinstance(event, mam.WipeCompletedEvent)]
    assert files is not None and files.known <= 1


def test_the_folder_is_private(apps: tuple[mam.Mam, mam.Mam], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = tmp_path / "runtime"
    runtime.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    with apps[0]._folder() as folder:
        assert Path(folder).parent == runtime and os.stat(folder).st_mode & 0o777 == 0o700
    os.mkdir(folder)
    (Path(folder) / "theirs").touch()
    with apps[0]._folder() as other:
        assert other != folder
    assert [str(path) for path in runtime.iterdir()] == [folder]


def test_what_a_killed_process_left_is_removed(apps: tuple[mam.Mam, mam.Mam]) -> None:
    place = Path(tempfile.gettempdir())
    left, used, other = (place / name for name in ("mam-bytes-left", "mam-bytes-used", "mam-other"))
    for folder in (left, used, other):
        folder.mkdir(mode=0o700)
        (folder / "target").write_bytes(b"the plan")
    (place / "mam-bytes-link").symlink_to(other)
    lock = os.open(used, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_SH)
    assert apps[0].export_bytes(b"the plan", DRIVE, ANN, account=ANN)
    assert not left.exists() and (used / "target").exists() and (other / "target").exists()
    os.close(lock)
    (place / "mam-bytes-link").unlink()
    for folder in (used, other):
        shutil.rmtree(folder)
