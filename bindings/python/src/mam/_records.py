"""JSON objects of libmam as frozen dataclasses.

A field's JSON key is its name in camel case; keys that no field names are ignored, because newer libmams add some.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, TypeVar, cast

T = TypeVar("T")
Record = Mapping[str, Any]

_FRACTION = re.compile(r"\.(\d+)")


def camel(name: str) -> str:
    """account_id -> accountId."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def converted(convert: Callable[[Any], Any], *, key: str | None = None, default: Any = None) -> Any:
    """A field whose JSON value is converted (None stays None)."""
    return dataclasses.field(default=default, metadata={"convert": convert, "key": key})


def build(cls: type[T], raw: Record) -> T:
    """A dataclass of a JSON object."""
    values: dict[str, Any] = {}
    for field in dataclasses.fields(cast(Any, cls)):
        key = field.metadata.get("key") or camel(field.name)
        value = raw.get(key)
        if value is None:
            if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
                values[field.name] = None
            continue
        convert = field.metadata.get("convert")
        values[field.name] = convert(value) if convert else value
    return cls(**values)


def one(cls: type[T]) -> Callable[[Any], T]:
    """A converter of an object."""
    return lambda raw: build(cls, raw)


def many(cls: type[T]) -> Callable[[Any], tuple[T, ...]]:
    """A converter of a list of objects."""
    return lambda raw: tuple(build(cls, item) for item in raw)


def moment(value: str) -> datetime:
    """An RFC 3339 time, aware, in UTC."""
    # Python 3.10 reads neither "Z" nor a fraction that is not of 3 or 6 digits.
    text = _FRACTION.sub(lambda match: "." + match[1][:6].ljust(6, "0"), value)
    return datetime.fromisoformat(re.sub("[zZ]$", "+00:00", text))


def iso_duration(value: timedelta | float | str) -> str:
    """ISO 8601 of a timedelta or of seconds; text is taken as it is."""
    if isinstance(value, str):
        return value
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(f"a duration is seconds, a timedelta or ISO 8601, not {type(value).__name__}")
    if not 0 <= seconds < 1e12:
        raise ValueError("a duration is 0 or more seconds")
    return f"PT{float(seconds):.3f}".rstrip("0").rstrip(".") + "S"


def present(**keys: Any) -> dict[str, Any]:
    """The keys that are not None, in camel case: what a caller left out is not sent."""
    return {camel(name): value for name, value in keys.items() if value is not None}
