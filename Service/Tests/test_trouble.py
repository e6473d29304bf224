"""Honest trouble: backups put back, states copied, laptops that were silent, registrations replaced. Nobody is wiped but for a wipe
that an administrator asked for, and none of these is lost."""

import re
import shutil
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest
from app import ALICE, App, needs_mamctl
from conftest import POLICY

pytestmark = needs_mamctl
DAY = 86_400


@pytest.fixture(scope="module")
def moved_clock(tmp_path_factory):
    """The environment of a process whose clock is some days ahead."""
    source = Path(__file__).parents[2] / "Tests/Shell/clock.c"
    clock = tmp_path_factory.mktemp("clock") / "clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(clock), str(source)], check=True)
    return lambda days: {"LD_PRELOAD": str(clock), "CLOCK_MOVED": str(days * DAY)}


def enrolled(tmp_path, service, name="app"):
    app = App(tmp_path / name, service.settings)
    status, _, errors = app.enroll(service.invite())
    assert status == 0, errors
    return app


def check_in(app, *options):
    """The status code of a check-in; the first where it carries out a wipe and reports it."""
    _, output, errors = app.run("check-in", *options)
    return int(re.search(r", ([0-9]{3})\)?", output + errors)[1])


def states(app):
    return [account["state"] for account in app.accounts()]


def wipe_is_done(service, wipe):
    (found,) = [one for one in service.admin("wipe.list")["wipes"] if one["id"] == wipe]
    return (found["pending"], found["done"]) == (0, 1)


@pytest.mark.parametrize("days", [100, 500])
def test_a_silent_laptop_goes_on(service, tmp_path, moved_clock, days):
    app = enrolled(tmp_path, service)
    service.stop()
    later = moved_clock(days)
    app.environment |= later
    # Without the service it is closed, perhaps, but not wiped.
    assert check_in(app) in (204, 205, 212)
    assert states(app) == ["enrolled"]
    service.start(**later)
    assert check_in(app) == 101
    assert states(app) == ["enrolled"]
    assert app.status()["wipes"] == []


@pytest.mark.parametrize("days", [100, 500])
def test_a_silent_laptop_receives_the_wipe_of_its_first_day(service, tmp_path, moved_clock, days):
    app, bystander = enrolled(tmp_path, service), enrolled(tmp_path, service, "bystander")
    tag = service.admin("registration.list")["registrations"][0]["deviceTag"]
    wipe = service.admin("wipe.request", user=ALICE, app="notes", deviceTag=tag)["id"]
    service.stop()
    later = moved_clock(days)
    app.environment |= later
    bystander.environment |= later
    service.start(**later)
    assert check_in(bystander) == 101
    # A check-in that is long due brings it as soon as the app opens its session.
    assert check_in(app) in (102, 104)
    assert app.accounts() == [] and states(bystander) == ["enrolled"]
    assert wipe_is_done(service, wipe)


def test_last_nights_backup(service, tmp_path):
    early = enrolled(tmp_path, service, "early")
    copy = service.folder + ".copy"
    service.run("backup", copy)
    late = enrolled(tmp_path, service, "late")
    first = service.admin("registration.list")["registrations"][0]["deviceTag"]
    service.admin("wipe.request", user=ALICE, deviceTag=first)
    assert check_in(late) == 101
    newest = service.folder + ".newest"
    service.run("backup", newest)
    service.put_back(copy)
    # The old copy does not know the registration, and does not end it: it is known for what it is.
    assert check_in(late) == 212
    assert states(late) == ["enrolled"]
    service.put_back(newest)
    assert check_in(late) == 101
    # Accepted, it has forgotten what came after it: an enrollment, which takes an invitation, and a wipe, to be requested again.
    service.put_back(copy)
    service.run("restore", "--accept")
    accepted = time.time()
    assert check_in(early) == 101
    code = tmp_path / "again"
    code.write_text(service.invite())
    assert check_in(late, "--invite", str(code)) == 220
    late.run("check-in", "--invite", str(code))
    assert len(service.admin("registration.list")["registrations"]) == 2
    assert check_in(late) == 101
    wipe = service.admin("wipe.request", user=ALICE, deviceTag=first)["id"]
    assert check_in(early) == 102
    assert early.accounts() == [] and states(late) == ["enrolled"] and wipe_is_done(service, wipe)
    # The same copy, put back and accepted once more, is the newest again: changes are counted from the time of that.
    while time.time() < accepted + 1:
        time.sleep(0.1)
    service.put_back(copy)
    assert check_in(late) == 212
    service.run("restore", "--accept")
    assert check_in(late) == 220


def copied(tmp_path, service):
    """Two copies of the state of an app that has enrolled."""
    first = enrolled(tmp_path, service, "first")
    second = App(tmp_path / "second", service.settings)
    shutil.copytree(tmp_path / "first/state", tmp_path / "second/state", symlinks=True)
    return first, second


def test_a_wipe_reaches_both_copies_of_a_state(service, tmp_path):
    first, second = copied(tmp_path, service)
    assert (check_in(first), check_in(second)) == (101, 101), "nothing tells them apart yet"
    service.admin("wipe.request", user=ALICE)
    assert (check_in(first), check_in(second)) == (102, 102)
    assert first.accounts() == second.accounts() == []


def change_policy(service, number):
    """Another policy: the next check-in of each app changes its state."""
    service.admin("policy.import", document={**POLICY, "displayName": f"Strict {number}"}, replace=True)


def regresses(service):
    return [one for device in service.admin("device.list")["devices"] for one in device["regresses"]]


def test_copies_that_keep_step_are_told_apart_at_once(service, tmp_path):
    first, second = copied(tmp_path, service)
    (tag,) = [one["deviceTag"] for one in service.admin("registration.list")["registrations"]]
    assert (check_in(first), check_in(second)) == (101, 101), "nothing tells them apart yet"
    change_policy(service, 1)
    assert (check_in(first), check_in(second)) == (100, 100)
    # Each has changed its state once.
    assert check_in(first) == 101 and regresses(service) == []
    assert check_in(second) == 203
    assert len(regresses(service)) == 1 and states(first) == states(second) == ["enrolled"]
    assert check_in(first) == 101, "the one that came first goes on"
    code = tmp_path / "code"
    code.write_text(service.invite())
    assert check_in(second, "--invite", str(code)) == 101
    # The copy's registration, under a new tag, took the place of the one that both had.
    (registration,) = service.admin("registration.list")["registrations"]
    assert registration["deviceTag"] != tag
    assert check_in(first) == 220
    assert check_in(second) == 101 and states(first) == ["enrolled"] and len(regresses(service)) == 1


def apart(service, tmp_path, rule):
    """Two copies of a state under a rule, the second of which is found to be one at its next check-in; and their device tag."""
    service.stop()
    service.start(MAMD_COPIES=rule)
    first, second = copied(tmp_path, service)
    (tag,) = [one["deviceTag"] for one in service.admin("registration.list")["registrations"]]
    change_policy(service, 1)
    assert (check_in(first), check_in(second)) == (100, 100)
    assert check_in(first) == 101 and regresses(service) == []
    return first, second, tag


def test_a_copy_that_is_reported_goes_on_by_itself(service, tmp_path):
    first, second, tag = apart(service, tmp_path, "report")
    assert check_in(second) == 101
    (registration,) = service.admin("registration.list")["registrations"]
    assert registration["deviceTag"] != tag and len(regresses(service)) == 1
    assert check_in(second) == 101 and len(regresses(service)) == 1
    # It has taken the place of the one that both had.
    assert check_in(first) == 220
    assert states(first) == states(second) == ["enrolled"]


def test_a_copy_is_wiped_where_an_administrator_has_confirmed_it(service, tmp_path):
    first, second, tag = apart(service, tmp_path, "wipe")
    assert check_in(second) == 203 and states(second) == ["enrolled"], "a backup that was put back looks the same"
    service.admin("copy.wipe", deviceTag=tag)
    assert check_in(first) == 101
    assert (check_in(second), check_in(first)) == (102, 102)
    assert first.accounts() == second.accounts() == []
    (wipe,) = service.admin("wipe.list")["wipes"]
    assert wipe["deviceTag"] == tag


def test_apps_of_one_state_that_race_are_no_copies(service, tmp_path):
    service.admin("policy.target", policy="strict", app="chess")
    first = enrolled(tmp_path, service, "first")
    second = App(tmp_path / "second", service.settings, "chess")
    second.environment["MAM_STATE"] = first.environment["MAM_STATE"]
    assert second.enroll(service.invite())[0] == 0
    for turn in range(8):
        change_policy(service, turn)
        running = [app.start("check-in") for app in (first, second, first, second)]
        ended = [process.communicate() for process in running]
        assert [process.returncode for process in running] == [0] * 4, ended
    assert regresses(service) == []
    assert (check_in(first), check_in(second)) == (101, 101)


def test_a_registration_that_another_replaced_is_made_again(service, tmp_path):
    first, second = copied(tmp_path, service)
    # The second one leaves and enrolls under the same device tag, which ends what the first one has.
    assert second.run("unenroll", ALICE)[0] == 0
    assert second.enroll(service.invite())[0] == 0
    assert check_in(first) == 220
    assert states(first) == ["enrolled"], "it is told, and not wiped"
    assert check_in(second) == 101


def registrants(service):
    """The device tags of the registrations that the database remembers, with the times at which they ended."""
    with closing(sqlite3.connect(f"file:{service.path('mamd.db')}?mode=ro", uri=True)) as database:
        return dict(database.execute("SELECT device_tag, ended FROM registrants"))


def until(condition):
    while not condition():
        time.sleep(0.05)


def test_ends_are_forgotten_and_wipes_are_not(service, moved_clock):
    for device in ("lives", "removed", "waits"):
        service.enrolled(device=device)
    service.admin("wipe.request", user=ALICE, deviceTag="waits")
    listed = {one["deviceTag"]: one["id"] for one in service.admin("registration.list")["registrations"]}
    for device in ("removed", "waits"):
        service.admin("registration.remove", registration=listed[device])
    # It looks at its start, and then once a day.
    service.stop()
    service.start()
    until(lambda: [tag for tag, ended in registrants(service).items() if ended] == ["removed", "waits"])
    service.stop()
    service.start(**moved_clock(401))
    until(lambda: sorted(registrants(service)) == ["lives", "waits"])
