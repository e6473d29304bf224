"""Containers, sealed files and encrypted databases with bits flipped and bytes removed, added, moved and exchanged: a read returns
the data that was written, or fails.

Not promised, and left out (docs/threat-model.md): an older version of the same record, page or file; a hole in place of a record.
"""

from __future__ import annotations

import ctypes
import os
import random
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import attack

PLAIN = bytes(range(256)) * 70  # more than one chunk of a container, and more than four records of a file
PAGE = 4096


def mutated(source: random.Random, data: bytes, after: int, block: int) -> bytes:
    """The data with one change after its first bytes; never equal to the input."""
    while True:
        found = bytearray(data)
        kind = source.randrange(6)
        at = source.randrange(after, len(found))
        if kind <= 1:
            found[at] ^= 1 << source.randrange(8)
        elif kind == 2:
            del found[at:]
        elif kind == 3:
            found[at:at] = source.randbytes(source.choice([1, 16, block]))
        elif kind == 4:
            del found[at : at + source.choice([1, 16, block])]
        else:
            blocks = range(1, len(found) // block)
            if len(blocks) < 2:
                continue
            a, b = source.sample(blocks, 2)
            found[a * block : (a + 1) * block], found[b * block : (b + 1) * block] = (
                found[b * block : (b + 1) * block], found[a * block : (a + 1) * block])  # fmt: skip
        if found != data:
            return bytes(found)


def containers(session: attack.Session, source: random.Random, count: int) -> None:
    """Any bit changed after the magic, or a byte removed or added, is an error; so are two halves of different
    containers."""
    whole = [session.protect(PLAIN + bytes([number]), attack.ANN) for number in range(2)]
    assert isinstance(whole[0], bytes) and isinstance(whole[1], bytes)
    for number in range(count):
        data = mutated(source, whole[0], 4, 16384 + 16)
        if number % 5 == 0:
            at = source.randrange(5, len(whole[0]))
            data = whole[0][:at] + whole[1][at:]
            if data in whole:
                continue
        plain = session.unprotect(data)
        attack.check(isinstance(plain, int), f"container {number} was changed and opens")


def read(session: attack.Session, path: Path) -> list[bytes | int]:
    """The records of a file: the bytes of each, or the status of the failure."""
    handle = ctypes.c_void_p()
    status = session.call("mam_file_open", str(path), ctypes.c_int32(0), ctypes.byref(handle))
    if status != 0:
        return [status]
    size = ctypes.c_int64()
    found: list[bytes | int] = []
    if attack.C.mam_file_size(handle, ctypes.byref(size)) != 0:
        found.append(-1)
    memory = ctypes.create_string_buffer(PAGE)
    for at in range(0, min(max(size.value, 0), 1 << 20), PAGE):
        count = ctypes.c_size_t()
        status = attack.C.mam_file_pread(handle, ctypes.c_int64(at), memory, ctypes.c_size_t(PAGE), ctypes.byref(count))
        found.append(memory.raw[: count.value] if status == 0 else status)
    attack.C.mam_file_close(handle)
    return found


def files(office: attack.Office, session: attack.Session, source: random.Random, count: int) -> None:
    """A record has the bytes that were written, or fails; a file of another length fails."""
    whole, other, path = (office.folder / name for name in ("whole", "other", "mutated"))
    for one, last in ((whole, b"1"), (other, b"2")):
        one.write_bytes(PLAIN + last)
        attack.check(session.call("mam_file_encrypt", str(one), attack.ANN) == 0, "mam_file_encrypt fails")
    data, others = whole.read_bytes(), other.read_bytes()
    expected = [(PLAIN + b"1")[at : at + PAGE] for at in range(0, len(PLAIN) + 1, PAGE)]
    attack.check(read(session, whole) == expected, "a sealed file does not read as it was written")
    for number in range(count):
        changed = mutated(source, data, 7, PAGE)
        if number % 5 == 0:
            at = source.randrange(1, len(data) // PAGE + 1) * PAGE
            changed = data[:at] + others[at : at + PAGE] + data[at + PAGE :]
        path.write_bytes(changed)
        found = read(session, path)
        good = [one for one in found if isinstance(one, bytes)]
        attack.check(all(one in expected for one in good), f"file {number} was changed and reads as other bytes")
        places = [one == expected[at] for at, one in enumerate(found[: len(expected)]) if isinstance(one, bytes)]
        attack.check(all(places), f"file {number}: a record reads at another place")
        has_failed = any(isinstance(one, int) for one in found)
        # A header state has two copies: the other one may be changed.
        attack.check(has_failed or found == expected, f"file {number} was cut or extended, and nothing fails")


def databases(office: attack.Office, session: attack.Session, source: random.Random, count: int) -> None:
    """A row has the values that were written, or fails. A separate process reads it: SQLite and this one need not be the
    same copy."""
    path = office.folder / "data.db"
    connection = sqlite3.connect(path)
    connection.executescript("PRAGMA page_size = 4096; CREATE TABLE t (number INTEGER PRIMARY KEY, value BLOB)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(number, bytes([number]) * 900) for number in range(60)])
    connection.commit()
    connection.close()
    attack.check(session.call("mam_sqlite_encrypt", str(path), attack.ANN) == 0, "mam_sqlite_encrypt fails")
    data = path.read_bytes()
    attack.check(bytes([7]) * 64 not in data, "an encrypted database has its rows in the clear")
    reader = os.environ["BUILD"] + "/tool_rows"
    for number in range(count):
        path.write_bytes(data if number == 0 else mutated(source, data, 100, PAGE))
        found = subprocess.run([reader, str(office.folder), attack.ANN, str(path)], capture_output=True, text=True, timeout=600)
        attack.check(found.returncode in (0, 2), f"database {number}: the reader ends with {found.returncode}: {found.stderr}")
        for line in found.stdout.splitlines():
            key, _, value = line.partition(" ")
            attack.check(value == f"{int(key):02x}" * 900, f"database {number} was changed, and row {key} reads as another")
        is_whole = found.returncode == 0 and len(found.stdout.splitlines()) == 60
        attack.check(number > 0 or is_whole, f"the database does not open as it was written: {found.stderr}")


def main() -> None:
    seed = int(os.environ.get("MAM_SEED", "1"))
    source = random.Random(seed)
    office = attack.Office()
    session = office.enrolled()
    parts: list[tuple[Callable[[int], None], int]] = [
        (lambda count: containers(session, source, count), attack.scale(20_000, 400_000)),
        (lambda count: files(office, session, source, count), attack.scale(5_000, 100_000)),
        (lambda count: databases(office, session, source, count), attack.scale(150, 3_000)),
    ]
    for part, count in parts:
        part(count)
    session.close()
    office.remove()
    attack.held(", ".join(str(count) for _, count in parts) + f" damaged containers, files and databases, seed {seed}")


if __name__ == "__main__":
    main()
