#!/usr/bin/env python3
"""porting.py: checks of docs/from-intune.md. Prints what is missing.

porting.py theirs [FACTS]  the page has every name of the Intune App SDK that mam.h mirrors; with FACTS, a page on the SDK's
                           interface, also every name of its sections 1 and 3
porting.py ours            every function, Python name, command of mamctl and key of settings.md on the page exists
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "from-intune.md").read_text(encoding="utf-8")
HEADER = (ROOT / "include" / "mam.h").read_text(encoding="utf-8")
SPANS = re.findall(r"(?<!`)`([^`\n]+)`(?!`)", PAGE)
NAME = re.compile(r"(…?)\b(\w*(?:[a-z][A-Z]|[A-Z]{3}[a-z])\w*)")
#: Words that look like names of the SDK.
WORDS = {"iOS", "macOS", "notifications", "managedAppPolicy"}
EFFECTS = {
    "as in the Intune App SDK": "applies",
    "none: it belongs to Apple's systems": "notApplicable",
}


def sections(facts: str) -> Iterator[tuple[str, list[str]]]:
    """The rows of the tables in sections 1 and 3: the heading above each, and its cells."""
    heading = ""
    for line in facts.splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("|") and re.match(r"(1\.|3\.)", heading) and not re.fullmatch(r"[|\s:-]+", line):
            yield heading, [cell.strip() for cell in line.strip("|").split("|")]


def names_of(facts: str) -> set[tuple[str, str]]:
    """The names, each with "…" before it if only its end is given."""
    found: set[tuple[str, str]] = set()
    for heading, cells in sections(facts):
        first = cells[0]
        found |= set(NAME.findall(first))
        if not re.search(r"[^\w\s,/;]", first):  # names of one word, read, write
            found |= {("", word) for word in re.split(r"[,/;]\s*", first) if re.fullmatch(r"[a-z]{3,}", word)}
        if heading.startswith("1.12"):
            found |= {one for one in NAME.findall(cells[1]) if one[1][0].islower()}
        found |= {one for cell in cells for one in NAME.findall(cell) if re.search(r"Did(Change|Complete|\w+UI)$", one[1])}
    numbered = re.split(r"(?m)^## (\d+)\. ", facts)
    parts = dict(zip(numbered[1::2], numbered[2::2], strict=True))
    found |= {("", name) for number in ("1", "3") for name in re.findall(r"`(IntuneMAM\w+)`", parts[number])}
    return {one for one in found if one[1] not in WORDS}


def mirrored() -> set[tuple[str, str]]:
    """The names after "Mirrors:" in mam.h."""
    text = re.sub(r"\n \*\s+", " ", HEADER)
    clauses = re.findall(r"Mirrors: ((?:(?!Since:|\*/|\n).)*)", text)
    return {one for clause in clauses for one in NAME.findall(clause) if one[1] not in WORDS}


def theirs(facts: str | None) -> list[str]:
    known = {word for span in SPANS for word in re.findall(r"\w+", span)}
    wanted = mirrored()
    assert len(wanted) > 60, "mam.h is read wrongly"
    if facts is not None:
        listed = names_of(Path(facts).read_text(encoding="utf-8"))
        assert len(listed) > 150, f"{facts} is read wrongly: {len(listed)} names"
        wanted |= listed
    return [
        f"not on the page: {dots}{name}"
        for dots, name in sorted(wanted)
        if name not in known and not (dots and any(word.endswith(name) for word in known))
    ]


def commands() -> set[str]:
    """The commands of mamctl: "status", "settings set"."""
    dump = subprocess.check_output([os.environ.get("MAMCTL", "mamctl"), "--experimental-dump-help"], text=True)

    def walk(command: dict[str, Any], path: tuple[str, ...]) -> Iterator[str]:
        for sub in command.get("subcommands", []):
            here = (*path, sub["commandName"])
            yield " ".join(here)
            yield from walk(sub, here)

    return set(walk(json.loads(dump)["command"], ()))


def is_python(span: str) -> bool:
    import mam

    owner: object = mam
    names = span.split(".")
    if names[0] != "mam":
        owner = getattr(mam, names[0], None)
    return owner is not None and all((owner := getattr(owner, name, None)) is not None for name in names[1:])


def effects() -> tuple[dict[str, str], dict[str, str]]:
    """The effect of each key of IntuneMAMSettings, by settings.md and by the page."""
    rows = r"(?m)^\| (`[^|]+) \| [^|]+ \| [^|]+ \| (\w+) \|"
    settings = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    by_settings = {key: effect for keys, effect in re.findall(rows, settings) for key in re.findall(r"`([^`]+)`", keys)}
    groups = re.findall(r"(?m)^\| ([^`|]+) \| (`[^|]+) \|$", PAGE[PAGE.index("### Keys of Info.plist") :])
    return by_settings, {key: EFFECTS[group] for group, keys in groups for key in re.findall(r"`([^`]+)`", keys)}


def ours() -> list[str]:
    wrong = [
        f"not in mam.h: {name}"
        for name in sorted(set(re.findall(r"\b(?:mam_[a-z0-9_]+|MAM_[A-Z][A-Z0-9_]*)\b", PAGE)) - {"MAM_AUTHORITY", "MAM_STATE"})
        if not re.search(rf"\b{name}\b", HEADER)
    ]
    python = [span for span in SPANS if re.match(r"mam\.(?!h$)|Mam\.|Policy\.", span)]
    assert len(python) > 100, "the page is read wrongly"
    wrong += [f"not in Python: {span}" for span in python if not is_python(span)]
    known = commands()
    wrong += [f"no command: {span}" for span in SPANS if span.startswith("mamctl ") and span[7:] not in known]
    # The second columns have events, questions and keys, too.
    cells = re.findall(r"(?m)^\| [^|]+ \| ([^|]+) \|", PAGE)
    others = {name for cell in cells for name in re.findall(r"`([a-z]+[A-Z]\w*)`", cell)}
    wrong += [f"no event, question or key of mam.h: {name}" for name in sorted(others) if not re.search(rf"\b{name}\b", HEADER)]
    by_settings, here = effects()
    assert len(by_settings) > 30, "settings.md is read wrongly"
    different = {key for key in {*by_settings, *here} if by_settings.get(key) != here.get(key)}
    return wrong + [f"{key}: {by_settings.get(key)} in settings.md, {here.get(key)} on the page" for key in sorted(different)]


if __name__ == "__main__":
    faults = ours() if sys.argv[1] == "ours" else theirs(sys.argv[2] if len(sys.argv) > 2 else None)
    print("\n".join(faults), end="\n" if faults else "")
    sys.exit(1 if faults else 0)
