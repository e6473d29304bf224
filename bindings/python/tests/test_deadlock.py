"""Waits in an event loop for answers that a coroutine of this loop has to give: they fail at once, and awaiting works."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import functions
import mam
import pytest
from conftest import ANN, BEN, Office
from loops import SOON, run
from mam._deadlock import ASKED, PERSONAL, needs
from mam._names import python_name
from mam.question_types import _known
from mam.testing import office

#: The methods that start an operation, as mam.h has them.
METHODS = [python_name(row.name).removeprefix("Mam.") for row in functions.ROWS.values() if row.of_kind("op*")]
KINDS = sorted(name for name in _known if name != "newKind")
#: How each operation is started.
START: dict[str, Callable[[mam.Mam], mam.Operation[Any]]] = {
    "register_and_enroll": lambda m: m.register_and_enroll(BEN),
    "login_and_enroll": lambda m: m.login_and_enroll(BEN),
    "deregister_and_unenroll": lambda m: m.deregister_and_unenroll(ANN),
    "check_in": lambda m: m.check_in(ANN),
    "wipe_account": lambda m: m.wipe_account(ANN),
    "launch": lambda m: m.launch(),
    "resume": lambda m: m.resume(),
    "set_ui_identity": lambda m: m.set_ui_identity(ANN),
    "open_url": lambda m: m.open_url("notes-app://open", ANN),
    "pin_reset": lambda m: m.pin_reset(ANN),
}
WORKERS = pytest.mark.parametrize("worker", [False, True], ids=["no worker", "worker"])


async def nothing(question: mam.Question) -> None:
    """A handler that takes each question's default."""


def test_the_table_has_every_operation() -> None:
    assert sorted(METHODS) == sorted(ASKED) == sorted(START)
    assert {kind for kinds in ASKED.values() for kind in kinds} | PERSONAL <= set(KINDS)


@pytest.mark.parametrize("method", METHODS)
@WORKERS
def test_every_operation_and_every_handler(office: Office, method: str, worker: bool) -> None:
    """The same session has a coroutine for one kind of question after the other."""

    async def main(m: mam.Mam) -> None:
        assert await m.register_and_enroll(ANN)
        refused: list[str] = []
        for kind in KINDS:
            m.set_handlers({**dict.fromkeys(KINDS), kind: nothing})
            operation = START[method](m)
            try:
                # Without libmam's answer nothing but the coroutine could end it earlier.
                operation.wait(SOON)
            except mam.DeadlockError as error:
                refused.append(kind)
                assert f"{method} " in str(error) and kind in str(error) and "await" in str(error)
                await operation
            else:
                # It has ended, and so nothing was in the way.
                assert operation.wait(0) is not None
            if method in ("deregister_and_unenroll", "wipe_account"):
                assert await m.register_and_enroll(ANN)
        assert set(refused) <= {kind for kind in KINDS if needs(method, kind, worker)}
        # These end only with an answer, so they have not ended at once.
        asking = {"launch": "pin", "resume": "pin", "pin_reset": "authenticate", "wipe_account": "wipeData"}
        assert method not in asking or asking[method] in refused

    with office.open(worker=worker, question_timeout=4 * SOON) as m:
        run(main(m))


@WORKERS
@pytest.mark.parametrize("questions", ["delegate", "events"])
def test_a_launch_with_a_pin(office: Office, worker: bool, questions: str) -> None:
    async def main(m: mam.Mam) -> None:
        asked: list[str | None] = []

        @m.on_question(mam.PIN)
        async def ask(question: mam.PINQuestion) -> bytes:
            await asyncio.sleep(0)
            asked.append(question.purpose)
            return b"258013"

        serving = asyncio.create_task(m.serve_async())
        assert await m.register_and_enroll(ANN)
        launch = m.launch()
        waits: list[Callable[[], object]] = [launch.wait, lambda: m.wait(launch), lambda: m.wait(launch.number, SOON)]
        for wait in waits:
            with pytest.raises(mam.DeadlockError):
                wait()
        with pytest.raises(mam.TimeoutError):
            launch.wait(0)
        report = await launch
        assert report and asked == ["new"]
        # It has ended: its result is there.
        assert launch.wait() == m.wait(launch) == report
        m.interrupt()
        await serving

    with office.open(worker=worker, questions=questions, question_timeout=4 * SOON) as m:
        run(main(m))


def test_other_threads_and_handlers_may_wait(office: Office) -> None:
    """A thread without the loop waits, and so may the loop's where a function answers."""

    async def main(m: mam.Mam) -> None:
        @m.on_question(mam.PIN)
        async def ask(question: mam.PINQuestion) -> bytes:
            return b"258013"

        assert await m.register_and_enroll(ANN)
        assert await asyncio.to_thread(lambda: m.launch().wait(SOON))
        m.on_question(mam.PIN)(lambda question: b"258013")
        assert m.launch().wait(SOON)

    with office.open(worker=True, question_timeout=4 * SOON) as m:
        run(main(m))


def test_a_handler_that_awaits_what_waits_for_it(office: Office) -> None:
    """A wipe holds the worker until its question is answered, a PIN only what asks for it too."""
    raised: list[mam.DeadlockError] = []

    async def main(m: mam.Mam) -> None:
        @m.on_question(mam.WIPE_DATA)
        async def forget(question: mam.WipeDataQuestion) -> bool:
            with pytest.raises(mam.DeadlockError) as caught:
                await m.check_in(BEN)
            raised.append(caught.value)
            return True

        @m.on_question(mam.PIN)
        async def ask(question: mam.PINQuestion) -> bytes:
            if not raised:
                assert await m.check_in(BEN)
                with pytest.raises(mam.DeadlockError) as caught:
                    await m.launch()
                raised.append(caught.value)
            return b"258013"

        for upn in (ANN, BEN):
            assert await m.register_and_enroll(upn)
        assert await m.set_ui_identity(BEN)
        assert await m.wipe_account(ANN)

    with office.open(worker=True, question_timeout=4 * SOON) as m:
        run(main(m))
    assert [str(error).split()[0] for error in raised] == ["launch", "check_in"]
    assert all("another task" in str(error) for error in raised)


@pytest.fixture
def policy(office: Office) -> Iterator[mam.Policy]:
    with office.open(question_timeout=4 * SOON) as m:
        assert m.register_and_enroll(ANN).wait(SOON)
        with m.policy(ANN) as policy:
            yield policy


def test_a_web_view_asks_on_the_thread_that_calls(policy: mam.Policy) -> None:
    url = "https://contoso.example/"
    threads: list[threading.Thread] = []

    async def main() -> None:
        session = policy._session
        assert isinstance(session, mam.Mam)

        @session.on_question(mam.IS_EXTERNAL_URL)
        async def is_external(question: mam.ExternalURLQuestion) -> bool:
            threads.append(threading.current_thread())
            return False

        with pytest.raises(mam.DeadlockError, match="web_view"):
            policy.web_view(url, external=None)
        assert policy.web_view(url, external=False).url is not None
        assert (await asyncio.to_thread(policy.web_view, url, external=None)).url is not None
        assert threads == [threading.current_thread()]

    run(main())


@pytest.mark.parametrize("is_awaited", [False, True])
def test_the_loop_of_a_handler_has_ended(is_awaited: bool) -> None:
    """The caller hears why a person was not asked, instead of a launch that is blocked."""

    async def launch(m: mam.Mam, registers: bool) -> mam.LaunchReport:
        async def pin(question: mam.PINQuestion) -> bytes:
            return b"258013"

        if registers:
            m.on_question(mam.PIN)(pin)
        return await m.launch()

    with office() as desk:
        desk.user(ANN)
        desk.policy(pinRequired=True)
        m = desk.open(enroll=ANN, pin="258013")
        assert asyncio.run(launch(m, True))
        desk.forget_proofs()
        with pytest.raises(RuntimeError, match=r"handler of pin .* has ended"):
            asyncio.run(launch(m, False)) if is_awaited else m.launch().wait(SOON)
        assert asyncio.run(launch(m, True))
