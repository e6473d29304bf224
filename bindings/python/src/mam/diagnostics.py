"""Settings, log and diagnostics."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from . import _ffi
from ._call import C, check, json_text, not_a, take_json, text
from ._callback import hold
from ._records import build, converted, many
from ._session import Session
from .enums import LogLevel


@dataclass(frozen=True)
class SettingStatement:
    """What one source says that does not count, because another goes before it."""

    source: str
    value: Any = None


@dataclass(frozen=True)
class Setting:
    """One IntuneMAMSettings key.

    source  "override", "settings", "infoPlist" or "default"
    effect  "applies", "notYet" or "notApplicable"; `note` says why it changes nothing
    over    what else was given
    """

    key: str
    value: Any
    source: str
    effect: str
    note: str | None = None
    over: tuple[SettingStatement, ...] = converted(many(SettingStatement), default=())


LogCallable = Callable[[LogLevel, str], None]

_PYTHON_LEVELS = {
    LogLevel.VERBOSE: logging.DEBUG,
    LogLevel.INFO: logging.INFO,
    LogLevel.WARNING: logging.WARNING,
    LogLevel.ERROR: logging.ERROR,
}


class _Slot:
    """The receiver of the moment behind one C function, which lives as long as the session."""

    def __init__(self) -> None:
        self.receiver: LogCallable | None = None
        self.function = _ffi.LogFunction(self._call)

    def _call(self, _user: Any, level: int, message: bytes) -> None:
        # What is raised here goes to sys.unraisablehook: ctypes sees to it.
        receiver = self.receiver
        if receiver is None:
            return
        try:
            receiver(LogLevel(min(max(level, LogLevel.VERBOSE), LogLevel.ERROR)), message.decode(errors="replace"))
        except BaseException as error:
            if not hold(error):
                raise


def _to_logger(logger: logging.Logger) -> LogCallable:
    return lambda level, message: logger.log(_PYTHON_LEVELS[level], "%s", message)


class DiagnosticCalls(Session):
    """Section 13 of mam.h, and the settings of section 2."""

    def settings(self) -> dict[str, Any]:
        """The effective settings and where each came from, as mam_settings describes: "app", "stateDirectory",
        "authority" (with its "custody"), "keyCustody", "settings" (a list of "key", "value", "source")."""
        return dict(take_json(C.mam_settings, self._handle))

    def effective_settings(self) -> dict[str, Setting]:
        """Every IntuneMAMSettings key with what decides it, of mam_settings."""
        return {one["key"]: build(Setting, one) for one in self.settings()["settings"]}

    def set_override(self, key: str, value: Any) -> None:
        """Set one IntuneMAMSettings key for this app, durably, over what `open` was given; None clears it.

        Raises NotFoundError (no such key), JSONError (not of the key's type), DeniedError (an extension goes by those of
        its containing app), StorageError. Mirrors the class properties of IntuneMAMSettings.
        """
        raw = None if value is None else json_text(value, "value")
        check(C.mam_set_override(self._handle, text(key, "key"), raw))

    def set_device(self, device: Mapping[str, Any] | None) -> None:
        """State the device while the session is open, in place of the former statement as a whole.

        device  as in `mam.open`: {"platform", "version", "model", "lock", "health", "mdmAccountId", "managedAppConfig"};
                a key that is not there is not stated any more. {} and None: nobody's device, as it is found

        Whose the device is counts for every app of the group, the rest for this app; other sessions follow, with the
        events ALLOWED_ACCOUNTS_DID_CHANGE, MDM_ACCOUNT_DID_CHANGE and APP_CONFIG_DID_CHANGE, and an ENROLLMENT_REQUEST
        with 209, 210 or 211 for each account that may not be used any more. Durable; any thread. Raises JSONError,
        ArgumentError (nothing was changed), DeniedError (an extension goes by its containing app's device),
        StorageError.
        """
        check(C.mam_set_device(self._handle, None if device is None else json_text(dict(device), "device")))

    def set_log(self, log: LogCallable | logging.Logger | None, level: LogLevel = LogLevel.INFO) -> None:
        """Send log lines of `level` and above to a callable of (level, message) or a `logging.Logger`; None: nobody.

        It is called on any thread that is inside libmam. Exceptions in it go to sys.unraisablehook. Returns when no
        call of the old one is running. VERBOSE names people. Mirrors the SDK's logger.
        """
        if type(level) is not LogLevel:
            raise not_a("level", level, LogLevel)
        slot = self._callbacks.get("log")
        if log is None:
            check(C.mam_set_log(self._handle, level, _ffi.LogFunction(), None))
            if slot is not None:
                slot.receiver = None
            return
        receiver = _to_logger(log) if isinstance(log, logging.Logger) else log
        if not callable(receiver):
            raise TypeError(f"a log is a callable or a logging.Logger, not {type(log).__name__}")
        if slot is None:
            slot = self._callbacks.setdefault("log", _Slot())
        before, slot.receiver = slot.receiver, receiver
        try:
            check(C.mam_set_log(self._handle, level, slot.function, None))
        except BaseException:
            slot.receiver = before
            raise

    def diagnostics(self) -> dict[str, Any]:
        """What a person needs to find out why, as mam_diagnostics describes. No secrets; names people.
        Mirrors getDiagnosticInformation."""
        return dict(take_json(C.mam_diagnostics, self._handle))

    def purge(self) -> int:
        """Remove the keys in the state directory that no account of the state has, and return how many there were.

        They remain where an older state.db was put back and the newest one is lost; nothing else removes them, and data that
        they are for cannot be read any more. Raises MamError with TAMPERED while the state is older than one that was in use
        here: check in first, or put the newest copy back. Any thread. Mirrors: nothing in the SDK; see mam_purge.
        """
        return int(take_json(C.mam_purge, self._handle)["shares"])
