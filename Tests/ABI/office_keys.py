"""Every key that an office's state and files lead to, by docs/formats.md, docs/sealed-files.md and docs/sqlite.md: a
core dump may contain none."""

from __future__ import annotations

import dataclasses
import functools
import pathlib
import struct

import kills
import wipe_kill
from kills import GROUP
from wipe_kill import expand, hkdf, part, sha512, unseal

SEALED_FILE, DATABASE, LOG = b"MAM\2", b"MAM\3", b"MAM\4"


def state_keys(office: pathlib.Path) -> dict[str, bytes]:
    """Keys by their role."""
    root = (office / GROUP / "root.key").read_bytes()[8:]
    keys = {"root": root, "root wrap": hkdf(root, b"", b"libmam v1 root wrap")}
    for name, wrapped in kills.query(office, "SELECT name, wrapped FROM keys"):
        keys[name] = unseal(keys["root wrap"], wrapped, part(name.encode()) + part(b"") + bytes(4))
    for share in sorted((office / GROUP / "shares").iterdir()):
        row, both = bytes.fromhex(share.name), root + share.read_bytes()
        keys[f"share {share.name[:4]}"] = share.read_bytes()
        keys[f"account rows {share.name[:4]}"] = hkdf(both, row, b"libmam v1 account rows")
        wrap = keys[f"account wrap {share.name[:4]}"] = hkdf(both, row, b"libmam v1 account wrap")
        for table, kind in (("account_keys", "account"), ("exchange_keys", "exchange")):
            for epoch, name, wrapped in kills.query(office, f"SELECT epoch, key_id, wrapped FROM {table} WHERE account = ?", row):
                context = part(f"{kind} {name.hex()}".encode()) + part(row) + epoch.to_bytes(4, "big")
                keys[f"{kind} {share.name[:4]} {epoch}"] = unseal(wrap, wrapped, context)
    return keys


def file_keys(path: pathlib.Path, data_keys: list[bytes]) -> dict[str, bytes]:
    """Keys of one file, whichever data key it is under."""
    data, keys = path.read_bytes(), {}
    if (data[:4] == LOG and len(data) < 48) or len(data) < 24:
        return keys
    for key in data_keys:
        if data[:4] == SEALED_FILE or (data[:4] == b"MAM\1" and data[7] == 1):
            end = (39 + data[38]) if data[3] == 2 else 7 + int.from_bytes(data[5:7], "big")
            derived = wipe_kill.derive(key, data[end:], data[:end])
            if derived[44:76] == data[end + 24 : end + 56]:
                keys["object"] = derived[:32]
        elif data[:4] in (DATABASE, LOG):
            keys[f"of {key.hex()[:4]}"] = expand(
                key, b"libmam v1 sqlite " + (b"database\0" + data[:16] if data[3] == 3 else b"journal\0" + data[:48]), 32
            )
    if data[:4] == SEALED_FILE and "object" in keys:
        keys["length"] = hkdf(keys["object"], b"", b"libmam v1 sealed file length")
        keys["records"] = hkdf(keys["object"], b"", b"libmam v1 sealed file records" + (1).to_bytes(4, "big"))
    return {f"{path.name} {name}": key for name, key in keys.items()}


def all_keys(office: pathlib.Path) -> dict[str, bytes]:
    keys = state_keys(office)
    data_keys = [
        key for name, key in keys.items() if name.split()[0] in ("account", "exchange") and name.split()[1] not in ("wrap", "rows")
    ]
    for path in sorted(p for p in office.iterdir() if p.is_file()):
        keys.update(file_keys(path, data_keys))
    return keys


def forms(key: bytes) -> dict[str, bytes]:
    """Values that are as good as the key, or as half of it: the halves, AES's schedule, HMAC's states."""
    found = {"first half": key[:16], "second half": key[16:]}
    found |= schedules(key)
    words = schedule(key)
    for name, order in (("", ">"), (" (little-endian)", "<")):
        found[f"AES-256 schedule{name}"] = struct.pack(f"{order}4I", *words[8:12])
    for name, pad in (("inner", 0x36), ("outer", 0x5C)):
        state = sha_state(bytes(b ^ pad for b in key.ljust(128, b"\0")), SHA512)
        found[f"HMAC-SHA-512 {name} state"] = struct.pack("<2Q", *state[:2])
        state = sha_state(bytes(b ^ pad for b in key.ljust(64, b"\0")), SHA256)
        found[f"HMAC-SHA-256 {name} state"] = struct.pack("<4I", *state[:4])
    return found


def schedules(key: bytes) -> dict[str, bytes]:
    """Values that hashing an HMAC key can leave on the stack: the first and the last words of SHA-2's message schedule,
    with the round constants added as code with vectors does. Sixteen words in a row determine the block."""
    found = {}
    for name, pad in (("inner", 0x36), ("outer", 0x5C)):
        for sha, letter in ((SHA512, "Q"), (SHA256, "I")):
            words = sha_schedule(bytes(b ^ pad for b in key.ljust(2 * sha.bits, b"\0")), sha)
            sums = [w + k & (1 << sha.bits) - 1 for w, k in zip(words, sha.constants, strict=True)]
            count = 128 // sha.bits
            for kind, row in (("words", words), ("sums", sums)):
                for at in (0, count, len(row) - 16, len(row) - count):
                    piece = struct.pack(f"<{count}{letter}", *row[at : at + count])
                    found[f"SHA-{sha.bits * 8} {name} {kind} from {at}"] = piece
    return found


def schedule(key: bytes) -> list[int]:
    """The first twelve words of AES-256's round keys."""
    words = list(struct.unpack(">8I", key))
    turned = (words[7] << 8 | words[7] >> 24) & 0xFFFFFFFF
    words.append(words[0] ^ int.from_bytes(bytes(SBOX[b] for b in turned.to_bytes(4, "big")), "big") ^ 1 << 24)
    for i in range(9, 12):
        words.append(words[i - 8] ^ words[i - 1])
    return words


def sbox() -> list[int]:
    """Inverses in GF(2^8), rotated and added to themselves."""
    box, p, q = [0x63] * 256, 1, 1
    while True:
        p ^= (p << 1 & 0xFF) ^ (0x1B if p & 0x80 else 0)
        q ^= q << 1
        q ^= q << 2
        q = (q ^ q << 4) & 0xFF
        q ^= 0x09 if q & 0x80 else 0
        box[p] = q ^ 0x63
        for n in (1, 2, 3, 4):
            box[p] ^= (q << n | q >> (8 - n)) & 0xFF
        if p == 1:
            return box


SBOX = sbox()
PRIMES = [n for n in range(2, 410) if all(n % d for d in range(2, n))]


def root(n: int, power: int) -> int:
    """The first 64 bits of the fraction of a root."""
    low, high = 0, 1 << 72
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**power <= n << 64 * power else (low, middle - 1)
    return low & 2**64 - 1


@dataclasses.dataclass(frozen=True)
class SHA:
    """The differences between the two sizes of SHA-2: bits of a word, rounds, and the rotations and shifts of a
    word."""

    bits: int
    rounds: int
    turns: tuple[tuple[int, ...], ...]

    @functools.cached_property
    def start(self) -> list[int]:
        return [root(p, 2) >> 64 - self.bits for p in PRIMES[:8]]

    @functools.cached_property
    def constants(self) -> list[int]:
        return [root(p, 3) >> 64 - self.bits for p in PRIMES[: self.rounds]]

    def mixed(self, x: int, which: int, *, shifts: bool) -> int:
        """Three rotations of a word, or two and a shift, combined."""

        def turn(n: int) -> int:
            return (x >> n | x << self.bits - n) & (1 << self.bits) - 1

        first, second, third = self.turns[which]
        return turn(first) ^ turn(second) ^ (x >> third if shifts else turn(third))


SHA512 = SHA(64, 80, ((1, 8, 7), (19, 61, 6), (14, 18, 41), (28, 34, 39)))
SHA256 = SHA(32, 64, ((7, 18, 3), (17, 19, 10), (6, 11, 25), (2, 13, 22)))


def sha_schedule(block: bytes, sha: SHA) -> list[int]:
    """The words that the rounds of SHA-2 make of a block."""
    w = list(struct.unpack(">16Q" if sha.bits == 64 else ">16I", block))
    for i in range(16, sha.rounds):
        small, large = sha.mixed(w[i - 15], 0, shifts=True), sha.mixed(w[i - 2], 1, shifts=True)
        w.append((w[i - 16] + small + w[i - 7] + large) & (1 << sha.bits) - 1)
    return w


def sha_state(block: bytes, sha: SHA) -> list[int]:
    """The state of SHA-2 after one block."""
    mask = (1 << sha.bits) - 1
    w = sha_schedule(block, sha)
    a, b, c, d, e, f, g, h = sha.start
    for i in range(sha.rounds):
        one = h + sha.mixed(e, 2, shifts=False) + (e & f ^ ~e & g) + sha.constants[i] + w[i]
        two = sha.mixed(a, 3, shifts=False) + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = (one + two) & mask, a, b, c, (d + one) & mask, e, f, g
    return [(x + y) & mask for x, y in zip(sha.start, (a, b, c, d, e, f, g, h), strict=True)]


def check_itself() -> None:
    """Against hashlib and cryptography."""
    import hashlib

    block = b"\x80" + bytes(127)
    assert struct.pack(">8Q", *sha_state(block, SHA512)) == hashlib.sha512(b"").digest()
    assert struct.pack(">8I", *sha_state(block[:64], SHA256)) == hashlib.sha256(b"").digest()
    assert struct.pack(">4I", *schedule(bytes(range(32)))[8:]).hex() == "a573c29fa176c498a97fce93a572c09c"
    assert len(sha512(b"", b"")) == 64
