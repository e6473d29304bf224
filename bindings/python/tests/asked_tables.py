"""The tables of Tests/Golden/asked, and their combination for several accounts."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parents[3] / "Tests" / "Golden" / "asked"
#: Most severe first, in docs/launch.md's order of outcomes.
OUTCOMES = {"wipe": "wiped", "block": "blocked", "prompt": "blocked", "warn": "warned"}


def rows(name: str) -> Iterator[list[str]]:
    """The cells of each line, without a trailing "decided"."""
    for line in (FOLDER / name).read_text().splitlines():
        if line.strip() and not line.startswith("#") and not line.startswith("STORY"):
            yield [cell.strip().removesuffix("decided").strip() for cell in line.split("|")]


def listed(cell: str) -> list[str]:
    return [] if cell in ("", "-") else [one.strip() for one in cell.split(",")]


#: state: the answers for an account in it.
STATES: dict[str, dict[str, str]] = {
    state: dict(zip(("listed", "predicates", "unprotect", "file", "protect"), answers, strict=True))
    for state, *answers in rows("states.txt")
}


#: Questions about hiding an account, which come in any order.
HIDING = ("blockAccount", "identitySwitch")


def in_order(asked: Sequence[str]) -> list[str]:
    """Questions account by account, each account's in their order as long as they are adjacent; then those about hiding."""
    together: dict[str, list[list[str]]] = {}
    for who, run in itertools.groupby((one for one in asked if one.split()[0] not in HIDING), key=lambda one: one.split()[-1]):
        together.setdefault(who, []).append(list(run))
    people = [" then ".join(run) for who in sorted(together) for run in together[who]]
    return people + sorted(one for one in asked if one.split()[0] in HIDING)


def is_in_state(found: Mapping[str, str], state: str) -> bool:
    """Whether a session answers for an account as in a state; with a trailing "?" also as for an open one."""
    allowed = [STATES[state.removesuffix("?")], *([STATES["open"]] if state.endswith("?") else [])]
    return any(all(want in (found[key], "?") or found[key] == "?" for key, want in one.items()) for one in allowed)


@dataclass(frozen=True)
class Use:
    """A row of in-use.txt: accounts are numbers, from 1."""

    app: str
    enrolled: int
    process: str
    windows: tuple[tuple[str, str], ...]
    in_use: tuple[int, ...]

    def __str__(self) -> str:
        windows = ", ".join(" ".join(one) for one in self.windows)
        return f"{self.app} {self.enrolled}, process {self.process}, {windows or '-'}"


USES = [
    Use(app, int(enrolled), process, tuple((one.split()[0], one.split()[1]) for one in listed(windows)),
        tuple(int(one) for one in used.split() if one != "-"))
    for app, enrolled, process, windows, used in rows("in-use.txt")
]  # fmt: skip


@dataclass(frozen=True)
class Standing:
    """A row of standings.txt."""

    stands: str
    in_use: bool
    person: str
    asked: tuple[str, ...]
    reported: tuple[str, ...]
    state: str
    switch: str

    def __str__(self) -> str:
        return f"{self.stands}, {'in use' if self.in_use else 'not in use'}, {self.person}"


STANDINGS = [
    Standing(stands, used == "yes", person, tuple(listed(asked)), tuple(listed(reported)), state, switch)
    for stands, used, person, asked, reported, state, switch in rows("standings.txt")
]


def standing(stands: str, in_use: bool, person: str) -> Standing:
    (found,) = [one for one in STANDINGS if (one.stands, one.in_use) == (stands, in_use) and one.person in (person, "*")]
    return found


def report(findings: Sequence[str]) -> str:
    """The outcome of a launch with these findings, in the words of a story."""
    actions = {one.split()[0] for one in findings}
    ended = next((end for action, end in OUTCOMES.items() if action in actions), "allowed")
    return ended + (": " + ", ".join(sorted(findings)) if findings else "")


@dataclass(frozen=True)
class Step:
    line: int
    who: str
    words: list[str]
    answers: Mapping[str, str]
    asked: list[str]
    ended: str
    closed: list[dict[str, str] | None]


@dataclass
class Story:
    file: str
    line: int
    app: str
    accounts: list[str]
    title: str
    steps: list[Step] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def _answers(text: str) -> dict[str, str]:
    """The answers "(right)" for every account, "(late1 right)" for one account."""
    return {one.split()[0] if " " in one.strip() else "": one.split()[-1] for one in text.split(",") if one.strip()}


def _closed(cell: str) -> dict[str, str] | None:
    return None if not cell else {one.split()[0]: one.split()[1] for one in listed(cell)}


def stories(name: str) -> Iterator[Story]:
    story: Story | None = None
    for number, line in enumerate((FOLDER / name).read_text().splitlines(), 1):
        if line.startswith("STORY "):
            if story:
                yield story
            app, _, rest = line.removeprefix("STORY ").partition(":")
            accounts, _, title = rest.strip().partition("  ")
            story = Story(name, number, app, accounts.split(), title.strip())
        elif story and line.strip() and not line.startswith("#"):
            cells = [*(cell.strip() for cell in line.split("|")), "", "", "", ""]
            words, _, answers = cells[0].partition("(")
            said = words.split() if '""' in words else shlex.split(words)
            closed = [_closed(cells[3]), _closed(cells[4])]
            story.steps.append(Step(number, said[0], said[1:], _answers(answers.rstrip(")")), listed(cells[1]), cells[2], closed))
    if story:
        yield story


STORIES = [story for name in ("looks.txt", "pin.txt", "closed.txt") for story in stories(name)]
