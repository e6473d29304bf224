"""An owned file that is truncated to zero without an account argument: the owner of the new content, and that a wipe of the
former owner leaves it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import mam
import pytest
from conftest import BEN, EVE
from names import ANN, ANN_ID, BEN_ID, FAR, MISSPELT, SECRET, Place, identity_is, is_secret, traces

TEXT = b"nobody's own text, and nothing of Ann's"
#: Both ways to truncate a file without naming an account.
WAYS = ["mam_file_create", "mam_file_open"]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Ann is enrolled in an app that separates identities, so that there is no identity until one is set."""
    with Place.make(tmp_path, settings={"MultiIdentity": True}) as place:
        place.enroll()
        yield place


def cut(place: Place, path: Path, way: str, text: bytes = TEXT) -> None:
    """Truncate it, and write."""
    # The binding refuses to create a file without an identity, and has no mode to truncate one otherwise.
    from mam import _ffi
    from mam._call import C, check
    from mam._context import Carried

    handle, written, raw = _ffi.FileHandle(), _ffi.Size(), os.fsencode(path)
    with Carried(place.m):
        if way == "mam_file_create":
            check(C.mam_file_create(place.m._handle, raw, os.O_WRONLY, 0o600, None, _ffi.byref(handle)))
        else:
            check(C.mam_file_open(place.m._handle, raw, os.O_RDWR | os.O_TRUNC, _ffi.byref(handle)))
    check(C.mam_file_write(handle, text, len(text), _ffi.byref(written)))
    C.mam_file_close(handle)


def her_directory(place: Place) -> Path:
    folder = place.path()
    folder.mkdir()
    place.m.file_protect(folder, ANN)
    return folder


def warnings(place: Place) -> list[str]:
    return [str(event.raw) for event in place.m.events(timeout=0) if event.kind == mam.EventKind.WARNING]


def wipe(place: Place) -> None:
    assert place.m.wipe_account(ANN).wait(30).succeeded


@pytest.mark.parametrize("where", ["thread", "process"])
@pytest.mark.parametrize("way", WAYS)
def test_the_empty_identity(place: Place, way: str, where: str) -> None:
    path = place.sealed()
    with identity_is(place.m, where, ""):
        cut(place, path, way)
    info = place.m.file_info(path)
    assert (info.account_id, info.known, info.disagreement) == ("", "both", None)
    assert path.read_bytes() == TEXT
    wipe(place)
    assert path.read_bytes() == TEXT


@pytest.mark.parametrize("where", ["thread", "process"])
@pytest.mark.parametrize("way", WAYS)
def test_the_empty_identity_in_her_directory(place: Place, way: str, where: str) -> None:
    path = her_directory(place) / "file"
    with place.m.open_file(path, "wb", account=ANN) as file:
        file.write(SECRET)
    with identity_is(place.m, where, ""):
        cut(place, path, way)
    assert place.m.file_info(path).account_id == "" and path.read_bytes() == TEXT
    wipe(place)
    assert path.read_bytes() == TEXT


@pytest.mark.parametrize("where", ["thread", "process"])
@pytest.mark.parametrize("way", WAYS)
def test_with_an_identity(place: Place, way: str, where: str) -> None:
    """For a personal account, a managed one, and refused names, which truncate nothing."""
    place.enroll(BEN)
    path = place.sealed()
    for name, owner in ((EVE, EVE), (BEN, BEN_ID), (ANN, ANN_ID), (ANN_ID, ANN_ID)):
        with identity_is(place.m, where, name):
            cut(place, path, way)
        info = place.m.file_info(path)
        assert (info.account_id, info.disagreement) == (owner, None)
        assert (TEXT in path.read_bytes()) is (name == EVE)
    before = traces(path)
    for name in (MISSPELT, FAR):
        with identity_is(place.m, where, name), pytest.raises(mam.NotFoundError):
            cut(place, path, way)
        assert traces(path) == before
    assert place.m.wipe_account(BEN).wait(30).succeeded
    with identity_is(place.m, where, BEN), pytest.raises(mam.NotEnrolledError):
        cut(place, path, way)
    assert traces(path) == before


@pytest.mark.parametrize("form", ["sealed", "plain"])
@pytest.mark.parametrize("way", WAYS)
def test_without_an_identity(place: Place, way: str, form: str) -> None:
    """The file loses its own label, and the warning names the former owner."""
    path = place.sealed()
    if form == "plain":
        place.m.file_decrypt(path)
    warnings(place)
    cut(place, path, way)
    assert place.m.file_info(path).account_id is None
    assert path.read_bytes() == TEXT
    messages = warnings(place)
    assert [one for one in messages if ANN in one or ANN_ID in one], messages
    wipe(place)
    assert path.read_bytes() == TEXT


@pytest.mark.parametrize("way", WAYS)
def test_without_an_identity_in_her_directory(place: Place, way: str) -> None:
    """It is hers, and sealed as her policy requires."""
    path = her_directory(place) / "file"
    with place.m.open_file(path, "wb", account=ANN) as file:
        file.write(SECRET)
    cut(place, path, way)
    info = place.m.file_info(path)
    assert info.account_id == ANN_ID and TEXT not in path.read_bytes()
    with place.m.open_file(path, "rb") as file:
        assert file.read() == TEXT
    wipe(place)
    assert not path.exists()


@pytest.mark.parametrize("way", WAYS)
def test_another_account_s_file_in_her_directory(place: Place, way: str) -> None:
    """Truncated without an identity, it belongs to her directory again."""
    path = her_directory(place) / "file"
    with place.m.open_file(path, "wb", account=EVE) as file:
        file.write(b"Eve's")
    cut(place, path, way)
    assert place.m.file_info(path).account_id == ANN_ID
    assert TEXT not in path.read_bytes()


def test_a_new_file_in_her_directory(place: Place) -> None:
    path = her_directory(place) / "file"
    with place.m.open_file(path, "wb") as file:
        file.write(SECRET)
    assert place.m.file_info(path).account_id == ANN_ID and is_secret(path.read_bytes())
    deep = path.parent / "below"
    deep.mkdir()
    with place.m.open_file(deep / "file", "wb") as file:
        file.write(SECRET)
    assert place.m.file_info(deep / "file").account_id == ANN_ID and is_secret((deep / "file").read_bytes())
    wipe(place)
    assert not path.exists()


def test_a_new_file_elsewhere_has_no_owner(place: Place) -> None:
    path = place.path()
    warnings(place)
    cut(place, path, "mam_file_create")
    assert path.read_bytes() == TEXT and place.m.file_info(path).account_id is None
    assert not warnings(place)


@pytest.mark.parametrize("way", WAYS)
def test_without_identities_it_is_the_accounts(tmp_path: Path, way: str) -> None:
    """The common case: no MultiIdentity, and the process acts for the one enrolled account."""
    with Place.make(tmp_path) as place:
        place.enroll()
        path = place.sealed()
        cut(place, path, way)
        assert place.m.file_info(path).account_id == ANN_ID and TEXT not in path.read_bytes()


@pytest.mark.parametrize("way", WAYS)
def test_two_accounts_without_an_identity(tmp_path: Path, way: str) -> None:
    with Place.make(tmp_path) as place:
        place.enroll()
        place.enroll(BEN)
        path, hers = place.sealed(), her_directory(place) / "file"
        hers.write_bytes(SECRET)
        cut(place, path, way)
        assert place.m.file_info(path).account_id is None and path.read_bytes() == TEXT
        cut(place, hers, way)
        assert place.m.file_info(hers).account_id == ANN_ID and TEXT not in hers.read_bytes()
