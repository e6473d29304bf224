"""Exceptions: one base, one class for each status, and the built-in class a Python programmer would catch."""

from __future__ import annotations

import builtins
import errno
from collections.abc import Mapping
from typing import Any, ClassVar

from .enums import Status

_MESSAGE_KEY = "errorApp"
_USER_MESSAGE = "Something went wrong in this app. If it happens again, contact the app's support."


class MamError(Exception):
    """A call of libmam failed.

    `status` is the number (a `Status` if this binding knows it), `name` its short name ("notEnrolled"), `message` one
    line for the administrator, `user_message` a sentence or two for the person who uses the host, `message_key` the
    stable name of that, `detail` the objects concerned: "argument", "path", "setting", "accountId", "keyId",
    "originalCode". A class that is also an OSError has `errno`, `strerror` and `filename`.
    """

    _errno: ClassVar[int | None] = None

    def __init__(
        self,
        status: int,
        name: str,
        message: str,
        detail: Mapping[str, Any] | None = None,
        user_message: str = "",
        message_key: str = "",
    ) -> None:
        super().__init__(message or name)
        self.status: int = _known(status)
        self.name = name
        self.message = message
        self.detail: dict[str, Any] = dict(detail or {})
        # Mistakes that the binding finds itself have the message that libmam gives for them.
        self.user_message = user_message or _USER_MESSAGE
        self.message_key = message_key or _MESSAGE_KEY
        if isinstance(self, OSError):
            of_system: OSError = self
            of_system.errno = self.detail.get("errno") or self._errno
            of_system.strerror, of_system.filename = self.message or name, self.detail.get("path")

    def __str__(self) -> str:
        return self.message or self.name

    @property
    def original_code(self) -> int | None:
        """The Intune App SDK's number for this failure, if it has one."""
        code = self.detail.get("originalCode")
        return code if isinstance(code, int) else None

    def __reduce__(self) -> tuple[Any, ...]:
        # An error crosses multiprocessing with all its parts.
        parts = (int(self.status), self.name, self.message, self.detail, self.user_message, self.message_key)
        return type(self), parts


# The caller


class CallerError(MamError):
    """The call itself was wrong."""


class ArgumentError(CallerError, ValueError):
    """An argument breaks a rule."""


class BufferTooSmallError(ArgumentError):
    """The output is too small for the result; `needed` bytes suffice."""

    @property
    def needed(self) -> int:
        """The required size in bytes."""
        return int(self.detail.get("needed", 0))


class JSONError(ArgumentError):
    """Not the JSON that the function takes: a wrong type or an unknown key."""


class ClosedError(CallerError, ValueError):
    """The handle, or its session, is closed."""


class ForkedError(CallerError, RuntimeError):
    """The handle belongs to the parent process; open a session in this one."""


class UnsupportedError(CallerError, NotImplementedError):
    """Not in this version, or not on this computer."""


class IsADirectoryError(UnsupportedError, builtins.IsADirectoryError):
    """A directory, where a file is needed."""

    _errno = errno.EISDIR


class DeadlockError(CallerError, RuntimeError):
    """Called from a delegate or log function that it would wait for."""


class WaitInterruptedError(CallerError):
    """`Mam.interrupt` or `Mam.close` ended a wait."""


class AccountUnavailableError(MamError):
    """An account's data is not available here now: a `LockedError`, `NotEnrolledError` or `KeyUnavailableError`.

    Those of `connect_sqlite` and its connections are sqlite3.OperationalErrors too. A file that was open during its account's
    wipe raises ClosedError.
    """


# The state


class StateError(MamError):
    """Not possible in the present state."""


class NotManagedError(StateError):
    """No account is enrolled in this app."""


class NotRegisteredError(StateError, LookupError):
    """The account is not registered."""


class NotEnrolledError(StateError, AccountUnavailableError):
    """The account was wiped or unenrolled."""


class NotFoundError(StateError, LookupError):
    """No such object."""


class FileNotFoundError(NotFoundError, builtins.FileNotFoundError):
    """No such file."""

    _errno = errno.ENOENT


class AlreadyError(StateError):
    """It already exists."""


class FileExistsError(AlreadyError, builtins.FileExistsError):
    """The file already exists."""

    _errno = errno.EEXIST


class DeniedError(StateError, builtins.PermissionError):
    """Policy refuses it."""

    _errno = errno.EPERM


class LockedError(StateError, AccountUnavailableError):
    """Closed until a launch finds the account open, or the PIN was changed or reset."""


class CanceledError(StateError):
    """The user canceled it."""


class TimeoutError(StateError, builtins.TimeoutError):
    """The time is up; the work goes on."""

    _errno = errno.ETIMEDOUT


class BusyError(StateError):
    """Try again."""


class GoneError(StateError, LookupError):
    """The result was kept for a time and is gone."""


# The data


class DataError(MamError, ValueError):
    """The bytes cannot be read back."""


class NotProtectedError(DataError):
    """Not data that libmam protected."""


class DamagedError(DataError):
    """Truncated, extended or malformed."""


class AuthenticationError(DataError):
    """Changed since it was made."""


class KeyUnavailableError(DataError, AccountUnavailableError, LookupError):
    """The key was destroyed by a wipe, or was never on this computer or in this app."""


class EmptyError(DataError):
    """There are no bytes."""


# The environment


class HostError(MamError, OSError):
    """The computer prevents it."""


class InputOutputError(HostError, OSError):
    """Reading or writing failed."""

    _errno = errno.EIO


class StorageError(HostError):
    """The database reports an error, or is corrupt."""


class PermissionError(HostError, builtins.PermissionError):
    """A file or folder belongs to another user, or others can read it."""

    _errno = errno.EACCES


class NoSpaceError(HostError, OSError):
    """The disk is full."""

    _errno = errno.ENOSPC


class CryptoError(HostError):
    """The cryptographic library failed."""


class VersionError(HostError):
    """Made by a newer libmam."""


class TamperedError(HostError):
    """The state was changed outside libmam."""


# The authority


class AuthorityError(MamError):
    """The authority did not carry it out."""


class AuthRequiredError(AuthorityError, builtins.PermissionError):
    """The user must sign in."""


class NetworkError(AuthorityError, ConnectionError):
    """The authority cannot be reached."""


class ServiceError(AuthorityError):
    """The authority refuses."""


class ProtocolError(AuthorityError):
    """The authority's reply was not understood."""


class InternalError(MamError, RuntimeError):
    """A defect of libmam; please report it."""


#: The class of each status.
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
    Status.TIMEOUT: TimeoutError,
    Status.BUSY: BusyError,
    Status.GONE: GoneError,
    Status.NOT_PROTECTED: NotProtectedError,
    Status.DAMAGED: DamagedError,
    Status.AUTHENTICATION: AuthenticationError,
    Status.KEY_UNAVAILABLE: KeyUnavailableError,
    Status.EMPTY: EmptyError,
    Status.IO: InputOutputError,
    Status.STORAGE: StorageError,
    Status.PERMISSION: PermissionError,
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
    """The class of a status; `MamError` for an unknown one."""
    known = _known(status)
    return CLASSES.get(known, MamError) if isinstance(known, Status) else MamError


def argument_error(argument: str, message: str) -> ArgumentError:
    """A mistake that the binding detects before C does, such as a NUL inside a string."""
    return ArgumentError(Status.ARGUMENT, "argument", message, {"argument": argument})


def _known(status: int) -> int:
    try:
        return Status(status)
    except ValueError:
        return status
