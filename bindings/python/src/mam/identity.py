"""The identity that the host acts for: by context, window and process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from functools import partial
from typing import Any, ParamSpec, TypeVar, cast

from . import _ffi
from ._call import (
    C,
    Names,
    account_text,
    check,
    identities_text,
    not_a,
    refused,
    required,
    take_json,
    take_operation,
    text,
)
from ._context import Carried, acting_as, acting_as_the_thread
from ._handle import SessionHandle
from ._records import build, converted, dataclass, moment
from ._session import Session
from .enums import BlockReason, IdentityTask, SwitchResult
from .operations import Operation

P = ParamSpec("P")
T = TypeVar("T")


def _window(window: str | None) -> bytes | None:
    return None if window is None else text(window, "window")


@dataclass(frozen=True)
class IdentitySwitch:
    """How a switch ended. True when the window shows the requested accounts. Mirrors IntuneMAMSwitchIdentityResult."""

    result: SwitchResult = converted(SwitchResult)
    name: str = ""
    succeeded: bool = converted(key="didSucceed", default=False)
    identities: tuple[str, ...] | None = converted(tuple)
    window: str | None = None
    message: str | None = None
    time: datetime | None = converted(moment)
    user_message: str | None = None
    message_key: str | None = None

    def __bool__(self) -> bool:
        return self.succeeded


def _switch_of(raw: Mapping[str, Any]) -> IdentitySwitch:
    return build(IdentitySwitch, raw)


@dataclass(frozen=True)
class BlockedAccount:
    """An account that the host must hide, and why."""

    account_id: str | None
    upn: str | None
    block_reason: BlockReason = converted(BlockReason)


def _run(run: Callable[[Any], int], function: Callable[[], T]) -> T:
    """Call a Python function inside a C function that calls it once."""
    results: list[T] = []
    errors: list[BaseException] = []

    def call(_: Any) -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    check(run(_ffi.RunFunction(call)))
    if errors:
        raise errors[0]
    return results[0]


class CapturedIdentity(SessionHandle):
    """The identity of the code that captured it, for work that runs elsewhere. Any thread, any number of times."""

    __slots__ = ()

    _type = _ffi.IdentityHandle
    _release = C.mam_identity_release

    def run(self, function: Callable[P, T], *arguments: P.args, **keywords: P.kwargs) -> T:
        """Call `function` with this identity and return what it returns."""
        body = partial(function, *arguments, **keywords)
        with acting_as_the_thread(self._session):
            return _run(lambda call: int(C.mam_identity_run(self._handle, call, None)), body)


class IdentityCalls(Session):
    """Identities."""

    def identity(self, account: str | bytes | None) -> AbstractContextManager[None]:
        """A `with` block that acts for an account: an object id or UPN, "" (no user) or None (not set: use the next
        source).

        It follows contextvars: an asyncio task, asyncio.to_thread and contextvars.copy_context().run each see only their
        own, however they interleave. It takes precedence over `push_thread_identity` on the thread. Raises ArgumentError,
        NotFoundError (unknown_identities="error") on entering. Mirrors setCurrentThreadAccountId:forScope:.
        """
        return self._identity(account_text(account))

    @contextmanager
    def _identity(self, account: bytes | None) -> Iterator[None]:
        check(C.mam_push_thread_identity(self._handle, account))  # fails here as every later call would
        try:
            if account:  # use the name that survives a rename
                shown = take_json(C.mam_effective_identity, self._handle, IdentityTask.FILE, None)
                account = str(shown).encode()
        finally:
            C.mam_pop_thread_identity(self._handle)
        with acting_as(self, account):
            yield

    def run_as(self, account: str | bytes | None, function: Callable[P, T], *arguments: P.args, **keywords: P.kwargs) -> T:
        """Call `function` with an identity and return its result; as `identity`, and also for C code that it calls on
        this thread. Raises the exceptions of `function`, and as `identity`. Mirrors
        setCurrentThreadAccountId:forScope:."""
        raw = account_text(account)
        body = partial(function, *arguments, **keywords)
        with acting_as(self, raw):
            return _run(lambda call: int(C.mam_run_as(self._handle, raw, call, None)), body)

    def capture_identity(self) -> CapturedIdentity:
        """Capture the identity of the calling code, for threads of a pool that copies no context.
        Raises NoSpaceError (a million handles are open)."""
        with Carried(self):
            return CapturedIdentity(self, lambda out: int(C.mam_identity_capture(self._handle, out)))

    def push_thread_identity(self, account: str | bytes | None) -> None:
        """Give the calling thread an identity until it is popped; for hosts with C code on the same thread.

        It stays on the thread, whatever task runs there next: Python code should use `identity`. At most 1024 deep
        (NoSpaceError)."""
        check(C.mam_push_thread_identity(self._handle, account_text(account)))

    def pop_thread_identity(self) -> None:
        """Pop the latest one; raises NotFoundError if there is none."""
        check(C.mam_pop_thread_identity(self._handle))

    def set_process_identity(self, account: str | bytes | None) -> None:
        """Set the process's identity, used if nothing more specific is set; None clears it. Raises ArgumentError,
        NotFoundError (unknown_identities="error"). Mirrors setProcessAccountId."""
        check(C.mam_set_process_identity(self._handle, account_text(account)))

    def process_identity(self) -> str | None:
        """The process's identity: None, "" or a name. If the host has set none and the setting MultiIdentity is false,
        the one enrolled account. Mirrors getProcessAccountId."""
        return cast("str | None", take_json(C.mam_process_identity, self._handle))

    def set_ui_identity(
        self, identities: str | bytes | Names[str | bytes] | None, window: str | None = None
    ) -> Operation[IdentitySwitch]:
        """Request to show other accounts in a window (None: the default one): a name, "" or several names; None removes
        the window's identity.

        Hold the new content back until the operation ended with success. Raises ArgumentError, NoSpaceError (4096
        windows, or 1024 switches that have not ended). Mirrors setUIPolicyAccountIds:forWindow:.
        """
        raw = identities_text(identities, "identities")
        with Carried(self):
            number = take_operation(C.mam_set_ui_identity, self._handle, _window(window), raw)
        return Operation(self, number, _switch_of, "set_ui_identity")

    def open_url(self, url: str | bytes, account: str | bytes | None, window: str | None = None) -> Operation[IdentitySwitch]:
        """Prepare to open a link of an account in a window (None: the default one): open it once the operation has ended
        with success.

        account  the link's account: the sender's for a link from another app; "" or None: none

        If the window shows another account, and policy keeps the two apart, the host is asked to allow a switch
        (`mam.IDENTITY_SWITCH` with the reason openURL, only with the setting MultiIdentity); if it does not, the
        operation ends with `SwitchResult.NOT_ALLOWED`. `url` is only for the question: ask the account's policy whether
        it may be opened. Raises ArgumentError, NoSpaceError, NotFoundError (unknown_identities="error"). Mirrors
        getAccountIdForCurrentActivity, and the Intune App SDK's switch when a URL of another account is opened.
        """
        raw, owner = text(url, "url"), account_text(account)
        with Carried(self):
            number = take_operation(C.mam_open_url, self._handle, _window(window), owner, raw)
        return Operation(self, number, _switch_of, "open_url")

    def ui_identity(self, window: str | None = None) -> list[str] | None:
        """The accounts that a window shows; None if none were set for this window. Mirrors
        getUIPolicyAccountIdsForWindow."""
        return cast("list[str] | None", take_json(C.mam_ui_identity, self._handle, _window(window)))

    def effective_identity(self, task: IdentityTask = IdentityTask.UI, window: str | None = None) -> str | list[str] | None:
        """The identity of the calling code now: None (not set), "" or a name; a list if a window shows several. A UI task
        uses the context, the window, the default window and the process; a file task the context and the process. Raises
        TypeError (not an IdentityTask)."""
        if type(task) is not IdentityTask:
            raise not_a("task", task, IdentityTask)
        with Carried(self):
            found = take_json(C.mam_effective_identity, self._handle, task, _window(window))
        return cast("str | list[str] | None", found)

    def is_account_managed(self, account: str | bytes | None) -> bool:
        """Whether an account is under policy, or was until a wipe that is in progress; False for an unknown name, also with
        `unknown_identities="error"`, and for an enrolled account that no policy reaches (103), which `enrolled_accounts` has
        with `managed` false. Raises ArgumentError for what is no name. Mirrors isAccountIdManaged."""
        return required() if C.mam_is_account_managed(self._handle, account_text(account)) else False

    def is_management_enabled(self) -> bool:
        """Whether policy applies to any account, or MAMPolicyRequired demands it. Mirrors isManagementEnabled."""
        return required() if C.mam_is_management_enabled(self._handle) else False

    def identities_equal(self, account: str | bytes | None, other: str | bytes | None) -> bool:
        """Whether two names mean the same account, as far as this app knows. Raises ArgumentError.
        Mirrors isIdentity:equalTo:."""
        one, two = account_text(account), None if other is None else text(other, "other")
        return True if C.mam_identity_equal(self._handle, one, two) else refused()

    def blocked_accounts(self) -> list[BlockedAccount]:
        """Accounts that the host must hide. Mirrors blockedAccountIds."""
        return [build(BlockedAccount, raw) for raw in take_json(C.mam_blocked_accounts, self._handle)]

    def blocked_reason(self, account: str | bytes | None) -> BlockReason:
        """Why an account must be hidden. Mirrors blockedReasonForAccountId."""
        out = _ffi.Number()
        check(C.mam_blocked_reason(self._handle, account_text(account), _ffi.byref(out)))
        return BlockReason(out.value)
