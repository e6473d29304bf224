"""App configuration: the settings that administrators give the app itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any, cast

from . import _ffi
from ._call import C, Names, Texts, error_for, identities_text, not_a, required, take_json, text
from ._handle import SessionHandle
from ._records import build, converted, dataclass, many
from ._session import Session
from .enums import BooleanQuery, ConfigurationChannel, OrderedQuery

# Bound once, unchecked: the handle is valid, and `_key` and the enums check the other arguments.
_conflict = _ffi.unchecked("mam_app_config_has_conflict")
_boolean = _ffi.unchecked("mam_app_config_bool")
_number = _ffi.unchecked("mam_app_config_number")
_integer = _ffi.unchecked("mam_app_config_integer")
_string = _ffi.unchecked("mam_app_config_string")
_free = _ffi.unchecked("mam_free")
_WORDS = {b"null": None, b"true": True, b"false": False}


@dataclass(frozen=True)
class AppConfiguration:
    """One dictionary of settings and its source. The channel DEVICE has no id and no name."""

    id: str
    name: str
    channel: ConfigurationChannel | str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class DisagreeingValue:
    """One configuration's value of a key in conflict."""

    id: str
    name: str
    value: str


@dataclass(frozen=True)
class ConfigurationConflict:
    """A key for which targeted configurations have different values, with all of them."""

    key: str
    values: tuple[DisagreeingValue, ...] = converted(many(DisagreeingValue), default=())


class AppConfig(SessionHandle):
    """The app configuration of some accounts at the time of the call. Any thread.

    It does not change, so that its answers are consistent: after `appConfigDidChange` request another one. If a key has
    several values, those of targeted configurations count, else the device's, else the tenant default's. A query returns
    None if no value that counts has its type. Use it in a `with` block, or call `close`. Mirrors IntuneMAMAppConfig.
    """

    __slots__ = ()

    _type = _ffi.AppConfigHandle
    _release = C.mam_app_config_release

    def full_data(self) -> tuple[AppConfiguration, ...]:
        """Every dictionary in the order received, without empty ones. Mirrors fullData."""
        return tuple(build(AppConfiguration, one) for one in take_json(C.mam_app_config_full_data, self._handle))

    def conflicts(self) -> tuple[ConfigurationConflict, ...]:
        """Every key in conflict with its values, sorted by key."""
        return tuple(build(ConfigurationConflict, one) for one in take_json(C.mam_app_config_conflicts, self._handle))

    def has_conflict(self, key: str) -> bool:
        """Whether targeted configurations have different values for a key. Mirrors hasConflict:."""
        return required() if _conflict(self._handle, _keys[key] if type(key) is str else _key(key)) else False

    def boolean(self, key: str, query: BooleanQuery = BooleanQuery.ANY) -> bool | None:
        """A boolean: the text "true" or "false" in any case. Mirrors boolValueForKey:queryType:."""
        return cast("bool | None", self._ask(_boolean, key, query, BooleanQuery))

    def number(self, key: str, query: OrderedQuery = OrderedQuery.ANY) -> int | float | None:
        """A decimal number that fits a double; whole numbers of 64 bits are int. Mirrors numberValueForKey:queryType:."""
        return cast("int | float | None", self._ask(_number, key, query, OrderedQuery))

    def integer(self, key: str, query: OrderedQuery = OrderedQuery.ANY) -> int | None:
        """A whole number of 64 bits; "1.0" is not one."""
        return cast("int | None", self._ask(_integer, key, query, OrderedQuery))

    def string(self, key: str, query: OrderedQuery = OrderedQuery.ANY) -> str | None:
        """A text; MIN and MAX compare bytes. Mirrors stringValueForKey:queryType:."""
        return cast("str | None", self._ask(_string, key, query, OrderedQuery))

    def all_booleans(self, key: str) -> tuple[bool, ...]:
        """Every value that counts and is a boolean, in the order received. Mirrors allBoolsForKey:."""
        return tuple(take_json(C.mam_app_config_all_bools, self._handle, _key(key)))

    def all_numbers(self, key: str) -> tuple[int | float, ...]:
        """The same for numbers. Mirrors allNumbersForKey:."""
        return tuple(take_json(C.mam_app_config_all_numbers, self._handle, _key(key)))

    def all_integers(self, key: str) -> tuple[int, ...]:
        """The same for whole numbers of 64 bits."""
        return tuple(take_json(C.mam_app_config_all_integers, self._handle, _key(key)))

    def all_strings(self, key: str) -> tuple[str, ...]:
        """Every value that counts. Mirrors allStringsForKey:."""
        return tuple(take_json(C.mam_app_config_all_strings, self._handle, _key(key)))

    def _ask(self, function: Any, key: str, query: object, kind: type) -> object:
        if type(query) is not kind:
            raise not_a("query", query, kind)
        out = _ffi.Text()
        status = function(self._handle, _keys[key] if type(key) is str else _key(key), query, _ffi.byref(out))
        if status:
            raise error_for(status)
        raw = out.value or b"null"
        _free(out)
        return _WORDS[raw] if raw in _WORDS else json.loads(raw.decode())


def _key(key: str) -> bytes:
    return text(key, "key")


_keys = Texts("key", 256)


class ConfigurationCalls(Session):
    """App configuration."""

    def app_config(self, accounts: str | bytes | Names[str | bytes] | None = None) -> AppConfig:
        """The app configuration of one account, of several together, or (None) of every enrolled one.

        Raises NotEnrolledError if one of them is not enrolled, TamperedError if an account's configurations were changed
        outside libmam. Mirrors appConfigForAccountId:, appConfigForAccountIds:.
        """
        raw = identities_text(accounts, "accounts")
        return AppConfig(self, lambda out: int(C.mam_app_config(self._handle, raw, out)))
