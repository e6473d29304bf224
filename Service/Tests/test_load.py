"""mamd load: simulated computers before a real mamd, and what they notice."""

import json
import sqlite3

import pytest
from conftest import Service


@pytest.fixture
def empty(tmp_path):
    """A service without TLS and without users."""
    made = Service(str(tmp_path / "mamd"), "--proxy")
    yield made
    made.stop()


def load(service, *options, check=True):
    done = service.finished(["load", "run", service.folder, "--json", *options], check)
    return json.loads(done if check else done.stdout)


def here(service):
    return ("--to", f"127.0.0.1:{service.port}")


def test_computers_enroll_and_wipe_after_a_storm(empty):
    empty.start()
    storm = ("--storm", "5", "--storm-after", "0")
    found = load(empty, *here(empty), "--computers=40", "--speed=240", "--seconds=10", "--arrive=10", "--wipes=5", *storm)
    requests, wipes = found["requests"], found["wipes"]
    assert requests["enroll unanswered (noAnswer)"] > 0, "there was a storm"
    assert requests["enroll enrolled"] >= 40, "everybody came back"
    assert wipes["requested"] >= 1 and wipes["unreported"] == wipes["unexpected"] == 0
    assert wipes["requested"] == wipes["delivered"] == wipes["reported"] == requests["check-in wipe"]
    assert found["sound"] and found["wrong"] == found["lost"] == 0
    listed = empty.admin("wipe.list")["wipes"]
    assert len(listed) == wipes["requested"] and all((one["pending"], one["done"]) == (0, 1) for one in listed)


def test_over_tls_as_the_library_does(tmp_path):
    service = Service(str(tmp_path / "mamd")).start()
    found = load(service, "--computers=8", "--speed=600", "--seconds=5", "--arrive=2", "--wipes=1")
    assert found["sound"] and found["requests"]["enroll enrolled"] >= 8
    service.stop()


def test_prepared_registrations_are_those_of_the_computers(empty):
    words = [empty.folder, "--registrations", "500"]
    empty.finished(["load", "prepare", *words], check=True)
    assert len(empty.admin("registration.list")["registrations"]) == 500
    again = empty.finished(["load", "prepare", *words], check=False)
    assert again.returncode != 0, "they are there already"
    empty.start()
    found = load(empty, *here(empty), "--prepared", "--computers=500", "--speed=600", "--seconds=5", "--arrive=10")
    assert found["sound"] and "enroll enrolled" not in found["requests"]
    assert found["requests"]["check-in changed"] >= 1


def test_a_registration_that_the_service_forgets_is_noticed(empty):
    empty.finished(["load", "prepare", empty.folder, "--registrations", "40"], check=True)
    with sqlite3.connect(empty.path("mamd.db")) as database:
        database.execute("DELETE FROM registrants WHERE device_tag = 'load-7'")
    empty.start()
    found = load(empty, *here(empty), "--prepared", "--computers=40", "--speed=600", "--seconds=5", "--arrive=1", check=False)
    assert found["lost"] == 1 and not found["sound"]


def test_a_service_with_people_is_left_alone(service):
    for command in (["load", "run", service.folder, "--seconds=1"], ["load", "prepare", service.folder]):
        done = service.finished(command, check=False)
        assert done.returncode != 0 and "a load is for a service without them" in done.stderr
    assert len(service.admin("user.list")["users"]) == 1


def test_another_computer_is_not_asked_unless_told(empty):
    done = empty.finished(["load", "run", empty.folder, "--to", "192.0.2.1:8443"], check=False)
    assert done.returncode != 0 and "--elsewhere" in done.stderr


@pytest.mark.parametrize("option", ["--seconds=0", "--seconds=4000", "--computers=2000000", "--speed=0", "--verify=2"])
def test_a_load_is_bounded(empty, option):
    done = empty.finished(["load", "run", empty.folder, option], check=False)
    assert done.returncode != 0 and option.partition("=")[0] in done.stderr
