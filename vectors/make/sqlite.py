"""sqlite.py DATABASE KEYS OUT: read an encrypted database and its log by docs/sqlite.md alone, and write it as a plain one.

KEYS has lines "epoch hexadecimal-key". Nothing of libmam is used; AES-256-GCM is libcrypto's.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import hashlib
import hmac
import struct
import sys
from pathlib import Path

CRYPTO = ctypes.CDLL(ctypes.util.find_library("crypto") or "libcrypto.so.3")
for _name in ("EVP_CIPHER_CTX_new", "EVP_aes_256_gcm"):
    getattr(CRYPTO, _name).restype = ctypes.c_void_p
SEAL, RESERVED, PREAMBLE, HEADER, HEAD = 28, 32, 48, 32, 25


def open_gcm(key: bytes, nonce: bytes, extra: bytes, sealed: bytes, tag: bytes) -> bytes:
    """The plain bytes; ValueError where the tag does not match."""
    context = ctypes.c_void_p(CRYPTO.EVP_CIPHER_CTX_new())
    out, count = ctypes.create_string_buffer(len(sealed) + 16), ctypes.c_int()
    CRYPTO.EVP_DecryptInit_ex(context, ctypes.c_void_p(CRYPTO.EVP_aes_256_gcm()), None, key, nonce)
    CRYPTO.EVP_DecryptUpdate(context, None, ctypes.byref(count), extra, len(extra))
    CRYPTO.EVP_DecryptUpdate(context, out, ctypes.byref(count), sealed, len(sealed))
    CRYPTO.EVP_CIPHER_CTX_ctrl(context, 0x11, 16, tag)  # EVP_CTRL_AEAD_SET_TAG
    good = CRYPTO.EVP_DecryptFinal_ex(context, ctypes.byref(out, count.value), ctypes.byref(ctypes.c_int()))
    CRYPTO.EVP_CIPHER_CTX_free(context)
    if good != 1:
        raise ValueError("it does not verify")
    return out.raw[: len(sealed)]


def expand(key: bytes, info: bytes) -> bytes:
    return hmac.new(key, info + b"\x01", hashlib.sha512).digest()[:32]


def open_page(keys: dict[int, bytes], salt: bytes, number: int, page: bytes) -> bytes:
    """A page as SQLite has it, the reserved bytes zero."""
    seal, clear = page[-RESERVED:], page[:24] if number == 1 else b""
    (epoch,) = struct.unpack(">I", seal[28:])
    key = expand(keys[epoch], b"libmam v1 sqlite database\0" + salt)
    extra = struct.pack(">II", number, len(page)) + clear
    plain = open_gcm(key, seal[:12], extra, page[len(clear) : -RESERVED], seal[12:28])
    return (b"SQLite format 3\0" + clear[16:] if clear else b"") + plain + bytes(RESERVED)


def open_record(key: bytes, number: int, record: bytes) -> bytes:
    return open_gcm(key, record[-SEAL:-16], struct.pack(">Q", number), record[:-SEAL], record[-16:])


def read_log(keys: dict[int, bytes], salt: bytes, log: bytes, pages: dict[int, bytes]) -> int | None:
    """Put the pages of committed transactions over the database's; how many pages there are then."""
    preamble = log[:PREAMBLE]
    if preamble[:8] != b"MAM\x04\x01\0\0\0" or preamble[32:] != salt:
        return None
    epoch, size = struct.unpack(">II", preamble[8:16])
    key = expand(keys[epoch], b"libmam v1 sqlite journal\0" + preamble)
    header = open_record(key, 0, log[PREAMBLE : PREAMBLE + HEADER + SEAL])
    at, number, waiting, count = PREAMBLE + HEADER + SEAL, 1, {}, None
    while at + HEAD + SEAL + size <= len(log):
        try:
            head = open_record(key, number, log[at : at + HEAD + SEAL])
        except ValueError:
            break
        page_number, committed = struct.unpack(">II", head[:8])
        if head[8:16] != header[16:24]:  # of a former log
            break
        waiting[page_number] = open_page(keys, salt, page_number, log[at + HEAD + SEAL :][:size])
        if committed:
            pages.update(waiting)
            waiting, count = {}, committed
        at, number = at + HEAD + SEAL + size, number + 1
    return count


def plain_database(database: Path, keys: dict[int, bytes]) -> bytes:
    content = database.read_bytes()
    assert content[:4] == b"MAM\x03" and content[20] == RESERVED
    salt, size = content[:16], {1: 65536}.get(n := int.from_bytes(content[16:18], "big"), n)
    pages = {n + 1: open_page(keys, salt, n + 1, content[n * size : (n + 1) * size]) for n in range(len(content) // size)}
    log = database.with_name(database.name + "-wal")
    count = read_log(keys, salt, log.read_bytes(), pages) if log.exists() else None
    first = bytearray(pages[1])
    first[18:20] = b"\1\1"  # it has no log any more
    pages[1] = bytes(first)
    return b"".join(pages[number + 1] for number in range(count or len(pages)))


def read_keys(path: Path) -> dict[int, bytes]:
    lines = [line.split() for line in path.read_text().splitlines()]
    return {int(words[0]): bytes.fromhex(words[1]) for words in lines if words and words[0].isdigit()}


if __name__ == "__main__":
    Path(sys.argv[3]).write_bytes(plain_database(Path(sys.argv[1]), read_keys(Path(sys.argv[2]))))
