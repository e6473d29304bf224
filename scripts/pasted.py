#!/usr/bin/env python3
"""pasted.py PAGE…: find what a block of shell commands may not contain, because readers paste it into interactive shells, of
which zsh is the strictest. There `#` begins no comment, a pattern without a match is an error, `=word` is the path of a
command, `!` recalls a line, and $name is neither split nor ended by [ or :. Prints each fault with file and line.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field

FENCE = re.compile(r"^ *```(\S*)$")
HERE_DOCUMENT = re.compile(r"<<(-?)\s*(['\"]?)(\w+)\2")
SPECIAL = set("status path argv cdpath fpath manpath mailpath options pipestatus prompt words signals functions aliases".split())


@dataclass
class Scanner:
    """One block, read character by character; `nest` lists the open constructs: a double quote, or a $( with the number of
    open ( in it."""

    text: str
    line: int
    at: int = 0
    word: str = ""
    nest: list[str] = field(default_factory=list)

    @property
    def is_quoted(self) -> bool:
        return bool(self.nest) and self.nest[-1] == '"'

    def complaints(self) -> Iterator[tuple[int, str]]:
        while self.at < len(self.text):
            char, rest = self.text[self.at], self.text[self.at :]
            if char == "\\":
                self.word += "."
                self.at += 2
                self.line += rest[1:2] == "\n"
                continue
            if found := self.wrong(char, rest):
                yield self.line, found
            if char == "'" and not self.is_quoted:
                end = self.text.find("'", self.at + 1)
                end = len(self.text) if end < 0 else end
                self.line += self.text.count("\n", self.at, end)
                self.at, self.word = end + 1, self.word + "."
            elif char == '"':
                self.nest.pop() if self.is_quoted else self.nest.append(char)
                self.at, self.word = self.at + 1, self.word + "."
            elif rest.startswith("$("):
                self.nest.append("(")
                self.at, self.word = self.at + 2, ""
            elif rest.startswith("#") and not self.word and not self.is_quoted:
                self.at += len(rest.partition("\n")[0])
            elif not self.is_quoted and (here := HERE_DOCUMENT.match(rest)):
                yield from self.skip(here)
            else:
                if char == ")" and self.nest and not self.is_quoted:
                    self.nest.pop()
                self.word = "" if not self.is_quoted and char in " \t\n;&|()<>" else self.word + char
                self.line += char == "\n"
                self.at += 1

    def skip(self, here: re.Match[str]) -> Iterator[tuple[int, str]]:
        """Read the rest of the line, and skip the lines of the here-document."""
        begin = self.at + here.end()
        rest, newline, body = self.text[begin:].partition("\n")
        indent = r"\t*" if here[1] else ""
        end = re.search(rf"(?m)^{indent}{here[3]}$\n?", body)
        yield from Scanner(rest, self.line).complaints()
        length = end.end() if end else len(body)
        self.line += 1 + body.count("\n", 0, length)
        self.at, self.word = begin + len(rest + newline) + length, ""

    def wrong(self, char: str, rest: str) -> str | None:
        whole = self.word + re.match(r"[^\s;&|()<>'\"]*", rest)[0]  # type: ignore[index]
        if char == "$" and (name := re.match(r"\$(\w+)(\[|:[aAcehlpPqQrstuwWx&])?", rest)):
            if name[2]:
                return f"zsh takes {name[0]}… for more than the variable: write ${{{name[1]}}}"
            if not self.is_quoted and not self.word.endswith("="):
                return f'${name[1]} is split by sh and not by zsh: write "${name[1]}"'
        if char == "!" and re.match(r"![^\s=(]", rest):
            return "! recalls a line of the shell's history: put it into single quotes"
        if self.is_quoted:
            return None
        if char == "#" and not self.word:
            return "zsh has no comments on its command line: say it on the page, outside of the block"
        if char == "=" and not self.word and re.match(r"=\w", rest):
            return f"{whole} is the path of a command to zsh: put it into quotes"
        assigned = re.fullmatch(r"(\w+)=.*", whole) if not self.word else None
        if assigned and assigned[1] in SPECIAL:
            return f"{assigned[1]} is a variable of zsh's own: use another name"
        if (char == "?" and not self.word.endswith("$")) or (char == "[" and whole not in ("[", "[[")):
            return f"{whole} is a pattern, and an error in zsh where it matches nothing: put it into quotes"
        if rest.startswith("*)") and not self.word and not self.nest:
            return None  # of a case
        if char == "*" and ("/" not in whole or whole.startswith("-") or "=" in whole):
            return f"{whole} is a pattern, and an error in zsh where it matches nothing: put it into quotes"
        return None


def blocks(path: str) -> Iterator[tuple[int, str, str]]:
    """The line, language and text of each block of a page."""
    language: str | None = None
    begin, text = 0, ""
    with open(path, encoding="utf-8") as page:
        for number, line in enumerate(page, 1):
            fence = FENCE.match(line.rstrip("\n"))
            if language is None and fence:
                language, begin, text = fence[1], number + 1, ""
            elif fence and not fence[1]:
                yield begin, language or "", text
                language = None
            else:
                text += line


def main() -> int:
    status = 0
    for path in sys.argv[1:]:
        for begin, language, text in blocks(path):
            found = Scanner(text, begin).complaints() if language == "sh" else iter(())
            if language in ("bash", "zsh", "shell", "console"):
                found = iter([(begin, f"a block of {language}: commands for every shell are sh")])
            for line, wrong in found:
                print(f"{path}:{line}: {wrong}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
