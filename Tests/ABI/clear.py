"""Sealed data is nowhere in the clear: not in any file, open file, journal or temporary file while every operation of
libmam on files runs; and no key is in a core dump, taken between two calls or in the middle of one.

    clear.py ACTOR BUSY FAULTS            a sample
    clear.py ACTOR BUSY FAULTS --every    as many as a soak runs
"""

from __future__ import annotations

import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time

import kills
import wipe_kill

SEED = int(os.environ.get("MAM_SEED", time.time_ns()))
dice = random.Random(SEED)
MARKER = b"MARKER-IN-THE-CLEAR"
GIVEN = "given"


def start(busy: str, office: pathlib.Path, folder: pathlib.Path, rounds: int, **environment: str) -> subprocess.Popen[str]:
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    limit = resource.RLIM_INFINITY if "FAULT_CALL" in environment else 0
    return subprocess.Popen(
        [busy, office, str(dice.randrange(1 << 31)), str(rounds)], cwd=folder / "cores", text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "TMPDIR": str(temporary), "SQLITE_TMPDIR": str(temporary), **environment},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (limit, limit)),
    )  # fmt: skip


def in_the_clear(pid: int, office: pathlib.Path, folder: pathlib.Path) -> set[str]:
    """Files that contain the marker, including unlinked ones of the process, while it is stopped; 0: none does."""
    found = set()
    links = {number: number.readlink() for number in pathlib.Path(f"/proc/{pid}/fd").iterdir()} if pid else {}
    on_disk = [p for top in (office, folder / "temporary") for p in top.rglob("*") if p.is_file()]
    for path, name in [*((p, p) for p in on_disk), *links.items()]:
        if not (str(name).startswith("/") and path.is_file()):
            continue
        data = path.read_bytes()
        if MARKER in data and not (name.name.startswith(GIVEN) and data[:3] != b"MAM"):
            found.add(f"{name} shows the marker ({len(data)} bytes)")
    return found


def is_sanitized(program: pathlib.Path) -> bool:
    """AddressSanitizer has terabytes of memory, and dumps no core."""
    return b"__asan_init" in program.read_bytes()


def has_keys(pid: int, office: pathlib.Path) -> bool:
    """Whether any key is in the process's memory, which shows that the search of a core looks for the right form."""
    if wipe_kill.AESGCM is None or is_sanitized(pathlib.Path(f"/proc/{pid}/exe")):
        return True
    import office_keys

    keys = [form for key in office_keys.all_keys(office).values() for form in office_keys.forms(key).values()]
    with pathlib.Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
            if line.split()[1].startswith("rw"):
                begin, end = (int(word, 16) for word in line.split()[0].split("-"))
                memory.seek(begin)
                piece = memory.read(end - begin)
                if any(key in piece for key in keys):
                    return True
    return False


def watched(busy: str, office: pathlib.Path, folder: pathlib.Path, stops: int, rounds: int) -> list[str]:
    found: set[str] = set()
    is_right = False
    (folder / "watched").mkdir()
    (folder / "watched" / "cores").mkdir()
    child = start(busy, office, folder / "watched", rounds)
    for stop in range(stops):
        time.sleep(dice.random() * 0.05)
        os.kill(child.pid, signal.SIGSTOP)
        while (pathlib.Path(f"/proc/{child.pid}/stat").read_text().rsplit(")")[1].split()[0]) not in "TtZ":
            time.sleep(0.0005)
        if child.poll() is not None:
            break
        found |= in_the_clear(child.pid, office, folder / "watched")
        is_right = is_right or (stop % 10 == 9 and has_keys(child.pid, office))
        os.kill(child.pid, signal.SIGCONT)
    out = child.communicate()[0]
    if child.returncode != -signal.SIGABRT:
        return [f"seed {SEED}: exit status {child.returncode}: {out}"]
    found |= in_the_clear(0, office, folder / "watched")
    if not is_right:
        found.add("no key was found in the process's memory either")
    given = [p.name for p in office.glob(GIVEN + "*") if MARKER in p.read_bytes()]
    made = {p.read_bytes()[:4] for p in office.iterdir() if p.is_file()}
    if not {b"MAM\1", b"MAM\2", b"MAM\3"} <= made:
        found.add(f"not every form was made: {made}")
    return [f"seed {SEED}: {line}" for line in [*sorted(found), *given]]


def memory_of(core: bytes) -> bytes:
    """A core's memory without its notes: registers of a thread in the middle of AES have 16 bytes of the key in any
    case. Pages of zeros and of the marker alone hold none."""
    begin, size, count = int.from_bytes(core[32:40], "little"), *struct.unpack("<HH", core[54:58])
    headers = [core[begin + i * size :][:size] for i in range(count)]
    notes = max(sum(struct.unpack("<Q16xQ8x", h[8:48])) for h in headers if h[:4] == b"\4\0\0\0")
    pages = (core[at : at + 4096] for at in range(notes // 4096 * 4096 + 4096, len(core), 4096))
    return b"".join(page for page in pages if any(page) and page.count(MARKER) < 140)


def dumped(busy: str, faults: str, office: pathlib.Path, folder: pathlib.Path, count: int) -> list[str]:
    """Cores from a call in the middle of an operation, and one with everything open and nothing running."""
    pattern = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
    if pattern.startswith("|") or "/" in pattern:
        print(f"[  SKIPPED ] cores go to {pattern}")
        return []
    if wipe_kill.AESGCM is None or is_sanitized(pathlib.Path(busy)):
        print("[  SKIPPED ] the package cryptography is not there, or there are no cores of what is sanitized")
        return []
    import office_keys

    office_keys.check_itself()
    (folder / "dumped").mkdir()
    failures = []
    places = [("none", 1)]
    most = [("pwrite", 900), ("pwrite", 200), ("write", 30), ("ftruncate", 15), ("fdatasync", 8), ("renameat", 4), ("linkat", 6)]
    places += [(call, dice.randrange(1, last)) for call, last in most]
    places += [
        (call, dice.randrange(1, 900)) for call in dice.choices(("pwrite", "write", "ftruncate"), k=max(0, count - len(places)))
    ]
    for call, number in places[:count]:
        shutil.rmtree(folder / "dumped")
        (folder / "dumped" / "cores").mkdir(parents=True)
        copy = folder / "dumped" / "office"
        shutil.copytree(office, copy)
        child = start(busy, copy, folder / "dumped", 7, LD_PRELOAD=faults, FAULT_CALL=call, FAULT_AT=str(number), FAULT_COUNT="0")
        out = child.communicate()[0]
        cores = list((folder / "dumped" / "cores").iterdir())
        if child.returncode != -signal.SIGABRT or len(cores) != 1:
            failures.append(f"{call} {number}: exit status {child.returncode}, {len(cores)} cores: {out}")
            continue
        dump = cores[0].read_bytes()
        core = memory_of(dump)
        if MARKER not in dump or len(core) < 1 << 20:
            failures.append(f"{call} {number}: the core lacks what every core of it has: {len(core)} bytes")
        keys = office_keys.all_keys(copy)
        if len(keys) < 12:
            failures.append(f"{call} {number}: hardly any keys: {list(keys)}")
        for name, key in keys.items():
            for form, part in office_keys.forms(key).items():
                if (at := core.find(part)) >= 0:
                    failures.append(f"seed {SEED}: {call} {number}: the core has the key {name} at {at:#x}: {form}")
    return failures


def main() -> int:
    actor, busy, faults = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:4])
    is_soak = "--every" in sys.argv
    return kills.in_office("what is in the clear", actor, lambda folder, office: {
        "no_core_holds_a_key": lambda: dumped(busy, faults, office, folder, 60 if is_soak else 8),
        "no_file_shows_what_is_sealed": lambda: watched(
            busy, office, folder, 500 if is_soak else 40, 100 if is_soak else 18),
    })  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
