"""Version and path of libmam."""

from __future__ import annotations

from . import _ffi
from ._call import C


def version() -> str:
    """The library's release, as in "0.1.0"; the binding's own is `mam.__version__`."""
    return str(C.mam_version().decode())


def abi_version() -> int:
    """The version of the library's binary interface, which grows with each release that adds functions."""
    return int(C.mam_abi_version())


def library_path() -> str:
    """The loaded file: the one that LIBMAM_PATH names, else one beside the package, else the system's."""
    return _ffi.loaded_path()
