"""libraries.py OTHER: another build of libmam beside the staged one: memory, time to load, speed; in turn, in one run.

    dpkg-deb -x dist/deb/libmam0_*.deb unpacked
    scripts/staged.sh python3 Benchmarks/libraries.py unpacked/usr/lib/*/libmam.so.0

The bound is 3 %. Each library is a fresh copy, so that the page cache treats them alike.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from bench import ANN, Bench, flags, read
from bounds import Row, Samples, table

BOUND = 1.03


def compare(bench: Bench, other: Path, staged: Path) -> None:
    folders = []
    for name, library in (("other", other), ("staged", staged)):
        place = bench.work / name
        place.mkdir()
        shutil.copy(library, place / "libmam.so.0")
        folders.append(str(place))
    memory = bench.compile("memory", "memory.c", *flags("mam"))
    empty = bench.compile("empty", "memory.c", "-DEMPTY")
    load = bench.compile("load", "load.c", "-ldl")
    seal = bench.compile("seal", "seal.c", *flags("mam", "libcrypto"))
    decide = bench.compile("decide", "decide.c", *flags("mam", "json-c"), "-ldl")
    samples: Samples = {}
    for number in range(-1, bench.rounds):
        found: dict[str, list[float]] = {}
        for folder in folders if number % 2 else folders[::-1]:
            path = {"LD_LIBRARY_PATH": folder}
            # Medians within a round, because one process of a few milliseconds says little.
            times = sorted(float(bench.run([load, f"{folder}/libmam.so.0"])) for _ in range(9))
            found.setdefault("load", []).append(times[4])
            state = Path(tempfile.mkdtemp(dir=bench.work))
            grown = float(bench.run([memory, bench.settings(state, worker=True), ANN], **path)) - float(bench.run([empty]))
            found.setdefault("memory", []).append(grown / 1024)
            # The quickest, because other work on the computer only makes it slower.
            speeds = read(bench.run([seal, bench.settings(bench.state), ANN, "5"], **path))
            speeds |= read(bench.run([decide, bench.settings(bench.state), ANN, "-", "3"], **path))
            for key in ("protect 1048576", "unprotect 65536", "print", "refused"):
                found.setdefault(key, []).append(min(ours for ours, _ in speeds[key]))
        if number < 0:
            continue
        for key, (first, second) in found.items():
            ours, peer = (first, second) if number % 2 else (second, first)
            samples.setdefault(key, []).append((ours, peer))
    for key, text, unit in (
        ("memory", "memory after open and enroll", "MiB"),
        ("load", "dlopen, fresh process", "ns"),
        ("protect 1048576", "protect_into 1 MiB", "ns"),
        ("unprotect 65536", "unprotect_into 64 KiB", "ns"),
        ("print", "predicate from C: print", "ns"),
        ("refused", "mam_policy_check, refused", "ns"),
    ):
        bench.add(samples, key, Row(text, unit, "staged", BOUND))


def main() -> int:
    parser = argparse.ArgumentParser(description="another build of libmam beside the staged one.")
    parser.add_argument("--rounds", type=int, default=15, help="rounds of each measurement (15)")
    parser.add_argument("other", type=Path, help="the other library")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as work:
        bench = Bench(Path(work), Path("-"), options.rounds)
        compare(bench, options.other, Path(os.environ["LIBMAM_PATH"]))
    print("\n".join(table(bench.rows, [])))
    return 1 if any(row.result == "MISSED" for row in bench.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
