"""The person in front of a session, who answers as the steps of Tests/Golden/asked say."""

from __future__ import annotations

from collections.abc import Mapping

import mam
from asked_tables import HIDING

DOMAIN = "@contoso.example"
NEW_PIN = "250813"


def short(upn: str | None) -> str:
    """The word of the tables for a UPN."""
    return (upn or "").removesuffix(DOMAIN)


class Person:
    """Answers as a step of a table says, by account, and notes what was asked."""

    def __init__(self, pins: Mapping[str, str]) -> None:
        self.pins = dict(pins)
        self.answers: dict[str, str] = {}
        self.asked: list[str] = []
        self._once: set[str] = set()
        self._names: dict[str, str] = {}

    def begin(self, answers: Mapping[str, str], names: Mapping[str, str]) -> None:
        self.answers, self.asked = dict(answers), []
        self._once, self._names = set(), dict(names)

    def __call__(self, question: mam.Question) -> mam.Answer:
        raw = question.raw
        who = short(question.upn) or self._names.get(question.account_id or "", "")
        if question.question == "identitySwitch":
            # "from" is the account that is to be hidden, by its id.
            hidden = raw.get("from")
            ids = hidden if isinstance(hidden, list) else [hidden]
            who = "+".join(self._names.get(str(one), str(one)) for one in ids)
        window = (question.window or "default") if question.question in HIDING else ""
        self.asked.append(" ".join(word for word in (self._words(question), who, window) if word))
        return self._answer(question, who)

    @staticmethod
    def _words(question: mam.Question) -> str:
        words = [question.question]
        if question.question == "authenticate":
            words.append("biometrics" if question.methods == ("biometrics",) else str(question.purpose))
        elif question.question == "pin":
            words += [str(question.purpose), question.raw.get("reason") or ""]
        return " ".join(word for word in words if word)

    def _answer(self, question: mam.Question, who: str) -> mam.Answer:
        how = self.answers.get(who, self.answers.get("", "nothing"))
        if question.question == "deviceHealth":
            return {"threatLevel": "low"}
        if question.question in HIDING:
            return question.question == "identitySwitch" and how == "switch"
        if how in ("nothing", "switch") or (how == "half" and who in self._once):
            return None
        is_first = who not in self._once
        self._once.add(who)
        if question.question == "pin":
            if question.purpose == "new":
                self.pins[who] = NEW_PIN if self.pins.get(who) != NEW_PIN else "917350"
                return self.pins[who]
            return "0000" if how == "wrong" and is_first else self.pins[who]
        if question.question == "authenticate":
            if question.purpose == "pinReset":
                return who + DOMAIN
            return "biometrics" if question.methods == ("biometrics",) else "credentials"
        return None
