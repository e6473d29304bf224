"""Broken input of every kind: a clear error, and no data is lost."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import ANN, APP, EVE, POLICY, Office
from mam._call import C
from mam._ffi import Text, byref

PLAIN = b"minutes of the meeting"


def call_text(function: Any, *arguments: Any) -> int:
    """The status of a C function that returns text, without the text."""
    out = Text()
    status = int(function(*arguments, byref(out)))
    assert bool(out.value) is (status == 0)
    C.mam_free(out)
    return status


def test_json_that_is_too_long(enrolled: mam.Mam, office: Office) -> None:
    request = b'{"action":"print","account":"' + b"a" * (4 << 20) + b'"}'
    assert call_text(C.mam_policy_check, enrolled._handle, request) == mam.Status.JSON
    request = json.dumps({"action": "user.add", "upn": ANN, "displayName": "a" * (16 << 20)}).encode()
    assert call_text(C.mam_admin, os.fsencode(office.authority.path), request) == mam.Status.JSON


ACCOUNTS = ["a" * 257, " ann", "ann ", "a\nb", "a\x7f", "\u00a0ann", b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", "a\0b"]


@pytest.mark.parametrize("account", ACCOUNTS)
def test_invalid_account_names(enrolled: mam.Mam, account: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: enrolled.policy(account),
        lambda: enrolled.protect(account, PLAIN),
        lambda: enrolled.protect_into(account, PLAIN, bytearray(1000)),
        lambda: enrolled.protect_string(account, "minutes"),
        lambda: enrolled.check_in(account),
        lambda: enrolled.deregister_and_unenroll(account),
        lambda: enrolled.wipe_account(account),
    ]
    for call in calls:
        with pytest.raises(mam.ArgumentError):
            call()
    with enrolled.policy(ANN) as policy, pytest.raises(mam.ArgumentError):
        policy.is_save_to_allowed(mam.SaveLocation.BOX, account)
    assert len(enrolled.enrolled_accounts()) == 1


def test_a_name_of_the_longest_length(enrolled: mam.Mam) -> None:
    name = "a" * 256
    assert enrolled.protection_info(enrolled.protect(name, PLAIN)).account_id == name


@pytest.mark.parametrize(
    ("action", "location"),
    [("saveTo", "localDrive"), ("saveTo", "cameraRoll"), ("openFrom", "camera"), ("openFrom", "photos"),
     ("openFrom", "localStorage")],
)  # fmt: skip
@pytest.mark.parametrize("account", [ANN, EVE, ""])
def test_a_location_without_accounts(enrolled: mam.Mam, account: str, action: Any, location: str) -> None:
    """An account there is refused under any policy, and the reason names no setting."""
    for other in (ANN, EVE):
        decision = enrolled.check(action, account, location=location, location_account=other)
        assert not decision
        assert decision.reason is not None and decision.reason.setting is None and decision.reason.message


@pytest.mark.parametrize(
    ("property", "value"),
    [("printBlocked", "maybe"), ("printBlocked", 1), ("allowedOutboundDataTransferDestinations", "somebody"),
     ("appDataEncryptionType", 7), ("allowedDataStorageLocations", "oneDriveForBusiness"),
     ("periodOfflineBeforeAccessCheck", "-PT5M"), ("periodOfflineBeforeAccessCheck", "PT-5M"),
     ("periodOfflineBeforeAccessCheck", "soon"), ("minimumPinLength", -1)],
)  # fmt: skip
def test_invalid_policy_values(office: Office, property: str, value: Any) -> None:
    """They are imported, reported, read as the most restrictive value, and exported as they came."""
    document = {**POLICY, "id": "odd", property: value}
    imported = office.authority.import_policy(document)
    (warning,) = [one for one in imported.warnings if one.kind == "value"]
    assert property in str(warning.message)
    assert office.authority.export_policy(imported.policies[0].id) == document


@pytest.mark.parametrize("duration", ["PT0.5S", "P1Y2M3DT4H5M6S", "PT36H"])
def test_durations_that_are_unusual(office: Office, duration: str) -> None:
    document = {**POLICY, "id": "odd", "periodOfflineBeforeAccessCheck": duration}
    assert office.authority.export_policy(office.authority.import_policy(document).policies[0].id) == document


@pytest.mark.parametrize("document", [None, 5, "text", [], [5], {"value": 5}, {"value": []}])
def test_documents_that_are_not_policies(office: Office, document: Any) -> None:
    with pytest.raises((mam.MamError, TypeError)):
        office.authority.import_policy(document)
    assert [one.id for one in office.authority.policies()] == [office.policy.id]


# A sealed buffer.


@pytest.mark.parametrize("account", [ANN, EVE])
def test_every_bit_of_a_container(enrolled: mam.Mam, account: str) -> None:
    sealed = bytearray(enrolled.protect(account, PLAIN))
    for bit in range(len(sealed) * 8):
        sealed[bit // 8] ^= 1 << (bit % 8)
        with pytest.raises(mam.UnsupportedError if sealed[3] == 3 else mam.DataError):  # 3: an encrypted database
            enrolled.unprotect(sealed, strict=True)
        if bit >= 32:  # after the magic
            with pytest.raises(mam.DataError):
                enrolled.unprotect(sealed)
        sealed[bit // 8] ^= 1 << (bit % 8)
    assert enrolled.unprotect(sealed) == PLAIN


def test_every_length_of_a_container(enrolled: mam.Mam) -> None:
    sealed = enrolled.protect(ANN, PLAIN)
    for length in range(1, len(sealed)):
        with pytest.raises(mam.DataError):
            enrolled.unprotect(sealed[:length], strict=True)
        if length > 4:
            with pytest.raises(mam.DataError):
                enrolled.unprotect(sealed[:length])
    for extra in (b"\0", b"x" * 16, bytes(20_000), sealed):
        with pytest.raises(mam.DataError):
            enrolled.unprotect(sealed + extra)


# The state directory.


@pytest.fixture
def closed(office: Office) -> tuple[Office, bytes]:
    """Ann was enrolled, has a sealed buffer, and the session is closed."""
    with office.open() as session:
        assert session.register_and_enroll(ANN).wait(30)
        return office, session.protect(ANN, PLAIN)


def state_files(office: Office) -> dict[str, Path]:
    return {path.name: path for path in (office.folder / "state").rglob("*") if path.is_file()}


def key_file(office: Office) -> Path:
    (key,) = (path for name, path in state_files(office).items() if "key" in name)
    return key


def database(office: Office) -> Path:
    """The database is the largest file."""
    files = [path for path in state_files(office).values() if path.read_bytes()[:15] == b"SQLite format 3"]
    return max(files, key=lambda path: path.stat().st_size)


def opens_again(office: Office, sealed: bytes) -> None:
    """The failure lost nothing."""
    with office.open() as session:
        assert session.unprotect(sealed) == PLAIN


def test_a_key_file_that_others_can_read(closed: tuple[Office, bytes]) -> None:
    office, sealed = closed
    key = key_file(office)
    for mode in (0o644, 0o640, 0o602):
        key.chmod(mode)
        with pytest.raises(mam.PermissionError) as caught:
            office.open()
        assert str(key) in str(caught.value) or caught.value.detail.get("path")
    key.chmod(0o600)
    opens_again(office, sealed)


def test_a_missing_or_truncated_key_file(closed: tuple[Office, bytes]) -> None:
    office, sealed = closed
    key = key_file(office)
    kept = key.read_bytes()
    key.unlink()
    with pytest.raises(mam.KeyUnavailableError):
        office.open()
    assert not key.exists()
    for broken in (b"", kept[:-1], kept + b"x"):
        key.write_bytes(broken)
        key.chmod(0o600)
        with pytest.raises(mam.MamError):
            office.open()
        assert key.read_bytes() == broken
    key.write_bytes(kept)
    opens_again(office, sealed)


def test_a_folder_that_others_can_enter(closed: tuple[Office, bytes]) -> None:
    office, sealed = closed
    folder = key_file(office).parent
    folder.chmod(0o755)
    with pytest.raises(mam.PermissionError):
        office.open()
    folder.chmod(0o700)
    opens_again(office, sealed)


def test_a_state_directory_that_is_a_file(office: Office) -> None:
    (office.folder / "state").write_text("not a directory")
    with pytest.raises(mam.MamError):
        office.open()
    assert (office.folder / "state").read_text() == "not a directory"


def test_a_newer_schema(closed: tuple[Office, bytes]) -> None:
    office, sealed = closed
    path = database(office)
    with closing(sqlite3.connect(path)) as connection, connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        connection.execute(f"PRAGMA user_version = {version + 1000}")
    with pytest.raises(mam.VersionError):
        office.open()
    with closing(sqlite3.connect(path)) as connection, connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (version + 1000,)
        connection.execute(f"PRAGMA user_version = {version}")
    opens_again(office, sealed)


def test_a_file_that_is_not_a_database(closed: tuple[Office, bytes]) -> None:
    office, sealed = closed
    path = database(office)
    kept = path.read_bytes()
    for broken in (b"x" * len(kept), b"SQLite format 3\0" + os.urandom(len(kept) - 16)):
        path.write_bytes(broken)
        with pytest.raises((mam.StorageError, mam.TamperedError)):
            office.open()
    path.write_bytes(kept)
    opens_again(office, sealed)


def test_any_corrupt_page(closed: tuple[Office, bytes]) -> None:
    """Some error or the right answer, never a crash or another answer."""
    office, sealed = closed
    path = database(office)
    kept = path.read_bytes()
    code = (
        "import sys, mam\n"
        f"with mam.open({APP!r}, {office.authority.path!r}, worker=False,\n"
        f"              state_directory={str(office.folder / 'state')!r}) as m:\n"
        f"    assert m.unprotect(bytes.fromhex({sealed.hex()!r})) == {PLAIN!r}\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(mam.__file__).parent.parent), "LIBMAM_PATH": mam.library_path()}
    failed = 0
    for page in range(0, len(kept), 4096):
        path.write_bytes(kept[:page] + b"\xa5" * min(4096, len(kept) - page) + kept[page + 4096 :])
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, 1), (page, done.stderr)
        if done.returncode:
            failed += 1
            assert "mam.errors." in done.stderr and "AssertionError" not in done.stderr, done.stderr
        for name, extra in state_files(office).items():
            if name.endswith(("-wal", "-shm")):
                extra.unlink()
    assert failed
    path.write_bytes(kept)
    opens_again(office, sealed)


STARS = [
    "https://*" + "a*" * 60 + ".example/*",
    "https://" + "*." * 60 + "example/" + "*a" * 60,
    "https://a.example/" + "a*" * 500 + "b",
]


@pytest.mark.parametrize("pattern", [*STARS, "https://a.example/" + "(a+)+$", "https://" + "a" * 65_000 + ".example/*"])
def test_patterns_built_to_backtrack(office: Office, pattern: str) -> None:
    """They match nothing, however often they are listed: a link made for them stays refused, and the answer comes at
    once."""
    (policy,) = office.authority.import_policy({
        "@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "Stars", "managedBrowserToOpenLinksRequired": True,
        "exemptedUniversalLinks": [pattern] * 10, "managedUniversalLinks": [pattern] * 10,
    }).policies  # fmt: skip
    office.authority.assign(policy.id, all_users=True)
    office.authority.target(policy.id, all_apps=True)
    with office.open(worker=False) as m:
        assert m.register_and_enroll(ANN).wait(30)
        with m.policy(ANN) as held:
            for url in ("https://" + "a." * 100 + "example/" + "a" * 60_000, "https://a.example/" + "a" * 60_000):
                assert not held.is_url_allowed(url)
                assert not held.is_universal_link_allowed(url)
