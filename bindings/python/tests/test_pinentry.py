"""The ready-made answer to the pin question: a real pinentry on a pseudo-terminal, and ones that misbehave."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import struct
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path

import mam
import pytest
from conftest import ANN, Office
from mam import PINQuestion
from mam.pinentry import Pinentry, PinentryError
from test_pin import demand

CURSES = shutil.which("pinentry-curses")
needs_curses = pytest.mark.skipif(CURSES is None, reason="pinentry-curses is not installed")


@contextmanager
def person(*keys: bytes) -> Iterator[str]:
    """The name of a terminal at which a person types: the next keys whenever it shows a new dialog."""
    screen, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    has_left = threading.Event()

    def read(seconds: float) -> bytes:
        return os.read(screen, 4096) if select.select([screen], [], [], seconds)[0] else b""

    def is_by_line() -> bool:
        return bool(termios.tcgetattr(terminal)[3] & termios.ICANON)

    def work() -> None:
        shown = b""
        for dialog in keys:
            # The last button is drawn, and keys are read one by one: it waits for them.
            while (b"Cancel" not in shown or is_by_line()) and not has_left.is_set():
                shown += read(0.05)
            shown = b""
            for key in dialog:
                # Every key has an echo. A key without one for this long came too early for the program, and is lost.
                while not shown and not has_left.is_set():
                    os.write(screen, bytes([key]))
                    shown = read(15)
                while more := read(0.05):
                    shown += more
                shown = shown if key == 0x0D else b""

    typing = threading.Thread(target=work)
    typing.start()
    try:
        yield os.ttyname(terminal)
    finally:
        has_left.set()
        typing.join()
        os.close(terminal)
        os.close(screen)


def question(purpose: str = "enter") -> PINQuestion:
    return PINQuestion(7, "pin", "ann-id", ANN, datetime.now(timezone.utc) + timedelta(minutes=1), purpose=purpose)


def entered(tty: str, asked: PINQuestion) -> object:
    return Pinentry(str(CURSES), tty=tty, tty_type="xterm")(asked)


@needs_curses
def test_a_person_enters_a_pin() -> None:
    with person(b"13%9 7\r") as tty:
        assert entered(tty, question()) == b"13%9 7"


@needs_curses
def test_a_new_one_is_typed_twice() -> None:
    with person(b"1397\r", b"1398\r", b"2468\r", b"2468\r") as tty:
        assert entered(tty, question("new")) == b"2468"


@needs_curses
def test_a_person_cancels_or_has_forgotten() -> None:
    with person(b"\t\t\r", b"\t\r") as tty:
        assert entered(tty, question()) is None
    with person(b"\t\t\r", b"\r") as tty:
        assert entered(tty, question()) == {"forgot": True}


@needs_curses
@pytest.mark.parametrize("worker", [False, True])
def test_a_reset_with_pinentry(office: Office, worker: bool) -> None:
    demand(office)
    with office.open(worker=worker) as session, person(b"2468\r", b"2468\r") as tty:
        assert session.register_and_enroll(ANN).wait(30)
        session.pin_set(ANN, "1397")
        session.on_question(mam.AUTHENTICATE)(lambda asked: ANN)
        session.on_question(mam.PIN)(Pinentry(str(CURSES), tty=tty, tty_type="xterm"))
        assert session.pin_reset(ANN).wait(60).result == "changed"
        session.pin_verify(ANN, "2468")


def script(folder: Path, text: str) -> str:
    path = folder / "pinentry"
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o700)
    return str(path)


ANSWERS = "echo OK; while read -r word rest; do case $word in GETPIN) {getpin};; *) echo OK;; esac; done"


@pytest.mark.parametrize(
    ("getpin", "pin"),
    [
        ("echo 'D 13%2597%0'; echo OK", b"13%97%0"),
        ("echo 'D 13'; echo '# a comment'; echo 'S STATUS'; echo 'D 97'; echo OK", b"1397"),
        ("echo 'D %zz%4'; echo OK", b"%zz%4"),
        ("echo OK", b""),
    ],
)
def test_replies_of_a_pinentry(tmp_path: Path, getpin: str, pin: bytes) -> None:
    answer: object = Pinentry(script(tmp_path, ANSWERS.format(getpin=getpin)))(question())
    assert answer == pin


@pytest.mark.parametrize(
    "text",
    [
        "exit 1",
        "echo OK",
        "head -c 100000 /dev/zero | tr '\\0' x",
        ANSWERS.format(getpin="echo ERR 83886085 No pinentry"),
        ANSWERS.format(getpin="echo 'D 1397'; exit"),
    ],
)
def test_one_that_misbehaves(tmp_path: Path, text: str) -> None:
    with pytest.raises(PinentryError) as caught:
        Pinentry(script(tmp_path, text))(question())
    assert "1397" not in str(caught.value)


def test_no_pinentry(tmp_path: Path) -> None:
    with pytest.raises(PinentryError):
        Pinentry(str(tmp_path / "none"))(question())
    with pytest.raises(OSError):  # the class that a caller would catch
        Pinentry("/dev/null")(question())
