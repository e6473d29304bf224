"""Policy handles: decisions about one account's data."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _ffi
from ._call import (
    C,
    Names,
    Texts,
    account_text,
    check,
    json_text,
    names,
    not_a,
    refused,
    required,
    take_json,
    text,
)
from ._context import Carried
from ._records import build, converted, dataclass, many
from ._session import Session
from .decisions import LinkDecision
from .enums import OPEN_NAMES, SAVE_NAMES, NotificationPolicy, OpenLocation, PickerMode, PolicyOrigin, PolicySource, SaveLocation
from .owners import file_path
from .reasons import ReasonAnswers
from .transfer import TransferAnswers

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

# Bound once: a predicate is one C call and little else. Unchecked: the handle is valid, and the predicates check their
# arguments with `type`, which no object can deceive.
_pin = _ffi.unchecked("mam_policy_is_pin_required")
_managed_browser = _ffi.unchecked("mam_policy_is_managed_browser_required")
_contact_sync = _ffi.unchecked("mam_policy_is_contact_sync_allowed")
_widget = _ffi.unchecked("mam_policy_is_widget_content_sync_allowed")
_indexing = _ffi.unchecked("mam_policy_is_indexing_allowed")
_assistant = _ffi.unchecked("mam_policy_are_assistant_intents_allowed")
_app_intents = _ffi.unchecked("mam_policy_are_app_intents_allowed")
_sharing = _ffi.unchecked("mam_policy_is_app_sharing_allowed")
_encryption = _ffi.unchecked("mam_policy_is_file_encryption_required")
_file_provider = _ffi.unchecked("mam_policy_should_file_provider_encrypt")
_capture = _ffi.unchecked("mam_policy_is_screen_capture_allowed")
_print = _ffi.unchecked("mam_policy_is_print_allowed")
_backup = _ffi.unchecked("mam_policy_is_backup_allowed")
_keyboards = _ffi.unchecked("mam_policy_are_third_party_keyboards_allowed")
_picker = _ffi.unchecked("mam_policy_is_document_picker_allowed")
_save_to = _ffi.unchecked("mam_policy_is_save_to_allowed")
_open_from = _ffi.unchecked("mam_policy_is_open_from_allowed")
_url = C.mam_policy_is_url_allowed
_universal_link = C.mam_policy_is_universal_link_allowed
_notification = _ffi.unchecked("mam_policy_notification")
_receive = C.mam_policy_can_receive_data  # has a size_t


@dataclass(frozen=True)
class PolicyReference:
    """A policy in force: Graph's id and display name, and its platform."""

    id: str
    name: str | None
    platform: str | None


@dataclass(frozen=True)
class EffectiveSetting:
    """A setting in force and its policy; `also_in` names policies with the same value, `capped_by` the key of
    IntuneMAMSettings that lowered it, `misread_in` policies whose value was not understood and counts as the strictest."""

    setting: str
    value: Any
    policy_id: str | None
    policy_name: str | None
    also_in: tuple[str, ...] = converted(tuple, default=())
    capped_by: str | None = None
    misread_in: tuple[str, ...] = converted(tuple, default=())


@dataclass(frozen=True)
class Conflict:
    """A setting for which policies have different values; `values` are their {"value", "policyId"}."""

    setting: str
    chosen: Any
    values: tuple[dict[str, Any], ...] = converted(tuple, default=())


@dataclass(frozen=True)
class EffectivePolicy:
    """The settings in force for an account and their origin. `source` is None if it is
    not managed."""

    account_id: str | None
    managed: bool = False
    lock_down: bool = False
    policies: tuple[PolicyReference, ...] = converted(many(PolicyReference), default=())
    settings: tuple[EffectiveSetting, ...] = converted(many(EffectiveSetting), default=())
    conflicts: tuple[Conflict, ...] = converted(many(Conflict), default=())
    source: PolicyOrigin | str | None = None


class Policy(ReasonAnswers, TransferAnswers):
    """The answers for one account, following every change of its policy while held. Any thread.

    Predicates without arguments are properties, so that forgetting the parentheses cannot turn a refusal into a truthy
    method object. A predicate returns the answer, or raises if there is none (ClosedError, ForkedError, TamperedError,
    BusyError), which an `if` cannot take for permission. Once the account is wiped or unenrolled every answer is the
    closed one. Use it in a `with` block, or call `close`.
    Mirrors IntuneMAMPolicy.
    """

    __slots__ = ("_names",)

    _type = _ffi.PolicyHandle
    _release = C.mam_policy_release

    def __init__(self, session: Session, make: Callable[[Any], int]) -> None:
        super().__init__(session, make)
        self._names = Texts("account", 64)

    @property
    def is_pin_required(self) -> bool:
        """A PIN guards this account's data. Mirrors isPINRequired."""
        return required() if _pin(self._handle) else False

    @property
    def is_managed_browser_required(self) -> bool:
        """Web links go to a managed browser. Mirrors isManagedBrowserRequired."""
        return required() if _managed_browser(self._handle) else False

    @property
    def is_contact_sync_allowed(self) -> bool:
        """Contacts may go to the system's address book. Mirrors isContactSyncAllowed."""
        return True if _contact_sync(self._handle) else refused()

    @property
    def is_widget_content_sync_allowed(self) -> bool:
        """Data may show in widgets and side surfaces. Mirrors isWidgetContentSyncAllowed."""
        return True if _widget(self._handle) else refused()

    @property
    def is_indexing_allowed(self) -> bool:
        """Data may enter the system's search index. Mirrors isSpotlightIndexingAllowed."""
        return True if _indexing(self._handle) else refused()

    @property
    def are_assistant_intents_allowed(self) -> bool:
        """Voice assistants may act on data. Mirrors areSiriIntentsAllowed."""
        return True if _assistant(self._handle) else refused()

    @property
    def are_app_intents_allowed(self) -> bool:
        """Automation may act on data. Mirrors areAppIntentsAllowed."""
        return True if _app_intents(self._handle) else refused()

    @property
    def is_app_sharing_allowed(self) -> bool:
        """Data may be offered to other programs at all. Mirrors isAppSharingAllowed."""
        return True if _sharing(self._handle) else refused()

    @property
    def is_file_encryption_required(self) -> bool:
        """The host must encrypt the files it keeps. Mirrors isFileEncryptionRequired."""
        return required() if _encryption(self._handle) else False

    @property
    def should_file_provider_encrypt(self) -> bool:
        """Files handed to other programs must be encrypted. Mirrors shouldFileProviderEncryptFiles."""
        return required() if _file_provider(self._handle) else False

    @property
    def is_screen_capture_allowed(self) -> bool:
        """The screen may be captured. Mirrors isScreenCaptureAllowed."""
        return True if _capture(self._handle) else refused()

    @property
    def is_print_allowed(self) -> bool:
        """Data may be printed. Mirrors the print block."""
        return True if _print(self._handle) else refused()

    @property
    def is_backup_allowed(self) -> bool:
        """Data may enter backups. Mirrors the backup block."""
        return True if _backup(self._handle) else refused()

    @property
    def are_third_party_keyboards_allowed(self) -> bool:
        """Third-party input methods may be used. Mirrors the third-party keyboard block."""
        return True if _keyboards(self._handle) else refused()

    @property
    def notification(self) -> NotificationPolicy:
        """The content that notifications about this account's data may show. Mirrors
        notificationPolicy."""
        answer = _notification(self._handle)
        if answer == NotificationPolicy.BLOCK:
            refused()  # or there is no answer
        return NotificationPolicy(answer)

    def is_document_picker_allowed(self, mode: PickerMode) -> bool:
        """A document picker may be shown for `mode`. Mirrors isDocumentPickerAllowed."""
        if type(mode) is not PickerMode:
            raise not_a("mode", mode, PickerMode)
        return True if _picker(self._handle, mode) else refused()

    def is_save_to_allowed(self, location: SaveLocation, account: str | bytes | None = None) -> bool:
        """This account's data may be saved to `location`, which belongs to `account` (None: unknown; always None for
        LOCAL_DRIVE and CAMERA_ROLL, which have none). Ask for an unmanaged account as well: the other account's policy
        may forbid it. Mirrors isSaveToAllowedForLocation:withAccountId:."""
        if type(location) is not SaveLocation:
            raise not_a("location", location, SaveLocation)
        if type(account) is str:
            account = self._names[account]
        elif account is not None and (type(account) is not bytes or 0 in account):
            account = text(account, "account")
        return True if _save_to(self._handle, location, account) else refused()

    def is_open_from_allowed(self, location: OpenLocation, account: str | bytes | None = None) -> bool:
        """Data of `location`, which belongs to `account`, may be opened into this account (no account for CAMERA,
        PHOTOS and LOCAL_STORAGE). Mirrors isOpenFromAllowedForLocation:withAccountId:."""
        if type(location) is not OpenLocation:
            raise not_a("location", location, OpenLocation)
        if type(account) is str:
            account = self._names[account]
        elif account is not None and (type(account) is not bytes or 0 in account):
            account = text(account, "account")
        return True if _open_from(self._handle, location, account) else refused()

    def can_receive_data(self, data: ReadableBuffer) -> bool:
        """This account may receive these bytes: a container of `Mam.protect` counts as its owner's, anything else as
        unknown. Mirrors canReceiveSharedItemProvider."""
        with _ffi.Borrowed(data) as borrowed:
            return True if _receive(self._handle, borrowed.pointer, borrowed.length) else refused()

    def can_receive_file(self, path: str | bytes | os.PathLike[Any]) -> bool:
        """This account may receive this file: one with an authenticated owner counts as that owner's, any other as
        unknown. Raises NotFoundError, UnsupportedError as `Mam.file_info`. Mirrors canReceiveSharedFile:."""
        return True if C.mam_policy_can_receive_file(self._handle, file_path(path)) else refused()

    def is_url_allowed(self, url: str | bytes, *, known_managed_scheme: bool = False) -> bool:
        """A URL may be opened as it is; `url` returns the alternatives. An invalid URL is refused.
        `known_managed_scheme`: the caller knows that a managed app handles it. Mirrors
        isURLAllowed:isKnownManagedAppScheme:."""
        if type(known_managed_scheme) is not bool:
            raise not_a("known_managed_scheme", known_managed_scheme, bool)
        return True if _url(self._handle, text(url, "url"), known_managed_scheme) else refused()

    def is_universal_link_allowed(self, url: str | bytes) -> bool:
        """An app may open a web link without a browser. Mirrors isUniversalLinkAllowed:."""
        return True if _universal_link(self._handle, text(url, "url")) else refused()

    def url(self, url: str | bytes) -> LinkDecision:
        """The decision on a URL: whether it may be opened as it is, or its alternatives, and why."""
        return build(LinkDecision, take_json(C.mam_policy_url, self._handle, text(url, "url")))

    def save_to_locations(self, account: str | bytes | None = None) -> dict[SaveLocation, bool]:
        """Every location at once, each equal to the single predicate. Mirrors getSaveToLocationsForAccountId."""
        answers = take_json(C.mam_policy_save_to_locations, self._handle, account_text(account))
        return {location: answers.get(name) is True for location, name in SAVE_NAMES.items()}

    def open_from_locations(self, account: str | bytes | None = None) -> dict[OpenLocation, bool]:
        """The same for opening. Mirrors getOpenFromLocationsForAccountId."""
        answers = take_json(C.mam_policy_open_from_locations, self._handle, account_text(account))
        return {location: answers.get(name) is True for location, name in OPEN_NAMES.items()}

    def effective(self) -> EffectivePolicy:
        """The settings in force, the policies they come from, and conflicts between policies."""
        return build(EffectivePolicy, take_json(C.mam_policy_json, self._handle))


class PolicyCalls(Session):
    """Policy handles."""

    def policy(self, account: str | bytes | None) -> Policy:
        """The policy of one account (an object id or UPN; None and "": unmanaged).

        Keep it: it follows every change by any process, and each question costs one C call. Raises ArgumentError,
        NotFoundError (sessions opened with unknown_identities="error"). Mirrors policyForAccountId.
        """
        raw = account_text(account)
        return Policy(self, lambda out: int(C.mam_policy_for_account(self._handle, raw, out)))

    def policy_for_accounts(self, accounts: Names[str | bytes]) -> Policy:
        """The policy for several accounts that are shown together: lock-down if any of them is managed. Names of one
        account count once. Raises as `policy`. Mirrors policyForAccountIds."""
        raw = json_text(names(accounts, "accounts"), "accounts")
        return Policy(self, lambda out: int(C.mam_policy_for_accounts(self._handle, raw, out)))

    def current_policy(self, window: str | None = None) -> Policy:
        """The policy of the calling code's identity in a window: `Mam.identity`'s, else the
        window's, else the process's. It stays with those accounts: after a switch request another. Mirrors policy and
        policyForWindow."""
        raw = None if window is None else text(window, "window")
        with Carried(self):
            return Policy(self, lambda out: int(C.mam_policy_current(self._handle, raw, out)))

    def policy_source(self) -> PolicySource:
        """Where policy comes from, for logs. Mirrors mamPolicySource."""
        out = _ffi.Number()
        check(C.mam_policy_source(self._handle, _ffi.byref(out)))
        return PolicySource(out.value)
