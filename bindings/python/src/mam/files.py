"""Files that a host works on: plain to the program, sealed on the disk where policy wants it."""

from __future__ import annotations

import io
import os
import sys
from operator import index
from typing import TYPE_CHECKING, Any, Union, cast

from . import _ffi
from ._call import C, account_text, error_for, text
from ._context import Carried
from ._handle import Handle, warn_unclosed
from ._session import Session
from .enums import Status
from .errors import FileMissingError, FileThereError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
#: What a mode asks for, without its "b": flags, and whether the file is made.
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
    """A file that a session opened: an unbuffered `io.RawIOBase` of its plain bytes, as `open(path, "rb", 0)` is of a
    file's. Any thread.

    `Mam.open_file` makes one; wrapped in io's buffers it is what every library takes that takes a binary file. It has
    no `fileno`: what the system knows are the sealed bytes. Calls may raise DamagedError (`detail["offset"]` says
    where), ClosedError (the account was wiped), LockedError, NoSpaceError, InputOutputError; closed, it raises ValueError
    as every file does. Mirrors IntuneMAMFile.
    """

    def __init__(self, session: Session, path: str | bytes, flags: int, mode: str, make: Any) -> None:
        self._handle: Any = None
        handle = _ffi.FileHandle()
        check_file(make(_ffi.byref(handle)))
        self._handle = _ffi.as_argument(handle)
        self._session = session
        self._flags = flags
        #: The path that it was opened with.
        self.name = path
        #: How it was opened, as io.FileIO says it.
        self.mode = mode

    def readable(self) -> bool:
        """Whether it may be read."""
        self._check()
        return self._flags & os.O_ACCMODE != os.O_WRONLY

    def writable(self) -> bool:
        """Whether it may be written."""
        self._check()
        return self._flags & os.O_ACCMODE != os.O_RDONLY

    def seekable(self) -> bool:
        """True."""
        self._check()
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read at the position into a buffer (mam_file_read); 0 at the end."""
        self._check_readable()
        count = _ffi.Size()
        check_file(C.mam_file_read(self._handle, _ffi.writable(buffer), memoryview(buffer).nbytes, _ffi.byref(count)))
        return int(count.value)

    def write(self, data: ReadableBuffer) -> int:
        """Write at the position, or at the end (mam_file_write); returns how many bytes."""
        self._check_writable()
        count = _ffi.Size()
        with _ffi.Borrowed(data) as borrowed:
            check_file(C.mam_file_write(self._handle, borrowed.pointer, borrowed.length, _ffi.byref(count)))
        return int(count.value)

    def pread(self, size: int, offset: int) -> bytes:
        """Up to `size` bytes at an offset (mam_file_pread); the position stays."""
        self._check_readable()
        out, count = _ffi.NewBytes(size), _ffi.Size()
        check_file(C.mam_file_pread(self._handle, offset, out.out, size, _ffi.byref(count)))
        return out.finish(int(count.value))

    def pwrite(self, data: ReadableBuffer, offset: int) -> int:
        """Write at an offset (mam_file_pwrite); the position stays."""
        self._check_writable()
        count = _ffi.Size()
        with _ffi.Borrowed(data) as borrowed:
            check_file(C.mam_file_pwrite(self._handle, offset, borrowed.pointer, borrowed.length, _ffi.byref(count)))
        return int(count.value)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Move the position (mam_file_seek); returns where it is."""
        self._check()
        at = _ffi.Operation()
        check_file(C.mam_file_seek(self._handle, index(offset), index(whence), _ffi.byref(at)))
        return int(at.value)

    def tell(self) -> int:
        """Where the position is (mam_file_tell)."""
        self._check()
        at = _ffi.Operation()
        check_file(C.mam_file_tell(self._handle, _ffi.byref(at)))
        return int(at.value)

    def truncate(self, size: int | None = None) -> int:
        """Cut or extend it to a size, else to the position (mam_file_truncate); the position stays."""
        self._check_writable()
        size = self.tell() if size is None else index(size)
        check_file(C.mam_file_truncate(self._handle, size))
        return size

    def size(self) -> int:
        """How many bytes it has (mam_file_size)."""
        self._check()
        size = _ffi.Operation()
        check_file(C.mam_file_size(self._handle, _ffi.byref(size)))
        return int(size.value)

    def sync(self) -> None:
        """Wait until what was written is on the disk (mam_file_sync)."""
        self._check()
        check_file(C.mam_file_sync(self._handle))

    def datasync(self) -> None:
        """The same, without what only stat shows (mam_file_datasync)."""
        self._check()
        check_file(C.mam_file_datasync(self._handle))

    def close(self) -> None:
        """Close it (mam_file_close); idempotent. Nothing is on the disk by this: `sync`."""
        if not self.closed:
            super().close()
            handle, self._handle = self._handle, None
            if handle is not None:
                C.mam_file_close(handle)

    def __del__(self) -> None:
        if sys is None or sys.is_finalizing() or self.closed or self._handle is None:
            return
        told = repr(self)
        self.close()
        if self._session._process == os.getpid():  # a forked child did not open it
            warn_unclosed(self, told)

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
    """Raise unless `status` is MAM_OK: a file that is there already as Python's own class too."""
    if status:
        error = error_for(status)
        if status == Status.ALREADY:
            raise FileThereError(int(error.status), error.name, error.message, error.detail)
        raise error


def path_text(path: Path, argument: str = "path") -> bytes:
    """A path as C takes it."""
    return text(os.fsencode(path), argument)


class FileCalls(Session):
    """Section 10 of mam.h."""

    def open_file(
        self,
        path: Path,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        *,
        account: str | bytes | None = None,
        permissions: int = 0o666,
    ) -> Any:
        """Open a file as the built-in `open` does: its modes, its buffers, its text (mam_file_open, mam_file_create).

        With "w" and "x", and with "a" where there is none, the file is made: for `account`, or where that is None for
        whom the code acts (`identity`); sealed where the account's policy requires encryption, else plain. Any other
        mode opens what is there, whoever owns it. A symbolic link at the end of a path is not followed. `buffering` 0
        gives the `File` itself.

        Raises FileMissingError (a FileNotFoundError), FileThereError (a FileExistsError), UnsupportedError (a directory, a
        link, a device), DamagedError, AuthenticationError, KeyUnavailableError, NotEnrolledError, LockedError,
        StatePermissionError. Mirrors openFileAtPath:, createFileAtPath:forAccountId:.
        """
        kind = mode.replace("b", "", 1).replace("t", "", 1)
        if kind not in _MODES or ("b" in mode and "t" in mode):
            raise ValueError(f"invalid mode: {mode!r}")
        is_binary = "b" in mode
        if is_binary and not (encoding is None and errors is None and newline is None):
            raise ValueError("binary mode takes no encoding, errors or newline argument")
        if not is_binary and buffering == 0:
            raise ValueError("can't have unbuffered text I/O")
        raw = self._open_raw(path, kind, account, permissions)
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
            if is_binary:
                return buffered
            lines = io.TextIOWrapper(buffered, encoding, errors, newline, line_buffering=buffering == 1)
            cast("Any", lines).mode = mode
            return lines
        except BaseException:
            raw.close()
            raise

    def file_encrypt(self, path: Path, account: str | bytes | None = None) -> None:
        """Encrypt a file in place for a managed account, whatever its policy requires (mam_file_encrypt).

        Whoever looks finds the old file or the new one, whole; mode, owner, times, extended attributes and holes stay.
        `account` None: for whom the code acts (`identity`). Nothing is done where it is sealed for the account under its
        newest key. Raises NotManagedError (the account is not
        managed), BusyError (it is open for writing, or was changed meanwhile), UnsupportedError (it has several names),
        and what `open_file` raises. Mirrors encryptFile:forAccountId:.
        """
        with Carried(self):
            check_file(C.mam_file_encrypt(self._handle, path_text(path), account_text(account)))

    def file_decrypt(self, path: Path) -> None:
        """Make it a plain file again, even where policy requires encryption (mam_file_decrypt); a plain one stays as it is.
        Raises as `file_encrypt`. Mirrors decryptFile:."""
        check_file(C.mam_file_decrypt(self._handle, path_text(path)))

    def file_decrypt_copy(self, path: Path, target: Path) -> None:
        """Write a plain copy of a file in place of what is at `target` (mam_file_decrypt_copy). Raises as `file_encrypt`.
        Mirrors decryptFile:toCopyPath:."""
        check_file(C.mam_file_decrypt_copy(self._handle, path_text(path), path_text(target, "target")))

    def file_is_encrypted(self, path: Path) -> bool:
        """Whether a file is sealed, whoever it belongs to (mam_file_is_encrypted). Mirrors isFileEncrypted:."""
        is_encrypted = _ffi.Bool()
        check_file(C.mam_file_is_encrypted(self._handle, path_text(path), _ffi.byref(is_encrypted)))
        return bool(is_encrypted.value)

    def _open_raw(self, path: Any, kind: str, account: str | bytes | None, permissions: int) -> File:
        where, owner = path_text(path), account_text(account)
        flags, makes = _MODES[kind]

        def opens(out: Any) -> int:
            return int(C.mam_file_open(self._handle, where, flags, out))

        def creates(out: Any) -> int:
            return int(C.mam_file_create(self._handle, where, flags, permissions, owner, out))

        name, shown = os.fspath(path), _SHOWN[kind]

        def made() -> File:
            with Carried(self):
                return File(self, name, flags, shown, creates)

        if makes:
            return made()
        if kind[0] != "a":
            return File(self, name, flags, shown, opens)
        while True:
            try:
                file = File(self, name, flags, shown, opens)
                file.seek(0, io.SEEK_END)
                return file
            except FileMissingError:
                pass
            flags |= os.O_EXCL
            try:
                return made()
            except FileThereError:
                flags &= ~os.O_EXCL  # made by somebody else since
