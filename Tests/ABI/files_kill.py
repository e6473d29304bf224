"""Sealed files whose writer is killed, or whose system calls fail: each record is either the old or the new one.

files_kill.py ACTOR WRITER FAULTS            a sample
files_kill.py ACTOR WRITER FAULTS --every    as many as a soak runs
"""

from __future__ import annotations

import collections
import errno
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

import kills
import wipe_kill

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
    """Kills at random times."""
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
    """One failing call, or several in a row."""
    failures = []
    seen = 0
    kinds = [("pwrite", 0), ("pwrite", errno.EIO), ("pwrite", errno.ENOSPC), ("pwrite", errno.EDQUOT), ("ftruncate", errno.EIO)]
    for number in range(rounds):
        call, error = kinds[number % len(kinds)]
        environment = {
            "LD_PRELOAD": faults, "FAULT_CALL": call, "FAULT_ERRNO": str(error),
            "FAULT_AT": str(dice.randrange(1, 600 if call == "pwrite" else 8)), "FAULT_COUNT": str(dice.choice((1, 1, 2, 5, 40))),
        }  # fmt: skip
        (office / "sealed").unlink(missing_ok=True)
        try:
            seen += int(run(writer, office, "work", dice.randrange(1 << 31), 60, environment=environment))
        except (AssertionError, ValueError) as problem:
            failures.append(f"{environment}: {problem}")
    if not failures and seen == 0:
        failures.append("no fault was noticed by anybody")
    return failures


def turned(writer: str, folder: pathlib.Path, office: pathlib.Path, is_soak: bool) -> list[str]:
    """A file that is encrypted, and one that is decrypted, killed at system calls and with failing ones: complete in
    its old or its new form, and nothing is left beside it after the next open."""
    failures = []
    content = dice.randbytes(300_000)
    (office / "expected0").write_bytes(content)
    for form in ("0", "1"):

        def begin() -> pathlib.Path:
            copy = folder / "copy"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(office, copy)
            (copy / "whole0").write_bytes(content)
            if form == "1":
                run(writer, copy, "turn", 0)
            return copy

        _, calls = kills.calls(folder, "the-work-begins-here", writer, begin(), "turn", 0)
        forms = set()
        for call in calls if is_soak else calls[:: max(1, len(calls) // 25)]:
            copy = begin()
            kills.kill(call, writer, copy, "turn", 0)
            try:
                forms.add(run(writer, copy, "look", 0))
            except AssertionError as error:
                failures.append(f"killed at {call}: {error}")
        if not failures and forms != {"0", "1"}:
            failures.append(f"from {form}: no kill left the {'new' if form in forms else 'old'} form")
    return failures


def failing_turns(writer: str, faults: str, office: pathlib.Path, rounds: int) -> list[str]:
    failures = []
    refused = 0
    kinds = [(call, error) for call in ("pwrite", "ftruncate", "fsync", "fdatasync", "fchmod", "linkat", "renameat")
             for error in (errno.EIO, errno.ENOSPC, errno.EDQUOT)]  # fmt: skip
    (office / "whole0").write_bytes((office / "expected0").read_bytes())
    for number in range(rounds):
        call, error = kinds[number % len(kinds)]
        environment = {
            "LD_PRELOAD": faults, "FAULT_CALL": call, "FAULT_ERRNO": str(error),
            "FAULT_AT": str(dice.randrange(1, 40 if call == "pwrite" else 3)), "FAULT_COUNT": "1000",
        }  # fmt: skip
        done = subprocess.run([writer, office, "turn", "0"], capture_output=True, text=True, env={**os.environ, **environment})
        refused += done.returncode == 1
        try:
            run(writer, office, "look", 0)
        except AssertionError as problem:
            failures.append(f"{environment}: {problem}")
        if done.returncode not in (0, 1):
            failures.append(f"{environment}: {done.stdout}{done.stderr}")
    if not failures and refused == 0:
        failures.append("no fault was noticed by anybody")
    return failures


def shared(writer: str, office: pathlib.Path, changes: int) -> list[str]:
    """Two processes, one sealed file and a plain one."""
    run(writer, office, "work", 1, 0)
    children = [
        subprocess.Popen(
            [writer, office, "share", str(dice.randrange(1 << 31)), str(changes // 2)], stderr=subprocess.STDOUT, text=True,
            stdout=subprocess.PIPE,
        )
        for _ in range(2)
    ]  # fmt: skip
    outputs = [child.communicate()[0] for child in children]
    return [f"seed {SEED}: {out}" for child, out in zip(children, outputs, strict=True) if child.returncode != 0]


def read_by_others(writer: str, office: pathlib.Path, count: int) -> list[str]:
    """Random files and containers, read by a reader that was written from the format pages and uses nothing of
    libmam."""
    if wipe_kill.AESGCM is None:
        print("[  SKIPPED ] the package cryptography is not there")
        return []
    account = wipe_kill.find_account(office)
    wrap = wipe_kill.hkdf(account.root + account.share, account.row, b"libmam v1 account wrap")
    key = wipe_kill.unseal(wrap, account.wrapped, account.context)
    sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Reader"))
    import sealed

    run(writer, office, "files", dice.randrange(1 << 31), count)
    failures = []
    forms = collections.Counter()
    for number in range(count):
        plain, path = (office / f"p{number}").read_bytes(), office / f"s{number}"
        form = path.read_bytes()
        forms[form[:4]] += 1
        if len(plain) > 100 and plain[:50] in form and any(plain[:50]):
            failures.append(f"seed {SEED}: file {number} is not sealed")
        if sealed.read(str(path), key) != plain:
            failures.append(f"seed {SEED}: file {number} reads differently")
    if min(forms[b"MAM\1"], forms[b"MAM\2"]) < count // 3:
        failures.append(f"hardly any of one form: {forms}")
    return failures


def main() -> int:
    actor, writer, faults = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:4])
    is_soak = "--every" in sys.argv
    return kills.in_office("files", actor, lambda folder, office: {
        "a_killed_writer_leaves_old_or_new_records": lambda: killed(writer, office, 1000 if is_soak else 15),
        "a_failing_call_leaves_old_or_new_records": lambda: failing(writer, faults, office, 200 if is_soak else 20),
        "a_killed_turn_leaves_the_old_or_the_new_file": lambda: turned(writer, folder, office, is_soak),
        "a_failing_turn_leaves_the_old_or_the_new_file": lambda: failing_turns(
            writer, faults, office, 200 if is_soak else 24),
        "two_processes_see_what_each_other_writes": lambda: shared(writer, office, 1_000_000 if is_soak else 4000),
        "a_reader_of_the_page_reads_files": lambda: read_by_others(writer, office, 1000),
    })  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
