"""Questions about names of every kind: an account has the same answers under each of its names, data is neither released
under a retired name or a stranger's, nor goes to it, and any other name has the answers of an unmanaged user."""

from __future__ import annotations

from collections.abc import Iterator

import mam
import pytest
from conftest import EVE
from names import ANN, LOOSE, Name, Place, former
from names_asks import ASKS, Answer
from test_names_stores import WORLDS, report, titled

S = mam.Status


@pytest.fixture(scope="module", params=WORLDS, ids=titled)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    history, two, later = request.param
    with Place.make(tmp_path_factory.mktemp("names"), LOOSE) as place:
        place.live(history, two).introduce()
        if later:
            place.reopen()
        yield place


def answer(function: str, place: Place, name: str | None) -> Answer:
    """Its answer, or the status that it fails with."""
    try:
        return ASKS[function].run(place, name)
    except mam.MamError as error:
        assert error.message
        return error.status


def fault_of(function: str, place: Place, name: Name, managed: Answer, personal: Answer) -> str:
    ask, given = ASKS[function], answer(function, place, name.text)
    if name.standing == "managed":
        return "" if given == managed else f"{given} instead of {managed}"
    if ask.left and name.standing not in ("nobody", "null"):
        dropped = {former(number) for number in range(place.renamed - 16)}  # too old: kept as retired without their account
        has_left = name.standing == "retired" and str(name.text).lower() not in dropped
        return "" if (given is not None) == has_left else f"{given}"
    if ask.only_managed:
        allowed = {S.NOT_ENROLLED, S.ARGUMENT} if name.standing in ("nobody", "null") else {S.NOT_ENROLLED}
        return "" if given in allowed or name.standing == "null" else f"{given} instead of {sorted(allowed)}"
    if name.standing == "null":
        return ""  # each function defines NULL; mam.h has it in the table
    if ask.closes and name.standing in ("retired", "stranger"):
        if given[0] is not False:
            return "data may go there"
        return "" if given[1] or not has_reason(function) else "the refusal has no reason"
    if ask.own and name.standing in ("retired", "stranger"):
        return "" if ask.own(given) else f"{given}: data is released"
    if name.standing == "nobody":
        return ""
    return "" if given == personal else f"{given} instead of {personal}"


def has_reason(function: str) -> bool:
    """Predicates return only 0 or 1."""
    return "save_to" not in function


@pytest.mark.parametrize("function", ASKS)
def test_asked(place: Place, function: str) -> None:
    managed, personal = answer(function, place, ANN), answer(function, place, EVE)
    if place.left is None and (ASKS[function].differs or ASKS[function].only_managed):
        assert managed != personal, "the test tells nobody from Ann"
    if ASKS[function].closes:
        assert personal[0] is True, "the test's policy keeps data in"
    report([(name, fault_of(function, place, name, managed, personal)) for name in place.names()])
