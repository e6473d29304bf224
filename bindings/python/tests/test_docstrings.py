"""The output of `pydoc mam`: every public name is described, in Python's words."""

from __future__ import annotations

import ast
import enum
import inspect
import pydoc
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import header
import mam
import mam.exit_criteria
import mam.testing
import pytest
from mam._names import in_python, python_name

# 3.10 takes an alias like Delegate for a class.
CLASSES = [one for one in (getattr(mam, name) for name in mam.__all__) if inspect.isclass(one) and issubclass(type(one), type)]


def own(cls: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class or its parts define."""
    for part in cls.__mro__:
        if part.__module__.startswith("mam"):
            for name, value in vars(part).items():
                value = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
                if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    yield name, value


@pytest.mark.parametrize("cls", [*CLASSES, mam.testing.Office, mam.exit_criteria.Host], ids=lambda cls: cls.__name__)
def test_classes(cls: type) -> None:
    assert cls.__doc__ and cls.__doc__ != "object"
    assert not cls.__doc__.startswith(f"{cls.__name__}("), "a dataclass's own signature is no description"
    for name, value in own(cls):
        assert value.__doc__, name


def test_functions() -> None:
    for name in mam.__all__:
        value = getattr(mam, name)
        if inspect.isfunction(value):
            assert value.__doc__, name


#: Functions that the binding calls for something else, or not at all.
WITHOUT_A_NAME = """mam_buffer_free mam_free mam_last_error_json mam_last_message mam_last_user_message mam_last_status
mam_status_name mam_question_id mam_sqlite_extension_init mam_decision_is_allowed mam_decision_setting
mam_decision_policy_name mam_decision_message mam_decision_user_message mam_decision_message_key mam_decision_json
mam_decision_release mam_json_parse mam_json_has mam_json_text mam_json_integer mam_json_bool mam_json_count
mam_json_key mam_json_release""".split()


@pytest.mark.parametrize("function", sorted({*header.FUNCTIONS} - {*WITHOUT_A_NAME}))
def test_every_function_has_a_python_name(function: str) -> None:
    """The name that messages and properties use in place of C's."""
    owner, name = python_name(function).split(".")
    assert hasattr(mam if owner == "mam" else getattr(mam, owner), name), python_name(function)


def test_messages_have_no_names_of_c() -> None:
    for c, python in {
        "mam_file_open reads it": "Mam.open_file reads it",
        "it must be a MAM_PICKER_* constant": "it must be a mam.PickerMode constant",
        "MAM_ERR_BUSY or MAM_OK": "mam.Status.BUSY or Status.OK",
        "MAM_SAVE_LOCAL_DRIVE": "mam.SaveLocation.LOCAL_DRIVE",
        "set MAM_IDENTITY": "set MAM_IDENTITY",
    }.items():
        assert in_python(c) == python


def test_docstrings_have_no_names_of_c() -> None:
    described: dict[str, str | None] = {"mam": mam.__doc__, "mam.testing": mam.testing.__doc__}
    for cls in [*CLASSES, mam.testing.Office, mam.exit_criteria.Host]:
        described[cls.__name__] = cls.__doc__
        described |= {f"{cls.__name__}.{name}": value.__doc__ for name, value in own(cls)}
    described |= {name: getattr(mam, name).__doc__ for name in mam.__all__ if inspect.isfunction(getattr(mam, name))}
    for name, text in described.items():
        found = re.search(r"\bmam\.h\b|\bmam_(?!office|pytest)[a-z_]+|\bMAM_(?!IDENTITY)[A-Z_]+", text or "")
        assert found is None or name == "StatusCode", f"{name}: {found}"


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if issubclass(cls, enum.Enum)], ids=lambda cls: cls.__name__)
def test_help_on_enumerations(cls: type[enum.Enum]) -> None:
    text = pydoc.plain(pydoc.render_doc(cls))
    for member in cls:
        assert member.name in text
    described = ("EventKind", "StatusCode", "SaveLocation", "OpenLocation", "SwitchResult", "BlockReason")
    if cls.__name__ in described:
        for member in cls:
            assert re.search(rf"\b{member.name}\b", cls.__doc__ or ""), member


def test_the_overview_names_every_public_name() -> None:
    """The first page of `pydoc mam`."""
    text = mam.__doc__ or ""
    table = text[text.index("A session ") : text.index("Errors are")]
    for line in table.splitlines():
        for name in re.findall(r"\b[a-z_]+\b(?=[,;:]|$)", line[27:]):
            if "_" in name:
                assert hasattr(mam.Mam, name) or hasattr(mam, name), name
    for name in re.findall(r"`([A-Za-z_]+)`", table):
        assert hasattr(mam, name) or hasattr(mam.Mam, name) or name in ("wait", "await", "for", "mam_office"), name
    public = {name for name, _ in own(mam.Mam)}
    unnamed = {name for name in public if not re.search(rf"\b{name}\b", table)}
    # Variants of listed methods, and plumbing.
    assert unnamed <= set(UNNAMED), sorted(unnamed - set(UNNAMED))


UNNAMED = """
answer_secret close closed dispatch dispatch_async event_fd fileno identities_equal interrupt is_account_managed
is_management_enabled next_event next_event_async off policy_source pop_thread_identity
process_identity protection_info_string push_thread_identity run_as run_due set_delegate set_handlers ui_identity
unprotect_detailed unprotect_string_detailed blocked_reason
""".split()

SOURCES = sorted(Path(mam.__file__).parents[1].rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_the_oldest_python_reads_it(path: Path) -> None:
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))
