"""Files of a host: plain to the program, sealed on the disk if policy requires it."""

from __future__ import annotations

import builtins
import contextlib
import io
import os
import sys
from collections.abc import Callable
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any, Literal, Union, cast, overload

from . import _ffi
from ._call import C, account_text, error_for, text
from ._context import Carried, storing_account
from ._handle import Handle, warn_unclosed
from ._session import Session
from .enums import Status
from .errors import FileExistsError, FileNotFoundError, IsADirectoryError, MamError, UnsupportedError
from .owners import check_owner

if TYPE_CHECKING:
    from _typeshed import (
        OpenBinaryMode,
        OpenBinaryModeReading,
        OpenBinaryModeUpdating,
        OpenBinaryModeWriting,
        OpenTextMode,
        ReadableBuffer,
        WriteableBuffer,
    )

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Opener = Callable[[Any, int], int]
#: The flags of a mode without its "b", and whether the file is created.
_MODES = {
    "r": (os.O_RDONLY, False),
    "r+": (os.O_RDWR, False),
    "w": (os.O_WRONLY, True),
    "w+": (os.O_RDWR, True),
    "x": (os.O_WRONLY | os.O_EXCL, True),
    "x+": (os.O_RDWR | os.O_EXCL, True),
    "a": (os.O_WRONLY | os.O_APPEND, False),
    "a+": (os.O_RDWR | os.O_APPEND, False),
}
_SHOWN = {"r": "rb", "r+": "rb+", "w": "wb", "w+": "rb+", "x": "xb", "x+": "xb+", "a": "ab", "a+": "ab+"}


class File(io.RawIOBase, Handle):
    """A file that a session opened: an unbuffered `io.RawIOBase` of its plain bytes, like `open(path, "rb", 0)`. Any
    thread.

    `Mam.open_file` returns it; wrapped in io's buffers it serves every library that takes a binary file. It has no
    `fileno`: a descriptor would show the sealed bytes. Calls may raise DamagedError (`detail["offset"]` says where),
    ClosedError (the account was wiped), LockedError, NoSpaceError, InputOutputError; once closed, by its session too,
    ValueError as every file does. Mirrors IntuneMAMFile.
    """

    def __init__(
        self, session: Session, path: str | bytes | int, flags: int, mode: str, make: Any, descriptor: int | None = None
    ) -> None:
        self._handle: Any = None
        self._descriptor = descriptor
        handle = _ffi.FileHandle()
        check_file(make(_ffi.byref(handle)))
        self._handle = _ffi.as_argument(handle)
        self._session = session
        self._flags = flags
        #: The path or descriptor that it was opened with.
        self.name = path
        #: The mode, as io.FileIO reports it.
        self.mode = mode
        session._files.add(self)

    def readable(self) -> bool:
        """Whether it is open for reading."""
        self._check()
        return self._flags & os.O_ACCMODE != os.O_WRONLY

    def writable(self) -> bool:
        """Whether it is open for writing."""
        self._check()
        return self._flags & os.O_ACCMODE != os.O_RDONLY

    def seekable(self) -> bool:
        """True."""
        self._check()
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read at the position into a buffer; returns 0 at the end."""
        self._check_readable()
        count = _ffi.Size()
        check_file(C.mam_file_read(self._handle, _ffi.writable(buffer), memoryview(buffer).nbytes, _ffi.byref(count)))
        return int(count.value)

    def write(self, data: ReadableBuffer) -> int:
        """Write at the position, or at the end; returns the number of bytes."""
        self._check_writable()
        count = _ffi.Size()
        with _ffi.Borrowed(data) as borrowed:
            check_file(C.mam_file_write(self._handle, borrowed.pointer, borrowed.length, _ffi.byref(count)))
        return int(count.value)

    def pread(self, size: int, offset: int) -> bytes:
        """Up to `size` bytes at an offset; the position stays."""
        self._check_readable()
        out, count = _ffi.NewBytes(size), _ffi.Size()
        check_file(C.mam_file_pread(self._handle, offset, out.out, size, _ffi.byref(count)))
        return out.finish(int(count.value))

    def pwrite(self, data: ReadableBuffer, offset: int) -> int:
        """Write at an offset; the position stays."""
        self._check_writable()
        count = _ffi.Size()
        with _ffi.Borrowed(data) as borrowed:
            check_file(C.mam_file_pwrite(self._handle, offset, borrowed.pointer, borrowed.length, _ffi.byref(count)))
        return int(count.value)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move the position; returns the new one."""
        self._check()
        if self._session.closed:  # a buffer for reading and writing seeks as it closes
            return 0
        at = _ffi.Operation()
        check_file(C.mam_file_seek(self._handle, index(offset), index(whence), _ffi.byref(at)))
        return int(at.value)

    def tell(self) -> int:
        """The position."""
        self._check()
        at = _ffi.Operation()
        check_file(C.mam_file_tell(self._handle, _ffi.byref(at)))
        return int(at.value)

    def truncate(self, size: int | None = None) -> int:
        """Truncate or extend it to a size, else to the position; the position stays."""
        self._check_writable()
        size = self.tell() if size is None else index(size)
        check_file(C.mam_file_truncate(self._handle, size))
        return size

    def size(self) -> int:
        """Its length in bytes."""
        self._check()
        size = _ffi.Operation()
        check_file(C.mam_file_size(self._handle, _ffi.byref(size)))
        return int(size.value)

    def sync(self) -> None:
        """Wait until written data is on the disk, as fsync does."""
        self._check()
        check_file(C.mam_file_sync(self._handle))

    def datasync(self) -> None:
        """The same as fdatasync does."""
        self._check()
        check_file(C.mam_file_datasync(self._handle))

    def close(self) -> None:
        """Close it; idempotent. It does not sync: see `sync`. Raises InputOutputError or NoSpaceError if the file system
        reports that writes are lost; it is closed then too."""
        if not self.closed:
            super().close()
            handle, self._handle = self._handle, None
            status = C.mam_file_close(handle)
            self._session._files.discard(self)
            try:
                check_file(status)
            finally:
                descriptor, self._descriptor = self._descriptor, None
                if descriptor is not None:
                    os.close(descriptor)

    def __del__(self) -> None:
        if sys is None or sys.is_finalizing() or self.closed or self._handle is None:
            return
        description = repr(self)
        with contextlib.suppress(MamError):
            self.close()
        if self._session._process == os.getpid():  # a forked child did not open it
            warn_unclosed(self, description)

    def __repr__(self) -> str:
        if self._handle is None:
            return "<mam.File, closed>"
        return f"<mam.File name={self.name!r} mode={self.mode!r}>"

    def _check(self) -> None:
        if self.closed:
            raise ValueError("I/O operation on closed file")

    def _check_readable(self) -> None:
        if not self.readable():
            raise io.UnsupportedOperation("File not open for reading")

    def _check_writable(self) -> None:
        if not self.writable():
            raise io.UnsupportedOperation("File not open for writing")


def check_file(status: int) -> None:
    """Raise unless a status is 0; an existing file and a directory raise the classes that Python has for them."""
    if status:
        error = error_for(status)
        kind: type[MamError] = type(error)
        if status == Status.ALREADY:
            kind = FileExistsError
        elif status == Status.UNSUPPORTED and os.path.isdir(error.detail.get("path") or ""):
            kind = IsADirectoryError
        raise kind(int(error.status), error.name, error.message, error.detail, error.user_message, error.message_key)


def _check_same(path: bytes, wanted: os.stat_result) -> None:
    """Raise unless the path leads to this file."""
    try:
        if os.path.samestat(wanted, os.stat(path)):
            return
    except builtins.FileNotFoundError:
        pass
    shown = os.fsdecode(path)
    raise FileNotFoundError(
        Status.NOT_FOUND, "notFound", f"{shown}: the descriptor's file was removed or replaced", {"path": shown}
    )


def path_text(path: Path, argument: str = "path") -> bytes:
    """A path as C takes it."""
    return text(os.fsencode(path), argument)


class FileCalls(Session):
    """Files, plain and sealed."""

    @overload
    def open_file(
        self,
        file: Path | int,
        mode: OpenTextMode = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Opener | None = None,
        *,
        account: str | bytes | None = None,
        permissions: int = 0o666,
        dir_fd: int | None = None,
    ) -> io.TextIOWrapper: ...
    @overload
    def open_file(
        self,
        file: Path | int,
        mode: OpenBinaryMode,
        buffering: Literal[0],
        encoding: None = None,
        errors: None = None,
        newline: None = None,
        closefd: bool = True,
        opener: Opener | None = None,
        *,
        account: str | bytes | None = None,
        permissions: int = 0o666,
        dir_fd: int | None = None,
    ) -> File: ...
    @overload
    def open_file(
        self,
        file: Path | int,
        mode: OpenBinaryModeUpdating,
        buffering: Literal[-1, 1] = -1,
        encoding: None = None,
        errors: None = None,
        newline: None = None,
        closefd: bool = True,
        opener: Opener | None = None,
        *,
        account: str | bytes | None = None,
        permissions: int = 0o666,
        dir_fd: int | None = None,
    ) -> io.BufferedRandom: ...
    @overload
    def open_file(
        self,
        file: Path | int,
        mode: OpenBinaryModeWriting,
        buffering: Literal[-1, 1] = -1,
        encoding: None = None,
        errors: None = None,
        newline: None = None,
        closefd: bool = True,
        opener: Opener | None = None,
        *,
        account: str | bytes | None = None,
        permissions: int = 0o666,
        dir_fd: int | None = None,
    ) -> io.BufferedWriter: ...
    @overload
    def open_file(
        self,
        file: Path | int,
        mode: OpenBinaryModeReading,
        buffering: Literal[-1, 1] = -1,
        encoding: None = None,
        errors: None = None,
        newline: None = None,
        closefd: bool = True,
        opener: Opener | None = None,
        *,
        account: str | bytes | None = None,
        permissions: int = 0o666,
        dir_fd: int | None = None,
    ) -> io.BufferedReader: ...
    @overload
    def open_file(
        self,
        file: Path | int,
        mode: str,
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Opener | None = None,
        *,
        account: str | bytes | None = None,
        permissions: int = 0o666,
        dir_fd: int | None = None,
    ) -> Any: ...
    def open_file(
        self,
        file: Path | int,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Opener | None = None,
        *,
        account: str | bytes | None = None,
        permissions: int = 0o666,
        dir_fd: int | None = None,
    ) -> Any:
        """Open a file as the built-in `open` does, with its arguments, buffers and text layer.

        With "w" and "x", and with "a" for a missing file, the file is created: for `account`, or if that is omitted for the
        identity of the calling code (`identity`), by default the one enrolled account; name "" for personal data. Without any
        identity it is its directory's owner's; without that too it is nobody's, or where the app has several identities or
        accounts, an ArgumentError. It is sealed if the account's policy requires encryption, else plain. Any other mode opens
        the existing file: to write, a given account must be its owner (an unmanaged one may write a file without an owner), and
        a plain file whose account's policy requires encryption is sealed first; to read, it counts for nothing. A symbolic link
        at the end of a path is not followed. `buffering` 0 returns the `File` itself. A relative path is relative to the
        directory of `dir_fd`, if given.

        A descriptor, as `file` or from `opener`, says which file is meant: libmam opens that file by the path that /proc has
        for it, with a position of its own. An opener gets no O_TRUNC, since libmam truncates.

        Raises FileNotFoundError, FileExistsError, IsADirectoryError, UnsupportedError (a link, a device), DamagedError,
        AuthenticationError, KeyUnavailableError (also with "w": the file is not replaced), NotEnrolledError, LockedError,
        PermissionError (DeniedError: it is another account's, which `detail["owner"]` names). Mirrors openFileAtPath:,
        createFileAtPath:forAccountId:.
        """
        kind = mode.replace("b", "", 1).replace("t", "", 1)
        if kind not in _MODES or ("b" in mode and "t" in mode):
            raise ValueError(f"invalid mode: {mode!r}")
        is_binary = "b" in mode
        if is_binary and not (encoding is None and errors is None and newline is None):
            raise ValueError("binary mode takes no encoding, errors or newline argument")
        if not is_binary and buffering == 0:
            raise ValueError("can't have unbuffered text I/O")
        raw = self._open_raw(file, kind, account, permissions, closefd, opener, dir_fd)
        if buffering == 0:
            return raw
        try:
            size = buffering if buffering > 1 else 1 << 16
            buffered: Any = (
                io.BufferedRandom(raw, size)
                if "+" in kind
                else io.BufferedReader(raw, size)
                if kind == "r"
                else io.BufferedWriter(raw, size)
            )
            self._files.add(raw, buffered)
            if is_binary:
                return buffered
            lines = io.TextIOWrapper(buffered, encoding, errors, newline, line_buffering=buffering == 1)
            cast("Any", lines).mode = mode
            self._files.add(raw, buffered, lines)
            return lines
        except BaseException:
            raw.close()
            raise

    def file_encrypt(self, path: Path, account: str | bytes | None = None) -> None:
        """Encrypt a file in place for a managed account, whatever its policy requires.

        Readers see either the old file or the new one as a whole; mode, owner, times, extended attributes and holes stay.
        `account` None: the identity of the calling code (`identity`), as in `open_file`. Does nothing if the file is already
        sealed for the account under its newest key. Raises NotManagedError (the account is not managed), BusyError (it is open for
        writing, or was changed meanwhile), UnsupportedError (it has several names), and the errors of `open_file`.
        Mirrors encryptFile:forAccountId:.
        """
        where, owner = path_text(path), storing_account(self, account)
        with Carried(self):
            check_file(C.mam_file_encrypt(self._handle, where, owner))

    def file_decrypt(self, path: Path) -> None:
        """Decrypt a file in place, even if policy requires encryption; a plain file stays as it is.
        Raises as `file_encrypt`, and NotEnrolledError (its account was unenrolled: it is only read). Mirrors decryptFile:."""
        check_file(C.mam_file_decrypt(self._handle, path_text(path)))

    def file_decrypt_copy(self, path: Path, target: Path) -> None:
        """Write a plain copy of a file, replacing any file at `target`. Raises as `file_encrypt`.
        Mirrors decryptFile:toCopyPath:."""
        check_file(C.mam_file_decrypt_copy(self._handle, path_text(path), path_text(target, "target")))

    def file_is_encrypted(self, path: Path) -> bool:
        """Whether a file is sealed, for any owner. Mirrors isFileEncrypted:."""
        is_encrypted = _ffi.Bool()
        check_file(C.mam_file_is_encrypted(self._handle, path_text(path), _ffi.byref(is_encrypted)))
        return bool(is_encrypted.value)

    def _open_raw(
        self,
        file: Any,
        kind: str,
        account: str | bytes | None,
        permissions: int,
        closefd: bool,
        opener: Opener | None,
        dir_fd: int | None,
    ) -> File:
        if isinstance(file, int) and not isinstance(file, bool):
            if opener is not None or dir_fd is not None:
                raise ValueError("a descriptor takes neither opener nor dir_fd")
            return self._open_descriptor(file, file, kind, account, permissions, closefd)
        if not closefd:
            raise ValueError("Cannot use closefd=False with file name")
        if opener is not None:
            return self._open_with(opener, file, kind, account, permissions)
        where = path_text(file)
        if dir_fd is not None and not where.startswith(b"/"):
            where = b"/proc/self/fd/%d/%s" % (index(dir_fd), where)
        return self._open_path(where, os.fspath(file), kind, account, permissions)

    def _open_with(self, opener: Opener, path: Any, kind: str, account: str | bytes | None, permissions: int) -> File:
        """Open the file of an opener's descriptor. In mode "a" whether it is a new file decides who owns it."""
        flags = _MODES[kind][0] | os.O_CLOEXEC
        is_new = _MODES[kind][1]
        if is_new:
            descriptor = opener(path, flags | os.O_CREAT)
        else:
            try:
                descriptor = opener(path, flags)
            except builtins.FileNotFoundError:
                if kind[0] != "a":
                    raise
                descriptor, is_new = opener(path, flags | os.O_CREAT | os.O_EXCL), True
        if descriptor < 0:
            raise ValueError(f"opener returned {descriptor}")
        try:
            return self._open_descriptor(descriptor, os.fspath(path), kind, account, permissions, False, is_new)
        finally:
            os.close(descriptor)

    def _open_descriptor(
        self,
        descriptor: int,
        name: Any,
        kind: str,
        account: str | bytes | None,
        permissions: int,
        closefd: bool,
        is_new: bool | None = None,
    ) -> File:
        wanted, path = os.fstat(descriptor), os.readlink(b"/proc/self/fd/%d" % descriptor)
        if not path.startswith(b"/"):
            raise UnsupportedError(Status.UNSUPPORTED, "unsupported", f"descriptor {descriptor} is not of a file")
        _check_same(path, wanted)  # a removed one must not be created
        flags, makes = _MODES[kind]
        makes = makes if is_new is None else is_new
        made = self._made(path, name, flags & ~os.O_EXCL, _SHOWN[kind], account, permissions, makes)
        try:
            _check_same(path, wanted)
        except BaseException:
            made.close()
            raise
        if kind[0] == "a":
            made.seek(0, io.SEEK_END)
        if closefd:
            made._descriptor = descriptor
        return made

    def _open_path(self, where: bytes, name: Any, kind: str, account: str | bytes | None, permissions: int) -> File:
        flags, makes = _MODES[kind]
        shown = _SHOWN[kind]
        if makes or kind[0] != "a":
            return self._made(where, name, flags, shown, account, permissions, makes)
        while True:
            try:
                file = self._made(where, name, flags, shown, account, permissions, False)
                file.seek(0, io.SEEK_END)
                return file
            except FileNotFoundError:
                pass
            try:
                return self._made(where, name, flags | os.O_EXCL, shown, account, permissions, True)
            except FileExistsError:
                pass  # created by another process meanwhile

    def _made(
        self, where: bytes, name: Any, flags: int, shown: str, account: str | bytes | None, permissions: int, makes: bool
    ) -> File:
        """The file at a path: created, or the existing one, into which data of another account is not written."""
        if makes:
            owner = storing_account(self, account, in_directory_of=where)
            make = partial(C.mam_file_create, self._handle, where, flags, permissions, owner)
            with Carried(self):
                return File(self, name, flags, shown, make)
        owner = account_text(account)
        file = File(self, name, flags, shown, partial(C.mam_file_open, self._handle, where, flags))
        if owner is not None and flags & os.O_ACCMODE != os.O_RDONLY:
            try:
                check_owner(self, where, owner)
            except BaseException:
                file.close()
                raise
        return file
