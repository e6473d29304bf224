"""Decisions with their reasons, one or many at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from . import _ffi
from ._call import C, account_name, check, is_name, json_text, not_a, number, objects, take_json, unknown_kind
from ._records import build, converted, dataclass, one
from ._session import Session
from .enums import OPEN_NAMES, SAVE_NAMES, Action, OpenLocation, PickerMode, SaveLocation, Status
from .errors import ArgumentError, InternalError

# The names of the actions that `Mam.check` takes.
_ActionName = Literal[
    "saveTo",
    "openFrom",
    "documentPicker",
    "receive",
    "clipboard",
    "url",
    "universalLink",
    "notification",
    "notificationOrgData",
    "print",
    "backup",
    "screenCapture",
    "contactSync",
    "widgetContentSync",
    "indexing",
    "assistantIntents",
    "appIntents",
    "appSharing",
    "thirdPartyKeyboards",
    "pinRequired",
    "managedBrowserRequired",
    "fileEncryptionRequired",
    "fileProviderEncrypt",
]


@dataclass(frozen=True)
class Reason:
    """The one setting whose neutral value alone would reverse the decision, and its policy.

    `setting` is None if no policy setting decided, for example for a location with an account that it cannot have. In
    lock-down `check` is the launch check that closed the account, as in `LaunchFinding`, and `setting` the setting that
    requires it; both are None if the cause is another one, which `message` states. `message` is for administrators,
    `user_message` for the person who uses the host, and `message_key` its stable name.
    """

    setting: str | None
    value: Any = None
    policy_id: str | None = None
    policy_name: str | None = None
    message: str | None = None
    also_in: tuple[str, ...] = converted(tuple, default=())
    check: str | None = None
    user_message: str | None = None
    message_key: str | None = None


@dataclass(frozen=True)
class Decision:
    """The answer to one request. Its truth value is the answer itself, as of the predicate of that name.

    `allowed` is None for the actions that are answered by `required`, and vice versa. `instead` lists URLs that may be
    opened in place of a refused one (`LinkDecision`), `limit` is the number of characters that may pass a clipboard
    (`ClipboardDecision`).
    """

    action: Action | str
    allowed: bool | None = None
    required: bool | None = None
    reason: Reason | None = None
    instead: tuple[str, ...] = ()
    limit: int | None = None

    def __bool__(self) -> bool:
        return bool(self.allowed if self.required is None else self.required)


@dataclass(frozen=True)
class LinkDecision:
    """The decision on a URL. Its truth value: whether it may be opened as it is.

    `instead` lists URLs that may be opened in its place without another question, the best first: open the first one that
    has an app, and nothing if it is empty.
    """

    allowed: bool
    instead: tuple[str, ...] = converted(tuple, default=())
    reason: Reason | None = converted(one(Reason), default=None)

    def __bool__(self) -> bool:
        return self.allowed


_ACTIONS = [str(action) for action in Action]


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


_ABSENT: Any = _Absent()


def request(
    action: Action | str,
    account: str | bytes | None,
    *,
    location: SaveLocation | OpenLocation | str | None = None,
    location_account: str | bytes | None = None,
    mode: PickerMode | str | None = None,
    sender: str | bytes | None = _ABSENT,
    receiver: str | bytes | None = _ABSENT,
    length: int | None = None,
    url: str | bytes | None = None,
    known_managed_scheme: bool | None = None,
) -> dict[str, Any]:
    """One request for `Mam.check_many`; `Mam.check` has the same arguments and describes them."""
    if type(action) is not Action and not is_name(action):
        raise not_a("action", action, Action, or_name=True)
    made: dict[str, Any] = {"action": str(action), "account": _named(account, "account")}
    if location is not None:
        made["location"] = _location(action, location)
    if location_account is not None:
        made["locationAccount"] = _named(location_account, "location_account")
    if mode is not None:
        if type(mode) is not PickerMode and not is_name(mode):
            raise not_a("mode", mode, PickerMode, or_name=True)
        made["mode"] = mode.name.lower() if isinstance(mode, PickerMode) else mode
    if sender is not _ABSENT:
        made["sender"] = _named(sender, "sender")
    if receiver is not _ABSENT:
        made["receiver"] = _named(receiver, "receiver")
    if length is not None:
        made["length"] = number(length, "length")
    if url is not None:
        made["url"] = url if isinstance(url, str) else account_name(url, "url")  # libmam reports an invalid text
    if known_managed_scheme is not None:
        if type(known_managed_scheme) is not bool:
            raise not_a("known_managed_scheme", known_managed_scheme, bool)
        made["knownManagedScheme"] = known_managed_scheme
    return made


def _location(action: str, location: SaveLocation | OpenLocation | str) -> str:
    """By name, never by number: the two kinds of location have different numbers."""
    if is_name(location):
        return location
    if type(location) is SaveLocation and action != "openFrom":
        return SAVE_NAMES[location]
    if type(location) is OpenLocation and action != "saveTo":
        return OPEN_NAMES[location]
    raise not_a("location", location, OpenLocation if action == "openFrom" else SaveLocation, or_name=True)


def _named(account: str | bytes | None, argument: str) -> str | None:
    return None if account is None else account_name(account, argument)


def _decision(asked: Mapping[str, Any], raw: Mapping[str, Any]) -> Decision:
    """Convert the reply of libmam to a request."""
    reason = raw.get("reason")
    if not isinstance(raw.get("allowed"), bool) and not isinstance(raw.get("required"), bool):
        # Neither truth value would be safe.
        raise InternalError(Status.INTERNAL, "internal", f"libmam gave no answer to {asked.get('action')!r}")
    return Decision(
        action=Action.of(str(asked.get("action"))),
        allowed=raw.get("allowed"),
        required=raw.get("required"),
        reason=None if reason is None else build(Reason, reason),
        instead=tuple(raw.get("instead") or ()),
        limit=raw.get("limit"),
    )


def take_decision(action: Action, function: Any, *arguments: Any) -> Decision:
    """Call a function whose last argument is `mam_decision_t **`."""
    handle = _ffi.DecisionHandle()
    check(function(*arguments, _ffi.byref(handle)))
    try:
        return _decision({"action": action}, take_json(C.mam_decision_json, handle))
    finally:
        C.mam_decision_release(handle)


class DecisionCalls(Session):
    """Decisions with reasons."""

    def check(
        self,
        action: Action | _ActionName,
        account: str | bytes | None,
        *,
        location: SaveLocation | OpenLocation | str | None = None,
        location_account: str | bytes | None = None,
        mode: PickerMode | str | None = None,
        sender: str | bytes | None = _ABSENT,
        receiver: str | bytes | None = _ABSENT,
        length: int | None = None,
        url: str | bytes | None = None,
        known_managed_scheme: bool | None = None,
    ) -> Decision:
        """Ask for any decision, with the reason. For the bare answer `Mam.policy` is much faster.

        account   an object id or UPN; None or "" is unmanaged
        action    saveTo, openFrom (`location`, `location_account`); documentPicker (`mode`); receive (`sender`: an
                  account, "" or None); clipboard (`length`, `receiver` or `sender`); url (`url`, `known_managed_scheme`),
                  universalLink (`url`); notification, notificationOrgData; print, backup, screenCapture, contactSync,
                  widgetContentSync, indexing, assistantIntents, appIntents, appSharing, thirdPartyKeyboards; and,
                  answered by `required`: pinRequired, managedBrowserRequired, fileEncryptionRequired, fileProviderEncrypt

        Locations and modes are members of mam.SaveLocation (saveTo), mam.OpenLocation (openFrom) and mam.PickerMode, or
        their JSON names; a number is a TypeError, and so is the other kind of location.

        Raises ArgumentError (unknown action, or a key that it does not have), NotFoundError (sessions opened with
        unknown_identities="error").
        """
        asked = request(
            action,
            account,
            location=location,
            location_account=location_account,
            mode=mode,
            sender=sender,
            receiver=receiver,
            length=length,
            url=url,
            known_managed_scheme=known_managed_scheme,
        )
        return _decision(asked, self._answers(asked, [asked], "request"))

    def check_many(self, requests: Iterable[Mapping[str, Any]]) -> list[Decision]:
        """Up to 1000 decisions in one call, in the order of `requests`, which `mam.request` makes.
        Raises as `check`."""
        asked = objects(requests, "requests")
        answers = self._answers(asked, asked, "requests")
        return [_decision(one, answer) for one, answer in zip(asked, answers, strict=True)]

    def _answers(self, request: Any, asked: list[dict[str, Any]], argument: str) -> Any:
        try:
            return take_json(C.mam_policy_check, self._handle, json_text(request, argument))
        except ArgumentError as error:
            unknown = [one["action"] for one in asked if isinstance(one.get("action"), str) and one["action"] not in _ACTIONS]
            if not unknown or not str(error.detail.get("argument")).endswith(".action"):
                raise
            raise unknown_kind(unknown[0], _ACTIONS, "action", argument="action") from None
