#!/usr/bin/env python3
"""The Swift standard library as a linker can order it and leave out what nobody calls. The toolchain's is one object: half
of its code is a single section, and the other half is marked to be retained.

    split.py SWIFT.O NAMES      rewrite the object: its code may be left out, and each named function, one a line, has a
                                copy in a section of its own, with the nameless functions that it calls

Symbols name the copies. The function itself stays as well, for what may refer to it by its place. A copy has its own jump
tables, which lie behind it.
"""

from __future__ import annotations

import pathlib
import struct
import sys
from dataclasses import replace

import elf
from text import CALLED, LONG_JUMP, Text


class Copies:
    def __init__(self, file: elf.Object, path: str) -> None:
        self.file, self.text = file, Text(file, path)
        self.symbol, self.sizes = self.text.symbol, self.text.sizes
        self.frames = bytearray(file.content(file.sections[self.text.frames]))
        self.frame_table = file.relocations_of(self.text.frames)
        self.frame_relocations = file.relocations(self.frame_table)
        self.copied: dict[int, tuple[int, int]] = {}  # by its place, a function's copy: symbol, distance from it
        self.lengths: dict[int, int] = {}
        self.entries: set[tuple[int, int]] = set()  # of the copies' jump tables: section, place

    def relocated(self, begin: int, end: int) -> tuple[bytes, list[elf.Relocation]] | None:
        """A function elsewhere; None if an instruction that leaves it cannot be relocated."""
        code, known = self.text.code[begin:end], self.text.between(begin, end)
        own = [replace(r, offset=r.offset - begin) for r in known]
        for place in range(begin, end):
            instruction, target = self.text.references.get(place, (b"", begin))
            behind = place + len(instruction)
            if begin <= target < end or self.text.between(place, behind):
                continue
            if self.text.leap(place, begin, end) is not None:
                code, behind = code[:-2] + LONG_JUMP + bytes(CALLED), end + 3
            elif len(instruction) < 5 or instruction[-CALLED:] != struct.pack("<i", target - behind):
                return None  # a short jump, or something behind the reference
            own.append(elf.Relocation(behind - CALLED - begin, elf.RELATIVE, self.symbol, target - CALLED))
        return code, own

    def copy(self, symbols: list[elf.Symbol]) -> None:
        number, pending, body, own, in_tables = symbols[0].number, [symbols[0].place], b"", [], []
        while pending:
            begin = pending.pop()
            if begin in self.copied or not (found := self.relocated(begin, begin + self.sizes[begin])):
                continue
            body += bytes(-len(body) % 16)
            distance, tables = len(body), dict[tuple[int, int], int]()
            self.copied[begin], self.lengths[begin] = (number, distance), len(found[0])
            body += found[0]
            for r in found[1]:
                target, key = r.addend + CALLED, (r.symbol, r.addend)
                if r.symbol == self.symbol and target not in self.text.functions and target in self.text.frame:
                    pending.append(target)
                if key not in tables and (entries := self.text.table(begin, r)):
                    body += bytes(-len(body) % CALLED)
                    tables[key] = start = len(body)
                    for entry, led in entries:
                        moved = replace(entry, offset=len(body))
                        if led is not None:
                            moved.symbol, moved.addend = number, distance + led - begin + len(body) - start
                        own.append(moved)
                        in_tables.append(len(body))
                        body += bytes(CALLED)
                r = replace(r, offset=r.offset + distance)
                own.append(replace(r, symbol=number, addend=tables[key] - CALLED) if key in tables else r)
        if not body:
            return
        name = self.file.add_name(f".rela.text.{symbols[0].name}")
        flags = self.file.sections[self.text.section].flags
        section = self.file.add(elf.Section(name + len(".rela"), 1, flags, 0, 0, 0, 0, 0, 16, 0), body)
        self.entries.update((section, place) for place in in_tables)
        for symbol in symbols:
            self.file.move_symbol(symbol.number, section)
        if own:
            table = self.file.relocations_of(self.text.section)
            self.file.add(replace(table, name=name, offset=0, size=0, info=section), elf.packed(own))

    def unwind(self) -> None:
        """A copy is unwound as the function is. A record names the place, and its parent by the distance."""
        for place, (symbol, distance) in self.copied.items():
            if (at := self.text.frame.get(place)) is None:
                continue
            size, parent = struct.unpack_from("<II", self.frames, at)
            record = bytearray(self.frames[at : at + 4 + size])
            struct.pack_into("<I", record, 4, parent + len(self.frames) - at)
            struct.pack_into("<I", record, 12, self.lengths[place])
            self.frame_relocations.append(elf.Relocation(len(self.frames) + 8, elf.RELATIVE, symbol, distance))
            self.frames += record
        self.file.put(self.file.sections[self.text.frames], bytes(self.frames))
        self.file.put(self.frame_table, elf.packed(self.frame_relocations))

    def redirect(self) -> None:
        """Let references to the first byte of a function refer to the copy."""
        for table in self.file.sections:
            if table.type != elf.RELOCATIONS or table is self.frame_table:
                continue
            relocations, in_code = self.file.relocations(table), self.file.sections[table.info].flags & elf.EXECUTABLE
            changed = False
            for r in relocations:
                copied = self.copied.get(r.addend + (CALLED if in_code else 0)) if r.symbol == self.symbol else None
                if copied and self.may_lead_to_copy(table.info, r):
                    r.symbol, r.addend, changed = copied[0], copied[1] - (CALLED if in_code else 0), True
            if changed:
                self.file.put(table, elf.packed(relocations))

    def may_lead_to_copy(self, section: int, reference: elf.Relocation) -> bool:
        """Not in a jump table, whose distances are from its beginning; it is in none of the objects."""
        if (section, reference.offset) in self.entries:
            return False
        if self.file.sections[section].flags & elf.EXECUTABLE:
            return reference.type in (elf.RELATIVE, elf.CALL)
        return reference.type == elf.ABSOLUTE or self.text.is_in_object(section, reference.offset)


def main() -> None:
    path, names = sys.argv[1:]
    file = elf.Object(path)
    for section in file.sections:
        if section.flags & elf.EXECUTABLE:
            section.flags &= ~elf.RETAIN
    if wanted := set(pathlib.Path(names).read_text().split()):
        copies = Copies(file, path)
        for symbols in copies.text.functions.values():
            if not wanted.isdisjoint(symbol.name for symbol in symbols):
                copies.copy(symbols)
        copies.unwind()
        copies.redirect()
    file.write(path)


if __name__ == "__main__":
    main()
