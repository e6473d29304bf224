"""The wheel: built from the staged library, installed into empty environments of every Python here, and used."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import mam
import pytest

ROOT = Path(__file__).resolve().parents[3]

HOST = """
import os, sys, mam, mam.testing
from importlib.metadata import entry_points, version

assert mam.library_path().startswith(sys.prefix), mam.library_path()
assert version("libmam") == mam.__version__ == mam.version()
assert [e.value for e in entry_points(group="pytest11") if e.name == "mam_pytest"] == ["mam_pytest"]
with mam.testing.office() as office:
    office.user("ann@contoso.example")
    office.policy(printBlocked=True)
    m = office.open("com.example.notes", enroll="ann@contoso.example")
    assert not m.check("print", "ann@contoso.example")
    assert m.unprotect(m.protect("ann@contoso.example", b"minutes")) == b"minutes"
print("fine")
"""

# Nothing helps the package to find a library but its own.
ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name not in ("LIBMAM_PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME")
}


def run(*command: str | Path) -> str:
    done = subprocess.run(list(map(str, command)), env=ENVIRONMENT, cwd="/", capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def pythons() -> dict[str, str]:
    """The Pythons of this computer that start; pyenv's shims on the path may not."""
    found = {"{}.{}".format(*sys.version_info): sys.executable}
    versions = Path(os.environ.get("PYENV_ROOT") or "~/.pyenv").expanduser() / "versions"
    for version in ("3.10", "3.11", "3.12", "3.13", "3.13t", "3.14", "3.14t"):
        candidates = [shutil.which(f"python{version}"), *sorted(versions.glob(f"{version}.*/bin/python{version}"))]
        for candidate in map(str, filter(None, candidates)):
            if version not in found and subprocess.run([candidate, "-c", ""], capture_output=True).returncode == 0:
                found[version] = candidate
    return found


PYTHONS = pythons()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for module in ("auditwheel", "build"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: make deps")
    if not (ROOT / "stage/usr/local/lib/libmam.so.0").exists() or not (ROOT / ".venv").exists():
        pytest.skip("there is no stage/ or no .venv: make stage")
    out = tmp_path_factory.mktemp("wheel")
    run(ROOT / "scripts/wheel.sh", out)
    (made,) = out.glob("*.whl")
    return made


def test_contents(wheel: Path) -> None:
    assert wheel.name.startswith(f"libmam-{mam.__version__}-py3-none-manylinux_2_")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {"mam/libmam.so.0", "mam/py.typed", "mam/testing.py", "mam_pytest.py"} <= set(names)
    # Security updates of libmam's dependencies come from the distribution.
    assert [name for name in names if ".so" in name] == ["mam/libmam.so.0"]
    assert not any("test_" in name for name in names)


@pytest.mark.parametrize("version", PYTHONS)
def test_an_empty_environment(wheel: Path, version: str, tmp_path: Path) -> None:
    run(PYTHONS[version], "-m", "venv", "--without-pip", tmp_path / "venv")
    python = tmp_path / "venv/bin/python"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python)
    run(*pip, "install", "--no-index", "--find-links", wheel.parent, "libmam")
    assert run(python, "-W", "error", "-c", HOST) == "fine\n"
