"""Every key that an office's state and files lead to, by docs/formats.md, docs/sealed-files.md and docs/sqlite.md: what a core
dump may not hold."""

from __future__ import annotations

import pathlib
import struct

import kills
import wipe_kill
from kills import GROUP
from wipe_kill import expand, hkdf, part, sha512, unseal

SEALED_FILE, DATABASE, LOG = b"MAM\2", b"MAM\3", b"MAM\4"


def state_keys(office: pathlib.Path) -> dict[str, bytes]:
    """Keys by what they are."""
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
            for epoch, name, wrapped in kills.query(
                office, f"SELECT epoch, key_id, wrapped FROM {table} WHERE account = ?", row
            ):
                context = part(f"{kind} {name.hex()}".encode()) + part(row) + epoch.to_bytes(4, "big")
                keys[f"{kind} {share.name[:4]} {epoch}"] = unseal(wrap, wrapped, context)
    return keys


def file_keys(path: pathlib.Path, data_keys: list[bytes]) -> dict[str, bytes]:
    """Keys of one file, whichever data key it is under."""
    data, keys = path.read_bytes(), {}
    if data[:4] == LOG and len(data) < 48 or len(data) < 24:
        return keys
    for key in data_keys:
        if data[:4] == SEALED_FILE or data[:4] == b"MAM\1" and data[7] == 1:
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
    data_keys = [key for name, key in keys.items() if name.split()[0] in ("account", "exchange") and name.split()[1] not in ("wrap", "rows")]
    for path in sorted(p for p in office.iterdir() if p.is_file()):
        keys.update(file_keys(path, data_keys))
    return keys


def forms(key: bytes) -> dict[str, bytes]:
    """What of a key is as good as the key, or a half of it: the halves, AES's schedule, HMAC's states."""
    found = {"first half": key[:16], "second half": key[16:]}
    words = schedule(key)
    for name, order in (("", ">"), (" (little-endian)", "<")):
        found[f"AES-256 schedule{name}"] = struct.pack(f"{order}4I", *words[8:12])
    for name, pad in (("inner", 0x36), ("outer", 0x5C)):
        state = sha512_state(bytes(b ^ pad for b in key.ljust(128, b"\0")))
        found[f"HMAC-SHA-512 {name} state"] = struct.pack("<2Q", *state[:2])
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
    """Inverses in GF(2^8), turned and added to themselves."""
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
MASK = 2**64 - 1
PRIMES = [n for n in range(2, 410) if all(n % d for d in range(2, n))]


def root(n: int, power: int) -> int:
    """The first 64 bits of the fraction of a root."""
    low, high = 0, 1 << 72
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**power <= n << 64 * power else (low, middle - 1)
    return low & MASK


START, CONSTANTS = [root(p, 2) for p in PRIMES[:8]], [root(p, 3) for p in PRIMES]


def sha512_state(block: bytes) -> list[int]:
    """What SHA-512 has after one block."""

    def turn(x: int, n: int) -> int:
        return (x >> n | x << 64 - n) & MASK

    w = list(struct.unpack(">16Q", block))
    for i in range(16, 80):
        a, b = w[i - 15], w[i - 2]
        small = turn(a, 1) ^ turn(a, 8) ^ a >> 7
        w.append((w[i - 16] + small + w[i - 7] + (turn(b, 19) ^ turn(b, 61) ^ b >> 6)) & MASK)
    a, b, c, d, e, f, g, h = START
    for i in range(80):
        one = h + (turn(e, 14) ^ turn(e, 18) ^ turn(e, 41)) + (e & f ^ ~e & g) + CONSTANTS[i] + w[i]
        two = (turn(a, 28) ^ turn(a, 34) ^ turn(a, 39)) + (a & b ^ a & c ^ b & c)
        a, b, c, d, e, f, g, h = (one + two) & MASK, a, b, c, (d + one) & MASK, e, f, g
    return [(x + y) & MASK for x, y in zip(START, (a, b, c, d, e, f, g, h), strict=True)]


def check_itself() -> None:
    """By what hashlib and cryptography say."""
    import hashlib  # noqa: PLC0415

    block = b"\x80" + bytes(127)
    assert struct.pack(">8Q", *sha512_state(block)) == hashlib.sha512(b"").digest()
    assert struct.pack(">4I", *schedule(bytes(range(32)))[8:]).hex() == "a573c29fa176c498a97fce93a572c09c"
    assert len(sha512(b"", b"")) == 64
