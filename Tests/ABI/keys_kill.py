"""A key rotation, an export and a move to the newest key killed at their system calls in turn.

    keys_kill.py ACTOR            a sample of about fifty system calls of each
    keys_kill.py ACTOR --every    every one

A killed rotation has begun an epoch or has not; either way older data opens, and the next rotation begins the next
epoch. An export leaves the former copy or the new one, complete, and after the next open nothing beside it; so does a
move.
"""

from __future__ import annotations

import collections
import errno
import functools
import itertools
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


def in_the_clear(office: pathlib.Path) -> set[str]:
    """Files that contain the text, except those of unmanaged owners."""
    shown = {one.name for one in office.rglob("*") if one.is_file() and b"the plain text of a container" in one.read_bytes()}
    return shown - {"eve", "nobody"}


def rotated(actor: str, made: pathlib.Path, office: pathlib.Path) -> str:
    epoch = int(run(actor, "epoch", office))
    assert epoch in (1, 2), f"epoch {epoch} after a rotation that was killed"
    assert run(actor, "rotate", office) == "done"
    assert run(actor, "epoch", office) == str(epoch + 1)
    return "new" if epoch == 2 else "former"


def exported(actor: str, made: pathlib.Path, office: pathlib.Path) -> str:
    run(actor, "open", office)
    left = {one.name for one in office.iterdir()} - {one.name for one in made.iterdir()}
    assert not left and not in_the_clear(office), f"left behind: {left}, in the clear: {in_the_clear(office)}"
    assert not list(office.glob("state/*/pending/*")), "a note is left behind"
    is_same = (office / "exported").read_bytes() == (made / "exported").read_bytes()
    assert run(actor, "import", office) == "whole"
    return "former" if is_same else "new"


def reprotected(actor: str, made: pathlib.Path, office: pathlib.Path) -> str:
    run(actor, "open", office)
    left = {one.name for one in office.iterdir()} - {one.name for one in made.iterdir()}
    assert not left and not in_the_clear(office), f"left behind: {left}, in the clear: {in_the_clear(office)}"
    is_same = (office / "ann").read_bytes() == (made / "ann").read_bytes()
    assert run(actor, "epoch", office) == "2"  # and Ann's file can be read
    assert run(actor, "reprotect", office) == "done"
    assert (office / "ann").read_bytes() != (made / "ann").read_bytes()
    return "former" if is_same else "new"


def test(actor: str, every: bool, what: str, look: Callable[[str, pathlib.Path, pathlib.Path], str]) -> list[str]:
    """The failures, one line each."""
    left: collections.Counter[str] = collections.Counter()
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="mam-kill-") as folder:
        made, traced = pathlib.Path(folder) / "office", pathlib.Path(folder) / "traced"
        kills.make(actor, made)
        assert run(actor, "rotate" if what == "reprotect" else "export", made) == "done"
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


def failing(actor: str, faults: str, most: int) -> list[str]:
    """Calls that fail, or write half, one after the other: an operation that notices reports it, and leaves at most
    what a killed process leaves."""
    kinds = [("write", 0), ("write", errno.EIO), ("write", errno.ENOSPC), ("pwrite", errno.EIO), ("fsync", errno.EIO)]
    kinds += [("linkat", errno.ENOSPC), ("renameat", errno.EIO), ("fchmod", errno.EPERM)]
    failures: list[str] = []
    met: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="mam-faults-") as folder:
        made, office, marker = (pathlib.Path(folder) / name for name in ("office", "failing", "marker"))
        kills.make(actor, made)
        assert run(actor, "export", made) == "done" and run(actor, "import", made) == "whole"
        assert run(actor, "rotate", made) == "done"

        def meets(what: str, call: str, error: int, at: int) -> bool:
            shutil.rmtree(office, ignore_errors=True)
            marker.unlink(missing_ok=True)
            shutil.copytree(made, office)
            faulty = {"LD_PRELOAD": faults, "FAULT_CALL": call, "FAULT_ERRNO": str(error), "FAULT_AT": str(at),
                      "FAULT_COUNT": "1", "FAULT_MARKER": str(marker)}  # fmt: skip
            done = subprocess.run([actor, what, office], capture_output=True, text=True, timeout=120, env={**os.environ, **faulty})
            met[what] += marker.exists()
            try:
                assert done.returncode in (0, 1), f"exit status {done.returncode}: {done.stderr}"
                left = {one.name for one in office.iterdir()} - {one.name for one in made.iterdir()}
                assert not left, f"left behind: {left}"
                assert run(actor, "epoch", office) == "2"
                assert run(actor, "import", office) == "whole"
            except AssertionError as problem:
                failures.append(f"{what}, {call} number {at} with {error}: {problem}")
            return marker.exists()

        for what, kind in itertools.product(("export", "import", "reprotect"), kinds):
            at = 1
            while at <= most and meets(what, *kind, at):
                at += 1
    print(f"{dict(met)} faults, {len(failures)} failures", flush=True)
    if len(met) < 3 or min(met.values()) == 0:
        failures.append(f"some met no fault: {dict(met)}")
    return failures


if __name__ == "__main__":
    actor, every = os.path.abspath(sys.argv[1]), "--every" in sys.argv
    tests = {
        f"{what}_killed_at_{'every' if every else 'some'}_call": functools.partial(test, actor, every, verb, look)
        for what, verb, look in (
            ("a_rotation", "rotate", rotated),
            ("an_export", "export", exported),
            ("a_move", "reprotect", reprotected),
        )
    }
    faults = os.path.join(os.path.dirname(actor), "faults.so")
    tests["calls_that_fail"] = functools.partial(failing, actor, faults, 100 if every else 1)
    sys.exit(kills.main("rotations, exports and moves that are killed", tests))
