"""The commands of docs/service.md, from nothing to a wipe."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from conftest import MAMD, free_port

MAMCTL = os.environ.get("MAMCTL", "")
ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not os.access(MAMCTL, os.X_OK), reason="no mamctl; set MAMCTL")
def test_ten_minutes(tmp_path):
    page = (ROOT / "docs/service.md").read_text()
    section = re.search(r"(?ms)^## Ten minutes$(.*?)^## ", page)[1]
    blocks = re.findall(r"(?s)```sh\n(.*?)```", section)
    assert "scripts/build-mamd.sh" in blocks[0] and len(blocks) == 6
    port = free_port()
    text = "\n".join(blocks[1:])
    for there, here in {
        "/var/lib/mamd": str(tmp_path / "mamd"),
        "mam.example.org:8443": f"localhost:{port}",
        "0.0.0.0:8443": f"127.0.0.1:{port}",
        # A script does not wait for the line that a person sees.
        "mamd/service &": "mamd/service > started & until grep -q listening started; do sleep 0.1; done",
    }.items():
        assert there in text
        text = text.replace(there, here)
    (tmp_path / "bin").mkdir()
    (tmp_path / "mamd").mkdir()
    (tmp_path / "bin/mamd").symlink_to(MAMD)
    (tmp_path / "bin/mamctl").symlink_to(MAMCTL)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAM_")}
    environment |= {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}", "HOME": str(tmp_path), "COLUMNS": "200"}
    done = subprocess.run(
        ["bash", "-euc", f"trap 'kill %1; wait' EXIT\n{text}"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert "the plan\n" in done.stdout and "wipeReceived, 102" in done.stdout
    assert done.stdout.splitlines()[-1].split()[-2:] == ["0", "1"]
