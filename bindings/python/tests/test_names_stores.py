"""Every function that stores data, with names of every kind: nothing new of a managed or retired name is plain, and an
unknown name gives no access."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mam
import pytest
from conftest import EVE
from names import HISTORIES, STRICT, Name, Place, explains, identity_is
from names_stores import NEEDS_SOMEBODY, STORES, Stored, expected, fault_of

WORLDS = [(history, two, later) for two in (False, True) for history in HISTORIES for later in (False, True)]


def titled(world: tuple[str, bool, bool]) -> str:
    history, two, later = world
    return f"{history}, {'two accounts' if two else 'one account'}, {'a later session' if later else 'the same session'}"


@pytest.fixture(scope="module", params=WORLDS, ids=titled)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    history, two, later = request.param
    with Place.make(tmp_path_factory.mktemp("names"), STRICT) as place:
        place.live(history, two).introduce()
        if later:
            place.reopen()
        yield place


def try_one(function: str, place: Place, name: Name, *, beside: str = "", by: str = "") -> str:
    """Call with a name, which an identity gives (`by`) or which is an argument with another identity set (`beside`). Returns
    the fault, or ""."""
    given = None if by else name.text
    stored: Stored | None = None
    error: mam.MamError | None = None
    with identity_is(place.m, by or beside, name.text if by else EVE):
        try:
            stored = STORES[function].run(place, given)
        except mam.MamError as caught:
            error = caught
    status = 0 if error is None else int(error.status)
    allowed = expected(function, place, name)
    if by and name.standing == "nobody" and function == "mam_file_encrypt":
        allowed = {mam.Status.NOT_MANAGED}  # no identity is set, which is no mistake of the caller's
    if status not in allowed:
        return f"answers {status} ({error}) instead of {sorted(allowed)}"
    if stored is not None:
        return fault_of(function, place, name, stored)
    assert error is not None
    codes = {100} if function in NEEDS_SOMEBODY else {106} if place.is_managing else {100, 106}
    if status == mam.Status.NOT_MANAGED and error.original_code not in codes:
        return f"has originalCode {error.original_code} instead of {codes}"
    return explains(error, name)


def report(found: list[tuple[Any, str]]) -> None:
    wrong = [f"{what}: {fault}" for what, fault in found if fault]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("function", STORES)
def test_named(place: Place, function: str) -> None:
    report([(name, try_one(function, place, name)) for name in place.names()])


@pytest.mark.parametrize("where", ["thread", "process"])
@pytest.mark.parametrize("function", STORES)
def test_named_beside_another_identity(place: Place, function: str, where: str) -> None:
    """The identity does not affect a call that names its account."""
    kinds = ("current UPN", "former UPN 1", "misspelt local part", "misspelt domain", "known", "nobody")
    names = [one for one in place.names() if one.kind in kinds]
    report([(name, try_one(function, place, name, beside=where)) for name in names])


@pytest.mark.parametrize("where", ["thread", "process"])
@pytest.mark.parametrize("function", [name for name, store in STORES.items() if store.null == "identity"])
def test_by_the_identity(place: Place, function: str, where: str) -> None:
    """With NULL the call uses the identity's name."""
    names = [one for one in place.names() if one.text is not None]
    report([(name, try_one(function, place, name, by=where)) for name in names])
