"""A wipe of owned files killed at its system calls in turn: the next one continues until all of them are gone, and
counts them.

    file_wipe_kill.py ACTOR            a sample of about fifty system calls
    file_wipe_kill.py ACTOR --every    every one; and of a wipe of many files a sample of those that write the state

It uses one office, where Ann enrolls again after each wipe and owns new files. Files of Bob and files without an owner
must be there after each.
"""

from __future__ import annotations

import collections
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import kills
from kills import run

MARK = "the-wipe-begins-here"
COUNTS = re.compile(r"(\d+) of (\d+) files removed, (\d+) gone, (\d+) left")
OWNED = 61  # with the directory
FILES = 17060  # in 18 more directories: too many for one commit
MANY = FILES + 18


def left_of(office: pathlib.Path) -> set[str]:
    return {str(path.relative_to(office)) for folder in ("files", "hers") for path in (office / folder).rglob("*")}


def check(office: pathlib.Path, finished: str, owned: int = OWNED) -> None:
    assert left_of(office) == {"files/bob's", "files/mine"}, f"there are {sorted(left_of(office))}"
    assert not (office / "hers").exists(), "the directory is still there"
    counts = COUNTS.search(finished)
    assert counts is not None, f"nothing is told of the files: {finished}"
    removed, known, gone, left = map(int, counts.groups())
    assert (removed, known, gone, left) == (owned, owned, 0, 0), f"it is told: {counts[0]}"


def kill(actor: str, office: pathlib.Path, call: kills.Call) -> str:
    """How many files were left by a kill: "all", "some" or "none"."""
    run(actor, "own", office)
    kills.kill(call, actor, "wipe", office, "host")
    owned = len(left_of(office)) - 2
    run(actor, "wipe", office, "host", expect=None)
    check(office, run(actor, "finish", office, "host"))
    return "all" if owned == OWNED - 1 else "some" if owned > 0 else "none"


def test(actor: str, every: bool) -> list[str]:
    """The failures, one line each."""
    left: collections.Counter[str] = collections.Counter()
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="mam-kill-") as folder:
        office = pathlib.Path(folder) / "office"
        kills.make(actor, office)
        run(actor, "own", office)
        _, calls = kills.calls(pathlib.Path(folder), MARK, actor, "wipe", office, "host")
        check(office, run(actor, "finish", office, "host"))
        chosen = calls if every else kills.sample(calls)
        for call in chosen:
            try:
                left[kill(actor, office, call)] += 1
            except (AssertionError, subprocess.TimeoutExpired) as failure:
                failures.append(f"killed at {call[0]} number {call[1]}: {failure}")
                break  # the office is unfit for the next one
        print(f"{len(chosen)} of {len(calls)} calls, files left: {dict(left)}, {len(failures)} failures", flush=True)
    if not (left["all"] and left["some"] and left["none"]):
        failures.append(f"the kills did not meet the files: {dict(left)}")
    return failures


def test_many(actor: str) -> list[str]:
    """The failures, one line each, of kills between the commits of a wipe of many files."""
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="mam-kill-") as folder:
        office = pathlib.Path(folder) / "office"
        kills.make(actor, office)
        run(actor, "own", office, FILES)
        _, calls = kills.calls(pathlib.Path(folder), MARK, actor, "wipe", office, "host")
        check(office, run(actor, "finish", office, "host"), MANY)
        last = max(i for i, call in enumerate(calls) if call[0] == "unlinkat")
        writes = [call for call in calls[last:] if call[0] in ("pwrite64", "fdatasync", "ftruncate")]
        chosen = writes[:16] + writes[16 :: max(1, len(writes) // 24)]
        for call in chosen:
            run(actor, "own", office, FILES)
            kills.kill(call, actor, "wipe", office, "host")
            try:
                check(office, run(actor, "finish", office, "host"), MANY)
            except (AssertionError, subprocess.TimeoutExpired) as failure:
                failures.append(f"killed at {call[0]} number {call[1]}: {failure}")
                break
        print(f"{len(chosen)} of {len(writes)} writes after the last file, {len(failures)} failures", flush=True)
    return failures


if __name__ == "__main__":
    actor, every = os.path.abspath(sys.argv[1]), "--every" in sys.argv
    name = f"a_wipe_of_files_killed_at_{'every' if every else 'some'}_call"
    tests = {name: functools.partial(test, actor, every)}
    if every:
        tests["a_wipe_of_many_files_killed_between_commits"] = functools.partial(test_many, actor)
    sys.exit(kills.main("wipes of files that are killed", tests))
