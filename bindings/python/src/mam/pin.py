"""PINs of accounts: docs/pin.md."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from . import _ffi
from ._call import C, check, take_json, take_operation, text
from ._records import build, converted, dataclass, moment, one
from ._session import Session
from .enums import PINKind, PINLimit, PINResult, PINState
from .operations import Operation

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    Secret = str | ReadableBuffer


@dataclass(frozen=True)
class PINRule:
    """The requirements of an account's policies for a PIN. `previous_blocked` is the
    number of PINs, from the current one back, that may not be chosen again."""

    kind: PINKind | str
    minimum_length: int = 4
    simple_blocked: bool = False
    previous_blocked: int = 0


@dataclass(frozen=True)
class PINStatus:
    """The state of an account's PIN.

    attempts_left  None if no PIN is set; attempts is the number after a right one
    expires        when it must be changed; None for never
    rule           None, as are attempts and at_limit, if no policy requires a PIN
    at_limit       the consequence of the last attempt
    wipe_after     the attempts after which some policy wipes the account; None: never
    may_reset      the person has signed in (`Mam.pin_reset`): `Mam.pin_set` needs no former PIN
    """

    account_id: str
    state: PINState | str
    attempts_left: int | None = None
    expires: datetime | None = converted(moment)
    rule: PINRule | None = converted(one(PINRule))
    attempts: int | None = None
    at_limit: PINLimit | str | None = None
    wipe_after: int | None = None
    may_reset: bool = False
    upn: str | None = None


@dataclass(frozen=True)
class PINReset:
    """How `Mam.pin_reset` ended. True when it succeeded: `result` is CHANGED, or SIGNED_IN if a new PIN must
    still be set. `message` says what happened and what to do."""

    result: PINResult | str
    succeeded: bool = converted(key="didSucceed", default=False)
    account_id: str | None = None
    message: str | None = None
    time: datetime | None = converted(moment)
    upn: str | None = None
    user_message: str | None = None
    message_key: str | None = None

    def __bool__(self) -> bool:
        return self.succeeded


def pin_reset_of(raw: Mapping[str, Any]) -> PINReset:
    """The result of a reset."""
    return build(PINReset, raw)


class _BorrowedPIN:
    """A PIN as bytes that C can borrow; a copy made for it is zeroed afterwards."""

    def __init__(self, pin: Secret, argument: str) -> None:
        if not isinstance(pin, str):
            try:
                memoryview(pin)
            except TypeError:
                raise TypeError(f"{argument} must be str or bytes, not {type(pin).__name__}") from None
        self._own: bytearray | None = bytearray(text(pin, argument)) if isinstance(pin, str) else None
        self._borrowed = _ffi.Borrowed(pin if self._own is None else self._own)

    def __enter__(self) -> _ffi.Borrowed:
        return self._borrowed.__enter__()

    def __exit__(self, *exception: object) -> None:
        self._borrowed.__exit__(*exception)
        if self._own is not None:
            self._own[:] = bytes(len(self._own))


class PINCalls(Session):
    """PINs.

    A PIN is text or any bytes-like object; libmam zeroes its copies. Text stays in Python's memory: pass a bytearray,
    which the caller can zero.
    """

    def pin_status(self, account: str | bytes) -> PINStatus:
        """The state of an account's PIN, which the apps of a group share.

        Raises NotEnrolledError, ArgumentError.
        """
        return build(PINStatus, take_json(C.mam_pin_status, self._handle, text(account, "account")))

    def pin_set(self, account: str | bytes, new: Secret, *, old: Secret | None = None) -> None:
        """Set an account's PIN, or change it: `old` then counts as an attempt, as in `pin_verify`. After a `pin_reset` no
        `old` is needed.

        Raises DeniedError (`detail["reason"]`: unfit, with the unmet rules in `detail["lacks"]`; wrong, oldRequired,
        notRequired), LockedError (no attempt is left), NotFoundError (`old` is given and none is set), ArgumentError.
        """
        name = text(account, "account")
        with _BorrowedPIN(new, "new") as fresh:
            if old is None:
                check(C.mam_pin_set(self._handle, name, None, 0, fresh.pointer, fresh.length))
                return
            with _BorrowedPIN(old, "old") as former:
                pointers = former.pointer, former.length, fresh.pointer, fresh.length
                check(C.mam_pin_set(self._handle, name, *pointers))

    def pin_verify(self, account: str | bytes, pin: Secret) -> None:
        """Verify an account's PIN: returns if it is right and the account may be used.

        The attempt is counted before the PIN is compared. Raises DeniedError (it is wrong: `detail["attemptsLeft"]`),
        LockedError (`detail["reason"]`: exhausted; expired or tooWeak, if it is right and must be changed first),
        NotFoundError (none is set), ArgumentError (no PIN at all, which is no attempt).
        """
        with _BorrowedPIN(pin, "pin") as given:
            check(C.mam_pin_verify(self._handle, text(account, "account"), given.pointer, given.length))

    def pin_reset(self, account: str | bytes) -> Operation[PINReset]:
        """Set a new PIN for a person who forgot theirs or has no attempt left: asks the authenticate question, then pin.

        Raises DeniedError (no policy requires a PIN), NotEnrolledError, ArgumentError.
        """
        number = take_operation(C.mam_pin_reset, self._handle, text(account, "account"))
        return Operation(self, number, pin_reset_of, "pin_reset")
