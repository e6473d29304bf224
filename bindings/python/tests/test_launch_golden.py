"""Launch, resume, switch and check-in against Tests/Golden/asked: each row of the tables alone, and their product over apps,
accounts, identities and a person's answers. MAM_GOLDEN=all runs the whole product, which takes minutes."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence

import pytest
from asked_host import Host
from asked_office import LATE, AskedOffice, kind
from asked_tables import HIDING, STANDINGS, USES, Standing, Use, in_order, is_in_state, report, standing

#: The enrolled accounts, by their number. The first one is number 1 of in-use.txt.
ENROLLED: dict[int, list[tuple[str, ...]]] = {
    0: [()],
    1: [("free",), ("shown",), ("late",), ("always",), ("never",), ("old",)],
    2: [("shown", "late"), ("late", "never"), ("free", "late1"), ("late1", "late2"), ("old", "late"), ("always", "never")],
    3: [("shown", "late", "never"), ("late1", "free", "late2"), ("always", "old", "shown"), ("late", "late1", "never")],
}
Walked = tuple[Use, tuple[str, ...], str]


def walks(use: Use) -> list[Walked]:
    """All walks of a row of in-use.txt. A PIN stays once it is set, so no walk sets one."""
    answers = [(names, person) for names in ENROLLED[use.enrolled] for person in ("nothing", "none", "right")]
    return [(use, names, person) for names, person in answers if not (person == "right" and "never" in names)]


def chosen() -> list[Walked]:
    """Some walks of each row, different ones in each."""
    if os.environ.get("MAM_GOLDEN") == "all":
        return [one for use in USES for one in walks(use)]
    picked = []
    for number, use in enumerate(USES):
        rows = walks(use)
        places = {(7 * number + place * len(rows) // 2) % len(rows) for place in range(2)}
        picked += [rows[place] for place in sorted(places)]
    return picked


CHOSEN = chosen()


def test_every_row_set_and_answer_is_chosen() -> None:
    assert {use for use, _, _ in CHOSEN} == set(USES)
    assert {names for _, names, _ in CHOSEN} == {names for sets in ENROLLED.values() for names in sets}
    assert len({person for _, _, person in CHOSEN}) == 3


#: The answers of persons, by account; "" for all others.
Persons = Mapping[str, str]


class Expected:
    """The tables' prediction for one session of an app, step by step."""

    def __init__(self, app: str, names: Sequence[str]) -> None:
        self.app, self.names = app, names
        self.process = "-"
        self.windows: dict[str, list[str]] = {}
        self.states = dict.fromkeys(names, "open")

    def in_use(self) -> list[str]:
        """Rule 2: the process identity and the accounts of any window."""
        if self.process == "-" and (self.app == "single" or (self.app == "several" and not self.windows)):
            return list(self.names)
        used = {self.process, *itertools.chain.from_iterable(self.windows.values())}
        return [name for name in self.names if name in used]

    def _judge(self, used: Mapping[str, bool], persons: Persons) -> tuple[list[str], list[str]]:
        asked, found = [], []
        for name, is_used in used.items():
            row = standing(kind(name), is_used, persons.get(name, persons[""]))
            asked += [f"{one} {name}" for one in row.asked]
            found += [f"{one} {name}" for one in row.reported]
            before = self.states[name]
            self.states[name] = before if row.state == "as before" else row.state
            if before == "open" != self.states[name] and "none" not in persons.values():
                windows = [window for window, shown in self.windows.items() if name in shown]
                asked += [f"{question} {name} {window}" for window in windows for question in HIDING]
        return asked, found

    def look(self, persons: Persons) -> tuple[list[str], str]:
        used = self.in_use()
        asked, found = self._judge({name: name in used for name in self.names}, persons)
        return asked, report(found)

    def show(self, window: str, accounts: Sequence[str], persons: Persons) -> tuple[list[str], str]:
        judged = [name for name in accounts if name in self.states]
        asked, _ = self._judge(dict.fromkeys(judged, True), persons)
        ends = [standing(kind(name), True, persons.get(name, persons[""])).switch for name in judged]
        end = next((one for one in ("failed", "canceled") if one in ends), "success")
        if end == "success":
            self.windows[window] = list(accounts)
        return asked, end


class Walk:
    """A session that performs steps, and the expectation beside it."""

    def __init__(self, office: AskedOffice, app: str, host: Host, expected: Expected) -> None:
        self.office, self.app, self.host, self.expected = office, app, host, expected
        self.different: list[str] = []

    def _late(self) -> None:
        for name in self.expected.names:
            if kind(name) in LATE:
                self.host.wait_for(name, LATE[kind(name)])

    def _compare(self, step: str, found: tuple[list[str], str], expected: tuple[list[str], str]) -> None:
        if in_order(found[0]) != in_order(expected[0]):
            self.different.append(f"{step}: asks {found[0]}, not {expected[0]}")
        if found[1] != expected[1]:
            self.different.append(f"{step}: ends {found[1]!r}, not {expected[1]!r}")
        self.states(step)

    def states(self, step: str) -> None:
        for name, state in self.expected.states.items():
            said = self.host.answers_for(name, self.office.sealed(self.app, name))
            if not is_in_state(said, state):
                self.different.append(f"{step}: {name} should be {state}, and is {said}")

    def look(self, step: str, person: str) -> None:
        self._late()
        persons = {"": person}
        self._compare(f"{step} ({person})", self.host.step([step], persons), self.expected.look(persons))

    def show(self, window: str, accounts: Sequence[str], persons: Persons) -> None:
        self._late()
        words = ["show", window, "+".join(accounts)]
        expected = self.expected.show(window, accounts, persons)
        self._compare(" ".join(words), self.host.step(words, persons), expected)

    def process(self, account: str) -> None:
        self.host.step(["process", account], {})
        self.expected.process = account

    def check_in(self) -> None:
        self._compare("check in", self.host.step(["check", "in"], {}), ([], ""))


def named(use: Use, names: Sequence[str]) -> tuple[str, list[tuple[str, list[str]]]]:
    """The process identity and the windows of a row, with account names for numbers."""

    def name(number: str) -> str:
        return names[int(number) - 1] if number.isdigit() else number

    return name(use.process), [(window, [name(one) for one in shown.split("+")]) for window, shown in use.windows]


def word(one: object) -> str:
    return "+".join(one) or "nobody" if isinstance(one, tuple) else str(one)


@pytest.mark.parametrize(("use", "names", "person"), CHOSEN, ids=word)
def test_the_product(asked: AskedOffice, use: Use, names: tuple[str, ...], person: str) -> None:
    app = f"{use.app}.{'-'.join(names) or 'nobody'}"
    process, windows = named(use, names)
    with asked.session(app, use.app, names) as one, asked.session(app, use.app, names) as other:
        first = Walk(asked, app, one, Expected(use.app, names))
        second = Walk(asked, app, other, Expected(use.app, names))
        first.look("launch", person)
        first.process(process)
        for window, accounts in windows:
            # A PIN stays once it is set.
            first.show(window, accounts, {"": "right", **{name: "nothing" for name in names if kind(name) == "never"}})
        if len(first.expected.windows) == len(windows):
            assert first.expected.in_use() == [names[number - 1] for number in use.in_use]
        first.look("resume", person)
        first.look("launch", person)
        first.check_in()
        second.look("launch", "none")
        first.states("after the other session's launch")
    assert not first.different + second.different, "\n".join([str(use), *first.different, *second.different])


def _once(row: Standing) -> bool:
    """The row chooses a PIN: then it is for one step alone."""
    return any("new" in one for one in row.asked) and row.person in ("right", "half")


ROWS = [
    (row, step)
    for row in STANDINGS
    for step in ("launch", "resume", "switch")
    if (step != "switch" or row.in_use) and not (_once(row) and step != "switch" and row.stands == "weak")
]


@pytest.mark.parametrize(("row", "step"), ROWS, ids=str)
def test_a_row_of_standings(asked: AskedOffice, row: Standing, step: str) -> None:
    """One account in this condition, beside another one that is asked nothing."""
    number = str(8000 + ROWS.index((row, step)))
    name = row.stands + (number if _once(row) else "")
    # A warning is reported once per app.
    app = f"row.{name}.{number if any('warn' in one for one in row.reported) else 'all'}"
    person = "nothing" if row.person == "*" else row.person
    with asked.session(app, "multi", (name, "free1")) as host:
        host.wait_for(name, LATE.get(kind(name), ()))
        if step == "switch":
            questions, ended = host.step(["show", "reader", name], {"": person})
            end = row.switch
        else:
            host.step(["process", name if row.in_use else "-"], {})
            questions, ended = host.step([step], {"": person})
            end = report([f"{one} {name}" for one in row.reported])
        said = {one: host.answers_for(one, asked.sealed(app, one)) for one in (name, "free1")}
    assert (questions, ended) == ([f"{one} {name}" for one in row.asked], end)
    assert is_in_state(said[name], "open" if row.state == "as before" else row.state), said[name]
    assert is_in_state(said["free1"], "open"), said["free1"]
