"""Files that go from one managed app to another."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _ffi
from ._call import C, account_text, check, not_a, text
from ._callback import CALLING
from ._context import Carried
from ._session import Session
from .enums import SaveLocation

if TYPE_CHECKING:
    from typing import Union

    FilePath = Union[str, bytes, os.PathLike[str], os.PathLike[bytes]]


class ExchangeCalls(Session):
    """The part of section 10 of mam.h that lets files leave and come in, and moves them to new keys."""

    def file_export(
        self, path: FilePath, location: SaveLocation, location_account: str | bytes | None, target: FilePath
    ) -> None:
        """Copy a file to where its owner's policy lets it go (mam_file_export), in the form that may be there.

        Where the owner's data may go to all apps the copy is plain; otherwise managed apps of the owner's account alone read
        it, with `file_import`. A file at `target` is replaced as a whole or not at all. `location_account` is whose location
        it is, None where nobody knows.
        Raises DeniedError (policy refuses: `detail["reason"]`), KeyUnavailableError (nothing here opens the file, or the
        authority has issued no exchange key), FileMissingError, UnsupportedError (a directory, pipe or device; at `target` a link
        too; an encrypted database), ArgumentError, DamagedError, AuthenticationError, LockedError.
        Mirrors isSaveToAllowedForLocation:withAccountId:.
        """
        if type(location) is not SaveLocation:
            raise not_a("location", location, SaveLocation)
        check(
            C.mam_file_export(
                self._handle, _path(path, "path"), location, account_text(location_account),
                _path(target, "target_path"),
            )
        )  # fmt: skip

    def file_import(self, path: FilePath, account: str | bytes | None, target: FilePath) -> None:
        """Take a file in for an account (mam_file_import); None: for whom the thread or the process acts.

        What another managed app exported is decrypted, and the copy at `target` is protected for the account: sealed where its
        policy demands encrypted files, or where the file came sealed.
        Where policy refuses and the file's own account may take it in, a host with the setting MultiIdentity is asked for leave
        to switch to that account (`mam.IDENTITY_SWITCH`, documentImport), and this call waits for the answer: a coroutine that
        answers needs its loop, so call this in a thread then.
        Raises DeniedError (the account may not receive it: `detail["reason"]`, and `detail["switch"]` where the host was asked),
        KeyUnavailableError (exported before this app enrolled the account, or by an app of another account) and what
        `file_export` raises.
        Mirrors canReceiveSharedFile:, decryptFileAtPath:toCopyPath:.
        """
        source, target = _path(path, "path"), _path(target, "target_path")
        with Carried(self), CALLING:
            check(C.mam_file_import(self._handle, source, account_text(account), target))

    def file_reprotect(self, path: FilePath) -> bool:
        """Seal a file anew under the newest key of its account, where a former one seals it (mam_file_reprotect): after
        `rotate_keys`. True where that was done; any other file stays as it is. The pages of an encrypted database are written
        again by SQLite, and whoever has it open goes on.
        Raises BusyError (it is open for writing, or was changed meanwhile; a database is read or written by others),
        UnsupportedError (a directory, a link, a device, several names), FileMissingError, DamagedError, AuthenticationError,
        LockedError, WaitInterruptedError, ArgumentError."""
        changed = _ffi.Bool()
        check(C.mam_file_reprotect(self._handle, _path(path, "path"), _ffi.byref(changed)))
        return bool(changed.value)


def _path(path: FilePath, argument: str) -> bytes:
    return text(os.fsencode(path), argument)
