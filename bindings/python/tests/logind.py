"""python-dbusmock's logind on a private bus, with one session."""

from __future__ import annotations

import ctypes.util
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PYTHON = "/usr/bin/python3"
MOCK = Path(__file__).with_name("logind_mock.py")

needs_libsystemd = pytest.mark.skipif(ctypes.util.find_library("systemd") is None, reason="there is no libsystemd.so.0")


def has_dbusmock() -> bool:
    try:
        return subprocess.run([PYTHON, "-c", "import dbusmock"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


needs_mock = pytest.mark.skipif(not has_dbusmock(), reason="there is no python3-dbusmock: make deps")


class Logind:
    """A bus with a logind that has one session."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.address = self._answer()

    def set(self, **properties: Any) -> None:
        """Change properties of the session."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{json.dumps(properties)}\n")
        self._process.stdin.flush()
        assert self._answer() == "done"

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def logind(**session: Any) -> Iterator[Logind]:
    """A logind that has this session."""
    command = [PYTHON, str(MOCK), json.dumps({"uid": os.getuid(), "properties": {}, **session})]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            yield Logind(process)
        finally:
            process.stdin.close()
            process.wait(30)
