#!/usr/bin/env python3
"""check-words.py: names that docs/replaced-names.md lists, comments that open with a question word; prints file, line, name."""

import os
import re
import subprocess
import sys

FOLDERS = [
    "Sources",
    "Tests",
    "bindings",
    "scripts",
    "Benchmarks",
    "examples",
    "fuzz",
    "include",
    "docs",
    "Package.swift",
    "Makefile",
]
# The page with the list, what is generated, and what other people wrote.
OMITTED = re.compile(r"^(docs/replaced-names\.md|docs/decisions/|scripts/check-words\.py|CHANGELOG|abi/|Tests/Golden/|vectors/)")
COMMENT = re.compile(r"^\s*(///|//|/\*\*?|#(?!!)|--)\s*(\w+)")
OPENERS = {"Who", "Whose", "Whom", "What"}
TEXT = re.compile(r"\.(swift|[ch]|py|sh|bash|bats|md|json|txt|supp|map|[1-9])$|/Makefile$|^Makefile$|^\.ci/run$")


def replaced() -> re.Pattern[str]:
    """The words in the first column of the table."""
    with open("docs/replaced-names.md", encoding="utf-8") as page:
        table = page.read()
    names = [name for cell in re.findall(r"(?m)^\| ([^|]+) \|", table) for name in re.findall(r"`([^`]+)`", cell)]
    return re.compile(r"(?<![\w$])(" + "|".join(map(re.escape, names)) + r")(?!\w)") if names else re.compile(r"(?!)")


def main() -> int:
    old = replaced()
    failed = False
    for path in subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", *FOLDERS], text=True).splitlines():
        if OMITTED.match(path) or not TEXT.search(path) or not os.path.exists(path):
            continue
        # The header's own words change with the pages for users.
        has_comments = not path.endswith(".md") and path != "include/mam.h"
        with open(path, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                for name in old.findall(line):
                    print(f"{path}:{number}: {name} was replaced: docs/replaced-names.md")
                    failed = True
                if has_comments and (found := COMMENT.match(line)) and found[2] in OPENERS:
                    print(f"{path}:{number}: a comment opens with {found[2]}: begin with a subject")
                    failed = True
    return 1 if failed else 0


sys.exit(main())
