#!/usr/bin/env python3
"""The order of libmam's functions: those that run while a session opens and enrolls lie together, since the kernel maps
64 KiB around a page that is touched.

    order.py starts MAP STARTS         write the offsets of all functions of a link map, for entries.c
    order.py script MAP HIT LEFT NAMES SERVICE >ORDER.LD
                                       write the linker script for the functions that were entered, behind them for those that
                                       an account's leaving enters (LEFT) and that SERVICE names, and the names of the standard
                                       library's, which split.py copies
    order.py service MAP HIT ORDER.LD >SERVICE
                                       write the names of functions that were entered and are not at the front of the order
"""

from __future__ import annotations

import bisect
import pathlib
import re
import struct
import sys

# Address, another, size, alignment, then an input section, "file:(section)", or, further in, a symbol.
LINE = re.compile(r" *([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+) +\d+ (\s*)(\S.*)$")
SECTION = re.compile(r"(.*):\((\.text[^)]*)\)$")
STANDARD = "libswiftCore.a(Swift.o)"
# The run has fixed hash seeds, so that it is the same each time, and does not come here.
ALWAYS = {".text.swift_stdlib_random", ".text.unlikely.swift_stdlib_random.cold.1"}
# Entered or not, as threads meet: the runtime's second request for a function's type, and a lock that is left if it is held.
SOMETIMES = re.compile("getThrownError|IfFree")

Code = tuple[int, int, str, str]  # a section: begin, size, name, file


def read(path: str) -> tuple[list[Code], dict[int, str]]:
    """Sections of code, and the names of functions by their offsets."""
    sections: list[Code] = []
    functions: dict[int, str] = {}
    is_code = False
    for line in pathlib.Path(path).read_text().splitlines():
        if not (found := LINE.match(line)):
            continue
        address, size, indent, name = int(found[1], 16), int(found[2], 16), len(found[3]), found[4]
        if indent <= 8:
            section = SECTION.match(name)
            is_code = section is not None and size > 0
            if section and is_code:
                sections.append((address, size, section[2], section[1]))
        elif is_code and size > 0:
            functions.setdefault(address, name)
    return sorted(sections), functions


def sections_of(sections: list[Code], functions: dict[int, str], entered: list[int]) -> tuple[set[str], set[str]]:
    """The names of the sections of functions, and of the functions that the standard library has."""
    ran, standard = set[str](), set[str]()
    for address in entered:
        start, size, name, file = sections[bisect.bisect(sections, (address, sys.maxsize)) - 1]
        if not start <= address < start + size or name.startswith(".text..L"):
            continue
        if name.startswith(".text."):
            ran.add(name)
        if file.endswith(STANDARD):
            standard.add(name.removeprefix(".text.") if name.startswith(".text.") else functions[address])
    ran.update(f".text.{name}" for name in standard)
    # Two keys are compared where their hashes meet, which fixed seeds do not show.
    ran.update(re.sub("SHAASH.*", "SQAASQ2eeoiySbx_xtFZTW", name) for name in list(ran) if "SHAASH" in name)
    return ran, standard


def script(
    sections: list[Code], functions: dict[int, str], entered: list[int], left: list[int], service: set[str]
) -> tuple[str, list[str]]:
    """The linker script, and the names of the standard library's functions. `left`: those that an account's leaving enters;
    `service`: those that a check-in with one enters."""
    ran, standard = sections_of(sections, functions, entered)
    ran |= ALWAYS
    leaving, more = sections_of(sections, functions, left)
    standard |= more
    ran.update(name for _, _, name, _ in sections if SOMETIMES.search(name))
    named = {name: address for address, name in functions.items() if name in service}
    standard |= sections_of(sections, functions, sorted(named.values()))[1]
    return "\n".join([
        "SECTIONS { .text.ran : { . = ALIGN(0x10000);",
        # The compiler's and libc's parts of every library run too; functions without names, .L, cannot be told apart.
        "*crtbeginS.o(.text)", "*libc_nonshared.a:*(.text)", "*(.text..L*)",
        *(f"*({name})" for name in sorted(ran)),
        # .init and .fini lie beside them, or they would touch a block of their own.
        "} .plt : { *(.plt) } .init : { KEEP(*(.init)) } .fini : { KEEP(*(.fini)) }",
        ".text.leaving : {",
        *(f"*({name})" for name in sorted(leaving - ran)),
        "} .text.service : {",
        *(f"*(.text.{name})" for name in sorted(service) if f".text.{name}" not in ran | leaving),
        "} } INSERT BEFORE .text;\n",
    ]), sorted(standard)  # fmt: skip


def offsets(path: str) -> list[int]:
    data = pathlib.Path(path).read_bytes()
    return list(struct.unpack(f"<{len(data) // 8}Q", data))


def main() -> None:
    mode, path, binary = sys.argv[1:4]
    sections, functions = read(path)
    if mode == "starts":
        pathlib.Path(binary).write_bytes(struct.pack(f"<{len(functions)}Q", *sorted(functions)))
        return
    entered = offsets(binary)
    if mode == "service":
        front = pathlib.Path(sys.argv[4]).read_text().partition("} .plt")[0]
        ran = {name.removeprefix(".text.") for name in sections_of(sections, functions, entered)[0]}
        print("\n".join(sorted(name for name in ran if f"*(.text.{name})" not in front)))
        return
    left, names, service = sys.argv[4:7]
    text, standard = script(sections, functions, entered, offsets(left), set(pathlib.Path(service).read_text().split()))
    print(text, end="")
    pathlib.Path(names).write_text("".join(f"{name}\n" for name in standard))


if __name__ == "__main__":
    main()
