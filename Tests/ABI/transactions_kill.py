"""A transaction over two databases with rollback journals that is killed: both have its rows afterwards, or neither,
whichever is opened first, and also if opening that one is killed.

    transactions_kill.py ACTOR COMMITTER            the system calls that change files, some forms in one mode alone
    transactions_kill.py ACTOR COMMITTER --every    every form in each mode, and two encrypted databases at every call
"""

from __future__ import annotations

import collections
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import kills
from kills import run

MODES = ("delete", "persist", "truncate")
CHANGES = ("pwrite64", "ftruncate", "unlink")
ORDERS = (("a", "b"), ("b", "a"))


def put(saved: pathlib.Path, office: pathlib.Path) -> None:
    shutil.rmtree(office / "db")
    shutil.copytree(saved, office / "db")


class Kills:
    """The kills of one form and journal mode, and what was found after them."""

    def __init__(self, committer: str, folder: pathlib.Path, form: str, mode: str, every: bool) -> None:
        self.committer, self.folder, self.office = committer, folder, folder / "office"
        self.form, self.mode, self.every = form, mode, every
        self.found: collections.Counter[str] = collections.Counter()
        self.failures: list[str] = []

    def save(self, name: str) -> pathlib.Path:
        saved = self.folder / name
        shutil.rmtree(saved, ignore_errors=True)
        shutil.copytree(self.office / "db", saved)
        return saved

    def look(self, what: str) -> None:
        """Open both databases in either order."""
        saved = self.save("killed")
        results = set()
        for order in ORDERS:
            put(saved, self.office)
            try:
                results.add(run(self.committer, self.office, "look", self.form, *order))
            except (AssertionError, subprocess.TimeoutExpired) as failure:
                self.failures.append(f"{self.mode}, {what}, {' before '.join(order)}: {failure}")
        self.found.update(results)
        if not results <= {"0 0", "1 1"} or len(results) > 1:
            self.failures.append(f"{self.mode}, {what}: the versions of a and b are {results}")

    def each(self, mark: str, before: pathlib.Path, what: str, *words: object) -> pathlib.Path | None:
        """Kill a command at its calls; the first state in which both journals and a super-journal were left."""
        command = (self.committer, self.office, *words)
        put(before, self.office)
        _, calls = kills.calls(self.folder, mark, *command)
        hot = None
        for call in calls:
            if not self.every and call[0] not in CHANGES:
                continue
            put(before, self.office)
            kills.kill(call, *command)
            if call[0] == "unlink" and hot is None:
                hot = self.save("hot")
            self.look(f"{what} killed at {call[0]} number {call[1]}")
        return hot

    def run(self) -> None:
        run(self.committer, self.office, "make", self.form)
        made = self.save("made")
        hot = self.each("the-commit-begins-here", made, "the commit", "commit", self.form, self.mode)
        assert hot is not None and list(hot.glob("main-mj*")) and len(list(hot.glob("?-journal"))) == 2
        for order in ORDERS:
            self.each("the-look-begins-here", hot, f"{order[0]} before {order[1]}", "look", self.form, *order)
        shutil.rmtree(self.office / "db")


def test(actor: str, committer: str, every: bool, form: str) -> list[str]:
    """The failures, one line each."""
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="mam-kill-") as folder:
        kills.make(actor, pathlib.Path(folder) / "office")
        for mode in MODES if every or form == "encrypted" else MODES[1:2]:
            one = Kills(committer, pathlib.Path(folder), form, mode, every and form == "encrypted")
            one.run()
            print(f"{mode}: {dict(one.found)}, {len(one.failures)} failures", flush=True)
            failures += one.failures
            if not failures and len(one.found) < 2:
                failures.append(f"{mode}: the kills did not meet the commit: {dict(one.found)}")
    return failures


if __name__ == "__main__":
    actor, committer = map(os.path.abspath, sys.argv[1:3])
    every = "--every" in sys.argv
    forms = ("encrypted", "plain", "accounts", "wal")
    tests = {f"a_transaction_is_whole_{form}": functools.partial(test, actor, committer, every, form) for form in forms}
    sys.exit(kills.main("transactions over two databases that are killed", tests))
