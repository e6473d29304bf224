"""Reads data that libmam sealed, from docs/formats.md and docs/sealed-files.md alone, without libmam's code.

    sealed.py DATA-KEY-IN-HEXADECIMAL FILE > PLAIN

Raises on malformed or changed data, and on data under another key.
"""

from __future__ import annotations

import contextlib
import functools
import hmac
import pathlib
import sys

from cryptography.exceptions import InvalidKey, InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

PAGE, STATE, GROUP, RECORDS = 4096, 2048, 65, 63
CHUNK, TAG, PREFIX = 16384, 16, 56  # salt and commitment are an object's prefix


def number(data: bytes) -> int:
    return int.from_bytes(data, "big")


def hkdf(key: bytes, info: bytes) -> bytes:
    return HKDF(SHA512(), 32, None, info).derive(key)


def object_key(data_key: bytes, context: bytes, prefix: bytes) -> tuple[bytes, int]:
    """The key and the base nonce of a sealed object."""
    info = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0" + prefix[:24] + context
    derived = HKDFExpand(SHA512(), 76, info).derive(data_key)
    if derived[44:] != prefix[24:PREFIX]:
        raise InvalidKey
    return derived[:32], number(derived[32:44])


def read_container(data: bytes, data_key: bytes) -> bytes:
    """The content of a container, from mam_protect and streams."""
    header, sealed = data[: 7 + number(data[5:7])], data[7 + number(data[5:7]) :]
    key, nonce = object_key(data_key, header, sealed[:PREFIX])
    chunks = [sealed[at : at + CHUNK + TAG] for at in range(PREFIX, len(sealed), CHUNK + TAG)]
    plain = b"".join(AESGCM(key).decrypt((nonce ^ i).to_bytes(12, "big"), c, None) for i, c in enumerate(chunks))
    is_whole = len(chunks[-1]) < CHUNK + TAG and number(header[29:37]) in (len(plain), 2**64 - 1)
    if header[4] != 0 or header[7] != 1 or not is_whole:
        raise ValueError("header or length")
    return plain


def read_sealed_file(data: bytes, data_key: bytes) -> bytes:
    """The content of a sealed file, from mam_file_create and mam_file_encrypt."""
    end = 39 + number(data[37:39])
    header, prefix = data[:end], data[end : end + PREFIX]
    expected = b"MAM\2\0" + (end - 7).to_bytes(2, "big") + b"\1\2" + header[9:29] + PAGE.to_bytes(4, "big") + bytes(4)
    if header[:37] != expected or end > 39 + 256 or any(data[end + PREFIX : STATE]):
        raise ValueError("header")
    file_key, _ = object_key(data_key, header, prefix)
    length_key = hkdf(file_key, b"libmam v1 sealed file length")
    copies = [data[at : at + 96] for at in (STATE, STATE + 1024)]
    state = max(c for c in copies if hmac.digest(length_key, c[:64], "sha256") == c[64:])  # its sequence comes first
    length, dense, is_unsynced = number(state[8:16]), number(state[16:24]), state[36] & 1
    count = -(-length // PAGE)
    data = data.ljust(PAGE * (1 + GROUP * (1 + count // RECORDS)), b"\0")  # a missing record reads as zeros

    @functools.cache
    def cipher(generation: int) -> AESGCM:
        return AESGCM(hkdf(file_key, b"libmam v1 sealed file records" + generation.to_bytes(4, "big")))

    def record(r: int) -> bytes:
        table = PAGE * (1 + GROUP * (r // RECORDS))
        at = table + 64 * (r % RECORDS)
        pair = (data[at : at + 32], data[at + 32 : at + 64])
        entries = [e for e in pair if e[1] & 0xC0 == 0x80 and e[2] and e[0] == e[31]]
        if len(entries) == 2 and 0 < (entries[1][0] - entries[0][0]) % 256 < 128:
            entries.reverse()  # the newer first
        if not entries and r >= dense:
            return bytes(PAGE)
        for e in entries if is_unsynced else entries[:1]:
            at = table + PAGE * (1 + (e[1] & 63))
            with contextlib.suppress(InvalidTag):
                return cipher(e[2]).decrypt(e[3:15], data[at : at + PAGE] + e[15:31], r.to_bytes(8, "big"))
        raise InvalidTag

    return b"".join(map(record, range(count)))[:length]


def read(path: str, data_key: bytes) -> bytes:
    """The content of a file of either form."""
    data = pathlib.Path(path).read_bytes()
    return (read_sealed_file if data[:4] == b"MAM\2" else read_container)(data, data_key)


if __name__ == "__main__":
    sys.stdout.buffer.write(read(sys.argv[2], bytes.fromhex(sys.argv[1])))
