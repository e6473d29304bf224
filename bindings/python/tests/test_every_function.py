"""Every function of the table with NULL, closed, made-up and forked handles: an error, no crash, no output."""

from __future__ import annotations

import ctypes
import json
from typing import Any

import header
import mam
import pytest
from conftest import ANN, Office, in_child
from mam import _ffi
from mam.enums import Status

C = _ffi.library
HANDLES: dict[str, Any] = {
    "mam_t *": _ffi.MamHandle,
    "mam_policy_t *": _ffi.PolicyHandle,
    "mam_question_t *": _ffi.QuestionHandle,
    "mam_identity_t *": _ffi.IdentityHandle,
}
WITH_HANDLE = [name for name, function in header.FUNCTIONS.items() if function.handle]
RELEASES = ("mam_policy_release", "mam_identity_release")
NO_STATUS = {"mam_question_id": 0, "mam_event_fd": -1, **dict.fromkeys(RELEASES)}


class Arguments:
    """Arguments that nothing is wrong with, and a look at the outputs among them."""

    def __init__(self, function: header.Function, handle: Any) -> None:
        self.values: list[Any] = []
        self.outputs: list[Any] = []
        for parameter in function.parameters:
            self.values.append(handle if parameter.type == function.handle else self._valid(parameter))

    def _valid(self, parameter: header.Parameter) -> Any:
        kind = parameter.type
        if kind == "const char *":
            return b'{"action":"print","account":null,"upn":"a"}' if "json" in parameter.name else b"a"
        if kind == "const uint8_t *":
            return b"x"
        if kind in ("size_t", "int32_t", "int64_t", "uint32_t", "mam_bool"):
            return {"length": 1, "capacity": 1000}.get(parameter.name, 0)
        if kind == "uint8_t *":
            return (ctypes.c_ubyte * 1000)()
        if kind.endswith("_fn *"):
            if "run" in kind:
                return _ffi.RunFunction(lambda _: None)
            return (_ffi.DelegateFunction if "delegate" in kind else _ffi.LogFunction)()
        if kind == "void *":
            return None
        kinds: dict[str, Any] = {
            "char **": ctypes.c_char_p,
            "size_t *": ctypes.c_size_t,
            "int32_t *": ctypes.c_int32,
            "int64_t *": ctypes.c_int64,
            "mam_bool *": ctypes.c_int32,
            "mam_buffer *": _ffi.Buffer,
            "mam_t **": _ffi.MamHandle,
            "mam_policy_t **": _ffi.PolicyHandle,
            "mam_identity_t **": _ffi.IdentityHandle,
        }
        output = kinds[kind]()
        self.outputs.append(output)
        return ctypes.byref(output)

    def written(self) -> list[Any]:
        """The outputs that are not NULL or 0."""
        return [one for one in self.outputs if bytes(one) != bytes(ctypes.sizeof(one))]


def ask(name: str, handle: Any) -> tuple[Any, int, list[Any]]:
    """Result, last status, and outputs that a failed call should have left alone."""
    arguments = Arguments(header.FUNCTIONS[name], handle)
    result = getattr(C, name)(*arguments.values)
    return result, C.mam_last_status(), arguments.written()


def expect_failure(name: str, handle: Any, *statuses: Status) -> None:
    result, last, written = ask(name, handle)
    assert not written
    if name in RELEASES:
        return
    if name in NO_STATUS:
        assert result == NO_STATUS[name]
    elif name in header.CLOSED:
        assert result == header.CLOSED[name]
    else:
        assert result == last
    assert last in statuses, f"{name}: {last}"


def made_up(name: str) -> Any:
    kind = HANDLES[header.FUNCTIONS[name].handle or ""]
    return ctypes.cast(ctypes.c_void_p(0x7E57_0000_1234), kind)


@pytest.mark.parametrize("name", list(header.FUNCTIONS))
def test_all_arguments_null(name: str) -> None:
    function = header.FUNCTIONS[name]
    values: list[Any] = []
    for parameter, kind in zip(function.parameters, _ffi.SIGNATURES[name][1], strict=True):
        pointer = parameter.type.endswith("*")
        values.append((kind() if parameter.type.endswith("_fn *") else None) if pointer else 0)
    C.mam_status_name(0)
    result = getattr(C, name)(*values)
    if function.result == "mam_status" and name not in ("mam_last_status", "mam_close"):
        assert result in (Status.ARGUMENT, Status.CLOSED)
    elif name in header.CLOSED:
        assert result == header.CLOSED[name]
        assert C.mam_last_status() in (Status.ARGUMENT, Status.CLOSED)
    elif name == "mam_close":
        assert result == Status.OK


@pytest.mark.parametrize("name", [name for name in WITH_HANDLE if name != "mam_close"])
def test_null_handle(name: str) -> None:
    expect_failure(name, None, Status.ARGUMENT, Status.CLOSED)


@pytest.mark.parametrize("name", WITH_HANDLE)
def test_made_up_handle(name: str) -> None:
    expect_failure(name, made_up(name), Status.CLOSED)


@pytest.fixture
def closed(office: Office) -> dict[str, Any]:
    """A handle of each kind whose session is closed."""
    session = office.open()
    policy = session.policy(ANN)
    identity = session.capture_identity()
    session.close()
    return {
        "mam_t *": session._handle,
        "mam_policy_t *": policy._handle,
        "mam_identity_t *": identity._handle,
    }


def test_closed_handles(closed: dict[str, Any]) -> None:
    for name in WITH_HANDLE:
        handle = closed.get(header.FUNCTIONS[name].handle or "")
        if handle is not None:
            expect_failure(name, handle, Status.CLOSED)


def test_released_policy(m: mam.Mam) -> None:
    policy = m.policy(ANN)
    policy.close()
    for name in WITH_HANDLE:
        if header.FUNCTIONS[name].handle == "mam_policy_t *":
            expect_failure(name, policy._handle, Status.CLOSED)


def test_forked_handles(office: Office) -> None:
    with office.open(worker=True) as session, session.policy(ANN) as policy, session.capture_identity() as identity:
        handles = {
            "mam_t *": session._handle,
            "mam_policy_t *": policy._handle,
            "mam_identity_t *": identity._handle,
        }

        def all_of_them() -> str:
            for name in WITH_HANDLE:
                handle = handles.get(header.FUNCTIONS[name].handle or "")
                # Closing and releasing are allowed in a child; they only free memory.
                if handle is not None and name not in ("mam_close", *RELEASES):
                    expect_failure(name, handle, Status.FORKED)
            return "all forked"

        assert in_child(all_of_them) == "all forked"
        assert policy.is_print_allowed in (True, False)


BROKEN = [
    b"", b" ", b"{", b"[]", b"1", b"nul", b"[1,]", b'{"a":1,"a":2}', b"\xff", b'{"app":"\xff"}', b'"\\ud800"', b"{'app':1}",
    b'{"a":01}', b"[1e]", b'{"a":"\x01"}', b"\xef\xbb\xbf{}", b"[" * 65 + b"]" * 65,
]  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN)
@pytest.mark.parametrize(
    "name",
    [
        "mam_open",
        "mam_register_and_enroll",
        "mam_policy_check",
        "mam_policy_for_accounts",
        "mam_set_ui_identity",
        "mam_set_override",
        "mam_admin",
        "mam_answer",
    ],
)
def test_broken_json(name: str, broken: bytes, m: mam.Mam, office: Office) -> None:
    function = header.FUNCTIONS[name]
    arguments = Arguments(function, m._handle)
    for index, parameter in enumerate(function.parameters):
        if parameter.name.endswith("_json") and parameter.type == "const char *":
            arguments.values[index] = broken
        elif parameter.name == "key":
            arguments.values[index] = b"MultiManagedIdentities"
        elif parameter.name == "path":
            arguments.values[index] = office.authority.path.encode()
    if broken == b"[]" and name in ("mam_policy_check", "mam_policy_for_accounts", "mam_set_ui_identity"):
        return  # an empty batch, and nobody, which are fine
    status = getattr(C, name)(*arguments.values)
    assert status in (Status.JSON, Status.ARGUMENT, Status.NOT_FOUND)
    assert not arguments.written()


def test_errors_are_described_and_cleared(m: mam.Mam) -> None:
    out = ctypes.c_char_p()
    assert C.mam_check_in(m._handle, b"", ctypes.byref(ctypes.c_int64())) == Status.ARGUMENT
    assert C.mam_last_message()
    assert C.mam_last_error_json(ctypes.byref(out)) == 0
    told = json.loads(out.value or b"")
    C.mam_free(out)
    assert told["status"] == Status.ARGUMENT
    assert told["message"].encode() == C.mam_last_message()
    assert C.mam_run_due(m._handle) == 0
    assert C.mam_last_status() == 0
    assert C.mam_last_message() == b""
