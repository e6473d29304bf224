"""CPython's own tests of files, zip and tar, with sealed files below them instead of the system's."""

from __future__ import annotations

import io
import os
import pathlib
import types
import unittest
import zipfile
import tarfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import mam
from conftest import ANN, POLICY, Office

test_io = pytest.importorskip("test.test_io", reason="this Python comes without its tests")
test_tarfile = pytest.importorskip("test.test_tarfile")
test_zipfile = pytest.importorskip("test.test_zipfile")

IO = """test_raw_file_io test_buffered_file_io test_readline test_with_open test_append_mode_tell test_array_writes
test_large_file_ops test_nonbuffered_textio test_invalid_newline test_fspath_support test_invalid_operations
test_close_flushes test_read_closed""".split()
ZIP = ["StoredTestsWithSourceFile", "DeflateTestsWithSourceFile", "StoredTestZip64InSmallFiles", "StoredWriterTests",
       "DeflateWriterTests", "TestWithDirectory", "StoredTestsWithRandomBinaryFiles", "StoredUniversalNewlineTests",
       "TestsWithMultipleOpens"]  # fmt: skip
TAR = ["UstarReadTest", "MiscReadTest", "WriteTest", "GNUWriteTest", "PaxWriteTest", "AppendTest", "UstarUnicodeTest",
       "PAXUnicodeTest"]  # fmt: skip


@pytest.fixture
def opens(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Callable[..., Any], list[str]]]:
    """A function as the built-in `open`, of sealed files, and the paths that it made."""
    monkeypatch.setitem(POLICY, "appDataEncryptionType", "whenDeviceLocked")
    office = Office.make(tmp_path)
    made: list[str] = []
    monkeypatch.chdir(tmp_path)
    with office.open() as session:
        session.register_and_enroll(ANN).wait(30)

        def opened(file: Any, mode: str = "r", buffering: int = -1, *rest: Any, **more: Any) -> Any:
            if isinstance(file, int):
                return io.open(file, mode, buffering, *rest, **more)
            found = session.open_file(file, mode, buffering, *rest, account=ANN, **more)
            if "r" not in mode:
                made.append(os.fsdecode(file))
            return found

        yield opened, made


def passes(tests: unittest.TestSuite, at_least: int) -> None:
    output = io.StringIO()
    result = unittest.TextTestRunner(output, verbosity=0).run(tests)
    assert result.wasSuccessful(), output.getvalue()
    assert result.testsRun - len(result.skipped) >= at_least


def test_io_of_files(opens: tuple[Callable[..., Any], list[str]]) -> None:
    members = {name: getattr(io, name) for name in io.__all__ if hasattr(io, name)}
    mocks = {name: getattr(test_io, f"C{name}") for name in dir(test_io) if hasattr(test_io, f"C{name}")}
    members.update({k: v for k, v in mocks.items() if k.startswith(("Mock", "Mis"))})
    case = type("IOOfFiles", (test_io.IOTest,), {**members, "open": staticmethod(opens[0])})
    passes(unittest.TestSuite(case(name) for name in IO), len(IO) - 1)
    assert opens[1]


def test_zip_on_files(opens: tuple[Callable[..., Any], list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipfile, "io", types.SimpleNamespace(**{**vars(io), "open": opens[0]}))
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    passes(unittest.TestSuite(load(getattr(test_zipfile, name)) for name in ZIP), 60)
    assert opens[1]


def test_tar_on_files(opens: tuple[Callable[..., Any], list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tarfile, "bltn_open", opens[0])
    test_tarfile.setUpModule()
    try:
        load = unittest.defaultTestLoader.loadTestsFromTestCase
        passes(unittest.TestSuite(load(getattr(test_tarfile, name)) for name in TAR), 100)
    finally:
        test_tarfile.tearDownModule()
    assert opens[1]
