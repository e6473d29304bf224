"""Malicious property lists: a clear error or the right content, in bounded time, and the process survives.

Python's plistlib must read an accepted list in the same way.
"""

from __future__ import annotations

import os
import plistlib
import random
import resource
import struct
import time
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

import mam
import pytest
from conftest import Office

VECTORS = Path(__file__).resolve().parents[3] / "vectors" / "plist"
KEYS = ("MultiIdentity", "AutoEnrollOnLaunch", "ADALClientId", "WebViewHandledURLSchemes", "SplashDuration")
XML_WORDS = [
    b"<dict>", b"</dict>", b"<array>", b"</array>", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<true/>", b"<key>",
    b"&#0;", b"&#x41;", b"&lol;", b"<?x ?>", b"<!DOCTYPE a [", b"\0", b"\xff", b"<integer>", b"</plist>", b"'\"", b">",
]  # fmt: skip
ROUNDS = 1500
REFUSED = (mam.ArgumentError, mam.JSONError)


def opened(office: Office, path: Path) -> dict[str, Any] | None:
    """The content of a list; None if it is refused with a message that names it."""
    begin = time.process_time()  # of this process alone, whatever else the computer does
    try:
        with office.open(settings={}, group="com.example", info_plist=path) as m:
            return {key: one.value for key, one in m.effective_settings().items() if one.source == "infoPlist"}
    except REFUSED as error:
        assert str(path) in str(error) and len(str(error)) < 2000
        return None
    finally:
        assert time.process_time() - begin < 10


def mutated(data: bytes, dice: random.Random, *, is_xml: bool) -> bytes:
    for _ in range(dice.randint(1, 4)):
        at, kind = dice.randrange(len(data) + 1), dice.randrange(6)
        if kind == 0 and at < len(data):
            data = data[:at] + bytes([dice.randrange(256)]) + data[at + 1 :]
        elif kind == 1:
            data = data[:at] + data[min(len(data), at + dice.randint(1, 40)) :]
        elif kind == 2:
            data = data[:at] + data[at : at + dice.randint(1, 200)] + data[at:]
        elif kind == 3:
            data = data[:at] if dice.randrange(4) == 0 else data[:at] + dice.choice(XML_WORDS) + data[at:]
        elif kind == 4 and not is_xml:  # the trailer determines most of a binary list
            at = len(data) - dice.randint(1, 32)
            data = data[:at] + bytes([dice.choice([0, 1, 2, 8, 127, 255])]) + data[at + 1 :] if at >= 0 else data
        elif kind == 5 and not is_xml and len(data) > 48:
            at = dice.randrange(8, len(data) - 32)
            data = data[:at] + bytes([dice.choice([0x00, 0x0F, 0x5F, 0xA1, 0xAF, 0xD1, 0xDF, 0x80])]) + data[at + 1 :]
    return data


@pytest.mark.parametrize("form", ["xml", "binary"])
def test_mutated_lists_are_refused_or_read_correctly(office: Office, tmp_path: Path, form: str) -> None:
    dice = random.Random(f"{os.environ.get('MAM_SEED', '1')} {form}")
    original = (VECTORS / f"Info.{form}.plist").read_bytes()
    path = tmp_path / "bent.plist"
    taken = 0
    for number in range(ROUNDS):
        data = mutated(original, dice, is_xml=form == "xml")
        path.write_bytes(data)
        found = opened(office, path)
        if found is None:
            continue
        taken += 1
        try:
            stated = plistlib.loads(data).get("IntuneMAMSettings", {})
        except (ExpatError, AttributeError, ValueError):
            continue  # an invalid XML declaration or date: Python checks it, libmam reads neither
        known = {key: value for key, value in stated.items() if key in found}
        assert found == known, f"round {number}"
    assert taken > 20  # otherwise every change broke the list


def xml(inside: str, before: str = "") -> bytes:
    return f'<?xml version="1.0" encoding="UTF-8"?>{before}<plist version="1.0">{inside}</plist>'.encode()


def binary(objects: list[bytes], *, count: int | None = None, table: int | None = None, root: int | None = None) -> bytes:
    body, offsets = b"bplist00", []
    for one in objects:
        offsets.append(len(body))
        body += one
    where = len(body) if table is None else table
    body += b"".join(struct.pack(">I", offset) for offset in offsets)
    number = len(objects) if count is None else count
    return body + struct.pack(">6xBBQQQ", 4, 2, number, number - 1 if root is None else root, where)


def array(references: list[int]) -> bytes:
    return bytes([0xA0 + len(references)]) + b"".join(struct.pack(">H", one) for one in references)


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
HUGE = (1 << 63) + 1
HOSTILE: dict[str, bytes] = {
    "50,000 levels": xml("<array>" * 50_000 + "</array>" * 50_000),
    "50,000 levels without an end": xml("<dict><key>a</key>" * 50_000),
    "200,000 levels": xml("<array>" * 200_000 + "</array>" * 200_000),
    "a billion laughs": xml("<string>&l9;</string>", f'<!DOCTYPE p [<!ENTITY l0 "lol">{LAUGHS}]>'),
    "an outside entity": xml("<string>&x;</string>", '<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    "800,000 references": xml("<string>" + "&amp;" * 800_000 + "</string>"),
    "200,000 values": xml("<array>" + "<true/>" * 200_000 + "</array>"),
    "40,000 keys": xml("<dict>" + "".join(f"<key>k{n}</key><true/>" for n in range(40_000)) + "</dict>"),
    "a NUL in a string": xml("<string>a\0b</string>"),
    "a comment without an end": b"<plist><!--" + b"-" * 1_000_000,
    "a tag of 3 MB": b"<plist " + b"a" * 3_000_000,
    "a list that holds itself": binary([array([0])]),
    "two that hold each other": binary([array([1]), array([0])]),
    "2^40 values in 40 objects": binary([b"\x09", *(array([n, n]) for n in range(40))]),
    "64 levels of binary": binary([b"\x09", *(array([n]) for n in range(64))]),
    "50,000 levels of binary": binary([b"\x09", *(array([n]) for n in range(50_000))]),
    "gigabytes of shared text": binary([b"\x5f\x12\x00\x10\x00\x00" + b"a" * 0x100000, *(array([n] * 8) for n in range(20))]),
    "2^63 objects": binary([b"\x09"], count=HUGE, root=0),
    "a root outside": binary([b"\x09"], root=7),
    "a table outside": binary([b"\x09"], table=HUGE),
    "a string of 2^62 bytes": binary([b"\x5f\x13\x40\x00\x00\x00\x00\x00\x00\x00"]),
    "a dictionary of 2^60 keys": binary([b"\xdf\x13\x10\x00\x00\x00\x00\x00\x00\x00"]),
    "a key that is a number": binary([b"\x09", b"\xd1" + struct.pack(">HH", 0, 0)]),
    "a lone surrogate": binary([b"\x61\xd8\x00"]),
    "a trailer alone": b"bplist00" + b"\0" * 32,
    "half a trailer": binary([b"\x09"])[:-16],
    "UTF-16": '<?xml version="1.0" encoding="UTF-16"?><plist><true/></plist>'.encode("utf-16"),
    "OpenStep": b"{ IntuneMAMSettings = { MultiIdentity = YES; }; }",
    "JSON": b'{"IntuneMAMSettings":{}}',
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("key", ["info_plist", "test_policy"])
def test_hostile_lists_are_refused_quickly(office: Office, tmp_path: Path, name: str, key: str) -> None:
    path = tmp_path / "hostile.plist"
    path.write_bytes(HOSTILE[name])
    before, begin = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with pytest.raises(REFUSED, match=r"hostile\.plist"):
        office.open(settings={"DebugSettingsEnabled": True}, **{key: path})
    assert time.process_time() - begin < 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 128 << 10  # KiB


def test_only_files_are_accepted(office: Office, tmp_path: Path) -> None:
    fifo, large = tmp_path / "fifo", tmp_path / "large"
    os.mkfifo(fifo)
    with large.open("wb") as file:
        file.truncate(100 << 20)
    for path in [fifo, large, tmp_path, Path("/dev/zero")]:
        with pytest.raises(mam.ArgumentError, match=str(path)):
            office.open(info_plist=path)
    with pytest.raises(mam.NotFoundError):
        office.open(info_plist=tmp_path / "none")


def test_nothing_is_lost(office: Office, tmp_path: Path) -> None:
    with office.open() as m:
        assert m.register_and_enroll("ann@contoso.example").wait(30)
        kept = m.protect("ann@contoso.example", b"kept")
    path = tmp_path / "hostile.plist"
    for data in HOSTILE.values():
        path.write_bytes(data)
        with pytest.raises(REFUSED):
            office.open(info_plist=path)
    with office.open() as m:
        assert m.unprotect(kept) == b"kept"
