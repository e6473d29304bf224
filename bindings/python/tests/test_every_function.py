"""Every function with every kind of bad argument, from vectors/functions.json: the documented status, no output, no
crash."""

from __future__ import annotations

import ctypes
import json
import threading
from collections.abc import Iterator
from typing import Any

import functions
import header
import mam
import pytest
from conftest import ANN, BEN, Office, in_child
from functions import LOUD, ROWS, C, Call, Made, Parameter, Row
from mam import _ffi
from mam.enums import Status

HUGE = (2**64 - 1, 2**63, 2**64 - 8)
CLOSED_RESULTS: dict[str, Any] = {"id": 0, "int": -1, "integer": 0, "size": 0, "text": b""}
PARSED = b'{"text":"some","numbers":[6,7],"yes":true}'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    """A session in which Ann is enrolled, her policy, an identity, a container, sealed text."""
    office = Office.make(tmp_path_factory.mktemp("office"))
    with office.open() as session:
        session.register_and_enroll(ANN).wait(30)
        with session.policy(ANN) as policy:
            identity = _ffi.IdentityHandle()
            assert C.mam_identity_capture(session._handle, ctypes.byref(identity)) == 0
            config = _ffi.AppConfigHandle()
            assert C.mam_app_config(session._handle, b"null", ctypes.byref(config)) == 0
            decision = _ffi.DecisionHandle()
            assert C.mam_policy_reason(policy._handle, 11, ctypes.byref(decision)) == 0
            parsed = _ffi.JsonHandle()
            assert C.mam_json_parse(PARSED, ctypes.byref(parsed)) == 0
            handles = {
                "session": session._handle,
                "policy": policy._handle,
                "identity": identity,
                "config": config,
                "decision": decision,
                "parsed": parsed,
            }
            sealed = session.protect_string(ANN, "some text").encode()
            yield Made(handles, office, session.protect(ANN, b"some bytes"), sealed)
            C.mam_json_release(parsed)
            C.mam_decision_release(decision)
            C.mam_app_config_release(config)
            C.mam_identity_release(identity)


def expect_failure(row: Row, made: Made, *statuses: Status, culprit: str | None = None, **changed: Any) -> None:
    """It fails as documented: status, last error, closed value, cleared outputs."""
    call = Call(row, made, **changed)
    assert not call.left()
    if row.returns == "void":
        return
    assert call.status in statuses, f"{row}: {call.status} {C.mam_last_message()}"
    if row.returns == "status":
        assert call.result == call.status
    else:
        assert call.result == CLOSED_RESULTS.get(row.returns, row.more.get("closed"))
    assert C.mam_last_message()
    if culprit is not None:
        assert call.culprit() == culprit


def cases(*kinds: str) -> pytest.MarkDecorator:
    """Each parameter of these kinds."""
    found = [(row, one) for row in LOUD for one in row.of_kind(*kinds)]
    return pytest.mark.parametrize(("row", "one"), found, ids=[f"{row}-{one.name}" for row, one in found])


def with_handle() -> list[Row]:
    return [row for row in LOUD if row.handle]


def handle_cases() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", with_handle(), ids=str)


def test_the_table_is_that_of_mam_h() -> None:
    """A new function needs a row."""
    assert list(ROWS) == list(header.FUNCTIONS)
    for name, row in ROWS.items():
        assert [one.name for one in row.parameters] == [one.name for one in header.FUNCTIONS[name].parameters]
    assert {name: row.more["closed"] for name, row in ROWS.items() if row.returns == "bool"} == header.CLOSED


# --- NULL ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS.values(), ids=str)
def test_all_arguments_null(row: Row) -> None:
    values: list[Any] = []
    for one in row.parameters:
        is_number = one.type in (ctypes.c_int32, ctypes.c_int64, ctypes.c_uint32, ctypes.c_size_t)
        values.append(0 if is_number else one.type() if one.kind == "function" else None)
    result = getattr(C, row.name)(*values)
    if row.more.get("nullHandle") or (row.more.get("silent") and row.name != "mam_last_error_json"):
        return
    assert result == row.more.get("closed", CLOSED_RESULTS.get(row.returns, Status.ARGUMENT))


@handle_cases()
def test_null_handle(row: Row, made: Made) -> None:
    assert row.handle
    if not row.more.get("nullHandle"):
        expect_failure(row, made, Status.ARGUMENT, culprit=row.handle.name, **{row.handle.name: None})


@cases(*functions.OUTPUTS)
def test_null_output(row: Row, one: Parameter, made: Made) -> None:
    if one.name in row.optional:
        call = Call(row, made, **{one.name: None})
        assert call.status == Status.OK
        call.release()
    else:
        expect_failure(row, made, Status.ARGUMENT, culprit=one.name, **{one.name: None})


@cases("json", "text", "path", "file", "bytes", "room")
def test_null_input(row: Row, one: Parameter, made: Made) -> None:
    if row.more.get("null", {}).get(one.name) != "ok":
        expect_failure(row, made, Status.ARGUMENT, culprit=one.name, **{one.name: None})


# --- Text and JSON ------------------------------------------------------------------------------------------

NOT_UTF8 = (b"a\xff", b"a\xc0\x80", b"a\xed\xa0\x80", b"a\xe2\x82", b"\x80")
BAD_ACCOUNTS = (*NOT_UTF8, b"a" * 257, b"a" * (64 << 10), b"a" * (5 << 20), b" a", b"a ", b"a\t", b"a\nb", b"a\x7f")
BAD_JSON = (
    b"", b" ", b"{", b"nul", b"[1,]", b'{"a":1,"a":2}', b"\xff", b'{"app":"\xff"}', b'"\\ud800"', b"{'app':1}",
    b'{"a":01}', b"[1e]", b'{"a":"\x01"}', b"\xef\xbb\xbf{}", b"[" * 65 + b"]" * 65, b"[" * 100_000, b"{} {}",
)  # fmt: skip
LONG_JSON = b'"' + b"a" * (17 << 20) + b'"'


@cases("account")
def test_accounts(row: Row, one: Parameter, made: Made) -> None:
    for bad in BAD_ACCOUNTS:
        expect_failure(row, made, Status.ARGUMENT, culprit=one.name, **{one.name: bad})
    for value, says in ((None, "null"), (b"", "empty")):
        if row.more[says][one.name] == "argument":
            expect_failure(row, made, Status.ARGUMENT, culprit=one.name, **{one.name: value})
        elif row.more[says][one.name] == "denied":
            expect_failure(row, made, Status.DENIED, culprit=None, **{one.name: value})
        else:
            call = Call(row, made, **{one.name: value})
            assert call.status == Status.OK
            call.release()
    for undo in ("mam_set_process_identity", "mam_pop_thread_identity"):
        Call(ROWS[undo], made, **({"account": None} if "set" in undo else {}))


BESIDE = ("text", "path", "place", "existing", "unowned", "source", "target", "bytes")


@cases(*BESIDE)
def test_an_account_and_its_neighbour_exchanged(row: Row, one: Parameter, made: Made) -> None:
    if not row.of_kind("account"):
        return
    expect_failure(row, made, Status.ARGUMENT, culprit="account", account=b"folder/some file")
    changed: dict[str, Any] = {one.name: ANN.encode(), "account": b"some file"}
    if one.kind == "bytes":
        changed["length"] = len(ANN)
    expect_failure(row, made, Status.ARGUMENT, culprit=one.name, **changed)
    assert b"were the two exchanged?" in C.mam_last_message()


@pytest.mark.parametrize("row", [row for row in LOUD if row.name.endswith("_release")], ids=str)
def test_a_release_leaves_the_last_error(row: Row, made: Made) -> None:
    kind = getattr(C, row.name).argtypes[0]
    for handle in (None, ctypes.cast(ctypes.c_void_p(1 << 40), kind)):
        Call(ROWS["mam_wait"], made, m=None)
        before = C.mam_last_status(), C.mam_last_message()
        Call(row, made, **{row.parameters[0].name: handle})
        assert (C.mam_last_status(), C.mam_last_message()) == before and before[0] == Status.ARGUMENT


@cases("text", "window")
def test_text_that_is_not_utf8(row: Row, one: Parameter, made: Made) -> None:
    for bad in NOT_UTF8:
        expect_failure(row, made, Status.ARGUMENT, culprit=one.name, **{one.name: bad})


@cases("window")
def test_windows(row: Row, one: Parameter, made: Made) -> None:
    for bad in (b"", b"w" * 257, b"w" * (5 << 20)):
        expect_failure(row, made, Status.ARGUMENT, culprit=one.name, **{one.name: bad})


@cases("json")
def test_invalid_json(row: Row, one: Parameter, made: Made) -> None:
    # A reply may be longer than a request: Tests/ABI/parsed_json_test.c.
    for bad in BAD_JSON if row.name == "mam_json_parse" else (*BAD_JSON, LONG_JSON):
        expect_failure(row, made, Status.JSON, culprit=one.name, **{one.name: bad})


# --- Numbers ------------------------------------------------------------------------------------------------


@cases("length", "capacity", "index")
def test_huge_sizes(row: Row, one: Parameter, made: Made) -> None:
    for huge in HUGE:
        expect_failure(row, made, Status.ARGUMENT, culprit=one.name, **{one.name: huge})


@cases("capacity")
def test_short_buffers(row: Row, one: Parameter, made: Made) -> None:
    room = (ctypes.c_ubyte * 8)(*b"untouched"[:8])
    call = Call(row, made, out=room, capacity=8)
    assert call.status == call.result == Status.BUFFER
    assert bytes(room) == b"untouche"
    needed = call.outputs["written"].value
    assert needed > 8
    assert Call(row, made, capacity=needed).status == Status.OK


@cases("timeout")
def test_negative_timeouts(row: Row, one: Parameter, made: Made) -> None:
    op = ctypes.c_int64()
    assert C.mam_check_in(made.handles["session"], None, ctypes.byref(op)) == 0
    of_op = {number.name: op.value for number in row.of_kind("number")}
    for timeout in (-2, -1000, -(2**31)):
        expect_failure(row, made, Status.ARGUMENT, culprit=one.name, **{one.name: timeout}, **of_op)


@cases(*functions.RANGES)
def test_numbers_out_of_range(row: Row, one: Parameter, made: Made) -> None:
    for number in (functions.RANGES[one.kind], -1, 2**31 - 1, -(2**31)):
        expect_failure(row, made, Status.ARGUMENT, culprit=one.name, **{one.name: number})


@cases("flags")
def test_unknown_flags(row: Row, one: Parameter, made: Made) -> None:
    for flags in (2, 3, 2**31, 2**32 - 1):
        expect_failure(row, made, Status.ARGUMENT, culprit=one.name, **{one.name: flags})


# --- Handles ------------------------------------------------------------------------------------------------


@handle_cases()
def test_invented_handle(row: Row, made: Made) -> None:
    assert row.handle
    for bits in (1, 0xFFFF, 0x7E57_0000_1234, 2**64 - 1):
        handle = ctypes.cast(ctypes.c_void_p(bits), row.handle.type)
        expect_failure(row, made, Status.CLOSED, **{row.handle.name: handle})


@handle_cases()
def test_handle_of_another_kind(row: Row, made: Made) -> None:
    assert row.handle
    for kind, handle in made.handles.items():
        if kind != row.handle.kind:
            expect_failure(row, made, Status.CLOSED, **{row.handle.name: ctypes.cast(handle, row.handle.type)})


@pytest.fixture(scope="module")
def closed(made: Made) -> Iterator[dict[str, Any]]:
    """A handle of each kind whose session is closed."""
    session = made.office.open(app="com.example.mail")
    with session.policy(ANN) as policy:
        identity = _ffi.IdentityHandle()
        assert C.mam_identity_capture(session._handle, ctypes.byref(identity)) == 0
        session.close()
        yield {"session": session._handle, "policy": policy._handle, "identity": identity}
        C.mam_identity_release(identity)


@handle_cases()
def test_closed_handle(row: Row, made: Made, closed: dict[str, Any]) -> None:
    assert row.handle
    if row.handle.kind in closed:
        expect_failure(row, made, Status.CLOSED, **{row.handle.name: closed[row.handle.kind]})


def test_released_handles(made: Made) -> None:
    released: dict[str, Any] = {kind: functions.HANDLES[kind]() for kind in ("policy", "identity", "decision")}
    assert C.mam_policy_for_account(made.handles["session"], None, ctypes.byref(released["policy"])) == 0
    assert C.mam_identity_capture(made.handles["session"], ctypes.byref(released["identity"])) == 0
    assert C.mam_policy_reason(made.handles["policy"], 0, ctypes.byref(released["decision"])) == 0
    for kind, handle in released.items():
        getattr(C, f"mam_{kind}_release")(handle)
    released["parsed"] = _ffi.JsonHandle()
    assert C.mam_json_parse(PARSED, ctypes.byref(released["parsed"])) == 0
    C.mam_json_release(released["parsed"])
    for row in with_handle():
        assert row.handle
        if row.handle.kind in released:
            expect_failure(row, made, Status.CLOSED, **{row.handle.name: released[row.handle.kind]})


@pytest.mark.parametrize("worker", [False, True])
def test_handles_of_the_parent_process(made: Made, worker: bool) -> None:
    with made.office.open(worker=worker) as session, session.policy(ANN) as policy:
        identity = _ffi.IdentityHandle()
        assert C.mam_identity_capture(session._handle, ctypes.byref(identity)) == 0
        decision = _ffi.DecisionHandle()
        assert C.mam_policy_reason(policy._handle, 0, ctypes.byref(decision)) == 0
        parsed = _ffi.JsonHandle()
        assert C.mam_json_parse(PARSED, ctypes.byref(parsed)) == 0
        handles = {
            "session": session._handle,
            "policy": policy._handle,
            "identity": identity,
            "decision": decision,
            "parsed": parsed,
        }
        parents = Made(handles, made.office, made.container, made.sealed)

        def all_of_them() -> str:
            for row in with_handle():
                # Closing and releasing are allowed in a child: they only free memory.
                if row.handle and row.handle.kind in handles and "nullHandle" not in row.more:
                    expect_failure(row, parents, Status.FORKED)
            return "all forked"

        assert in_child(all_of_them) == "all forked"
        C.mam_json_release(parsed)
        C.mam_decision_release(decision)
        C.mam_identity_release(identity)


# --- Where it is called from --------------------------------------------------------------------------------


def elsewhere(row: Row) -> bool:
    """Functions that can be called there with good arguments: they end nothing, and need no open question."""
    needs_question = row.handle is not None and row.handle.kind == "question"
    return not (needs_question or row.name.startswith("mam_answer") or row.more.get("ends"))


def run_well(row: Row, made: Made, expected: Status = Status.OK) -> None:
    numbers = {}
    if row.of_kind("number"):
        op = ctypes.c_int64()
        assert C.mam_check_in(made.handles["session"], None, ctypes.byref(op)) == 0
        numbers = {row.of_kind("number")[0].name: op.value, "timeout_ms": 30_000}
    if row.name == "mam_event_next":
        assert C.mam_check_in(made.handles["session"], b"nobody@contoso.example", ctypes.byref(ctypes.c_int64())) == 0
        C.mam_run_due(made.handles["session"])
    if "first" in row.more:
        Call(ROWS[row.more["first"]], made)
    call = Call(row, made, **numbers)
    assert call.status == expected, f"{row}: {call.status} {C.mam_last_message()}"
    if expected == Status.OK:
        call.release()
    else:
        assert not call.left()
    undo = row.more.get("undo")
    if undo is not None:
        Call(ROWS[undo], made) if isinstance(undo, str) else Call(row, made, **undo)


def test_from_another_thread(made: Made) -> None:
    failed: list[BaseException] = []

    def all_of_them() -> None:
        try:
            for row in filter(elsewhere, LOUD):
                run_well(row, made)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=all_of_them)
    thread.start()
    thread.join()
    assert not failed, failed


def test_inside_a_callback(office: Office) -> None:
    """A call that would wait for the callback is refused; all others work."""
    with office.open() as session:
        for upn in (ANN, BEN):
            session.register_and_enroll(upn).wait(30)
        with session.policy(ANN) as policy, session.app_config(ANN) as config:
            sealed = session.protect_string(ANN, "some text").encode()
            decision = _ffi.DecisionHandle()
            assert C.mam_policy_reason(policy._handle, 0, ctypes.byref(decision)) == 0
            parsed = _ffi.JsonHandle()
            assert C.mam_json_parse(PARSED, ctypes.byref(parsed)) == 0
            handles = {
                "session": session._handle,
                "policy": policy._handle,
                "config": config._handle,
                "decision": decision,
                "parsed": parsed,
            }
            here = Made(handles, office, session.protect(ANN, b"some bytes"), sealed)
            failed: list[BaseException] = []
            called: list[str] = []

            def call_back_in(_: Any, question: Any, __: bytes) -> None:
                number = C.mam_question_id(question)
                try:
                    for row in LOUD:
                        waits = row.more.get("inCallback") == "deadlock"
                        if row.name == "mam_interrupt" or (row.handle and row.handle.kind == "identity"):
                            continue
                        if waits:
                            expect_failure(row, here, Status.DEADLOCK)
                        elif elsewhere(row) and row.name not in ("mam_set_delegate", "mam_event_next"):
                            run_well(row, here)
                        called.append(row.name)
                except BaseException as error:
                    failed.append(error)
                C.mam_answer(session._handle, number, json.dumps({"removed": True}).encode())

            delegate = _ffi.DelegateFunction(call_back_in)
            assert C.mam_set_delegate(session._handle, delegate, None) == 0
            assert session.wipe_account(BEN).wait(30).succeeded
            assert not failed, failed
            assert len(called) > 50
            assert C.mam_set_delegate(session._handle, _ffi.DelegateFunction(), None) == 0
            C.mam_json_release(parsed)
            C.mam_decision_release(decision)


def test_errors_are_described_and_cleared(m: mam.Mam) -> None:
    out = ctypes.c_char_p()
    assert C.mam_check_in(m._handle, b"", ctypes.byref(ctypes.c_int64())) == Status.ARGUMENT
    assert C.mam_last_message()
    assert C.mam_last_error_json(ctypes.byref(out)) == 0
    last = json.loads(out.value or b"")
    C.mam_free(out)
    assert last["status"] == Status.ARGUMENT
    assert last["message"].encode() == C.mam_last_message()
    assert C.mam_run_due(m._handle) == 0
    assert C.mam_last_status() == 0
    assert C.mam_last_message() == b""
