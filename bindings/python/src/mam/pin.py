"""PINs of accounts: docs/pin.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Union

from . import _ffi
from ._call import C, check, take_json, take_operation, text
from ._records import build, converted, moment, one
from ._session import Session
from .operations import Operation

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    Secret = Union[str, ReadableBuffer]


@dataclass(frozen=True)
class PINRule:
    """What an account's policies ask of a PIN. `kind` is "numeric" or "passcode"; `previous_blocked` is how many PINs,
    the current one first, may not be chosen again."""

    kind: str
    minimum_length: int = 4
    simple_blocked: bool = False
    previous_blocked: int = 0


@dataclass(frozen=True)
class PINStatus:
    """How an account stands with its PIN.

    state          notRequired, notSet, set, expired or tooWeak (to be changed when it is entered), exhausted
    attempts_left  None where no PIN is set; attempts is how many there are after a right one
    expires        when it has to be changed; None for never
    rule           None, as attempts and at_limit are, where no policy asks for a PIN
    at_limit       what follows the last attempt: "reset" or "wipe"
    wipe_after     the attempts after which some policy wipes the account; None: never
    may_reset      the person has signed in (`Mam.pin_reset`): `Mam.pin_set` needs no former PIN
    """

    account_id: str
    state: str
    attempts_left: int | None = None
    expires: datetime | None = converted(moment)
    rule: PINRule | None = converted(one(PINRule))
    attempts: int | None = None
    at_limit: str | None = None
    wipe_after: int | None = None
    may_reset: bool = False
    upn: str | None = None


@dataclass(frozen=True)
class PINReset:
    """How `Mam.pin_reset` ended. True when it did well: `result` is "changed", or "signedIn" where a new PIN is still to
    be set. Others are "canceled", "otherAccount" and "failed"; `message` says what happened and what to do."""

    result: str
    did_succeed: bool = False
    account_id: str | None = None
    message: str | None = None
    time: datetime | None = converted(moment)
    upn: str | None = None

    def __bool__(self) -> bool:
        return self.did_succeed


def pin_reset_of(raw: Mapping[str, Any]) -> PINReset:
    """The object of mam_wait after mam_pin_reset."""
    return build(PINReset, raw)


class _Given:
    """A PIN as bytes that C can borrow; what was made for it is zeroed afterwards."""

    def __init__(self, pin: Secret, argument: str) -> None:
        self._own: bytearray | None = bytearray(text(pin, argument)) if isinstance(pin, str) else None
        self._borrowed = _ffi.Borrowed(pin if self._own is None else self._own)

    def __enter__(self) -> _ffi.Borrowed:
        return self._borrowed.__enter__()

    def __exit__(self, *exception: object) -> None:
        self._borrowed.__exit__(*exception)
        if self._own is not None:
            self._own[:] = bytes(len(self._own))


class PINCalls(Session):
    """The PIN of section 7 of mam.h.

    A PIN is text or any bytes-like object; libmam zeroes its copies. Text stays in Python's memory: pass a bytearray to be
    able to zero yours.
    """

    def pin_status(self, account: str | bytes) -> PINStatus:
        """How an account stands with its PIN, which the apps of a group share.

        Raises NotEnrolledError, ArgumentError.
        """
        return build(PINStatus, take_json(C.mam_pin_status, self._handle, text(account, "account")))

    def pin_set(self, account: str | bytes, new: Secret, *, old: Secret | None = None) -> None:
        """Set an account's PIN, or change it: then `old` counts as an attempt, as in `pin_verify`. After a `pin_reset`
        no `old` is needed.

        Raises DeniedError (`detail["reason"]`: unfit, with what the new one lacks in `detail["lacks"]`; wrong, oldRequired,
        notRequired), LockedError (no attempt is left), NotFoundError (`old` is given and none is set), ArgumentError.
        """
        name = text(account, "account")
        with _Given(new, "new_pin") as fresh:
            if old is None:
                check(C.mam_pin_set(self._handle, name, None, 0, fresh.pointer, fresh.length))
                return
            with _Given(old, "old") as former:
                pointers = former.pointer, former.length, fresh.pointer, fresh.length
                check(C.mam_pin_set(self._handle, name, *pointers))

    def pin_verify(self, account: str | bytes, pin: Secret) -> None:
        """Try an account's PIN: returns when it is right and the account may be used.

        The attempt is counted before it is looked at. Raises DeniedError (it is wrong: `detail["attemptsLeft"]`),
        LockedError (`detail["reason"]`: exhausted; expired or tooWeak, where it is right and has to be changed first),
        NotFoundError (none is set), ArgumentError (no PIN at all, which is no attempt).
        """
        with _Given(pin, "pin") as given:
            check(C.mam_pin_verify(self._handle, text(account, "account"), given.pointer, given.length))

    def pin_reset(self, account: str | bytes) -> Operation[PINReset]:
        """Set a PIN anew for a person who forgot it or has no attempt left: asks the authenticate question, then pin.

        Raises DeniedError (no policy asks for a PIN), NotEnrolledError, ArgumentError.
        """
        number = take_operation(C.mam_pin_reset, self._handle, text(account, "account"))
        return Operation(self, number, pin_reset_of)
