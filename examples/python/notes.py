#!/usr/bin/env python3
"""notes: work and personal notes side by side.

    notes.py enroll UPN                          sign in a work account
    notes.py add work|personal TEXT              keep a note
    notes.py list
    notes.py show work|personal N
    notes.py export work|personal N PATH         copy a note to PATH, if its owner's policy allows that
    notes.py wipe                                remove the work account and its notes

Exit status: 0 done, 1 failed, 2 usage, 3 refused by policy.
Environment: MAM_AUTHORITY (required), MAM_STATE, MAM_APP, NOTES_DIR.
The notes are the same files that notes.c and notes.sh write.
"""

from __future__ import annotations

import getpass
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import cast

import mam


class Refused(Exception):
    """The owner's policy forbids it."""


class Failed(Exception):
    """It failed, and the text says why."""


def sentence(error: Exception) -> str:
    """The sentence for the person: libmam's `str(error)` is for the log."""
    return error.user_message if isinstance(error, mam.MamError) else str(error)


class Notes:
    """The notes of one owner, in a separate folder: a database of the notes, and a file for each text. The contents are
    encrypted on the disk if the account's policy requires it; to the program they are a database and files."""

    def __init__(self, session: mam.Mam, kind: str) -> None:
        self.session = session
        self.kind = kind
        self.account = work_account(session) if kind == "work" else ""  # "" is no account
        self.folder = Path(os.environ.get("NOTES_DIR", "notes")) / (f"work-{self.account}" if self.account else "personal")
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        index = self.folder / "index.db"
        if self.account:
            # A policy may begin to require encryption: SQLite has to write a plain index anew.
            with session.policy(self.account) as policy:
                if index.exists() and policy.is_file_encryption_required:
                    session.sqlite_encrypt(index, self.account)
            # The folder belongs to the account, and so does everything created in it: a wipe removes all of it.
            session.file_verify_and_protect(self.folder, self.account)
        self.index = session.connect_sqlite(index, account=self.account)
        self.index.execute("CREATE TABLE IF NOT EXISTS notes (number INTEGER PRIMARY KEY, title TEXT NOT NULL)")

    def close(self) -> None:
        self.index.close()

    def path(self, number: int) -> Path:
        return self.folder / f"{number}.txt"

    def add(self, text: str) -> None:
        """The row is committed when the text is on the disk. A text without a row, as after a kill, is replaced by the next
        note's."""
        with self.index:
            title = "INSERT INTO notes (title) VALUES (substr(replace(?, char(10), ' '), 1, 40))"
            number = self.index.execute(title, [text]).lastrowid or 0
            with self.session.open_file(self.path(number), "wb", account=self.account, permissions=0o600) as file:
                file.write(text.encode())
                file.flush()
                cast("mam.File", file.raw).sync()
        print(f"{self.kind} note {number}")

    def list(self) -> None:
        for number, title in self.index.execute("SELECT number, title FROM notes ORDER BY number"):
            print(f"{self.kind} {number}: {title}")

    def show(self, number: int) -> None:
        with self.session.open_file(self.path(number), encoding="utf-8", errors="replace") as file:
            print(file.read())

    def export(self, number: int, target: str) -> None:
        """The owner's policy decides, and a refusal comes with its reason. If it lets data go to managed apps only, only
        they can read the copy."""
        self.session.file_export(self.path(number), mam.SaveLocation.LOCAL_DRIVE, target)


def work_account(session: mam.Mam) -> str:
    account = session.primary_account()
    if account is None:
        raise Failed("work account: there is none; use: notes.py enroll UPN")
    if "/" in account.account_id:
        raise Failed(f"{account.account_id}: not a name for a folder")
    if session.blocked_accounts():  # closed by launch, whose finding has said why
        raise Refused("work notes: closed")
    return account.account_id


def launch(session: mam.Mam) -> None:
    """The checks of the policies, before anything is shown. An account that it closes stays closed in this session: its
    files and databases do not open. A finding about the app itself ends the program."""
    if sys.stdin.isatty():
        session.on_question(mam.PIN)(lambda question: getpass.getpass(f"PIN of {question.account_id}: "))
    report = session.launch().wait()
    for finding in report.findings:
        print(f"notes: {finding.user_message}", file=sys.stderr)
    if any(finding.action != mam.LaunchAction.WARN and finding.account_id is None for finding in report.findings):
        raise Refused(f"the app is {report.outcome}")


def hear(session: mam.Mam) -> None:
    """Events since the last run. A wipe, whoever requested it, has removed the account's folder: report it, and continue
    without. A program with windows would close those of the account here."""
    for event in session.events(timeout=0):
        if isinstance(event, mam.WipeCompletedEvent):
            print(f"notes: {event.account_id}: wiped; its notes are gone", file=sys.stderr)


def finish(what: str, operation: mam.Operation[mam.EnrollmentStatus]) -> None:
    status = operation.wait()
    if not status:
        raise Failed(f"{what}: {status.user_message}")
    print(f"{what}: {status.user_message}")


def wipe(session: mam.Mam) -> None:
    account = session.primary_account()  # a closed one can be removed too
    if account is None:
        raise Failed("work account: there is none")
    finish("wipe", session.wipe_account(account.account_id))


def list_all(session: mam.Mam) -> None:
    """Without work notes the personal ones are still listed."""
    for kind in ("work", "personal"):
        try:
            with closing(Notes(session, kind)) as notes:
                notes.list()
        except (Refused, Failed, mam.MamError, sqlite3.Error) as error:
            print(f"notes: {sentence(error)}", file=sys.stderr)


USAGE = """usage: notes.py enroll UPN | add work|personal TEXT | list | show work|personal N | export work|personal N PATH | wipe"""


def run(session: mam.Mam, words: list[str]) -> bool:
    """Execute the command line; False for an unknown command."""
    match words:
        case ["enroll", upn]:
            finish("enroll", session.register_and_enroll(upn))
        case ["wipe"]:
            wipe(session)
        case ["list"]:
            list_all(session)
        case [command, ("work" | "personal") as kind, *rest]:
            with closing(Notes(session, kind)) as notes:
                match [command, *rest]:
                    case ["add", text]:
                        notes.add(text)
                    case ["show", number] if number.isdecimal():
                        notes.show(int(number))
                    case ["export", number, path] if number.isdecimal():
                        notes.export(int(number), path)
                    case _:
                        return False
        case _:
            return False
    return True


def main() -> int:
    words = sys.argv[1:]
    try:
        authority = os.environ["MAM_AUTHORITY"]
    except KeyError:
        print("notes: MAM_AUTHORITY: not set; name the authority's file", file=sys.stderr)
        return 1
    try:
        # A program that runs for a moment needs no worker: run_due does what is due. Offline the last policy stays in force;
        # launch checks for how long.
        with mam.open(
            os.environ.get("MAM_APP", "com.example.notes"),
            authority,
            state_directory=os.environ.get("MAM_STATE"),
            worker=False,
        ) as session:
            session.run_due()
            # Enrolling, or removing the account, requires no PIN.
            if words[:1] not in (["enroll"], ["wipe"]):
                launch(session)
            hear(session)
            known = run(session, words)
            hear(session)
    except (Refused, mam.DeniedError, mam.LockedError) as refusal:
        print(f"notes: refused: {sentence(refusal)}", file=sys.stderr)
        return 3
    except (Failed, mam.MamError, sqlite3.Error, OSError) as error:
        print(f"notes: {sentence(error)}", file=sys.stderr)
        return 1
    if not known:
        print(USAGE, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
