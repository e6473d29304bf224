"""Handles belong to one process and must be closed: copies, forgotten handles, children."""

from __future__ import annotations

import copy
import gc
import multiprocessing
import os
import pickle
import sys
import warnings
from collections.abc import Callable
from typing import Any

import mam
import pytest
from conftest import ANN, Office, in_child
from mam._handle import Handle

MAKERS: dict[str, Callable[[mam.Mam], Any]] = {
    "session": lambda m: m,
    "policy": lambda m: m.policy(ANN),
    "identity": lambda m: m.capture_identity(),
}


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, pickle.dumps])
@pytest.mark.parametrize("kind", MAKERS)
def test_no_copies(enrolled: mam.Mam, kind: str, how: Callable[[Any], Any]) -> None:
    with MAKERS[kind](enrolled) as handle, pytest.raises(TypeError, match=r"mam\.\w+ cannot be copied or pickled"):
        how(handle)
    assert kind == "session" or enrolled.enrolled_accounts()


#: Other objects that belong to a session: a copy would share its handle, or its place in a queue.
PARTS: dict[str, Callable[[mam.Mam], Any]] = {
    "Operation": lambda m: m.check_in(ANN),
    "Events": lambda m: m.events(0),
    "File": lambda m: m.open_file(_path(m), "wb", 0),
    "ProtectStream": lambda m: m.protect_stream_to(ANN, lambda _: None),
    "UnprotectStream": lambda m: m.unprotect_stream_to(lambda _: None),
    "AppConfig": lambda m: m.app_config(),
}


def _path(m: mam.Mam) -> str:
    return f"{m.settings()['stateDirectory']}/../file"


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, pickle.dumps])
@pytest.mark.parametrize("kind", PARTS)
def test_objects_of_a_session_are_not_copied(enrolled: mam.Mam, kind: str, how: Callable[[Any], Any]) -> None:
    one = PARTS[kind](enrolled)
    assert type(one).__name__ == kind
    with pytest.raises(TypeError, match=rf"mam\.{kind} cannot be copied or pickled"):
        how(one)
    for end in ("close", "abandon"):
        if hasattr(one, end) and kind.endswith("Stream") == (end == "abandon"):
            getattr(one, end)()


def test_every_class_with_a_handle_is_here() -> None:
    def below(cls: type) -> set[type]:
        children: list[type] = cls.__subclasses__()
        return {cls}.union(*map(below, children))

    names = {one.__name__ for one in below(Handle) if one.__name__ in mam.__all__}
    assert names == {*PARTS, "Mam", "Policy", "CapturedIdentity"}


def test_values_are_copied(enrolled: mam.Mam, office: Office) -> None:
    """Results of libmam are plain values, and an authority is a path."""
    with enrolled.policy(ANN) as policy:
        values = [enrolled.check("print", ANN), policy.effective(), enrolled.next_event(0), enrolled.check_in(ANN).wait(30),
                  mam.WIPE_DATA, mam.StatusCode.TIMEOUT]  # fmt: skip
    for value in values:
        assert copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value
    assert pickle.loads(pickle.dumps(mam.LATER)) is mam.LATER
    assert pickle.loads(pickle.dumps(office.authority)).users() == office.authority.users()


@pytest.mark.parametrize("kind", MAKERS)
def test_unclosed_handles_warn(office: Office, kind: str) -> None:
    with office.open() as m:
        handle = office.open(app="com.example.forgotten") if kind == "session" else MAKERS[kind](m)
        name = type(handle).__name__
        with pytest.warns(ResourceWarning, match=rf"unclosed <mam\.{name}.*open>"):
            del handle
            gc.collect()
        assert not m.closed


def test_closed_handles_do_not_warn(office: Office) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with office.open() as m, m.policy(ANN), m.capture_identity():
            pass
        del m
        gc.collect()


def test_unclosed_handles_are_closed_even_if_warnings_are_errors(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    ignored: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda raised: ignored.append(raised.exc_type))
    m = office.open(app="com.example.forgotten")
    descriptor = m.event_fd()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del m
        gc.collect()
    assert ignored == [ResourceWarning]
    with pytest.raises(OSError):
        os.fstat(descriptor)


def test_a_child_does_not_warn_about_its_parents(office: Office) -> None:
    m = office.open(worker=True)
    policy = m.policy(ANN)
    held: list[Any] = [m, policy]

    def forget() -> str:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            held.clear()
            gc.collect()
        return str([str(one.message) for one in caught])

    with m, policy:
        del m, policy
        # The child's only references to the handles are the list and this block.
        assert in_child(forget) == "[]"


def ask(authority: str, state: str, queue: Any) -> None:
    """A worker process opens its own session."""
    with mam.open("com.example.notes", authority, state_directory=state, worker=False) as own:
        queue.put(bool(own.check("print", ANN)))


def ask_inherited(session: mam.Mam, queue: Any) -> None:
    try:
        queue.put(len(session.enrolled_accounts()))
    except mam.MamError as error:
        queue.put(type(error).__name__)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # 3.12 and newer warn about forking with threads, which is the test
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(office: Office, method: str) -> None:
    with office.open(worker=True) as m:
        assert m.register_and_enroll(ANN).wait(30)
        context: Any = multiprocessing.get_context(method)
        queue = context.SimpleQueue()
        process = context.Process(target=ask, args=(office.authority.path, str(office.folder / "state"), queue))
        process.start()
        process.join(60)
        assert (process.exitcode, queue.get()) == (0, False)
        process = context.Process(target=ask_inherited, args=(m, queue))
        if method != "fork":
            with pytest.raises(TypeError, match=r"mam\.Mam cannot be copied or pickled"):
                process.start()
        else:
            process.start()
            process.join(60)
            assert (process.exitcode, queue.get()) == (0, "ForkedError")
        assert m.enrolled_accounts()
