#!/usr/bin/env python3
"""The Swift standard library as a linker can order it and leave out what nobody calls. The toolchain's is one object: half
of its code is a single section, and the other half is marked to be retained.

    split.py SWIFT.O NAMES      rewrite the object: its code may be left out, and each named function, one a line, has a
                                copy in a section of its own, with the nameless functions that it calls

Symbols name the copies. The function itself stays as well, for what refers to it by its place, such as jump tables.
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
        for symbol in file.symbols():
            if symbol.type == elf.OBJECT:
                self.objects.setdefault(symbol.section, []).append(symbol)
            elif symbol.section == self.text and symbol.type == elf.SECTION:
                self.symbol = symbol.number
            elif symbol.section == self.text and symbol.type == elf.FUNCTION and symbol.size > 0:
                self.functions.setdefault(symbol.place, []).append(symbol)
        self.frame_relocations = file.relocations(self.frame_table)
        self.frame = {r.addend: r.offset - 8 for r in self.frame_relocations if r.symbol == self.symbol}
        self.copied: dict[int, tuple[int, int]] = {}  # by its place, a function's copy: symbol, distance from it

    def relocations(self, begin: int, end: int) -> list[elf.Relocation] | None:
        """Those of a copy; None if an instruction that leaves the function cannot have one."""
        low, high = bisect.bisect_left(self.known_places, begin), bisect.bisect_left(self.known_places, end)
        own = [replace(r, offset=r.offset - begin) for r in self.known[low:high]]
        for place in range(begin, end):
            code, target = self.references.get(place, (b"", begin))
            behind = place + len(code)
            if begin <= target < end or bisect.bisect(self.known_places, place) < bisect.bisect_left(self.known_places, behind):
                continue
            if len(code) < 5 or code[-CALLED:] != struct.pack("<i", target - behind):
                return None  # a short jump, or something behind the reference
            own.append(elf.Relocation(behind - CALLED - begin, elf.RELATIVE, self.symbol, target - CALLED))
        return own

    def copy(self, symbols: list[elf.Symbol]) -> None:
        pending, body, own = [(symbols[0].place, symbols[0].size)], b"", []
        while pending:
            begin, size = pending.pop()
            if begin in self.copied or (found := self.relocations(begin, begin + size)) is None:
                continue
            body += bytes(-len(body) % 16)
            self.copied[begin] = symbols[0].number, len(body)
            for r in found:
                target = r.addend + CALLED
                if r.symbol == self.symbol and target not in self.functions and target in self.frame:
                    pending.append((target, *struct.unpack_from("<I", self.frames, self.frame[target] + 12)))
                own.append(replace(r, offset=r.offset + len(body)))
            body += self.code[begin : begin + size]
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
                if copied and self.may_lead_to_copy(table.info, r):
                    r.symbol, r.addend, changed = copied[0], copied[1] - (CALLED if in_code else 0), True
            if changed:
                self.file.put(table, elf.packed(relocations))

    def may_lead_to_copy(self, section: int, reference: elf.Relocation) -> bool:
        """Not in a jump table, whose distances are from its beginning; it is in none of the objects."""
        if self.file.sections[section].flags & elf.EXECUTABLE:
            return reference.type in (elf.RELATIVE, elf.CALL)
        if reference.type == elf.ABSOLUTE:
            return True
        return any(s.place <= reference.offset < s.place + s.size for s in self.objects.get(section, []))


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
    file.write(path)


if __name__ == "__main__":
    main()
