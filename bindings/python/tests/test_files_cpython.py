"""CPython's own tests of files, zip and tar, run on sealed files."""

from __future__ import annotations

import importlib
import io
import os
import pathlib
import sys
import tarfile
import types
import unittest
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conftest import ANN, POLICY, Office

pytest.importorskip("test.test_io", reason="this Python comes without its tests")

IO = """test_raw_file_io test_buffered_file_io test_readline test_with_open test_append_mode_tell test_array_writes
test_large_file_ops test_nonbuffered_textio test_invalid_newline test_invalid_operations test_close_flushes""".split()
ZIP = ["StoredTestsWithSourceFile", "DeflateTestsWithSourceFile", "StoredTestZip64InSmallFiles", "StoredWriterTests",
       "DeflateWriterTests", "TestWithDirectory", "StoredTestsWithRandomBinaryFiles",
       "TestsWithMultipleOpens"]  # fmt: skip
TAR = ["UstarReadTest", "MiscReadTest", "WriteTest", "GNUWriteTest", "PaxWriteTest", "AppendTest", "UstarUnicodeTest",
       "PAXUnicodeTest"]  # fmt: skip

#: These ask os for a length, or follow a link, and the system knows only the sealed bytes.
OF_THE_SYSTEM = ["test_file_size", "test_tar_size", "test_ordered_recursion", "test_gettarinfo_pathlike_name",
                 "test_eof_marker", "test_extract_hardlink", "test_extractall_symlinks", "test_cwd"]  # fmt: skip

#: These write over a file with the built-in open, which is damage to a sealed one, or read one with it.
WITHOUT_LIBMAM = ["test_append_to_non_zip_file", "test_append_to_concatenated_zip_file", "test_ignore_zeros"]


@pytest.fixture
def opens(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Callable[..., Any], list[str]]]:
    """A replacement of the built-in `open` for sealed files, and the paths that it created."""
    monkeypatch.setitem(POLICY, "appDataEncryptionType", "whenDeviceLocked")
    office = Office.make(tmp_path)
    made: list[str] = []
    monkeypatch.chdir(tmp_path)
    with office.open() as session:
        session.register_and_enroll(ANN).wait(30)

        def opened(file: Any, mode: str = "r", buffering: int = -1, *rest: Any, **more: Any) -> Any:
            if isinstance(file, int):
                return open(file, mode, buffering, *rest, **more)
            found = session.open_file(file, mode, buffering, *rest, account=ANN, **more)
            if "r" not in mode:
                made.append(os.fsdecode(file))
            return found

        yield opened, made


def imported(name: str) -> Any:
    """Import it again: some of these choose their folder at import, the working directory."""
    sys.modules.pop(f"test.{name}", None)
    return importlib.import_module(f"test.{name}")


def cases(case: Any) -> unittest.TestSuite:
    names = unittest.defaultTestLoader.getTestCaseNames(case)
    return unittest.TestSuite(case(name) for name in names if name not in [*OF_THE_SYSTEM, *WITHOUT_LIBMAM])


def passes(tests: unittest.TestSuite, at_least: int) -> None:
    output = io.StringIO()
    result = unittest.TextTestRunner(output, verbosity=0).run(tests)
    assert result.wasSuccessful(), output.getvalue()
    assert result.testsRun - len(result.skipped) >= at_least


def test_io_of_files(opens: tuple[Callable[..., Any], list[str]]) -> None:
    test_io = imported("test_io")
    members = {name: getattr(io, name) for name in io.__all__ if hasattr(io, name)}
    mocks = {name: getattr(test_io, f"C{name}") for name in dir(test_io) if hasattr(test_io, f"C{name}")}
    members.update({k: v for k, v in mocks.items() if k.startswith(("Mock", "Mis"))})
    case = type("IOOfFiles", (test_io.IOTest,), {**members, "open": staticmethod(opens[0])})
    passes(unittest.TestSuite(case(name) for name in IO), len(IO) - 1)
    assert opens[1]


def test_zip_on_files(opens: tuple[Callable[..., Any], list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    test_zipfile = imported("test_zipfile")
    monkeypatch.setattr(zipfile, "io", types.SimpleNamespace(**{**vars(io), "open": opens[0]}))
    passes(unittest.TestSuite(cases(getattr(test_zipfile, name)) for name in ZIP), 60)
    assert opens[1]


def test_tar_on_files(opens: tuple[Callable[..., Any], list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    test_tarfile = imported("test_tarfile")
    monkeypatch.setattr(tarfile, "bltn_open", opens[0])
    monkeypatch.setattr(test_tarfile, "open", opens[0], raising=False)
    found = unittest.TestSuite(cases(getattr(test_tarfile, name)) for name in TAR)
    passes(found, 100)
    assert opens[1]
