"""A person's own names while the only account is closed for good: they are stored and read as before, and hers are refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import mam
import pytest
from names import ANN, ANN_ID, STRICT, Place

PRIVATE = ("bob@gmail.com", "ann@home.example", "")
HERS = (ANN, ANN_ID, ANN.upper(), "new@" + ANN.partition("@")[2])


def _forget(place: Place) -> None:
    place.m.forget_authority()


def _lose_share(place: Place) -> None:
    place.close()
    (share,) = place.folder.rglob("shares/*")
    share.unlink()
    place.reopen()


def _damage_keys(place: Place) -> None:
    place.close()
    (database,) = place.folder.rglob("state.db")
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE account_keys SET wrapped = zeroblob(length(wrapped))")
    connection.close()
    place.reopen()


ENDS: dict[str, Callable[[Place], None]] = {
    "her authority is forgotten": _forget,
    "her share is lost": _lose_share,
    "her keys are damaged": _damage_keys,
}


@pytest.mark.parametrize("end", ENDS)
def test_a_person_s_own_names(tmp_path: Path, end: str) -> None:
    with Place.make(tmp_path, STRICT) as place:
        place.live("enrolled", False)
        before = place.m.protect(PRIVATE[0], b"mine")
        ENDS[end](place)
        for name in HERS:
            with pytest.raises(mam.MamError):
                place.m.check_name(name)
            with pytest.raises(mam.MamError):
                place.m.protect(name, b"hers")
        assert place.m.unprotect(before) == b"mine"
        for name in PRIVATE:
            place.m.check_name(name)
            assert place.m.unprotect(place.m.protect(name, b"mine")) == b"mine"
            path = place.path()
            with place.m.open_file(path, "wb", account=name) as file:
                file.write(b"mine")
            assert path.read_bytes() == b"mine"
            place.m.file_protect(path, account=name)
            with place.m.open_file(path, "rb") as file:
                assert file.read() == b"mine"
            with place.m.connect_sqlite(place.path(), account=name) as connection:
                connection.execute("CREATE TABLE t (a)")


@pytest.mark.parametrize("name", ["..", ".", "../ann", "a/b", "/etc"])
def test_a_name_that_leads_to_another_directory(tmp_path: Path, name: str) -> None:
    with Place.make(tmp_path, STRICT) as place:
        for is_enrolled in (False, True):
            if is_enrolled:
                place.enroll()
            with pytest.raises(mam.ArgumentError, match="part of one"):
                place.m.check_name(name)
