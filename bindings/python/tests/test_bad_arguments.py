"""Arguments that Python or ctypes would silently take for something else."""

from __future__ import annotations

import array
import math
import mmap
import threading
import time
from collections.abc import Callable
from typing import Any

import mam
import pytest
from conftest import ANN, Office

Calls = list[Callable[[], object]]


def refused(error: type[BaseException], *calls: Callable[[], object]) -> None:
    for number, call in enumerate(calls):
        with pytest.raises(error):
            pytest.fail(f"call {number} answered {call()!r}")


class Text(str):
    """A name that claims to be another."""

    def encode(self, *arguments: Any) -> bytes:
        return ANN.encode()


class Number(int):
    pass


@pytest.mark.parametrize("size", [2**63, 2**64, 2**64 + 5, 10**400])
def test_sizes_that_would_be_truncated(size: int) -> None:
    refused(OverflowError, lambda: mam.protect_bound(size))


@pytest.mark.parametrize("number", [2**63, 2**64 + 1, -(2**63) - 1, 10**400])
def test_numbers_that_would_be_truncated(enrolled: mam.Mam, number: int) -> None:
    assert enrolled.wait(1, 0)
    refused(
        mam.ArgumentError,
        lambda: enrolled.wait(number, 0),
        lambda: enrolled.answer(number, {"removed": True}),
        lambda: enrolled.answer_secret(number, b"x"),
    )


@pytest.mark.parametrize("number", [True, 1.0, "1", None, b"1"])
def test_invalid_numbers(enrolled: mam.Mam, number: Any) -> None:
    refused(
        TypeError,
        lambda: enrolled.wait(number, 0),
        lambda: enrolled.answer(number, {"removed": True}),
        lambda: enrolled.answer_secret(number, b"x"),
        lambda: mam.protect_bound(number),
    )


def test_a_number_of_a_subclass(enrolled: mam.Mam) -> None:
    assert enrolled.wait(Number(1), 0)
    assert mam.protect_bound(Number(7)) == mam.protect_bound(7)


@pytest.mark.parametrize("value", [0, 1, True, False, 2**32, "0", None, mam.SwitchResult.CANCELED])
def test_values_outside_the_enumeration(enrolled: mam.Mam, value: Any) -> None:
    """Refused even if the number would fit: it may come from another enumeration."""
    with enrolled.policy(ANN) as policy:
        refused(
            TypeError,
            lambda: enrolled.effective_identity(value),
            lambda: enrolled.set_log(print, value),
            lambda: policy.is_document_picker_allowed(value),
            lambda: policy.is_save_to_allowed(value),
            lambda: policy.is_open_from_allowed(value),
            lambda: policy.is_save_to_allowed(mam.OpenLocation.OTHER),  # type: ignore[arg-type]
        )


@pytest.mark.parametrize("timeout", [1e308, 1e306, math.inf, 10**400, 2**63])
def test_timeouts_that_are_for_ever(enrolled: mam.Mam, timeout: float) -> None:
    assert enrolled.wait(1, timeout)
    assert enrolled.next_event(timeout).raw
    stop = threading.Timer(0.2, enrolled.interrupt)
    list(enrolled.events(0))
    stop.start()
    refused(mam.WaitInterruptedError, lambda: enrolled.next_event(timeout))
    stop.join()


@pytest.mark.parametrize("timeout", [True, False, "1", b"1", [1]])
def test_invalid_timeouts(enrolled: mam.Mam, timeout: Any) -> None:
    operation = enrolled.check_in(ANN)
    refused(
        TypeError,
        lambda: enrolled.next_event(timeout),
        lambda: enrolled.events(timeout),
        lambda: operation.wait(timeout),
        lambda: operation.wait_async(timeout).send(None),
    )


def test_timeouts_that_are_negative(enrolled: mam.Mam) -> None:
    for timeout in (-1, -1e-9, -math.inf, math.nan, -(10**400)):
        refused(ValueError, lambda: enrolled.next_event(timeout), lambda: enrolled.wait(1, timeout))


def test_one_name_is_not_a_list(enrolled: mam.Mam) -> None:
    """Python would take its letters for unmanaged names."""
    one: Any
    for one in (ANN, ANN.encode()):
        refused(TypeError, lambda: enrolled.policy_for_accounts(one))
    for one in ([5], [None], [bytearray(b"x")]):
        refused(
            TypeError,
            lambda: enrolled.policy_for_accounts(one),
            lambda: enrolled.set_ui_identity(one),
            lambda: enrolled.app_config(one),
        )
    for one in ([b"\xff"], ["a\0b"], ["\ud800"], [ANN, "a\0"]):
        refused(
            mam.ArgumentError,
            lambda: enrolled.policy_for_accounts(one),
            lambda: enrolled.set_ui_identity(one),
            lambda: enrolled.app_config(one),
        )
    personal = "me@home.example"
    with enrolled.policy_for_accounts(name for name in (ANN.encode(), personal)) as policy:  # type: ignore[arg-type]
        assert policy.effective().managed


@pytest.mark.parametrize("name", ["a\0b", "\ud800", b"\xff", b"a\0b"])
def test_names_with_invalid_characters(enrolled: mam.Mam, office: Office, name: Any) -> None:
    refused(
        mam.ArgumentError,
        lambda: enrolled.check("print", name),
        lambda: enrolled.check("saveTo", ANN, location="box", location_account=name),
        lambda: enrolled.check("receive", ANN, sender=name),
        lambda: enrolled.set_process_identity(name),
        lambda: enrolled.set_ui_identity(name),
        lambda: enrolled.app_config(name),
        lambda: enrolled.policy(name),
        lambda: enrolled.identities_equal(ANN, name),
        lambda: enrolled.run_as(name, list),
        lambda: enrolled.set_override("MultiIdentity", "\ud800"),
    )
    if isinstance(name, str):
        refused(
            mam.ArgumentError,
            lambda: enrolled.register_and_enroll(name),
            lambda: enrolled.ui_identity(name),
            lambda: enrolled.set_override(name, True),
            lambda: mam.admin(office.authority.path, "user.add", upn=name),
            lambda: mam.admin(f"/tmp/{name}", "user.list"),
            lambda: mam.open("com.example.notes", f"/tmp/{name}"),
        )


@pytest.mark.parametrize("name", [5, True, ["ann"], bytearray(b"ann"), memoryview(b"ann"), object()])
def test_names_of_another_type(enrolled: mam.Mam, name: Any) -> None:
    refused(
        TypeError,
        lambda: enrolled.policy(name),
        lambda: enrolled.check("print", name),
        lambda: enrolled.identity(name),
        lambda: enrolled.wipe_account(name),
        lambda: enrolled.protect(name, b"x"),
        lambda: enrolled.protect_string(name, "x"),
        lambda: enrolled.is_account_managed(name),
    )


def test_a_name_of_a_subclass_is_taken_by_value(enrolled: mam.Mam) -> None:
    assert not enrolled.is_account_managed(Text("eve@personal.example"))
    assert not enrolled.check("print", ANN) and enrolled.check("print", Text("eve@personal.example"))


def test_bytes_are_names_everywhere(enrolled: mam.Mam) -> None:
    assert enrolled.check("print", ANN.encode()) == enrolled.check("print", ANN)
    assert mam.request("receive", b"", sender=ANN.encode()) == mam.request("receive", "", sender=ANN)


def test_decorators_without_their_parentheses(enrolled: mam.Mam) -> None:
    """They would register nothing."""
    broken: Any
    for broken in (print, 5, None):
        refused(TypeError, lambda: enrolled.on(broken), lambda: enrolled.on_question(broken))


def test_paths_of_every_kind(office: Office) -> None:
    state = office.folder / "state"
    for authority, directory in (
        (office.authority.path.encode(), str(state).encode()), (office.folder / "authority.db", state),
        (office.authority, str(state)),
    ):  # fmt: skip
        with mam.open("com.example.notes", authority, state_directory=directory, worker=False) as m:
            assert m.settings()["stateDirectory"] == str(state)
    wrong: Any
    for wrong in (5, None, ["a"]):
        refused(TypeError, lambda: mam.open("com.example.notes", wrong))


# Buffers: see also test_protection.py.


def test_outputs_of_every_kind(enrolled: mam.Mam) -> None:
    with mmap.mmap(-1, 8192) as mapped:
        outputs: list[Any] = [bytearray(8192), array.array("I", [0] * 2048), memoryview(bytearray(8192)), mapped,
                              memoryview(bytearray(8192)).cast("B", [64, 128])]  # fmt: skip
        for out in outputs:
            size = enrolled.protect_into(ANN, bytes(4000), out)
            assert enrolled.unprotect(bytes(memoryview(out).cast("B"))[:size]) == bytes(4000)


def test_released_and_closed_buffers(enrolled: mam.Mam) -> None:
    view = memoryview(bytearray(8192))
    mapped: Any = mmap.mmap(-1, 8192)
    view.release()
    mapped.close()
    for gone in (view, mapped):
        refused(ValueError, lambda: enrolled.protect(ANN, gone), lambda: enrolled.protect_into(ANN, b"x", gone),
                lambda: enrolled.unprotect(gone), lambda: enrolled.unprotect_into(b"x", gone))  # fmt: skip


def test_the_message_for_buffers_with_gaps(enrolled: mam.Mam) -> None:
    gaps = memoryview(bytearray(16384))[::2]
    for call in (lambda: enrolled.protect(ANN, gaps), lambda: enrolled.protect_into(ANN, b"x", gaps)):
        with pytest.raises((BufferError, TypeError), match="contiguous"):
            call()


def test_a_buffer_cannot_be_resized_during_a_call(enrolled: mam.Mam) -> None:
    data = bytearray(8 << 20)
    ended = threading.Event()

    def seal() -> None:
        while not ended.is_set():
            enrolled.protect(ANN, data)

    thread = threading.Thread(target=seal)
    thread.start()
    met = 0
    deadline = time.monotonic() + 20
    while not met and time.monotonic() < deadline:
        try:
            data.append(0)
            data.pop()
        except BufferError:
            met += 1
    ended.set()
    thread.join()
    assert met


def test_a_buffer_that_changes_during_a_call(enrolled: mam.Mam) -> None:
    """A result has the right size or the call fails, without a crash. Which bytes are read is up to the thread that changes
    them."""
    plain = bytearray(200_000)
    container = bytearray(enrolled.protect(ANN, bytes(200_000)))
    good = bytes(container)
    out = bytearray(mam.protect_bound(len(plain)))
    ended = threading.Event()

    def change() -> None:
        turn = 0
        while not ended.is_set():
            turn += 1
            plain[turn * 997 % len(plain)] = turn & 0xFF
            place = turn * 991 % len(container)
            container[place] ^= 1 << turn % 8
            out[turn % len(out)] = 0xA5
            container[place] = good[place]

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(150):
            assert len(enrolled.unprotect(enrolled.protect(ANN, plain))) == len(plain)
            enrolled.protect_into(ANN, plain, out)
            for call in (lambda: enrolled.unprotect(container), lambda: enrolled.protection_info(container)):
                try:
                    call()
                except mam.DataError:
                    pass
            try:
                assert len(enrolled.unprotect(container, strict=True)) == 200_000
            except mam.DataError:
                pass
    finally:
        ended.set()
        thread.join()
