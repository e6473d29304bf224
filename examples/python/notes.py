#!/usr/bin/env python3
"""notes: work and personal notes side by side in one directory.

    notes.py enroll UPN               sign in a work account
    notes.py add work|personal TEXT   keep a note
    notes.py list
    notes.py show N
    notes.py export N PATH            write a note's text to PATH, if its owner's policy allows that
    notes.py wipe                     give the work account up; its notes become unreadable

Exit status: 0 done, 1 failed, 2 usage, 3 refused by policy.
Environment: MAM_AUTHORITY (required), MAM_STATE, MAM_APP, NOTES_DIR.
The notes are the same files that notes.c and notes.sh write.
"""

from __future__ import annotations

import getpass
import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import mam


class Refused(Exception):
    """The owner's policy forbids it."""


class Failed(Exception):
    """It did not work, and the text says why."""


class Notes:
    """A directory of notes. Note N is the file N.note."""

    def __init__(self, directory: Path, session: mam.Mam) -> None:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.directory = directory
        self.session = session

    def path(self, number: int) -> Path:
        return self.directory / f"{number}.note"

    def numbers(self) -> Iterator[int]:
        return itertools.takewhile(lambda number: self.path(number).exists(), itertools.count(1))

    def launch(self) -> None:
        """Before anything is shown: what the policies check. An account that it closes stays closed in this session, so that
        opening its notes is refused; what stands against the app itself ends the program."""
        if sys.stdin.isatty():
            self.session.on_question(mam.PIN)(lambda question: getpass.getpass(f"PIN of {question.account_id}: "))
        report = self.session.launch().wait()
        for finding in report.findings:
            print(f"notes: {finding.message}", file=sys.stderr)
        if any(finding.action != "warn" and finding.account_id is None for finding in report.findings):
            raise Refused(f"the app is {report.outcome}")

    def enroll(self, upn: str) -> None:
        self.finish("enroll", self.session.register_and_enroll(upn))

    def wipe(self) -> None:
        self.finish("wipe", self.session.wipe_account(self.work_account()))

    def finish(self, what: str, operation: mam.Operation[mam.EnrollmentStatus]) -> None:
        status = operation.wait()
        if not status.did_succeed:
            raise Failed(f"{what}: {status.message}")
        print(f"{what}: {status.message}")

    def work_account(self) -> str:
        account = self.session.primary_account()
        if account is None:
            raise Failed("work account: there is none; use: notes.py enroll UPN")
        return account.account_id

    def add(self, kind: str, text: str) -> None:
        """Every note goes through protect: work notes are sealed, personal ones labelled as nobody's."""
        account = self.work_account() if kind == "work" else ""
        data = text.encode()
        try:
            sealed = self.session.protect(account, data)
        except mam.NotManagedError:
            if account:
                raise
            sealed = data  # no work account at all: nothing to keep apart
        number = max(self.numbers(), default=0) + 1
        self.path(number).write_bytes(sealed)
        print(f"note {number}: {kind}")

    def owner(self, number: int) -> str:
        """The account that owns a note; "" for a personal one."""
        try:
            return self.session.protection_info(self.path(number).read_bytes()).account_id
        except mam.NotProtectedError:
            return ""

    def text(self, number: int) -> str:
        return self.session.unprotect(self.path(number).read_bytes()).decode(errors="replace")

    def list(self) -> None:
        for number in self.numbers():
            kind = "work" if self.owner(number) else "personal"
            try:
                text = self.text(number)
            except (mam.KeyUnavailableError, mam.LockedError) as error:
                text = f"(unreadable: {error.message})"
            print(f"{number} {kind}: {text}")

    def show(self, number: int) -> None:
        print(self.text(number))

    def export(self, number: int, path: Path) -> None:
        """The owner's policy decides; a refusal comes with its reason."""
        text = self.text(number)
        decision = self.session.check("saveTo", self.owner(number), location=mam.SaveLocation.LOCAL_DRIVE)
        if not decision.allowed:
            raise Refused(decision.reason.message if decision.reason else "forbidden")
        path.write_text(text)


USAGE = "usage: notes.py enroll UPN | add work|personal TEXT | list | show N | export N PATH | wipe"


def run(notes: Notes, words: list[str]) -> bool:
    """Do what the command line says; False if it says nothing known."""
    match words:
        case ["enroll", upn]:
            notes.enroll(upn)
        case ["add", ("work" | "personal") as kind, text]:
            notes.add(kind, text)
        case ["list"]:
            notes.list()
        case ["show", number] if number.isdecimal():
            notes.show(int(number))
        case ["export", number, path] if number.isdecimal():
            notes.export(int(number), Path(path))
        case ["wipe"]:
            notes.wipe()
        case _:
            return False
    return True


def shows(words: list[str]) -> bool:
    """Whether the command line asks for data; who enrolls, or gives an account up, is not asked for a PIN first."""
    return words[:1] not in (["enroll"], ["wipe"])


def main() -> int:
    try:
        authority = os.environ["MAM_AUTHORITY"]
    except KeyError:
        print("notes: MAM_AUTHORITY: not set; name the authority's file", file=sys.stderr)
        return 1
    try:
        # A program that runs for a moment needs no worker: run_due does what is due.
        with mam.open(
            os.environ.get("MAM_APP", "com.example.notes"),
            authority,
            state_directory=os.environ.get("MAM_STATE"),
            worker=False,
        ) as session:
            session.run_due()
            notes = Notes(Path(os.environ.get("NOTES_DIR", "notes")), session)
            if shows(sys.argv[1:]):
                notes.launch()
            known = run(notes, sys.argv[1:])
    except (Refused, mam.LockedError) as refusal:
        print(f"notes: refused: {refusal}", file=sys.stderr)
        return 3
    except (Failed, mam.MamError, OSError) as error:
        print(f"notes: {error}", file=sys.stderr)
        return 1
    if not known:
        print(USAGE, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
