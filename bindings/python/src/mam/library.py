"""Version, path and messages of libmam."""

from __future__ import annotations

from . import _ffi
from ._call import C, take_text, text


def version() -> str:
    """The library's release, as in "0.1.0"; the binding's own is `mam.__version__`."""
    return str(C.mam_version().decode())


def abi_version() -> int:
    """The version of the library's binary interface, which grows with each release that adds functions."""
    return int(C.mam_abi_version())


def message(key: str | bytes, language: str | bytes | None = None) -> str:
    """The sentence for the host's user of a `message_key` (docs/messages.md lists them).

    For a dialog that no decision, question or event leads to: "refusedAppSharing" where sharing is blocked,
    "questionRestartApplication" to ask for a restart. `language` is a list as in "de_AT:de"; None: the environment's. The
    text of "pinTooShort" has "%d" where the minimum length goes. Raises NotFoundError (no such key), ArgumentError. Mirrors
    showSharingBlockedMessage, getRestartApplicationMessage.
    """
    chosen = None if language is None else text(language, "language")
    return take_text(C.mam_message, text(key, "key"), chosen)


def library_path() -> str:
    """The loaded file: the one that LIBMAM_PATH names, else one beside the package, else the system's."""
    return _ffi.loaded_path()
