"""Finding the library: error messages, and the order of precedence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import mam
import pytest

SOURCES = Path(mam.__file__).parent.parent


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter with the package on its path."""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(SOURCES), **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_wrong_path_is_an_error() -> None:
    done = run("import mam", LIBMAM_PATH="/nonexistent/libmam.so")
    assert done.returncode == 1
    assert "ImportError" in done.stderr
    assert "LIBMAM_PATH" in done.stderr


@pytest.mark.parametrize(
    ("name", "packages"),
    [("libcrypto.so.3", "libssl3"), ("libsqlite3.so.0", "libsqlite3-0")],
)
@pytest.mark.parametrize("how", ["absent", "broken"])
def test_a_missing_dependency(tmp_path: Path, name: str, packages: str, how: str) -> None:
    """The error names the missing library and the package that has it."""
    wanted = Path(mam.library_path()).read_bytes()
    assert wanted.count(name.encode() + b"\0") == 1
    # A name of the same length that no system has; no checksum protects it.
    absent = name[:-1] + "~"
    library = tmp_path / "libmam.so.0"
    library.write_bytes(wanted.replace(name.encode() + b"\0", absent.encode() + b"\0"))
    if how == "broken":
        (tmp_path / absent).write_bytes(b"no library")
    done = run("import mam", LIBMAM_PATH=str(library), LD_LIBRARY_PATH=str(tmp_path))
    (line,) = [line for line in done.stderr.splitlines() if "needs the system's" in line]
    assert line.startswith("ImportError: ")
    assert absent[:-1] in line and packages in line and "openssl-libs sqlite-libs" in line


def test_a_library_that_is_not_libmam() -> None:
    done = run("import mam", LIBMAM_PATH="libc.so.6")
    assert done.returncode == 1
    assert "ImportError" in done.stderr
    assert "update libmam" in done.stderr


def test_the_path_that_is_named_is_loaded() -> None:
    done = run("import mam; print(mam.library_path())", LIBMAM_PATH=mam.library_path())
    assert done.stdout.strip() == mam.library_path() == os.path.realpath(mam.library_path())


def test_a_file_beside_the_package(tmp_path: Path) -> None:
    package = tmp_path / "mam"
    package.mkdir()
    for source in Path(mam.__file__).parent.glob("*.py"):
        (package / source.name).write_bytes(source.read_bytes())
    library = package / "libmam.so.0"
    library.write_bytes(Path(mam.library_path()).read_bytes())
    done = run("import mam; print(mam.library_path())", PYTHONPATH=str(tmp_path), LIBMAM_PATH="")
    assert done.stdout.strip() == str(library.resolve()), done.stderr


def test_the_system_finds_it_by_its_soname(tmp_path: Path) -> None:
    library = tmp_path / "libmam.so.0"
    library.symlink_to(mam.library_path())
    done = run("import mam; print(mam.library_path())", LIBMAM_PATH="", LD_LIBRARY_PATH=str(tmp_path))
    assert os.path.realpath(done.stdout.strip()) == os.path.realpath(library), done.stderr


def test_an_older_library(tmp_path: Path) -> None:
    code = "import mam._ffi as f; f.ABI_VERSION = 10**6; f._load()"
    done = run(code)
    assert "ABI version" in done.stderr
    assert "update libmam" in done.stderr
