"""Files of Ann in every form, and every call that could give one to another owner or overwrite it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

from names import ANN, SECRET, Place, traces

OWNER = "user.mam.owner"


def _sealed(place: Place) -> Path:
    return place.sealed()


def _labelled(place: Place) -> Path:
    """Plain, with her label."""
    path = place.sealed()
    place.m.file_decrypt(path)
    return path


def _stripped(place: Place) -> Path:
    """Without its attribute: only the index knows it."""
    path = place.sealed()
    os.removexattr(path, OWNER)
    return path


def _stripped_plain(place: Place) -> Path:
    path = _labelled(place)
    os.removexattr(path, OWNER)
    return path


def _copied(place: Place) -> Path:
    """Copied by another program without attributes: only its content names the owner."""
    path = place.path()
    shutil.copyfile(place.sealed(), path)
    return path


def _container(place: Place) -> Path:
    return place.file(place.m.protect(ANN, SECRET))


def _in_her_directory(place: Place) -> Path:
    """Plain, written by another program into her directory."""
    folder = place.path()
    folder.mkdir()
    place.m.file_protect(folder, ANN)
    (folder / "file").write_bytes(SECRET)
    return folder / "file"


def _database(place: Place) -> Path:
    path = place.path()
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE notes (text)")
        database.execute("INSERT INTO notes VALUES (?)", (SECRET.decode(),))
    place.m.sqlite_encrypt(path, ANN)
    return path


FORMS: dict[str, Callable[[Place], Path]] = {
    "sealed": _sealed,
    "plain and labelled": _labelled,
    "sealed, attribute stripped": _stripped,
    "plain, attribute stripped": _stripped_plain,
    "sealed, copied by others": _copied,
    "container": _container,
    "in her directory": _in_her_directory,
}
DATABASES: dict[str, Callable[[Place], Path]] = {"encrypted database": _database}


def _create(place: Place, path: Path, name: str | None) -> None:
    with place.m.open_file(path, "wb", account=name) as file:
        file.write(b"something else")


GIVE: dict[str, Callable[[Place, Path, str | None], object]] = {
    "mam_file_protect": lambda place, path, name: place.m.file_protect(path, name),
    "mam_file_verify_and_protect": lambda place, path, name: place.m.file_verify_and_protect(path, name),
    "mam_file_encrypt": lambda place, path, name: place.m.file_encrypt(path, name),
    "mam_file_create": _create,
    "mam_file_unmanage": lambda place, path, name: place.m.file_unmanage(path, name),
}
GIVE_DATABASE: dict[str, Callable[[Place, Path, str], object]] = {
    "mam_sqlite_encrypt": lambda place, path, name: place.m.sqlite_encrypt(path, name),
    "mam_sqlite_decrypt": lambda place, path, name: place.m.sqlite_decrypt(path, name),
}


def whole(place: Place, path: Path) -> tuple[object, ...]:
    """Everything that a refused call may not have changed."""
    info = place.m.file_info(path)
    return traces(path), info
