#!/usr/bin/env python3
"""Writes the vectors of docs/formats.md, with an implementation of its own on top of the package `cryptography`.

usage: vectors/make/make.py [FOLDER]     FOLDER is vectors/ by default; its *.txt files of the kinds below are replaced

Nothing is random: every key, salt and text is SHAKE-256 of its name, so that a second run writes the same files.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import shutil
import struct
import sys
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

CHUNK = 16384
TOLD_BY_CHUNKS = 2**64 - 1


def made(name: str, count: int) -> bytes:
    return hashlib.shake_256(name.encode()).digest(count)


# --- The formats ---------------------------------------------------------------------------------------------------


def chunks(plain: bytes) -> list[bytes]:
    """All full but the last, which is shorter and may be empty."""
    return [plain[i : i + CHUNK] for i in range(0, len(plain) + 1, CHUNK)]


def derive(key: bytes, salt: bytes, context: bytes) -> tuple[AESGCM, bytes, bytes]:
    info = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\x00" + salt + context
    derived = HKDFExpand(SHA512(), 76, info).derive(key)
    return AESGCM(derived[:32]), derived[32:44], derived[44:]


def cobblestone(key: bytes, salt: bytes, context: bytes, pieces: list[bytes]) -> bytes:
    aead, base, commitment = derive(key, salt, context)
    sealed = salt + commitment
    for i, piece in enumerate(pieces):
        nonce = (int.from_bytes(base, "big") ^ i).to_bytes(12, "big")
        sealed += aead.encrypt(nonce, piece, None)
    return sealed


def header(algorithm: int, content: int, epoch: int, key_id: bytes, length: int, account: bytes) -> bytes:
    inner = struct.pack(">BBI16sQH", algorithm, content, epoch, key_id, length, len(account)) + account
    return b"MAM\x01\x00" + struct.pack(">H", len(inner)) + inner


def hkdf(key: bytes, info: str, salt: bytes = b"", count: int = 32) -> bytes:
    return HKDF(SHA512(), count, salt, info.encode()).derive(key)


def prefixed(*parts: bytes) -> bytes:
    return b"".join(struct.pack(">H", len(part)) + part for part in parts)


# --- What the scenarios share --------------------------------------------------------------------------------------

DATA_KEY, KEY_ID, EPOCH = made("data key", 32), made("key id", 16), 7
GROUP_KEY = made("group key", 32)
LABEL_ID = hkdf(GROUP_KEY, "libmam v1 label key id", count=16)
ACCOUNT = "8d1c3e52-0b4c-4c0b-9d0d-5b7a8c1f2e3d"
CONTENT = {"data": 0, "string": 1, "file": 2}
ROOT, SHARE, ROW_ID = made("root key", 32), made("shred share", 32), made("account row", 16)


def sealed(
    plain: bytes,
    account: bytes = ACCOUNT.encode(),
    content: str = "data",
    epoch: int = EPOCH,
    key: bytes = DATA_KEY,
    key_id: bytes = KEY_ID,
    length: int | None = None,
    pieces: list[bytes] | None = None,
) -> bytes:
    head = header(1, CONTENT[content], epoch, key_id, len(plain) if length is None else length, account)
    salt = made(f"salt {len(plain)} {content} {account.hex()}", 24)
    return head + cobblestone(key, salt, head, chunks(plain) if pieces is None else pieces)


def labelled(
    plain: bytes,
    account: bytes = b"",
    content: str = "data",
    epoch: int = 0,
    key: bytes = GROUP_KEY,
    key_id: bytes = LABEL_ID,
    length: int | None = None,
) -> bytes:
    body = header(0, CONTENT[content], epoch, key_id, len(plain) if length is None else length, account) + plain
    return body + hmac.digest(key, body, "sha256")


def bent(data: bytes, at: int, bits: int = 1) -> bytes:
    at %= len(data)
    return data[:at] + bytes([data[at] ^ bits]) + data[at + 1 :]


def spliced(data: bytes, at: int, piece: bytes) -> bytes:
    return data[:at] + piece + data[at + len(piece) :]


class Writer:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, group: str, name: str, expect: str, comment: str, body: bytes, /, **fields: object) -> None:
        lines = [f"comment: {comment}", f"expect: {expect}"]
        for field, value in fields.items():
            text = value.hex() if isinstance(value, bytes) else str(value)
            lines.append(f"{field.replace('_', '-')}: {text}".rstrip())
        digits = body.hex()
        lines += [""] + [digits[i : i + 96] for i in range(0, len(digits), 96)]
        path = self.folder / group / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")


# --- The scenarios -------------------------------------------------------------------------------------------------


def containers(write: Writer) -> None:
    def case(name: str, expect: str, comment: str, body: bytes, **fields: object) -> None:
        write(
            "container", name, expect, comment, body, data_key=DATA_KEY, key_id=KEY_ID, epoch=EPOCH, group_key=GROUP_KEY, **fields
        )

    def good(
        name: str,
        comment: str,
        plain: bytes,
        account: str = ACCOUNT,
        content: str = "data",
        label: bool = False,
        length: int | None = None,
    ) -> None:
        make = labelled if label else sealed
        known = {"plain": plain} if len(plain) <= 512 else {"plain_shake256": f"{len(plain)} {name}"}
        case(
            name,
            "ok",
            comment,
            make(plain, account=account.encode(), content=content, length=length),
            account=account.encode(),
            content=content,
            algorithm=0 if label else 1,
            **known,
        )

    for size in (0, 1, 64):
        good(f"sealed-{size}", f"{size} bytes, sealed", made(f"plain {size}", size))
        good(f"labelled-{size}", f"{size} bytes, labelled", made(f"plain {size}", size), account="", label=True)
    for size in (CHUNK - 1, CHUNK, CHUNK + 1):
        good(f"sealed-{size}", "around the end of a chunk", made(f"sealed-{size}", size))
    good("sealed-string", "a string", "Grüße".encode(), content="string")
    good("sealed-file", "a file", b"%PDF-1.7", content="file")
    good("sealed-longest-account", "an account id of 256 bytes", b"x", account="é" * 128)
    good("sealed-no-account", "an empty account id is one encoding like another", b"x", account="")
    good("labelled-account", "an unmanaged account has a name as well", b"x", account="private@example.org", label=True)

    for size in (0, 64, CHUNK, 2 * CHUNK + 1):
        good(
            f"stream-{size}",
            f"a stream of {size} bytes",
            made(f"plain {size}" if size <= 512 else f"stream-{size}", size),
            length=TOLD_BY_CHUNKS,
        )
        if size <= 64:
            good(
                f"stream-labelled-{size}",
                f"a labelled stream of {size} bytes",
                made(f"plain {size}", size),
                account="",
                label=True,
                length=TOLD_BY_CHUNKS,
            )

    one, label = sealed(made("plain 64", 64)), labelled(made("plain 64", 64))
    stream = sealed(made("stream-32769", 2 * CHUNK + 1), length=TOLD_BY_CHUNKS)
    stream_label = labelled(made("plain 64", 64), length=TOLD_BY_CHUNKS)
    body = len(one) - 64 - 72  # where the sealed part begins
    two = sealed(made("sealed-16385", CHUNK + 1))

    for name, text in (("empty", b""), ("short", b"MAM"), ("text", b"MAMmoth"), ("version", spliced(one, 3, b"\x05"))):
        case(f"not-protected-{name}", "not-protected", "does not begin with the four bytes", text)
    for name, byte in (("sealed-file", b"\x02"), ("database", b"\x03"), ("database-log", b"\x04")):
        case(f"unsupported-{name}", "unsupported", "begins with the four bytes of another form", spliced(one, 3, byte))

    damaged = {
        "magic-only": ("nothing after the four bytes", one[:4]),
        "header-cut": ("ends within the header", one[:38]),
        "account-cut": ("ends within the account id", one[:50]),
        "body-missing": ("header and nothing else", one[:body]),
        "cut": ("the last byte is missing", one[:-1]),
        "extended": ("one byte too many", one + b"\x00"),
        "flags": ("a flag nobody knows", spliced(one, 4, b"\x01")),
        "header-length": ("header length one too small", bent(one, 6)),
        "algorithm": ("algorithm 2", spliced(one, 7, b"\x02")),
        "algorithm-exchanged": ("algorithm 0 on a sealed body: the lengths do not fit", spliced(one, 7, b"\x00")),
        "content": ("content type 3", spliced(one, 8, b"\x03")),
        "length": ("plain length one off", bent(one, 36)),
        "length-huge": ("plain length 2^64 - 2", spliced(one, 29, b"\xff" * 7 + b"\xfe")),
        "length-negative": ("plain length 2^63", spliced(one, 29, b"\x80")),
        "account-length": ("account length contradicts header length", bent(one, 38)),
        "account-too-long": ("an account id of 257 bytes", sealed(b"x", account=b"a" * 257)),
        "account-not-utf8": ("an account id that is not UTF-8, sealed so", sealed(b"x", account=b"a\xff")),
        "account-surrogate": ("a surrogate in the account id, sealed so", sealed(b"x", account=b"\xed\xa0\x80")),
        "last-chunk-full": ("a full chunk is the last one, sealed so", sealed(made("full", CHUNK), pieces=[made("full", CHUNK)])),
        "stream-cut": ("a stream that ends where a chunk does", stream[: -CHUNK - 16 - 17]),
        "stream-cut-within-a-tag": ("the last chunk of a stream is shorter than a tag", stream[:-2]),
        "stream-body-missing": ("header, salt and commitment of a stream", stream[: body + 56]),
        "stream-label-cut": ("a labelled stream that ends before a label can be there", stream_label[: 39 + 31]),
        "label-cut": ("the last byte is missing", label[:-1]),
        "label-extended": ("one byte too many", label + b"\x00"),
        "label-epoch": ("a label with an epoch, authenticated so", labelled(b"x", epoch=1)),
    }
    for name, (comment, text) in damaged.items():
        case(f"damaged-{name}", "damaged", comment, text)

    first = two[body : body + 56 + CHUNK + 16]
    unauthentic = {
        "content": ("content type exchanged for another", spliced(one, 8, b"\x01")),
        "epoch": ("epoch changed", bent(one, 12)),
        "key-id": ("key id changed, and the reader has only the former key", bent(one, 13)),
        "account": ("account id changed", bent(one, 39)),
        "salt": ("a bit of the salt", bent(one, body)),
        "commitment": ("a bit of the commitment", bent(one, body + 24)),
        "text": ("a bit of the encrypted bytes", bent(one, body + 56)),
        "tag": ("a bit of the tag", bent(one, -1, 0x80)),
        "other-key": ("made under another key of the same name", sealed(b"x", key=made("other", 32))),
        "first-chunk": ("a bit of the first of two chunks", bent(two, body + 56)),
        "last-chunk": ("a bit of the second of two chunks", bent(two, -17)),
        "last-chunk-lost": (
            "cut after the first chunk's start, lengths made to fit",
            spliced(two[:body], 29, struct.pack(">Q", CHUNK - 1)) + first[:-1],
        ),
        "chunks-exchanged": ("two full chunks of one object exchanged", exchanged()),
        "length-lost": ("a container made to look like a stream", spliced(one, 29, b"\xff" * 8)),
        "length-given": (
            "a stream made to look like a container of 64 bytes",
            spliced(sealed(made("plain 64", 64), length=TOLD_BY_CHUNKS), 29, struct.pack(">Q", 64)),
        ),
        "stream-cut": ("a stream, cut within its second chunk", stream[:-CHUNK]),
        "stream-extended": ("a stream and one byte more", stream + b"\x00"),
        "stream-chunk-lost": ("a stream without its second chunk", stream[: -CHUNK - 16 - 17] + stream[-17:]),
        "stream-label-cut": ("a labelled stream without its last byte", stream_label[:-1]),
        "stream-label-extended": ("a labelled stream and one byte more", stream_label + b"\x00"),
        "label-content": ("content type of a label exchanged", spliced(label, 8, b"\x02")),
        "label-key-id": ("a label of another group", bent(label, 13)),
        "label-text": ("a bit of the plain bytes", bent(label, -33)),
        "label-tag": ("a bit of the label's tag", bent(label, -1, 0x80)),
        "label-other-key": ("labelled under another key of the same name", labelled(b"x", key=made("other", 32))),
    }
    for name, (comment, text) in unauthentic.items():
        case(f"authentication-{name}", "authentication", comment, text)


def exchanged() -> bytes:
    three = sealed(made("exchanged", 2 * CHUNK))
    at, size = len(three) - 16 - 2 * (CHUNK + 16), CHUNK + 16
    return three[:at] + three[at + size : at + 2 * size] + three[at : at + size] + three[at + 2 * size :]


def keys(write: Writer) -> None:
    file = b"MAMROOT1" + ROOT
    write("root", "good", "ok", "a root key file", file, fingerprint=hkdf(ROOT, "libmam v1 root fingerprint", count=16))
    for name, body in (
        ("empty", b""),
        ("cut", file[:-1]),
        ("extended", file + b"\x00"),
        ("magic", b"MAMROOT2" + ROOT),
        ("bare", ROOT),
    ):
        write("root", name, "key-unavailable", "not a root key file", body)

    key = made("wrapped key", 32)
    wrap = hkdf(ROOT, "libmam v1 root wrap")

    def root_case(name: str, expect: str, comment: str, change: dict[str, object], body: bytes | None = None) -> None:
        context = prefixed(b"state", b"") + struct.pack(">I", 1)
        good = cobblestone(wrap, made("salt of root wrap", 24), context, chunks(key))
        write(
            "wrapped",
            f"root-{name}",
            expect,
            comment,
            good if body is None else body,
            **({"root_file": file, "kind": "state", "epoch": 1, "key": key} | change),
        )

    root_case("good", "ok", "a key wrapped under the root key", {})
    root_case("kind", "authentication", "unwrapped as another kind", {"kind": "group"})
    root_case("epoch", "authentication", "unwrapped as another epoch", {"epoch": 2})
    root_case("root", "authentication", "another root key", {"root_file": b"MAMROOT1" + made("other", 32)})
    root_case("cut", "damaged", "too short to be a sealed text", {}, body=made("short", 71))

    both = ROOT + SHARE
    account_wrap = hkdf(both, "libmam v1 account wrap", salt=ROW_ID)
    context = prefixed(b"data", ROW_ID) + struct.pack(">I", EPOCH)
    good = cobblestone(account_wrap, made("salt of account wrap", 24), context, chunks(key))
    fields: dict[str, object] = {
        "root_file": file,
        "share": SHARE,
        "account_row": ROW_ID,
        "kind": "data",
        "epoch": EPOCH,
        "key": key,
    }
    write("wrapped", "account-good", "ok", "a key wrapped for an account", good, **fields)
    for name, change in (
        ("share", {"share": made("other", 32)}),
        ("account", {"account_row": made("other", 16)}),
        ("epoch", {"epoch": EPOCH + 1}),
        ("kind", {"kind": "exchange"}),
    ):
        write("wrapped", f"account-{name}", "authentication", f"another {name}", good, **(fields | change))
    rows_key = hkdf(both, "libmam v1 account rows", salt=ROW_ID)
    wrong = cobblestone(rows_key, made("salt of account wrap", 24), context, chunks(key))
    write("wrapped", "account-rows-key", "authentication", "sealed with the key for rows", wrong, **fields)

    plain = b'{"upn":"anna@example.org"}'
    place = prefixed(b"accounts", ROW_ID, b"record")
    row = cobblestone(rows_key, made("salt of row", 24), place, chunks(plain))
    fields = {
        "root_file": file,
        "share": SHARE,
        "account_row": ROW_ID,
        "table": "accounts",
        "primary_key": ROW_ID,
        "column": "record",
        "plain": plain,
    }
    write("row", "good", "ok", "a sealed row", row, **fields)
    for field, value in (("table", "account"), ("primary_key", made("other", 16)), ("column", "recorded")):
        write(
            "row",
            field.replace("_", "-"),
            "authentication",
            f"moved to another {field.replace('_', ' ')}",
            row,
            **(fields | {field: value}),
        )
    write("row", "bent", "authentication", "one bit changed", bent(row, -20), **fields)


def texts(write: Writer) -> None:
    one = sealed(b"abcd", content="string")
    text = base64.b64encode(one).decode()
    for name, expect, comment, written in (
        ("good", "ok", "a protected string", text),
        ("line-end", "not-canonical", "a line end after it", text + "\n"),
        ("wrapped", "not-canonical", "broken into lines", text[:64] + "\r\n" + text[64:]),
        ("unpadded", "not-canonical", "padding left out", text.rstrip("=")),
        ("url", "not-canonical", "the URL alphabet", base64.urlsafe_b64encode(b"\xff\xfe\xfd" + one).decode()),
        ("digit", "not-base64", "a character of no alphabet", text[:20] + "!" + text[21:]),
        ("nul", "not-base64", "a NUL at the end", text + "\0"),
    ):
        write("text", name, expect, comment, written.encode(), bytes=one)
    for name, expect, written in (
        ("empty", "ok", ""),
        ("bits", "not-canonical", "QR=="),
        ("bits-2", "not-canonical", "QUF="),
        ("alone", "not-base64", "Q"),
        ("middle", "not-base64", "QQ==QQ=="),
        ("padding", "not-base64", "===="),
        ("much", "not-canonical", "QQ==="),
    ):
        write("text", name, expect, "short ones", written.encode(), bytes=b"")

    salt, token = made("token salt", 16), b"a token of many random bits"
    hashed = salt + hmac.digest(salt, token, "sha256")
    write("token", "good", "ok", "a stored token hash", hashed, token=token)
    write("token", "other", "authentication", "another token", hashed, token=token + b"!")
    write("token", "bent", "authentication", "one bit changed", bent(hashed, -1), token=token)
    write("token", "cut", "authentication", "one byte short", hashed[:-1], token=token)


def labels(write: Writer) -> None:
    """The attribute of an owned file."""

    def label(key: bytes, account: bytes, app: bytes, managed: int = 0) -> bytes:
        key_id = hkdf(key, "libmam v1 label key id", count=16)
        body = b"MAMO\x01" + struct.pack(">BHH", managed, len(account), len(app)) + key_id + account + app
        return body + hmac.digest(key, body, "sha256")

    key, account, app = GROUP_KEY, b"anna-id", b"com.example.notes"
    good = label(key, account, app)
    fields: dict[str, object] = {"group_key": key, "account": account, "app": app}
    write("label", "good", "ok", "a file of an account", good, **fields)
    write("label", "managed", "ok", "of an account that was managed", label(key, account, app, 1), **(fields | {"managed": 1}))
    write("label", "managed-2", "authentication", "neither managed nor not", label(key, account, app, 2), **fields)
    write("label", "nobody", "ok", "a file of no user", label(key, b"", app), **(fields | {"account": b""}))
    write(
        "label",
        "longest",
        "ok",
        "the longest names",
        label(key, b"a" * 1024, b"b" * 1024),
        **(fields | {"account": b"a" * 1024, "app": b"b" * 1024}),
    )
    write("label", "too-long", "authentication", "a longer name", label(key, b"a" * 1025, app), **fields)
    write("label", "foreign", "key-unavailable", "of another group", label(made("other", 32), account, app), **fields)
    write("label", "bent", "authentication", "one bit changed", bent(good, -1), **fields)
    write(
        "label",
        "moved",
        "authentication",
        "a byte moved from one name to the other",
        good[:6] + struct.pack(">HH", len(account) + 1, len(app) - 1) + good[10:],
        **fields,
    )
    write("label", "cut", "authentication", "one byte short", good[:-1], **fields)
    write("label", "long", "authentication", "one byte more", good + b"\0", **fields)
    write("label", "version", "authentication", "of another version", b"MAMO\x02" + good[5:], **fields)
    write("label", "text", "authentication", "a name that is not UTF-8", label(key, b"\xff", app), **fields)


def signatures(write: Writer) -> None:
    """What an authority signs. The fields have each value of a message: null, a number, text, or how many rows follow."""

    def message(kind: str, authority: str, values: list[object]) -> bytes:
        found = b""
        for value in [kind, authority, *values]:
            if value is None:
                found += struct.pack(">BQ", 0, 0)
            elif isinstance(value, int):
                found += struct.pack(">Bq", 1, value)
            elif isinstance(value, dict):
                found += struct.pack(">BQ", 3, value["rows"])
            else:
                found += struct.pack(">BQ", 2, len(str(value).encode())) + str(value).encode()
        return found

    def public(key: Ed25519PrivateKey) -> bytes:
        return key.public_key().public_bytes_raw()

    first, second = (Ed25519PrivateKey.from_private_bytes(made(f"authority key {number}", 32)) for number in (1, 2))
    authority = "0f0e0d0c0b0a09080706050403020100"

    def case(name: str, expect: str, comment: str, kind: str, values: list[object], signed: bytes | None = None) -> None:
        signature = first.sign(message(kind, authority, values)) if signed is None else signed
        write(
            "signature",
            name,
            expect,
            comment,
            signature,
            key=public(first),
            secret=first.private_bytes_raw(),
            kind=kind,
            authority=authority,
            values=json.dumps(values, ensure_ascii=False),
        )

    document: list[object] = ["policies", "T_one", '{"pinRequired":true}']
    kind = "libmam authority document 1"
    case("document", "ok", "a policy document", kind, document)
    case(
        "values",
        "ok",
        "a value of each type, and the ends of their ranges",
        "libmam authority row 1",
        ["users", None, 0, -1, 2**63 - 1, -(2**63), "", "\u00e4", {"rows": 2}, "a", "b", {"rows": 0}],
    )
    good = first.sign(message(kind, authority, document))
    case("bent", "authentication", "one bit changed", kind, document, bent(good, -1))
    case("other-table", "authentication", "the document of another table", kind, ["configurations", *document[1:]], good)
    case(
        "moved",
        "authentication",
        "a byte moved from one value to the next",
        kind,
        ["policies", "T_on", "e" + str(document[2])],
        good,
    )
    case("other-key", "authentication", "another key's signature", kind, document, second.sign(message(kind, authority, document)))
    case(
        "other-authority",
        "authentication",
        "signed for another authority",
        kind,
        document,
        first.sign(message(kind, authority[::-1], document)),
    )

    def statement(name: str, expect: str, comment: str, number: int, key: Ed25519PrivateKey, signer: Ed25519PrivateKey) -> None:
        x = base64.urlsafe_b64encode(public(key)).decode().rstrip("=")
        payload = json.dumps(
            {"authority": authority, "number": number, "keys": [{"use": "sign", "kty": "OKP", "crv": "Ed25519", "x": x}]},
            separators=(",", ":"),
        )
        write(
            "signature",
            name,
            expect,
            comment,
            signer.sign(b"libmam authority statement 1\n" + payload.encode()),
            key=public(first),
            next_key=public(key),
            authority=authority,
            number=number,
            payload=payload,
        )

    statement("statement-1", "ok", "the first key, signed with itself", 1, first, first)
    statement("statement-2", "ok", "the next key, signed with the one before", 2, second, first)
    statement("statement-self", "authentication", "the next key, signed with itself", 2, second, second)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    for kind in ("container", "root", "wrapped", "row", "text", "token", "label", "signature"):
        shutil.rmtree(folder / kind, ignore_errors=True)
    write = Writer(folder)
    containers(write)
    keys(write)
    texts(write)
    labels(write)
    signatures(write)


if __name__ == "__main__":
    main()
