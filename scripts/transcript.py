#!/usr/bin/env python3
"""transcript.py [--check]: run scripts/demo.sh (with the staged library: scripts/staged.sh scripts/transcript.py) and copy its
output, without ids and temporary directories, to README.md, docs/pictures/demo.svg (one section after the other) and demo-still.svg
(all of them). With --check, report what is out of date.

README.md has a block of text after the line <!-- demo -->; the headings in it select the sections.
"""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
from pathlib import Path
from xml.sax.saxutils import escape

from picture import svg

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
RECORDING, STILL = ROOT / "docs/pictures/demo.svg", ROOT / "docs/pictures/demo-still.svg"
BLOCK = re.compile(r"(?s)(<!-- demo -->\n```text\n)(.*?)(```\n)")
COLUMNS, SECONDS = 108, 6
STYLE = (
    "text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d0d7de;white-space:pre}"
    ".command{fill:#7ee787}.heading{fill:#ffd33d;font-weight:600}"
)


def sections() -> dict[str, list[str]]:
    """The output of the demo: the lines below each heading."""
    demo = subprocess.run([ROOT / "scripts/demo.sh"], capture_output=True, text=True, check=False)
    if demo.returncode:
        raise SystemExit(f"transcript.py: the demo failed\n{demo.stdout}{demo.stderr}")
    output = re.sub(r"/[^\s\"]*/tmp\.\w+", "/tmp/demo", demo.stdout)
    output = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "…", output)
    found = re.findall(r"(?ms)^== (.*?)\n(.*?)(?=^== |\Z)", output)
    return {heading: lines.strip().splitlines() for heading, lines in found}


def excerpt(demo: dict[str, list[str]], block: str) -> str:
    """The sections that a block names, in its order."""
    headings = re.findall(r"(?m)^== (.*)$", block)
    missing = [heading for heading in headings if heading not in demo]
    if missing or not headings:
        raise SystemExit(f"transcript.py: README.md: the demo has no section {missing or 'at all'}")
    return "\n\n".join("\n".join([f"== {heading}", *demo[heading]]) for heading in headings) + "\n"


def rows(heading: str, lines: list[str]) -> list[tuple[str, str]]:
    """The wrapped lines of a section, each with its style."""
    found = [("heading", heading)]
    for line in lines:
        style = "command" if line.startswith("$ ") else "output"
        found += [(style, part) for part in textwrap.wrap(line, COLUMNS, subsequent_indent="    ") or [""]]
    return found


def texts(lines: list[tuple[str, str]]) -> list[str]:
    """The lines below each other."""
    return [f'<text x="12" y="{26 + 17 * row}" class="{style}">{escape(line)}</text>' for row, (style, line) in enumerate(lines)]


def still(demo: dict[str, list[str]]) -> str:
    """All sections in one picture, for readers and printers without animation."""
    lines = [line for heading, output in demo.items() for line in [*rows(heading, output), ("output", "")]][:-1]
    size = 8 * COLUMNS + 20, 17 * len(lines) + 20
    return svg(size, "make demo", f"<style>{STYLE}</style>", 'rx="8" fill="#0d1117"', texts(lines))


def record(demo: dict[str, list[str]]) -> str:
    """An animated picture: one section after the other, each for some seconds."""
    total = SECONDS * len(demo)
    share = 100 / len(demo)
    wrapped = [rows(heading, lines) for heading, lines in demo.items()]
    width, height = 8 * COLUMNS + 20, 17 * max(map(len, wrapped)) + 20
    shapes = []
    for number, section in enumerate(wrapped):
        start = f"opacity:{int(number == 0)};animation:show {total}s {SECONDS * number - total}s infinite steps(1,end)"
        shapes.append(f'<g style="{start}">' + "\n".join(texts(section)) + "</g>")
    frames = f"@keyframes show{{0%{{opacity:1}}{share:.4g}%{{opacity:0}}100%{{opacity:0}}}}"
    return svg((width, height), "make demo", f"<style>{STYLE}{frames}</style>", 'rx="8" fill="#0d1117"', shapes)


def main() -> int:
    demo = sections()
    page = README.read_text(encoding="utf-8")
    if not BLOCK.search(page):
        raise SystemExit("transcript.py: README.md has no block after <!-- demo -->")
    wanted = {
        README: BLOCK.sub(lambda found: found[1] + excerpt(demo, found[2]) + found[3], page),
        RECORDING: record(demo),
        STILL: still(demo),
    }
    status = 0
    for path, text in wanted.items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if "--check" in sys.argv:
            print(f"{path.relative_to(ROOT)} is not what the demo prints: scripts/staged.sh scripts/transcript.py")
            status = 1
        else:
            path.write_text(text, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
