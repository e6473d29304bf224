"""Parameters that take several names or several mappings: a single one is refused, and names the parameter."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mam
import mam.testing
import pytest
from conftest import ANN, Office

#: Parameters whose single text is one name, and not taken apart.
ONE_TOO = {("Mam.app_config", "accounts"), ("Mam.set_ui_identity", "identities")}
#: Sequences of anything, where a text is no mistake of this kind.
OTHERS = {("Mam.protect_chunks", "chunks"), ("Mam.unprotect_chunks", "chunks"), ("Policy.filter_share_targets", "targets"),
          ("Authority.import_policy", "document"), ("Authority.import_configuration", "document")}  # fmt: skip


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for module in pkgutil.iter_modules(mam.__path__):
        if module.name[0] != "_" and module.name not in ("opentelemetry", "pinentry"):
            loaded = importlib.import_module(f"mam.{module.name}")
            yield from ((name, one) for name, one in inspect.getmembers(loaded, inspect.isfunction) if name in mam.__all__)
    for cls in (mam.Mam, mam.Policy, mam.Authority, mam.testing.Office):
        yield from ((f"{cls.__name__}.{name}", one) for name, one in inspect.getmembers(cls, callable))


def lists(of: str) -> list[tuple[str, str]]:
    """The parameters with a type of several."""
    found = set()
    for name, function in functions():
        if name.rpartition(".")[2][0] == "_" or not inspect.isroutine(function):
            continue
        for parameter in inspect.signature(function).parameters.values():
            if of in str(parameter.annotation):
                found.add((name, parameter.name))
    return sorted(found)


NAMES = lists("Names[")
#: The other arguments that a call needs.
NEEDED: dict[str, tuple[Any, ...]] = {
    "open": ("com.example.notes", "/authority"),
    "simulate": ("/authority", []),
    "Authority.import_policy": ([],),
    "Authority.import_configuration": ([],),
}


def test_the_parameters_are_found() -> None:
    assert {parameter for _, parameter in NAMES} == {
        "extensions", "organization_domains", "additional_organization_domains", "domains", "users", "apps", "accounts",
        "identities", "groups",
    }  # fmt: skip
    for kind in ("Sequence[str", "Iterable[str", "list[str", "Collection[str"):
        assert lists(kind) == [], "a type checker would take one text for several: use Names"
    mappings = {*lists("Sequence["), *lists("Iterable[")} - OTHERS
    assert mappings == {
        ("Authority.import_users", "users"), ("Mam.check_many", "requests"), ("simulate", "changes"), ("simulate", "requests"),
    }  # fmt: skip


def target(name: str, enrolled: mam.Mam, office: Office, folder: Path) -> Callable[..., Any]:
    owner, _, method = name.rpartition(".")
    if not owner:
        return getattr(mam, method)  # type: ignore[no-any-return]
    (folder / "office").mkdir()
    made: dict[str, Any] = {"Mam": enrolled, "Authority": office.authority}
    return getattr(made[owner] if owner in made else mam.testing.Office(folder / "office"), method)  # type: ignore[no-any-return]


@pytest.mark.parametrize("one", [ANN, ANN.encode(), bytearray(b"contoso.example"), 5], ids=["str", "bytes", "bytearray", "int"])
@pytest.mark.parametrize(("name", "parameter"), [one for one in NAMES if one not in ONE_TOO])
def test_one_name_for_several(enrolled: mam.Mam, office: Office, tmp_path: Path, name: str, parameter: str, one: Any) -> None:
    call = target(name, enrolled, office, tmp_path)
    with pytest.raises(TypeError, match=f"^{parameter} must be a list of names, not {type(one).__name__}"):
        call(*NEEDED.get(name, ()), **{parameter: one})
    with pytest.raises(TypeError, match=f"^{parameter} must be str or bytes"):
        call(*NEEDED.get(name, ()), **{parameter: [5]})


@pytest.mark.parametrize("one", ["print", b"print", {"action": "print"}, ["print"], [5]], ids=repr)
def test_one_mapping_for_several(enrolled: mam.Mam, office: Office, one: Any) -> None:
    calls: dict[str, Callable[[], object]] = {
        "users": lambda: office.authority.import_users(one),
        "requests": lambda: enrolled.check_many(one),
        "changes": lambda: mam.simulate(office.authority, one),
    }
    for parameter, call in calls.items():
        with pytest.raises(TypeError, match=f"^{parameter} must be a list of mappings"):
            call()
    with pytest.raises(TypeError, match=r"^requests must be a list of mappings"):
        mam.simulate(office.authority, [], requests=one)


@pytest.mark.parametrize(
    "domain", ["", "*.contoso.example", "contoso.example.", ".contoso.example", "a..b", " a", "a b", "ann@a", "*"]
)
def test_domains_that_match_nothing(office: Office, domain: str) -> None:
    for argument in ("organization_domains", "additional_organization_domains"):
        with pytest.raises(ValueError, match=rf"^{argument} holds .* no domain") as error:
            office.open(**{argument: ["contoso.example", domain]})
        assert isinstance(error.value, mam.ArgumentError) and error.value.detail["argument"] == argument
    with pytest.raises(mam.ArgumentError, match=r"^domains holds .* no domain"):
        office.authority.set(domains=[domain])
    assert office.authority.show().domains == ()


def test_domains_that_match(office: Office) -> None:
    domains = ["contoso.example", "Mail.Contoso.example", "localhost", "münchen.example"]
    assert office.authority.set(domains=domains).domains
    with office.open(organization_domains=(one for one in domains)) as m:
        assert m.settings()["organizationDomains"] == domains
