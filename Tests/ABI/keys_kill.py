"""A key rotation and an export killed at their system calls in turn.

    keys_kill.py ACTOR            a sample of about fifty system calls of each
    keys_kill.py ACTOR --every    every one

A rotation that was killed has begun an epoch or has not; either way what was sealed before opens, and the next rotation makes
the next epoch. An export leaves the former copy or the new one, whole, and after the
next open nothing beside it.
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
from collections.abc import Callable

import kills
from kills import run

MARK = "it-begins-here"


def rotated(actor: str, made: pathlib.Path, office: pathlib.Path) -> str:
    epoch = int(run(actor, "epoch", office))
    assert epoch in (1, 2), f"epoch {epoch} after a rotation that was killed"
    assert run(actor, "rotate", office) == "done"
    assert run(actor, "epoch", office) == str(epoch + 1)
    return "new" if epoch == 2 else "former"


def exported(actor: str, made: pathlib.Path, office: pathlib.Path) -> str:
    run(actor, "open", office)
    left = {one.name for one in office.iterdir()} - {one.name for one in made.iterdir()}
    assert not left, f"left behind: {left}"
    assert not list(office.glob("state/*/pending/*")), "a note is left behind"
    is_same = (office / "exported").read_bytes() == (made / "exported").read_bytes()
    assert run(actor, "import", office) == "whole"
    return "former" if is_same else "new"


def test(actor: str, every: bool, what: str, look: Callable[[str, pathlib.Path, pathlib.Path], str]) -> list[str]:
    """The failures, one line each."""
    left: collections.Counter[str] = collections.Counter()
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="mam-kill-") as folder:
        made, traced = pathlib.Path(folder) / "office", pathlib.Path(folder) / "traced"
        kills.make(actor, made)
        assert run(actor, "export", made) == "done"
        shutil.copytree(made, traced)
        out, calls = kills.calls(pathlib.Path(folder), MARK, actor, what, traced)
        assert out == "done", out
        chosen = calls if every else kills.sample(calls)
        for call in chosen:
            office = made.parent / "killed"
            shutil.rmtree(office, ignore_errors=True)
            shutil.copytree(made, office)
            kills.kill(call, actor, what, office)
            try:
                left[look(actor, made, office)] += 1
            except (AssertionError, subprocess.TimeoutExpired) as failure:
                failures.append(f"killed at {call[0]} number {call[1]}: {failure}")
        print(f"{len(chosen)} of {len(calls)} calls, {dict(left)}, {len(failures)} failures", flush=True)
    if not (left["former"] and left["new"]):
        failures.append(f"the kills did not meet it: {dict(left)}")
    return failures


if __name__ == "__main__":
    actor, every = os.path.abspath(sys.argv[1]), "--every" in sys.argv
    tests = {
        f"{what}_killed_at_{'every' if every else 'some'}_call": functools.partial(test, actor, every, verb, look)
        for what, verb, look in (("a_rotation", "rotate", rotated), ("an_export", "export", exported))
    }
    sys.exit(kills.main("rotations and exports that are killed", tests))
