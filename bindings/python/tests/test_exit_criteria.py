"""mam.exit_criteria: the example passes them, and a program that is broken on purpose fails each."""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from unittest import SkipTest

import mam
import mam.testing
import pytest
from mam import exit_criteria
from mam.exit_criteria import CRITERIA, Criterion, Host

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "python" / "test_notes.py"
PAGE = (ROOT / "docs" / "exit-criteria.md").read_text(encoding="utf-8")
SOURCES = str(ROOT / "bindings" / "python" / "src")
BY_NAME = {one.__name__: one for one in CRITERIA}

#: For each criterion that notes.py can be asked: a line of it, what a careless author might have written in its place, and how
#: the criterion fails.
BROKEN = {
    "personal_data_needs_no_account": (
        'work_account(session) if kind == "work" else ""',
        "work_account(session)",
        r"of nobody \(personal\) cannot be written",
    ),
    "an_untargeted_user_is_not_restricted": (
        "    report = session.launch().wait()",
        "    report = session.launch().wait()\n    if session.registered_accounts() and not session.enrolled_accounts():\n"
        '        raise Refused("there is no policy")',
        r"of nobody \(personal\) cannot be written",
    ),
    "a_targeted_user_is_managed": (
        'finish("enroll", session.register_and_enroll(upn))',
        "session.register_account(upn)",
        "knows no enrollment of com.example.notes",
    ),
    "a_pin_closes_work_data": (
        "    if sys.stdin.isatty():",
        '    session.on_question(mam.PIN)(lambda question: b"258013")\n    if sys.stdin.isatty():',
        "is shown without the PIN",
    ),
    "a_failed_launch_closes_work_data": (
        "                launch(session)",
        "                session.check_in().wait()",
        "is shown though the version",
    ),
    "work_data_is_encrypted": (
        'cast("mam.File", file.raw).sync()',
        'cast("mam.File", file.raw).sync()\n                self.path(number).with_suffix(".txt~").write_text(text)',
        "is readable in .*txt~",
    ),
    "saving_is_blocked": (
        "self.session.file_export(self.path(number), mam.SaveLocation.LOCAL_DRIVE, target)",
        'Path(target).write_bytes(self.session.open_file(self.path(number), "rb").read())',
        "is saved, though",
    ),
    "saving_is_allowed": (
        "self.session.file_export(",
        'if self.account:\n            raise Refused("work")\n        self.session.file_export(',
        "is refused, though",
    ),
    "a_listed_location_is_allowed": (
        "self.session.file_export(",
        'if not self.session.check("saveTo", self.account, location=mam.SaveLocation.OTHER):\n'
        '            raise Refused("work")\n        self.session.file_export(',
        "to a listed location is refused",
    ),
    "a_second_managed_account_is_refused": (
        "worker=False,",
        'worker=False,\n            settings={"MultiManagedIdentities": words[:1] == ["enroll"]},',
        "a second managed account signs in",
    ),
    "signing_out_removes_work_data": (
        "session.wipe_account(account.account_id)",
        "session.deregister_and_unenroll(account.account_id)",
        "files are left after signing out",
    ),
    "personal_data_is_not_managed": (
        'work_account(session) if kind == "work" else ""',
        'work_account(session) if kind == "work" or session.primary_account() else ""',
        r"of nobody \(personal\) is not shown",
    ),
    "a_wipe_removes_work_data": (
        'cast("mam.File", file.raw).sync()',
        'cast("mam.File", file.raw).sync()\n            if self.account:\n'
        '                (self.folder.parent / "recent").write_bytes(self.session.protect(self.account, text.encode()))',
        "files are left after a wipe: .*/recent",
    ),
    "a_wiped_account_takes_no_data": (
        'raise Failed("work account: there is none; use: notes.py enroll UPN")',
        'return ""',
        "is written for a wiped account",
    ),
}


def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("test_notes", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def office(tmp_path: Path) -> Iterator[mam.testing.Office]:
    with mam.testing.office(tmp_path) as made:
        yield made


class Desk(Host):
    """A program in this process that opens, prints and pastes. `answer` None obeys policy; else it is every answer."""

    answer: bool | None = None

    def __init__(self, office: mam.testing.Office) -> None:
        super().__init__(office)
        self.m = office.open(self.app, worker=False)
        self.items: dict[str, bytes] = {}

    def start(self) -> str:
        self.m.launch().wait(30)
        return ""

    def sign_in(self, user: str) -> bool:
        return bool(self.m.register_and_enroll(user).wait(30))

    def sign_out(self, user: str) -> None:
        raise SkipTest("not for this program")

    def write(self, owner: str, text: str) -> str:
        self.items[key := str(len(self.items))] = self.m.protect(owner, text.encode())
        return key

    def read(self, owner: str, key: str) -> str:
        return self.m.unprotect(self.items[key]).decode()

    def asked(self, answer: object) -> bool:
        return bool(answer) if self.answer is None else self.answer

    def open_file(self, owner: str, source: Path) -> str | None:
        with self.m.policy(owner) as policy:
            if not self.asked(policy.is_open_from_allowed(mam.OpenLocation.LOCAL_STORAGE)):
                return None
        return self.write(owner, source.read_text())

    def print_out(self, owner: str, key: str) -> bool:
        with self.m.policy(owner) as policy:
            return self.asked(policy.is_print_allowed)

    def paste(self, owner: str, key: str, into: str) -> bool:
        with self.m.policy(owner) as policy:
            return self.asked(policy.clipboard(len(self.read(owner, key)), to=into))


class Careless(Desk):
    answer = True


class Anxious(Desk):
    answer = False


OPTIONAL = ["opening", "printing", "pasting"]


def test_the_example_passes() -> None:
    """In a separate run, as its docstring says."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-p", "mam_pytest", str(EXAMPLE)],
        env={
            **os.environ,
            "PYTHONPATH": SOURCES,
            "PYTEST_ADDOPTS": "",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert f"{len(BROKEN)} passed, {len(CRITERIA) - len(BROKEN)} skipped" in done.stdout, done.stdout + done.stderr
    for action in ("open_file", "print_out", "paste"):
        assert f"Notes has no {action}" in done.stdout


@pytest.mark.parametrize("name", list(BROKEN))
def test_a_broken_program_fails(name: str, office: mam.testing.Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", SOURCES)
    Notes = example().Notes
    source = Notes.program.read_text(encoding="utf-8")
    line, instead, failure = BROKEN[name]
    assert line in source
    Notes.program = tmp_path / "notes.py"
    Notes.program.write_text(source.replace(line, instead), encoding="utf-8")
    with pytest.raises(AssertionError, match=failure):
        BY_NAME[name](Notes(office))


@pytest.mark.parametrize("criterion", [one for one in CRITERIA if one.__name__.split("_")[0] in OPTIONAL])
def test_what_the_example_lacks(criterion: Criterion) -> None:
    with mam.testing.office() as office:
        criterion(Desk(office))
    wrong = Careless if criterion.__name__.endswith("blocked") else Anxious
    with mam.testing.office() as office, pytest.raises(AssertionError, match="policy"):
        criterion(wrong(office))


def test_every_criterion_is_tried_and_on_the_page() -> None:
    written = [
        name
        for name, value in vars(exit_criteria).items()
        if inspect.isfunction(value) and value.__module__ == exit_criteria.__name__ and not name.startswith("_")
    ]
    assert written == list(BY_NAME)
    assert {*BROKEN} == {name for name in BY_NAME if name.split("_")[0] not in OPTIONAL}
    assert re.findall(r"(?m)`(\w+)` \|$", PAGE) == list(BY_NAME)
    for criterion in CRITERIA:
        assert criterion.__doc__


def test_the_excerpt_on_the_page_is_the_example() -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    blocks = re.findall(r"(?m)^```py\n(.*?)^```", PAGE, re.S)
    assert blocks
    for line in blocks[0].splitlines():
        assert line in lines, line


def test_a_driver_without_its_duties_is_an_error(office: mam.testing.Office) -> None:
    class Nothing(Host):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Nothing(office)  # type: ignore[abstract]
