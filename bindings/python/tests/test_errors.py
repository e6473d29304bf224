"""Exceptions, with the built-in classes that Python programmers catch."""

from __future__ import annotations

import pickle

import mam
import pytest
from mam.errors import CLASSES, class_for


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (mam.ArgumentError, ValueError),
        (mam.BufferTooSmallError, ValueError),
        (mam.JSONError, ValueError),
        (mam.ClosedError, ValueError),
        (mam.UnsupportedError, NotImplementedError),
        (mam.NotFoundError, LookupError),
        (mam.NotRegisteredError, LookupError),
        (mam.TimeoutError, TimeoutError),
        (mam.DeniedError, PermissionError),
        (mam.PermissionError, PermissionError),
        (mam.AuthRequiredError, PermissionError),
        (mam.NetworkError, ConnectionError),
        (mam.InputOutputError, OSError),
        (mam.DamagedError, ValueError),
        (mam.AuthenticationError, ValueError),
    ],
)
def test_builtin_classes(kind: type[mam.MamError], builtin: type[Exception]) -> None:
    assert issubclass(kind, builtin)


@pytest.mark.parametrize("status", list(CLASSES))
def test_an_error_keeps_its_parts(status: mam.Status) -> None:
    error = class_for(status)(status, "aName", "What happened.", {"originalCode": 103, "accountId": "a"})
    for one in (error, pickle.loads(pickle.dumps(error))):
        assert type(one) is CLASSES[status]
        assert isinstance(one, mam.MamError)
        assert (one.status, one.name, str(one), one.original_code) == (status, "aName", "What happened.", 103)
        assert one.detail["accountId"] == "a"


def test_a_status_of_a_newer_library() -> None:
    assert class_for(77) is mam.MamError
    error = mam.MamError(77, "somethingNew", "")
    assert error.status == 77
    assert str(error) == "somethingNew"


def test_detail_names_the_argument(m: mam.Mam) -> None:
    with pytest.raises(mam.ArgumentError) as caught:
        m.register_and_enroll()
    assert caught.value.original_code == 207
    assert caught.value.name == "argument"
    assert caught.value.message


def test_threads_have_their_own_errors(m: mam.Mam) -> None:
    import threading

    from mam import _ffi

    with pytest.raises(mam.ArgumentError):
        m.policy("a" * 257)
    seen: list[int] = []
    thread = threading.Thread(target=lambda: seen.append(_ffi.library.mam_last_status()))
    thread.start()
    thread.join()
    assert seen == [mam.Status.OK]
