"""Accounts: register, enroll, check in, unenroll, wipe."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, overload

from ._call import C, account_text, check, json_text, take_json, take_operation, text
from ._callback import CALLING
from ._records import build, converted, dataclass, moment, present
from ._session import Session
from .enums import AccountState, StatusCode, WipeReason
from .operations import Operation, R

if TYPE_CHECKING:
    from collections.abc import Mapping


def _code(value: int) -> int:
    try:
        return StatusCode(value)
    except ValueError:
        return value


@dataclass(frozen=True)
class EnrollmentStatus:
    """How an operation ended. Its truth value: whether it succeeded, as in `if op.wait():`. `code` is a `StatusCode` if
    this binding knows it; `identity` is the UPN; `message` says what happened and what to do,
    `user_message` the same for the person who uses the host, with the stable name `message_key`. Mirrors
    IntuneMAMEnrollmentStatus.
    """

    account_id: str | None
    identity: str | None
    code: int = converted(_code, default=0)
    name: str = ""
    succeeded: bool = converted(key="didSucceed", default=False)
    message: str | None = None
    time: datetime | None = converted(moment)
    user_message: str | None = None
    message_key: str | None = None

    def __bool__(self) -> bool:
        return self.succeeded


@dataclass(frozen=True)
class Account:
    """A registered account. Times are aware and in UTC; `test` is True
    if a test policy enrolled it.

    `last_attempt` is the time of its latest request, `last_code` the result; `last_message`, if that failed, says what
    happened and what to do.
    """

    account_id: str
    upn: str | None
    tenant_id: str | None
    state: AccountState | str
    managed: bool = False
    last_check_in: datetime | None = converted(moment)
    last_attempt: datetime | None = converted(moment)
    next_check_in: datetime | None = converted(moment)
    last_code: int | None = converted(_code)
    last_message: str | None = None
    test: bool = False


@dataclass(frozen=True)
class FormerAccount:
    """How an account left this app.

    wiped         its keys are destroyed, and its data is removed; else it was unenrolled without a wipe
    reason        the wipe's, as in `WipeCompletedEvent`
    time          None until the wipe is in the state
    user_message  one sentence or two for the person who uses the host
    message_key   its stable name
    """

    wiped: bool = converted(lambda end: end == "wiped", key="end", default=False)
    reason: WipeReason | str | None = None
    time: datetime | None = converted(moment)
    user_message: str | None = None
    message_key: str | None = None


def status_of(raw: Mapping[str, Any]) -> EnrollmentStatus:
    """The status of an operation or an event."""
    return build(EnrollmentStatus, raw)


class EnrollmentCalls(Session):
    """Accounts."""

    def register_and_enroll(
        self, upn: str | None = None, *, account_id: str | None = None, tenant_id: str | None = None
    ) -> Operation[EnrollmentStatus]:
        """Register an account and enroll it now; after a failure, retry on schedule until it succeeds.

        One of `upn` and `account_id` (the object id) is needed. An account that is already registered ends with
        `StatusCode.ALREADY_ENROLLED`. Raises ArgumentError (original_code 207: no account), StorageError. Mirrors
        registerAndEnrollAccountId.
        """
        for argument, value in (("upn", upn), ("account_id", account_id), ("tenant_id", tenant_id)):
            if value is not None and not isinstance(value, str):
                raise TypeError(f"{argument} must be str, not {type(value).__name__}")
        account = json_text(present(upn=upn, account_id=account_id, tenant_id=tenant_id), "account")
        return self._operation(take_operation(C.mam_register_and_enroll, self._handle, account), "register_and_enroll")

    def login_and_enroll(self, account: str | bytes | None = None) -> Operation[EnrollmentStatus]:
        """Enroll the user who signs in: `account` if given, else the device's account or the one that other apps of the
        group have, else the answer to the signIn question.

        A person is asked only if the account cannot be enrolled with the known data. It is registered once it is
        enrolled: a failed login leaves nothing, and is not retried. Ends as `register_and_enroll`, or with
        `StatusCode.LOGIN_CANCELED`. Raises ArgumentError, StorageError. Mirrors loginAndEnrollAccount.
        """
        return self._operation(take_operation(C.mam_login_and_enroll, self._handle, account_text(account)), "login_and_enroll")

    def register_account(self, account: str | bytes) -> None:
        """Make a name known without enrolling it, for example a shared mailbox or a colleague. It stays an unmanaged
        user.

        Without this, storing data under a name that looks like one of the organisation, and is no account of this app,
        raises NotFoundError. Durable; `deregister_and_unenroll` removes it. Raises NotEnrolledError (the name's account
        was wiped or unenrolled), NoSpaceError (4096 names), ArgumentError. May be called from any thread.
        """
        check(C.mam_register_account(self._handle, text(account, "account")))

    def known_accounts(self) -> list[str]:
        """The names that `register_account` made known, as given and in that order. Any thread."""
        return [str(name) for name in take_json(C.mam_known_accounts, self._handle)]

    def check_name(self, account: str | bytes) -> None:
        """Check whether data may be stored under a name now; "" is no user, and may always.

        Call it before a name becomes part of a path, and before the program stores by itself the data of a name that is
        not managed: it raises where that would put an account's data in the clear. Until an account was enrolled it passes
        every valid name.
        Raises as `protect` with this name does: ArgumentError (no account has such a name), NotFoundError (unknown,
        and like a name of the organisation), NotEnrolledError (it has left), DeniedError, LockedError. Any thread.
        """
        check(C.mam_check_name(self._handle, text(account, "account")))

    def deregister_and_unenroll(self, account: str | bytes, *, wipe: bool = False) -> Operation[EnrollmentStatus]:
        """Unenroll and deregister an account; call it before you drop the user.

        Without `wipe` the account becomes unmanaged and this app can still read its data, which the host deletes. With
        it, it does everything that `wipe_account` does. Ends with 104, or 215 if the wipe failed; the message says if the
        authority could not be informed yet, or had ordered a wipe, which is then carried out. Raises NotRegisteredError,
        DeniedError (an extension), ArgumentError, StorageError. Mirrors deRegisterAndUnenrollAccountId:withWipe:.
        """
        raw = text(account, "account")
        number = take_operation(C.mam_deregister_and_unenroll, self._handle, raw, 1 if wipe else 0)
        return self._operation(number, "deregister_and_unenroll")

    def check_in(self, account: str | bytes | None = None) -> Operation[EnrollmentStatus]:
        """Request policy and commands from the authority now, for one account or (None) for all enrolled ones.

        Ends with 100 to 103, or the failure (223: an extension); for all accounts, with the worst of them. A wipe that it
        brings may go on after that, until `WipeCompletedEvent`. Raises ArgumentError, StorageError. Mirrors the Intune App
        SDK's check-in.
        """
        return self._operation(take_operation(C.mam_check_in, self._handle, account_text(account)), "check_in")

    def forget_authority(self) -> None:
        """Forget the authority that this app knows at its path: the next one found there becomes the known one.

        Accounts of this app that are enrolled with it are unenrolled and closed, with all their data, until they are
        enrolled with the same authority again. Nothing is deleted. Raises DeniedError (an extension), StorageError.
        """
        check(C.mam_forget_authority(self._handle))

    def wipe_account(self, account: str | bytes) -> Operation[EnrollmentStatus]:
        """Wipe an account of this app now; it ends unenrolled.

        When this call returns, nobody can read the account's data any more, whatever happens to this process: the
        operation covers only what follows (the delegate, rows). Other accounts, other apps and personal data stay. Raises
        NotRegisteredError, DeniedError (an extension); InputOutputError and StorageError mean that it is not wiped: try
        again. Mirrors the selective wipe.
        """
        return self._operation(take_operation(C.mam_wipe_account, self._handle, text(account, "account")), "wipe_account")

    def _operation(self, number: int, method: str | None = None) -> Operation[EnrollmentStatus]:
        return Operation(self, number, status_of, method)

    @overload
    def wait(self, operation: Operation[R], timeout: float | None = None) -> R: ...
    @overload
    def wait(self, operation: int, timeout: float | None = None) -> EnrollmentStatus: ...
    def wait(self, operation: Operation[Any] | int, timeout: float | None = None) -> Any:
        """Wait at most `timeout` seconds (None: for ever, 0: do not wait) until an operation has ended.

        Returns whether or not it succeeded: check `succeeded` (or the status as a truth value). Without a worker this
        call does the work, and delegates are called inside it. Raises TimeoutError (the work goes on), GoneError
        (ended long ago), NotFoundError, DeadlockError (from a delegate, or in an event loop whose coroutines may have to
        answer), WaitInterruptedError. In asyncio, `await` the operation, or its `wait_async`.
        """
        return (operation if isinstance(operation, Operation) else self._operation(operation)).wait(timeout)

    def run_due(self) -> None:
        """Do what is due: operations, check-ins, retries, unfinished wipes, changes made by other processes.

        With a worker this only wakes it, without waiting. Raises DeadlockError from a delegate.
        """
        with CALLING:
            check(C.mam_run_due(self._handle))

    def registered_accounts(self) -> list[Account]:
        """Registered accounts, enrolled ones included. Mirrors registeredAccountIds."""
        return [build(Account, raw) for raw in take_json(C.mam_registered_accounts, self._handle)]

    def enrolled_accounts(self) -> list[Account]:
        """The registered accounts that are enrolled. Mirrors enrolledAccountIds."""
        return [build(Account, raw) for raw in take_json(C.mam_enrolled_accounts, self._handle)]

    def registered_account(self, account: str | bytes) -> Account | None:
        """The account of a name that a sign-in or enrollment registered, None if there is none: the UPN of an account id, and
        the other way round. A former UPN counts; a name that `register_account` made known is none. Raises ArgumentError. Any
        thread.
        """
        raw = take_json(C.mam_registered_account, self._handle, text(account, "account"))
        return None if raw is None else build(Account, raw)

    def primary_account(self) -> Account | None:
        """The one enrolled account of a host without MultiManagedIdentities. Mirrors enrolledAccountId."""
        raw = take_json(C.mam_primary_account, self._handle)
        return None if raw is None else build(Account, raw)

    def former_account(self, account: str | bytes) -> FormerAccount | None:
        """How the account of a name left this app; None if it has not. Ask at each start about each account of which the
        host keeps data elsewhere: an event goes to one reader, which a killed host was not.

        Ends when the account is enrolled again. The last 1000 names are kept. Raises ArgumentError. Any thread.
        """
        raw = take_json(C.mam_former_account, self._handle, text(account, "account"))
        return None if raw is None else build(FormerAccount, raw)

    def allowed_accounts(self) -> list[str] | None:
        """The accounts that may sign in, from device.managedAppConfig; None: any.

        An empty list allows nobody, so compare with None. Mirrors allowedAccounts.
        """
        raw = take_json(C.mam_allowed_accounts, self._handle)
        return None if raw is None else list(raw)

    def mdm_account(self) -> str | None:
        """Account id that the device is enrolled with, from device.mdmAccountId. Mirrors mdmEnrolledAccountId."""
        raw = take_json(C.mam_mdm_account, self._handle)
        return None if raw is None else str(raw["accountId"])
