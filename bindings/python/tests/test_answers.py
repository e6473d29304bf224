"""Answers of a wrong type, unknown kinds, and the parts of a question."""

from __future__ import annotations

import logging
import re
import sys
from typing import Any

import header
import mam
import pytest
from conftest import ANN, POLICY, Office
from mam.question_types import json_answer, question_of

#: The answer that each kind's handlers are asked for.
RETURNS = {
    "wipeData": "True or False", "restartApplication": "True or False", "blockAccount": "True or False",
    "identitySwitch": "True or False", "isExternalURL": "True or False", "addAccount": "True or False",
    "signIn": "who has signed in: a UPN or account id", "accessToken": "the token as bytes, a bytearray or a str",
    "pin": 'the PIN as bytes, a bytearray or a str, or {"forgot": True}', "authenticate": "who has signed in",
    "proxyCredentials": "bytes, a bytearray or a str", "deviceHealth": "a mapping of what the host knows",
}  # fmt: skip


def asked(kind: str) -> mam.Question:
    """A question that libmam does not know: NotFoundError shows that an answer reached it."""
    return mam.Question(4711, kind)


@pytest.mark.parametrize("kind", RETURNS)
@pytest.mark.parametrize("wrong", [1397, 1.5, object(), [b"1397"], memoryview(b"1397")], ids=lambda one: type(one).__name__)
def test_wrong_answers_name_the_expected_one(m: mam.Mam, kind: str, wrong: Any) -> None:
    with pytest.raises(TypeError) as caught:
        m.answer(asked(kind), wrong)
    message = str(caught.value)
    assert message.startswith(f"{type(wrong).__name__} is no answer to {kind}: a handler returns {RETURNS[kind]}")
    assert "None for the default" in message
    assert "1397" not in message, "it may be a secret"


def test_the_kinds_are_those_of_mam_h() -> None:
    """The kinds with a line of their own under mam_set_delegate."""
    text = header.PATH.read_text(encoding="utf-8")
    table = text[text.index("question_json {") : text.index("The answer null takes the default")]
    assert set(re.findall(r"^ \*    (\w+) ", table, re.M)) == set(RETURNS)


@pytest.mark.parametrize("kind", sorted(RETURNS))
@pytest.mark.parametrize("wrong", [True, b"1397", "1397"], ids=["bool", "bytes", "str"])
def test_bools_and_texts_for_other_kinds(m: mam.Mam, kind: str, wrong: Any) -> None:
    """A kind that does not take them reports it; no other interprets them."""
    takes_text = kind in ("accessToken", "pin", "proxyCredentials")
    takes = {bool: json_answer(kind, True) is not None, bytes: takes_text, str: takes_text or json_answer(kind, "x") is not None}
    with pytest.raises(mam.NotFoundError if takes[type(wrong)] else TypeError):
        m.answer(asked(kind), wrong)


@pytest.mark.parametrize("how", ["handler", "delegate", "coroutine"])
def test_a_pin_handler_that_returns_a_number(
    office: Office, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """The error names the expected answer, and never shows the number, which is a PIN."""
    raised: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: raised.append(str(args.exc_value)))
    office.authority.import_policy({**POLICY, "id": office.policy.id})
    broken: Any = lambda question: 1397 if question.kind == "pin" else ANN  # noqa: E731
    with office.open() as m:
        assert m.register_and_enroll(ANN).wait(30)
        if how == "delegate":
            m.set_delegate(broken)
        else:
            m.set_handlers({mam.PIN: broken, mam.AUTHENTICATE: broken})
        assert m.pin_reset(ANN).wait(30).result == "signedIn"
    messages = raised if how == "delegate" else [one.getMessage() for one in caplog.records if one.levelno == logging.ERROR]
    assert messages and all('returns the PIN as bytes, a bytearray or a str, or {"forgot": True}' in one for one in messages)
    assert "1397" not in "".join(messages) + caplog.text


def test_a_question_is_answered_with_its_handlers_result(office: Office) -> None:
    """`Mam.answer` takes the answers of a handler: bytes for a secret, None for the default."""
    later: list[mam.Question] = []

    def keep(question: mam.Question) -> mam.Answer:
        later.append(question)
        return mam.LATER

    office.authority.import_policy({**POLICY, "id": office.policy.id})
    with office.open(delegate=keep) as m:
        assert m.register_and_enroll(ANN).wait(30)
        reset = m.pin_reset(ANN)
        for answer in (ANN, b"246", "2468"):
            with pytest.raises(mam.TimeoutError):
                reset.wait(0)
            m.answer(later[-1], answer)
        assert reset.wait(30).result == "changed"
        m.pin_verify(ANN, "2468")
        removed = m.wipe_account(ANN)
        with pytest.raises(mam.TimeoutError):
            removed.wait(0)
        m.answer(later[-1], None)
        assert removed.wait(30)
    new = [one for one in later if isinstance(one, mam.PINQuestion)]
    assert [(one.reason, one.lacks) for one in new] == [("reset", ()), ("reset", ("tooShort",))]
    assert {one.rule for one in new} == {mam.PINRule("numeric", 4, False, 0)}


def test_the_parts_of_a_question() -> None:
    """Every field that mam.h lists is an attribute; `raw` is for newer libmams."""
    pin = question_of({
        "id": 7, "question": "pin", "accountId": "a", "upn": ANN, "deadline": "2026-11-21T09:30:00.000Z", "purpose": "new",
        "reason": "tooWeak", "lacks": ["tooShort"], "attemptsLeft": None,
        "rule": {"kind": "passcode", "minimumLength": 8, "simpleBlocked": True, "previousBlocked": 3},
    })  # fmt: skip
    assert isinstance(pin, mam.PINQuestion)
    assert (pin.reason, pin.lacks, pin.rule) == ("tooWeak", ("tooShort",), mam.PINRule("passcode", 8, True, 3))
    hide = question_of({"id": 8, "question": "blockAccount", "reason": "clockedOut", "blockReason": 3, "window": "w"})
    assert isinstance(hide, mam.BlockAccountQuestion)
    assert (hide.reason, hide.window) == (mam.BlockReason.CLOCKED_OUT, "w")
    switch = question_of({"id": 9, "question": "identitySwitch", "accountId": "", "from": "a", "reason": "openURL"})
    assert isinstance(switch, mam.IdentitySwitchQuestion)
    assert (switch.account_id, switch.switch_from, switch.reason) == ("", "a", mam.SwitchReason.OPEN_URL)
    token = question_of({"id": 2, "question": "accessToken", "accepts": ["token", "signIn"], "issuer": "i", "scopes": ["a"]})
    assert isinstance(token, mam.TokenQuestion)
    assert (token.accepts, token.issuer, token.scopes) == (("token", "signIn"), "i", ("a",))
    page = question_of({
        "id": 3, "question": "signIn", "method": "device", "verificationUri": "https://i/d", "verificationUriComplete": None,
        "userCode": "AB-CD", "authorizationUri": None, "expires": "2026-11-21T09:30:00.000Z",
    })  # fmt: skip
    assert isinstance(page, mam.SignInQuestion)
    assert (page.method, page.verification_uri, page.user_code) == ("device", "https://i/d", "AB-CD")
    assert page.verification_uri_complete is page.authorization_uri is None
    assert page.expires is not None and page.expires.year == 2026
    assert json_answer("signIn", True) == {"shown": True} and json_answer("accessToken", {"signIn": True}) == {"signIn": True}
    newer = question_of({"id": 1, "question": "blockAccount", "blockReason": 77})
    assert isinstance(newer, mam.BlockAccountQuestion) and newer.reason == 77
    assert type(question_of({"id": 1, "question": "somethingNew"})) is mam.Question


MISSPELT = [
    ("wipedata", "wipeData"), ("wipeDate", "wipeData"), ("WipeData", "wipeData"), ("pinn", "pin"), ("signin", "signIn"),
    ("authentication", "authenticate"), ("isExternalUrl", "isExternalURL"), ("restart_application", "restartApplication"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "nearest"), MISSPELT)
def test_unknown_questions(office: Office, name: str, nearest: str) -> None:
    with office.open() as m:
        for call in (
            lambda: m.on_question(name),
            lambda: m.set_handlers({name: lambda question: True}),
            lambda: m.set_handlers({name: None}),
            lambda: office.open(app="com.example.other", on_question={name: lambda question: True}),
        ):
            with pytest.raises(mam.ArgumentError, match=f"did you mean '{nearest}'"):
                call()


@pytest.mark.parametrize("kind", mam.EventKind)
def test_unknown_events(m: mam.Mam, kind: mam.EventKind) -> None:
    for name in (kind.value + "s", kind.value[:-1], kind.value.upper(), kind.name.lower().replace("_", "-")):
        if name != kind.value:
            with pytest.raises(mam.ArgumentError, match=f"no event '{name}': did you mean '{kind.value}'"):
                m.on(mam.EventKind.WARNING, name)
    m.on(kind, kind.value)(print)


def test_unknown_names_without_a_near_one(m: mam.Mam) -> None:
    with pytest.raises(mam.ArgumentError, match=r"there are wipeData, .*mam.QuestionType"):
        m.on_question("xyzzy")
    with pytest.raises(mam.ArgumentError, match="there are enrollmentRequest, policyRequest"):
        m.on("xyzzy")
    wrong: Any
    for wrong in (5, None, print, b"pin", mam.EventKind.WARNING):
        with pytest.raises(TypeError, match="kind of question"):
            m.on_question(wrong)
        with pytest.raises(TypeError, match="kind of question"):
            m.set_handlers({wrong: print})
