"""Device health: known facts about the device, and reports of the host."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from ._call import C, check, json_text, not_a, take_json
from ._records import build, converted, dataclass, iso_duration, many, moment, one, present
from ._session import Session
from .enums import LockState, ScreenState, SignalStanding, SignalState, ThreatLevel


@dataclass(frozen=True)
class DeviceSignal:
    """The state of one signal and its source.

    `refuses` is True if it fails a policy with
    deviceComplianceRequired. `value` is the value read, if the signal is a fact such as a version.
    """

    signal: str
    state: SignalState | str
    standing: SignalStanding | str
    refuses: bool
    source: str
    detail: str
    value: str | None = None


@dataclass(frozen=True)
class DeviceReport:
    """The app that reported last, the time, and how long the report is valid (ISO 8601; None: until the next one)."""

    app: str
    time: datetime | None = converted(moment)
    valid_for: str | None = None


@dataclass(frozen=True)
class DeviceHealth:
    """The device's health. True when no signal that counts fails.

    `signals` has libmam's own, then those that hosts reported; `threat_level` is None if none was reported.
    """

    healthy: bool
    signals: tuple[DeviceSignal, ...] = converted(many(DeviceSignal), default=())
    threat_level: ThreatLevel | str | None = None
    time: datetime | None = converted(moment)
    report: DeviceReport | None = converted(one(DeviceReport))

    def __bool__(self) -> bool:
        return self.healthy

    def __getitem__(self, signal: str) -> DeviceSignal:
        """The signal of a name; raises KeyError if there is none."""
        for found in self.signals:
            if found.signal == signal:
                return found
        raise KeyError(signal)


class HealthCalls(Session):
    """Device health."""

    def device_health(self) -> DeviceHealth:
        """The device's health, at most half a minute old."""
        return build(DeviceHealth, take_json(C.mam_diagnostics, self._handle)["deviceHealth"])

    def report_device_health(
        self,
        *,
        threat_level: ThreatLevel | str | None = None,
        compliant: bool | None = None,
        lock: LockState | str | None = None,
        signals: Mapping[str, str | Mapping[str, Any]] | None = None,
        valid_for: timedelta | float | str | None = None,
    ) -> None:
        """Report facts about the device that the host knows and libmam cannot read.

        A report holds for every app of the group until the next one replaces it as a whole, or until `valid_for`
        (seconds, a timedelta or ISO 8601) has passed. `signals` are the host's own, with names that contain a ".": a
        state, or {"state", "detail"}. A report without arguments states nothing.

        Raises ArgumentError (an invalid value), JSONError (a wrong type); the former report then stands. Mirrors the
        threat level of a Mobile Threat Defense connector.
        """
        report = present(
            threat_level=threat_level,
            compliant=compliant,
            lock=lock,
            signals=None if signals is None else dict(signals),
            valid_for=None if valid_for is None else iso_duration(valid_for),
        )
        check(C.mam_report_device_health(self._handle, json_text(report, "health")))

    def report_screen_lock(self, state: ScreenState) -> None:
        """Report whether the screen is locked, durably for every app of the group, until the next report or a reboot.

        It counts in place of logind's LockedHint, which some screen lockers do not set. Ten seconds after the screen was
        locked, data of an account whose policy has the appDataEncryptionType whenDeviceLocked is not read (LockedError), unless
        the setting MaxFileProtectionLevel lowers that; under whenDeviceLockedExceptOpenFiles what was open goes on. Writing
        goes on, and nothing is wiped. A repeated state does not begin the ten seconds anew. Mirrors iOS's file protection.
        """
        if type(state) is not ScreenState:
            raise not_a("state", state, ScreenState)
        check(C.mam_report_screen_lock(self._handle, state))
