"""mamd init is killed at each of its system calls that make something last: the same command then makes a whole service."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import MAMD

sys.path.append(str(Path(__file__).parents[2] / "Tests/ABI"))
import kills

NAMES = {"mkdir", "rename", "renameat", "renameat2", "link", "linkat", "unlink", "fsync", "fdatasync", "sendto"}
pytestmark = pytest.mark.skipif(not kills.can_trace(), reason="strace is not installed, or may not trace")


def words(folder, *options):
    return [MAMD, "init", str(folder), "--url", "https://localhost:8443", "--tenant", "contoso", *options]


def steps(tmp_path, *options):
    """The calls that make a thing last or known to others, from the first folder on."""
    folder = tmp_path / "traced"
    _, calls = kills.calls(tmp_path, f'"{folder}.new', *words(folder, *options))
    return [call for call in calls if call[0] in NAMES]


def is_killed(folder, call, options):
    name, number = call
    inject = ["-e", f"trace={name}", "-e", f"inject={name}:signal=KILL:when={number}"]
    strace = ["strace", "-f", "-o", "/dev/null", *inject, *words(folder, *options)]
    return subprocess.run(strace, capture_output=True, check=False).returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)


def run(*words):
    return subprocess.run([MAMD, *words], capture_output=True, text=True, check=False)


def assert_whole(folder):
    """Database, keys and recovery key belong together."""
    printed = run("settings", folder)
    assert printed.returncode == 0, printed.stderr
    rotated = run("keys", "rotate", folder, "--recovery", f"{folder}/recovery.key")
    assert rotated.returncode == 0, rotated.stderr
    assert not Path(f"{folder}.new").exists()


def test_init_that_was_killed_is_repeated(tmp_path):
    found = steps(tmp_path)
    assert len(found) > 10
    for call in found:
        folder = tmp_path / "mamd"
        if is_killed(folder, call, ()):
            again = subprocess.run(words(folder), capture_output=True, text=True, check=False)
            if again.returncode:  # killed behind the end: the folder is whole
                assert "is there already" in again.stderr and "mamd settings" in again.stderr, (call, again.stderr)
            else:
                assert json.loads(again.stdout)["keys"], call
        assert_whole(folder)
        shutil.rmtree(folder)


def test_init_that_was_killed_on_postgresql_is_repeated(tmp_path, postgresql):
    found = steps(tmp_path, "--database", postgresql.database())
    assert any(name == "sendto" for name, _ in found)
    committed = 0
    for number, call in enumerate(found):
        folder, options = tmp_path / f"mamd-{number}", ("--database", postgresql.database())
        if is_killed(folder, call, options) and not folder.exists():
            has_tables = postgresql.sql(options[1], "SELECT to_regclass('schema_version') IS NOT NULL") == ["t"]
            committed += has_tables
            if has_tables:
                # Another command does not take away the only key of the tables.
                for other in (["--tenant", "other"], ["--listen", "127.0.0.1:1"], ["--database", postgresql.database()]):
                    refused = subprocess.run(words(folder, *options, *other), capture_output=True, text=True, check=False)
                    assert refused.returncode and "repeat it with those" in refused.stderr, (call, refused.stderr)
            again = subprocess.run(words(folder, *options), capture_output=True, text=True, check=False)
            assert again.returncode == 0, (call, again.stderr)
            assert json.loads(again.stdout)["keys"], call
        assert_whole(folder)
    assert committed, "no kill came between the commit and the end"
