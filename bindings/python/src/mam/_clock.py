"""A clock that libmam reads in this process, for tests: `mam.testing.Office.advance`.

While it is ahead, libmam's own reference to clock_gettime leads here. Only libmam sees the time that has passed: Python and
other libraries keep the system's, and so do timeouts, which go by another clock.
"""

from __future__ import annotations

import atexit
import ctypes
import mmap
import struct
import threading
import time
from typing import Any

from . import _ffi

_NAME = b"clock_gettime"
_PT_DYNAMIC = 2
_RELA, _RELASZ, _STRTAB, _SYMTAB, _PLTRELSZ, _JMPREL = 7, 8, 5, 6, 2, 23
_SLOTS = (6, 7, 1025, 1026)  # GLOB_DAT and JUMP_SLOT of x86-64 and AArch64
_SHIFTED = (time.CLOCK_REALTIME, time.CLOCK_BOOTTIME)
_COARSE = 6  # CLOCK_MONOTONIC_COARSE, which libmam reads its other clocks again with


class _Time(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


_Read = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(_Time))


class _Clock:
    def __init__(self) -> None:
        self.offset = 0  # nanoseconds
        self._slot = _slot()
        self._original = ctypes.c_void_p.from_address(self._slot).value
        self._system = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(_Time))(self._original or 0)
        self._function = _Read(self._read)
        _make_writable(self._slot)

    def _read(self, clock: int, out: Any) -> int:
        result = int(self._system(clock, out))
        if result == 0 and clock in _SHIFTED:
            found = out[0]
            found.seconds, found.nanoseconds = divmod(found.seconds * 10**9 + found.nanoseconds + self.offset, 10**9)
        return result

    def set(self, offset: int) -> None:
        self.offset = offset
        address = ctypes.cast(self._function, ctypes.c_void_p).value if offset else self._original
        ctypes.c_void_p.from_address(self._slot).value = address


_clock: _Clock | None = None
_lock = threading.Lock()


def advance(seconds: float) -> None:
    """Let time pass for libmam in this process: the time of day and the time since boot."""
    global _clock
    if not seconds >= 0:
        raise ValueError("time passes forward: seconds is 0 or more")
    with _lock:
        if _clock is None:
            _clock = _Clock()
            atexit.register(reset)
        # libmam reads the other clocks once a tick of the coarse one, and no clock passes minutes within a tick.
        tick = time.clock_gettime(_COARSE)
        while time.clock_gettime(_COARSE) == tick:
            time.sleep(0.001)
        _clock.set(_clock.offset + int(seconds * 1e9))


def reset() -> None:
    """Give libmam the system's time again."""
    with _lock:
        if _clock is not None:
            _clock.set(0)


def _slot() -> int:
    """The address of libmam's reference to clock_gettime, by its ELF tables."""
    base = _ffi.base_address()
    programs, size, count = _at("<Q", base + 32)[0], *_at("<HH", base + 54)
    dynamic: dict[int, int] = {}
    for program in range(count):
        kind, _, _, address = _at("<IIQQ", base + programs + program * size)
        if kind == _PT_DYNAMIC:
            entry = base + address
            while (tag := _at("<qQ", entry))[0]:
                dynamic[tag[0]] = tag[1]
                entry += 16
    # The loader has made addresses of offsets, except on some systems.
    for tag_of_address in (_RELA, _STRTAB, _SYMTAB, _JMPREL):
        if dynamic.get(tag_of_address, base) < base:
            dynamic[tag_of_address] += base
    for table, length in ((_JMPREL, _PLTRELSZ), (_RELA, _RELASZ)):
        for relocation in range(dynamic.get(table, 0), dynamic.get(table, 0) + dynamic.get(length, 0), 24):
            offset, info = _at("<QQ", relocation)
            if info & 0xFFFFFFFF in _SLOTS:
                name = _at("<I", dynamic[_SYMTAB] + (info >> 32) * 24)[0]
                if ctypes.string_at(dynamic[_STRTAB] + name, len(_NAME) + 1) == _NAME + b"\0":
                    return base + int(offset)
    raise RuntimeError("this libmam's clock cannot be advanced")


def _at(form: str, address: int) -> tuple[Any, ...]:
    return struct.unpack(form, ctypes.string_at(address, struct.calcsize(form)))


def _make_writable(address: int) -> None:
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    page = address & -mmap.PAGESIZE
    if protect(page, address + 8 - page, mmap.PROT_READ | mmap.PROT_WRITE):
        raise OSError(ctypes.get_errno(), "libmam's clock cannot be advanced")
