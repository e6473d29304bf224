"""What `pydoc mam` shows: every public name says what it is, and where it comes from."""

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
import mam.testing
import pytest

# 3.10 takes an alias like Delegate for a class.
CLASSES = [one for one in map(mam.__dict__.get, mam.__all__) if inspect.isclass(one) and issubclass(type(one), type)]
FUNCTIONS = set(header.FUNCTIONS)


def own(cls: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class or its parts define."""
    for part in cls.__mro__:
        if part.__module__.startswith("mam"):
            for name, value in vars(part).items():
                value = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
                if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                    yield name, value


@pytest.mark.parametrize("cls", [*CLASSES, mam.testing.Office], ids=lambda cls: cls.__name__)
def test_classes(cls: type) -> None:
    assert cls.__doc__ and "object" != cls.__doc__
    assert not cls.__doc__.startswith(f"{cls.__name__}("), "a dataclass's own signature is no description"
    for name, value in own(cls):
        assert value.__doc__, name


def test_functions() -> None:
    for name in mam.__all__:
        value = getattr(mam, name)
        if inspect.isfunction(value):
            assert value.__doc__, name


def test_methods_name_their_source() -> None:
    """A method has the name of its function in mam.h, or names the one that it is."""
    for name, value in own(mam.Mam):
        if f"mam_{name}" not in FUNCTIONS:
            named = set(re.findall(r"\bmam_[a-z_]+", value.__doc__))
            assert named & FUNCTIONS, name
    for name, value in own(mam.Policy):
        assert name in ("close", "effective") or f"mam_policy_{name}" in FUNCTIONS, name


def test_functions_that_are_named_exist() -> None:
    for cls in CLASSES:
        for name, value in own(cls):
            for function in re.findall(r"\bmam_[a-z_]+\b(?!\.\.\.)", value.__doc__ or ""):
                assert function in FUNCTIONS, f"{cls.__name__}.{name}: {function}"


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if issubclass(cls, enum.Enum)], ids=lambda cls: cls.__name__)
def test_help_on_enumerations(cls: type[enum.Enum]) -> None:
    text = pydoc.plain(pydoc.render_doc(cls))
    for member in cls:
        assert member.name in text
    described = ("EventKind", "StatusCode", "SaveLocation", "OpenLocation", "SwitchResult", "BlockReason")
    if cls.__name__ in described:
        for member in cls:
            assert re.search(rf"\b{member.name}\b", cls.__doc__ or ""), member


def test_the_overview_names_what_is_there() -> None:
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
    # Variants of what is named, and the plumbing.
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
