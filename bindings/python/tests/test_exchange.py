"""Files exported to and imported from other apps: their form and their owner."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import ANN, APP, BEN, EVE, Office
from desk import FREE, Staff

PLAIN = b"the minutes of the meeting"
MANAGED = {"allowedInboundDataTransferSources": "managedApps", "allowedOutboundDataTransferDestinations": "managedApps"}
ENCRYPTED = {"appDataEncryptionType": "whenDeviceLocked"}


@pytest.fixture
def staff(office: Office) -> Any:
    with Staff(office) as staff:
        yield staff


def of(session: mam.Mam, account: str, path: Path) -> Path:
    """A file of an account, sealed; a plain one without an owner."""
    path.write_bytes(session.protect(account, PLAIN) if account else PLAIN)
    return path


def form(path: Path) -> str:
    """Whether everybody can read a file, or only holders of a key."""
    raw = path.read_bytes()
    return "plain" if raw == PLAIN else "sealed" if PLAIN not in raw else "labelled"


@pytest.mark.parametrize(
    ("policy", "account", "expected"),
    [
        ({}, ANN, "plain"),
        (ENCRYPTED, ANN, "plain"),  # data may go to all apps, so unmanaged apps need no key
        (MANAGED, ANN, "sealed"),
        ({**MANAGED, **ENCRYPTED}, ANN, "sealed"),
        (MANAGED, EVE, "plain"),
        (MANAGED, "", "plain"),
    ],
)
def test_the_form_of_an_export(staff: Staff, tmp_path: Path, policy: dict[str, Any], account: str, expected: str) -> None:
    staff.put([policy])
    source, target = of(staff.session, account, tmp_path / "source"), tmp_path / "target"
    staff.session.file_export(source, mam.SaveLocation.LOCAL_DRIVE, target)
    assert form(target) == expected
    if expected == "sealed":
        assert staff.session.protection_info(target.read_bytes()).content_type == "file"
        with pytest.raises(mam.KeyUnavailableError):
            staff.session.unprotect(target.read_bytes())


@pytest.mark.parametrize(
    ("policy", "sender", "receiver", "expected"),
    [
        ({}, "", ANN, "plain"),
        (ENCRYPTED, "", ANN, "sealed"),
        ({}, ANN, ANN, "sealed"),  # a sealed source stays sealed
        (MANAGED, ANN, BEN, "sealed"),
        ({}, EVE, "", "plain"),
        (MANAGED, ANN, EVE, None),
        (MANAGED, EVE, ANN, None),
        (MANAGED, "", ANN, None),
    ],
)
def test_the_form_of_an_import(
    staff: Staff, tmp_path: Path, policy: dict[str, Any], sender: str, receiver: str, expected: str | None
) -> None:
    staff.put([policy])
    source, target = of(staff.session, sender, tmp_path / "source"), tmp_path / "target"
    if expected is None:
        with pytest.raises(mam.DeniedError) as denied:
            staff.session.file_import(source, receiver, target)
        assert denied.value.detail["reason"]["policyId"] and not target.exists()
        return
    staff.session.file_import(source, receiver, target)
    assert form(target) == expected
    with staff.session.open_file(target, "rb") as file:
        assert file.read() == PLAIN
    ids = {one.upn: one.account_id for one in staff.session.enrolled_accounts()}
    info = staff.session.file_info(target)
    assert (info.account_id, info.known, info.encrypted) == (ids.get(receiver, receiver), "both", expected == "sealed")


def test_files_without_an_owner_become_the_importing_account_s(staff: Staff, tmp_path: Path) -> None:
    source, target = of(staff.session, "", tmp_path / "source"), tmp_path / "target"
    for policy, expected in (({}, "plain"), ({"protectInboundDataFromUnknownSources": True}, "sealed"), (
        {"protectInboundDataFromUnknownSources": True, "allowedInboundDataTransferSources": "managedApps"}, "plain",
    )):  # fmt: skip
        staff.put([policy])
        staff.session.file_import(source, "", target)
        assert form(target) == expected
        target.unlink()  # a copy without an owner does not replace an account's file


def test_an_import_is_for_the_current_identity(staff: Staff, tmp_path: Path) -> None:
    staff.put([ENCRYPTED])
    source, target = of(staff.session, "", tmp_path / "source"), tmp_path / "target"
    with pytest.raises(mam.ArgumentError, match="no identity"):  # two accounts are enrolled
        staff.session.file_import(source, None, target)
    with staff.session.identity(""):
        staff.session.file_import(source, None, target)
    assert form(target) == "plain"
    with staff.session.identity(ANN):
        staff.session.file_import(source, None, target)
    assert form(target) == "sealed"


def test_an_import_without_a_target_goes_to_the_app_s_folder(
    office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "plan.txt").write_bytes(PLAIN)
    for setting, folder in ((None, "Documents"), ("/in/box/", "in/box"), ("", "")):
        with office.open(settings={} if setting is None else {"DocumentBrowserFileCachePath": setting}) as session:
            place = Path(session.settings()["importFolder"])
            assert place == tmp_path / "data" / APP / folder
            session.file_import(tmp_path / "plan.txt", "")
            assert (place / "plan.txt").read_bytes() == PLAIN
            (place / "plan.txt").write_bytes(b"changed since")
            with pytest.raises(mam.AlreadyError):
                session.file_import(tmp_path / "plan.txt", "")
            assert (place / "plan.txt").read_bytes() == b"changed since"
            with pytest.raises(mam.ArgumentError):
                session.file_import(f"{tmp_path}/..", "")
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.delenv("HOME")
    with office.open() as session, pytest.raises(mam.ArgumentError, match="HOME"):
        assert session.settings()["importFolder"] is None
        session.file_import(tmp_path / "plan.txt", "")


def test_the_copy_keeps_permissions_and_replaces_the_target(enrolled: mam.Mam, tmp_path: Path) -> None:
    source, target = of(enrolled, "", tmp_path / "source"), tmp_path / "target"
    source.chmod(0o640)
    mask = os.umask(0o022)
    try:
        for _ in range(2):
            enrolled.file_export(source, mam.SaveLocation.OTHER, target)
            assert target.stat().st_mode & 0o777 == 0o640
        # An existing target keeps its own, as with cp: a private file stays private.
        target.chmod(0o600)
        enrolled.file_export(source, mam.SaveLocation.OTHER, target)
        assert target.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(mask)
    enrolled.file_export(bytes(source), mam.SaveLocation.OTHER, os.fsencode(target))
    files = sorted(one.name for one in tmp_path.iterdir() if one.is_file())
    assert [name for name in files if not name.startswith("authority.db")] == ["source", "target"]


def test_an_empty_file(staff: Staff, tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.touch()
    staff.put([ENCRYPTED])
    staff.session.file_import(source, ANN, target)
    assert staff.session.file_info(target).encrypted
    staff.session.file_export(target, mam.SaveLocation.OTHER, source)
    assert source.read_bytes() == b""


def test_owned_files_follow_their_owner_s_policy(staff: Staff, tmp_path: Path) -> None:
    staff.put([MANAGED])
    source, target = of(staff.session, "", tmp_path / "source"), tmp_path / "target"
    staff.session.file_protect(source, ANN)
    staff.session.file_export(source, mam.SaveLocation.LOCAL_DRIVE, target)
    assert form(target) == "sealed"
    with pytest.raises(mam.DeniedError):
        staff.session.file_import(source, EVE, tmp_path / "other")
    os.setxattr(source, "user.mam.owner", b"bent")
    staff.session.file_export(source, mam.SaveLocation.LOCAL_DRIVE, target)  # the index still knows it
    assert form(target) == "sealed"


def test_lock_down_blocks_exports(staff: Staff, tmp_path: Path) -> None:
    staff.put([MANAGED])
    source, target = of(staff.session, ANN, tmp_path / "source"), tmp_path / "target"
    staff.put([{"allowedOutboundDataTransferDestinations": "none"}])
    for location in mam.SaveLocation:
        with pytest.raises(mam.DeniedError):
            staff.session.file_export(source, location, target)
    assert not target.exists()


def test_arguments(enrolled: mam.Mam, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        enrolled.file_export(tmp_path / "none", mam.SaveLocation.OTHER, tmp_path / "x")
    with pytest.raises(TypeError):
        enrolled.file_export(tmp_path, 0, tmp_path)  # type: ignore[arg-type]
    with pytest.raises(mam.ArgumentError):
        enrolled.file_import("a\0b", None, tmp_path)
    with pytest.raises(mam.ArgumentError):
        enrolled.file_import("", ANN, tmp_path / "x")
    assert FREE["id"] == "free"
