"""Every function of mam.h that stores data for a name: its call, and the stored data."""

from __future__ import annotations

import base64
import contextlib
import itertools
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mam
from mam._call import last_error
from names import ANN_ID, BEN_ID, SECRET, Name, Place, is_secret

_counter = itertools.count(1)
S = mam.Status


@dataclass(frozen=True)
class Stored:
    """The stored bytes on the disk or in the buffer, and the owner that libmam reports; None: unknown."""

    data: bytes
    owner: str | None


@dataclass(frozen=True)
class Store:
    """`run` stores SECRET for a name. `null`: the meaning of NULL, "argument" or "identity". `empty`: the result for "".
    `unmanaged`: the result for other unmanaged names. `owns`: the stored data then belongs to the name."""

    run: Callable[[Place, str | None], Stored]
    null: str = "argument"
    empty: int = S.OK
    unmanaged: int = S.OK
    owns: bool = True


def _container(place: Place, data: bytes) -> Stored:
    return Stored(data, place.m.protection_info(data).account_id)


def _file(place: Place, path: Path) -> Stored:
    return Stored(path.read_bytes(), place.m.file_info(path).account_id)


def _name(name: str | None) -> str:
    """For methods that do not take None: C takes NULL, the binding raises TypeError."""
    if name is None:
        raise mam.ArgumentError(S.ARGUMENT, "argument", "the binding takes no None here", {"argument": "account"})
    return name


def _protect(place: Place, name: str | None) -> Stored:
    return _container(place, place.m.protect(_name(name), SECRET))


def _protect_into(place: Place, name: str | None) -> Stored:
    room = bytearray(mam.protect_bound(len(SECRET)))
    return _container(place, bytes(room[: place.m.protect_into(_name(name), SECRET, room)]))


def _protect_string(place: Place, name: str | None) -> Stored:
    return _container(place, base64.b64decode(place.m.protect_string(_name(name), SECRET.decode())))


def _protect_stream(place: Place, name: str | None) -> Stored:
    return _container(place, b"".join(place.m.protect_chunks(_name(name), [SECRET])))


def _check(place: Place, name: str | None) -> Stored:
    """Stores nothing: its answer alone counts."""
    place.m.check_name(_name(name))
    return Stored(b"", None)


def _create(place: Place, name: str | None) -> Stored:
    path = place.path()
    with place.m.open_file(path, "wb", account=name) as file:
        file.write(SECRET)
    return _file(place, path)


def _file_protect(place: Place, name: str | None) -> Stored:
    path = place.file()
    place.m.file_protect(path, name)
    return _file(place, path)


def _verify_and_protect(place: Place, name: str | None) -> Stored:
    path = place.file()
    place.m.file_verify_and_protect(path, name)
    return _file(place, path)


def _encrypt(place: Place, name: str | None) -> Stored:
    path = place.file()
    place.m.file_encrypt(path, name)
    return _file(place, path)


def _import(place: Place, name: str | None) -> Stored:
    target = place.path()
    place.m.file_import(place.file(), name, target)
    return _file(place, target)


def _export(place: Place, name: str | None) -> Stored:
    """Export a file without an owner to a location of the name: it stays without an owner."""
    target = place.path()
    place.m.file_export(place.file(), mam.SaveLocation.ACCOUNT_DOCUMENT, target, location_account=name)
    return _file(place, target)


def _database(path: Path, vfs: str) -> None:
    with contextlib.closing(sqlite3.connect(f"file:{path}?vfs={vfs}", uri=True)) as database, database:
        database.execute("CREATE TABLE notes (text)")
        database.execute("INSERT INTO notes VALUES (?)", (SECRET.decode(),))


def _vfs_register(place: Place, name: str | None) -> Stored:
    vfs, path = f"names{next(_counter)}", place.path()
    place.m.register_sqlite_vfs(_name(name), vfs)
    try:
        _database(path, vfs)
    except sqlite3.Error as error:
        # The VFS may exist for databases that are still readable; SQLite does not say libmam's reason.
        raise last_error() or error from error
    return _file(place, path)


def _sqlite_encrypt(place: Place, name: str | None) -> Stored:
    path = place.path()
    _database(path, "unix")
    place.m.sqlite_encrypt(path, _name(name))
    return _file(place, path)


STORES: dict[str, Store] = {
    "mam_protect": Store(_protect),
    "mam_protect_into": Store(_protect_into),
    "mam_protect_string": Store(_protect_string),
    "mam_protect_stream_open": Store(_protect_stream),
    "mam_check_name": Store(_check, owns=False),
    "mam_file_create": Store(_create, "identity"),
    "mam_file_protect": Store(_file_protect, "identity"),
    "mam_file_verify_and_protect": Store(_verify_and_protect, "identity"),
    "mam_file_encrypt": Store(_encrypt, "identity", S.ARGUMENT, S.NOT_MANAGED),
    "mam_file_import": Store(_import, "identity"),
    "mam_file_export": Store(_export, "unknown", owns=False),
    "mam_sqlite_vfs_register": Store(_vfs_register, owns=False),
    "mam_sqlite_encrypt": Store(_sqlite_encrypt, "argument", S.ARGUMENT, S.NOT_MANAGED),
}

#: Calls that fail with MAM_ERR_NOT_MANAGED and 100 if no account is enrolled.
NEEDS_SOMEBODY = ("mam_protect", "mam_protect_into", "mam_protect_string", "mam_protect_stream_open", "mam_file_protect",
                  "mam_file_verify_and_protect")  # fmt: skip


def acting(place: Place) -> str:
    """The standing of NULL if no identity is set and the setting MultiIdentity is false: the one enrolled account's."""
    return "managed" if (place.left is None) != place.has_ben else "nobody"


def is_ambiguous(place: Place) -> bool:
    """NULL would be nobody though two accounts are enrolled, which the binding refuses."""
    return place.left is None and place.has_ben


def acting_id(place: Place) -> str:
    """The account of `acting`."""
    return ANN_ID if place.left is None else BEN_ID


def expected(function: str, place: Place, name: Name) -> set[int]:
    """The statuses that a call with a name may have."""
    store, standing = STORES[function], name.standing
    if standing == "null":
        if store.null == "argument" or (store.null == "identity" and is_ambiguous(place)):
            return {S.ARGUMENT}
        standing = acting(place) if store.null == "identity" else "outsider"
    if standing == "retired":
        # Either rule refuses an export: nothing new is stored for the name, and nothing is saved to it.
        return {S.NOT_ENROLLED, S.DENIED} if function == "mam_file_export" else {S.NOT_ENROLLED}
    if standing == "stranger":
        return {S.NOT_FOUND}
    if not place.is_managing and function in NEEDS_SOMEBODY:
        return {S.NOT_MANAGED}
    if standing == "managed":
        return {S.OK}
    if standing == "nobody":
        return {store.empty} if name.text == "" else {store.empty, store.unmanaged}
    return {store.unmanaged}


def fault_of(function: str, place: Place, name: Name, stored: Stored) -> str:
    """The fault of the data that a successful call stored; "" if it is right."""
    if not STORES[function].owns and function != "mam_sqlite_vfs_register":
        return ""
    standing, own_id = name.standing, ANN_ID
    if standing == "null":
        standing, own_id = acting(place), acting_id(place)
    if standing == "managed":
        if not is_secret(stored.data):
            return "it stored a managed account's data in the clear"
        return "" if stored.owner == own_id else f"it is {stored.owner!r}'s instead of {own_id}'s"
    if is_secret(stored.data):
        return "nobody manages the name, and it is sealed"
    wanted = {"", None} if standing == "nobody" else {name.text, (name.text or "").lower()}
    if STORES[function].owns and place.is_managing and stored.owner not in wanted:
        return f"it is {stored.owner!r}'s"
    return ""
