"""The functions of mam.h as vectors/functions.json lists them (vectors/functions.md): calls with good arguments, or with one
bad."""

from __future__ import annotations

import ctypes
import json
import os
from dataclasses import dataclass, field
from typing import Any

import header
from conftest import ANN, APP, Office
from mam import _ffi

C = _ffi.library
TABLE = header.PATH.parents[1] / "vectors" / "functions.json"

HANDLES: dict[str, Any] = {
    "session": _ffi.MamHandle,
    "policy": _ffi.PolicyHandle,
    "question": _ffi.QuestionHandle,
    "identity": _ffi.IdentityHandle,
    "config": _ffi.AppConfigHandle,
    "decision": _ffi.DecisionHandle,
    "parsed": _ffi.JsonHandle,
    "protecting": _ffi.ProtectStreamHandle,
    "unprotecting": _ffi.UnprotectStreamHandle,
    "file": _ffi.FileHandle,
}
#: The type of each kind of output.
OUTPUTS: dict[str, Any] = {
    "json*": ctypes.c_char_p,
    "string*": ctypes.c_char_p,
    "op*": ctypes.c_int64,
    "position*": ctypes.c_int64,
    "size*": ctypes.c_size_t,
    "bool*": ctypes.c_int32,
    "int*": ctypes.c_int32,
    "buffer*": _ffi.Buffer,
    **{f"{kind}*": handle for kind, handle in HANDLES.items()},
}
#: The smallest number that is too large, by kind.
RANGES = {
    "whence": 3,
    "permissions": 1 << 12,
    "level": 4,
    "screen": 3,
    "privacy": 3,
    "mode": 4,
    "ask": 20,
    "task": 2,
    "wipe": 2,
    "truth": 2,
    "query": 3,
    "save": 1 << 10,
    "open": 1 << 9,
}


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: str
    type: Any  # the ctypes type

    @property
    def is_output(self) -> bool:
        return self.kind.endswith("*")


@dataclass(frozen=True)
class Row:
    """One function."""

    name: str
    returns: str
    parameters: tuple[Parameter, ...]
    optional: frozenset[str]  # outputs that may be NULL
    more: dict[str, Any] = field(hash=False)

    @property
    def handle(self) -> Parameter | None:
        return next((one for one in self.parameters if one.kind in HANDLES), None)

    def of_kind(self, *kinds: str) -> list[Parameter]:
        return [one for one in self.parameters if one.kind in kinds]

    def __str__(self) -> str:
        return self.name


def _rows() -> dict[str, Row]:
    found = {}
    for row in json.loads(TABLE.read_text(encoding="utf-8")):
        name, takes = row["name"], [one.split(":") for one in row["takes"]]
        types = _ffi.SIGNATURES[name][1]
        parameters = tuple(Parameter(one, kind.rstrip("?"), type_) for (one, kind), type_ in zip(takes, types, strict=True))
        optional = frozenset(one for one, kind in takes if kind.endswith("?"))
        found[name] = Row(name, row["returns"], parameters, optional, row)
    return found


ROWS = _rows()
LOUD = [row for row in ROWS.values() if not row.more.get("silent")]


@dataclass
class Made:
    """A session and its handles, valid or not, and the parts of good arguments."""

    handles: dict[str, Any]
    office: Office
    container: bytes = b""
    sealed: bytes = b""


def good(row: Row, made: Made, one: Parameter) -> Any:
    """A valid value."""
    said = row.more.get("good", {}).get(one.name)
    specials = {
        "@settings": lambda: json.dumps(
            {
                "app": {"id": APP},
                "worker": False,
                "stateDirectory": str(made.office.folder / "state"),
                "authority": {"type": "embedded", "path": str(made.office.authority.path)},
            }
        ).encode(),
        "@container": lambda: made.container,
        "@sealed": lambda: made.sealed,
    }
    if said is not None:
        return specials[said]() if said in specials else said.encode()
    if one.kind in STREAMS:
        return new_stream(made, one.kind)
    if one.kind == "place":
        if row.name.startswith("mam_sqlite_"):
            (made.office.folder / "database").touch()
            return str(made.office.folder / "database").encode()
        (made.office.folder / "file").touch()
        close_files()
    if one.kind == "file":
        return new_file(made)
    if one.kind in HANDLES:
        return made.handles.get(one.kind)
    (made.office.folder / "copy").unlink(missing_ok=True)  # a copy does not replace an account's file
    for name in ("a file", "nobody's file"):
        (made.office.folder / name).touch()
    values: dict[str, Any] = {
        "account": ANN.encode(),
        "json": b"{}",
        "text": b"some text",
        "path": str(made.office.authority.path).encode(),
        "existing": str(made.office.folder / "a file").encode(),
        "unowned": str(made.office.folder / "nobody's file").encode(),
        "source": str(made.office.authority.path).encode(),
        "window": None,
        "bytes": b"some bytes",
        "pin": b"some bytes",
        "room": (ctypes.c_ubyte * 4096)(),
        "capacity": 4096,
        "space": (ctypes.c_ubyte * 4096)(),
        "spaceSize": 4096,
        "place": str(made.office.folder / "file").encode(),
        "target": str(made.office.folder / "copy").encode(),
        "openFlags": os.O_RDWR,
        "permissions": 0o600,
        "length": len(made.container) if "@container" in row.more.get("good", {}).values() else 10,
        "number": 1,
        "level": 3,
        "privacy": 2,
        "user": None,
    }
    if one.kind == "function":
        return one.type(lambda *_: 0)
    return values.get(one.kind, 0)


#: Streams end with a failure, so each call gets a new one: how to close one.
STREAMS: dict[str, Any] = {
    "protecting": lambda stream: C.mam_protect_stream_close(stream, 512),
    "unprotecting": lambda stream: C.mam_unprotect_stream_close(stream, 512, None),
}
_streams: list[tuple[str, Any]] = []
_drop = _ffi.StreamFunction(lambda *_: 0)


def new_stream(made: Made, kind: str) -> Any:
    stream, session = HANDLES[kind](), made.handles["session"]
    if kind == "protecting":
        assert C.mam_protect_stream_open(session, ANN.encode(), 0, _drop, None, ctypes.byref(stream)) == 0
    else:
        assert C.mam_unprotect_stream_open(session, 0, _drop, None, ctypes.byref(stream)) == 0
        assert C.mam_unprotect_stream_write(stream, b"x", 1) == 0  # an empty input is an error at the end
    _streams.append((kind, stream))
    return stream


_files: list[Any] = []


def close_files() -> None:
    """Close the files of earlier calls."""
    while _files:
        C.mam_file_close(_files.pop())


def new_file(made: Made) -> Any:
    """A file with some bytes."""
    close_files()
    file, written = _ffi.FileHandle(), ctypes.c_size_t()
    path = str(made.office.folder / "file").encode()
    assert C.mam_file_create(made.handles["session"], path, os.O_RDWR, 0o600, ANN.encode(), ctypes.byref(file)) == 0
    assert C.mam_file_pwrite(file, 0, b"some bytes", 10, ctypes.byref(written)) == 0
    _files.append(file)
    return file


class Call:
    """One call with good arguments except those given by name; then its result, status and outputs."""

    def __init__(self, row: Row, made: Made, /, **changed: Any) -> None:
        while _streams:
            kind, stream = _streams.pop()
            STREAMS[kind](stream)
        self.row = row
        self.outputs: dict[str, Any] = {}
        self.values: list[Any] = []
        for one in row.parameters:
            if one.name in changed:
                value = changed[one.name]
                self.values.append(one.type() if value is None and one.kind == "function" else value)
            elif one.is_output:
                self.outputs[one.name] = OUTPUTS[one.kind]()
                self.values.append(ctypes.byref(self.outputs[one.name]))
            else:
                self.values.append(good(row, made, one))
        self.result = getattr(C, row.name)(*self.values)
        self.status = int(C.mam_last_status())

    def left(self) -> list[str]:
        """Outputs that are not NULL or 0."""
        return [name for name, one in self.outputs.items() if bytes(one) != bytes(ctypes.sizeof(one))]

    def release(self) -> None:
        """Release the outputs of a successful call."""
        for one in self.row.parameters:
            output = self.outputs.get(one.name)
            if one.kind in ("json*", "string*"):
                C.mam_free(output)
            elif one.kind == "buffer*" and output is not None:
                C.mam_buffer_free(ctypes.byref(output))
            elif one.kind in ("policy*", "identity*", "decision*") and output:
                getattr(C, f"mam_{one.kind[:-1]}_release")(output)
            elif one.kind == "parsed*" and output:
                C.mam_json_release(output)
            elif one.kind.rstrip("*") in STREAMS and output:
                assert STREAMS[one.kind.rstrip("*")](output) == 0
            elif one.kind == "file*" and output:
                C.mam_file_close(output)
            elif one.kind == "session*" and output:
                C.mam_close(output)

    def culprit(self) -> str | None:
        """The argument that the last error names."""
        out = ctypes.c_char_p()
        assert C.mam_last_error_json(ctypes.byref(out)) == 0
        detail = json.loads(out.value or b"").get("detail", {})
        C.mam_free(out)
        return detail.get("argument")  # type: ignore[no-any-return]
