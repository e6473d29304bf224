#!/usr/bin/env python3
"""check-words.py: names that docs/replaced-names.md lists; sentences of comments and pages that open with a question word;
titles of tests and help texts that use the replaced dialect.

Prints file, line and word. A heading may be a question, and of the changelog only the newest section counts.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator

FOLDERS = [
    "Sources",
    "Tests",
    "bindings",
    "scripts",
    "Benchmarks",
    "examples",
    "fuzz",
    "Service",
    "include",
    "docs",
    "messages",
    "Package.swift",
    "Makefile",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
]
# The page with the list, what is generated, and what other people wrote.
OMITTED = re.compile(r"^(docs/replaced-names\.md|scripts/check-words\.py|abi/|Tests/Golden/|vectors/)")
# Decisions name what they replaced.
OLD_NAMES = re.compile(r"^docs/decisions/")
# The first words of a comment, of its further lines and of a docstring; a MARK or a line of dashes is a heading.
COMMENT = re.compile(r'^\s*(?:///|//|/\*\*?|\*(?= )|#(?!!)|--|"""(?=\w))\s*(?:MARK: |-{2,}\s*)?(.*)')
OPENERS = {"Who", "Whose", "Whom", "What"}
# Titles of tests and one-line help texts: sentences with a subject.
TITLE = re.compile(r'^@test "([^"]*)"|@(?:Test|Suite)\("([^"]*)"|\bhelp: "([^"]*)"|ArgumentHelp\("([^"]*)"')
# Paragraphs of help texts, between triple quotes, and the man page.
HELP = re.compile(r"^(?:Sources/mamctl/.*\.swift|docs/man/.*)$")
DIALECT_IN_HELP = re.compile(r"\b(?:[Tt]ells?|told|anew)\b")
DIALECT = re.compile(r"(?i)^(?:who|whose|whom|what)\b|\b(?:tells|told|anew|whom)\b")
# Texts for users: every sentence of a line, behind the marks of a list, table, comment, message or emphasis.
PAGE = re.compile(r"\.(md|pot?|[1-9])$|^include/")
SENTENCE = re.compile(r"(?:^[\s*/|>+-]*(?:\d+\. )?(?:msg\w+ )?|[.!?:|][)*_”\"]*\s+)[*_“\"(]*(" + "|".join(sorted(OPENERS)) + r")\b")
SDK = re.compile(r"\b[Tt]he original(?:'s| SDK|[.,;:)])|\b(?:of|in|as) the original\b")
TEXT = re.compile(r"\.(swift|[ch]|hpp|py|sh|bash|bats|md|json|txt|pot?|supp|map|[1-9])$|/Makefile$|^Makefile$|^\.ci/run$")


def replaced() -> re.Pattern[str]:
    """The words in the first column of the table."""
    with open("docs/replaced-names.md", encoding="utf-8") as page:
        table = page.read()
    names = [name for cell in re.findall(r"(?m)^\| ([^|]+) \|", table) for name in re.findall(r"`([^`]+)`", cell)]
    return re.compile(r"(?<![\w$])(" + "|".join(map(re.escape, names)) + r")(?!\w)") if names else re.compile(r"(?!)")


def lines(path: str) -> Iterator[tuple[int, str, bool]]:
    """The lines of a file with their numbers, and whether each is text of a page: no heading, no block of code."""
    is_page, is_code, sections = bool(PAGE.search(path)), False, 0
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if path.endswith(".md"):
                is_code ^= line.lstrip().startswith("```")
                sections += path == "CHANGELOG.md" and line.startswith("## ")
                if sections > 1:
                    return
            is_heading = path.endswith(".md") and line.startswith("#")
            yield number, line, is_page and not is_code and not is_heading


def main() -> int:
    old = replaced()
    failed = False
    for path in subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", *FOLDERS], text=True).splitlines():
        if OMITTED.match(path) or not TEXT.search(path) or not os.path.exists(path):
            continue
        is_help = path.startswith("docs/man/")
        for number, line, is_sentences in lines(path):
            is_help ^= path.endswith(".swift") and line.count('"""') == 1
            if is_help and HELP.match(path) and (found := DIALECT_IN_HELP.search(line)):
                print(f"{path}:{number}: a help text says {found[0]}: write shows, reports, again")
                failed = True
            for name in [] if OLD_NAMES.match(path) else old.findall(line):
                print(f"{path}:{number}: {name} was replaced: docs/replaced-names.md")
                failed = True
            if is_sentences:
                openers = SENTENCE.findall(line)
            else:
                found = None if PAGE.search(path) else COMMENT.match(line)
                openers = SENTENCE.findall(found[1]) if found else []
            if (found := TITLE.search(line)) and (found := DIALECT.search("".join(filter(None, found.groups())))):
                print(f"{path}:{number}: a title or help text says {found[0]}: write a sentence with a subject")
                failed = True
            if is_sentences and (found := SDK.search(line)):
                print(f"{path}:{number}: {found[0]}: name the Intune App SDK")
                failed = True
            for word in openers:
                print(f"{path}:{number}: a sentence opens with {word}: begin with a subject")
                failed = True
    return 1 if failed else 0


sys.exit(main())
