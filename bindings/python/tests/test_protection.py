"""Protecting and unprotecting, with every kind of bytes and every kind of damage."""

from __future__ import annotations

import array
import base64
import mmap
import os
import threading
from collections.abc import Iterator
from typing import Any

import mam
import pytest
from conftest import ANN, EVE, Office
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

SIZES = [1, 15, 16, 17, 4095, 4096, 4097, 16383, 16384, 16385, 65536, 1 << 20]
# One session for all examples: enrolling for each would test nothing more.
repeated = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def pattern(size: int) -> bytes:
    return (bytes(range(256)) * (size // 256 + 1))[:size]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("account", [ANN, EVE, "", ANN.encode()])
def test_round_trip(enrolled: mam.Mam, account: str | bytes, size: int) -> None:
    data = pattern(size)
    sealed = enrolled.protect(account, data)
    assert type(sealed) is bytes
    assert size < len(sealed) <= mam.protect_bound(size)
    is_sealed = enrolled.protection_info(sealed).encrypted
    assert is_sealed is (account not in (EVE, ""))
    # Sealed data differs on every call; a label is the same.
    assert (enrolled.protect(account, data) != sealed) is is_sealed
    assert enrolled.unprotect(sealed, strict=True) == data
    assert enrolled.unprotect_detailed(sealed) == (data, True)


def test_managed_data_is_encrypted_and_personal_data_is_labelled(enrolled: mam.Mam) -> None:
    secret = b"the minutes of the meeting"
    assert secret not in enrolled.protect(ANN, secret)
    assert secret in enrolled.protect(EVE, secret)
    info = enrolled.protection_info(enrolled.protect(ANN, secret))
    assert info.algorithm is mam.ContainerAlgorithm.SEALED
    assert info.encrypted and info.authenticated
    assert (info.content_type, info.length) == ("data", len(secret))
    assert info.account_id == enrolled.enrolled_accounts()[0].account_id
    labelled = enrolled.protection_info(enrolled.protect(EVE, secret))
    assert not labelled.encrypted and labelled.algorithm is mam.ContainerAlgorithm.LABELLED


def test_an_item_tells_its_owner_by_its_first_bytes(enrolled: mam.Mam) -> None:
    item = os.memfd_create("item")
    try:
        with enrolled.protect_stream_to(ANN, lambda piece: os.write(item, piece)) as stream:
            stream.write(b"x" * 100_000)
        info = enrolled.protection_info_prefix(os.pread(item, mam.protect_bound(0), 0))
    finally:
        os.close(item)
    assert info.account_id == enrolled.enrolled_accounts()[0].account_id
    assert info.encrypted and info.authenticated and info.length is None
    personal = enrolled.protection_info_prefix(enrolled.protect(EVE, b"x" * 1000)[: mam.protect_bound(0)])
    assert (personal.account_id, personal.authenticated, personal.length) == (EVE, False, 1000)
    for too_few in (b"MAM\1", enrolled.protect(ANN, b"x")[:60]):
        with pytest.raises(mam.DamagedError):
            enrolled.protection_info_prefix(too_few)


@repeated
@given(data=st.binary(min_size=1, max_size=50_000))
def test_any_bytes(enrolled: mam.Mam, data: bytes) -> None:
    assert enrolled.unprotect(enrolled.protect(ANN, data), strict=True) == data


@repeated
@given(plain=st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_any_text(enrolled: mam.Mam, plain: str) -> None:
    sealed = enrolled.protect_string(ANN, plain)
    base64.b64decode(sealed, validate=True)
    assert enrolled.unprotect_string(sealed, strict=True) == plain
    assert enrolled.unprotect_string_detailed(sealed) == (plain, True)
    assert enrolled.protection_info_string(sealed).content_type == "string"


@repeated
@given(data=st.binary(min_size=1, max_size=300))
def test_foreign_bytes(enrolled: mam.Mam, data: bytes) -> None:
    assert enrolled.unprotect_detailed(data) == (data, False)
    with pytest.raises(mam.NotProtectedError):
        enrolled.unprotect(data, strict=True)


@repeated
@given(draw=st.data())
def test_every_bit_counts(enrolled: mam.Mam, draw: st.DataObject) -> None:
    sealed = bytearray(enrolled.protect(ANN, b"minutes of the meeting"))
    bit = draw.draw(st.integers(0, len(sealed) * 8 - 1))
    sealed[bit // 8] ^= 1 << (bit % 8)
    with pytest.raises(mam.UnsupportedError if sealed[3] == 3 else mam.DataError):  # 3: an encrypted database
        enrolled.unprotect(sealed, strict=True)


@repeated
@given(cut=st.integers(min_value=1))
def test_truncated_and_extended(enrolled: mam.Mam, cut: int) -> None:
    sealed = enrolled.protect(ANN, pattern(500))
    for damaged in (sealed[: -(cut % len(sealed)) or None][:-1], sealed + b"\0"):
        with pytest.raises(mam.DataError):
            enrolled.unprotect(damaged, strict=True)


@pytest.fixture
def mapped() -> Iterator[mmap.mmap]:
    with mmap.mmap(-1, 5000) as memory:
        memory[:] = pattern(5000)
        yield memory


def test_bytes_like_inputs(enrolled: mam.Mam, mapped: mmap.mmap) -> None:
    data = pattern(5000)
    inputs: list[Any] = [
        bytearray(data), memoryview(data), memoryview(bytearray(data)), array.array("B", data),
        memoryview(data * 2)[5000 - 5000 % 256 : 10000 - 5000 % 256], memoryview(data).cast("I"), mapped,
    ]  # fmt: skip
    for one in inputs:
        plain = bytes(memoryview(one).cast("B"))
        sealed = enrolled.protect(ANN, one)
        for container in (sealed, bytearray(sealed), memoryview(sealed)):
            assert enrolled.unprotect(container) == plain
            assert enrolled.protection_info(container).length == len(plain)


def test_an_input_can_be_changed_afterwards(enrolled: mam.Mam) -> None:
    data = bytearray(b"grows")
    enrolled.protect(ANN, data)
    with pytest.raises(mam.ArgumentError):
        enrolled.protect("a" * 300, data)
    data.extend(b" after the call")  # raises BufferError if the call had kept it


def test_inputs_that_are_not_bytes(enrolled: mam.Mam) -> None:
    broken: list[Any] = ["text", 5, None, [1], memoryview(pattern(10))[::2]]
    for one in broken:
        for call in (lambda: enrolled.protect(ANN, one), lambda: enrolled.unprotect(one),
                     lambda: enrolled.protection_info(one)):  # fmt: skip
            with pytest.raises((TypeError, BufferError)):
                call()


def test_empty_input(enrolled: mam.Mam) -> None:
    with pytest.raises(mam.EmptyError) as caught:
        enrolled.protect(ANN, b"")
    assert caught.value.original_code == 105
    for one in (b"", bytearray()):
        with pytest.raises(mam.EmptyError):
            enrolled.unprotect(one)
        with pytest.raises(mam.EmptyError):
            enrolled.protection_info(one)


@pytest.mark.parametrize("size", SIZES)
def test_into_caller_buffers(enrolled: mam.Mam, size: int) -> None:
    data = pattern(size)
    sealed = bytearray(mam.protect_bound(size))
    sealed_size = enrolled.protect_into(ANN, data, sealed)
    plain = bytearray(sealed_size)
    length, was_protected = enrolled.unprotect_into(memoryview(sealed)[:sealed_size], plain, strict=True)
    assert plain[:length] == data
    assert was_protected


def test_in_place(enrolled: mam.Mam) -> None:
    data = pattern(40_000)
    memory = bytearray(mam.protect_bound(len(data)))
    memory[: len(data)] = data
    size = enrolled.protect_into(ANN, memoryview(memory)[: len(data)], memory)
    length, _ = enrolled.unprotect_into(memoryview(memory)[:size], memory)
    assert memory[:length] == data


def test_buffers_that_are_too_small(enrolled: mam.Mam) -> None:
    out = bytearray(10)
    with pytest.raises(mam.BufferTooSmallError) as caught:
        enrolled.protect_into(ANN, b"minutes", out)
    assert out == bytearray(10)
    out = bytearray(caught.value.needed)
    sealed = out[: enrolled.protect_into(ANN, b"minutes", out)]
    for small in (bytearray(3), bytearray()):
        with pytest.raises(mam.BufferTooSmallError) as caught:
            enrolled.unprotect_into(sealed, small)
        assert not any(small)
        assert caught.value.needed >= 7


def test_buffers_that_are_not_writable(enrolled: mam.Mam) -> None:
    broken: list[Any] = [bytes(1000), memoryview(bytes(1000)), "text", None, memoryview(bytearray(2000))[::2]]
    for one in broken:
        with pytest.raises(TypeError):
            enrolled.protect_into(ANN, b"minutes", one)


def test_foreign_text(enrolled: mam.Mam) -> None:
    assert enrolled.unprotect_string_detailed("plain text") == ("plain text", False)
    with pytest.raises(mam.NotProtectedError):
        enrolled.unprotect_string("plain text", strict=True)
    with pytest.raises(mam.ArgumentError):
        enrolled.protect_string(ANN, "cut\0here")
    with pytest.raises(mam.EmptyError):
        enrolled.protect_string(ANN, "")


def test_without_any_enrolled_account(m: mam.Mam) -> None:
    with pytest.raises(mam.NotManagedError) as caught:
        m.protect(ANN, b"x")
    assert caught.value.original_code == 100


def test_another_app_cannot_read_it(enrolled: mam.Mam, office: Office) -> None:
    sealed = enrolled.protect(ANN, b"minutes")
    office.authority.target(office.policy.id, "com.example.other")
    with office.open(app="com.example.other") as other:
        assert other.register_and_enroll(ANN).wait(30)
        with pytest.raises(mam.KeyUnavailableError):
            other.unprotect(sealed)


def test_bound() -> None:
    assert mam.protect_bound(1) > 1
    with pytest.raises(ValueError):
        mam.protect_bound(-1)
    with pytest.raises(OverflowError):
        mam.protect_bound(2**64 - 1)


def test_many_threads(enrolled: mam.Mam) -> None:
    wrong: list[object] = []

    def work(number: int) -> None:
        for size in (1, 100, 5000, 70_000) * 10:
            data = bytes([number]) * size
            if enrolled.unprotect(enrolled.protect(ANN, data)) != data:
                wrong.append((number, size))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
