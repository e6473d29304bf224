"""Shared by the tests that kill a process at its system calls: run an actor, list its calls, kill it at one of them."""

from __future__ import annotations

import collections
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable

GROUP = "state/com.example"
SAMPLE = 48
CALL = re.compile(r"^\d+ +(?:<\.\.\. )?(\w+)[( ]")

Call = tuple[str, int]


def run(*words: object, expect: int | None = 0) -> str:
    """The output of a command; its exit status is `expect`, or any for None."""
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=1200)
    if expect is not None and done.returncode != expect:
        raise AssertionError(f"{' '.join(map(str, words[1:]))}: exit status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


def query(office: pathlib.Path, statement: str, *values: object) -> list[tuple]:
    """Query a copy of the database, with its log."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("state.db", "state.db-wal"):
            if (office / GROUP / name).exists():
                shutil.copy(office / GROUP / name, folder)
        database = sqlite3.connect(f"{folder}/state.db")
        try:
            return database.execute(statement, values).fetchall()
        finally:
            database.close()


def make(actor: str, office: pathlib.Path) -> None:
    """An office where Ann and Bob are enrolled."""
    shutil.move(run(actor, "make", "office"), office)
    run(actor, "prepare", office)


def calls(folder: pathlib.Path, mark: str, *words: object) -> tuple[str, list[Call]]:
    """The output of a command, and its system calls after a mark in their order: the name, and its number among those
    of its name."""
    trace = folder / "trace"
    out = run("strace", "-f", "-o", trace, *words)
    counts: collections.Counter[str] = collections.Counter()
    begun, result = False, []
    for line in trace.read_text(errors="replace").splitlines():
        call = CALL.match(line)
        if call is None or "resumed>" in line:
            continue
        counts[call[1]] += 1
        begun = begun or mark in line
        if begun and call[1] not in ("exit_group", "exit"):
            result.append((call[1], counts[call[1]]))
    return out, result


def kill(call: Call, *words: object) -> str:
    """The output of a command that is killed as it enters a system call."""
    name, number = call
    return run(
        "strace", "-f", "-o", "/dev/null", "-e", f"trace={name}", "-e", f"inject={name}:signal=KILL:when={number}", *words,
        expect=None,
    )  # fmt: skip


def sample(calls: list[Call]) -> list[Call]:
    """The first calls that write; then every nth."""
    head = [c for c in calls[:60] if c[0] in ("pwrite64", "fsync", "fdatasync", "unlinkat", "openat", "write", "ftruncate")]
    rest = calls[60:]
    step = max(1, len(rest) // max(1, SAMPLE - len(head)))
    return head + rest[::step]


def can_trace() -> bool:
    """Whether strace is installed and permitted."""
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # does not work under strace
    if not shutil.which("strace"):
        return False
    return subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode == 0


def in_office(
    subject: str, actor: str, tests_of: Callable[[pathlib.Path, pathlib.Path], dict[str, Callable[[], list[str]]]]
) -> int:
    """Run `main` with the tests of a folder and an office in it, and remove both afterwards."""
    folder = pathlib.Path(tempfile.mkdtemp())
    office = folder / "office"
    try:
        make(actor, office)
        return main(subject, tests_of(folder, office))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(subject: str, tests: dict[str, Callable[[], list[str]]]) -> int:
    """Run tests that return their failures, one line each; report as cmocka does. Returns the exit status."""
    print(f"[==========] Running {len(tests)} test(s).", flush=True)
    if not can_trace():
        print(f"[  SKIPPED ] {subject}: strace is not there, or may not trace")
        print(f"[  SKIPPED ] {len(tests)} test(s).")
        return 0
    bad = 0
    for name, test in tests.items():
        print(f"[ RUN      ] {name}", flush=True)
        failures = test()
        bad += bool(failures)
        print("".join(line + "\n" for line in failures) + f"[  {'FAILED  ' if failures else '     OK '}] {name}", flush=True)
    print(f"[==========] {len(tests)} test(s) run.\n[  PASSED  ] {len(tests) - bad} test(s).")
    if bad:
        print(f"[  FAILED  ] {bad} test(s).")
    return min(bad, 1)
