"""Decisions with their reasons, one or many at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ._call import C, account_name, is_name, json_text, not_a, number, take_json
from ._records import build, converted, one
from ._session import Session
from .enums import OPEN_NAMES, SAVE_NAMES, OpenLocation, PickerMode, SaveLocation, Status
from .errors import InternalError


@dataclass(frozen=True)
class Reason:
    """Why: the one setting whose neutral value alone would turn the decision, and the policy it comes from.

    `setting` is None where no policy setting decided, as for a location with an account that it cannot have. In lock-down
    `check` is the launch check that closed the account, as in `LaunchFinding`, and `setting` what asked for it; both are None
    where something else locked it down, which `message` says.
    """

    setting: str | None
    value: Any = None
    policy_id: str | None = None
    policy_name: str | None = None
    message: str | None = None
    also_in: tuple[str, ...] = converted(tuple, default=())
    check: str | None = None


@dataclass(frozen=True)
class Decision:
    """The answer to one request. As a truth value it is the answer itself, as of the predicate of that name.

    `allowed` is None for the actions that are answered by `required`, and the other way round. `instead` is what may be
    opened in the place of a URL that is refused (`LinkDecision`), `limit` how many characters may pass a clipboard
    (`ClipboardDecision`).
    """

    action: str
    allowed: bool | None = None
    required: bool | None = None
    reason: Reason | None = None
    instead: tuple[str, ...] = ()
    limit: int | None = None

    def __bool__(self) -> bool:
        return bool(self.allowed if self.required is None else self.required)


@dataclass(frozen=True)
class LinkDecision:
    """What becomes of a URL. As a truth value: it may be opened as it is.

    `instead` is what may be opened in its place without another question, the best first: open the first that there is an
    app for, and nothing where it is empty.
    """

    allowed: bool
    instead: tuple[str, ...] = converted(tuple, default=())
    reason: Reason | None = converted(one(Reason), default=None)

    def __bool__(self) -> bool:
        return self.allowed


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


_ABSENT: Any = _Absent()


def request(
    action: str,
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
    """One request for `Mam.check_many`; `Mam.check` has the same arguments and tells what they mean."""
    if not is_name(action):
        raise not_a("action", action, str)
    made: dict[str, Any] = {"action": action, "account": _named(account, "account")}
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
        made["url"] = url if isinstance(url, str) else account_name(url, "url")  # libmam says what is wrong with a text
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
    reason = raw.get("reason")
    if not isinstance(raw.get("allowed"), bool) and not isinstance(raw.get("required"), bool):
        # Neither truth value would be a safe guess.
        raise InternalError(Status.INTERNAL, "internal", f"libmam gave no answer to {asked.get('action')!r}")
    return Decision(
        action=str(asked.get("action")),
        allowed=raw.get("allowed"),
        required=raw.get("required"),
        reason=None if reason is None else build(Reason, reason),
        instead=tuple(raw.get("instead") or ()),
        limit=raw.get("limit"),
    )


class DecisionCalls(Session):
    """mam_policy_check."""

    def check(
        self,
        action: str,
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
        """Ask any decision, with the reason (mam_policy_check). For the bare answer `Mam.policy` is much faster.

        account   an object id or UPN; None or "" is unmanaged
        action    saveTo, openFrom (`location`, `location_account`); documentPicker (`mode`); receive (`sender`: an
                  account, "" or None); clipboard (`length`, `receiver` or `sender`); url (`url`,
                  `known_managed_scheme`), universalLink (`url`); notification, notificationOrgData; print, backup,
                  screenCapture, contactSync, widgetContentSync, indexing, assistantIntents, appIntents, appSharing, thirdPartyKeyboards; and, answered by `required`:
                  pinRequired, managedBrowserRequired, fileEncryptionRequired, fileProviderEncrypt

        Locations and modes are members of mam.SaveLocation (saveTo), mam.OpenLocation (openFrom) and mam.PickerMode, or
        their names as JSON has them; a number is a TypeError, and so is the other kind of location.

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
        return _decision(asked, take_json(C.mam_policy_check, self._handle, json_text(asked, "request")))

    def check_many(self, requests: Iterable[Mapping[str, Any]]) -> list[Decision]:
        """Up to 1000 decisions in one call (mam_policy_check), in the order of `requests`, which `mam.request` makes.
        Raises as `check`."""
        asked = [dict(one) for one in requests]
        answers = take_json(C.mam_policy_check, self._handle, json_text(asked, "requests"))
        return [_decision(one, answer) for one, answer in zip(asked, answers, strict=True)]
