"""Telemetry: events for the host's own telemetry system."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

from . import _ffi
from ._call import C, check, not_a
from ._callback import Slot
from ._records import build, converted, dataclass, moment
from ._session import Session
from .enums import DataRegion, DataTypes, Number, PrivacyLevel, TelemetryName, TelemetryPriority

M = TypeVar("M", bound=Number)


def _member(kind: type[M]) -> Callable[[int], M | int]:
    """A converter to a member; a number that only a newer libmam has stays a plain int."""
    known = {int(one): one for one in kind}
    return lambda value: known.get(value, value)


@dataclass(frozen=True)
class TelemetryEvent:
    """One event of telemetry.

    account     the account id; None where there is none or it is not known. Never a UPN
    tenant      the account's tenant id, or None
    data_types  what it is about, for the host's privacy rules
    properties  by their names in docs/telemetry.md: numbers, truth values, versions, and names of closed sets
    """

    name: TelemetryName | str
    time: datetime = converted(moment)
    account: str | None = None
    tenant: str | None = None
    privacy_level: PrivacyLevel | int = converted(_member(PrivacyLevel), default=PrivacyLevel.OPTIONAL)
    data_types: DataTypes = converted(DataTypes, default=DataTypes(0))
    priority: TelemetryPriority | int = converted(_member(TelemetryPriority), default=TelemetryPriority.NORMAL)
    region: DataRegion | int = converted(_member(DataRegion), default=DataRegion.GLOBAL)
    properties: Mapping[str, Any] = converted(dict, default=None)

    @property
    def succeeded(self) -> bool | None:
        """Whether what the event reports succeeded; None where that has no meaning (EVENTS_LOST)."""
        if "outcome" in self.properties:
            return self.properties["outcome"] in ("allowed", "warned")
        return self.properties.get("succeeded")


TelemetryCallable = Callable[[TelemetryEvent], object]


def _event(text: bytes) -> tuple[TelemetryEvent]:
    return (build(TelemetryEvent, json.loads(text)),)


class TelemetryCalls(Session):
    """Telemetry."""

    def set_telemetry(self, telemetry: TelemetryCallable | None, level: PrivacyLevel = PrivacyLevel.OPTIONAL) -> None:
        """Send telemetry events of privacy level `level` and above to a callable of a `TelemetryEvent`; None stops it.

        Nothing is recorded without a callable, nor while the setting MAMTelemetryDisabled is true (`set_override`); libmam
        itself sends nothing anywhere. With a worker it is called on a thread of its own and may be slow: 256 events wait
        for it, and an EVENTS_LOST event counts those that were dropped. With worker=False it is called before the call that
        recorded the event, `Operation.wait` or `run_due` returns. Its own calls of libmam are not recorded. `close` delivers
        what waits, for two seconds at most. Exceptions in it go to sys.unraisablehook. Returns when no call of the old one
        is running. `mam.opentelemetry` has a callable for OpenTelemetry. Mirrors IntuneMAMTelemetryManager.
        """
        if type(level) is not PrivacyLevel:
            raise not_a("level", level, PrivacyLevel)
        if telemetry is not None and not callable(telemetry):
            raise TypeError(f"telemetry is a callable of a TelemetryEvent, not {type(telemetry).__name__}")
        slot = self._kept_alive.setdefault("telemetry", Slot(_ffi.TelemetryFunction, _event))
        slot.set(telemetry, lambda function: check(C.mam_set_telemetry(self._handle, level, function, None)))
