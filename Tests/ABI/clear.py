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
from collections.abc import Iterator

import kills
import wipe_kill

SEED = int(os.environ.get("MAM_SEED", time.time_ns()))
dice = random.Random(SEED)
MARKER = b"MARKER-IN-THE-CLEAR"
GIVEN = "given"
PT_LOAD, PT_NOTE, NT_PRSTATUS, NT_FILE = 1, 4, 1, 0x46494C45  # <elf.h>
RUN = 1 << 20
FRAME = 4096  # around a stack pointer: the frame of SHA-2 grows while a block is hashed, and the former block's is below it


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


class Core:
    """A core's memory without its notes: registers of a thread in the middle of AES have 16 bytes of the key in any case."""

    def __init__(self, whole: bytes) -> None:
        self.whole = whole
        self.memory = list(self.pieces())
        self.stacks = self.hashing()

    def headers(self) -> Iterator[tuple[int, int, int, int]]:
        """Kind, offset in the file, address and size of each segment."""
        begin, size, count = int.from_bytes(self.whole[32:40], "little"), *struct.unpack("<HH", self.whole[54:58])
        for at in range(begin, begin + count * size, size):
            kind, offset, address, length = struct.unpack("<I4xQQ8xQ", self.whole[at : at + 40])
            yield kind, offset, address, length

    def notes(self) -> Iterator[tuple[int, bytes]]:
        for kind, offset, _, length in self.headers():
            at = offset
            while kind == PT_NOTE and at < offset + length:
                name, size, number = struct.unpack("<3I", self.whole[at : at + 12])
                at += 12 + (name + 3 & ~3)
                yield number, self.whole[at : at + size]
                at += size + 3 & ~3

    def hashing(self) -> list[int]:
        """The stack pointers of threads inside libcrypto, whose frame has what they hash (docs/threat-model.md)."""
        code: list[tuple[int, int]] = []
        for number, note in self.notes():
            if number == NT_FILE:
                (count,) = struct.unpack("<Q", note[:8])
                names = note[16 + 24 * count :].split(b"\0")
                code += [struct.unpack("<QQ", note[at : at + 16]) for at in range(16, 16 + 24 * count, 24)
                         if b"/libcrypto" in names[(at - 16) // 24]]  # fmt: skip
        registers = [struct.unpack("<27Q", note[112:328]) for number, note in self.notes() if number == NT_PRSTATUS]
        return [one[19] for one in registers if any(begin <= one[16] < end for begin, end in code)]

    def pieces(self) -> Iterator[tuple[int, bytes]]:
        """Addresses and bytes of the memory, without pages of zeros and of the marker alone, which hold no key."""
        for kind, offset, address, length in self.headers():
            piece = self.whole[offset : offset + length]
            for at in range(0, len(piece) if kind == PT_LOAD else 0, RUN):
                run = piece[at : at + RUN + 4096]  # a key may lie across the border
                if run.count(0) < len(run) and run.count(MARKER) < len(run) // 30:
                    yield address + at, run

    def shows(self, part: bytes, form: str) -> int | None:
        """Where the core shows a form of a key, other than in the frame of a thread that hashes it now."""
        stacks = self.stacks if form.startswith("SHA-") else []
        for address, piece in self.memory:
            at = piece.find(part)
            while at >= 0:
                if not any(abs(address + at - stack) < FRAME for stack in stacks):
                    return address + at
                at = piece.find(part, at + 1)
        return None


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
        core = Core(cores[0].read_bytes())
        size = sum(len(piece) for _, piece in core.memory)
        if MARKER not in core.whole or size < 1 << 20:
            failures.append(f"{call} {number}: the core lacks what every core of it has: {size} bytes")
        keys = office_keys.all_keys(copy)
        if len(keys) < 12:
            failures.append(f"{call} {number}: hardly any keys: {list(keys)}")
        for name, key in keys.items():
            for form, part in office_keys.forms(key).items():
                if (at := core.shows(part, form)) is not None:
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
