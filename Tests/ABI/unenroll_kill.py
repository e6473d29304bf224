"""An unenrollment killed at its system calls in turn: with a reachable and an unreachable authority, and where the administrator
had ordered a wipe.

    unenroll_kill.py ACTOR            a sample of about fifty system calls
    unenroll_kill.py ACTOR --every    every one

For each system call of Ann's unenrollment, it is killed in a fresh copy of the office as it enters that call. Then
either she is still enrolled, or she has left: her data can be read, one event says so, and the next session that
reports informs the authority. Where a wipe was ordered, it is carried out and reported then.
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

MARK = "it-begins-here"


def test(actor: str, every: bool, first: str | None, then: str) -> list[str]:
    """The failures, one line each."""
    left: collections.Counter[str] = collections.Counter()
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="mam-kill-") as folder:
        made, traced, office = (pathlib.Path(folder) / name for name in ("office", "traced", "killed"))
        kills.make(actor, made)
        if first is not None:
            run(actor, first, made)
        shutil.copytree(made, traced)
        out, calls = kills.calls(pathlib.Path(folder), MARK, actor, "leave", traced)
        assert out == "104" and run(actor, then, traced) == "left", "an unenrollment that nobody kills ends well"
        chosen = calls if every else kills.sample(calls)
        for call in chosen:
            shutil.rmtree(office, ignore_errors=True)
            shutil.copytree(made, office)
            kills.kill(call, actor, "leave", office)
            try:
                left[run(actor, then, office)] += 1
            except (AssertionError, subprocess.TimeoutExpired) as failure:
                failures.append(f"killed at {call[0]} number {call[1]}: {failure}")
        print(f"{len(chosen)} of {len(calls)} calls, {dict(left)}, {len(failures)} failures", flush=True)
    if not (left["enrolled"] and left["left"]):
        failures.append(f"the kills did not meet the unenrollment: {dict(left)}")
    return failures


if __name__ == "__main__":
    actor, every = os.path.abspath(sys.argv[1]), "--every" in sys.argv
    name = f"an_unenrollment_killed_at_{'every' if every else 'some'}_call"
    tests = {
        name + suffix: functools.partial(test, actor, every, first, then)
        for suffix, first, then in (
            ("_that_is_heard", None, "left"),
            ("_that_is_not", "fault", "left"),
            ("_of_an_account_to_wipe", "request", "left-and-wiped"),
        )
    }
    sys.exit(kills.main("unenrollments that are killed", tests))
