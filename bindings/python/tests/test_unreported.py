"""Unenrollments that the authority has not received, across killed processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import mam
import pytest
from conftest import ANN, BEN, Office

Step = Callable[[mam.Mam], object]


def killed(office: Office, *steps: Step) -> None:
    """Perform the steps in a separate process, which is killed right after."""
    child = os.fork()
    if child == 0:
        try:
            session = office.open()
            for step in steps:
                step(session)
            os.kill(os.getpid(), signal.SIGKILL)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def enroll(upn: str) -> Step:
    return lambda session: session.register_and_enroll(upn=upn).wait()


def leave(upn: str) -> Step:
    return lambda session: session.deregister_and_unenroll(upn)


def left(upn: str) -> Step:
    return lambda session: session.deregister_and_unenroll(upn).wait()


def waiting(session: mam.Mam) -> list[Any]:
    return [one["upn"] for one in session.diagnostics()["unenrollments"]]


@pytest.mark.parametrize("step", [leave, left])
def test_a_pending_report_survives_a_kill_and_ends_no_later_enrollment(office: Office, step: Callable[[str], Step]) -> None:
    office.authority.set_fault("network", operation="unenroll")
    killed(office, enroll(ANN), enroll(BEN), step(ANN))
    assert len(office.authority.registrations()) == 2
    with office.open() as session:
        assert waiting(session) == [ANN]
        reports = [event for event in session.events(timeout=0) if event.kind == mam.EventKind.UNENROLL_REQUEST]
        assert len(reports) == 1
        office.authority.clear_faults()
        assert session.register_and_enroll(upn=ANN).wait().succeeded
        now = {one.upn: one.id for one in office.authority.registrations()}
        assert waiting(session) == [], "it is reported before the account is enrolled again"
        message = session.deregister_and_unenroll(BEN).wait().message
        assert message is not None and message.startswith("The account is unenrolled")
        assert waiting(session) == []
        assert {one.upn: one.id for one in office.authority.registrations()} == {ANN: now[ANN]}
        assert session.check_in(ANN).wait().succeeded


def test_a_wipe_that_was_ordered_before_survives_a_kill(office: Office) -> None:
    killed(office, enroll(ANN))
    with office.open() as session:
        secret = session.protect(ANN, b"plan")
    office.authority.request_wipe(ANN)
    office.authority.set_fault("network", operation="unenroll")
    killed(office, left(ANN))
    with office.open() as session:
        assert session.unprotect(secret) == b"plan", "the authority could not order it yet"
        office.authority.clear_faults()
        assert session.register_and_enroll(upn=ANN).wait().code == mam.StatusCode.WIPE_RECEIVED
        session.run_due()
        with pytest.raises(mam.KeyUnavailableError):
            session.unprotect(secret)
        reasons = [event.reason for event in session.events(timeout=0) if isinstance(event, mam.WipeCompletedEvent)]
        assert reasons == ["administrator"]
    (wipe,) = office.authority.wipes()
    assert (wipe.pending, wipe.done) == (0, 1)


def test_every_process_sees_pending_reports_and_one_delivers_them(office: Office) -> None:
    with office.open() as other:
        office.authority.set_fault("network", operation="unenroll")
        killed(office, enroll(ANN), enroll(BEN), left(ANN))
        assert waiting(other) == [ANN]
        office.authority.clear_faults()
        killed(office, left(BEN))
        assert waiting(other) == []
        assert office.authority.registrations() == []
