"""Files that go from one managed app to another."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from . import _ffi
from ._call import C, account_text, check, not_a, text
from ._callback import CALLING
from ._context import Carried, file_identity, storing_account
from .enums import SaveLocation
from .errors import MamError
from .files import FileCalls
from .streams import StreamCalls

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    FilePath = str | bytes | os.PathLike[str] | os.PathLike[bytes]

# The names of folders with data on its way.
_LEFT = "mam-bytes-"


def _locked(folder: str, operation: int = fcntl.LOCK_SH) -> int:
    """A descriptor of a folder that holds its lock. Raises OSError for another user's, a link, or one that is in use."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if os.fstat(descriptor).st_uid != os.geteuid():
            raise PermissionError(folder)
        fcntl.flock(descriptor, operation)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _remove_left(place: str) -> None:
    """Remove the folders of killed processes of this user."""
    import shutil

    try:
        names = [name for name in os.listdir(place) if name.startswith(_LEFT)]
    except OSError:
        return  # it may be written, not listed
    for name in names:
        try:
            lock = _locked(f"{place}/{name}", fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue
        shutil.rmtree(f"{place}/{name}", ignore_errors=True)
        os.close(lock)


class ExchangeCalls(StreamCalls, FileCalls):
    """Exports, imports, and files under older keys."""

    def export_bytes(
        self,
        data: ReadableBuffer,
        location: SaveLocation,
        location_account: str | bytes | None = None,
        *,
        account: str | bytes | None = None,
    ) -> bytes:
        """Bytes of an account in the form in which they may leave for a location: `file_export` for data that is in no file.

        They are plain if the account's policy lets data go to all apps; otherwise only managed apps of the account can read
        them, with `import_bytes` or `file_import`. `account` None: the identity of the calling code. A plain result is for
        a moment in a file that only this user can read. Raises as `file_export`, and NotManagedError.
        """
        import io

        owner = file_identity(self) if account is None else account
        with self._folder() as folder:
            with open(f"{folder}/source", "xb", opener=_private) as source:
                self.protect_stream(owner, io.BytesIO(data), source)
            self.file_export(f"{folder}/source", location, f"{folder}/target", location_account=location_account)
            with open(f"{folder}/target", "rb") as target:
                return target.read()

    def import_bytes(self, data: ReadableBuffer, account: str | bytes | None = None) -> bytes:
        """The plain bytes that another app exported, if `account` may receive them: `file_import` for data that is in no file.

        None: the identity of the calling code. What comes in is for a moment in a file that is the account's. Raises as
        `file_import`.
        """
        with self._folder() as folder:
            with open(f"{folder}/source", "xb", opener=_private) as source:
                source.write(data)
            self.file_import(f"{folder}/source", account, f"{folder}/target")
            with self.open_file(f"{folder}/target", "rb") as target:
                return bytes(target.read())

    @contextmanager
    def _folder(self) -> Iterator[str]:
        """A folder that only this user can read, in memory if the system has such a place, and nothing is left of it: what a killed
        process leaves is removed by the next one.

        The index of owners keeps a row for each path, so a session uses few paths, again and again.
        """
        import shutil
        import tempfile

        runtime = os.environ.get("XDG_RUNTIME_DIR")
        place = runtime if runtime and os.access(runtime, os.W_OK | os.X_OK) else tempfile.gettempdir()
        if "folders" not in self._kept_alive:
            _remove_left(place)
        used: list[str] = self._kept_alive.setdefault("folders", [])
        while True:
            # It has its name once it is locked, so that no other process takes it for one that was left.
            made = tempfile.mkdtemp(prefix="mam-new-", dir=place)
            lock = _locked(made)
            try:
                folder = used.pop()
            except IndexError:
                folder = f"{place}/{_LEFT}{os.path.basename(made)[8:]}"
            try:
                os.rename(made, folder)
                break
            except OSError:  # somebody else has the name now
                os.close(lock)
                os.rmdir(made)
        try:
            yield folder
        except MamError as error:
            # The caller knows nothing of these files.
            message = error.message.replace(f"{folder}/source: ", "").replace(f"{folder}/source", "the data")
            detail = {key: value for key, value in error.detail.items() if key != "path"}
            raise type(error)(error.status, error.name, message, detail, error.user_message, error.message_key) from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)
            used.append(folder)

    def file_export(
        self, path: FilePath, location: SaveLocation, target: FilePath, *, location_account: str | bytes | None = None
    ) -> None:
        """Copy a file out to a location that its owner's policy allows.

        If the owner's policy lets data go to all apps the copy is plain; otherwise only managed apps of the owner's
        account can read it, with `file_import`. A file at `target` is replaced as a whole or not at all. The copy has
        its permissions, or those of `path` where there is none, less the umask.
        `location_account` is the account of the location, None if unknown. Raises DeniedError (policy refuses:
        `detail["reason"]`), KeyUnavailableError (no key opens the file, or the authority has issued no exchange key),
        FileNotFoundError, UnsupportedError (a directory, pipe or device; at `target` a link too; an encrypted database),
        ArgumentError, DamagedError, AuthenticationError, LockedError. Mirrors isSaveToAllowedForLocation:withAccountId:.
        """
        if type(location) is not SaveLocation:
            raise not_a("location", location, SaveLocation)
        check(
            C.mam_file_export(
                self._handle, _path(path, "path"), location, account_text(location_account),
                _path(target, "target"),
            )
        )  # fmt: skip

    def file_import(self, path: FilePath, account: str | bytes | None, target: FilePath | None = None) -> None:
        """Copy a file in for an account; None: the identity of the calling code. Without one, where the app has several
        identities or accounts, an ArgumentError.

        Without a `target` the copy has the source's name in the folder `settings()["importFolder"]`, which the setting
        DocumentBrowserFileCachePath chooses; AlreadyError if it is there.

        A file that another managed app exported is decrypted, and the copy is protected for the account: sealed if its
        policy requires encrypted files, or if the source was sealed. If policy refuses but the file's own
        account may receive it, a host with the setting MultiIdentity is asked to switch to that account
        (`mam.IDENTITY_SWITCH`, documentImport), and this call waits for the answer: a coroutine that answers needs its
        loop, so call this in a thread then. Raises DeniedError (the account may not receive it: `detail["reason"]`, and
        `detail["switch"]` if the host was asked), KeyUnavailableError (exported before this app enrolled the account, or
        by an app of another account) and the errors of `file_export`. Mirrors canReceiveSharedFile:,
        decryptFileAtPath:toCopyPath:.
        """
        source, copy = _path(path, "path"), None if target is None else _path(target, "target")
        owner = storing_account(self, account)
        with Carried(self), CALLING:
            check(C.mam_file_import(self._handle, source, owner, copy))

    def file_reprotect(self, path: FilePath) -> bool:
        """Re-seal a file under its account's newest key if an older one seals it: after
        `rotate_keys`.

        Returns True if it was re-sealed; any other file stays as it is. SQLite rewrites the pages of an encrypted
        database, and its open connections go on. Raises BusyError (it is open for writing, or was changed meanwhile; a
        database is being read or written), UnsupportedError (a directory, a link, a device, several names),
        FileNotFoundError, DamagedError, AuthenticationError, LockedError, WaitInterruptedError, ArgumentError.
        """
        changed = _ffi.Bool()
        check(C.mam_file_reprotect(self._handle, _path(path, "path"), _ffi.byref(changed)))
        return bool(changed.value)


def _path(path: FilePath, argument: str) -> bytes:
    return text(os.fsencode(path), argument)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
