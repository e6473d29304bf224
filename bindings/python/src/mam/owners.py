"""Owners of files: which account a file belongs to, and what a wipe of that account removes."""

from __future__ import annotations

import os
from typing import Any

from . import _ffi
from ._call import C, check, refused, required, take_json, take_text
from ._context import Carried, storing_account
from ._records import build, converted, dataclass, many
from ._session import Session
from .enums import LeftReason, OwnerDisagreement, OwnerEvidence, Status
from .errors import DeniedError


@dataclass(frozen=True)
class FileLeft:
    """A file that a wipe did not remove, or that protecting its directory left to its owner."""

    path: str
    reason: LeftReason | str
    message: str = ""


@dataclass(frozen=True)
class WipedFiles:
    """The result of a wipe for an account's files. `known`: files in the index; `removed`: files removed; `gone`: files
    no longer at their path; `left`: files that remain; `retried`: those of them that a failure kept, and that are removed
    once that is possible. `named` has the first 32 of those that are gone or remain, with the reason."""

    known: int = 0
    removed: int = 0
    gone: int = 0
    left: int = 0
    retried: int = 0
    named: tuple[FileLeft, ...] = converted(many(FileLeft), default=())


@dataclass(frozen=True)
class FileInfo:
    """A file's owner and the evidence for it.

    `account_id` is None if no owner is known, "" for no user, and the name itself if it is no account's. With the
    disagreement OWNER the index names `index_account_id`. `authenticated`: the evidence verifies. `key_available`: for a
    sealed file whether this state has its key, False after a wipe or a lost state; None for other files, SQLite databases
    among them. Mirrors IntuneMAMFileProtectionInfo.
    """

    account_id: str | None = None
    app: str | None = None
    known: OwnerEvidence | str = OwnerEvidence.NONE
    disagreement: OwnerDisagreement | str | None = None
    encrypted: bool = False
    authenticated: bool = False
    index_account_id: str | None = None
    key_available: bool | None = None


class OwnerCalls(Session):
    """Owners of files."""

    def file_protect(self, path: str | bytes | os.PathLike[Any], account: str | bytes | None = None) -> None:
        """Give a file, or a directory with everything in it, an owner. `account` omitted: the identity of the calling
        code, by default the one enrolled account, as in `Mam.open_file`; "" for personal data.

        The file is sealed where the account's policy requires encryption, and a sealed one becomes plain where the policy does
        not. Without a policy (an account with `managed` false) sealed files stay sealed, and plain ones plain.

        In a directory, files that are known as another account's, or were made with account "", keep their owner: a
        `WarningEvent` names them. All others are done, and the first failure is raised.

        Raises DeniedError (its account's policy keeps it; see `file_unmanage`), FileNotFoundError, UnsupportedError (a symbolic
        link, pipe, socket or device; a file with several hard links whose form would change; a plain SQLite database that would
        have to be encrypted, which `sqlite_encrypt` does), NotManagedError, NotEnrolledError, WaitInterruptedError,
        ArgumentError, KeyUnavailableError. Mirrors protect:accountId:.
        """
        where, owner = file_path(path), storing_account(self, account)
        with Carried(self):
            check(C.mam_file_protect(self._handle, where, owner))

    def file_verify_and_protect(self, path: str | bytes | os.PathLike[Any], account: str | bytes | None = None) -> None:
        """The same, unless attribute and index both already name this owner. Even then what must be encrypted by now is
        encrypted: the file, or the account's files in the directory. Raises as `file_protect`. Mirrors
        verifyAndProtect:accountId:."""
        where, owner = file_path(path), storing_account(self, account)
        with Carried(self):
            check(C.mam_file_verify_and_protect(self._handle, where, owner))

    def file_unmanage(self, path: str | bytes | os.PathLike[Any], account: str | bytes | None = "") -> None:
        """Remove an account's protection from a file: give it no owner or an unmanaged one, and decrypt it.

        Allowed if the owner's policy allows saving to `SaveLocation.OTHER`; a directory is judged as a whole first.
        Raises DeniedError (with its `reason`), ArgumentError (the account is managed), and as `file_protect`.
        """
        where, owner = file_path(path), storing_account(self, account)
        with Carried(self):
            check(C.mam_file_unmanage(self._handle, where, owner))

    def file_info(self, path: str | bytes | os.PathLike[Any]) -> FileInfo:
        """A file's owner. Changes nothing. Raises FileNotFoundError, UnsupportedError, ArgumentError. Mirrors
        protectionInfo:."""
        return build(FileInfo, take_json(C.mam_file_info, self._handle, file_path(path)))


def file_path(path: str | bytes | os.PathLike[Any]) -> bytes:
    """A path as C takes it: bytes without a NUL, at which ctypes would truncate it."""
    raw = os.fsencode(path)
    if 0 in raw:
        raise ValueError("path contains NUL")
    return raw


def check_owner(session: Session, path: bytes, account: bytes) -> None:
    """Raise unless an existing file is the account's, and the name one for which a new file could be made."""
    _check_name(session, account)
    info = build(FileInfo, take_json(C.mam_file_info, session._handle, path))
    owners = {info.account_id, info.account_id if info.index_account_id is None else info.index_account_id}
    for owner in owners:
        if not _is_owner(session, owner, account):
            shown = os.fsdecode(path)
            message = f"{shown}: {_whose(session, owner)}, and account is {account.decode(errors='replace')!r}"
            detail = {"argument": "account", "path": shown, "owner": owner}
            key = "errorOtherAccount" if owner else "errorUnsupported"
            sentence = take_text(C.mam_message, key.encode(), session._language)
            raise DeniedError(Status.DENIED, "denied", message, detail, sentence, key)


def _check_name(session: Session, account: bytes) -> None:
    """Raise the error of a storing call for a name for which nothing may be stored."""
    room, size = bytearray(C.mam_protect_bound(1)), _ffi.Size()
    status = C.mam_protect_into(session._handle, account, b"\0", 1, _ffi.writable(room), len(room), _ffi.byref(size))
    if status != Status.NOT_MANAGED:  # without an enrolled account every other name is a person's own
        check(status)


def _is_owner(session: Session, owner: str | None, account: bytes) -> bool:
    if owner is None:
        return not (required() if C.mam_is_account_managed(session._handle, account) else False)
    return True if C.mam_identity_equal(session._handle, account, owner.encode()) else refused()


def _whose(session: Session, owner: str | None) -> str:
    """A clause that says whose a file is: by UPN where the account is this app's."""
    if not owner:
        return "the file is personal data" if owner == "" else "the file has no owner (file_protect gives it one)"
    accounts = take_json(C.mam_registered_accounts, session._handle)
    names = [account["upn"] for account in accounts if account["accountId"] == owner and account["upn"]]
    return f"the file belongs to {(names or [owner])[0]}"
