#!/usr/bin/env python3
"""Writes the vectors of docs/sealed-files.md, with an implementation of its own on top of the package `cryptography`.

usage: vectors/make/sealed_files.py [FOLDER]     FOLDER is vectors/ by default; its sealed-file/*.txt are replaced

Nothing is random, as in make.py. A case tells what is in the file where it is not zeros: an offset, and bytes.
"""

from __future__ import annotations

import hashlib
import hmac
import sys
from pathlib import Path

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from make import derive, hkdf, made

PAGE, RECORDS, GROUP = 4096, 63, 65 * 4096
ACCOUNT = b"9d1c3e52-04c2-4c0b-9d0d-5b7a8c1f2e3d"


class File:
    """A sealed file in the making."""

    def __init__(self, name: str, account: bytes = ACCOUNT) -> None:
        self.name = name
        self.data_key, self.key_id, salt = made("sealed file key", 32), made("sealed file key id", 16), made(name + " salt", 24)
        head = b"MAM\2\0" + (32 + len(account)).to_bytes(2, "big") + bytes([1, 2]) + (7).to_bytes(4, "big") + self.key_id
        self.head = head + PAGE.to_bytes(4, "big") + bytes(4) + len(account).to_bytes(2, "big") + account
        aead, _, commitment = derive(self.data_key, salt, self.head)
        self.key = self.object_key(salt)
        assert AESGCM(self.key).encrypt(bytes(12), b"", None) == aead.encrypt(bytes(12), b"", None)
        self.bytes: dict[int, int] = {}
        self.put(0, self.head + salt + commitment)
        self.length = self.dense = 0
        self.flags, self.generation, self.end = 0, 1, PAGE

    def object_key(self, salt: bytes) -> bytes:
        info = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\x00" + salt + self.head
        return hmac.digest(self.data_key, info + b"\x01", "sha512")[:32]

    def put(self, offset: int, data: bytes) -> None:
        for i, byte in enumerate(data):
            self.bytes[offset + i] = byte

    def flip(self, offset: int) -> None:
        self.bytes[offset] = self.bytes.get(offset, 0) ^ 1

    def copy(self, sequence: int, length: int | None = None) -> bytes:
        told = b"".join(n.to_bytes(8, "big") for n in (sequence, self.length if length is None else length, self.dense, 65536))
        told = (told + self.generation.to_bytes(4, "big") + bytes([self.flags])).ljust(64, b"\0")
        return told + hmac.digest(hkdf(self.key, "libmam v1 sealed file length"), told, "sha256")

    def state(self, first: int = 3, second: int = 3) -> None:
        self.put(2048, self.copy(first))
        self.put(3072, self.copy(second))

    def record(self, r: int, plain: bytes, place: int, sequence: int = 1, which: int = 0, generation: int = 1) -> None:
        """Seal it into a place and tell so in its first or second entry."""
        key = hkdf_of(self.key, b"libmam v1 sealed file records" + generation.to_bytes(4, "big"))
        nonce = made(f"{self.name} nonce {r} {sequence}", 12)
        sealed = AESGCM(key).encrypt(nonce, plain.ljust(PAGE, b"\0"), r.to_bytes(8, "big"))
        table = PAGE + r // RECORDS * GROUP
        entry = bytes([sequence, 0x80 | place, generation]) + nonce + sealed[PAGE:] + bytes([sequence])
        self.put(table + 64 * (r % RECORDS) + 32 * which, entry)
        self.put(table + (1 + place) * PAGE, sealed[:PAGE])
        self.end = max(self.end, table + (2 + place) * PAGE)


def hkdf_of(key: bytes, info: bytes) -> bytes:
    prk = hmac.digest(bytes(64), key, "sha512")
    return hmac.digest(prk, info + b"\x01", "sha512")[:32]


def text(r: int, version: int = 1) -> bytes:
    return made(f"record {r} version {version}", PAGE)


def plain_file(name: str, length: int) -> tuple[File, bytes]:
    file, plain = File(name), b"".join(text(r) for r in range(-(-length // PAGE)))[:length]
    file.length, file.dense = length, -(-length // PAGE)
    for r in range(file.dense):
        file.record(r, plain[r * PAGE : (r + 1) * PAGE], r)
    file.state()
    return file, plain


def cases() -> list[tuple[str, str, str, File, bytes, int | None]]:
    """Name, outcome, comment, file, plain bytes, offset of the damaged record."""
    found: list[tuple[str, str, str, File, bytes, int | None]] = []

    def add(name: str, expect: str, comment: str, file: File, plain: bytes = b"", offset: int | None = None) -> None:
        found.append((name, expect, comment, file, plain, offset))

    for length in (0, 1, 4096, 4097):
        file, plain = plain_file(f"length {length}", length)
        add(f"ok-length-{length}", "ok", f"{length} bytes", file, plain)

    file, plain = plain_file("rewritten", 5000)
    file.record(0, text(0, 2), 63, sequence=2, which=1)
    add("ok-rewritten", "ok", "a record with two entries, of which the second is newer", file, text(0, 2) + plain[PAGE:])
    file, _ = plain_file("wrapped", 4096)
    file.record(0, text(0, 1), 0, sequence=255)
    file.record(0, text(0, 2), 1, sequence=0, which=1)
    add("ok-sequence-wrapped", "ok", "the sequence after 255 is 0", file, text(0, 2))
    file, _ = plain_file("torn entry", 4096)
    file.record(0, text(0, 2), 1, sequence=2, which=1)
    file.flip(PAGE + 32 + 31)
    add("ok-entry-torn", "ok", "the newer entry is torn: the older one counts", file, text(0))
    file, plain = plain_file("torn state", 4096)
    file.put(2048, file.copy(4, 9)[:80])
    add("ok-state-torn", "ok", "the first copy of the state is torn: the second one counts", file, plain)
    file, plain = plain_file("older state", 4096)
    file.put(2048, file.copy(2, 4000))
    add("ok-state-older", "ok", "the second copy of the state is the newer one", file, plain)

    file = File("hole")
    file.length, file.dense = 3 * PAGE - 7, 1
    file.record(0, text(0), 0)
    file.record(2, text(2)[:-7], 2)
    file.state()
    add("ok-hole", "ok", "a record without an entry behind dense", file, text(0) + bytes(PAGE) + text(2)[:-7])
    file = File("second group")
    file.length = 64 * PAGE
    file.record(63, text(63), 5)
    file.state()
    add("ok-second-group", "ok", "a group that is a hole, and one with a record", file, bytes(63 * PAGE) + text(63))
    file, plain = plain_file("generations", 8192)
    file.generation = 2
    file.record(1, text(1, 2), 9, sequence=2, which=1, generation=2)
    file.state()
    add("ok-generations", "ok", "records of two generations", file, plain[:PAGE] + text(1, 2))
    file, plain = plain_file("behind", 4096)
    file.record(1, text(1), 1)
    add("ok-behind-the-end", "ok", "a record behind the length is not believed", file, plain)
    file, _ = plain_file("unsynced", 4096)
    file.record(0, text(0, 2), 1, sequence=2, which=1)
    file.flip(PAGE + 2 * PAGE + 100)
    file.flags = 1
    file.state()
    add("ok-unsynced", "ok", "the newest version does not verify; the file was not synced, so the older one counts", file, text(0))

    file, _ = plain_file("damaged record", 4096)
    file.record(0, text(0, 2), 1, sequence=2, which=1)
    file.flip(PAGE + 2 * PAGE + 100)
    add("damaged-record", "damaged", "the same of a file that was synced", file, offset=0)
    for name, comment, at in (
        ("nonce", "a bit of a nonce", PAGE + 64 + 5), ("tag", "a bit of a tag", PAGE + 64 + 20),
        ("text", "a bit of a page", PAGE + 2 * PAGE + 4095), ("place", "another place", PAGE + 64 + 1),
        ("generation", "another generation", PAGE + 64 + 2),
    ):  # fmt: skip
        file, _ = plain_file("damaged " + name, 8192)
        file.flip(at)
        add("damaged-" + name, "damaged", comment, file, offset=PAGE)
    file, _ = plain_file("damaged missing", 8192)
    file.put(PAGE + 64, bytes(64))
    add("damaged-missing", "damaged", "a record before dense has no entry", file, offset=PAGE)
    file, _ = plain_file("damaged exchanged", 8192)
    first, second = ([file.bytes[PAGE + 64 * r + i] for i in range(32)] for r in (0, 1))
    file.put(PAGE, bytes(second))
    file.put(PAGE + 64, bytes(first))
    add("damaged-exchanged", "damaged", "the entries of two records exchanged", file, offset=0)
    file, _ = plain_file("damaged other", 4096)
    other, _ = plain_file("another file", 4096)
    for at in range(PAGE, 3 * PAGE):
        file.bytes[at] = other.bytes.get(at, 0)
    add("damaged-of-another-file", "damaged", "a group of another file under the same data key", file, offset=0)
    file, _ = plain_file("damaged cut", 8192)
    file.end -= 1000
    file.bytes = {at: byte for at, byte in file.bytes.items() if at < file.end}
    add("damaged-cut", "damaged", "the last page is cut", file, offset=PAGE)

    for name, comment, at in (
        ("flags", "a flag that nobody knows", 4), ("length", "another header length", 6), ("algorithm", "another algorithm", 7),
        ("content", "another content type", 8), ("page-size", "another page size", 31), ("zeros", "what must be zero", 35),
        ("padding", "what must be zero behind the commitment", 2047),
    ):  # fmt: skip
        file, _ = plain_file("header " + name, 1)
        file.flip(at)
        add("damaged-header-" + name, "damaged", comment, file)
    for name, comment, at in (
        ("account", "another account", 40), ("salt", "a bit of the salt", 39 + len(ACCOUNT)),
        ("commitment", "a bit of the commitment", 63 + len(ACCOUNT)),
    ):  # fmt: skip
        file, _ = plain_file("header " + name, 1)
        file.flip(at)
        add("authentication-" + name, "authentication", comment, file)
    file, _ = plain_file("state changed", 1)
    file.flip(2048 + 15)
    file.flip(3072 + 15)
    add("authentication-state", "authentication", "the length was changed in both copies of the state", file)
    file, _ = plain_file("state other", 1)
    other, _ = plain_file("another file", 1)
    for at in range(2048, PAGE):
        file.bytes[at] = other.bytes.get(at, 0)
    add("authentication-state-of-another-file", "authentication", "the state of another file", file)
    return found


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent) / "sealed-file"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.txt"):
        old.unlink()
    for name, expect, comment, file, plain, offset in cases():
        lines = [f"comment: {comment}", f"expect: {expect}", f"data-key: {file.data_key.hex()}", f"key-id: {file.key_id.hex()}"]
        lines += ["epoch: 7", f"account-id: {ACCOUNT.decode()}", f"file-length: {file.end}"]
        if expect == "ok":
            lines += [f"length: {len(plain)}", f"sha256: {hashlib.sha256(plain).hexdigest()}"]
        if offset is not None:
            lines.append(f"offset: {offset}")
        lines.append("")
        for at in range(0, file.end, 32):
            row = bytes(file.bytes.get(i, 0) for i in range(at, min(at + 32, file.end)))
            if any(row):
                lines.append(f"{at} {row.hex()}")
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
