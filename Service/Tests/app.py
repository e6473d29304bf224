"""An app on a computer, by mamctl."""

import json
import os
import subprocess
from pathlib import Path

import pytest

MAMCTL = os.environ.get("MAMCTL", str(Path(__file__).parents[2] / ".build/debug/mamctl"))
ALICE = "alice@contoso.example"

needs_mamctl = pytest.mark.skipif(not os.access(MAMCTL, os.X_OK), reason=f"no mamctl at {MAMCTL}; set MAMCTL")


def line_with(process, text):
    """The next line with a text that mamctl has written for a person."""
    line = ""
    while text not in line:
        line = process.stderr.readline()
        assert line
    return line


class App:
    """A state directory, the settings of an authority, and the commands."""

    def __init__(self, folder, settings, name="notes"):
        self.folder = folder
        folder.mkdir()
        self.environment = {
            **{key: value for key, value in os.environ.items() if not key.startswith("MAM") and "proxy" not in key.lower()},
            "MAM_APP": name,
            "MAM_STATE": str(folder / "state"),
            "XDG_CONFIG_HOME": str(folder),
            "COLUMNS": "200",
        }
        self.use(settings)

    def use(self, settings):
        path = self.folder / "authority.json"
        path.write_text(json.dumps(settings))
        self.environment["MAM_AUTHORITY"] = str(path)

    def start(self, *words, before=(), **more):
        return subprocess.Popen(
            [*before, MAMCTL, *words], env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more
        )

    def run(self, *words, data=""):
        process = self.start(*words, stdin=subprocess.PIPE)
        output, errors = process.communicate(data)
        return process.returncode, output, errors

    def enroll(self, code):
        path = self.folder / "code"
        path.write_text(code)
        return self.run("enroll", ALICE, "--invite", str(path))

    def status(self):
        return json.loads(self.run("status", "--json")[1])

    def accounts(self):
        return self.status()["accounts"]


def refused(app, *codes):
    """A check-in fails with one of these statuses, and the account stays as it is."""
    before = app.accounts()[0]
    status, _, errors = app.run("check-in")
    assert status != 0
    assert any(f", {code})" in errors for code in codes), errors
    after = app.accounts()[0]
    assert after["state"] == before["state"] == "enrolled"
    assert app.status()["wipes"] == []
    return errors
