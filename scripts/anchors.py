#!/usr/bin/env python3
"""anchors.py PAGE…: find links to a heading that the page they lead to does not have. Prints each with its file and line."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

FENCE = re.compile(r"^ *```")
HEADING = re.compile(r"^#{1,6} (.*)")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
TARGET = re.compile(r"\]\(([^)\s#:]*)#([^)\s]+)\)")


@cache
def anchors(page: Path) -> frozenset[str]:
    """The headings of a page as GitHub names them in links; a repeated one has a number."""
    found: set[str] = set()
    is_code = False
    for line in page.read_text(encoding="utf-8").splitlines():
        is_code ^= bool(FENCE.match(line))
        if is_code or not (heading := HEADING.match(line)):
            continue
        words = LINK.sub(r"\1", heading[1]).strip().lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = sum(1 for other in found if re.fullmatch(re.escape(name) + r"(-\d+)?", other))
        found.add(f"{name}-{number}" if name in found else name)
    return frozenset(found)


def main() -> int:
    status = 0
    for path in map(Path, sys.argv[1:]):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for target, anchor in TARGET.findall(line):
                page = path.parent / target if target else path
                if page.suffix == ".md" and page.exists() and anchor not in anchors(page):
                    print(f"{path}:{number}: {page} has no heading #{anchor}")
                    status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
