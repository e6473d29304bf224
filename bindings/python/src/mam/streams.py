"""Data protection of any size in constant memory: streams between file objects, iterators and functions."""

from __future__ import annotations

import atexit
import ctypes
import io
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from . import _ffi
from ._call import C, check, error_for, text
from ._handle import Handle, warn_unclosed
from ._session import Session
from .enums import Status
from .protection import STRICT

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

TWO_THREADS = 256
ABANDON = 512

S = TypeVar("S", bound="Stream")

_PIECE = 256 * 1024

# Streams to end at interpreter exit: their threads would wait for Python code that no longer runs.
_open_streams: weakref.WeakSet[Stream] = weakref.WeakSet()


class Readable(Protocol):
    """A binary file object to read from."""

    def read(self, size: int, /) -> bytes | None:
        """At most `size` bytes; empty at the end."""


class Writable(Protocol):
    """A binary file object to write to."""

    def write(self, data: bytes, /) -> Any:
        """Take bytes; return how many, if that may be fewer than all."""


class _Receiver:
    """The C callback for output. An exception cannot pass through C: it waits here until the call returns."""

    __slots__ = ("error", "function")

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self.error: BaseException | None = None

        def receive(_: object, address: int, length: int) -> int:
            try:
                # A copy: C's memory is gone when this returns, and `write` may keep the bytes.
                write(ctypes.string_at(address, length))
            except BaseException as error:
                self.error = error
                return 1
            return 0

        self.function = _ffi.StreamFunction(receive)


class Stream(Handle):
    """Common to `ProtectStream` and `UnprotectStream`. One thread at a time: a second one gets BusyError.

    A `with` block closes it at the end, or abandons it on an exception. A failure ends the stream: later calls raise the
    same error.
    """

    __slots__ = ("__weakref__", "_handle", "_receiver", "_released", "_session")

    _type: ClassVar[Any]
    _write: ClassVar[Any]

    def __init__(self, session: Session, write: Callable[[bytes], object], make: Callable[[Any, Any], int]) -> None:
        self._released = True  # so that __del__ does nothing after a failed construction
        if not callable(write):
            raise TypeError(f"write must be callable, not {type(write).__name__}")
        self._receiver = _Receiver(write)
        handle = self._type()
        check(make(self._receiver.function, _ffi.byref(handle)))
        self._handle = _ffi.as_argument(handle)
        # Keep the session alive: it may have no other reference.
        self._session = session
        self._released = False
        _open_streams.add(self)

    def write(self, data: ReadableBuffer) -> int:
        """Write any contiguous bytes-like object without copying it; returns its length. An exception of the output
        function is raised here, or by a later call."""
        with _ffi.Borrowed(data) as borrowed:
            self._check(type(self)._write(self._handle, borrowed.pointer, borrowed.length))
            return borrowed.length

    def abandon(self) -> None:
        """Give up: no more output follows. Idempotent, also after `close`."""
        if not self._released:
            self._end(ABANDON)

    def _end(self, flags: int) -> int:
        raise NotImplementedError

    def _check(self, status: int) -> None:
        if status:
            error = error_for(status)
            if status == Status.CANCELED and self._receiver.error is not None:
                raise self._receiver.error
            raise error

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if kind is not None:
            self.abandon()
        elif not self._released:
            self._check(self._end(0))

    def __del__(self) -> None:
        if not self._released and sys is not None and not sys.is_finalizing():
            description = repr(self)
            self.abandon()
            if not self._released:
                # The collector ran inside this stream's own output, which closing would wait for. Another thread can
                # wait.
                threading.Thread(target=self.abandon).start()
            if self._session._process == os.getpid():  # a forked child did not open it
                warn_unclosed(self, description)

    def __repr__(self) -> str:
        state = "closed" if self._released else "open"
        return f"<mam.{type(self).__name__} of session {self._session._serial}, {state}>"


class ProtectStream(Stream):
    """Seals the bytes that are written to it, in pieces of any size, as one container; `Mam.protect_stream_to` opens one.

    Only `close` completes the container: a partial one does not open.
    """

    __slots__ = ()

    _type = _ffi.ProtectStreamHandle
    _write = C.mam_protect_stream_write

    def close(self) -> None:
        """Write the end of the container. Does nothing if it was closed or abandoned before. Raises as
        `Mam.protect_stream_to`, and NotEnrolledError if the account was wiped meanwhile."""
        if not self._released:
            self._check(self._end(0))

    def _end(self, flags: int) -> int:
        status = int(C.mam_protect_stream_close(self._handle, flags))
        self._released = status != Status.DEADLOCK
        return status


class UnprotectStream(Stream):
    """Opens one container that is written to it, in pieces of any size; `Mam.unprotect_stream_to` opens one.

    Until `close` has returned, the output may be incomplete, and an unmanaged account's bytes unverified.
    """

    __slots__ = ("_was_protected",)

    _type = _ffi.UnprotectStreamHandle
    _write = C.mam_unprotect_stream_write

    def close(self) -> bool:
        """Whether the input was a complete container; False if it was none and was passed on unchanged. Raises
        DamagedError or AuthenticationError if the end is missing, EmptyError if there was no input."""
        if not self._released:
            self._check(self._end(0))
        return self.was_protected

    @property
    def was_protected(self) -> bool:
        """The result of `close`; False before it."""
        return getattr(self, "_was_protected", False)

    def _end(self, flags: int) -> int:
        flag = _ffi.Bool()
        status = int(C.mam_unprotect_stream_close(self._handle, flags, _ffi.byref(flag)))
        self._released = status != Status.DEADLOCK
        self._was_protected = flag.value != 0
        return status


class StreamCalls(Session):
    """Streams."""

    def protect_stream(self, account: str | bytes, source: Readable, target: Writable, *, two_threads: bool = False) -> int:
        """Protect a binary file object's data and write the container to another; returns the number of bytes read.

        Uses constant memory for any size. After an exception the output in `target` does not
        open. Neither object is closed or flushed. With `two_threads` one of libmam's threads writes `target` while
        `source` is read. Raises as `protect`, the exceptions of `source` and `target`, and never EmptyError.
        """
        with self.protect_stream_to(account, _writer(target), two_threads=two_threads) as stream:
            return sum(map(stream.write, _pieces(source)))

    def unprotect_stream(self, source: Readable, target: Writable, *, strict: bool = False, two_threads: bool = False) -> bool:
        """Unprotect the output of `protect_stream` or `protect` from a binary file object into another; returns whether
        it was a container.

        `target` gets each piece once it has verified, so after an exception it has the beginning, which must not be used
        (an unmanaged account's data is verified at the end only). Raises as `unprotect`, and the exceptions of `source`
        and `target`.
        """
        with self.unprotect_stream_to(_writer(target), strict=strict, two_threads=two_threads) as stream:
            for piece in _pieces(source):
                stream.write(piece)
        return stream.was_protected

    def protect_chunks(self, account: str | bytes, chunks: Iterable[ReadableBuffer]) -> Iterator[bytes]:
        """The same as a generator: pieces of a container of the data in `chunks`. They are
        complete only when it is exhausted."""
        pieces: list[bytes] = []
        with self.protect_stream_to(account, pieces.append) as stream:
            yield from _through(stream, chunks, pieces)
            stream.close()
        yield from pieces

    def unprotect_chunks(self, chunks: Iterable[ReadableBuffer], *, strict: bool = False) -> Iterator[bytes]:
        """The same as a generator. It raises at the end if the end is missing: use the
        output only when it is exhausted."""
        pieces: list[bytes] = []
        with self.unprotect_stream_to(pieces.append, strict=strict) as stream:
            yield from _through(stream, chunks, pieces)
            stream.close()
        yield from pieces

    def protect_stream_to(
        self, account: str | bytes, write: Callable[[bytes], object], *, two_threads: bool = False
    ) -> ProtectStream:
        """A stream to write bytes to; `write` gets the container in pieces.

        `write` may not call the stream itself (DeadlockError); an exception in it ends the stream. With `two_threads` one
        of libmam's threads calls it. Raises as `protect`, except EmptyError: without input it makes an empty container.
        """
        name, flags = text(account, "account"), TWO_THREADS if two_threads else 0
        return ProtectStream(self, write, lambda fn, out: int(C.mam_protect_stream_open(self._handle, name, flags, fn, None, out)))

    def unprotect_stream_to(
        self, write: Callable[[bytes], object], *, strict: bool = False, two_threads: bool = False
    ) -> UnprotectStream:
        """A stream to write a container to; `write` gets the content of each piece once it has verified. Its `write` and
        `close` raise as `unprotect`."""
        flags = (STRICT if strict else 0) | (TWO_THREADS if two_threads else 0)
        return UnprotectStream(self, write, lambda fn, out: int(C.mam_unprotect_stream_open(self._handle, flags, fn, None, out)))


@atexit.register
def _abandon_all() -> None:
    for stream in list(_open_streams):
        stream.abandon()


def _pieces(source: Readable) -> Iterator[bytes]:
    while True:
        piece = source.read(_PIECE)
        if piece is None:
            raise BlockingIOError("source gives no bytes now: it must block")
        if not piece:
            return
        yield piece


def _writer(target: Writable) -> Callable[[bytes], object]:
    """A function that writes all bytes, even if a raw file takes fewer per call."""
    write, is_raw = target.write, isinstance(target, io.RawIOBase)

    def write_all(data: bytes) -> None:
        count = write(data)
        while is_raw and count != len(data):
            if count is None:
                raise BlockingIOError("target takes no bytes now: it must block")
            data = data[count:]
            count = write(data)

    return write_all


def _through(stream: Stream, chunks: Iterable[ReadableBuffer], pieces: list[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        stream.write(chunk)
        while pieces:
            yield pieces.pop(0)
