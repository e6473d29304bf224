"""Owners of files: which account a file belongs to, and what a wipe of that account removes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from ._call import C, account_text, check, take_json
from ._context import Carried
from ._records import build, converted, many
from ._session import Session


@dataclass(frozen=True)
class FileLeft:
    """A file that a wipe did not remove. `reason` is "gone" (removed or moved by others), "replaced" (another file took its
    place), "disagrees" (its attribute names another owner than the index), "otherNames" (removed, and has more names
    elsewhere), "notEmpty" (a directory with what is not the account's), "permission" or "error"."""

    path: str
    reason: str
    message: str = ""


@dataclass(frozen=True)
class WipedFiles:
    """What a wipe made of an account's files. `known`: how many the index knew; `removed`: all that went; `gone`: those that
    are not where they were; `left`: those that are still there. `named` has the first 32 of the two, with the reason."""

    known: int = 0
    removed: int = 0
    gone: int = 0
    left: int = 0
    named: tuple[FileLeft, ...] = converted(many(FileLeft), default=())


@dataclass(frozen=True)
class FileInfo:
    """Whose a file is, and by what that is known.

    `account_id` is None where nobody owns it, as far as is known, and "" for no user. `known` is "attribute", "index",
    "both", "directory", "content" or "none"; `disagreement` None, "owner" (the index names `index_account_id`),
    "attributeMissing", "attributeDamaged", "attributeForeign", "indexDamaged" or "replaced". `authenticated`: what says
    so verifies. Mirrors IntuneMAMFileProtectionInfo.
    """

    account_id: str | None = None
    app: str | None = None
    known: str = "none"
    disagreement: str | None = None
    encrypted: bool = False
    authenticated: bool = False
    index_account_id: str | None = None


class OwnerCalls(Session):
    """Section 10 of mam.h: owners of files."""

    def file_protect(self, path: str | bytes | os.PathLike[Any], account: str | bytes | None = None) -> None:
        """Give a file an owner; a directory with everything in it. `account` None: this thread's file identity.

        Raises DeniedError (it is data of an account that does not let it go; see `file_unmanage`), FileMissingError (a FileNotFoundError), UnsupportedError (a symbolic link, pipe, socket or device; a
        plain SQLite database that would have to be encrypted, which `sqlite_encrypt` does), NotManagedError, NotEnrolledError,
        WaitInterruptedError, ArgumentError, KeyUnavailableError. Mirrors protect:accountId:.
        """
        with Carried(self):
            check(C.mam_file_protect(self._handle, file_path(path), account_text(account)))

    def file_verify_and_protect(self, path: str | bytes | os.PathLike[Any], account: str | bytes | None = None) -> None:
        """The same, unless attribute and index both say already that the file has this owner. Raises as `file_protect`.
        Mirrors verifyAndProtect:accountId:."""
        with Carried(self):
            check(C.mam_file_verify_and_protect(self._handle, file_path(path), account_text(account)))

    def file_unmanage(self, path: str | bytes | os.PathLike[Any], account: str | bytes | None = "") -> None:
        """Take an account's protection off a file: give it to nobody, or to a name that nobody manages, and decrypt it.

        Allowed where the owner's policy allows saving to `SaveLocation.OTHER`; a directory is judged as a whole first.
        Raises DeniedError (its `reason` says why), ArgumentError (the account is managed), and as `file_protect`.
        """
        with Carried(self):
            check(C.mam_file_unmanage(self._handle, file_path(path), account_text(account)))

    def file_info(self, path: str | bytes | os.PathLike[Any]) -> FileInfo:
        """Whose a file is. Changes nothing. Raises FileMissingError, UnsupportedError, ArgumentError.
        Mirrors protectionInfo:."""
        return build(FileInfo, take_json(C.mam_file_info, self._handle, file_path(path)))


def file_path(path: str | bytes | os.PathLike[Any]) -> bytes:
    """A path as C takes it: bytes, no NUL. ctypes would cut it there."""
    raw = os.fsencode(path)
    if 0 in raw:
        raise ValueError("path contains NUL")
    return raw
