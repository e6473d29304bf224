"""mam.opentelemetry with the SDK of OpenTelemetry and its exporters in memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mam
import mam.testing
import pytest
from conftest import ANN

pytest.importorskip("opentelemetry.sdk", reason="opentelemetry-sdk is not installed")

import mam.opentelemetry
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode


class Collector:
    """Spans and metrics of a session of Ann's."""

    def __init__(self) -> None:
        self.exporter, self.reader = InMemorySpanExporter(), InMemoryMetricReader()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.meters = MeterProvider([self.reader])
        self.export = mam.opentelemetry.exporter(self.tracers, self.meters)

    def spans(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.exporter.get_finished_spans() if span.name == name]

    def points(self, name: str) -> list[Any]:
        data = self.reader.get_metrics_data()
        found = [] if data is None else [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics]
        return [point for metric in found if metric.name == name for point in metric.data.data_points]

    def close(self) -> None:
        self.tracers.shutdown()
        self.meters.shutdown()


@pytest.fixture
def collector() -> Iterator[Collector]:
    made = Collector()
    yield made
    made.close()


@pytest.fixture
def m(tmp_path: Path, collector: Collector) -> Iterator[mam.Mam]:
    with mam.testing.office(tmp_path) as office:
        office.user(ANN, account_id="id-of-a", tenant_id="tenant")
        office.policy(pinRequired=False)
        yield office.open(worker=False, telemetry=collector.export, enroll=ANN)


def test_spans(m: mam.Mam, collector: Collector) -> None:
    (span,) = collector.spans("mam.enrollment")
    attributes = span.attributes or {}
    assert attributes["mam.account"] == "id-of-a" and attributes["mam.tenant"] == "tenant"
    assert attributes["mam.result"] == "newPoliciesReceived" and attributes["mam.code"] == 100
    assert attributes["mam.privacy_level"] == 1
    assert span.status.status_code == StatusCode.UNSET
    assert span.start_time is not None and span.end_time is not None
    assert attributes["mam.milliseconds"] == (span.end_time - span.start_time) / 1_000_000
    m.launch().wait(30)
    (span,) = collector.spans("mam.appLaunch")
    attributes = span.attributes or {}
    assert attributes["mam.management_type"] == "mam"
    assert attributes["mam.library_version"] == mam.version()
    assert "mam.account" not in attributes and "mam.app_version" not in attributes  # null
    assert span.instrumentation_scope is not None and span.instrumentation_scope.name == "mam"


def test_failures(m: mam.Mam, collector: Collector, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        m.file_decrypt(tmp_path / "nothing")
    (span,) = [one for one in collector.spans("mam.action") if (one.attributes or {})["mam.action"] == "fileDecrypt"]
    assert (span.status.status_code, span.status.description) == (StatusCode.ERROR, "notFound")


def test_metrics(m: mam.Mam, collector: Collector) -> None:
    for _ in range(3):
        assert m.check_in().wait(30)
    wanted = {"mam.event": "checkIn", "mam.result": "policiesHaveNotChanged", "mam.succeeded": True}
    counted = {tuple(sorted(point.attributes.items())): point.value for point in collector.points("mam.events")}
    assert counted[tuple(sorted(wanted.items()))] == 3
    (duration,) = [point for point in collector.points("mam.duration") if point.attributes == wanted]
    assert duration.count == 3
    assert not any("id-of-a" in str(point.attributes) for point in collector.points("mam.events"))


def test_lost_events(collector: Collector) -> None:
    from datetime import datetime, timezone

    event = mam.TelemetryEvent(name=mam.TelemetryName.EVENTS_LOST, time=datetime.now(timezone.utc), properties={"count": 17})
    collector.export(event)
    assert [point.value for point in collector.points("mam.events.lost")] == [17]
    assert not collector.exporter.get_finished_spans()


def test_without_a_provider(m: mam.Mam) -> None:
    """The program has not configured OpenTelemetry: nothing happens."""
    m.set_telemetry(mam.opentelemetry.exporter())
    assert m.check_in().wait(30)


def test_without_the_package() -> None:
    code = "import sys\nsys.modules['opentelemetry'] = None\nimport mam.opentelemetry"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(Path(mam.__file__).parent.parent), "LIBMAM_PATH": mam.library_path()},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "pip install 'libmam[opentelemetry]'" in done.stderr
