"""The section .text of an object, and what its bytes tell of it: functions, instructions, jump tables."""

from __future__ import annotations

import bisect
import collections
import re
import struct
import subprocess

import elf

CALLED = 4  # a reference in code is relative to the end of its four bytes
SHORT_JUMP, LONG_JUMP = b"\xeb", b"\xe9"  # with distances of one byte and of four
# objdump's operands: `call 5678 <name>` and `lea 0x1234(%rip),%rax  # 5678 <name>`
TARGET = re.compile(r"\s([0-9a-f]+) <[^>]*>\s*$")
# A jump by a table: its place, an entry, which counts from there, the sum.
JUMP = re.compile(
    r"lea +0x0\(%rip\),(?P<table>%r\w+)\b.*\n"
    r"movslq \((?P=table),%r\w+,4\),(?P<place>(?!(?P=table)\b)%r\w+)\n"
    r"add +(?P=table),(?P=place)\n"
    r"jmp +\*(?P=place)"
)


class Text:
    def __init__(self, file: elf.Object, path: str) -> None:
        self.file, self.section = file, file.index(".text")
        self.code = file.content(file.sections[self.section])
        self.relocations = sorted(file.relocations(file.relocations_of(self.section)), key=lambda r: r.offset)
        self.places = [r.offset for r in self.relocations]
        self.objects: dict[int, list[elf.Symbol]] = {}  # by section
        self.functions: dict[int, list[elf.Symbol]] = {}
        self.sections: dict[int, int] = {}  # by the symbol that stands for it
        for symbol in file.symbols():
            if symbol.type == elf.OBJECT:
                self.objects.setdefault(symbol.section, []).append(symbol)
            elif symbol.type == elf.SECTION:
                self.sections[symbol.number] = symbol.section
            elif symbol.section == self.section and symbol.type == elf.FUNCTION and symbol.size > 0:
                self.functions.setdefault(symbol.place, []).append(symbol)
        self.symbol = next(number for number, section in self.sections.items() if section == self.section)
        self.frames = file.index(".eh_frame")
        records = file.content(file.sections[self.frames])
        frames = file.relocations(file.relocations_of(self.frames))
        self.frame = {r.addend: r.offset - 8 for r in frames if r.symbol == self.symbol}
        self.sizes: dict[int, int] = {place: struct.unpack_from("<I", records, at + 12)[0] for place, at in self.frame.items()}
        self.sizes.update((place, symbols[0].size) for place, symbols in self.functions.items())
        self.disassemble(path)
        at_tables = [r for r in self.relocations if r.offset in self.jumps and r.symbol in self.sections]
        self.tables = {(r.symbol, r.addend + CALLED) for r in at_tables}
        self.distances: dict[int, dict[int, elf.Relocation]] = {}  # by symbol: what may be entries of jump tables
        for number in {number for number, _ in self.tables}:
            section = self.sections[number]
            references = [r for t in file.tables_of(section) for r in file.relocations(t)]
            self.distances[number] = {
                r.offset: r for r in references if r.type == elf.RELATIVE and not self.is_in_object(section, r.offset)
            }

    def disassemble(self, path: str) -> None:
        self.starts: set[int] = set()  # of instructions
        self.references: dict[int, tuple[bytes, int]] = {}  # those that refer to a place by the distance: their bytes, the place
        self.fields: dict[int, int] = {}  # the last four bytes of these
        self.jumps: set[int] = set()  # by tables: where the reference to the table is
        last: collections.deque[tuple[int, str]] = collections.deque(maxlen=4)
        words = ["objdump", "-dw", "--insn-width=16", "-j", ".text", path]
        for line in subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines():
            parts = line.split("\t")
            if len(parts) <= 2:
                continue
            place, code = int(parts[0].strip().rstrip(":"), 16), bytes.fromhex(parts[1])
            self.starts.add(place)
            if target := TARGET.search(parts[2]):
                self.references[place] = code, int(target[1], 16)
                if len(code) > CALLED:
                    self.fields[place + len(code) - CALLED] = int(target[1], 16)
            last.append((place + len(code) - CALLED, parts[2]))
            if parts[2].startswith("jmp ") and JUMP.match("\n".join(instruction for _, instruction in last)):
                self.jumps.add(last[0][0])

    def is_in_object(self, section: int, place: int) -> bool:
        return any(s.place <= place < s.place + s.size for s in self.objects.get(section, []))

    def between(self, begin: int, end: int) -> list[elf.Relocation]:
        return self.relocations[bisect.bisect_left(self.places, begin) : bisect.bisect_left(self.places, end)]

    def leap(self, place: int, begin: int, end: int) -> int | None:
        """Where the short jump leads with which a function ends and is left."""
        code, target = self.references.get(place, (b"", begin))
        is_last = len(code) == 2 and code[:1] == SHORT_JUMP and place + 2 == end
        return target if is_last and not begin <= target < end and not self.between(place, end) else None

    def table(self, begin: int, reference: elf.Relocation) -> list[tuple[elf.Relocation, int | None]]:
        """The entries of the jump table that the function at `begin` refers to, each with the place in the function that it
        leads to, or None if that is elsewhere. Empty if there is none, or if anything but a jump uses it.

        They may be more than the table has, and not fewer: they go on until something that cannot be an entry, or another jump's
        table whose first entry, taken as one of this table, would lead to no instruction of the function."""
        end, start, key = begin + self.sizes[begin], reference.addend + CALLED, (reference.symbol, reference.addend)
        entries, place, found = self.distances.get(reference.symbol, {}), start, []
        if not self.jumps.issuperset(r.offset for r in self.between(begin, end) if (r.symbol, r.addend) == key):
            return []
        while entry := entries.get(place):
            led = entry.addend - (place - start) if entry.symbol == self.symbol else end
            inside = begin <= led < end
            may_be = inside and led in self.starts
            if place > start and (reference.symbol, place) in self.tables and not may_be:
                break
            if inside and not may_be:
                return []
            found.append((entry, led if inside else None))
            place += CALLED
        return found
