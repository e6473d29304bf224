"""Names with something around or inside them that no account id and no UPN has: every function refuses them, whatever they seem
to mean, and stores nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mam
import pytest
from conftest import APP
from names import ANN, ANN_ID, HISTORIES, STRICT, Place
from names_asks import ASKS
from names_stores import STORES

#: As they come from headers of messages, links, lists, other alphabets and copied text.
MANGLED = [
    f"Ann <{ANN}>",
    f"<{ANN}>",
    f'"{ANN}"',
    f"\u201c{ANN}\u201d",
    f"({ANN})",
    f"[{ANN}]",
    f"{ANN} (Ann)",
    f"{{{ANN_ID}}}",
    f"<{ANN_ID}>",
    f"mailto:{ANN}",
    f"{ANN}:443",
    f"{ANN}?subject=x",
    f"{ANN}/inbox",
    f"{ANN}#x",
    f"{ANN}'",
    f"{ANN};",
    f"{ANN},ben@contoso.example",
    f"{ANN}.",
    "ann@contoso..example",
    "ann@.contoso.example",
    "ann@",
    "@contoso.example",
    "ann@@contoso.example",
    f"{ANN}@contoso.example",
    "ann @contoso.example",
    "ann@ contoso.example",
    "ann@contoso .example",
    "ann\u00a0@contoso.example",
    "contoso\\" + ANN,
    "ann@contoso.\uff45xample",
    "ann@\U0001d4econtoso.example",
    f"{ANN}\u200b",
    f"\u200e{ANN}",
    "ann\u00ad@contoso.example",
    f"\ufeff{ANN}",
    "ann\U000e0061@contoso.example",
    f"{ANN_ID}\u2060",
    "ann%40contoso.example",
    "ann\uff20contoso.example",
    "ann\ufe6bcontoso.example",
    "ann@contoso\u3002example",
    "ann@contoso\uff0eexample",
]
#: Names of a person's own accounts.
PERSONAL = [
    "Ann Example",
    "o'neil@home.example",
    "ann+news@home.example",
    "ann_fabrikam.example#EXT#@home.example",
    "j\u00f6rg@b\u00fccher.example",
    "root@localhost",
    "8a0e5f5e-3c5d-4a88-9c57-1a3f5e0d2b11",
    "zoe",
    "matrix/ann",
]


@pytest.fixture(scope="module", params=["nobody", *HISTORIES])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with Place.make(tmp_path_factory.mktemp("mangled"), STRICT) as place:
        if request.param != "nobody":
            place.live(request.param, two=False)
        yield place


@pytest.mark.parametrize("function", STORES)
def test_nothing_is_stored(place: Place, function: str) -> None:
    for name in MANGLED:
        with pytest.raises(mam.ArgumentError) as caught:
            STORES[function].run(place, name)
        assert caught.value.detail.get("argument"), name


@pytest.mark.parametrize("function", ASKS)
def test_nothing_is_answered(place: Place, function: str) -> None:
    for name in MANGLED:
        with pytest.raises(mam.ArgumentError):
            print(name, ASKS[function].run(place, name))


def test_no_account_gets_it(place: Place) -> None:
    for name in MANGLED:
        for call in (place.m.register_and_enroll, place.m.login_and_enroll, place.m.register_account, place.m.set_process_identity):
            with pytest.raises(mam.ArgumentError):
                call(name)
        with pytest.raises(mam.ArgumentError):
            place.authority.add_user(name)
        with pytest.raises(mam.ArgumentError):
            place.authority.set_user(ANN_ID, upn=name)


def test_a_person_has_it(place: Place) -> None:
    for name in PERSONAL:
        with place.m.policy(name) as policy:
            assert policy.is_print_allowed, name


@pytest.mark.parametrize(
    "domain", ["", "*.contoso.example", "contoso.example.", ".contoso.example", "@contoso.example", "a b", "x:1"]
)
@pytest.mark.parametrize("argument", ["organization_domains", "additional_organization_domains"])
def test_a_domain_that_matches_nothing(tmp_path: object, domain: str, argument: str, place: Place) -> None:
    stated: dict[str, Any] = {argument: [domain]}
    with pytest.raises(mam.MamError, match=rf"^{argument} "):
        mam.open(APP, place.authority.path, state_directory=f"{tmp_path}/s", **stated)
