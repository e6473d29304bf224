"""Relocatable ELF files of x86-64, to be read and added to."""

from __future__ import annotations

import pathlib
import struct
from collections.abc import Iterable
from dataclasses import dataclass

EXECUTABLE, RETAIN = 4, 0x200000  # flags of a section
SYMBOLS, RELOCATIONS, NO_CONTENT = 2, 4, 8  # types of sections
OBJECT, FUNCTION, SECTION = 1, 2, 3  # types of symbols
ABSOLUTE, RELATIVE, CALL = 1, 2, 4  # types of relocations


@dataclass
class Section:
    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry: int


@dataclass
class Relocation:
    offset: int
    type: int
    symbol: int
    addend: int


@dataclass
class Symbol:
    number: int
    name: str
    type: int
    section: int
    place: int
    size: int


class Object:
    """Additions go behind the end, and so does content that has grown."""

    def __init__(self, path: str) -> None:
        self.data = bytearray(pathlib.Path(path).read_bytes())
        (headers,) = struct.unpack_from("<Q", self.data, 40)
        count, strings = struct.unpack_from("<HH", self.data, 60)
        self.sections = [Section(*struct.unpack_from("<IIQQQQIIQQ", self.data, headers + 64 * i)) for i in range(count)]
        self.strings = self.sections[strings]
        self.names = self.content(self.strings)
        self.table = next(section for section in self.sections if section.type == SYMBOLS)

    def content(self, section: Section) -> bytes:
        return bytes(self.data[section.offset : section.offset + section.size])

    def name(self, at: int) -> str:
        return self.names[at : self.names.index(0, at)].decode()

    def index(self, name: str) -> int:
        return next(i for i, section in enumerate(self.sections) if self.name(section.name) == name)

    def symbols(self) -> list[Symbol]:
        return [
            Symbol(number, self.name(name), info & 15, section, place, size)
            for number, (name, info, _, section, place, size) in enumerate(struct.iter_unpack("<IBBHQQ", self.content(self.table)))
        ]

    def move_symbol(self, number: int, section: int) -> None:
        struct.pack_into("<HQ", self.data, self.table.offset + 24 * number + 6, section, 0)

    def tables_of(self, section: int) -> list[Section]:
        return [s for s in self.sections if s.type == RELOCATIONS and s.info == section]

    def relocations_of(self, section: int) -> Section:
        return self.tables_of(section)[0]

    def relocations(self, table: Section) -> list[Relocation]:
        entries = struct.iter_unpack("<QQq", self.content(table))
        return [Relocation(offset, info & 0xFFFFFFFF, info >> 32, addend) for offset, info, addend in entries]

    def put(self, section: Section, content: bytes) -> None:
        if len(content) > section.size or section.offset == 0:
            self.data += bytes(-len(self.data) % 16)
            section.offset = len(self.data)
            self.data += content
        else:
            self.data[section.offset : section.offset + len(content)] = content
        section.size = len(content)

    def add(self, section: Section, content: bytes) -> int:
        self.put(section, content)
        self.sections.append(section)
        return len(self.sections) - 1

    def add_name(self, name: str) -> int:
        self.names += name.encode() + b"\0"
        return len(self.names) - len(name.encode()) - 1

    def write(self, path: str) -> None:
        self.put(self.strings, self.names)
        self.data += bytes(-len(self.data) % 16)
        struct.pack_into("<Q", self.data, 40, len(self.data))
        struct.pack_into("<H", self.data, 60, len(self.sections))
        for section in self.sections:
            self.data += struct.pack("<IIQQQQIIQQ", *vars(section).values())
        pathlib.Path(path).write_bytes(self.data)


def packed(relocations: Iterable[Relocation]) -> bytes:
    ordered = sorted(relocations, key=lambda r: r.offset)
    return b"".join(struct.pack("<QQq", r.offset, r.symbol << 32 | r.type, r.addend) for r in ordered)
