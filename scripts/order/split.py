#!/usr/bin/env python3
"""The Swift standard library as a linker can order it and leave out what nobody calls. The toolchain's is one object: half
of its code is a single section, and the other half is marked to be retained.

    split.py SWIFT.O NAMES      rewrite the object: its code may be left out, and each named function, one a line, has a
                                copy in a section of its own, with the nameless functions that it calls

Symbols name the copies. The function itself stays as well, for what may refer to it by its place.
"""

from __future__ import annotations

import bisect
import pathlib
import re
import struct
import subprocess
import sys
from dataclasses import replace

import elf

# objdump's operands: `call 5678 <name>` and `lea 0x1234(%rip),%rax  # 5678 <name>`
TARGET = re.compile(r"\s([0-9a-f]+) <[^>]*>\s*$")
CALLED = 4  # a reference in code is relative to the end of its four bytes
SHORT_JUMP, LONG_JUMP = 0xEB, b"\xe9"


def references(path: str) -> dict[int, tuple[bytes, int]]:
    """The instructions of .text that refer to a place by the distance from their own: their bytes, and the place."""
    found = {}
    words = ["objdump", "-dw", "--insn-width=16", "-j", ".text", path]
    for line in subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines():
        parts = line.split("\t")
        if len(parts) > 2 and (target := TARGET.search(parts[2])):
            found[int(parts[0].strip().rstrip(":"), 16)] = bytes.fromhex(parts[1]), int(target[1], 16)
    return found


class Copies:
    def __init__(self, file: elf.Object, path: str) -> None:
        self.file = file
        self.text, self.unwinding = file.index(".text"), file.index(".eh_frame")
        self.code, self.frames = file.content(file.sections[self.text]), bytearray(file.content(file.sections[self.unwinding]))
        self.table, self.frame_table = file.relocations_of(self.text), file.relocations_of(self.unwinding)
        self.known = sorted(file.relocations(self.table), key=lambda r: r.offset)
        self.known_places = [r.offset for r in self.known]
        self.references = references(path)
        self.functions: dict[int, list[elf.Symbol]] = {}
        self.objects: dict[int, list[elf.Symbol]] = {}  # by section
        self.sections: dict[int, int] = {}  # by the section's symbol
        for symbol in file.symbols():
            if symbol.type == elf.OBJECT:
                self.objects.setdefault(symbol.section, []).append(symbol)
            elif symbol.type == elf.SECTION:
                self.sections[symbol.number] = symbol.section
                if symbol.section == self.text:
                    self.symbol = symbol.number
            elif symbol.section == self.text and symbol.type == elf.FUNCTION and symbol.size > 0:
                self.functions.setdefault(symbol.place, []).append(symbol)
        self.frame_relocations = file.relocations(self.frame_table)
        self.frame = {r.addend: r.offset - 8 for r in self.frame_relocations if r.symbol == self.symbol}
        self.copied: dict[int, tuple[int, int]] = {}  # by its place, a function's copy: symbol, distance from it
        self.ends: dict[int, int] = {}

    def relocated(self, begin: int, end: int) -> tuple[bytes, list[elf.Relocation]] | None:
        """A function elsewhere; None if an instruction that leaves it cannot be relocated."""
        low, high = bisect.bisect_left(self.known_places, begin), bisect.bisect_left(self.known_places, end)
        own = [replace(r, offset=r.offset - begin) for r in self.known[low:high]]
        body = self.code[begin:end]
        for place in range(begin, end):
            code, target = self.references.get(place, (b"", begin))
            behind = place + len(code)
            if begin <= target < end or bisect.bisect(self.known_places, place) < bisect.bisect_left(self.known_places, behind):
                continue
            if code[0] == SHORT_JUMP and behind == end:
                body, code, behind = body[:-2] + LONG_JUMP + bytes(CALLED), LONG_JUMP, end + 3
            elif len(code) < 5 or code[-CALLED:] != struct.pack("<i", target - behind):
                return None  # another short jump, or something behind the reference
            own.append(elf.Relocation(behind - CALLED - begin, elf.RELATIVE, self.symbol, target - CALLED))
        return body, own

    def copy(self, symbols: list[elf.Symbol]) -> None:
        pending, body, own = [(symbols[0].place, symbols[0].size)], b"", []
        while pending:
            begin, size = pending.pop()
            if begin in self.copied or not (found := self.relocated(begin, begin + size)):
                continue
            body += bytes(-len(body) % 16)
            self.copied[begin], self.ends[begin] = (symbols[0].number, len(body)), begin + size
            for r in found[1]:
                target = r.addend + CALLED
                if r.symbol == self.symbol and target not in self.functions and target in self.frame:
                    pending.append((target, *struct.unpack_from("<I", self.frames, self.frame[target] + 12)))
                own.append(replace(r, offset=r.offset + len(body)))
            body += found[0]
        if not body:
            return
        name = self.file.add_name(f".rela.text.{symbols[0].name}")
        flags = self.file.sections[self.text].flags
        number = self.file.add(elf.Section(name + len(".rela"), 1, flags, 0, 0, 0, 0, 0, 16, 0), body)
        for symbol in symbols:
            self.file.move_symbol(symbol.number, number)
        if own:
            self.file.add(replace(self.table, name=name, offset=0, size=0, info=number), elf.packed(own))

    def unwind(self) -> None:
        """A copy is unwound as the function is. A record names the place, and its parent by the distance."""
        for place, (symbol, distance) in self.copied.items():
            if (at := self.frame.get(place)) is None:
                continue
            size, parent = struct.unpack_from("<II", self.frames, at)
            record = bytearray(self.frames[at : at + 4 + size])
            struct.pack_into("<I", record, 4, parent + len(self.frames) - at)
            self.frame_relocations.append(elf.Relocation(len(self.frames) + 8, elf.RELATIVE, symbol, distance))
            self.frames += record
        self.file.put(self.file.sections[self.unwinding], bytes(self.frames))
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
                if copied and (in_code or r.type == elf.ABSOLUTE or self.is_in_object(table.info, r.offset)):
                    r.symbol, r.addend, changed = copied[0], copied[1] - (CALLED if in_code else 0), True
            if changed:
                self.file.put(table, elf.packed(relocations))

    def is_in_object(self, section: int, place: int) -> bool:
        """A jump table, whose distances are from its beginning, is in none."""
        return any(s.place <= place < s.place + s.size for s in self.objects.get(section, []))

    def redirect_jumps(self) -> None:
        """Let the jump tables of a function lead into the copy: from either, for they are the same code."""
        named = {
            (self.sections[r.symbol], r.addend + CALLED)
            for table in self.file.sections
            if table.type == elf.RELOCATIONS and self.file.sections[table.info].flags & elf.EXECUTABLE
            for r in self.file.relocations(table)
            if r.symbol in self.sections and r.type == elf.RELATIVE
        }
        tables = {table.info: table for table in self.file.sections if table.type == elf.RELOCATIONS}
        entries: dict[int, dict[int, elf.Relocation]] = {}
        for begin, end in self.ends.items():
            symbol, distance = self.copied[begin]
            low, high = bisect.bisect_left(self.known_places, begin), bisect.bisect_left(self.known_places, end)
            for reference in self.known[low:high]:
                section, start = self.sections.get(reference.symbol, 0), reference.addend + CALLED
                if reference.type != elf.RELATIVE or section not in tables or self.is_in_object(section, start):
                    continue
                if section not in entries:
                    entries[section] = {r.offset: r for r in self.file.relocations(tables[section])}
                place = start
                # It ends where another begins, or with an entry that leads elsewhere.
                while (r := entries[section].get(place)) and r.type == elf.RELATIVE and r.symbol == self.symbol:
                    if not begin <= r.addend - (place - start) < end or (place > start and (section, place) in named):
                        break
                    r.symbol, r.addend = symbol, r.addend - begin + distance
                    place += 4
        for section, found in entries.items():
            self.file.put(tables[section], elf.packed(found.values()))


def main() -> None:
    path, names = sys.argv[1:]
    file = elf.Object(path)
    for section in file.sections:
        if section.flags & elf.EXECUTABLE:
            section.flags &= ~elf.RETAIN
    if wanted := set(pathlib.Path(names).read_text().split()):
        copies = Copies(file, path)
        for symbols in copies.functions.values():
            if not wanted.isdisjoint(symbol.name for symbol in symbols):
                copies.copy(symbols)
        copies.unwind()
        copies.redirect()
        copies.redirect_jumps()
    file.write(path)


if __name__ == "__main__":
    main()
