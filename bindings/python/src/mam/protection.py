"""Data protection: bytes and text that only this app reads back while it manages their account."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _ffi
from ._call import C, check, error_for, fail, own_text, take_json, take_text, text
from ._records import build, converted, dataclass
from ._session import Session
from .enums import ContainerAlgorithm, ContentType, Status

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

STRICT = 1

_protect_into = C.mam_protect_into
_unprotect_into = C.mam_unprotect_into

# Results of inputs up to this size go through reused memory; larger ones are written in place.
_SMALL = 4096
_SCRATCH: int = C.mam_protect_bound(_SMALL)
# list.pop and list.append are atomic, so threads (and finalizers in between) never share one.
_scratches: list[_ffi.Scratch] = []


def _algorithm(value: int) -> ContainerAlgorithm | int:
    try:
        return ContainerAlgorithm(value)
    except ValueError:
        return value


@dataclass(frozen=True)
class ProtectionInfo:
    """A container's owner.

    `authenticated` is False if this app has no key to verify the label with; `length` is the plain length, and as
    trustworthy as the label. Mirrors IntuneMAMDataProtectionInfo.
    """

    account_id: str
    encrypted: bool = False
    authenticated: bool = False
    algorithm: ContainerAlgorithm | int | None = converted(_algorithm)
    content_type: ContentType | str | None = None
    key_id: str | None = None
    epoch: int | None = None
    length: int | None = None


class Unprotected(NamedTuple):
    """Unprotected bytes; `was_protected` is False if they were not a container and were returned unchanged."""

    data: bytes
    was_protected: bool


class UnprotectedText(NamedTuple):
    """Unprotected text; `was_protected` as in `Unprotected`."""

    text: str
    was_protected: bool


class UnprotectedInto(NamedTuple):
    """The number of bytes written to the output; `was_protected` as in `Unprotected`."""

    length: int
    was_protected: bool


def protect_bound(length: int) -> int:
    """The most bytes that protecting `length` bytes produces: the size of a buffer for `Mam.protect_into`."""
    if isinstance(length, bool) or not isinstance(length, int):
        raise TypeError(f"length must be int, not {type(length).__name__}")
    if length < 0:
        raise ValueError("length is 0 or more")
    bound = int(C.mam_protect_bound(length)) if length <= sys.maxsize else 0  # ctypes would truncate a larger one
    if not bound:
        raise OverflowError(f"{length} bytes are more than this computer can protect")
    return bound


class ProtectionCalls(Session):
    """Data protection. Inputs are any contiguous bytes-like objects and are not copied."""

    def protect(self, account: str | bytes, data: ReadableBuffer) -> bytes:
        """Seal bytes for an account (an object id or UPN; "" is the unmanaged user).

        The result differs on every call. An unmanaged account's data is labelled and authenticated, not encrypted.
        Raises NotManagedError (no account is enrolled in this app), NotEnrolledError (the account was wiped or
        unenrolled), EmptyError, ArgumentError, TamperedError, KeyUnavailableError. Mirrors protect:accountId:.
        """
        if account.__class__ is not bytes or 0 in account:
            account = text(account, "account")
        if data.__class__ is bytes:
            return _protect(self._handle, account, data, len(data))
        with _ffi.Borrowed(data) as borrowed:
            return _protect(self._handle, account, borrowed.pointer, borrowed.length)

    def protect_into(self, account: str | bytes, data: ReadableBuffer, out: WriteableBuffer) -> int:
        """The same into the caller's buffer of `protect_bound(len(data))` bytes; returns the number of bytes written.

        `out` may be the same memory as `data`, starting at the same address. Raises as `protect`, and
        BufferTooSmallError, whose `needed` is the required size and which leaves `out` untouched.
        """
        size = _ffi.Size()
        with _ffi.Borrowed(data) as borrowed:
            status = _protect_into(
                self._handle, text(account, "account"), borrowed.pointer, borrowed.length,
                _ffi.writable(out), memoryview(out).nbytes, _ffi.byref(size),
            )  # fmt: skip
        _check_size(status, size)
        return int(size.value)

    def unprotect(self, data: ReadableBuffer, *, strict: bool = False) -> bytes:
        """Return the bytes that `protect` sealed.

        Bytes that are not a container are returned unchanged, as in the Intune App SDK; with `strict` they raise
        NotProtectedError. Raises DamagedError, AuthenticationError (changed since it was made), KeyUnavailableError (the
        account was wiped, or it is another app's or computer's: see `detail`), EmptyError, TamperedError. Mirrors
        unprotect:.
        """
        return self.unprotect_detailed(data, strict=strict).data

    def unprotect_detailed(self, data: ReadableBuffer, *, strict: bool = False) -> Unprotected:
        """`unprotect` that also reports whether the bytes were protected. Raises as it does."""
        flags = STRICT if strict else 0
        if data.__class__ is bytes:
            return _unprotect(self._handle, data, len(data), flags)
        with _ffi.Borrowed(data) as borrowed:
            return _unprotect(self._handle, borrowed.pointer, borrowed.length, flags)

    def unprotect_into(self, data: ReadableBuffer, out: WriteableBuffer, *, strict: bool = False) -> UnprotectedInto:
        """The same into the caller's buffer; `len(data)` bytes are always enough. `out` may be the same memory as `data`.
        Raises as `unprotect`, and BufferTooSmallError."""
        size, flag = _ffi.Size(), _ffi.Bool()
        with _ffi.Borrowed(data) as borrowed:
            status = _unprotect_into(
                self._handle, borrowed.pointer, borrowed.length, STRICT if strict else 0,
                _ffi.writable(out), memoryview(out).nbytes, _ffi.byref(size), _ffi.byref(flag),
            )  # fmt: skip
        _check_size(status, size)
        return UnprotectedInto(int(size.value), bool(flag.value))

    def protect_string(self, account: str | bytes, plain: str) -> str:
        """Protect text; the result is base64 of a container. Raises as `protect`; a NUL in the text is an
        ArgumentError. Mirrors protectString:accountId:."""
        return take_text(C.mam_protect_string, self._handle, text(account, "account"), text(plain, "plain"))

    def unprotect_string(self, protected: str | bytes, *, strict: bool = False) -> str:
        """Return the text that `protect_string` sealed. Text that is not base64 of a container is returned unchanged, or
        with `strict` raises NotProtectedError. Raises as `unprotect`. Mirrors unprotectString:."""
        return self.unprotect_string_detailed(protected, strict=strict).text

    def unprotect_string_detailed(self, protected: str | bytes, *, strict: bool = False) -> UnprotectedText:
        """`unprotect_string` that also reports whether the text was protected. Raises as it
        does."""
        out, flag = _ffi.Text(), _ffi.Bool()
        flags = STRICT if strict else 0
        check(C.mam_unprotect_string(self._handle, text(protected, "protected"), flags, _ffi.byref(out), _ffi.byref(flag)))
        return UnprotectedText(own_text(out), bool(flag.value))

    def protection_info(self, data: ReadableBuffer) -> ProtectionInfo:
        """A container's owner, without opening it. Raises NotProtectedError for other bytes (the Intune App SDK returns
        nil), DamagedError, AuthenticationError, EmptyError. Mirrors protectionInfo:."""
        with _ffi.Borrowed(data) as borrowed:
            raw = take_json(C.mam_protection_info, self._handle, borrowed.pointer, borrowed.length)
        return build(ProtectionInfo, raw)

    def protection_info_prefix(self, data: ReadableBuffer) -> ProtectionInfo:
        """A container's owner from its first bytes: the first that a stream brings, or `os.pread` of a descriptor.

        `protect_bound(0)` bytes suffice, or all if there are fewer. As `protection_info`, but `length` is None in a container
        made by a stream, and `authenticated` False for unmanaged data, whose label the end verifies. Too few bytes are a
        DamagedError. Mirrors protectionInfoForItemProvider:."""
        with _ffi.Borrowed(data) as borrowed:
            raw = take_json(C.mam_protection_info_prefix, self._handle, borrowed.pointer, borrowed.length)
        return build(ProtectionInfo, raw)

    def protection_info_string(self, protected: str | bytes) -> ProtectionInfo:
        """The same for text of `protect_string`. Mirrors protectionInfoForString:."""
        raw = take_json(C.mam_protection_info_string, self._handle, text(protected, "protected"))
        return build(ProtectionInfo, raw)

    def rotate_keys(self, account: str | bytes) -> None:
        """Begin a new epoch of an account's data key, in every process of the app: new data is sealed under it, and older
        data stays readable. Every session of the app gets `dataProtectionDidChange`. Raises NotEnrolledError (the account
        is not managed in this app), NoSpaceError (after 10,000 epochs), ArgumentError, DeniedError."""
        check(C.mam_rotate_keys(self._handle, text(account, "account")))


def _protect(handle: Any, account: Any, data: Any, length: int) -> bytes:
    if length <= _SMALL:
        try:
            scratch = _scratches.pop()
        except IndexError:
            scratch = _ffi.Scratch(_SCRATCH)
        try:
            status = _protect_into(handle, account, data, length, scratch.out, _SCRATCH, scratch.size_out)
            if status:
                fail(status)
            return scratch.view[: scratch.size.value].tobytes()
        finally:
            _scratches.append(scratch)
    size = _ffi.Size()
    capacity = C.mam_protect_bound(length)
    result = _ffi.NewBytes(capacity)
    check(_protect_into(handle, account, data, length, result.out, capacity, _ffi.byref(size)))
    return result.finish(size.value)


def _unprotect(handle: Any, data: Any, length: int, flags: int) -> Unprotected:
    size, flag = _ffi.Size(), _ffi.Bool()
    # Plaintext must not stay in the scratch memory. One byte more keeps CPython from returning its shared empty object.
    result = _ffi.NewBytes(length + 1)
    check(_unprotect_into(handle, data, length, flags, result.out, length, _ffi.byref(size), _ffi.byref(flag)))
    return Unprotected(result.finish(size.value), flag.value != 0)


def _check_size(status: int, size: Any) -> None:
    if status == Status.BUFFER:
        raise error_for(status, {"needed": int(size.value)})
    check(status)
