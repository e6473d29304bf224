"""Events: their kinds and form, and the end of a loop over them."""

from __future__ import annotations

import select
import threading
import time
from typing import Any

import mam
import pytest
from conftest import ANN, Office
from loops import SOON
from mam import EventKind


def test_enrolling_is_an_event(enrolled: mam.Mam) -> None:
    events = list(enrolled.events(timeout=0))
    by_kind = {event.kind: event for event in events}
    assert {EventKind.ENROLLMENT_REQUEST, EventKind.POLICY_REQUEST, EventKind.POLICY_CHANGED} <= set(by_kind)
    account = enrolled.enrolled_accounts()[0].account_id
    request = by_kind[EventKind.POLICY_REQUEST]
    assert isinstance(request, mam.RequestEvent) and request.status
    status = request.status
    assert (status.code, status.account_id) == (mam.StatusCode.NEW_POLICIES_RECEIVED, account)
    assert by_kind[EventKind.POLICY_CHANGED].account_id == account
    assert all(event.time is not None and event.raw["event"] == event.kind for event in events)
    assert list(enrolled.events(timeout=0)) == []


def test_a_wipe_is_an_event(enrolled: mam.Mam) -> None:
    list(enrolled.events(timeout=0))
    enrolled.wipe_account(ANN).wait(30)
    events = list(enrolled.events(timeout=0))
    (complete,) = [event for event in events if isinstance(event, mam.WipeCompletedEvent)]
    assert complete.reason == "host"
    assert complete.host_removed_data is False
    assert any(isinstance(event, mam.WipeProgressEvent) and event.step for event in events)


def test_the_next_process_gets_the_wipe_event(office: Office) -> None:
    with office.open() as session:
        session.register_and_enroll(ANN).wait(30)
        session.wipe_account(ANN).wait(30)
    with office.open() as session:
        assert EventKind.WIPE_COMPLETED in [event.kind for event in session.events(timeout=0)]
    with office.open() as session:
        assert EventKind.WIPE_COMPLETED not in [event.kind for event in session.events(timeout=0)]


def test_no_event(m: mam.Mam) -> None:
    list(m.events(timeout=0))
    with pytest.raises(TimeoutError):
        m.next_event(0)
    begin = time.monotonic()
    with pytest.raises(mam.TimeoutError):
        m.next_event(0.35)
    assert 0.3 < time.monotonic() - begin < SOON
    with pytest.raises(ValueError):
        m.next_event(-1)


def test_the_descriptor(office: Office) -> None:
    with office.open(worker=True) as session:
        list(session.events(timeout=0))
        assert session.fileno() == session.event_fd() >= 0
        session.register_and_enroll(ANN)
        assert select.select([session], [], [], SOON)[0] == [session]
        assert session.next_event(0).time is not None


def test_an_interrupt_at_any_moment_ends_a_loop(office: Office) -> None:
    """Including one after the loop has checked for it and before it waits in C."""
    with office.open(worker=True) as session:
        assert session.register_and_enroll(ANN).wait(30)
        for turn in range(60):
            seen = threading.Event()

            def listen() -> None:
                for _ in session.events():
                    seen.set()

            thread = threading.Thread(target=listen)
            thread.start()
            session.check_in(ANN)
            assert seen.wait(SOON)
            time.sleep(turn * 1e-5)
            session.interrupt()
            thread.join(SOON)
            assert not thread.is_alive()


def test_an_interrupt_between_the_check_and_the_wait(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    with office.open(worker=True) as session:
        events = session.events()
        take = session._take

        def late(*arguments: Any) -> Any:
            session.interrupt()
            return take(*arguments)

        monkeypatch.setattr(session, "_take", late)
        thread = threading.Thread(target=list, args=(events,), daemon=True)
        thread.start()
        thread.join(SOON)
        assert not thread.is_alive()
