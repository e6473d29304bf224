"""Sealed files whose writer is killed, or whose system calls fail: each record stays the old or the new one.

    files_kill.py ACTOR WRITER FAULTS            a sample
    files_kill.py ACTOR WRITER FAULTS --every    as much as a soak takes
"""

from __future__ import annotations

import errno
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import kills

SEED = int(os.environ.get("MAM_SEED", time.time_ns()))
dice = random.Random(SEED)


def run(*words: object, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(w) for w in words], capture_output=True, text=True, timeout=300, env={**os.environ, **(environment or {})}
    )
    if done.returncode != 0:
        raise AssertionError(f"{words[1:]} (seed {SEED}): {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


def killed(writer: str, office: pathlib.Path, rounds: int) -> list[str]:
    """At any moment."""
    failures = []
    reached = 0
    for _ in range(rounds):
        seed = dice.randrange(1 << 31)
        for name in ("sealed", "log"):
            (office / name).unlink(missing_ok=True)
        child = subprocess.Popen([writer, office, "work", str(seed), "100000000"], stdout=subprocess.DEVNULL)
        while not (office / "log").exists() and child.poll() is None:
            time.sleep(0.001)
        time.sleep(dice.random() * 0.1)
        child.kill()
        child.wait()
        try:
            reached += int(run(writer, office, "verify", seed) or 0)
        except AssertionError as error:
            failures.append(str(error))
    if not failures and reached < rounds:
        failures.append(f"hardly anything was written before the kills: {reached} changes in {rounds} rounds")
    return failures


def failing(writer: str, faults: str, office: pathlib.Path, rounds: int) -> list[str]:
    """One call, or a few in a row."""
    failures = []
    seen = 0
    kinds = [("pwrite", 0), ("pwrite", errno.EIO), ("pwrite", errno.ENOSPC), ("pwrite", errno.EDQUOT), ("ftruncate", errno.EIO)]
    for number in range(rounds):
        call, error = kinds[number % len(kinds)]
        environment = {
            "LD_PRELOAD": faults, "FAULT_CALL": call, "FAULT_ERRNO": str(error),
            "FAULT_AT": str(dice.randrange(1, 600 if call == "pwrite" else 8)), "FAULT_COUNT": str(dice.choice((1, 1, 2, 5, 40))),
        }  # fmt: skip
        try:
            seen += int(run(writer, office, "work", dice.randrange(1 << 31), 60, environment=environment))
        except (AssertionError, ValueError) as problem:
            failures.append(f"{environment}: {problem}")
    if not failures and seen == 0:
        failures.append("no fault was noticed by anybody")
    return failures


def main() -> int:
    actor, writer, faults = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:4])
    is_soak = "--every" in sys.argv
    folder = pathlib.Path(tempfile.mkdtemp())
    office = folder / "office"
    try:
        kills.make(actor, office)
        tests = {
            "a_killed_writer_leaves_old_or_new_records": lambda: killed(writer, office, 1000 if is_soak else 15),
            "a_failing_call_leaves_old_or_new_records": lambda: failing(writer, faults, office, 200 if is_soak else 20),
        }
        return kills.main("files", tests)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
