#!/usr/bin/env python3
"""picture.py [--check] FILE.txt…: draw boxes and arrows from their description as FILE.svg; with --check, report a picture
that is out of date. The output depends on nothing but the description: no fonts are measured, and no layout is computed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from xml.sax.saxutils import escape

LINE = 18  # pixels
STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#1f2328;text-anchor:middle}.title{font-weight:600}.small{font-size:12.5px}"
    "rect{stroke:#57606a;stroke-width:1.2}.frame{stroke-dasharray:5 4}"
    "path{stroke:#57606a;stroke-width:1.5;fill:none;marker-end:url(#head)}"
)
Box = tuple[int, int, int, int]


def svg(size: tuple[int, int], title: str, definitions: str, background: str, shapes: list[str]) -> str:
    """A picture with a background of its size."""
    width, height = size
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
            f"<title>{title}</title>{definitions}",
            f'<rect width="{width}" height="{height}" {background}/>',
            *shapes,
            "</svg>\n",
        ]
    )


def text(x: float, y: float, words: str, style: str = "small") -> str:
    return f'<text x="{x:g}" y="{y:g}" class="{style}">{escape(words)}</text>'


def box(place: Box, fill: str, words: list[str], style: str = "") -> list[str]:
    x, y, width, height = place
    first = y + 22 if style else y + (height - LINE * len(words)) / 2 + 14
    return [f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{fill}" class="{style}"/>'] + [
        text(x + width / 2, first + LINE * number, line, "small" if number else "title") for number, line in enumerate(words)
    ]


def point(place: Box, side: str, offset: int) -> tuple[float, float]:
    """A point on a side of a box, at an offset from its middle."""
    x, y, width, height = place
    if side in ("left", "right"):
        return x + width * (side == "right"), y + height / 2 + offset
    return x + width / 2 + offset, y + height * (side == "bottom")


def arrow(begin: tuple[float, float], end: tuple[float, float], words: list[str]) -> list[str]:
    x, y = (begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2
    is_flat = abs(begin[1] - end[1]) < abs(begin[0] - end[0])
    lines = [f'<path d="M{begin[0]:g} {begin[1]:g}L{end[0]:g} {end[1]:g}"/>']
    if is_flat:
        lines += [text(x, y - 7 - LINE * (len(words) - 1 - number), line) for number, line in enumerate(words)]
    else:
        width = 8 * max(map(len, words), default=0)
        lines += [text(x - width / 2, y + 4 + LINE * number, line) for number, line in enumerate(words)]
    return lines


def draw(source: str) -> str:
    boxes: dict[str, Box] = {}
    title, size, lines = "", (0, 0), []
    for line in source.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "title":
            title = escape(rest)
        elif kind == "size":
            across, down = rest.split()
            size = int(across), int(down)
        elif kind in ("frame", "box"):
            name, x, y, across, down, fill, lettering = rest.split(" ", 6)
            boxes[name] = int(x), int(y), int(across), int(down)
            lines += box(boxes[name], fill, lettering.split(" | "), "frame" if kind == "frame" else "")
        elif kind == "arrow":
            start, side, offset, end, other, second, *words = rest.split(" ", 6)
            labels = words[0].split(" | ") if words else []
            lines += arrow(point(boxes[start], side, int(offset)), point(boxes[end], other, int(second)), labels)
        elif kind and not kind.startswith("#"):
            raise SystemExit(f"picture.py: no such element: {kind}")
    head = (
        '<marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        '<path d="M0 0L8 4L0 8z" style="fill:#57606a;stroke:none;marker-end:none"/></marker>'
    )
    return svg(size, title, f"<style>{STYLE}</style><defs>{head}</defs>", 'rx="10" fill="#ffffff" style="stroke:none"', lines)


def main() -> int:
    status = 0
    for name in [word for word in sys.argv[1:] if word != "--check"]:
        picture, drawn = Path(name).with_suffix(".svg"), draw(Path(name).read_text(encoding="utf-8"))
        if "--check" not in sys.argv:
            picture.write_text(drawn, encoding="utf-8")
        elif not picture.exists() or picture.read_text(encoding="utf-8") != drawn:
            print(f"{picture} is out of date: scripts/picture.py {name}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
