"""Telemetry events for OpenTelemetry: `session.set_telemetry(mam.opentelemetry.exporter())`.

It needs the package opentelemetry-api; the program configures the SDK and its exporters, as for its own telemetry. Without
a configuration of the program nothing leaves it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

try:
    from opentelemetry import metrics, trace
except ImportError as error:
    raise ImportError(f"{error}\nmam.opentelemetry needs opentelemetry-api: pip install 'libmam[opentelemetry]'") from error

from ._version import __version__
from .enums import TelemetryName
from .telemetry import TelemetryEvent

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import TracerProvider

Value = str | bool | int | float | Sequence[str]

# Properties of few values, which metrics are grouped by.
_OF_METRICS = {"action", "result", "outcome", "trigger", "reason", "succeeded"}


def exporter(
    tracer_provider: TracerProvider | None = None, meter_provider: MeterProvider | None = None
) -> Callable[[TelemetryEvent], None]:
    """A callable for `Mam.set_telemetry` that passes each event on to OpenTelemetry; None is the global provider.

    An event becomes a span mam.NAME (mam.enrollment) with the event's time and duration, its account, tenant and numbers of
    privacy, and its properties as attributes (mam.management_type); what failed has the status ERROR. The counter mam.events
    and the histogram mam.duration, in seconds, have its name, action, result, outcome, trigger and reason as attributes, and
    no account. mam.events.lost counts events that were dropped.
    """
    tracer = trace.get_tracer("mam", __version__, tracer_provider)
    meter = metrics.get_meter("mam", __version__, meter_provider)
    count = meter.create_counter("mam.events", unit="{event}", description="Telemetry events of libmam.")
    lost = meter.create_counter("mam.events.lost", unit="{event}", description="Telemetry events of libmam that were dropped.")
    duration = meter.create_histogram("mam.duration", unit="s", description="How long libmam worked.")

    def export(event: TelemetryEvent) -> None:
        if event.name == TelemetryName.EVENTS_LOST:
            lost.add(event.properties["count"])
            return
        milliseconds = event.properties.get("milliseconds")
        # Whole microseconds: a float has no room for the nanoseconds of today.
        end = round(event.time.timestamp() * 1_000_000) * 1000
        span = tracer.start_span(
            f"mam.{event.name}", start_time=end - (milliseconds or 0) * 1_000_000, attributes=_attributes(event)
        )
        if event.succeeded is False:
            span.set_status(trace.StatusCode.ERROR, str(event.properties.get("result") or event.properties.get("outcome")))
        span.end(end)
        grouped = {f"mam.{key}": value for key, value in event.properties.items() if key in _OF_METRICS}
        grouped["mam.event"] = str(event.name)
        count.add(1, grouped)
        if milliseconds is not None:
            duration.record(milliseconds / 1000, grouped)

    return export


def _attributes(event: TelemetryEvent) -> dict[str, Value]:
    """The attributes of an event's span: those that have a value."""
    first = {
        "account": event.account,
        "tenant": event.tenant,
        "privacy_level": int(event.privacy_level),
        "data_types": int(event.data_types),
        "priority": int(event.priority),
        "region": int(event.region),
    }
    every = {**first, **{_snake(key): value for key, value in event.properties.items()}}
    return {f"mam.{key}": value for key, value in every.items() if value is not None}


def _snake(name: str) -> str:
    """managementType -> management_type."""
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)
