"""Questions: delegates that answer, answer later, fail, or are missing."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import ANN, Office
from loops import SOON
from mam import StatusCode


@pytest.fixture(params=[False, True], ids=["no worker", "worker"])
def session(request: pytest.FixtureRequest, office: Office) -> Iterator[mam.Mam]:
    """Ann is enrolled; a question waits longer than any test."""
    with office.open(worker=request.param, question_timeout=2 * SOON) as opened:
        assert opened.register_and_enroll(ANN).wait(30)
        yield opened


@pytest.fixture
def unraisable(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The exceptions that reached sys.unraisablehook."""
    seen: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: seen.append(args.exc_type))
    return seen


def removed(session: mam.Mam) -> bool | None:
    """Wipe Ann and return the host's answer as libmam took it."""
    assert session.wipe_account(ANN).wait(SOON).code == StatusCode.UNENROLLMENT_SUCCESS
    for event in session.events(timeout=SOON):
        if isinstance(event, mam.WipeCompletedEvent):
            return event.host_removed_data
    raise AssertionError("no wipeDidComplete")


@pytest.mark.parametrize(("answer", "said"), [(True, True), (False, False), (None, False), ({"removed": True}, True)])
def test_a_delegate_answers(session: mam.Mam, answer: mam.Answer, said: bool) -> None:
    asked: list[mam.Question] = []

    def delegate(question: mam.Question) -> mam.Answer:
        asked.append(question)
        return answer

    session.set_delegate(delegate)
    assert removed(session) is said  # it did not wait for the deadline
    (question,) = asked
    assert (question.kind, question.upn) == ("wipeData", ANN)
    assert question.account_id
    assert question.deadline is not None
    with pytest.raises((mam.GoneError, mam.NotFoundError)):
        session.answer(question, True)


def test_no_delegate(session: mam.Mam) -> None:
    assert removed(session) is False


def test_a_removed_delegate(session: mam.Mam) -> None:
    session.set_delegate(lambda question: True)
    session.set_delegate(None)
    session.set_delegate(None)
    assert removed(session) is False


def test_the_session_keeps_the_delegate(session: mam.Mam) -> None:
    class Host:
        def __call__(self, question: mam.Question) -> bool:
            return True

    session.set_delegate(Host())
    gc.collect()
    assert removed(session) is True


def test_answering_later(session: mam.Mam) -> None:
    def delegate(question: mam.Question) -> mam.Answer:
        threading.Timer(0.2, lambda: session.answer(question, True)).start()
        return mam.LATER

    session.set_delegate(delegate)
    assert removed(session) is True


@pytest.mark.parametrize("worker", [False, True])
def test_answering_never(office: Office, worker: bool) -> None:
    with office.open(worker=worker, question_timeout=1, delegate=lambda question: mam.LATER) as session:
        assert session.register_and_enroll(ANN).wait(30)
        assert removed(session) is False


def test_answering_from_inside(session: mam.Mam) -> None:
    def delegate(question: mam.Question) -> mam.Answer:
        with pytest.raises(mam.DeadlockError):
            session.close()
        with pytest.raises(mam.DeadlockError):
            session.wait(1)
        session.set_delegate(None)
        assert session.registered_accounts() is not None
        session.answer(question, {"removed": True})
        return None

    session.set_delegate(delegate)
    assert removed(session) is True


def test_an_exception_gives_the_default(session: mam.Mam, unraisable: list[Any]) -> None:
    def delegate(question: mam.Question) -> mam.Answer:
        raise ValueError("the host's own")

    session.set_delegate(delegate)
    assert removed(session) is False
    assert unraisable == [ValueError]


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("how", ["delegate", "handler"])
def test_keyboard_interrupt_leaves_the_call(session: mam.Mam, unraisable: list[Any], raised: type[BaseException], how: str) -> None:
    """If the callback runs inside a call; libmam's own thread has no caller."""

    def ask(question: mam.Question) -> bool | None:
        raise raised("the host's own")

    if how == "delegate":
        session.set_delegate(ask)
    else:
        session.on_question(mam.WIPE_DATA)(ask)
    if session._has_worker:
        assert removed(session) is False
        assert unraisable == [raised]
        return
    operation = session.wipe_account(ANN)
    with pytest.raises(raised, match="the host's own"):
        operation.wait(30)
    assert unraisable == []
    assert operation.wait(30)
    assert [event.host_removed_data for event in session.events(0) if isinstance(event, mam.WipeCompletedEvent)] == [False]


def test_an_answer_of_the_wrong_type(session: mam.Mam, unraisable: list[Any]) -> None:
    broken: Any = 5
    session.set_delegate(lambda question: broken)
    assert removed(session) is False
    assert unraisable == [TypeError]


def test_things_that_are_not_delegates(m: mam.Mam) -> None:
    with pytest.raises(TypeError):
        m.set_delegate(5)  # type: ignore[arg-type]
    with pytest.raises(mam.NotFoundError):
        m.answer(4711, {"removed": True})
    with pytest.raises(mam.ArgumentError):
        m.answer(4711, True)
    with pytest.raises(TypeError):
        m.answer(4711, "yes")


def test_questions_as_events(office: Office) -> None:
    with office.open(worker=True, questions="events") as session:
        assert session.register_and_enroll(ANN).wait(30)
        operation = session.wipe_account(ANN)
        question = next(e.question for e in session.events(timeout=SOON) if isinstance(e, mam.QuestionEvent))
        assert question is not None
        with pytest.raises(mam.ArgumentError):
            session.answer_secret(question, b"not a secret question")
        with pytest.raises(mam.JSONError):
            session.answer(question, {"noSuchKey": 1})
        session.answer(question, True)
        with pytest.raises(mam.GoneError):
            session.answer(question, True)
        assert operation.wait(30)


@pytest.mark.parametrize("kind", [bytes, bytearray, str])
def test_an_access_token(office: Office, kind: type[Any]) -> None:
    secret = office.folder / "token"
    secret.write_text("open sesame\n")
    secret.chmod(0o600)
    office.authority.set_user(ANN, access_token_file=secret)
    token = "open sesame" if kind is str else kind(b"open sesame")
    with office.open(delegate=lambda question: token if question.kind == "accessToken" else None) as session:
        assert session.register_and_enroll(ANN).wait(30)


@pytest.mark.parametrize("worker", [False, True])
def test_a_delegate_without_a_token(office: Office, unraisable: list[Any], worker: bool) -> None:
    """None, and an exception, take the default at once, without waiting for the deadline."""
    secret = office.folder / "token"
    secret.write_text("open sesame")
    office.authority.set_user(ANN, access_token_file=secret)
    asked: list[str] = []

    def without(question: mam.Question) -> mam.Answer:
        asked.append(question.kind)
        return None

    def broken(question: mam.Question) -> mam.Answer:
        asked.append(question.kind)
        raise ValueError("the host's own")

    for delegate in (without, broken):
        with office.open(delegate=delegate, worker=worker, question_timeout=2 * SOON) as session:
            assert session.register_and_enroll(ANN).wait(SOON).code == StatusCode.AUTH_REQUIRED
            session.deregister_and_unenroll(ANN).wait(30)
    assert "accessToken" in asked
    assert unraisable and set(unraisable) == {ValueError}


def test_a_wrong_access_token(office: Office) -> None:
    secret = office.folder / "token"
    secret.write_text("open sesame")
    office.authority.set_user(ANN, access_token_file=secret)
    with office.open(delegate=lambda question: b"guess") as session:
        assert session.register_and_enroll(ANN).wait(30).code == StatusCode.AUTH_REQUIRED
    asked: list[str | None] = []

    def too_long(question: mam.Question) -> mam.Answer:
        asked.append(question.upn)
        with pytest.raises(mam.ArgumentError):
            session.answer_secret(question, b"")
        with pytest.raises(mam.ArgumentError):
            session.answer_secret(question, bytes(65537))
        with pytest.raises(mam.ArgumentError):
            session.answer(question, {"token": "open sesame"})
        return b"open sesame"

    with office.open(app="com.example.other", delegate=too_long) as session:
        office.authority.target(office.policy.id, "com.example.other")
        assert session.register_and_enroll(ANN).wait(30)
    assert ANN in asked


def test_closing_while_a_delegate_runs(office: Office, unraisable: list[Any]) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slow(question: mam.Question) -> mam.Answer:
        inside.set()
        go_on.wait(SOON)
        time.sleep(0.2)
        return True

    session = office.open(worker=True, delegate=slow)
    assert session.register_and_enroll(ANN).wait(30)
    session.wipe_account(ANN)
    assert inside.wait(SOON)
    go_on.set()
    session.close()
    assert unraisable == []


def test_no_access_token(office: Office, tmp_path: Path) -> None:
    secret = tmp_path / "token"
    secret.write_text("open sesame")
    office.authority.set_user(ANN, access_token_file=secret)
    with office.open() as session:
        assert session.register_and_enroll(ANN).wait(30).code == StatusCode.AUTH_REQUIRED
    office.authority.set_user(ANN, access_token_file=None)
    with office.open(app="com.example.notes") as session:
        session.check_in()
        assert not office.authority.user(ANN).requires_token


def test_setting_delegates_concurrently(office: Office) -> None:
    with office.open(worker=True) as session:
        session.register_and_enroll(ANN).wait(30)
        stop = threading.Event()

        def set_them() -> None:
            while not stop.is_set():
                session.set_delegate(lambda question: True)
                session.set_delegate(None)

        thread = threading.Thread(target=set_them)
        thread.start()
        try:
            assert removed(session) in (True, False)
        finally:
            stop.set()
            thread.join()
