"""Every function of mam.h that is asked about a name, or takes one and stores nothing, with its answer in a form that
compares between two names."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import mam
from conftest import EVE
from mam._call import C
from mam.decisions import take_decision
from mam.transfer import ShareTarget
from names import ANN, ANN_ID, Place

#: Compares equal for names of the same account.
Answer = Any


@dataclass(frozen=True)
class Ask:
    """`run` returns the answer for a name. `differs`: the answer for a managed account differs from that for an unmanaged
    person. `closes`: it is about data that goes to the name, which is refused if the name is retired or a stranger's; the
    answer is then (False, reason). `own`: it is about the name's own data, which is not released under such a name; it
    returns whether the answer is the closed one. `left`: it says how the name's account left, None for any other name."""

    run: Callable[[Place, str | None], Answer]
    differs: bool = True
    closes: bool = False
    own: Callable[[Answer], bool] | None = None
    left: bool = False
    only_managed: bool = False  # any other name is MAM_ERR_NOT_ENROLLED


PREDICATES = (
    "is_pin_required", "is_managed_browser_required", "is_contact_sync_allowed", "is_indexing_allowed",
    "is_app_sharing_allowed", "is_file_encryption_required", "is_screen_capture_allowed", "is_print_allowed",
    "is_backup_allowed",
)  # fmt: skip


def _predicates(policy: mam.Policy) -> tuple[Any, ...]:
    with policy:
        return (*(getattr(policy, one) for one in PREDICATES), policy.notification)


def _are_closed(answers: tuple[Any, ...]) -> bool:
    required = [one.endswith("_required") for one in PREDICATES]
    return list(answers[:-1]) == required and answers[-1] is mam.NotificationPolicy.BLOCK


def _is_not_printed(answer: tuple[Any, ...]) -> bool:
    return answer[-1] is False


def _whole(place: Place, name: str | None, value: Any) -> Any:
    """The answer without the name itself, in which unmanaged users differ, and without a departed account's name."""
    if isinstance(value, list):
        return [_whole(place, name, one) for one in value]
    if value == ANN_ID:
        return ANN_ID if place.left is None else "its name"
    return "its name" if isinstance(value, str) and value.lower() == (name or "").lower() else value


def _owners(place: Place) -> tuple[str, ...]:
    """Those whose data may be released: not Ann's once she has left."""
    return (ANN, EVE) if place.left is None else (EVE,)


def _to(place: Place, ask: Callable[[mam.Policy], tuple[bool, Any]]) -> tuple[bool, Any]:
    """Whether data of Ann, of another managed account and of a personal one may go there: open if all of it may."""
    found = []
    for owner in _owners(place):
        with place.m.policy(owner) as policy:
            found.append(ask(policy))
    return next((one for one in found if not one[0]), found[0])


def _save_to(place: Place, name: str | None) -> tuple[bool, Any]:
    return _to(place, lambda policy: (policy.is_save_to_allowed(mam.SaveLocation.ACCOUNT_DOCUMENT, name), None))


def _save_to_locations(place: Place, name: str | None) -> tuple[bool, Any]:
    def ask(policy: mam.Policy) -> tuple[bool, Any]:
        return any(policy.save_to_locations(name).values()), None

    return _to(place, ask)


def _reasoned(decision: Any) -> tuple[bool, Any]:
    return bool(decision), None if decision.reason is None else decision.reason.message


def _clipboard(place: Place, name: str | None) -> tuple[bool, Any]:
    return _to(place, lambda policy: _reasoned(policy.clipboard(10, to=name)))


def _share(place: Place, name: str | None) -> tuple[bool, Any]:
    def ask(policy: mam.Policy) -> tuple[bool, Any]:
        selection = policy.filter_share_targets([ShareTarget(scheme="mailto", identity=name)])
        return bool(selection), None if selection else _reasoned(selection.removed[0])[1]

    return _to(place, ask)


def _check_save(place: Place, name: str | None) -> tuple[bool, Any]:
    asked = [
        mam.request("saveTo", owner, location=mam.SaveLocation.ACCOUNT_DOCUMENT, location_account=name) for owner in _owners(place)
    ]
    answers = [_reasoned(one) for one in place.m.check_many(asked)]
    return next((one for one in answers if not one[0]), answers[0])


def _decide(place: Place, name: str | None) -> tuple[bool, Any]:
    answers = []
    for owner in _owners(place):
        asked = mam.request("saveTo", owner, location=mam.SaveLocation.ACCOUNT_DOCUMENT, location_account=name)
        answers.append(
            _reasoned(take_decision(mam.Action.SAVE_TO, C.mam_policy_decide, place.m._handle, json.dumps(asked).encode()))
        )
    return next((one for one in answers if not one[0]), answers[0])


def _save_to_reason(place: Place, name: str | None) -> tuple[bool, Any]:
    return _to(place, lambda policy: _reasoned(policy.save_to_reason(mam.SaveLocation.ACCOUNT_DOCUMENT, name)))


def _check_paste(place: Place, name: str | None) -> tuple[bool, Any]:
    answers = [_reasoned(place.m.check("clipboard", owner, length=10, receiver=name)) for owner in _owners(place)]
    return next((one for one in answers if not one[0]), answers[0])


def _check(place: Place, name: str | None) -> Answer:
    asked = [mam.request(action, name) for action in ("print", "backup", "appSharing", "fileEncryptionRequired")]
    asked += [mam.request("receive", ANN, sender=name), mam.request("clipboard", ANN, length=10, sender=name)]
    asked.append(mam.request("openFrom", ANN, location=mam.OpenLocation.ACCOUNT_DOCUMENT, location_account=name))
    return [bool(one) for one in place.m.check_many(asked)]


def _open_from(place: Place, name: str | None) -> Answer:
    with place.m.policy(ANN) as policy:
        return policy.is_open_from_allowed(mam.OpenLocation.ACCOUNT_DOCUMENT, name)


def _open_from_reason(place: Place, name: str | None) -> Answer:
    with place.m.policy(ANN) as policy:
        return bool(policy.open_from_reason(mam.OpenLocation.ACCOUNT_DOCUMENT, name))


def _open_from_locations(place: Place, name: str | None) -> Answer:
    with place.m.policy(ANN) as policy:
        return policy.open_from_locations(name)


def _process(place: Place, name: str | None) -> Answer:
    place.m.set_process_identity(name)
    try:
        with place.m.current_policy() as policy:
            return _whole(place, name, place.m.process_identity()), policy.is_print_allowed
    finally:
        place.m.set_process_identity(None)


def _thread(place: Place, name: str | None) -> Answer:
    place.m.push_thread_identity(name)
    try:
        with place.m.current_policy() as policy:
            return _whole(place, name, place.m.effective_identity(mam.IdentityTask.FILE)), policy.is_print_allowed
    finally:
        place.m.pop_thread_identity()


def _run_as(place: Place, name: str | None) -> Answer:
    return _whole(place, name, place.m.run_as(name, lambda: place.m.effective_identity(mam.IdentityTask.FILE)))


def _window(place: Place, name: str | None) -> Answer:
    """The content of a window after a switch to the name, and the actions allowed there."""
    with ExitStack() as stack:
        stack.callback(lambda: place.m.set_ui_identity(None, window="one").wait(30))
        switched = place.m.set_ui_identity(name, window="one").wait(30)
        shown = place.m.ui_identity(window="one")
        policy = stack.enter_context(place.m.current_policy(window="one"))
        return switched.succeeded, _whole(place, name, shown), policy.is_print_allowed


def _link(place: Place, name: str | None) -> Answer:
    return place.m.open_url("notes-app://open", name).wait(30).succeeded


def _launch(place: Place, name: str | None) -> Answer:
    return place.m.conditional_launch(name).outcome


def _registered_account(place: Place, name: str | None) -> Answer:
    """The id of a managed account: others are registered too."""
    account = place.m.registered_account(name or "")
    return account.account_id if account is not None and account.managed else None


def _equal(place: Place, name: str | None) -> Answer:
    assert place.m.identities_equal(name, name)
    others = (ANN, ANN_ID) if place.left is None else ()
    return [place.m.identities_equal(name, one) for one in (*others, "fay@personal.example")]


ASKS: dict[str, Ask] = {
    "mam_is_account_managed": Ask(lambda place, name: place.m.is_account_managed(name)),
    "mam_identity_equal": Ask(_equal),
    "mam_blocked_reason": Ask(lambda place, name: place.m.blocked_reason(name), differs=False),
    "mam_conditional_launch": Ask(_launch, differs=False),
    "mam_policy_for_account": Ask(lambda place, name: _predicates(place.m.policy(name)), own=_are_closed),
    "mam_policy_for_accounts": Ask(
        lambda place, name: _predicates(place.m.policy_for_accounts([] if name is None else [name])), own=_are_closed
    ),
    "mam_policy_check": Ask(_check, own=lambda answer: answer[:4] == [False, False, False, True]),
    "mam_policy_check, saveTo": Ask(_check_save, differs=False, closes=True),
    "mam_policy_check, clipboard": Ask(_check_paste, differs=False, closes=True),
    "mam_policy_decide": Ask(_decide, differs=False, closes=True),
    "mam_policy_save_to_reason": Ask(_save_to_reason, differs=False, closes=True),
    "mam_policy_open_from_reason": Ask(_open_from_reason, differs=False),
    "mam_policy_is_save_to_allowed": Ask(_save_to, differs=False, closes=True),
    "mam_policy_save_to_locations": Ask(_save_to_locations, differs=False, closes=True),
    "mam_policy_clipboard": Ask(_clipboard, differs=False, closes=True),
    "mam_policy_filter_share_targets": Ask(_share, differs=False, closes=True),
    "mam_policy_is_open_from_allowed": Ask(_open_from, differs=False),
    "mam_policy_open_from_locations": Ask(_open_from_locations, differs=False),
    "mam_set_process_identity": Ask(_process, own=_is_not_printed),
    "mam_push_thread_identity": Ask(_thread, own=_is_not_printed),
    "mam_run_as": Ask(_run_as),
    "mam_set_ui_identity": Ask(_window, own=_is_not_printed),
    "mam_open_url": Ask(_link, differs=False),
    "mam_app_config": Ask(lambda place, name: place.m.app_config(name).close(), only_managed=True),
    "mam_former_account": Ask(lambda place, name: place.m.former_account(name or ""), differs=False, left=True),
    "mam_registered_account": Ask(_registered_account),
    "mam_pin_status": Ask(lambda place, name: place.m.pin_status(name or "").state, only_managed=True),
    "mam_pin_set": Ask(lambda place, name: place.m.pin_set(name or "", "1234"), only_managed=True),
    "mam_pin_verify": Ask(lambda place, name: place.m.pin_verify(name or "", "1234"), only_managed=True),
    "mam_pin_reset": Ask(lambda place, name: place.m.pin_reset(name or "").wait(30).succeeded, only_managed=True),
    "mam_rotate_keys": Ask(lambda place, name: place.m.rotate_keys(name or ""), only_managed=True),
    "mam_check_in": Ask(lambda place, name: place.m.check_in(name).wait(30).succeeded),
}
