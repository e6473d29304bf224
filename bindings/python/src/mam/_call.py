"""Calling C: statuses become exceptions, C strings become Python's, arguments become C's."""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NoReturn, Protocol, TypeGuard, TypeVar

from . import _ffi
from ._names import in_python, python_argument
from .errors import ArgumentError, FileNotFoundError, MamError, NotFoundError, argument_error, class_for

C: Any = _ffi.library
_DOMAIN = re.compile(r"[^\s@*./]+(\.[^\s@*./]+)*")
N_co = TypeVar("N_co", covariant=True)
_NO_FILE = 104  # the originalCode of a missing file
# It only reads the thread's own memory and never waits, so it keeps the GIL.
_last_status = _ffi.unchecked("mam_last_status", releases_gil=False)


class Names(Protocol[N_co]):
    """A list, tuple or set of names. A single text is none for a type checker, which sees what it takes for its member."""

    def __iter__(self) -> Iterator[N_co]: ...
    def __len__(self) -> int: ...
    def __contains__(self, value: object, /) -> bool: ...


def error_for(status: int, detail: dict[str, Any] | None = None) -> MamError:
    """The exception of a failed call, with the thread's last error if that still belongs to the call."""
    message = user_message = message_key = ""
    details: dict[str, Any] = {}
    name = C.mam_status_name(status).decode()
    out = _ffi.Text()
    if C.mam_last_error_json(_ffi.byref(out)) == 0:
        try:
            last = json.loads(out.value or b"{}")
        finally:
            C.mam_free(out)
        # A finalizer or signal handler may have called libmam since the failure, so use the message only if it belongs to
        # this status.
        if last.get("status") == status:
            message, details = in_python(last.get("message") or ""), last.get("detail") or {}
            if "argument" in details:
                details["argument"] = python_argument(details["argument"])
            user_message, message_key = last.get("userMessage") or "", last.get("messageKey") or ""
    details = {**details, **(detail or {})}
    of_file = class_for(status) is NotFoundError and details.get("originalCode") == _NO_FILE
    kind = FileNotFoundError if of_file else class_for(status)
    return kind(status, name, message, details, user_message, message_key)


def fail(status: int) -> NoReturn:
    raise error_for(status)


def last_error() -> MamError | None:
    """The thread's last error, if its latest call failed or libmam has refused something to SQLite since."""
    status = _last_status()
    return error_for(status) if status else None


def check(status: int) -> None:
    """Raise unless a status is 0."""
    if status:
        raise error_for(status)


def refused() -> bool:
    """Return the answer of a predicate whose C function returned 0 and whose closed value is 0.

    A failed call (closed or forked handle, tampered state) returns 0 as well, and only the last status tells the two
    apart. A permissive answer needs no second call, so only the closed one pays for it.
    """
    status = _last_status()
    if status:
        raise error_for(status)
    return False


def required() -> bool:
    """The same for predicates whose closed value is 1."""
    status = _last_status()
    if status:
        raise error_for(status)
    return True


def take_text(function: Any, *arguments: Any) -> str:
    """Call a function whose last argument is `char **` and take ownership of its output."""
    out = _ffi.Text()
    check(function(*arguments, _ffi.byref(out)))
    return own_text(out)


def own_text(out: Any) -> str:
    """Copy a C string that the caller owns and release it."""
    try:
        return (out.value or b"").decode()
    finally:
        C.mam_free(out)


def take_json(function: Any, *arguments: Any) -> Any:
    """The same for functions that return JSON."""
    return json.loads(take_text(function, *arguments))


def take_operation(function: Any, *arguments: Any) -> int:
    """Call a function whose last argument is `int64_t *op`."""
    out = _ffi.Operation()
    check(function(*arguments, _ffi.byref(out)))
    return int(out.value)


def text(value: str | bytes, argument: str) -> bytes:
    """A C string. A NUL inside is refused: C would silently act on the part before it. The result is a true bytes object
    whatever a subclass overrides, because unchecked functions take it as it is."""
    if isinstance(value, str):
        try:
            value = str.encode(value)
        except UnicodeEncodeError:
            raise argument_error(argument, f"{argument} holds a lone surrogate, which UTF-8 has no bytes for") from None
    elif not isinstance(value, bytes):
        raise TypeError(f"{argument} must be str or bytes, not {type(value).__name__}")
    elif type(value) is not bytes:
        value = bytes(value)
    if 0 in value:
        raise argument_error(argument, f"{argument} holds a NUL character")
    return value


def account_text(account: str | bytes | None) -> bytes | None:
    """An account argument; None is "not set" or "unknown", as each method states."""
    return None if account is None else text(account, "account")


def names(values: Iterable[str | bytes], argument: str) -> list[str]:
    """Several names for JSON. A single one is refused, although Python would iterate over its letters."""
    if isinstance(values, (str, bytes, bytearray, memoryview)) or not isinstance(values, Iterable):
        raise TypeError(f"{argument} must be a list of names, not {type(values).__name__}")
    return [account_name(one, argument) for one in values]


def domain_names(values: Iterable[str], argument: str) -> list[str]:
    """Several domains for JSON. One that no name can be in is refused: it would protect nothing."""
    found = names(values, argument)
    for one in found:
        if not _DOMAIN.fullmatch(one):
            raise argument_error(argument, f"{argument} holds {one!r}, which is no domain; write it as contoso.example")
    return found


def objects(values: Iterable[Mapping[str, Any]], argument: str) -> list[dict[str, Any]]:
    """Several mappings for JSON. A single one is refused, although Python would iterate over its keys."""
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise TypeError(f"{argument} must be a list of mappings, not {type(values).__name__}")
    found = list(values)
    for one in found:
        if not isinstance(one, Mapping):
            raise TypeError(f"{argument} must be a list of mappings, and one is {type(one).__name__}")
    return [dict(one) for one in found]


def account_name(account: str | bytes, argument: str) -> str:
    """One account for JSON."""
    try:
        return text(account, argument).decode()
    except UnicodeDecodeError:
        raise argument_error(argument, f"{argument} is not UTF-8") from None


def identities_text(identities: str | bytes | Iterable[str | bytes] | None, argument: str) -> bytes:
    """Identities as JSON: null, a name or an array of names."""
    if identities is None:
        return b"null"
    if isinstance(identities, (str, bytes)):
        return json_text(account_name(identities, argument), argument)
    return json_text(names(identities, argument), argument)


class Texts(dict[str, bytes]):
    """Cache of recent arguments as C strings: checking and encoding one costs as much as the answer. Look up only true
    `str` objects, because a subclass can claim to equal another value."""

    __slots__ = ("_argument", "_most")

    def __init__(self, argument: str, most: int) -> None:
        self._argument, self._most = argument, most

    def __missing__(self, value: str) -> bytes:
        raw = text(value, self._argument)
        if len(raw) <= 256:  # longer ones are rare, or refused
            if len(self) >= self._most:
                self.clear()
            self[value] = raw
        return raw


def number(value: int, argument: str, bits: int = 64) -> int:
    """An integer for C. ctypes would truncate a larger one and take True for 1, so check both."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{argument} must be int, not {type(value).__name__}")
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise argument_error(argument, f"{argument} does not fit {bits} bits")
    return value


def unknown_kind(name: str, known: Iterable[str], what: str, more: str = "", argument: str = "kind") -> ArgumentError:
    """The error for an unknown name. It suggests the nearest known one."""
    import difflib

    every = list(known)
    folded = {one.lower(): one for one in every}
    near = difflib.get_close_matches(name.lower(), folded, n=1)
    hint = f"did you mean {folded[near[0]]!r}?" if near else f"there are {', '.join(every)}"
    return argument_error(argument, f"there is no {what} {name!r}: {hint}{more}")


def not_a(argument: str, value: object, *kinds: type, or_name: bool = False) -> TypeError:
    """The error for a value of none of these types. A number that would fit may come from another enumeration."""
    shown = [f"mam.{kind.__name__}" if issubclass(kind, enum.Enum) else kind.__name__ for kind in kinds]
    return TypeError(f"{argument} must be {' or '.join(shown + ['its name'] * or_name)}, not {value!r}")


def is_name(value: object) -> TypeGuard[str]:
    """Whether the value is a plain JSON name. A member of EventKind is also a str, but names something else."""
    return isinstance(value, str) and not isinstance(value, enum.Enum)


def json_text(value: Any, argument: str) -> bytes:
    """A value as strict JSON."""
    try:
        return text(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")), argument)
    except TypeError as error:
        raise TypeError(f"{argument}: {error}") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, MamError):
            raise
        raise argument_error(argument, f"{argument} is not JSON: {error}") from error
