#!/usr/bin/env python3
"""The order of libmam's functions: those that run while a session opens and enrolls lie together, since the kernel maps
64 KiB around a page that is touched.

    order.py starts MAP STARTS         write the offsets of all functions of a link map, for entries.c
    order.py script MAP HIT >ORDER.LD  write the linker script for the functions that were entered
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
BLOCK = 65536
# The run has fixed hash seeds, so that it is the same each time, and does not come here.
ALWAYS = {".text.swift_stdlib_random", ".text.unlikely.swift_stdlib_random.cold.1"}


def read(path: str) -> tuple[list[tuple[int, int, str]], list[int]]:
    """Sections of code: begin, size, name; and the offsets of functions."""
    sections, functions, is_code = [], [], False
    for line in pathlib.Path(path).read_text().splitlines():
        if not (found := LINE.match(line)):
            continue
        address, size, indent, name = int(found[1], 16), int(found[2], 16), len(found[3]), found[4]
        if indent <= 8:
            section = SECTION.match(name)
            is_code = section is not None and size > 0
            if section and is_code:
                sections.append((address, size, section[2]))
        elif is_code and size > 0:
            functions.append(address)
    return sorted(sections), sorted(set(functions))


def script(sections: list[tuple[int, int, str]], entered: list[int]) -> str:
    ran, pages = set(ALWAYS), set()
    for address in entered:
        start, size, name = sections[bisect.bisect(sections, (address, sys.maxsize)) - 1]
        if not start <= address < start + size or name.startswith(".text..L"):
            continue
        if name.startswith(".text."):
            ran.add(name)
        elif size > 1 << 20:
            pages.add((address - start) // 4096)
    # The Swift standard library's own functions are one section, .text: it begins where they touch the fewest blocks.
    shift = min(range(16), key=lambda shift: len({(page + shift) // 16 for page in pages}))
    return "\n".join([
        f"SECTIONS {{ .text.ran : {{ . = ALIGN({BLOCK:#x}) + {shift * 4096:#x};",
        "*libswiftCore.a:*(.text)",
        # The compiler's and libc's parts of every library run too; functions without names, .L, cannot be told apart.
        "*crtbeginS.o(.text)", "*libc_nonshared.a:*(.text)", "*(.text..L*)",
        *(f"*({name})" for name in sorted(ran)),
        # .init and .fini lie beside them, or they would touch a block of their own.
        "} .plt : { *(.plt) } .init : { KEEP(*(.init)) } .fini : { KEEP(*(.fini)) } } INSERT BEFORE .text;\n",
    ])  # fmt: skip


def main() -> None:
    mode, path, binary = sys.argv[1:4]
    sections, functions = read(path)
    if mode == "starts":
        pathlib.Path(binary).write_bytes(struct.pack(f"<{len(functions)}Q", *functions))
    else:
        data = pathlib.Path(binary).read_bytes()
        print(script(sections, list(struct.unpack(f"<{len(data) // 8}Q", data))), end="")


if __name__ == "__main__":
    main()
