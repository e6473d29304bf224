"""Every call that takes the protection off data, or lets it out of the app: its run, and the bytes that came out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mam
from conftest import BEN, EVE
from names import ANN, SECRET, Place

Release = Callable[[Place, Path], bytes]


def _export(location: mam.SaveLocation, account: str | None = None) -> Release:
    def run(place: Place, path: Path) -> bytes:
        target = place.path()
        place.m.file_export(path, location, target, location_account=account)
        return target.read_bytes()

    return run


def _after(change: Callable[[Place, Path], None]) -> Release:
    def run(place: Place, path: Path) -> bytes:
        change(place, path)
        return path.read_bytes()

    return run


def _check(place: Place, path: Path) -> bytes:
    """The question of a host before it shows "Save as"."""
    return SECRET if place.m.check("saveTo", ANN, location="localDrive").allowed else b""


#: Calls that release a file, by the function of mam.h.
RELEASES: dict[str, Release] = {
    "mam_file_export": _export(mam.SaveLocation.LOCAL_DRIVE),
    "mam_file_export, other": _export(mam.SaveLocation.OTHER),
    "mam_file_export, a person's account": _export(mam.SaveLocation.ACCOUNT_DOCUMENT, EVE),
    "mam_file_decrypt": _after(lambda place, path: place.m.file_decrypt(path)),
    "mam_file_unmanage": _after(lambda place, path: place.m.file_unmanage(path, "")),
    "mam_file_unmanage, a person's account": _after(lambda place, path: place.m.file_unmanage(path, EVE)),
    "mam_file_protect, nobody": _after(lambda place, path: place.m.file_protect(path, "")),
    "mam_file_verify_and_protect, a person's account": _after(lambda place, path: place.m.file_verify_and_protect(path, EVE)),
    "mam_file_protect, another account": _after(lambda place, path: place.m.file_protect(path, BEN)),
    "mam_policy_check": _check,
}
RELEASES_OF_DATABASES: dict[str, Release] = {
    "mam_sqlite_decrypt": _after(lambda place, path: place.m.sqlite_decrypt(path, ANN)),
    "mam_file_export": _export(mam.SaveLocation.LOCAL_DRIVE),
    "mam_file_decrypt": RELEASES["mam_file_decrypt"],
    "mam_file_unmanage": RELEASES["mam_file_unmanage"],
}


def rows(place: Place, path: Path) -> list[str]:
    """The content of a database, by Ann's file system."""
    database = place.m.connect_sqlite(path, account=ANN)
    try:
        return [text for (text,) in database.execute("SELECT text FROM notes")]
    finally:
        database.close()


def read(place: Place, path: Path) -> bytes:
    """The app reads a file."""
    data: bytes
    with place.m.open_file(path, "rb") as file:
        data = file.read()
    return place.m.unprotect(data) if data[:3] == b"MAM" else data


__all__ = ["RELEASES", "RELEASES_OF_DATABASES", "read", "rows"]
