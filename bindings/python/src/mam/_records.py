"""JSON objects of libmam as frozen dataclasses.

A field's JSON key is its name in camel case. A field of type `X | str` or `tuple[X | str, ...]`, where X is a `Name`, gets
X's members; a message is put into Python's words. Keys without a field are ignored, because newer releases add some.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ._names import in_python
from .enums import Name

T = TypeVar("T")
Record = Mapping[str, Any]

_NAMED = re.compile(r"(tuple\[)?(\w+) \| str\b")
_FRACTION = re.compile(r"\.(\d+)")


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(*, frozen: bool) -> Callable[[type[T]], type[T]]:
        """`dataclasses.dataclass`, which takes half a millisecond for each class, at the first use: a program uses few of the
        results that its methods could return."""

        def postpone(cls: type[T]) -> type[T]:
            cls.__dataclass_fields__ = _Fields(frozen)
            cls.__new__ = _new
            return cls

        return postpone


class _Fields:
    """The fields of a class that is not a dataclass yet: looking at them makes it one."""

    def __init__(self, frozen: bool) -> None:
        self._frozen = frozen

    def __get__(self, instance: object, owner: type) -> Any:
        with _finishing:
            # A class without a decorator of its own inherits this.
            for cls in reversed(owner.__mro__):
                if cls.__dict__.get("__dataclass_fields__") is not None and cls not in _finished:
                    dataclasses.dataclass(frozen=self._frozen)(cls)
                    _finished.add(cls)
        return cast("Any", owner).__dataclass_fields__


_finishing = threading.RLock()
_finished: set[type] = set()


def _new(cls: type[T], *_arguments: object, **_keywords: object) -> T:
    if cls not in _finished:
        dataclasses.fields(cast("Any", cls))
        _finished.add(cls)
    return object.__new__(cls)


def camel(name: str) -> str:
    """account_id -> accountId."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def converted(convert: Callable[[Any], Any] | None = None, *, key: str | None = None, default: Any = None) -> Any:
    """A field whose JSON value is converted (None stays None), or has another key."""
    return dataclasses.field(default=default, metadata={"convert": convert, "key": key})


def build(cls: type[T], raw: Record) -> T:
    """A dataclass of a JSON object."""
    plan = _plans.get(cls) or _plans.setdefault(cls, _plan(cls))
    values: dict[str, Any] = {}
    for name, key, convert, is_required in plan:
        value = raw.get(key)
        if value is not None:
            values[name] = convert(value) if convert else value
        elif is_required:
            values[name] = None
    return cls(**values)


_MESSAGES: dict[str, Callable[[Any], Any]] = {"message": in_python, "last_message": in_python}
# The fields of each class: name, key, converter, whether it has no default.
_Plan = tuple[tuple[str, str, "Callable[[Any], Any] | None", bool], ...]
_plans: dict[type, _Plan] = {}


def _plan(cls: type) -> _Plan:
    return tuple(
        (
            field.name,
            field.metadata.get("key") or camel(field.name),
            field.metadata.get("convert") or _member_of(cls, str(field.type)) or _MESSAGES.get(field.name),
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
        )
        for field in dataclasses.fields(cast(Any, cls))
    )


def _member_of(cls: type, annotation: str) -> Callable[[Any], Any] | None:
    named = _NAMED.match(annotation)
    if named is None:
        return None
    for owner in cls.__mro__:
        kind = getattr(sys.modules[owner.__module__], named[2], None)
        if isinstance(kind, type) and issubclass(kind, Name):
            return kind.each if named[1] else kind.of
    return None


def one(cls: type[T]) -> Callable[[Any], T]:
    """A converter of an object."""
    return lambda raw: build(cls, raw)


def many(cls: type[T]) -> Callable[[Any], tuple[T, ...]]:
    """A converter of a list of objects."""
    return lambda raw: tuple(build(cls, item) for item in raw)


def moment(value: str) -> datetime:
    """An RFC 3339 time, aware, in UTC."""
    # Python 3.10 reads neither "Z" nor a fraction with other than 3 or 6 digits.
    text = _FRACTION.sub(lambda match: "." + match[1][:6].ljust(6, "0"), value)
    return datetime.fromisoformat(re.sub("[zZ]$", "+00:00", text))


def iso_duration(value: timedelta | float | str) -> str:
    """ISO 8601 of a timedelta or of seconds; text passes unchanged."""
    if isinstance(value, str):
        return value
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(f"a duration is seconds, a timedelta or ISO 8601, not {type(value).__name__}")
    if not 0 <= seconds < 1e12:
        raise ValueError("a duration is 0 or more seconds")
    return f"PT{float(seconds):.3f}".rstrip("0").rstrip(".") + "S"


def present(**keys: Any) -> dict[str, Any]:
    """The keys that are not None, in camel case: an omitted argument is not sent."""
    return {camel(name): value for name, value in keys.items() if value is not None}
