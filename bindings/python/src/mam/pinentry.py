"""A ready-made handler of the pin question: pinentry, which asks the person in a window or on the terminal.

    import mam
    import mam.pinentry

    with mam.open("com.example.notes", authority) as m:
        m.on_question(mam.PIN)(mam.pinentry.Pinentry())
        if m.launch().wait():
            ...

The program and this process talk through pipes (Assuan, as GnuPG does), so the PIN is in no argument, environment or
file.
"""

from __future__ import annotations

import hmac
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timezone

from .enums import PINKind, PINPurpose, PINReason
from .pin import PINRule
from .question_types import PINQuestion

__all__ = ["Pinentry", "PinentryError"]

_CANCELED = (99, 114)  # gpg-error codes: canceled, not confirmed
_LONGEST_LINE = 2000
_HEX = b"0123456789abcdef"
_WORDS = {
    "tooShort": "is too short",
    "notDigits": "may have digits only",
    "noLetterOrSpecial": "needs a letter or a special character",
    "noDigit": "needs a digit",
    "noLetter": "needs a letter",
    "noSpecial": "needs a special character",
    "simple": "is too simple",
    "usedBefore": "was used before",
}


class PinentryError(OSError):
    """There is no pinentry, the program is not one, or it has exited."""


class Pinentry:
    """Answers the questions of `mam.PIN`: call it with one, or pass it to `Mam.on_question`.

    program  its name or path. tty and tty_type name the terminal for one that draws on it; None: the process's own
             terminal, or GPG_TTY, and TERM. The answer is a bytearray, which libmam zeroes; {"forgot": True} if the
             person chooses to sign in; or None. Raises PinentryError.
    """

    def __init__(self, program: str = "pinentry", *, tty: str | None = None, tty_type: str | None = None) -> None:
        self.program = program
        self._tty = tty
        self._tty_type = tty_type

    def __call__(self, question: PINQuestion) -> bytearray | Mapping[str, bool] | None:
        """Ask the person."""
        name = question.upn or question.account_id or "this account"
        with self._running(question.deadline) as assuan:
            if question.purpose == PINPurpose.NEW:
                return _choose(assuan, f"New PIN for {name}\n{_rule(question.rule)}", _why_new(question))
            left = question.attempts_left
            problem = f"The PIN was wrong. Attempts left: {left}" if question.reason == PINReason.WRONG else None
            pin = assuan.pin(f"The PIN of {name}", problem)
            if pin is not None:
                return pin
            forgotten = assuan.confirm("Was the PIN forgotten? Whoever signs in sets a new one.", "Sign in", "Cancel")
            return {"forgot": True} if forgotten else None

    @contextmanager
    def _running(self, deadline: datetime | None) -> Iterator[_Assuan]:
        try:
            process = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        except OSError as error:
            raise PinentryError(error.errno, f"{self.program}: {os.strerror(error.errno or 0)}") from None
        with process:
            try:
                yield _Assuan(process, self._options(deadline))
            finally:
                if process.stdin is not None:
                    process.stdin.close()  # this ends the program

    def _options(self, deadline: datetime | None) -> Iterator[str]:
        tty = self._tty or _own_tty() or os.environ.get("GPG_TTY")
        kind = self._tty_type or os.environ.get("TERM")
        locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), None)
        for name, value in (("ttyname", tty), ("ttytype", kind), ("lc-ctype", locale)):
            if value:
                yield f"OPTION {name}={_escape(value)}"
        if deadline is not None:
            left = (deadline - datetime.now(timezone.utc)).total_seconds()
            yield f"SETTIMEOUT {max(1, int(left))}"


class _Assuan:
    """A running pinentry."""

    def __init__(self, process: subprocess.Popen[bytes], options: Iterator[str]) -> None:
        assert process.stdin is not None and process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        self._receive(None)
        for one in options:
            self._send(one)

    def pin(self, description: str, problem: str | None) -> bytearray | None:
        for line in ("SETTITLE PIN", f"SETDESC {_escape(description)}", "SETPROMPT PIN:"):
            self._send(line)
        if problem is not None:
            self._send(f"SETERROR {_escape(problem)}")
        pin = bytearray()
        failure = self._send("GETPIN", pin)
        if failure is None:
            return pin
        _zero(pin)
        if failure in _CANCELED:
            return None
        raise PinentryError(f"pinentry answers with error {failure}")

    def confirm(self, question: str, yes: str, no: str) -> bool:
        for line in (f"SETDESC {_escape(question)}", f"SETOK {_escape(yes)}", f"SETCANCEL {_escape(no)}"):
            self._send(line)
        return self._send("CONFIRM") is None

    def _send(self, line: str, data: bytearray | None = None) -> int | None:
        """Send a line; returns the number of the error in the reply, None for none."""
        try:
            self._in.write(line.encode() + b"\n")
        except BrokenPipeError:
            raise PinentryError("pinentry has ended") from None
        return self._receive(data)

    def _receive(self, data: bytearray | None) -> int | None:
        while True:
            line = self._line()
            try:
                if line.startswith(b"OK"):
                    return None
                if line.startswith(b"ERR "):
                    digits = bytes(line[4:]).split(b" ")[0]
                    return int(digits) & 0xFFFF if digits.isdigit() else 1
                if data is not None and line.startswith(b"D "):
                    _unescape(line, data)
            finally:
                _zero(line)

    def _line(self) -> bytearray:
        line, byte = bytearray(), bytearray(1)
        while len(line) < _LONGEST_LINE:
            if os.readv(self._out.fileno(), [byte]) != 1:
                raise PinentryError("pinentry has ended")
            if byte == b"\n":
                return line
            line += byte
        raise PinentryError("pinentry sends lines without an end")


def _choose(assuan: _Assuan, description: str, problem: str | None) -> bytearray | None:
    """Ask for a new PIN, typed twice."""
    while True:
        first = assuan.pin(description, problem)
        if first is None:
            return None
        again = assuan.pin("The new PIN once more", None)
        if again is None:
            _zero(first)
            return None
        is_same = hmac.compare_digest(first, again)
        _zero(again)
        if is_same:
            return first
        _zero(first)
        problem = "The two differ."


def _rule(rule: PINRule | None) -> str:
    if rule is None:
        return ""
    kind = "characters with a letter or a special one" if rule.kind == PINKind.PASSCODE else "digits"
    simple = ", nothing simple" if rule.simple_blocked else ""
    return f"{rule.minimum_length} {kind} or more{simple}"


def _why_new(question: PINQuestion) -> str | None:
    if question.lacks:
        return f"That PIN {', '.join(_WORDS.get(one, one) for one in question.lacks)}."
    why = {"expired": "its time is over", "tooWeak": "the policy asks for more"}.get(question.reason or "")
    return f"The PIN has to be changed: {why}." if why else None


def _escape(text: str) -> str:
    return text[:600].replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _unescape(line: bytearray, data: bytearray) -> None:
    """Append the bytes behind "D ", one at a time, so that no copy remains elsewhere."""
    at = 2
    while at < len(line):
        digits = [_HEX.find(line[place] | 0x20) for place in range(at + 1, min(at + 3, len(line)))]
        if line[at] == 0x25 and len(digits) == 2 and min(digits) >= 0:
            data.append(digits[0] << 4 | digits[1])
            at += 3
        else:
            data.append(line[at])
            at += 1


def _zero(data: bytearray) -> None:
    data[:] = bytes(len(data))


def _own_tty() -> str | None:
    for stream in (sys.__stdin__, sys.__stderr__, sys.__stdout__):
        try:
            if stream is not None and stream.isatty():
                return os.ttyname(stream.fileno())
        except (OSError, ValueError):
            continue
    return None
