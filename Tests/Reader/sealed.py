"""Reads what libmam has sealed, from docs/formats.md and docs/sealed-files.md alone: nothing here is libmam's.

    sealed.py DATA-KEY-IN-HEXADECIMAL FILE > PLAIN
"""

from __future__ import annotations

import hmac
import sys
from typing import BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

PAGE, RECORDS, CHUNK, TAG = 4096, 63, 16384, 16


class Damaged(Exception):
    """Badly formed, cut or extended, or a record that does not verify."""


class NotAuthentic(Exception):
    """Changed, or another key."""


def number(data: bytes) -> int:
    return int.from_bytes(data, "big")


def derive(data_key: bytes, context: bytes, salt: bytes, commitment: bytes) -> tuple[bytes, bytes]:
    """The object's key and base nonce."""
    info = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0" + salt + context
    derived = HKDFExpand(SHA512(), 76, info).derive(data_key)
    if not hmac.compare_digest(derived[44:], commitment):
        raise NotAuthentic("commitment")
    return derived[:32], derived[32:44]


def hkdf(key: bytes, info: bytes) -> bytes:
    return HKDF(SHA512(), 32, None, info).derive(key)


def read_container(data: bytes, data_key: bytes) -> bytes:
    """A sealed container: what mam_protect and streams make."""
    length = 7 + number(data[5:7])
    sealed = data[length:]
    if data[4] or data[7] != 1 or len(sealed) < 56 + TAG:
        raise Damaged("header")
    key, base = derive(data_key, data[:length], sealed[:24], sealed[24:56])
    plain, at, chunk = b"", 56, CHUNK
    try:
        for i in range(sys.maxsize):
            if chunk < CHUNK:
                break
            nonce = (number(base) ^ i).to_bytes(12, "big")
            piece = AESGCM(key).decrypt(nonce, sealed[at : at + CHUNK + TAG], None)
            plain, at, chunk = plain + piece, at + len(piece) + TAG, len(piece)
    except (InvalidTag, ValueError) as error:
        raise NotAuthentic("chunk") from error
    told = number(data[29:37])
    if at != len(sealed) or (told != len(plain) and told != 2**64 - 1):
        raise Damaged("length")
    return plain


class SealedFile:
    """A file that is written in place: `read` gives its plain bytes."""

    def __init__(self, file: BinaryIO, data_key: bytes) -> None:
        self._file = file
        page = self._at(0, 2048)
        end = 39 + number(page[37:39])
        fixed = page[4:9] + page[29:37]
        if page[:4] != b"MAM\2" or fixed != bytes([0]) + (end - 7).to_bytes(2, "big") + bytes([1, 2, 0, 0, 16, 0]) + bytes(4):
            raise Damaged("header")
        if end > 39 + 256 or any(page[end + 56 :]):
            raise Damaged("header")
        self._key, _ = derive(data_key, page[:end], page[end : end + 24], page[end + 24 : end + 56])
        length_key = hkdf(self._key, b"libmam v1 sealed file length")
        copies = [self._at(offset, 96) for offset in (2048, 3072)]
        good = [c for c in copies if hmac.compare_digest(hmac.digest(length_key, c[:64], "sha256"), c[64:])]
        if not good:
            raise NotAuthentic("state")
        state = max(good, key=lambda c: number(c[:8]))
        self.length, self._dense = number(state[8:16]), number(state[16:24])
        self._is_synced = not state[36] & 1
        self._ciphers: dict[int, AESGCM] = {}

    def _at(self, offset: int, count: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(count).ljust(count, b"\0")

    def read(self) -> bytes:
        count = -(-self.length // PAGE)
        return b"".join(map(self.record, range(count)))[: self.length]

    def record(self, r: int) -> bytes:
        table = (1 + 65 * (r // RECORDS)) * PAGE
        pair = self._at(table + 64 * (r % RECORDS), 64)
        entries = [e for e in (pair[:32], pair[32:]) if e[1] & 0xC0 == 0x80 and e[2] and e[0] == e[31]]
        if len(entries) == 2 and 0 < (entries[1][0] - entries[0][0]) % 256 < 128:
            entries.reverse()
        if not entries:
            if r < self._dense:
                raise Damaged(r * PAGE)
            return bytes(PAGE)
        for e in entries[:1] if self._is_synced else entries:
            try:
                page = self._at(table + (1 + (e[1] & 63)) * PAGE, PAGE)
                return self._cipher(e[2]).decrypt(e[3:15], page + e[15:31], r.to_bytes(8, "big"))
            except InvalidTag:
                continue
        raise Damaged(r * PAGE)

    def _cipher(self, generation: int) -> AESGCM:
        if generation not in self._ciphers:
            info = b"libmam v1 sealed file records" + generation.to_bytes(4, "big")
            self._ciphers[generation] = AESGCM(hkdf(self._key, info))
        return self._ciphers[generation]


def read(path: str, data_key: bytes) -> bytes:
    """A file of either form."""
    with open(path, "rb") as file:
        if file.read(4) == b"MAM\2":
            return SealedFile(file, data_key).read()
        file.seek(0)
        return read_container(file.read(), data_key)


if __name__ == "__main__":
    sys.stdout.buffer.write(read(sys.argv[2], bytes.fromhex(sys.argv[1])))
