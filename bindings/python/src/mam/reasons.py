"""Answers of a policy handle with their reasons."""

from __future__ import annotations

from ._call import C, account_text, not_a
from ._handle import SessionHandle
from .decisions import Decision, take_decision
from .enums import Action, OpenLocation, PickerMode, SaveLocation
from .errors import argument_error

#: The questions of `Policy.reason` by their numbers; those from the first picker on are one for each mode.
_QUESTIONS = (
    Action.PIN_REQUIRED,
    Action.MANAGED_BROWSER_REQUIRED,
    Action.CONTACT_SYNC,
    Action.WIDGET_CONTENT_SYNC,
    Action.INDEXING,
    Action.ASSISTANT_INTENTS,
    Action.APP_INTENTS,
    Action.APP_SHARING,
    Action.FILE_ENCRYPTION_REQUIRED,
    Action.FILE_PROVIDER_ENCRYPT,
    Action.SCREEN_CAPTURE,
    Action.PRINT,
    Action.BACKUP,
    Action.THIRD_PARTY_KEYBOARDS,
    *[Action.DOCUMENT_PICKER] * len(PickerMode),
    Action.NOTIFICATION,
    Action.NOTIFICATION_ORG_DATA,
)


class ReasonAnswers(SessionHandle):
    """The part of a policy handle that says why."""

    __slots__ = ()

    def reason(self, action: Action, mode: PickerMode | None = None) -> Decision:
        """A predicate's answer with its reason, both of one state of the policy. `mode` is for DOCUMENT_PICKER alone.
        `save_to_reason`, `open_from_reason` and `url` explain what has a location or a URL, `Mam.check` all others."""
        if type(action) is not Action:
            raise not_a("action", action, Action)
        if action not in _QUESTIONS:
            raise argument_error("action", f"action is {action}, which is no predicate without arguments")
        if action is not Action.DOCUMENT_PICKER:
            if mode is not None:
                raise argument_error("mode", f"mode does not go with {action}")
        elif type(mode) is not PickerMode:
            raise not_a("mode", mode, PickerMode)
        return take_decision(
            action, C.mam_policy_reason, self._handle, _QUESTIONS.index(action) + (0 if mode is None else mode.value)
        )

    def save_to_reason(self, location: SaveLocation, account: str | bytes | None = None) -> Decision:
        """The same of `is_save_to_allowed`."""
        if type(location) is not SaveLocation:
            raise not_a("location", location, SaveLocation)
        return take_decision(Action.SAVE_TO, C.mam_policy_save_to_reason, self._handle, location, account_text(account))

    def open_from_reason(self, location: OpenLocation, account: str | bytes | None = None) -> Decision:
        """The same of `is_open_from_allowed`."""
        if type(location) is not OpenLocation:
            raise not_a("location", location, OpenLocation)
        return take_decision(Action.OPEN_FROM, C.mam_policy_open_from_reason, self._handle, location, account_text(account))
