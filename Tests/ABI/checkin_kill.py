"""A check-in killed at its system calls in turn: the policy and the app configurations of one check-in stay together.

    checkin_kill.py ACTOR            a sample of about fifty system calls
    checkin_kill.py ACTOR --every    every one

Both have changed at the authority since Ann's last check-in. For each system call of the next check-in, it is killed in
a fresh copy of the office as it enters that call. Then Ann's rows must be either both old or both new (a re-sealed row
never equals the old one), her account opens, and the following check-in succeeds.
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
from kills import query, run

MARK = "the-check-in-begins-here"
ROWS = "SELECT p.account, p.record, c.record FROM policies p JOIN configurations c ON c.account = p.account"


def changed(office: pathlib.Path, former: list[tuple]) -> set[tuple[bool, bool]]:
    """Per account: whether its policy and whether its configurations differ from the former ones."""
    old = {account: rows for account, *rows in former}
    now = {account: rows for account, *rows in query(office, ROWS)}
    assert now.keys() == old.keys(), "an account has lost its policy or its configurations"
    return {(now[one][0] != old[one][0], now[one][1] != old[one][1]) for one in now} - {(False, False)}


def kill(actor: str, made: pathlib.Path, former: list[tuple], call: kills.Call) -> str:
    """The result of a kill: "former" or "new" rows."""
    office = made.parent / "killed"
    shutil.rmtree(office, ignore_errors=True)
    shutil.copytree(made, office)
    kills.kill(call, actor, "check-in", office)
    after = changed(office, former)
    assert after in (set(), {(True, True)}), f"policy and configurations changed apart: {after}"
    assert run(actor, "look", office) == "open"
    assert run(actor, "check-in", office) == ("101" if after else "100")
    assert changed(office, former) == {(True, True)}
    return "new" if after else "former"


def test(actor: str, every: bool) -> list[str]:
    """The failures, one line each."""
    left: collections.Counter[str] = collections.Counter()
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="mam-kill-") as folder:
        made, traced = pathlib.Path(folder) / "office", pathlib.Path(folder) / "traced"
        kills.make(actor, made)
        run(actor, "change", made)
        former = query(made, ROWS)
        shutil.copytree(made, traced)
        out, calls = kills.calls(pathlib.Path(folder), MARK, actor, "check-in", traced)
        assert out == "100" and changed(traced, former) == {(True, True)}, "a check-in that nobody kills changes both"
        chosen = calls if every else kills.sample(calls)
        for call in chosen:
            try:
                left[kill(actor, made, former, call)] += 1
            except (AssertionError, subprocess.TimeoutExpired) as failure:
                failures.append(f"killed at {call[0]} number {call[1]}: {failure}")
        print(f"{len(chosen)} of {len(calls)} calls, {dict(left)}, {len(failures)} failures", flush=True)
    if not (left["former"] and left["new"]):
        failures.append(f"the kills did not meet the check-in: {dict(left)}")
    return failures


if __name__ == "__main__":
    actor, every = os.path.abspath(sys.argv[1]), "--every" in sys.argv
    name = f"a_check_in_killed_at_{'every' if every else 'some'}_call"
    sys.exit(kills.main("check-ins that are killed", {name: functools.partial(test, actor, every)}))
