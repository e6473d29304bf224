"""Device health: what is known about the device, and what the host reports of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from ._call import C, check, json_text, take_json
from ._records import build, converted, iso_duration, many, moment, one, present
from ._session import Session

ThreatLevel = Literal["secured", "low", "medium", "high"]


@dataclass(frozen=True)
class DeviceSignal:
    """What one signal says and where that was read.

    `state` is "ok", "fail", "unknown" or "notApplicable"; `standing` is "required" (by settings: it must be ok), "counts"
    (it must be neither fail nor unknown), "informs" or "ignored"; `refuses` is whether it stands against the device where a
    policy has deviceComplianceRequired. `value` is what was read where the signal is a fact, as a version.
    """

    signal: str
    state: str
    standing: str
    refuses: bool
    source: str
    detail: str
    value: str | None = None


@dataclass(frozen=True)
class DeviceReport:
    """Which app reported last, when, and for how long that holds (ISO 8601; None: until the next one)."""

    app: str
    time: datetime | None = converted(moment)
    valid_for: str | None = None


@dataclass(frozen=True)
class DeviceHealth:
    """What is known about the device. True when nothing that counts stands against it.

    `signals` has libmam's own, then those that hosts reported; `threat_level` is None where nobody reported one.
    """

    healthy: bool
    signals: tuple[DeviceSignal, ...] = converted(many(DeviceSignal), default=())
    threat_level: ThreatLevel | None = None
    time: datetime | None = converted(moment)
    report: DeviceReport | None = converted(one(DeviceReport))

    def __bool__(self) -> bool:
        return self.healthy

    def __getitem__(self, signal: str) -> DeviceSignal:
        """The signal of a name; KeyError where there is none."""
        for found in self.signals:
            if found.signal == signal:
                return found
        raise KeyError(signal)


class HealthCalls(Session):
    """Device health, of sections 7 and 13 of mam.h."""

    def device_health(self) -> DeviceHealth:
        """What is known about the device, of half a minute ago at the most: "deviceHealth" of mam_diagnostics."""
        return build(DeviceHealth, take_json(C.mam_diagnostics, self._handle)["deviceHealth"])

    def report_device_health(
        self,
        *,
        threat_level: ThreatLevel | None = None,
        compliant: bool | None = None,
        lock: Literal["on", "off", "notApplicable"] | None = None,
        signals: Mapping[str, str | Mapping[str, Any]] | None = None,
        valid_for: timedelta | float | str | None = None,
    ) -> None:
        """Report what the host knows of the device and libmam cannot see.

        It holds for every app of the group until the next report, which takes its place as a whole, or until it has been
        there for `valid_for` (seconds, a timedelta or ISO 8601). `signals` are the host's own, by names with a "." inside:
        a state, or {"state", "detail"}. Without arguments the report says nothing.

        Raises ArgumentError (a value is none that can be), JSONError (of a wrong type); the former report then stands.
        Mirrors the threat level of a Mobile Threat Defense connector.
        """
        report = present(
            threat_level=threat_level,
            compliant=compliant,
            lock=lock,
            signals=None if signals is None else dict(signals),
            valid_for=None if valid_for is None else iso_duration(valid_for),
        )
        check(C.mam_report_device_health(self._handle, json_text(report, "health")))
