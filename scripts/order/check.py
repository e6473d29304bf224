#!/usr/bin/env python3
"""Whether split.py has changed nothing that the library computes: what it made of an object is held against the object itself.

    check.py FORMER.O SPLIT.O   report the first difference, with exit status 1

Sections may have lost a flag. References may lead to a copy in place of the function, from code and from absolute addresses.
A copy has the function's bytes, and its references lead where the function's lead; a short jump at its end may have become a
longer one. A jump table of its own leads to the same instructions of the copy, and has all entries of the function's. Everything
else is as it was.
"""

from __future__ import annotations

import sys

import elf
from text import CALLED, LONG_JUMP, Text

ALIGNMENT = 16  # of a copy

Target = tuple[int, int]  # a symbol, and the distance from it


class Comparison:
    def __init__(self, former: elf.Object, split: elf.Object, path: str) -> None:
        self.former, self.split, self.text = former, split, Text(former, path)
        self.symbol, self.code = self.text.symbol, self.text.code
        self.moved = {
            now.number: (was, now)
            for was, now in zip(former.symbols(), split.symbols(), strict=True)
            if (was.section, was.place) != (now.section, now.place)
        }
        self.copies: dict[int, Target] = {}  # by the place of the function
        self.compared: dict[int, list[tuple[int, int]]] = {}  # by section: what copies it has
        self.led: dict[int, set[int]] = {}  # and what references

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
            may = before == after or before.type in kinds or self.text.is_in_object(was.info, before.offset)
            self.require(may, f"{name}: a reference of another kind leads to a copy at {before.offset:#x}")

    def compare_copies(self) -> None:
        for was, now in self.moved.values():
            self.require(was.section == self.text.section and now.place == 0, f"{was.name} has moved, and is no function of .text")
            self.require(self.copies.setdefault(was.place, (now.number, 0))[1] == 0, f"{was.name} is not where its copy is")
        done: set[int] = set()
        # A copy's references lead to further copies.
        while more := [place for place in self.copies if place not in done]:
            for place in more:
                self.compare_copy(place)
                done.add(place)
        for number in range(len(self.former.sections), len(self.split.sections)):
            section = self.split.sections[number]
            name, body, reached = self.split.name(section.name), self.split.content(section), 0
            if section.type == elf.RELOCATIONS:
                led = {r.offset for r in self.split.relocations(section)}
                self.require(led == self.led.get(section.info), f"{name} has references of no function")
                continue
            for begin, end in sorted(self.compared.get(number, [])):
                padded = 0 <= begin - reached < ALIGNMENT and not any(body[reached:begin])
                self.require(padded, f"{name} has code of no function at {reached:#x}")
                reached = end
            self.require(reached == section.size, f"{name} has code of no function at {reached:#x}")

    def compare_copy(self, place: int) -> None:
        symbol, distance = self.copies[place]
        section, end = self.moved[symbol][1].section, place + self.text.sizes[place]
        body = self.split.content(self.split.sections[section])
        own = {r.offset: r for t in self.split.tables_of(section) for r in self.split.relocations(t)}
        former = {r.offset: r for r in self.text.between(place, end)}
        led, tables = self.led.setdefault(section, set()), dict[int, elf.Relocation]()
        at, source = distance, place
        while source < end:
            differs = f"the copy of .text+{place:#x} differs at {source - place:#x}"
            target = self.text.leap(source, place, end)
            if target is not None:
                self.require(body[at : at + 1] == LONG_JUMP, differs)
                at, source = at + 1, end - CALLED
            elif at not in own:
                self.require(source not in former and body[at : at + 1] == self.code[source : source + 1], differs)
                at, source = at + 1, source + 1
                continue
            elif source not in former:  # the assembler had resolved it
                self.require(source in self.text.fields, differs)
                target = self.text.fields[source]
            was = former[source] if target is None else elf.Relocation(source, elf.RELATIVE, self.symbol, target - CALLED)
            self.require(at in own, differs)
            if own[at].symbol == symbol and self.text.table(place, was):
                self.require(tables.setdefault(own[at].addend + CALLED, was).addend == was.addend, differs)
            else:
                self.require(self.leads_alike(was, own[at], CALLED), f"{differs}: it leads elsewhere")
            led.add(at)
            at, source = at + CALLED, source + CALLED
        for start, reference in sorted(tables.items()):
            self.require(0 <= start - at < CALLED and not any(body[at:start]), f"the copy of .text+{place:#x} is not its size")
            at = start
            for entry, inside in self.text.table(place, reference):
                to = entry.symbol, entry.addend
                if inside is not None:
                    to = symbol, distance + inside - place + at - start
                now = own.get(at)
                alike = now is not None and (now.type, now.symbol, now.addend) == (entry.type, *to)
                self.require(alike, f"the jump table of .text+{place:#x} leads elsewhere at {at - start:#x}")
                led.add(at)
                at += CALLED
        self.compared.setdefault(section, []).append((distance, at))


def main() -> None:
    former, split = (elf.Object(path) for path in sys.argv[1:])
    comparison = Comparison(former, split, sys.argv[1])
    comparison.compare_sections()
    comparison.compare_copies()
    print(f"{len(comparison.copies)} copies are like their functions")


if __name__ == "__main__":
    main()
