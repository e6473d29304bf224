"""The exit criteria, docs/exit-criteria.md, applied to notes.py: python3 -m pytest -p mam_pytest examples/python

PYTHONPATH names bindings/python/src, unless the package is installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mam.exit_criteria import CRITERIA, Criterion, Host
from mam.testing import Office


class Notes(Host):
    """notes.py, started for each action, as its user does in a shell. It cannot open files, print or paste."""

    app = "com.example.notes"
    program = Path(__file__).with_name("notes.py")

    def run(self, *words: str) -> str | None:
        """The output of a command; None if it fails or is refused."""
        environment = {
            **os.environ,
            "MAM_AUTHORITY": str(self.office.authority.path),
            "MAM_STATE": str(self.office.state),
            "MAM_APP": self.app,
            "NOTES_DIR": str(self.folder),
        }
        done = subprocess.run(
            [sys.executable, self.program, *words], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )
        return done.stdout if done.returncode == 0 else None

    def start(self) -> str:
        return self.run("list") or ""

    def sign_in(self, user: str) -> bool:
        return self.run("enroll", user) is not None

    def sign_out(self, user: str) -> None:
        self.run("wipe")

    def write(self, owner: str, text: str) -> str | None:
        said = self.run("add", kind(owner), text)
        return None if said is None else said.split()[-1]

    def read(self, owner: str, key: str) -> str | None:
        said = self.run("show", kind(owner), key)
        return None if said is None else said.removesuffix("\n")

    def save_copy(self, owner: str, key: str, target: Path) -> bool:
        return self.run("export", kind(owner), key, str(target)) is not None


def kind(owner: str) -> str:
    return "work" if owner else "personal"


@pytest.mark.parametrize("criterion", CRITERIA)
def test_exit_criteria(mam_office: Office, criterion: Criterion) -> None:
    criterion(Notes(mam_office))
