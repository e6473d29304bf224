"""Events and operations in asyncio: nothing is lost, everything ends, nothing is left behind."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable, Iterator

import mam
import pytest
from conftest import ANN, BEN, Office
from loops import LOOPS, SOON, descriptors, run, wait_until
from mam import EventKind, StatusCode


@pytest.fixture(params=LOOPS)
def loop_class(request: pytest.FixtureRequest) -> Callable[[], asyncio.AbstractEventLoop]:
    return LOOPS[request.param]


@pytest.fixture(params=[False, True], ids=["no worker", "worker"])
def session(request: pytest.FixtureRequest, office: Office) -> Iterator[mam.Mam]:
    with office.open(worker=request.param) as opened:
        yield opened


LoopClass = Callable[[], asyncio.AbstractEventLoop]


def test_events_and_operations(session: mam.Mam, loop_class: LoopClass) -> None:
    async def main() -> None:
        operation = session.register_and_enroll(ANN)
        async for event in session.events():
            if event.kind == EventKind.POLICY_REQUEST:
                break
        status = await operation
        assert status.code == StatusCode.NEW_POLICIES_RECEIVED
        assert await operation.wait_async(0) == status == operation.wait(0)
        assert [event.kind async for event in session.events(timeout=0)] == []

    session.event_fd()
    before = descriptors()
    run(main(), loop_class)
    # A listening thread may still be ending.
    assert wait_until(lambda: descriptors() <= before)


def test_without_a_worker_reading_events_runs_due_work(office: Office) -> None:
    async def main(m: mam.Mam) -> None:
        threads = threading.active_count()
        m.register_and_enroll(ANN)
        event = await m.next_event_async(30)
        assert event.time is not None
        assert m.enrolled_accounts()
        assert threading.active_count() == threads

    with office.open() as m:
        run(main(m))


def test_one_object_for_both_kinds_of_loop(enrolled: mam.Mam) -> None:
    async def main() -> list[mam.Event]:
        return [event async for event in events]

    events = enrolled.events(timeout=0)
    first = next(events)
    rest = run(main())
    assert rest and first not in rest
    assert list(events) == []


def test_cancelling_loses_nothing(session: mam.Mam, loop_class: LoopClass) -> None:
    """Each check-in has its event, however often the reading task is cancelled in between."""
    rounds = 40
    random.seed(7)

    async def main() -> int:
        assert await session.register_and_enroll(ANN)
        async for event in session.events(timeout=SOON):
            if event.kind == EventKind.POLICY_REQUEST:
                break
        seen = 0

        async def read() -> None:
            nonlocal seen
            async for event in session.events():
                seen += event.kind == EventKind.POLICY_REQUEST

        for _ in range(rounds):
            task = asyncio.create_task(read())
            await asyncio.sleep(random.choice([0, 0, 0.001, 0.004]))
            session.check_in(ANN)
            await asyncio.sleep(random.choice([0, 0.001, 0.004, 0.01]))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await session.check_in(ANN)
        async for event in session.events(timeout=SOON):
            seen += event.kind == EventKind.POLICY_REQUEST
            if seen > rounds:
                break
        async for event in session.events(timeout=0):
            seen += event.kind == EventKind.POLICY_REQUEST
        return seen

    assert run(main(), loop_class) == rounds + 1


def outcomes(read_by: list[list[mam.Event]]) -> int:
    """The number of check-in outcomes that all readers received together."""
    return sum(event.kind == EventKind.POLICY_REQUEST for events in read_by for event in events)


def test_several_tasks_share_the_events(session: mam.Mam, loop_class: LoopClass) -> None:
    async def main() -> list[list[mam.Event]]:
        async def read(into: list[mam.Event]) -> None:
            async for event in session.events():
                into.append(event)

        read_by: list[list[mam.Event]] = [[], [], []]
        tasks = [asyncio.create_task(read(into)) for into in read_by]
        assert await session.register_and_enroll(ANN)
        for _ in range(20):
            assert await session.check_in(ANN)
        while outcomes(read_by) < 21:
            await asyncio.sleep(0.01)
        session.interrupt()
        await asyncio.gather(*tasks)
        return read_by

    # A change of policy may be reported once or twice; outcomes exactly once each.
    assert outcomes(run(main(), loop_class)) == 21


@pytest.mark.parametrize("how", ["interrupt", "close"])
@pytest.mark.parametrize("who", ["task", "thread"])
def test_the_loop_ends(session: mam.Mam, loop_class: LoopClass, how: str, who: str) -> None:
    async def main() -> None:
        async def read() -> None:
            async for _ in session.events():
                pass

        tasks = [asyncio.create_task(read()) for _ in range(2)]
        await asyncio.sleep(0.05)
        end = getattr(session, how)
        thread = threading.Timer(0.05, end)
        if who == "task":
            end()
        else:
            thread.start()
        await asyncio.gather(*tasks)
        if who == "thread":  # whose call has yet to return
            await asyncio.to_thread(thread.join)

    before = descriptors()
    run(main(), loop_class)
    assert wait_until(lambda: {one for one in descriptors() - before if "pipe" in one} == set())


def test_closing_at_any_moment(office: Office) -> None:
    """When another thread closes, the readers' loops end without an exception, whatever they are doing."""
    random.seed(11)

    async def main(m: mam.Mam) -> None:
        async def read(events: mam.Events) -> None:
            async for _ in events:
                pass

        tasks = [asyncio.create_task(read(m.events())) for _ in range(3)]
        m.register_and_enroll(ANN)
        closing = threading.Timer(random.random() * 0.02, m.close)
        closing.start()
        await asyncio.gather(*tasks)
        closing.join()

    for turn in range(30):
        run(main(office.open(worker=turn % 2 == 0)))


def test_interrupt_between_two_events(enrolled: mam.Mam) -> None:
    """An interrupt between two waits ends the loop as well."""
    for _ in enrolled.events():
        enrolled.interrupt()

    async def main() -> None:
        enrolled.check_in(ANN)
        async for _ in enrolled.events():
            enrolled.interrupt()

    run(main())


def test_a_full_queue_does_not_starve_other_tasks(enrolled: mam.Mam) -> None:
    async def main() -> None:
        turns = 0

        async def count() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        for _ in range(50):
            enrolled.check_in(ANN).wait(30)
        task = asyncio.create_task(count())
        read = [event async for event in enrolled.events(timeout=0)]
        assert len(read) >= 50
        assert turns >= 50
        task.cancel()

    run(main())


def test_waiting_costs_nothing(session: mam.Mam) -> None:
    async def main() -> float:
        assert await session.register_and_enroll(ANN)
        task = asyncio.create_task(session.serve_async())
        await asyncio.sleep(0.3)
        before = time.thread_time()
        await asyncio.sleep(0.5)
        used = time.thread_time() - before
        task.cancel()
        return used

    assert run(main()) < 0.1


def test_timeouts(session: mam.Mam, loop_class: LoopClass) -> None:
    async def main() -> None:
        async for _ in session.events(timeout=0):
            pass
        with pytest.raises(mam.TimeoutError):
            await session.next_event_async(0.05)
        with pytest.raises(ValueError):
            await session.next_event_async(-1)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(session.next_event_async(), 0.05)
        with pytest.raises(mam.NotFoundError):
            await mam.Operation(session, 4711, lambda raw: raw)

    run(main(), loop_class)


def test_an_unfinished_operation(office: Office) -> None:
    """It waits for an answer that never comes; cancelling the waiting task does not end it."""

    async def main(m: mam.Mam) -> None:
        assert await m.register_and_enroll(ANN)
        operation = m.wipe_account(ANN)
        with pytest.raises(mam.TimeoutError):
            await operation.wait_async(0)
        with pytest.raises(mam.TimeoutError):
            await operation.wait_async(0.1)
        with pytest.raises(ValueError):
            await operation.wait_async(-1)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(operation.wait_async(), 0.1)
        waiting = asyncio.ensure_future(operation.wait_async())
        await asyncio.sleep(0.05)
        m.interrupt()
        with pytest.raises(mam.WaitInterruptedError):
            await waiting
        async for event in m.events(timeout=SOON):
            if isinstance(event, mam.QuestionEvent):
                m.answer(event.question, True)
                break
        assert await operation

    with office.open(worker=True, questions="events") as m:
        run(main(m))


def test_many_operations_at_once(session: mam.Mam) -> None:
    async def main() -> None:
        statuses = await asyncio.gather(*(session.register_and_enroll(upn).wait_async(30) for upn in (ANN, BEN)))
        assert all(statuses)
        assert {status.identity for status in statuses} == {ANN, BEN}

    run(main())


def test_tasks_of_operations(session: mam.Mam, loop_class: LoopClass) -> None:
    """An operation is awaitable and no coroutine: what takes only coroutines takes its wait_async()."""

    async def main() -> None:
        operation = session.register_and_enroll(ANN)
        tasks = [asyncio.ensure_future(operation), asyncio.create_task(operation.wait_async())]
        (status,) = await asyncio.gather(operation)
        assert status and [await task for task in tasks] == [status, status]
        assert await asyncio.wait_for(operation, 30) == status

    run(main(), loop_class)


def test_two_loops_in_two_threads(office: Office) -> None:
    async def read(m: mam.Mam, into: list[mam.Event]) -> None:
        async for event in m.events():
            into.append(event)

    with office.open(worker=True) as m:
        read_by: list[list[mam.Event]] = [[], []]
        threads = [threading.Thread(target=run, args=(read(m, into),)) for into in read_by]
        for thread in threads:
            thread.start()
        assert m.register_and_enroll(ANN).wait(30)
        for _ in range(10):
            assert m.check_in(ANN).wait(30)
        wait_until(lambda: outcomes(read_by) >= 11)
        m.interrupt()
        for thread in threads:
            thread.join(SOON)
            assert not thread.is_alive()
        assert outcomes(read_by) == 11
