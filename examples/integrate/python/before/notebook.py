#!/usr/bin/env python3
"""notebook: notes as text files, one directory for each of your addresses.

    notebook.py add ADDRESS TITLE              keep a note, whose text is standard input
    notebook.py list
    notebook.py show ADDRESS TITLE
    notebook.py save ADDRESS TITLE PATH        copy a note to a file
    notebook.py watch                          print notes as they are added, until interrupted

Exit status: 0 done, 1 failed, 2 usage. Environment: NOTEBOOK, by default ~/.notebook.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from pathlib import Path

ROOT = Path(os.environ.get("NOTEBOOK", Path.home() / ".notebook"))


def path_of(address: str, title: str) -> Path:
    if "/" in address + title or address.startswith(".") or not title:
        raise ValueError(f"{address}, {title}: not a name for a file")
    return ROOT / address / f"{title}.txt"


def notes() -> list[tuple[str, str]]:
    return sorted((path.parent.name, path.stem) for path in ROOT.glob("*/*.txt"))


def add(address: str, title: str) -> None:
    path = path_of(address, title)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(path, "w") as note:
        note.write(sys.stdin.read())


def show(address: str, title: str) -> None:
    with open(path_of(address, title)) as note:
        sys.stdout.write(note.read())


def save(address: str, title: str, target: str) -> None:
    with open(path_of(address, title)) as note, open(target, "w") as copy:
        copy.write(note.read())


async def watch() -> None:
    known: set[tuple[str, str]] = set()
    while True:
        for address, title in notes():
            if (address, title) not in known:
                known.add((address, title))
                print(f"{address}: {title}", flush=True)
        await asyncio.sleep(0.2)


def run(words: list[str]) -> bool:
    match words:
        case ["add", address, title]:
            add(address, title)
        case ["list"]:
            for address, title in notes():
                print(f"{address}: {title}")
        case ["show", address, title]:
            show(address, title)
        case ["save", address, title, target]:
            save(address, title, target)
        case ["watch"]:
            asyncio.run(watch())
        case _:
            return False
    return True


def main() -> int:
    try:
        if run(sys.argv[1:]):
            return 0
    except (OSError, ValueError) as error:
        print(f"notebook: {error}", file=sys.stderr)
        return 1
    print("usage: notebook.py add ADDRESS TITLE | list | show ADDRESS TITLE | save ADDRESS TITLE PATH | watch", file=sys.stderr)
    return 2


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
