"""The demo of the service, which `make demo-service` shows."""

import os
import subprocess
from pathlib import Path

import pytest
from conftest import MAMD

MAMCTL = os.environ.get("MAMCTL", "")


@pytest.mark.skipif(not os.access(MAMCTL, os.X_OK), reason="no mamctl; set MAMCTL")
def test_the_demo_ends_well_on_a_screen_and_a_half():
    script = Path(__file__).parents[2] / "scripts/demo-service.sh"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAM_")}
    environment |= {"MAMD": MAMD, "MAMCTL": MAMCTL, "LIBMAM_PATH": os.environ.get("LIBMAM_PATH", "-")}
    done = subprocess.run([script], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) <= 60, "a screen and a half"
    assert any(line.split()[-2:] == ["0", "1"] for line in lines), "the wipe is reported"
