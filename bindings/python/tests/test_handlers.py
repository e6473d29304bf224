"""Handlers of questions and events: functions and coroutines, in sessions of every kind."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any

import mam
import pytest
from conftest import ANN, Office
from loops import SOON, run, wait_until
from mam import EventKind, StatusCode
from mam.events import event_of

KINDS = pytest.mark.parametrize("worker", [False, True], ids=["no worker", "worker"])
WAYS = pytest.mark.parametrize("questions", ["delegate", "events"])


def host_answer(m: mam.Mam) -> bool | None:
    """The host's answer, as wipeDidComplete reports it."""
    complete = next(event for event in m.events(timeout=SOON) if isinstance(event, mam.WipeCompletedEvent))
    assert EventKind.WIPE_COMPLETED not in [event.kind for event in m.events(timeout=0)]
    return complete.host_removed_data


@pytest.fixture
def token(office: Office) -> str:
    """Ann needs it to enroll."""
    secret = office.folder / "token"
    secret.write_text("open sesame")
    secret.chmod(0o600)
    office.authority.set_user(ANN, access_token_file=secret)
    return "open sesame"


@KINDS
@pytest.mark.parametrize("kind", ["wipeData", mam.WIPE_DATA])
def test_a_function_answers(office: Office, worker: bool, kind: Any) -> None:
    with office.open(worker=worker) as m:
        asked: list[mam.Question] = []

        @m.on_question(kind)
        def forget(question: mam.Question) -> bool:
            asked.append(question)
            return True

        assert m.register_and_enroll(ANN).wait(30)
        assert m.wipe_account(ANN).wait(30)
        assert host_answer(m) is True
        assert [question.upn for question in asked] == [ANN]


@KINDS
@WAYS
def test_a_coroutine_answers_on_its_loop(office: Office, worker: bool, questions: str) -> None:
    async def main(m: mam.Mam) -> None:
        threads: list[threading.Thread] = []

        @m.on_question(mam.WIPE_DATA)
        async def forget(question: mam.Question) -> bool:
            await asyncio.sleep(0.05)
            threads.append(threading.current_thread())
            return True

        removed: list[bool | None] = []

        @m.on(mam.WipeCompletedEvent)
        async def complete(event: mam.WipeCompletedEvent) -> None:
            await asyncio.sleep(0)
            removed.append(event.host_removed_data)

        serving = asyncio.create_task(m.serve_async())
        assert await m.register_and_enroll(ANN)
        assert await m.wipe_account(ANN)
        while not removed:
            await asyncio.sleep(0.01)
        assert removed == [True]
        assert threads == [threading.current_thread()]
        m.interrupt()
        await serving

    with office.open(worker=worker, questions=questions) as m:
        run(main(m))


@WAYS
def test_a_thread_serves_while_another_works(office: Office, questions: str) -> None:
    kinds: list[str] = []
    with office.open(worker=True, questions=questions) as m:
        m.on_question("wipeData")(lambda question: True)
        m.on("wipeDidComplete", "policyDidChange")(lambda event: kinds.append(event.kind))
        serving = threading.Thread(target=m.serve)
        serving.start()
        assert m.register_and_enroll(ANN).wait(30)
        assert m.wipe_account(ANN).wait(30)
        assert wait_until(lambda: EventKind.WIPE_COMPLETED in kinds)
        m.interrupt()
        serving.join(SOON)
        assert not serving.is_alive()
    assert set(kinds) == {"wipeDidComplete", "policyDidChange"}


@KINDS
def test_exceptions_are_logged_and_take_the_default(office: Office, worker: bool, caplog: pytest.LogCaptureFixture) -> None:
    async def main(m: mam.Mam) -> None:
        @m.on_question("wipeData")
        async def forget(question: mam.Question) -> bool:
            raise ValueError("the host's own")

        assert await m.register_and_enroll(ANN)
        assert await m.wipe_account(ANN).wait_async(SOON)

    with office.open(worker=worker, question_timeout=2 * SOON) as m:
        run(main(m))
        assert host_answer(m) is False
        (record,) = [record for record in caplog.records if record.name == "mam"]
        assert record.levelno == logging.ERROR
        assert "forget" in record.message

        @m.on_question("wipeData")
        def broken(question: mam.Question) -> bool:
            raise ValueError("the host's own")

        assert m.register_and_enroll(ANN).wait(30)
        assert m.wipe_account(ANN).wait(SOON)
        assert host_answer(m) is False
    assert "wipeData takes its default" in caplog.text


def test_invalid_answers(office: Office, caplog: pytest.LogCaptureFixture) -> None:
    """A wrong type, None, and a coroutine whose loop is gone take the default at once."""
    with office.open(question_timeout=2 * SOON) as m:

        async def late(question: mam.Question) -> bool:
            return True

        async def register() -> None:
            m.on_question("wipeData")(late)

        for step in ("a wrong type", "None", "a loop that is gone"):
            if step == "a loop that is gone":
                run(register())
            elif step == "None":
                m.set_handlers({"wipeData": lambda question: None})
            else:
                m.set_handlers({"wipeData": lambda question: 5})
            assert m.register_and_enroll(ANN).wait(30)
            assert m.wipe_account(ANN).wait(SOON)
            assert host_answer(m) is False
    assert "no answer" in caplog.text
    assert "loop is closed" in caplog.text


def test_a_cancelled_coroutine_takes_the_default(office: Office) -> None:
    async def main(m: mam.Mam) -> None:
        @m.on_question("wipeData")
        async def forget(question: mam.Question) -> bool:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
            await asyncio.sleep(60)
            return True

        assert await m.register_and_enroll(ANN)
        assert await m.wipe_account(ANN).wait_async(SOON)

    with office.open(worker=True, question_timeout=2 * SOON) as m:
        run(main(m))
        assert host_answer(m) is False


@KINDS
def test_a_secret_is_zeroed(office: Office, worker: bool, token: str) -> None:
    handed_over = bytearray(token.encode())
    with office.open(worker=worker, on_question={mam.ACCESS_TOKEN: lambda question: handed_over}) as m:
        assert m.register_and_enroll(ANN).wait(30)
    assert handed_over == bytes(len(token))


@pytest.mark.parametrize("answer", [b"open sesame", "open sesame"])
def test_a_secret_of_another_type(office: Office, token: str, answer: Any) -> None:
    async def main() -> None:
        async def sign(question: mam.Question) -> Any:
            return answer

        with office.open(on_question={mam.ACCESS_TOKEN: sign}) as m:
            assert (await m.register_and_enroll(ANN)).code == StatusCode.NEW_POLICIES_RECEIVED

    run(main())


def test_the_delegate_gets_questions_without_a_handler(office: Office, token: str) -> None:
    asked: list[str] = []

    def delegate(question: mam.Question) -> mam.Answer:
        asked.append(question.kind)
        return token if question.kind == "accessToken" else None

    with office.open(delegate=delegate, on_question={"wipeData": lambda question: True}) as m:
        assert m.register_and_enroll(ANN).wait(30)
        m.set_delegate(None)
        assert m.wipe_account(ANN).wait(30)
        assert host_answer(m) is True
    assert set(asked) == {"accessToken"}


def test_removing_handlers(office: Office) -> None:
    seen: list[str] = []

    def handler(about: Any) -> bool:
        seen.append(type(about).__name__)
        return True

    with office.open() as m:
        m.on_question("wipeData")(handler)
        m.on()(handler)
        m.off(handler)
        assert m.register_and_enroll(ANN).wait(30)
        assert m.wipe_account(ANN).wait(30)
        m.serve(timeout=0)
    assert seen == []


def test_one_handler_does_not_stop_the_next(enrolled: mam.Mam, caplog: pytest.LogCaptureFixture) -> None:
    seen: list[str] = []

    @enrolled.on()
    def broken(event: mam.Event) -> None:
        raise ValueError("the host's own")

    @enrolled.on()
    def works(event: mam.Event) -> None:
        seen.append(event.kind)

    enrolled.serve(timeout=0)
    assert EventKind.POLICY_CHANGED in seen
    assert "broken" in caplog.text


def test_events_of_a_loop_come_in_order(enrolled: mam.Mam, caplog: pytest.LogCaptureFixture) -> None:
    """A coroutine is awaited before the next event is taken, and an exception in one stops nothing."""

    async def main() -> None:
        steps: list[str] = []

        @enrolled.on()
        async def slow(event: mam.Event) -> None:
            steps.append("in")
            await asyncio.sleep(0.001)
            steps.append("out")
            raise ValueError("the host's own")

        await enrolled.serve_async(timeout=0)
        assert steps and steps == ["in", "out"] * (len(steps) // 2)

    run(main())
    assert "slow raised" in caplog.text


def test_classes_of_events(m: mam.Mam) -> None:
    seen: list[tuple[str, str]] = []
    m.on(mam.RequestEvent, mam.WipeCompletedEvent)(lambda event: seen.append(("these", event.kind)))
    m.on(mam.Event)(lambda event: seen.append(("all", event.kind)))

    class Own(mam.Event):
        pass

    with pytest.raises(TypeError, match="not Own"):
        m.on(Own)
    for kind in ("policyRequest", "wipeDidComplete", "warning", "somethingNew"):
        m.dispatch(event_of({"event": kind, "status": {}}))
    assert seen == [
        ("these", "policyRequest"), ("all", "policyRequest"), ("these", "wipeDidComplete"), ("all", "wipeDidComplete"),
        ("all", "warning"), ("all", "somethingNew"),
    ]  # fmt: skip


def test_a_kind_that_this_binding_does_not_know(m: mam.Mam) -> None:
    """A newer libmam's question needs one constant."""
    from mam.question_types import json_answer

    assert json_answer("newKind", True) is None
    kind = mam.QuestionType[mam.Question, bool]("newKind", key="fine")
    m.on_question(kind)(lambda question: True)
    assert json_answer("newKind", True) == {"fine": True}
    assert json_answer("newKind", 5) is None
    mam.QuestionType[mam.Question, int]("newKind", encode=lambda number: {"number": number})
    assert json_answer("newKind", 5) == {"number": 5}


def test_mistakes(m: mam.Mam) -> None:
    async def coroutine(about: Any) -> bool:
        return True

    class Callable:
        async def __call__(self, about: Any) -> bool:
            return True

    for function in (coroutine, Callable()):
        with pytest.raises(RuntimeError, match="loop"):
            m.on_question("wipeData")(function)
        with pytest.raises(RuntimeError, match="loop"):
            m.on("warning")(function)
    broken: Any = 5
    with pytest.raises(TypeError):
        m.on_question("wipeData")(broken)
    with pytest.raises(TypeError):
        m.on("warning")(broken)
    m.close()
    with pytest.raises(mam.ClosedError):
        m.on_question("wipeData")(lambda question: True)
