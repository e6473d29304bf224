"""Streams: file objects, generators and functions to write to; exceptions on the way, and the result they leave."""

from __future__ import annotations

import gc
import io
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import mam
import pytest
from conftest import ANN, APP, Office, in_child
from hypothesis import given, settings
from hypothesis import strategies as st

EVE = "eve@personal.example"
DATA = bytes(range(256)) * 3000
CHUNK = 16384


@pytest.fixture(scope="module")
def ann(tmp_path_factory: pytest.TempPathFactory) -> Iterator[mam.Mam]:
    with Office.make(tmp_path_factory.mktemp("office")).open() as session:
        session.register_and_enroll(ANN).wait(30)
        yield session


def sealed(m: mam.Mam, data: bytes = DATA, account: str = ANN) -> bytes:
    target = io.BytesIO()
    assert m.protect_stream(account, io.BytesIO(data), target) == len(data)
    return target.getvalue()


@pytest.mark.parametrize("two_threads", [False, True])
@pytest.mark.parametrize("account", [ANN, EVE, ""])
@pytest.mark.parametrize("size", [0, 1, CHUNK, CHUNK + 1, len(DATA)])
def test_file_objects(ann: mam.Mam, account: str, size: int, two_threads: bool) -> None:
    container, back = io.BytesIO(), io.BytesIO()
    assert ann.protect_stream(account, io.BytesIO(DATA[:size]), container, two_threads=two_threads) == size
    container.seek(0)
    assert ann.unprotect_stream(container, back, strict=True, two_threads=two_threads) is True
    assert back.getvalue() == DATA[:size]
    assert ann.unprotect(container.getvalue(), strict=True) == DATA[:size]
    assert ann.protection_info(container.getvalue()).length == size


def test_real_files_and_pipes(ann: mam.Mam, tmp_path: Path) -> None:
    plain, container = tmp_path / "plain", tmp_path / "container"
    plain.write_bytes(DATA)
    with plain.open("rb", buffering=0) as source, container.open("wb", buffering=0) as target:
        ann.protect_stream(ANN, source, target)
    read_end, write_end = os.pipe()
    back: list[bytes] = []

    def read_all() -> None:
        with open(read_end, "rb") as file:
            back.append(file.read())

    reader = threading.Thread(target=read_all)
    reader.start()
    with container.open("rb") as file, open(write_end, "wb", buffering=0) as pipe:
        assert ann.unprotect_stream(file, pipe)
    reader.join()
    assert back == [DATA]


@settings(max_examples=30, deadline=None)
@given(pieces=st.lists(st.integers(0, 70_000), max_size=12), cut=st.integers(1, 70_000))
def test_generators(ann: mam.Mam, pieces: list[int], cut: int) -> None:
    chunks = [DATA[:size] for size in pieces]
    container = b"".join(ann.protect_chunks(ANN, iter(chunks)))
    cuts = (container[at : at + cut] for at in range(0, len(container), cut))
    assert b"".join(ann.unprotect_chunks(cuts, strict=True)) == b"".join(chunks)


def test_foreign_bytes(ann: mam.Mam) -> None:
    for foreign in (b"x", b"MAM", b"MAMmoth", DATA):
        back = io.BytesIO()
        assert ann.unprotect_stream(io.BytesIO(foreign), back) is False
        assert back.getvalue() == foreign
        with pytest.raises(mam.NotProtectedError):
            ann.unprotect_stream(io.BytesIO(foreign), io.BytesIO(), strict=True)
        assert b"".join(ann.unprotect_chunks([foreign])) == foreign
    with pytest.raises(mam.EmptyError):
        ann.unprotect_stream(io.BytesIO(), io.BytesIO())


@pytest.mark.parametrize("account", [ANN, EVE])
def test_a_missing_end(ann: mam.Mam, account: str) -> None:
    whole = sealed(ann, account=account)
    for cut in (5, 40, 100, len(whole) - 1, len(whole) - 20, len(whole) - CHUNK, len(whole) // 2):
        back = io.BytesIO()
        with pytest.raises((mam.DamagedError, mam.AuthenticationError)):
            ann.unprotect_stream(io.BytesIO(whole[:cut]), back)
        assert DATA.startswith(back.getvalue())
        with pytest.raises((mam.DamagedError, mam.AuthenticationError)):
            list(ann.unprotect_chunks([whole[:cut]]))


class Full(io.RawIOBase):
    """Accepts some bytes, and then no more."""

    def __init__(self, room: int) -> None:
        self.taken = bytearray()
        self.room = room

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        piece = bytes(memoryview(data))[:5000]  # type: ignore[arg-type]
        if len(self.taken) + len(piece) > self.room:
            raise OSError(28, "no space")
        self.taken += piece
        return len(piece)


@pytest.mark.parametrize("two_threads", [False, True])
def test_a_target_that_raises(ann: mam.Mam, two_threads: bool) -> None:
    target = Full(300_000)
    with pytest.raises(OSError, match="no space"):
        ann.protect_stream(ANN, io.BytesIO(DATA), target, two_threads=two_threads)
    assert target.taken
    with pytest.raises((mam.DamagedError, mam.AuthenticationError)):
        ann.unprotect(target.taken)
    whole = Full(10 << 20)
    ann.protect_stream(ANN, io.BytesIO(DATA), whole, two_threads=two_threads)
    assert ann.unprotect(whole.taken, strict=True) == DATA


class Broken(io.BytesIO):
    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell() > 500_000:
            raise OSError("broken")
        return super().read(size)


def test_a_source_that_raises(ann: mam.Mam) -> None:
    target = io.BytesIO()
    with pytest.raises(OSError, match="broken"):
        ann.protect_stream(ANN, Broken(DATA), target)
    with pytest.raises((mam.DamagedError, mam.AuthenticationError)):
        ann.unprotect(target.getvalue())


def test_an_abandoned_generator(ann: mam.Mam) -> None:
    chunks = ann.protect_chunks(ANN, [DATA, DATA])
    first = next(chunks)
    chunks.close()  # type: ignore[attr-defined]
    with pytest.raises((mam.DamagedError, mam.AuthenticationError)):
        ann.unprotect(first)


def test_pushing(ann: mam.Mam) -> None:
    pieces: list[bytes] = []
    stream = ann.protect_stream_to(ANN, pieces.append)
    assert stream.write(memoryview(DATA)) == len(DATA)
    assert "open" in repr(stream)
    stream.close()
    stream.close()
    assert "closed" in repr(stream)
    with pytest.raises(mam.ClosedError):
        stream.write(b"more")
    with ann.unprotect_stream_to(pieces.append) as reading:
        container = b"".join(pieces)
        pieces.clear()
        reading.write(container)
        assert not reading.was_protected
    assert reading.was_protected and reading.close()
    assert b"".join(pieces) == DATA


def test_a_block_that_raises_abandons(ann: mam.Mam) -> None:
    pieces: list[bytes] = []
    with pytest.raises(KeyError), ann.protect_stream_to(ANN, pieces.append) as stream:
        stream.write(DATA)
        raise KeyError
    with pytest.raises((mam.DamagedError, mam.AuthenticationError)):
        ann.unprotect(b"".join(pieces))


def test_an_exception_of_write_is_repeated(ann: mam.Mam) -> None:
    def refuse(_: bytes) -> None:
        raise ZeroDivisionError

    stream = ann.protect_stream_to(ANN, refuse)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            stream.write(DATA)
    with pytest.raises(ZeroDivisionError):
        stream.close()


def test_from_inside_write(ann: mam.Mam) -> None:
    errors: list[Exception] = []

    def call_back(_: bytes) -> None:
        for call in (lambda: stream.write(b"x"), stream.close):
            try:
                call()
            except Exception as error:
                errors.append(error)

    stream = ann.protect_stream_to(ANN, call_back)
    stream.write(DATA)
    stream.close()
    assert {type(error) for error in errors} == {mam.DeadlockError}


def test_a_wipe_in_the_middle(office: Office) -> None:
    with office.open() as m:
        m.register_and_enroll(ANN).wait(30)
        whole = sealed(m)
        reading, stream = m.unprotect_stream_to(len), m.protect_stream_to(ANN, len)
        reading.write(whole[:100_000])
        stream.write(DATA)
        assert m.wipe_account(ANN).wait(30).succeeded
        with pytest.raises(mam.KeyUnavailableError):
            reading.write(whole[100_000:])
        with pytest.raises(mam.NotEnrolledError):
            stream.write(DATA)
        with pytest.raises(mam.NotEnrolledError):
            stream.close()
        reading.abandon()


def test_left_open(ann: mam.Mam) -> None:
    stream = ann.protect_stream_to(ANN, len)
    with pytest.warns(ResourceWarning, match="unclosed <mam.ProtectStream"):
        del stream
        gc.collect()


def test_collected_inside_its_own_output(ann: mam.Mam) -> None:
    written, collected = threading.Event(), threading.Event()

    def collect(_: bytes) -> None:
        if not collected.is_set():
            written.wait(30)
            holder.clear()
            gc.collect()
            collected.set()

    with pytest.warns(ResourceWarning, match="unclosed <mam.ProtectStream"):
        holder = [ann.protect_stream_to(ANN, collect, two_threads=True)]
        holder[0].write(DATA[:300_000])
        written.set()
        assert collected.wait(30)
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not isinstance(thread, threading._DummyThread):
                thread.join(30)


def test_after_fork(ann: mam.Mam) -> None:
    stream = ann.protect_stream_to(ANN, len, two_threads=True)
    stream.write(DATA)

    def child() -> str:
        for call in (lambda: stream.write(b"x"), stream.close):
            try:
                call()
            except mam.ForkedError:
                continue
            return "not forked"
        return "forked"

    assert in_child(child) == "forked"
    stream.close()


def test_left_open_at_the_end(office: Office) -> None:
    """With the second thread inside Python."""
    program = """
import sys, time, mam
m = mam.open(sys.argv[1], sys.argv[2], state_directory=sys.argv[3])
m.register_and_enroll(sys.argv[4]).wait(30)
stream = m.protect_stream_to(sys.argv[4], lambda _: time.sleep(0.05), two_threads=True)
stream.write(bytes(1 << 20))
print("written")
"""
    words = [sys.executable, "-c", program, APP, str(office.authority.path), str(office.folder / "end"), ANN]
    environment = {**os.environ, "PYTHONPATH": str(Path(mam.__file__).parents[1]), "LIBMAM_PATH": mam.library_path()}
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, env=environment)
    assert (done.returncode, done.stdout) == (0, "written\n"), done.stderr


def test_wrong_types(ann: mam.Mam) -> None:
    with pytest.raises(TypeError):
        ann.protect_stream_to(ANN, "no function")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ann.protect_stream(ANN, io.StringIO("text"), io.BytesIO())  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        list(ann.protect_chunks(ANN, ["text"]))  # type: ignore[list-item]
    with pytest.raises(BlockingIOError):
        ann.protect_stream(ANN, Silent(), io.BytesIO())


class Silent:
    """A source that does not block."""

    def read(self, size: int) -> None:
        return None
