"""Exceptions: one base, one class per code of mam.h, and the built-in class a Python programmer would catch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .enums import Status


class MamError(Exception):
    """A call of libmam failed.

    `status` is the number (a `Status` where this binding knows it), `name` its short name ("notEnrolled"),
    `message` one line for a person, `detail` what it is about: "argument", "path", "setting", "accountId",
    "keyId", "originalCode".
    """

    def __init__(self, status: int, name: str, message: str, detail: Mapping[str, Any] | None = None) -> None:
        super().__init__(message or name)
        self.status: int = _known(status)
        self.name = name
        self.message = message
        self.detail: dict[str, Any] = dict(detail or {})
        if isinstance(self, OSError):
            of_system: OSError = self
            of_system.errno, of_system.filename = self.detail.get("errno"), self.detail.get("path")

    def __str__(self) -> str:
        return self.message or self.name

    @property
    def original_code(self) -> int | None:
        """The original SDK's number for this failure, where it has one."""
        code = self.detail.get("originalCode")
        return code if isinstance(code, int) else None

    def __reduce__(self) -> tuple[Any, ...]:
        # So that an error crosses multiprocessing with all its parts.
        return type(self), (int(self.status), self.name, self.message, self.detail)


# The caller


class CallerError(MamError):
    """The call itself was wrong."""


class ArgumentError(CallerError, ValueError):
    """A rule of mam.h was broken."""


class BufferTooSmallError(ArgumentError):
    """The output does not hold the result; `needed` bytes do."""

    @property
    def needed(self) -> int:
        """Bytes to bring."""
        return int(self.detail.get("needed", 0))


class JSONError(ArgumentError):
    """Not the JSON that the function takes: a wrong type or an unknown key."""


class ClosedError(CallerError, ValueError):
    """The handle, or the session it came from, is closed."""


class ForkedError(CallerError, RuntimeError):
    """The handle belongs to the parent process; open a session in this one."""


class UnsupportedError(CallerError, NotImplementedError):
    """Not in this version, or not on this host."""


class DeadlockError(CallerError, RuntimeError):
    """Called from a delegate or log function that it would wait for."""


class WaitInterruptedError(CallerError):
    """`Mam.interrupt` or `Mam.close` ended a wait."""


# The state


class StateError(MamError):
    """Not possible in the present state."""


class NotManagedError(StateError):
    """No account is enrolled in this app."""


class NotRegisteredError(StateError, LookupError):
    """The account is not registered."""


class NotEnrolledError(StateError):
    """The account was wiped or unenrolled."""


class NotFoundError(StateError, LookupError):
    """There is no such thing."""


class FileMissingError(NotFoundError, FileNotFoundError):
    """There is no such file."""


class AlreadyError(StateError):
    """It is there already."""


class FileThereError(AlreadyError, FileExistsError):
    """There is such a file already."""


class DeniedError(StateError, PermissionError):
    """Policy refuses it."""


class LockedError(StateError):
    """Closed until a launch finds the account open, or the PIN was changed or reset."""


class CanceledError(StateError):
    """The user canceled it."""


class WaitTimeoutError(StateError, TimeoutError):
    """Not yet: the time is up and the work goes on."""


class BusyError(StateError):
    """Try again."""


class GoneError(StateError, LookupError):
    """The result was kept, but is not any more."""


# The data


class DataError(MamError, ValueError):
    """The bytes cannot be read back."""


class NotProtectedError(DataError):
    """Not something that libmam protected."""


class DamagedError(DataError):
    """Cut, extended or badly formed."""


class AuthenticationError(DataError):
    """Changed since it was made."""


class KeyUnavailableError(DataError, LookupError):
    """The key is gone (a wipe), or was never on this computer or in this app."""


class EmptyError(DataError):
    """There are no bytes."""


# The environment


class HostError(MamError, OSError):
    """The computer is in the way."""


class InputOutputError(HostError, OSError):
    """Reading or writing failed."""


class StorageError(HostError):
    """The database refuses, or is corrupt."""


class StatePermissionError(HostError, PermissionError):
    """A file or folder belongs to another user, or others can read it."""


class NoSpaceError(HostError, OSError):
    """The disk is full."""


class CryptoError(HostError):
    """The cryptographic library failed."""


class VersionError(HostError):
    """Made by a newer libmam."""


class TamperedError(HostError):
    """The state was changed behind libmam's back."""


# The authority


class AuthorityError(MamError):
    """The authority did not do it."""


class AuthRequiredError(AuthorityError, PermissionError):
    """The user must sign in."""


class NetworkError(AuthorityError, ConnectionError):
    """The authority cannot be reached."""


class ServiceError(AuthorityError):
    """The authority refuses."""


class ProtocolError(AuthorityError):
    """The authority's reply was not understood."""


class InternalError(MamError, RuntimeError):
    """A defect of libmam; please report it."""


#: Every code that has a class. A test compares it with mam.h.
CLASSES: dict[Status, type[MamError]] = {
    Status.ARGUMENT: ArgumentError,
    Status.BUFFER: BufferTooSmallError,
    Status.JSON: JSONError,
    Status.CLOSED: ClosedError,
    Status.FORKED: ForkedError,
    Status.UNSUPPORTED: UnsupportedError,
    Status.DEADLOCK: DeadlockError,
    Status.INTERRUPTED: WaitInterruptedError,
    Status.NOT_MANAGED: NotManagedError,
    Status.NOT_REGISTERED: NotRegisteredError,
    Status.NOT_ENROLLED: NotEnrolledError,
    Status.NOT_FOUND: NotFoundError,
    Status.ALREADY: AlreadyError,
    Status.DENIED: DeniedError,
    Status.LOCKED: LockedError,
    Status.CANCELED: CanceledError,
    Status.TIMEOUT: WaitTimeoutError,
    Status.BUSY: BusyError,
    Status.GONE: GoneError,
    Status.NOT_PROTECTED: NotProtectedError,
    Status.DAMAGED: DamagedError,
    Status.AUTHENTICATION: AuthenticationError,
    Status.KEY_UNAVAILABLE: KeyUnavailableError,
    Status.EMPTY: EmptyError,
    Status.IO: InputOutputError,
    Status.STORAGE: StorageError,
    Status.PERMISSION: StatePermissionError,
    Status.NO_SPACE: NoSpaceError,
    Status.CRYPTO: CryptoError,
    Status.VERSION: VersionError,
    Status.TAMPERED: TamperedError,
    Status.AUTH_REQUIRED: AuthRequiredError,
    Status.NETWORK: NetworkError,
    Status.SERVICE: ServiceError,
    Status.PROTOCOL: ProtocolError,
    Status.INTERNAL: InternalError,
}


def class_for(status: int) -> type[MamError]:
    """The class of a status; `MamError` for one that this binding does not know."""
    known = _known(status)
    return CLASSES.get(known, MamError) if isinstance(known, Status) else MamError


def argument_error(argument: str, message: str) -> ArgumentError:
    """A mistake that the binding sees before C does (a NUL inside a string, above all)."""
    return ArgumentError(Status.ARGUMENT, "argument", message, {"argument": argument})


def _known(status: int) -> int:
    try:
        return Status(status)
    except ValueError:
        return status
