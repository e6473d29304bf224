"""Answers of a policy handle with their reasons."""

from __future__ import annotations

from typing import Any

import header
import mam
import pytest
from conftest import ANN, EVE, Office
from mam import Action, OpenLocation, PickerMode, SaveLocation
from mam import reasons as module

QUESTIONS = [name for name in header.group("MAM_ASK_") if not name.startswith("PICKER_")]


def test_every_question_has_its_action() -> None:
    expected = {name: Action.DOCUMENT_PICKER if name.startswith("PICKER_") else Action[name] for name in header.group("MAM_ASK_")}
    numbered = sorted(header.group("MAM_ASK_").items(), key=lambda one: one[1])
    assert [number for _, number in numbered] == list(range(len(numbered)))
    assert [expected[name] for name, _ in numbered] == list(module._QUESTIONS)


@pytest.mark.parametrize("account", [ANN, EVE, ""])
@pytest.mark.parametrize("name", QUESTIONS)
def test_equals_check(enrolled: mam.Mam, name: str, account: str) -> None:
    with enrolled.policy(account) as policy:
        assert policy.reason(Action[name]) == enrolled.check(Action[name], account)


@pytest.mark.parametrize("mode", list(PickerMode))
def test_pickers(enrolled: mam.Mam, mode: PickerMode) -> None:
    with enrolled.policy(ANN) as policy:
        decision = policy.reason(Action.DOCUMENT_PICKER, mode)
        assert decision == enrolled.check(Action.DOCUMENT_PICKER, ANN, mode=mode)
        assert bool(decision) == policy.is_document_picker_allowed(mode)


def test_locations(enrolled: mam.Mam) -> None:
    with enrolled.policy(ANN) as policy:
        for account in (None, ANN, EVE):
            for save in SaveLocation:
                found = policy.save_to_reason(save, account)
                assert found == enrolled.check("saveTo", ANN, location=save, location_account=account)
                assert bool(found) == policy.is_save_to_allowed(save, account)
            for open_from in OpenLocation:
                found = policy.open_from_reason(open_from, account)
                assert found == enrolled.check("openFrom", ANN, location=open_from, location_account=account)
                assert bool(found) == policy.is_open_from_allowed(open_from, account)
        refused = policy.save_to_reason(SaveLocation.LOCAL_DRIVE)
        assert refused.reason is not None and refused.reason.setting == "saveAsBlocked"


@pytest.mark.parametrize("action", [Action.SAVE_TO, Action.URL, Action.CLIPBOARD, Action.RECEIVE, Action.UPLOAD])
def test_actions_with_more_arguments(enrolled: mam.Mam, action: Action) -> None:
    with enrolled.policy(ANN) as policy, pytest.raises(mam.ArgumentError) as caught:
        policy.reason(action)
    assert caught.value.detail["argument"] == "action"


def test_wrong_types(enrolled: mam.Mam) -> None:
    wrong: Any
    with enrolled.policy(ANN) as policy:
        for wrong in ("print", 11, None):
            with pytest.raises(TypeError):
                policy.reason(wrong)
        with pytest.raises(TypeError):
            policy.reason(Action.DOCUMENT_PICKER)
        with pytest.raises(mam.ArgumentError):
            policy.reason(Action.PRINT, PickerMode.OPEN)
        for wrong in (32, OpenLocation.BOX, "box"):
            with pytest.raises(TypeError):
                policy.save_to_reason(wrong)
        for wrong in (32, SaveLocation.BOX, "box"):
            with pytest.raises(TypeError):
                policy.open_from_reason(wrong)


def test_closed(office: Office) -> None:
    with office.open() as session:
        policy = session.policy(None)
        policy.close()
        with pytest.raises(mam.ClosedError):
            policy.reason(Action.PRINT)
        with session.policy(None) as other:
            session.close()
            with pytest.raises(mam.ClosedError):
                other.save_to_reason(SaveLocation.OTHER)


@pytest.mark.parametrize(
    ("action", "location", "other"), [("saveTo", "localStorage", "openFrom"), ("openFrom", "localDrive", "saveTo")]
)
def test_a_location_of_the_other_kind(enrolled: mam.Mam, action: Any, location: str, other: str) -> None:
    with pytest.raises(mam.ArgumentError, match=f'"{location}" is for {other}, and none of'):
        enrolled.check(action, ANN, location=location)
