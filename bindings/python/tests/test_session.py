"""A session's life: opening, settings, closing at any time and from any thread."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import ANN, APP, Office, in_child
from loops import SOON

SOURCES = Path(mam.__file__).parent.parent


def script(office: Office, body: str) -> subprocess.Popen[str]:
    """A program that has opened a session `m` with a worker."""
    code = (
        "import sys, threading, time, mam\n"
        f"m = mam.open({APP!r}, {office.authority.path!r}, state_directory={str(office.folder / 'state')!r},\n"
        "             settings={'MultiManagedIdentities': True})\n" + body
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "LIBMAM_PATH": mam.library_path()}
    return subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_closing_again_changes_nothing(office: Office) -> None:
    session = office.open()
    assert not session.closed
    session.close()
    session.close()
    assert session.closed
    with pytest.raises(mam.ClosedError):
        session.registered_accounts()
    with pytest.raises(ValueError):
        session.events()


def test_with_closes_after_an_exception(office: Office) -> None:
    with pytest.raises(KeyError), office.open() as session:
        raise KeyError("the host's own")
    assert session.closed


def test_handles_close_in_any_order(office: Office) -> None:
    session = office.open()
    policy = session.policy(ANN)
    session.close()
    with pytest.raises(mam.ClosedError):
        _ = policy.is_print_allowed
    policy.close()
    policy.close()


def test_a_policy_keeps_its_session(office: Office) -> None:
    with office.open().policy(None) as policy:
        gc.collect()
        assert policy.is_print_allowed
    with pytest.warns(ResourceWarning, match="unclosed <mam.Mam"):
        del policy
        gc.collect()


def test_collected_sessions_close(office: Office) -> None:
    session = office.open(worker=True)
    descriptor = session.event_fd()
    session.set_delegate(lambda question: session.closed)  # a cycle  # noqa: F821
    os.fstat(descriptor)
    with pytest.warns(ResourceWarning):
        del session
        gc.collect()
    with pytest.raises(OSError):
        os.fstat(descriptor)


def test_many_sessions_at_once(office: Office) -> None:
    with office.open() as one, office.open(app="com.example.other") as two:
        one.register_and_enroll(ANN).wait(30)
        assert len(one.enrolled_accounts()) == 1
        assert two.enrolled_accounts() == []


def test_settings_and_their_sources(office: Office) -> None:
    with office.open(version="1.2", group="com.example") as session:
        reported = session.settings()
        assert reported["app"]["id"] == APP
        assert reported["app"]["group"] == "com.example"
        sources = {one["key"]: one["source"] for one in reported["settings"]}
        assert sources["MultiManagedIdentities"] == "settings"


def test_overrides_last_and_are_cleared(office: Office) -> None:
    def source() -> Any:
        with office.open() as session:
            return next(one for one in session.settings()["settings"] if one["key"] == "MultiManagedIdentities")

    with office.open() as session:
        session.set_override("MultiManagedIdentities", False)
        with pytest.raises(mam.NotFoundError):
            session.set_override("NoSuchKey", True)
        with pytest.raises(mam.JSONError):
            session.set_override("MultiManagedIdentities", "maybe")
    assert (source()["value"], source()["source"]) == (False, "override")
    with office.open() as session:
        session.set_override("MultiManagedIdentities", None)
    assert source()["source"] == "settings"


@pytest.mark.parametrize(
    "keys",
    [
        {"app": ""},
        {"app": "-starts-with-a-dash"},
        {"app": "a" * 129},
        {"group": "no spaces"},
        {"unknown_identities": "maybe"},
        {"questions": "maybe"},
        {"question_timeout": "soon"},
        {"state_directory": "relative"},
        {"device": {"noSuchKey": 1}},
        {"settings": {"MultiManagedIdentities": "yes and no"}},
        {"settings": {"NoSuchKey": True}},
        {"app": "nul\0inside"},
        {"app": "surrogate\ud800"},
        {"settings": {"MultiManagedIdentities": float("nan")}},
    ],
)
def test_broken_settings(office: Office, keys: dict[str, Any]) -> None:
    with pytest.raises(ValueError) as caught:
        office.open(**keys)
    assert isinstance(caught.value, mam.MamError)


def test_an_authority_is_needed(tmp_path: Path) -> None:
    with pytest.raises(mam.MamError):
        mam.open(APP, {}, state_directory=tmp_path / "state")


def test_state_that_others_can_read(office: Office) -> None:
    (office.folder / "state").mkdir(mode=0o755)
    (office.folder / "state").chmod(0o777)
    with pytest.raises(PermissionError):
        office.open()


def test_closing_interrupts_a_waiting_thread(office: Office) -> None:
    session = office.open(worker=True)
    ended = threading.Event()

    def listen() -> None:
        for _ in session.events():
            pass
        ended.set()

    thread = threading.Thread(target=listen)
    thread.start()
    time.sleep(0.1)
    session.close()
    thread.join(SOON)
    assert ended.is_set()


def test_interrupt_ends_waits_and_nothing_else(office: Office) -> None:
    with office.open(worker=True) as session:
        done = threading.Event()

        def again_and_again() -> None:
            while not done.wait(0.05):
                session.interrupt()

        thread = threading.Thread(target=again_and_again)
        thread.start()
        with pytest.raises(mam.WaitInterruptedError):
            while True:
                session.next_event()
        done.set()
        thread.join()
        assert session.registered_accounts() == []


def test_the_end_of_the_interpreter_with_everything_open(office: Office) -> None:
    process = script(
        office,
        "m.set_delegate(lambda question: time.sleep(0.05))\n"
        "m.set_log(lambda level, message: len(message), mam.LogLevel.VERBOSE)\n"
        f"m.register_and_enroll({ANN!r}).wait(30)\n"
        "policy = m.policy('x')\n"
        "inside = threading.Event()\n"
        "threading.Thread(target=lambda: [inside.set() for _ in m.events()], daemon=True).start()\n"
        "inside.wait()\n"
        f"m.wipe_account({ANN!r})\n"
        "m.cycle = [m, policy]\n"
        "print('end')\n",
    )
    out, err = process.communicate(timeout=SOON)
    assert (process.returncode, out, err) == (0, "end\n", "")


def test_ctrl_c_ends_a_wait_for_ever(office: Office) -> None:
    process = script(office, "list(m.events(0))\nprint('waiting', flush=True)\nwhile True: m.next_event()\n")
    assert process.stdout and process.stdout.readline() == "waiting\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=SOON)
    assert "KeyboardInterrupt" in err


def test_a_forked_child(office: Office) -> None:
    with office.open(worker=True) as session:
        session.register_and_enroll(ANN).wait(30)
        with session.policy(ANN) as policy:

            def inherited() -> str:
                reported = []
                for call in (session.enrolled_accounts, session.events, lambda: policy.is_pin_required):
                    try:
                        call()
                    except mam.ForkedError:
                        reported.append("forked")
                policy.close()
                session.close()
                return " ".join(reported)

            def anew() -> int:
                with office.open() as own:
                    return len(own.enrolled_accounts())

            assert in_child(inherited) == "forked forked forked"
            assert in_child(anew) == "1"
            # The child has not touched the parent's handles.
            assert policy.is_pin_required
            assert len(session.enrolled_accounts()) == 1
