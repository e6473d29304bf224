"""Settings, log and diagnostics."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    import logging

from . import _ffi
from ._call import C, check, json_text, not_a, take_json, text
from ._callback import Slot
from ._records import build, converted, dataclass, many
from ._session import Session
from .enums import LogLevel, SettingEffect, SettingSource


@dataclass(frozen=True)
class SettingStatement:
    """A source's value for a setting that another source overrides."""

    source: SettingSource | str
    value: Any = None


@dataclass(frozen=True)
class Setting:
    """One IntuneMAMSettings key.

    note  why it has no effect
    over  the values of other sources
    """

    key: str
    value: Any
    source: SettingSource | str
    effect: SettingEffect | str
    note: str | None = None
    over: tuple[SettingStatement, ...] = converted(many(SettingStatement), default=())


LogCallable = Callable[[LogLevel, str], None]

# The levels of the module logging, which is loaded when a logger is given.
_PYTHON_LEVELS = {LogLevel.VERBOSE: 10, LogLevel.INFO: 20, LogLevel.WARNING: 30, LogLevel.ERROR: 40}


def _line(level: int, message: bytes) -> tuple[LogLevel, str]:
    return LogLevel(min(max(level, LogLevel.VERBOSE), LogLevel.ERROR)), message.decode(errors="replace")


def _is_logger(log: object) -> TypeGuard[logging.Logger]:
    module = sys.modules.get("logging")
    return module is not None and isinstance(log, module.Logger)


def _to_logger(logger: logging.Logger) -> LogCallable:
    return lambda level, message: logger.log(_PYTHON_LEVELS[level], "%s", message)


class DiagnosticCalls(Session):
    """Settings, log and diagnostics."""

    def settings(self) -> dict[str, Any]:
        """The effective settings and their sources: "app", "stateDirectory", "authority" (with
        its "custody"), "keyCustody", "settings" (a list of "key", "value", "source")."""
        return dict(take_json(C.mam_settings, self._handle))

    def effective_settings(self) -> dict[str, Setting]:
        """Every IntuneMAMSettings key with the value in effect and its source."""
        return {one["key"]: build(Setting, one) for one in self.settings()["settings"]}

    def set_override(self, key: str, value: Any) -> None:
        """Set one IntuneMAMSettings key for this app, durably, over the arguments of `open`; None clears it.

        Raises NotFoundError (no such key), JSONError (not of the key's type), DeniedError (an extension uses the settings
        of its containing app), StorageError. Mirrors the class properties of IntuneMAMSettings.
        """
        raw = None if value is None else json_text(value, "value")
        check(C.mam_set_override(self._handle, text(key, "key"), raw))

    def set_device(self, device: Mapping[str, Any] | None) -> None:
        """State the device while the session is open; replaces the former statement as a whole.

        device  as in `mam.open`: {"platform", "version", "model", "lock", "health", "mdmAccountId", "managedAppConfig"};
                a missing key is no longer stated. {} and None: no managed device, as detected

        The device's account counts for every app of the group, the rest for this app; other sessions follow, with the
        events ALLOWED_ACCOUNTS_DID_CHANGE, MDM_ACCOUNT_DID_CHANGE and APP_CONFIG_DID_CHANGE, and an ENROLLMENT_REQUEST
        with 209, 210 or 211 for each account that may no longer be used. Durable; any thread. Raises JSONError,
        ArgumentError (nothing was changed), DeniedError (an extension uses its containing app's device), StorageError.
        """
        check(C.mam_set_device(self._handle, None if device is None else json_text(dict(device), "device")))

    def set_log(self, log: LogCallable | logging.Logger | None, level: LogLevel = LogLevel.INFO) -> None:
        """Send log lines of `level` and above to a callable of (level, message) or a `logging.Logger`; None stops
        logging.

        It is called on any thread that is inside libmam. Exceptions in it go to sys.unraisablehook. Returns when no call
        of the old one is running. VERBOSE names people; VerboseLoggingEnabled does not lower `level`. Mirrors the Intune
        App SDK's logger.
        """
        if type(level) is not LogLevel:
            raise not_a("level", level, LogLevel)
        receiver = _to_logger(log) if _is_logger(log) else log
        if receiver is not None and not callable(receiver):
            raise TypeError(f"a log is a callable or a logging.Logger, not {type(log).__name__}")
        slot = self._kept_alive.setdefault("log", Slot(_ffi.LogFunction, _line))
        slot.set(receiver, lambda function: check(C.mam_set_log(self._handle, level, function, None)))

    def log_paths(self) -> list[str]:
        """The log files of the app, newest first, those that exist.

        Every process of the app appends its lines of level INFO and above, and VERBOSE ones while VerboseLoggingEnabled
        is true. There are at most two files of 256 KiB, with mode 0600; a line that cannot be written is left out. They
        may be read, copied and removed at any time. Any thread. Mirrors getIntuneLogPaths.
        """
        return list(take_json(C.mam_log_paths, self._handle))

    def diagnostics(self) -> dict[str, Any]:
        """Diagnostic information for a person. No secrets; names people. Mirrors
        getDiagnosticInformation."""
        return dict(take_json(C.mam_diagnostics, self._handle))

    def purge(self) -> int:
        """Remove the keys in the state directory that no account of the state has, and return their number.

        Such keys remain after an older state.db was restored and the newest one is lost. Nothing else removes them, and
        the data that they protect can no longer be read. Raises MamError with TAMPERED while the state is older than one
        that was in use here: check in first, or restore the newest copy. Any thread. No counterpart in the Intune App
        SDK.
        """
        return int(take_json(C.mam_purge, self._handle)["shares"])
