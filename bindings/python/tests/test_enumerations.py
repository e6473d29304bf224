"""Every parameter that takes a member of an enumeration: a number or a member of another enumeration is a TypeError."""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import functions
import mam
import pytest
from conftest import ANN, Office

Enums = frozenset[type[enum.Enum]]
#: The numbers: a text, or a member of another enumeration with that text, says itself what is meant.
ENUMS: dict[str, type[enum.Enum]] = {
    name: value
    for name in mam.__all__
    if inspect.isclass(value := getattr(mam, name))
    and type(value) is enum.EnumMeta
    and issubclass(value, enum.Enum)
    and issubclass(value, int)
}


@dataclass(frozen=True)
class Parameter:
    function: str
    name: str
    kinds: Enums
    takes_name: bool
    takes_none: bool

    def __str__(self) -> str:
        return f"{self.function}-{self.name}"


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for name in mam.__all__:
        value = getattr(mam, name)
        if inspect.isfunction(value):
            yield name, value
        elif inspect.isclass(value):
            for method, function in inspect.getmembers(value, inspect.isfunction):
                if not method.startswith("_"):
                    yield f"{name}.{method}", function


def parameters() -> list[Parameter]:
    found = []
    for function, value in public_functions():
        for one in inspect.signature(value).parameters.values():
            words = set(re.findall(r"\w+", str(one.annotation)))
            if kinds := frozenset(ENUMS[word] for word in words & ENUMS.keys()):
                found.append(Parameter(function, one.name, kinds, "str" in words, "None" in words))
    return found


PARAMETERS = parameters()


@dataclass
class Made:
    session: mam.Mam
    policy: mam.Policy
    config: mam.AppConfig
    office: Office

    def export(self, **changed: Any) -> None:
        source, target = self.office.folder / "source", self.office.folder / "target"
        source.write_text("x")
        keys = {"location": mam.SaveLocation.OTHER, "location_account": None, "target": target, **changed}
        self.session.file_export(source, **keys)


#: Calls with valid arguments except those given by name.
CALLS: dict[str, Callable[..., object]] = {
    "request": lambda made, **changed: mam.request(**{"action": "saveTo", "account": ANN, **changed}),
    "Mam.check": lambda made, **changed: made.session.check(**{"action": "saveTo", "account": ANN, **changed}),
    "Mam.effective_identity": lambda made, **changed: made.session.effective_identity(**changed),
    "Mam.report_screen_lock": lambda made, **changed: made.session.report_screen_lock(**changed),
    "Mam.set_log": lambda made, **changed: made.session.set_log(None, **changed),
    "Mam.set_telemetry": lambda made, **changed: made.session.set_telemetry(None, **changed),
    "Mam.export_bytes": lambda made, **changed: made.session.export_bytes(
        b"x", **{"location": mam.SaveLocation.OTHER, "account": ANN, **changed}
    ),
    "Mam.file_export": lambda made, **changed: made.export(**changed),
    "Policy.is_document_picker_allowed": lambda made, **changed: made.policy.is_document_picker_allowed(**changed),
    "Policy.is_save_to_allowed": lambda made, **changed: made.policy.is_save_to_allowed(**changed),
    "Policy.reason": lambda made, **changed: made.policy.reason(mam.Action.DOCUMENT_PICKER, **changed),
    "Policy.save_to_reason": lambda made, **changed: made.policy.save_to_reason(**changed),
    "Policy.open_from_reason": lambda made, **changed: made.policy.open_from_reason(**changed),
    "Policy.is_open_from_allowed": lambda made, **changed: made.policy.is_open_from_allowed(**changed),
    "AppConfig.boolean": lambda made, **changed: made.config.boolean("key", **changed),
    "AppConfig.number": lambda made, **changed: made.config.number("key", **changed),
    "AppConfig.integer": lambda made, **changed: made.config.integer("key", **changed),
    "AppConfig.string": lambda made, **changed: made.config.string("key", **changed),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    office = Office.make(tmp_path_factory.mktemp("office"))
    with office.open() as session:
        assert session.register_and_enroll(ANN).wait(30)
        with session.policy(ANN) as policy, session.app_config(ANN) as config:
            yield Made(session, policy, config, office)


def test_every_function_has_its_call() -> None:
    assert {one.function for one in PARAMETERS} == set(CALLS)


def test_the_binding_has_an_enumeration_wherever_mam_h_has_one() -> None:
    """Where a C function takes the number of an enumeration, its Python form refuses a bare number."""
    names = {"mam_app_config_bool": "AppConfig.boolean"}
    for row in functions.ROWS.values():
        if not row.of_kind("save", "open", "mode", "task", "level", "privacy", "query", "screen"):
            continue
        short = row.name.removeprefix("mam_")
        classes = {"policy_": "Policy", "app_config_": "AppConfig"}
        start = next((one for one in classes if short.startswith(one)), "")
        method = names.get(row.name, f"{classes.get(start, 'Mam')}.{short.removeprefix(start)}")
        assert method in CALLS, row.name


def wrong_for(kinds: Enums, one: Parameter) -> list[Any]:
    members = [member for kind in ENUMS.values() if kind not in kinds for member in kind]
    numbers = [-1, 0, 1, 32, 2**32, True, False, 0.0]
    return [*members, *numbers, b"box", object(), *([] if one.takes_name else ["box", "0"]), *([] if one.takes_none else [None])]


@pytest.mark.parametrize("one", PARAMETERS, ids=str)
def test_numbers_and_members_of_others(made: Made, one: Parameter) -> None:
    kinds = one.kinds - {mam.OpenLocation} if len(one.kinds) > 1 else one.kinds  # these calls save
    for wrong in wrong_for(kinds, one):
        with pytest.raises(TypeError, match=rf"^{one.name} must be .*mam\.{next(iter(kinds)).__name__}\b"):
            pytest.fail(f"{wrong!r} answered {CALLS[one.function](made, **{one.name: wrong})!r}")


@pytest.mark.parametrize("one", [one for one in PARAMETERS if one.name == "location" and len(one.kinds) > 1], ids=str)
def test_locations_of_the_other_direction(made: Made, one: Parameter) -> None:
    for wrong in [*mam.SaveLocation, 32]:
        with pytest.raises(TypeError, match=r"location must be mam\.OpenLocation or its name"):
            CALLS[one.function](made, action="openFrom", location=wrong)
    for action, kind in (("saveTo", mam.SaveLocation), ("openFrom", mam.OpenLocation)):
        for right in kind:
            assert CALLS[one.function](made, action=action, location=right) is not None


@pytest.mark.parametrize("one", [one for one in PARAMETERS if len(one.kinds) == 1], ids=str)
def test_members(made: Made, one: Parameter) -> None:
    (kind,) = one.kinds
    more = {"action": "documentPicker"} if one.function in ("request", "Mam.check") else {}
    for right in kind:
        try:
            CALLS[one.function](made, **more, **{one.name: right})
        except mam.DeniedError:
            assert one.function in ("Mam.file_export", "Mam.export_bytes")


def test_other_arguments_of_check(made: Made) -> None:
    wrong: Any
    for wrong in (5, True, None, b"saveTo", mam.EventKind.WARNING):
        with pytest.raises(TypeError, match=r"action must be mam.Action or its name"):
            made.session.check(wrong, ANN)
    for wrong in (0, 1, "yes", object()):
        with pytest.raises(TypeError, match="known_managed_scheme must be bool"):
            made.session.check("url", ANN, url="https://a.example", known_managed_scheme=wrong)
    with pytest.raises(TypeError, match="url must be str or bytes"):
        made.session.check("url", ANN, url=5)  # type: ignore[arg-type]
    assert made.session.check("url", ANN, url=b"https://a.example") == made.session.check("url", ANN, url="https://a.example")
