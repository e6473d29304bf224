"""An app that is killed at any time, against mamd: no registration is doubled, and no wipe is lost. MAM_KILLS sets the number of
kills."""

import os
import random
import threading
import time

import pytest
from app import ALICE, App, needs_mamctl
from test_kills import KILLS

pytestmark = needs_mamctl


class Killer:
    """Runs commands of an app, and kills each at a random moment of the time that such a command has taken so far."""

    def __init__(self):
        self.random, self.times = random.Random(os.environ.get("MAM_SEED", "1")), {}
        self.killed, self.ended = 0, 0

    def __call__(self, app, kind, *words):
        begun = time.monotonic()
        process = app.start(*words)
        timer = threading.Timer(self.random.uniform(0, self.times.get(kind, 0.2)), process.kill)
        timer.start()
        _, errors = process.communicate()
        timer.cancel()
        if process.returncode == -9:
            self.killed += 1
        else:
            self.ended += 1
            self.times[kind] = time.monotonic() - begun
            assert process.returncode >= 0, errors


def registrations(service):
    return service.admin("registration.list")["registrations"]


def enrolled(app, code):
    """The command repeated to its end: the account may be enrolled already."""
    status, _, errors = app.enroll(code)
    assert status == 0 or "alreadyEnrolled" in errors, errors


@pytest.mark.parametrize("report", [False, True], ids=["at random", "and before each report"])
def test_kills_at_any_time(tmp_path, service, report):
    kill, turn = Killer(), 0
    while kill.killed < KILLS:
        turn += 1
        assert turn < 50 * KILLS, "no command is ever killed"
        app = App(tmp_path / f"app-{turn}", service.settings)
        code = service.invite()
        path = tmp_path / f"code-{turn}"
        path.write_text(code)
        kill(app, "enroll", "enroll", ALICE, "--invite", str(path))
        enrolled(app, code)
        assert len(registrations(service)) == 1, "a registration is doubled"
        kill(app, "check-in", "check-in")
        assert app.run("check-in")[0] == 0
        assert len(registrations(service)) == 1
        wipe = service.admin("wipe.request", user=ALICE, app="notes")["id"]
        for _ in range(3 if report else 1):
            kill(app, "wipe", "check-in")
        for _ in range(5):
            if app.accounts() == [] and app.status()["wipes"] == []:
                break
            app.run("check-in")
        assert app.accounts() == [] and app.status()["wipes"] == [], "a wipe is not carried out"
        done = {one["id"]: (one["pending"], one["done"]) for one in service.admin("wipe.list")["wipes"]}
        assert done[wipe] == (0, 1), "a wipe is lost"
        assert registrations(service) == [], "the report has ended it"
