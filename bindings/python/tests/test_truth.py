"""Truth values: each result and enumeration of the binding defines what `if` asks."""

from __future__ import annotations

import dataclasses
import enum
import inspect
from typing import Any

import mam
import pytest
from conftest import ANN, Office
from mam.events import event_of

CLASSES = [one for one in (getattr(mam, name) for name in mam.__all__) if inspect.isclass(one) and issubclass(type(one), type)]

#: The results that answer one question, with members for no and yes.
ANSWERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "Decision": ({"action": "print", "allowed": False}, {"action": "pinRequired", "required": True}),
    "LinkDecision": ({"allowed": False, "instead": ("fx://a",)}, {"allowed": True}),
    "ClipboardDecision": ({"allowed": False, "limit": 9}, {"allowed": True, "limit": 0}),
    "SimulatedAnswer": ({"required": False}, {"allowed": True}),
    "ExplainedDecision": (
        {"request": {"action": "print"}, "allowed": False},
        {"request": {"action": "pinRequired"}, "required": True},
    ),
    "ShareSelection": ({}, {"remaining": (mam.ShareTarget("com.example.mail"),)}),
    "ManagedApp": ({"app_id": "a"}, {"app_id": "a", "managed": True}),
    "ManagedProgram": ({"managed": False, "apps": ("a",)}, {"managed": True}),
    "DeviceHealth": ({"healthy": False}, {"healthy": True}),
    "EnrollmentStatus": (
        {"account_id": "a", "identity": ANN, "code": 203},
        {"account_id": None, "identity": None, "code": 100, "succeeded": True},
    ),
    "LaunchReport": ({"outcome": "blocked"}, {"outcome": "warned", "succeeded": True}),
    "IdentitySwitch": ({"result": mam.SwitchResult.FAILED}, {"succeeded": True}),
    "PINReset": ({"result": "canceled"}, {"result": "changed", "succeeded": True}),
}
#: The results that answer several questions: `if` raises, and names them.
SEVERAL = {"WebViewDecision"}
#: Numbers whose 0 means that there is nothing to report.
NOTHING_AT_0 = {"Status": mam.Status.OK, "BlockReason": mam.BlockReason.NONE}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers(name: str) -> None:
    no, yes = ANSWERS[name]
    cls = getattr(mam, name)
    assert not cls(**no) and cls(**yes)
    assert "truth value" in cls.__doc__ or "True when" in cls.__doc__


@pytest.mark.parametrize("cls", [one for one in CLASSES if dataclasses.is_dataclass(one)], ids=lambda cls: cls.__name__)
def test_all_other_results_are_plain_values(cls: type[Any]) -> None:
    """They are always true, as any object is: no field decides it, and no length."""
    if cls.__name__ not in {*ANSWERS, *SEVERAL}:
        assert "__bool__" not in dir(cls) and "__len__" not in dir(cls)


def test_results_without_a_truth_value(enrolled: mam.Mam) -> None:
    with enrolled.policy(ANN) as policy, pytest.raises(TypeError, match="ask its external, upload, paste or url"):
        bool(policy.web_view())


def test_an_operation_has_no_truth_value(enrolled: mam.Mam) -> None:
    operation = enrolled.check_in(ANN)
    with pytest.raises(TypeError, match="wait"):
        bool(operation)
    assert operation.wait(30)


@pytest.mark.parametrize("succeeded", [False, True])
def test_the_status_of_an_event(succeeded: bool) -> None:
    """Only events that have one have the attribute, so a failed one does not look like an absent one."""
    raw = {"accountId": "a", "code": 100 if succeeded else 203, "didSucceed": succeeded}
    event = event_of({"event": "policyRequest", "status": raw})
    assert isinstance(event, mam.RequestEvent)
    assert bool(event.status) is event.status.succeeded is succeeded
    assert not hasattr(event_of({"event": "warning"}), "status")


def test_a_failed_request_in_both_places(office: Office) -> None:
    with office.open() as m:
        status = m.register_and_enroll("nobody@elsewhere.example").wait(30)
        assert not status
        (reported,) = [
            event.status
            for event in m.events(timeout=0)
            if isinstance(event, mam.RequestEvent) and event.kind == mam.EventKind.ENROLLMENT_REQUEST
        ]
        assert reported == status


@pytest.mark.parametrize("cls", [one for one in CLASSES if issubclass(one, enum.Enum)], ids=lambda cls: cls.__name__)
def test_enumerations(cls: type[enum.Enum]) -> None:
    """None of them is false by accident: NotificationPolicy.ALLOW and SwitchResult.SUCCESS are 0."""
    for member in cls:
        if cls.__name__ in NOTHING_AT_0:
            assert bool(member) is (member is not NOTHING_AT_0[cls.__name__])
        elif isinstance(member, int) and not isinstance(member, enum.Flag):
            with pytest.raises(TypeError, match=rf"compare it, as in == mam\.{cls.__name__}\.{member.name}"):
                bool(member)
        else:
            assert bool(member)
