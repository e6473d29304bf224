"""Files that a program leaves open: what Python's buffers hold is written before their session is closed."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import ANN, APP, EVE, Office, in_child

MODES = {"w": "new", "wb": b"new", "w+": "new", "w+b": b"new", "a": "new", "x": "new"}


@pytest.fixture
def m(office: Office) -> Iterator[mam.Mam]:
    with office.open() as session:
        assert session.register_and_enroll(ANN).wait(30)
        yield session


def content(office: Office, path: Path) -> str:
    with office.open() as again, again.open_file(path) as file:
        return str(file.read())


def test_closing_the_session_writes(m: mam.Mam, office: Office, tmp_path: Path) -> None:
    files = [(mode, m.open_file(tmp_path / f"{mode}.{account}", mode, account=account)) for mode in MODES for account in (ANN, EVE)]
    for mode, file in files:
        file.write(MODES[mode])
    m.close()
    for mode, file in files:
        assert file.closed
        with pytest.raises(ValueError, match="closed file"):
            file.write(MODES[mode])
        file.close()
    assert [content(office, path) for path in tmp_path.glob("*.*@*")] == ["new"] * 2 * len(MODES)


def test_the_end_of_a_block_writes(office: Office, tmp_path: Path) -> None:
    with office.open() as session:
        notes = [session.open_file(tmp_path / str(number), "w", account="") for number in range(20)]
        for number, note in enumerate(notes):
            note.write(str(number))
    assert [(tmp_path / str(number)).read_text() for number in range(20)] == [str(number) for number in range(20)]


#: Layers that a program may hold of a text file.
HOLDS: dict[str, Callable[[Any], Any]] = {
    "the buffered layer": lambda file: file.detach(),
    "the detached text layer too": lambda file: (file, file.detach()),
    "the raw file": lambda file: file.detach().detach(),
}


@pytest.mark.parametrize("held", HOLDS)
def test_layers(m: mam.Mam, office: Office, tmp_path: Path, held: str) -> None:
    kept = HOLDS[held](m.open_file(tmp_path / "note", "w", account=ANN))
    layer = kept[1] if isinstance(kept, tuple) else kept
    layer.write(b"new")
    del layer
    m.close()
    del kept
    gc.collect()
    assert content(office, tmp_path / "note") == "new"


def test_reading_ends(m: mam.Mam, tmp_path: Path) -> None:
    m.open_file(tmp_path / "note", "w", account=ANN).close()
    file = m.open_file(tmp_path / "note")
    m.close()
    with pytest.raises(ValueError, match="closed file"):
        file.read()


def test_only_the_files_of_the_session(m: mam.Mam, office: Office, tmp_path: Path) -> None:
    other = office.open(app="com.example.other")
    with m.open_file(tmp_path / "note", "w", account=ANN) as file:
        file.write("new")
        other.close()
        file.write(" and newer")
    assert content(office, tmp_path / "note") == "new and newer"


def test_a_failure_is_raised_and_all_is_closed(m: mam.Mam, office: Office, tmp_path: Path) -> None:
    lost, kept = m.open_file(tmp_path / "lost", "w", account=ANN), m.open_file(tmp_path / "kept", "w", account=EVE)
    lost.write("new")
    kept.write("new")
    assert m.wipe_account(ANN).wait(30)
    with pytest.raises(mam.MamError) as caught:
        m.close()
    assert caught.value.user_message
    assert m.closed and lost.closed and kept.closed
    m.close()
    assert (tmp_path / "kept").read_text() == "new"


def test_from_a_handler_it_stays_open(m: mam.Mam, office: Office, tmp_path: Path) -> None:
    file = m.open_file(tmp_path / "note", "w", account=EVE)
    file.write("new")
    raised: list[BaseException] = []

    @m.on_question(mam.WIPE_DATA)
    def close(_: mam.WipeDataQuestion) -> bool:
        try:
            m.close()
        except mam.DeadlockError as error:
            raised.append(error)
        return False

    assert m.wipe_account(ANN).wait(30)
    assert raised and not m.closed
    file.write(" and newer")
    m.close()
    assert (tmp_path / "note").read_text() == "new and newer"


def test_threads_that_write(m: mam.Mam, tmp_path: Path) -> None:
    """Each line whose writing has returned is there, unless the thread or the closing heard otherwise."""
    counts, heard, begun = [0] * 4, set[int](), threading.Barrier(5)
    files = [m.open_file(tmp_path / str(number), "wb", account=EVE) for number in range(4)]

    def write(number: int) -> None:
        begun.wait(30)
        try:
            while True:
                files[number].write(b"line\n")
                counts[number] += 1
        except mam.ClosedError:
            heard.add(number)
        except ValueError:
            pass  # the file is closed: nothing was taken since

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    begun.wait(30)
    try:
        m.close()
    except mam.ClosedError:
        heard.update(range(4))
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    for number in {0, 1, 2, 3} - heard:
        assert (tmp_path / str(number)).read_bytes().count(b"line\n") == counts[number]


HEAD = """
import os, sys, threading, time, mam
m = mam.open({app!r}, {authority!r}, state_directory={state!r})
path = {path!r}
f = m.open_file(path, "w", account={account!r})
f.write("new")
"""
ENDS = {
    "open": "",
    "an exit within a block": "with m: sys.exit()",
    "the file gone": "m.close(); del f",
    "the session gone": "del m",
    "a daemon thread": """
begun = threading.Event()
def run():
    while True:
        with m.open_file(path + "2", "w", account="") as other: other.write("x")
        begun.set()
def until_closed():
    try: run()
    except ValueError: pass
threading.Thread(target=until_closed, daemon=True).start(); begun.wait()
""",
    "an atexit function": "import atexit; atexit.register(lambda: f.write(''))",
    "a child": """
pid = os.fork()
if pid == 0: sys.exit()
os.waitpid(pid, 0)
f.write(" and newer")
""",
}


@pytest.mark.parametrize("end", ENDS)
def test_interpreter_exit(m: mam.Mam, office: Office, tmp_path: Path, end: str) -> None:
    """As with the built-in open: written, and nothing said."""
    path = tmp_path / "note"
    head = HEAD.format(app=APP, authority=office.authority.path, state=str(office.folder / "state"), path=str(path), account=ANN)
    environment = {**os.environ, "PYTHONPATH": str(Path(mam.__file__).parents[1]), "LIBMAM_PATH": mam.library_path()}
    done = subprocess.run(
        [sys.executable, "-c", head + ENDS[end]], capture_output=True, text=True, timeout=120, env=environment, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert content(office, path) == ("new and newer" if end == "a child" else "new")


def test_a_failure_at_interpreter_exit_is_printed(m: mam.Mam, office: Office, tmp_path: Path) -> None:
    head = HEAD.format(
        app=APP, authority=office.authority.path, state=str(office.folder / "state"), path=str(tmp_path / "note"), account=ANN
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(mam.__file__).parents[1]), "LIBMAM_PATH": mam.library_path()}
    done = subprocess.run(
        [sys.executable, "-c", f"{head}m.wipe_account({ANN!r}).wait(30)"],
        capture_output=True, text=True, timeout=120, env=environment, check=False,
    )  # fmt: skip
    assert "Traceback" in done.stderr and "mam." in done.stderr


def test_a_child_writes_nothing_of_its_parent(m: mam.Mam, office: Office, tmp_path: Path) -> None:
    file = m.open_file(tmp_path / "note", "w", account=ANN)
    file.write("new")

    def child() -> str:
        m.close()
        try:
            file.close()
        except mam.ForkedError:
            return "forked"
        return "closed"

    assert in_child(child) == "forked"
    m.close()
    assert content(office, tmp_path / "note") == "new"
