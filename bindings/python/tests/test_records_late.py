"""Dataclasses that become ones at their first use: nothing shows the difference."""

from __future__ import annotations

import dataclasses
import pickle
import threading
from typing import Any

import mam
import pytest
from mam import _records

CLASSES = [one for one in (getattr(mam, name) for name in mam.__all__) if isinstance(one, type) and dataclasses.is_dataclass(one)]


@_records.dataclass(frozen=True)
class Base:
    number: int
    also: tuple[str, ...] = _records.converted(tuple, default=())


@_records.dataclass(frozen=True)
class Derived(Base):
    text: str = ""


class Plain(Derived):
    """Without a decorator of its own."""


def test_they_are_values() -> None:
    one = Plain(1, ("a",), text="x")
    assert one == Plain(1, ("a",), "x") != Derived(1, ("a",), "x")
    assert hash(one) == hash(Plain(1, ("a",), "x"))
    assert repr(one) == "Plain(number=1, also=('a',), text='x')"
    assert dataclasses.replace(one, number=2).number == 2
    assert pickle.loads(pickle.dumps(one)) == one
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.number = 3  # type: ignore[misc]
    match one:
        case Plain(1, ("a",), "x"):
            pass
        case _:
            raise AssertionError


@pytest.mark.parametrize("make", [lambda cls: cls(1), dataclasses.fields, dataclasses.is_dataclass], ids=["call", "fields", "is"])
def test_the_first_use_may_be_any(make: Any) -> None:
    @_records.dataclass(frozen=True)
    class First:
        number: int

    @_records.dataclass(frozen=True)
    class Second(First):
        text: str = "x"

    assert make(Second)
    assert [one.name for one in dataclasses.fields(Second)] == ["number", "text"]
    assert Second(1) == Second(1) and First(1) == First(1)


def test_many_threads_use_one_at_once() -> None:
    for _ in range(50):

        @_records.dataclass(frozen=True)
        class Fresh:
            number: int

        results: list[bool] = []
        threads = [threading.Thread(target=lambda: results.append(Fresh(1) == Fresh(1))) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [True] * 8


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_public_one_is_frozen(cls: Any) -> None:
    dataclasses.fields(cls)
    assert cls.__dataclass_params__.frozen
