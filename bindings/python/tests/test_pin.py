"""PINs: set, entered, changed, reset, and the Python form of each failure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mam
import pytest
from conftest import ANN, BEN, POLICY, Office
from mam import LATER, Answer, Question


def demand(office: Office, **members: Any) -> None:
    """The office's policy, with more PIN settings."""
    document = {**POLICY, "id": office.policy.id, "maximumPinRetries": 3, **members}
    office.authority.import_policy(document)


@pytest.fixture
def session(office: Office, enrolled: mam.Mam) -> mam.Mam:
    """Ann has the PIN 1397, and three attempts."""
    demand(office)
    assert enrolled.check_in(ANN).wait(30)
    enrolled.pin_set(ANN, "1397")
    return enrolled


def test_status(office: Office, enrolled: mam.Mam) -> None:
    demand(office, periodBeforePinReset="P90D", pinCharacterSet="alphanumericAndSymbol")
    assert enrolled.check_in(ANN).wait(30)
    status = enrolled.pin_status(ANN)
    assert (status.state, status.attempts, status.attempts_left, status.at_limit) == ("notSet", 3, None, "reset")
    assert status.rule == mam.PINRule("passcode", 4, False, 0)
    enrolled.pin_set(ANN, b"ab12")
    status = enrolled.pin_status(ANN)
    assert (status.state, status.attempts_left, status.may_reset) == ("set", 3, False)
    assert status.expires is not None and status.expires.tzinfo is not None


def array(text: str) -> bytearray:
    return bytearray(text.encode())


def view(text: str) -> memoryview:
    return memoryview(text.encode())


@pytest.mark.parametrize("give", [str, str.encode, array, view])
def test_text_and_bytes(session: mam.Mam, give: Callable[[str], Any]) -> None:
    session.pin_verify(ANN, give("1397"))
    session.pin_set(ANN, give("2468"), old=give("1397"))
    session.pin_verify(ANN, give("2468"))


def test_wrong_pins_report_the_attempts_left(session: mam.Mam) -> None:
    with pytest.raises(mam.DeniedError) as caught:
        session.pin_verify(ANN, "0000")
    assert (caught.value.detail["reason"], caught.value.detail["attemptsLeft"]) == ("wrong", 2)
    with pytest.raises(mam.DeniedError) as caught:
        session.pin_set(ANN, "139", old="1397")
    assert caught.value.detail["lacks"] == ["tooShort"]
    for _ in range(2):
        with pytest.raises(mam.DeniedError):
            session.pin_verify(ANN, "0000")
    with pytest.raises(mam.LockedError) as locked:
        session.pin_verify(ANN, "1397")
    assert locked.value.detail["reason"] == "exhausted"
    assert session.pin_status(ANN).state == "exhausted"


@pytest.mark.parametrize("bad", ["", "13\x007", "13\n7", b"\xff\xfe", b"1" * (10 << 20), "1\udc80"])
def test_an_invalid_pin_is_no_attempt(session: mam.Mam, bad: Any) -> None:
    with pytest.raises(mam.ArgumentError):
        session.pin_verify(ANN, bad)
    with pytest.raises(mam.ArgumentError):
        session.pin_set(ANN, bad)
    with pytest.raises(mam.ArgumentError) as caught:
        session.pin_set(ANN, "1397", old=bad)
    assert "1397" not in str(caught.value)
    assert session.pin_status(ANN).attempts_left == 3


def test_wrong_types(session: mam.Mam) -> None:
    for bad in (None, 1397, ["1397"]):
        with pytest.raises((TypeError, BufferError)):
            session.pin_verify(ANN, bad)  # type: ignore[arg-type]
    assert session.pin_status(ANN).attempts_left == 3


def test_other_accounts(session: mam.Mam) -> None:
    with pytest.raises(mam.NotEnrolledError):
        session.pin_status(BEN)
    with pytest.raises(mam.NotEnrolledError):
        session.pin_verify("nobody@contoso.example", "1397")


def test_expired(office: Office, session: mam.Mam) -> None:
    demand(office, periodBeforePinReset="PT0.001S")
    assert session.check_in(ANN).wait(30)
    with pytest.raises(mam.LockedError) as locked:
        session.pin_verify(ANN, "1397")
    assert locked.value.detail["reason"] == "expired"
    session.pin_set(ANN, "2468", old="1397")


@pytest.mark.parametrize("worker", [False, True])
def test_reset_asks_for_a_sign_in_and_then_for_a_new_pin(office: Office, worker: bool) -> None:
    demand(office)
    asked: list[Question] = []
    answers: list[Answer] = [ANN, "246", b"2468"]

    def delegate(question: Question) -> Answer:
        asked.append(question)
        return answers.pop(0)

    with office.open(worker=worker, delegate=delegate) as session:
        assert session.register_and_enroll(ANN).wait(30)
        session.pin_set(ANN, "1397")
        end = session.pin_reset(ANN).wait(30)
        assert end and end.result == "changed"
        session.pin_verify(ANN, "2468")
    assert [(one.kind, one.raw["purpose"]) for one in asked] == [
        ("authenticate", "pinReset"), ("pin", "new"), ("pin", "new"),
    ]  # fmt: skip
    assert [one.raw.get("lacks") for one in asked] == [None, [], ["tooShort"]]
    assert asked[1].raw["rule"]["minimumLength"] == 4


@pytest.mark.parametrize(("who", "result"), [(BEN, "otherAccount"), (None, "canceled")])
def test_only_the_accounts_person_resets_it(session: mam.Mam, who: str | None, result: str) -> None:
    session.on_question(mam.AUTHENTICATE)(lambda question: who)
    end = session.pin_reset(ANN).wait(30)
    assert (bool(end), end.result) == (False, result)
    session.pin_verify(ANN, "1397")


def test_a_person_may_answer_later(session: mam.Mam) -> None:
    waiting: list[Question] = []

    def later(question: Question) -> Any:
        waiting.append(question)
        return LATER

    session.on_question(mam.AUTHENTICATE)(later)
    session.on_question(mam.PIN)(lambda question: None)
    operation = session.pin_reset(ANN)
    with pytest.raises(mam.TimeoutError):
        operation.wait(0)
    session.answer(waiting[0], {"upn": ANN})
    assert operation.wait(30).result == "signedIn"
    session.pin_set(ANN, "2468")


@pytest.mark.parametrize(
    "properties",
    [{"appActionIfMaximumPinRetriesExceeded": "erase"}, {"maximumPinRetries": "many"}, {"pinRequired": "perhaps"}],
)
def test_a_misread_value_wipes_nothing(office: Office, enrolled: mam.Mam, properties: dict[str, str]) -> None:
    demand(office, **{"maximumPinRetries": 1, "appActionIfMaximumPinRetriesExceeded": "wipe", **properties})
    assert enrolled.check_in(ANN).wait(30)
    status = enrolled.pin_status(ANN)
    assert (status.attempts, status.at_limit) == (1, "reset")
    enrolled.pin_set(ANN, "1397")
    with pytest.raises(mam.DeniedError) as caught:
        enrolled.pin_verify(ANN, "0000")
    assert caught.value.detail["wiped"] is False
    assert len(enrolled.enrolled_accounts()) == 1


@pytest.fixture
def waiting(office: Office) -> Iterator[tuple[mam.Mam, list[Question]]]:
    """Ann has a PIN that is required every time, one attempt and a wipe after it; and the questions that wait for her."""
    demand(
        office, fingerprintBlocked=True, maximumPinRetries=1, appActionIfMaximumPinRetriesExceeded="wipe",
        periodOnlineBeforeAccessCheck="PT0S",
    )  # fmt: skip
    asked: list[Question] = []

    def later(question: Question) -> Any:
        asked.append(question)
        return LATER

    with office.open(delegate=later) as session:
        assert session.register_and_enroll(ANN).wait(30)
        session.pin_set(ANN, "1397")
        yield session, asked


def begun(operation: mam.Operation[Any]) -> None:
    with pytest.raises(mam.TimeoutError):
        operation.wait(0)


def test_a_new_pin_is_no_attempt_at_the_former(waiting: tuple[mam.Mam, list[Question]]) -> None:
    session, asked = waiting
    reset = session.pin_reset(ANN)
    begun(reset)
    session.answer(asked[0], {"upn": ANN})
    begun(reset)
    begun(session.resume())
    assert [one.raw["purpose"] for one in asked] == ["pinReset", "new", "enter"]
    session.answer_secret(asked[1], b"2468")
    assert reset.wait(30).result == "changed"
    assert [one.upn for one in session.enrolled_accounts()] == [ANN]
    session.pin_verify(ANN, "2468")


def test_a_mistyped_pin_does_not_become_the_new_one(waiting: tuple[mam.Mam, list[Question]]) -> None:
    session, asked = waiting
    resumed = session.resume()
    begun(resumed)
    reset = session.pin_reset(ANN)
    begun(reset)
    session.answer(asked[1], {"upn": ANN})
    begun(reset)
    assert [one.raw["purpose"] for one in asked] == ["enter", "pinReset", "new"]
    session.answer_secret(asked[0], b"1379")
    assert resumed.wait(30).outcome == "wiped"
    session.answer_secret(asked[2], b"2468")
    assert reset.wait(30).result == "failed"


def test_a_wipe_waits_for_the_attempts_of_its_own_policy(office: Office) -> None:
    demand(office, maximumPinRetries=2)  # and a reset, in one app
    (shared,) = office.authority.import_policy({
        **POLICY, "id": "shared", "maximumPinRetries": 3, "appActionIfMaximumPinRetriesExceeded": "wipe",
    }).policies  # fmt: skip
    office.authority.assign(shared.id, all_users=True)
    office.authority.target(shared.id, all_apps=True)
    with office.open(group="com.example") as notes, office.open(app="com.example.mail", group="com.example") as mail:
        for session in (notes, mail):
            assert session.register_and_enroll(ANN).wait(30)
        notes.pin_set(ANN, "1397")
        status = notes.pin_status(ANN)
        assert (status.attempts, status.at_limit, status.wipe_after) == (2, "reset", 3)
        reasons = []
        for _ in range(4):  # two that count, and two that are refused
            with pytest.raises((mam.DeniedError, mam.LockedError)) as caught:
                notes.pin_verify(ANN, "0000")
            reasons.append((caught.value.detail["reason"], caught.value.detail.get("wiped")))
        assert reasons == [("wrong", None), ("wrong", False), ("exhausted", False), ("exhausted", False)]
        assert mail.pin_status(ANN).attempts_left == 1
        for session in (mail, notes):
            with pytest.raises((mam.DeniedError, mam.LockedError)) as caught:
                session.pin_verify(ANN, "0000")
            assert caught.value.detail["wiped"] is True
            assert not session.enrolled_accounts()
