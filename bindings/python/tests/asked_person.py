"""The person in front of a session, who answers as the steps of Tests/Golden/asked say."""

from __future__ import annotations

from collections.abc import Mapping

import mam
from asked_tables import HIDING

DOMAIN = "@contoso.example"
NEW_PIN = "250813"


def short(upn: str | None) -> str:
    """The name in the tables for a UPN."""
    return (upn or "").removesuffix(DOMAIN)


class Person:
    """Answers as a step of a table says, by account, and records the questions."""

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
        if question.kind == "identitySwitch":
            # "from" is the id of the account to hide.
            hidden = raw.get("from")
            ids = hidden if isinstance(hidden, list) else [hidden]
            who = "+".join(self._names.get(str(one), str(one)) for one in ids)
        window = (question.raw.get("window") or "default") if question.kind in HIDING else ""
        self.asked.append(" ".join(word for word in (self._words(question), who, window) if word))
        return self._answer(question, who)

    @staticmethod
    def _words(question: mam.Question) -> str:
        words = [question.kind]
        if isinstance(question, mam.AuthenticateQuestion):
            words.append("biometrics" if question.methods == ("biometrics",) else str(question.purpose))
        elif isinstance(question, mam.PINQuestion):
            words += [str(question.purpose), question.reason or ""]
        return " ".join(word for word in words if word)

    def _answer(self, question: mam.Question, who: str) -> mam.Answer:
        how = self.answers.get(who, self.answers.get("", "nothing"))
        if question.kind == "deviceHealth":
            return {"threatLevel": "low"}
        if question.kind in HIDING:
            return question.kind == "identitySwitch" and how == "switch"
        if how in ("nothing", "switch") or (how == "half" and who in self._once):
            return None
        is_first = who not in self._once
        self._once.add(who)
        if isinstance(question, mam.PINQuestion):
            if question.purpose == "new":
                self.pins[who] = NEW_PIN if self.pins.get(who) != NEW_PIN else "917350"
                return self.pins[who]
            return "0000" if how == "wrong" and is_first else self.pins[who]
        if isinstance(question, mam.AuthenticateQuestion):
            if question.purpose == "pinReset":
                return who + DOMAIN
            return "biometrics" if question.methods == ("biometrics",) else "credentials"
        return None
