"""mamctl and libmam against mamd."""

import json
import subprocess
from pathlib import Path

import pytest
from app import ALICE, App, needs_mamctl, refused
from conftest import Service
from wire import Wire, closed_port

pytestmark = needs_mamctl


@pytest.fixture
def app(tmp_path, service):
    return App(tmp_path / "app", service.settings)


def test_an_invitation_a_policy_and_a_wipe(app, service):
    status, output, errors = app.enroll(service.invite())
    assert (status, errors) == (0, ""), errors
    assert "newPoliciesReceived, 100" in output
    assert app.status()["authority"]["custody"] == "service"
    status, output, _ = app.run("check-in")
    assert status == 0 and "policiesHaveNotChanged, 101" in output
    wipe = service.admin("wipe.request", user=ALICE, app="notes")["id"]
    status, output, _ = app.run("check-in")
    assert "wipeReceived, 102" in output
    assert app.accounts() == []
    done = [one for one in service.admin("wipe.list")["wipes"] if one["id"] == wipe]
    assert [(one["pending"], one["done"]) for one in done] == [(0, 1)]


def test_the_doctor_finds_nothing(app, service):
    assert app.enroll(service.invite())[0] == 0
    report = json.loads(app.run("doctor", "--json")[1])
    assert [one for one in report["findings"] if one["check"] in ("authority", "clock", "custody")] == []
    notes = [one["message"] for one in report["notes"] if one["check"] == "authority"]
    assert len(notes) == 1 and "a check-in was last answered at 20" in notes[0]


def test_the_time_of_the_last_answer_is_known_without_asking(app, service):
    assert app.status()["authority"]["lastReached"] is None
    assert app.enroll(service.invite())[0] == 0
    reached = app.status()["authority"]["lastReached"]
    service.stop()
    assert app.status()["authority"]["lastReached"] == reached
    assert reached in app.run("status")[1]


def test_an_invitation_is_needed_and_used_once(tmp_path, app, service):
    assert "(authRequired, 203)" in app.run("enroll", ALICE)[2]
    code = service.invite()
    assert app.enroll(code)[0] == 0
    assert "(authRequired, 203)" in App(tmp_path / "other", service.settings).enroll(code)[2]


def test_two_apps_exchange_a_file(tmp_path, app, service):
    example = Path(__file__).parents[2] / "examples/policies/strict.json"
    service.admin("policy.import", document={**json.loads(example.read_text()), "id": "strict"}, replace=True)
    service.admin("policy.target", policy="strict", app="mail")
    other = App(tmp_path / "mail", service.settings, "mail")
    assert app.enroll(service.invite())[0] == 0
    assert other.enroll(service.invite())[0] == 0
    plain, sent, got = (str(tmp_path / name) for name in ("plain", "sent", "got"))
    assert app.run("file", "write", "--account", ALICE, plain, data="for colleagues")[0] == 0
    location = ("--location", "oneDriveForBusiness", "--location-account", ALICE)
    status, _, errors = app.run("file", "export", plain, sent, *location)
    assert status == 0, errors
    assert b"colleagues" not in Path(sent).read_bytes()
    status, _, errors = other.run("file", "import", sent, got, "--account", ALICE)
    assert status == 0, errors
    assert other.run("file", "read", got)[1] == "for colleagues"


def test_a_forgotten_enrollment_is_made_again_by_invitation(app, service):
    assert app.enroll(service.invite())[0] == 0
    assert app.run("unenroll", ALICE)[0] == 0
    assert app.enroll(service.invite())[0] == 0
    assert len(service.admin("registration.list")["registrations"]) == 1


def test_the_keys_are_secret(app, service):
    """Nothing that mamctl shows has a key of the registration, nor has a file of the state one in clear."""
    assert app.enroll(service.invite())[0] == 0
    shown = app.run("status", "--json")[1] + app.run("doctor", "--json")[1] + app.run("events", "--json")[1]
    assert '"r-' not in shown and ".r-" not in shown
    for path in (app.folder / "state").rglob("*"):
        assert not path.is_file() or b'"registration":"r-' not in path.read_bytes()


def test_no_service(app, service):
    assert app.enroll(service.invite())[0] == 0
    service.stop()
    refused(app, 204)
    app.use({**service.settings, "url": f"https://localhost:{closed_port()}"})
    refused(app, 204)
    app.use({**service.settings, "url": "https://no-such-host.invalid"})
    refused(app, 204)


def test_without_keys_the_first_contact_is_trusted(tmp_path, service):
    """From then on another authority at the address is refused, until the first is given up."""
    wire = Wire(tmp_path)
    services = [Service(str(tmp_path / name), "--url", f"https://localhost:{wire.port}").people().start() for name in ("a", "b")]
    wire.service = services[0]
    app = App(tmp_path / "app", {key: value for key, value in wire.settings().items() if key != "keys"})
    assert app.enroll(services[0].invite())[0] == 0
    assert app.run("check-in")[0] == 0
    wire.service = services[1]
    refused(app, 204)
    assert app.run("authority", "forget")[0] == 0
    assert app.enroll(services[1].invite())[0] == 0
    assert app.run("check-in")[0] == 0
    wire.service = services[0]
    refused(app, 204)
    wire.close()
    for one in services:
        one.stop()


def test_certificates(tmp_path, app, service):
    assert app.enroll(service.invite())[0] == 0
    for name, options in {"expired": {"days": (-9, -1)}, "future": {"days": (1, 9)}, "other-host": {"host": "example.org"}}.items():
        folder = tmp_path / name
        folder.mkdir()
        made = Wire(folder, service, **options)
        app.use(made.settings())
        refused(app, 204)
        assert made.seen == [], "nothing is said to a server that is not trusted"
        made.close()
    (tmp_path / "good").mkdir()
    made = Wire(tmp_path / "good", service)
    app.use(made.settings(ca=service.settings["ca"]))
    refused(app, 204)
    assert made.seen == []
    app.use({key: value for key, value in made.settings().items() if key != "ca"})
    refused(app, 204)
    assert made.seen == []
    made.close()


def test_a_wrong_clock(tmp_path, app, service):
    source = Path(__file__).parents[2] / "Tests/Shell/clock.c"
    clock = tmp_path / "clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(clock), str(source)], check=True)
    app.environment |= {"LD_PRELOAD": str(clock), "CLOCK_MOVED": "-600"}
    assert app.enroll(service.invite())[0] == 0
    assert app.run("check-in")[0] == 0
