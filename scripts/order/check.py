#!/usr/bin/env python3
"""Whether split.py has changed nothing that the library computes: what it made of an object is held against the object itself.

    check.py FORMER.O SPLIT.O   report the first difference, with exit status 1

Sections may have lost a flag. References may lead to a copy in place of the function, from code and from absolute addresses.
A copy has the function's bytes, and its references lead where the function's lead. Everything else is as it was.
"""

from __future__ import annotations

import struct
import sys

import elf

CALLED = 4  # a reference in code is relative to the end of its four bytes
ALIGNMENT = 16  # of a copy

Target = tuple[int, int]  # a symbol, and the distance from it


class Comparison:
    def __init__(self, former: elf.Object, split: elf.Object) -> None:
        self.former, self.split = former, split
        self.text = former.index(".text")
        self.symbol = next(s.number for s in former.symbols() if s.type == elf.SECTION and s.section == self.text)
        self.code = former.content(former.sections[self.text])
        self.known = former.relocations(former.relocations_of(self.text))
        self.moved = {
            now.number: (was, now)
            for was, now in zip(former.symbols(), split.symbols(), strict=True)
            if (was.section, was.place) != (now.section, now.place)
        }
        self.objects: dict[int, list[elf.Symbol]] = {}  # by section
        for symbol in former.symbols():
            if symbol.type == elf.OBJECT:
                self.objects.setdefault(symbol.section, []).append(symbol)
        self.copies: dict[int, Target] = {}  # by the place of the function
        self.compared: dict[int, list[tuple[int, int]]] = {}  # by section: what copies it has

    def require(self, holds: bool, message: str) -> None:
        if not holds:
            raise SystemExit(f"split.py: {message}")

    def leads_alike(self, was: elf.Relocation, now: elf.Relocation, bias: int) -> bool:
        """Whether two references lead to the same place, or the second to the copy of a function, which is noted."""
        if (was.type, was.symbol, was.addend) == (now.type, now.symbol, now.addend):
            return True
        if was.type != now.type or was.symbol != self.symbol or now.symbol not in self.moved:
            return False
        return self.copies.setdefault(was.addend + bias, (now.symbol, now.addend + bias)) == (now.symbol, now.addend + bias)

    def compare_sections(self) -> None:
        for number, was in enumerate(self.former.sections):
            now, name = self.split.sections[number], self.former.name(was.name)
            flags = was.flags & ~(elf.RETAIN if was.flags & elf.EXECUTABLE else 0)
            self.require((now.type, now.flags, now.info) == (was.type, flags, was.info), f"{name} is another section")
            if was.type == elf.RELOCATIONS:
                self.compare_references(name, was, now)
            elif was.type not in (elf.SYMBOLS, elf.NO_CONTENT) and was is not self.former.strings:
                # Records of unwinding are added for the copies.
                size = was.size if name == ".eh_frame" else now.size
                self.require(self.split.content(now)[:size] == self.former.content(was), f"{name} has changed")

    def compare_references(self, name: str, was: elf.Section, now: elf.Section) -> None:
        is_code = self.former.sections[was.info].flags & elf.EXECUTABLE != 0
        references = self.split.relocations(now)
        if name == ".rela.eh_frame":
            references = [r for r in references if r.offset < self.former.sections[was.info].size]
        for before, after in zip(self.former.relocations(was), references, strict=True):
            alike = before.offset == after.offset and self.leads_alike(before, after, CALLED if is_code else 0)
            self.require(alike, f"{name}: the reference at {before.offset:#x} leads elsewhere")
            kinds = (elf.RELATIVE, elf.CALL) if is_code else (elf.ABSOLUTE,)
            # A distance in data counts from its own place in an object, and from elsewhere in a jump table.
            own = self.objects.get(was.info, [])
            may = before == after or before.type in kinds or any(o.place <= before.offset < o.place + o.size for o in own)
            self.require(may, f"{name}: a reference of another kind leads to a copy at {before.offset:#x}")

    def compare_copies(self) -> None:
        for was, now in self.moved.values():
            self.require(was.section == self.text and now.place == 0, f"{was.name} has moved, and is no function of .text")
            self.require(self.copies.setdefault(was.place, (now.number, 0))[1] == 0, f"{was.name} is not where its copy is")
        done: set[int] = set()
        # A copy's references lead to further copies.
        while more := [place for place in self.copies if place not in done]:
            for place in more:
                self.compare_copy(place)
                done.add(place)
        for number in range(len(self.former.sections), len(self.split.sections)):
            section, reached = self.split.sections[number], 0
            for begin, end in sorted(self.compared.get(number, [])):
                reached = max(reached, end) if begin <= reached else reached
            whole = section.type == elf.RELOCATIONS or reached >= section.size
            self.require(whole, f"{self.split.name(section.name)} has code of no function")

    def compare_copy(self, place: int) -> None:
        symbol, distance = self.copies[place]
        section = self.moved[symbol][1].section
        body = self.split.content(self.split.sections[section])
        later = [d for s, d in self.copies.values() if self.moved[s][1].section == section and d > distance]
        end = min(later, default=len(body))
        tables = [t for t in self.split.sections if t.type == elf.RELOCATIONS and t.info == section]
        own = {r.offset: r for t in tables for r in self.split.relocations(t) if distance <= r.offset < end}
        former = {r.offset: r for r in self.known if place <= r.offset < place + end - distance}
        at = distance
        while at < end:
            source = place + at - distance
            if now := own.pop(at, None):
                was = former.get(source)
                if was is None:  # the assembler had resolved it: the field is the last of its instruction
                    (leap,) = struct.unpack_from("<i", self.code, source)
                    was = elf.Relocation(source, elf.RELATIVE, self.symbol, source + leap)
                self.require(
                    self.leads_alike(was, now, CALLED), f"the copy of .text+{place:#x} leads elsewhere at {at - distance:#x}"
                )
                at += CALLED
            else:
                if body[at] != self.code[source] or source in former:
                    begin, at = at, -(-at // ALIGNMENT) * ALIGNMENT  # padding before the next copy
                    padded = begin < at <= end and not any(body[begin:at])
                    self.require(padded, f"the copy of .text+{place:#x} differs at {begin - distance:#x}")
                    break
                at += 1
        self.compared.setdefault(section, []).append((distance, at))


def main() -> None:
    former, split = (elf.Object(path) for path in sys.argv[1:])
    comparison = Comparison(former, split)
    comparison.compare_sections()
    comparison.compare_copies()
    print(f"{len(comparison.copies)} copies are like their functions")


if __name__ == "__main__":
    main()
