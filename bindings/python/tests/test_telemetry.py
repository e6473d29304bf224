"""Telemetry: the callback, and the walk that emits every event of docs/telemetry.md with every property and nothing else."""

from __future__ import annotations

import re
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import mam
import mam.testing
import pytest
from conftest import ANN, BEN
from mam import PrivacyLevel, TelemetryEvent

PAGE = Path(__file__).resolve().parents[3] / "docs" / "telemetry.md"
PIN, NEW_PIN, TOKEN, PLAIN = "Gx7-pin-secret", "Hy8-pin-secret", "token-secret", "plain-secret"
CONFIGURED, TENANT = "configured-secret", "11111111-2222-3333-4444-555555555555"
#: Nothing of this may be in an event.
SECRETS = [PIN, NEW_PIN, TOKEN, PLAIN, CONFIGURED, "secret", "@", "contoso", "ann", "/", "window-name"]

SEVERAL: dict[str, Any] = {"settings": {"MultiIdentity": True, "MultiManagedIdentities": True}}

Row = tuple[str, ...]


def table(heading: str) -> list[Row]:
    """The rows of the page's table whose first line is this."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = lines.index(heading) + 2
    end = next(number for number in range(start, len(lines) + 1) if number == len(lines) or not lines[number].startswith("|"))
    return [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in lines[start:end]]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


EVENTS = {code(row[0])[0]: row for row in table("| event | privacy level | data types | priority | when |")}
PROPERTIES = {(code(row[0])[0], code(row[1])[0]): row[2] for row in table("| event | property | type | meaning |")}
ACTIONS = {name for row in table("| action | call |") for name in code(row[0])}


@pytest.fixture
def office(tmp_path: Path) -> Iterator[mam.testing.Office]:
    with mam.testing.office(tmp_path) as made:
        made.user(ANN, account_id="id-of-a", tenant_id=TENANT)
        made.user(BEN, account_id="id-of-b", tenant_id=TENANT)
        made.policy(pinRequired=True, pinCharacterSet="alphanumericAndSymbol", appDataEncryptionType="whenDeviceLocked")
        (configuration,) = made.authority.import_configuration(
            {
                "@odata.type": "#microsoft.graph.targetedManagedAppConfiguration",
                "displayName": "Servers",
                "customSettings": [{"name": "ServerPassword", "value": CONFIGURED}],
            }
        ).configurations
        made.authority.assign_configuration(configuration.id, all_users=True)
        made.authority.target_configuration(configuration.id, all_apps=True)
        yield made


class Walk:
    """Does everything that telemetry reports, in an office whose clock can be advanced."""

    def __init__(self, office: mam.testing.Office, settings: dict[str, Any]) -> None:
        self.office = office
        self.settings = settings
        self.events: list[TelemetryEvent] = []
        self.folder = office.folder / "a folder secret"
        self.folder.mkdir()

    def open(self, app: str, *, settings: dict[str, Any] | None = None, **keys: Any) -> mam.Mam:
        settings = {**self.settings, **(settings or {})}
        return self.office.open(app, worker=False, telemetry=self.events.append, settings=settings, **keys)

    def everything(self) -> None:
        self.one_account()
        self.launches_that_enroll()
        self.repeated()
        self.lost_enrollments()
        self.dropped()

    def one_account(self) -> None:
        authority = self.office.authority
        token = self.folder / "token"
        token.write_text(TOKEN)
        authority.set_user(ANN, access_token_file=token)
        answers = {"accessToken": TOKEN, "authenticate": ANN, "pin": PIN}
        m = self.open("com.example.notes", version="1.2", delegate=lambda question: answers.get(question.kind), **SEVERAL)
        assert m.register_and_enroll(ANN).wait(30)
        m.register_account("zed@contoso.example")
        m.set_ui_identity(ANN, window="window-name").wait(30)
        m.launch().wait(30)
        m.resume().wait(30)
        m.pin_verify(ANN, PIN)
        with suppress(mam.DeniedError):
            m.pin_verify(ANN, NEW_PIN)
        m.pin_set(ANN, NEW_PIN, old=PIN)
        m.pin_reset(ANN).wait(30)
        self.files(m)
        m.rotate_keys(ANN)
        m.set_device({"version": "12"})
        m.report_device_health(threat_level="low")
        m.check_in(ANN).wait(30)
        authority.set_user(ANN, access_token_file=None)
        authority.set_fault("network", operation="checkIn", count=1)
        assert not m.check_in(ANN).wait(30)
        assert not m.check_in(BEN).wait(30)
        assert m.register_and_enroll(BEN).wait(30)
        assert m.deregister_and_unenroll(BEN).wait(30)
        m.wipe_account(ANN).wait(30)
        m.forget_authority()
        m.set_override("SupportsDarkMode", False)
        m.close()

    def files(self, m: mam.Mam) -> None:
        plain, other, copy = (self.folder / name for name in ("plain", "other", "copy"))
        for path in (plain, other):
            path.write_text(PLAIN)
        m.file_encrypt(plain, ANN)
        m.file_reprotect(plain)
        m.file_decrypt_copy(plain, copy)
        m.file_export(plain, mam.SaveLocation.OTHER, self.folder / "exported", location_account=ANN)
        m.file_import(self.folder / "exported", ANN, self.folder / "imported")
        m.file_decrypt(plain)
        m.file_protect(other, ANN)
        m.file_verify_and_protect(other, ANN)
        m.file_unmanage(other, "")
        database = self.folder / "database"
        connection = sqlite3.connect(database)
        connection.execute("CREATE TABLE notes (text)")
        connection.close()
        m.sqlite_encrypt(database, ANN)
        m.sqlite_decrypt(database, ANN)
        with suppress(mam.FileNotFoundError):
            m.file_decrypt(self.folder / "no such file")

    def launches_that_enroll(self) -> None:
        m = self.open("com.example.mail", settings={"AutoEnrollOnLaunch": True}, device={"mdmAccountId": "id-of-b"})
        m.launch().wait(30)

    def repeated(self) -> None:
        self.office.fault("network", operation="enroll", count=1)
        m = self.open("com.example.chat")
        assert not m.register_and_enroll(BEN).wait(30)
        self.office.advance(days=1)

    def lost_enrollments(self) -> None:
        m = self.open("com.example.calendar")
        assert m.register_and_enroll(BEN).wait(30)
        for one in self.office.authority.registrations(user=BEN):
            self.office.authority.remove_registration(one.id)
        m.check_in(BEN).wait(30)
        m.check_in(BEN).wait(30)

    def dropped(self) -> None:
        inside, go_on = threading.Event(), threading.Event()

        def stay(event: TelemetryEvent) -> None:
            self.events.append(event)
            inside.set()
            go_on.wait()

        with self.office.open("com.example.slow", telemetry=stay) as m:
            for _ in range(300):
                with suppress(mam.FileNotFoundError):
                    m.file_decrypt(self.folder / "no such file")
                inside.wait()
            go_on.set()


@pytest.mark.parametrize("hidden", [[], ["ServerPassword"]], ids=["", "scrubbed"])
def test_the_page_lists_what_is_emitted(office: mam.testing.Office, hidden: list[str]) -> None:
    walk = Walk(office, {"ValuesToScrubFromLogging": hidden})
    walk.everything()
    emitted = {(event.name, int(event.privacy_level), int(event.data_types), int(event.priority)) for event in walk.events}
    assert emitted == {(name, int(row[1]), int(row[2]), int(row[3])) for name, row in EVENTS.items()}
    assert {(event.name, key) for event in walk.events for key in event.properties} == set(PROPERTIES)
    for event in walk.events:
        # Each event has all of its properties, of the type that the page states.
        assert {key for name, key in PROPERTIES if name == event.name} == set(event.properties), event
        for key, value in event.properties.items():
            check_type(PROPERTIES[event.name, key], value)
        assert event.region == mam.DataRegion.GLOBAL
        assert isinstance(event.time, datetime) and event.time.tzinfo is not None
        assert event.account in (None, "id-of-a", "id-of-b") and event.tenant in (None, TENANT)
        for secret in SECRETS:
            assert secret not in repr(event), f"{secret} in {event}"
    assert {event.properties["action"] for event in walk.events if event.name == mam.TelemetryName.ACTION} == ACTIONS
    triggers = {event.properties["trigger"] for event in walk.events if event.name == "enrollment"}
    assert triggers == set(code(PROPERTIES["enrollment", "trigger"]))
    assert {event.properties["type"] for event in walk.events if event.name == "appLaunch"} == {"launch", "resume"}
    assert {event.properties["succeeded"] for event in walk.events if event.name in ("enrollment", "checkIn")} == {True, False}
    # An account that is known to the authority has its tenant in every event, also when it is wiped.
    assert all(event.tenant == TENANT for event in walk.events if event.account)
    assert {event.name for event in walk.events if event.tenant} >= {"enrollment", "checkIn", "wipe"}


def check_type(stated: str, value: object) -> None:
    """A property's value is of the type in the page's table."""
    if code(stated):
        assert value in code(stated), stated
    elif stated == "number":
        assert type(value) is int, value
    elif stated == "boolean":
        assert type(value) is bool, value
    elif stated == "list of names":
        assert isinstance(value, list) and all(re.fullmatch("[A-Za-z]+", one) for one in value), value
    elif stated == "name":
        assert isinstance(value, str) and re.fullmatch("[A-Za-z]+", value), value
    else:
        assert stated in ("text", "text or null") and (value is None or isinstance(value, str)), stated


def test_the_enumerations_are_those_of_the_page() -> None:
    assert {str(one) for one in mam.TelemetryName} == set(EVENTS)


def test_an_event(office: mam.testing.Office) -> None:
    events: list[TelemetryEvent] = []
    m = office.open(worker=False)
    m.set_telemetry(events.append)
    m.register_and_enroll(ANN).wait(30)
    (enrollment,) = [event for event in events if event.name == mam.TelemetryName.ENROLLMENT]
    assert enrollment.account == "id-of-a" and enrollment.tenant == TENANT
    assert enrollment.privacy_level is PrivacyLevel.SERVICE and enrollment.priority is mam.TelemetryPriority.NORMAL
    assert enrollment.data_types == mam.DataTypes.USAGE | mam.DataTypes.PERFORMANCE
    assert enrollment.region is mam.DataRegion.GLOBAL
    assert abs(enrollment.time - datetime.now(timezone.utc)) < timedelta(minutes=1)
    assert enrollment.succeeded is True
    assert enrollment.properties["code"] == mam.StatusCode.NEW_POLICIES_RECEIVED
    m.set_telemetry(None)
    count = len(events)
    m.check_in().wait(30)
    assert len(events) == count


def test_levels(office: mam.testing.Office) -> None:
    events: list[TelemetryEvent] = []
    m = office.open(worker=False, enroll=ANN)
    m.set_telemetry(events.append, PrivacyLevel.SERVICE)
    m.set_override("SupportsDarkMode", True)
    assert not events
    m.check_in().wait(30)
    assert [event.name for event in events] == ["checkIn"]


def test_disabled(office: mam.testing.Office) -> None:
    events: list[TelemetryEvent] = []
    m = office.open(worker=False, telemetry=events.append)
    m.set_override("MAMTelemetryDisabled", True)
    m.register_and_enroll(ANN).wait(30)
    assert not events
    assert m.effective_settings()["MAMTelemetryDisabled"].effect == mam.SettingEffect.APPLIES


def test_an_exception_in_the_callback(office: mam.testing.Office, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: seen.append(args.exc_type))

    def fail(event: TelemetryEvent) -> None:
        raise ValueError("the host's own")

    m = office.open(worker=False, telemetry=fail)
    assert m.register_and_enroll(ANN).wait(30)
    m.close()
    assert set(seen) == {ValueError}


#: Ways to start an operation.
STARTS: dict[str, Callable[[mam.Mam], mam.Operation[Any]]] = {
    "check-in": lambda m: m.check_in(ANN),
    "enroll": lambda m: m.register_and_enroll(ANN),
    "launch": lambda m: m.launch(),
    "identity": lambda m: m.set_ui_identity(ANN, "window"),
}


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
@pytest.mark.parametrize("worker", [True, False], ids=["worker", "no-worker"])
def test_operations_that_the_callback_starts(
    office: mam.testing.Office, worker: bool, start: Callable[[mam.Mam], mam.Operation[Any]]
) -> None:
    """They are not recorded, or each would start another one."""
    m = office.open(enroll=ANN, worker=worker, **SEVERAL)
    m.on_question(mam.PIN)(lambda question: None)
    received: list[str] = []
    started: list[mam.Operation[Any]] = []
    called = threading.Event()

    def callback(event: TelemetryEvent) -> None:
        received.append(event.name)
        if not started:
            started.append(start(m))
        called.set()

    m.set_telemetry(callback)
    m.set_override("SupportsDarkMode", False)
    assert called.wait(60)
    with suppress(mam.MamError):
        started[0].wait(60)
    called.clear()
    m.set_override("SupportsDarkMode", True)
    assert called.wait(60)
    m.set_telemetry(None)
    assert received == ["action", "action"]


def test_things_that_are_no_callbacks(office: mam.testing.Office) -> None:
    m = office.open(worker=False)
    with pytest.raises(TypeError, match="telemetry is a callable"):
        m.set_telemetry(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"level must be mam\.PrivacyLevel"):
        m.set_telemetry(print, 1)  # type: ignore[arg-type]


def test_numbers_of_a_newer_library() -> None:
    from mam._records import build

    raw = {"name": "later", "time": "2026-11-21T09:30:00.000Z", "privacyLevel": 7, "dataTypes": 64, "priority": 9, "region": 5}
    event = build(TelemetryEvent, {**raw, "properties": {}})
    assert (event.name, event.privacy_level, int(event.data_types), event.priority, event.region) == ("later", 7, 64, 9, 5)
    assert event.succeeded is None
