"""The stories of Tests/Golden/asked: after each step, the questions, how the step ended, and both sessions' answers for every
account. Session 2 is in another process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from asked_host import Host
from asked_office import LATE, POLICIES, SETTINGS, AskedOffice, Elsewhere, kind
from asked_person import DOMAIN
from asked_tables import STORIES, Step, Story, in_order, is_in_state


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Elsewhere]:
    other = Elsewhere()
    yield other
    other.end()


def value(text: str) -> Any:
    return {"true": True, "false": False}.get(text, text)


class StoryRun:
    """A story in progress."""

    def __init__(self, office: AskedOffice, elsewhere: Elsewhere, story: Story) -> None:
        self.office, self.story, self.elsewhere = office, story, elsewhere
        self.app = f"story.{story.file.removesuffix('.txt')}.{story.line}"
        self.late = {name for name in story.accounts if kind(name) in LATE}
        self.names = [name for name in story.accounts if kind(name) != "new"]
        self.first: Host = office.app(self.app, story.app, story.accounts)
        self.two = any(step.who == "2" or step.closed[1] is not None for step in story.steps)
        if self.two:
            host = self.app, SETTINGS[story.app], office.pins
            elsewhere.call("host", office.authority.path, office.state, f"com.example.{host[0]}", *host[1:])
            elsewhere.call("hold", self.names)

    def close(self) -> None:
        self.first.close()
        if self.two:
            self.elsewhere.call("close")

    def call(self, session: str, name: str, *arguments: Any) -> Any:
        return getattr(self.first, name)(*arguments) if session == "1" else self.elsewhere.call(name, *arguments)

    def admin(self, words: list[str]) -> None:
        authority = self.office.authority
        what, *rest = words
        if what == "policy":
            changes = {one.partition("=")[0]: value(one.partition("=")[2]) for one in rest[1:]}
            self.office.set_policy(rest[0], {**POLICIES[kind(rest[0])], **changes})
            if "periodOnlineBeforeAccessCheck" in changes:
                self.late.discard(rest[0])
        elif what in ("disable", "enable"):
            authority.set_user(rest[0] + DOMAIN, enabled=what == "enable")
        elif what == "wipe":
            authority.request_wipe(rest[0] + DOMAIN)
        elif what == "offline":
            authority.set_fault("network", operation=rest[0] if rest else None)
        else:
            authority.clear_faults()

    def do(self, step: Step) -> tuple[list[str], str]:
        if step.who == "admin":
            self.admin(step.words)
            return [], ""
        if step.who == "time":
            self.call("1", "wait_for", step.words[2], {"offline"})
            return [], ""
        if step.words[0] == "enroll":
            self.office.user(step.words[1])
        if step.words[0] in ("launch", "resume", "show"):
            for name in sorted(self.late):
                self.call(step.who, "wait_for", name, LATE[kind(name)])
        asked, ended = self.call(step.who, "step", step.words, step.answers)
        if step.words[0] == "enroll":
            self.names.append(step.words[1])
            if self.two:
                self.elsewhere.call("hold", self.names)
        return asked, ended

    def wrong(self, session: int, expected: Mapping[str, str]) -> Iterator[str]:
        """The answers of a session that differ from the expected ones."""
        for name in self.names:
            state = expected.get(name, "open")
            found = self.call(str(session + 1), "answers_for", name, self.office.sealed(self.app, name))
            if not is_in_state(found, state):
                odd = ", ".join(f"{key} {one}" for key, one in found.items())
                yield f"session {session + 1}: {name} should be {state}, and is: {odd}"

    def differences(self) -> Iterator[str]:
        for step in self.story.steps:
            where = f"{self.story.file}:{step.line} {step.who} {' '.join(step.words)}"
            asked, ended = self.do(step)
            if in_order(asked) != in_order(step.asked):
                yield f"{where}: asks {asked}, not {step.asked}"
            if ended != step.ended:
                yield f"{where}: ends {ended!r}, not {step.ended!r}"
            for session, expected in enumerate(step.closed):
                if expected is not None:
                    self.late -= {name for name, state in expected.items() if state == "wiped"}
                    yield from (f"{where}: {one}" for one in self.wrong(session, expected))


def test_events_report_accounts_that_close_and_open(asked: AskedOffice) -> None:
    with asked.session("story.events", "multi", ("late8", "free")) as host:
        host.wait_for("late8", {"pin"})
        host.step(["show", "reader", "late8"], {"": "nothing"})
        assert host.blocked_events() == ["late8 conditionalLaunchCanceled"]
        host.step(["verify", "late8", "wrong"], {})
        assert host.blocked_events() == []
        host.step(["verify", "late8", "right"], {})
        assert host.blocked_events() == ["late8 notBlocked"]


@pytest.mark.parametrize("story", STORIES, ids=str)
def test_a_story(asked: AskedOffice, elsewhere: Elsewhere, story: Story) -> None:
    run = StoryRun(asked, elsewhere, story)
    try:
        different = list(run.differences())
    finally:
        asked.authority.clear_faults()
        run.close()
    assert not different, "\n".join([story.title, *different])
