"""`pip install ./bindings/python`, as the README says: it works, and leaves nothing in the source folder."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1]
HOST = """
def test_notes_are_not_printed(mam_office):
    mam_office.user("ann@contoso.example")
    mam_office.policy(printBlocked=True)
    assert not mam_office.open("com.example.notes", enroll="ann@contoso.example").check("print", "ann@contoso.example")
"""
FORMS = pytest.mark.parametrize("form", [[], ["--editable"]], ids=["copied", "editable"])


def python(*command: str | Path, path: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PYTHONPATH"))}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run([sys.executable, *map(str, command)], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The package without the leftovers of other builds."""
    if any(importlib.util.find_spec(module) is None for module in ("pip", "setuptools")):
        pytest.skip("pip or setuptools is not installed: make deps")
    left = shutil.ignore_patterns("build", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis", "libmam.so*")
    return Path(shutil.copytree(PACKAGE, tmp_path / "python", ignore=left))


def install(checkout: Path, *options: str) -> None:
    here = ("--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check", "--quiet")
    python("-m", "pip", "install", *here, *options, checkout)


@FORMS
def test_it_leaves_nothing_behind(checkout: Path, tmp_path: Path, form: list[str]) -> None:
    before = files(checkout)
    install(checkout, "--target", str(tmp_path / "site"), *form)
    assert files(checkout) == before


@pytest.mark.parametrize("options", [[], ["-p", "mam_pytest"]], ids=["installed", "named too"])
def test_the_plugin_is_registered_once(checkout: Path, tmp_path: Path, options: list[str]) -> None:
    """Both if the package is installed and if a command line names the plugin."""
    site, test = tmp_path / "site", tmp_path / "test_host.py"
    install(checkout, "--target", str(site))
    test.write_text(HOST)
    done = python("-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", tmp_path, *options, test, path=site)
    assert "1 passed" in done
