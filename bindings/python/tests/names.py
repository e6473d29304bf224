"""Names of accounts, of every kind that a host can pass, and the histories that make them.

`standing` is a name's status here, which determines the result of every call (the table at the top of mam.h):

managed    a name of an enrolled account: its id, its UPN, one of its last 16 UPNs
retired    a name of an account that was wiped or unenrolled, or an older UPN of an account
stranger   a name in the domain of an account that is managed or has left, which this app does not know: misspelt, perhaps
known      a name that mam_register_account made known
registered a name that was registered, and that the authority did not enroll
outsider   any other name: an unmanaged user
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import mam
from conftest import APP, BEN, EVE

ANN, ANN_ID, BEN_ID = "ann@contoso.example", "0f6c7a52-91d4-4b7e-8c1a-2d3e4f5a6b7c", "ben-id"
#: One edit away from Ann's name, and far from every name.
MISSPELT, FAR = "anm@contoso.example", "zachary.quill@contoso.example"
SHARED, COLLEAGUE, REFUSED = "shared.mailbox@contoso.example", "rita.long@contoso.example", "rolf.short@contoso.example"
#: Content that no file of a managed or retired name may show.
SECRET = b"the minutes of the board's meeting, " * 3

STRICT: dict[str, Any] = {
    "@odata.type": "#libmam.linuxManagedAppProtection",
    "id": "names",
    "displayName": "Names",
    "allowedInboundDataTransferSources": "allApps",
    "allowedOutboundDataTransferDestinations": "managedApps",
    "saveAsBlocked": True,
    "printBlocked": True,
    "appDataEncryptionType": "whenDeviceLocked",
    "pinRequired": False,
    "managedBrowserToOpenLinksRequired": False,
}
#: Data may go anywhere, but is encrypted and not printed.
LOOSE = {**STRICT, "allowedOutboundDataTransferDestinations": "allApps", "saveAsBlocked": False}
#: Data may not leave an account.
SEALED_IN = {**STRICT, "allowedOutboundDataTransferDestinations": "none"}
POLICIES = {"strict": STRICT, "loose": LOOSE, "sealed in": SEALED_IN}

#: Ann's history: how often she was renamed, and how she left.
HISTORIES: dict[str, tuple[int, str | None]] = {
    "enrolled": (0, None),
    "renamed once": (1, None),
    "renamed 3 times": (3, None),
    "renamed 17 times": (17, None),
    "wiped": (0, "wipe"),
    "renamed and wiped": (1, "wipe"),
    "unenrolled": (0, "unenroll"),
    "renamed and unenrolled": (1, "unenroll"),
}


@dataclass(frozen=True)
class Name:
    kind: str
    text: str | None
    standing: str
    is_near: bool = False  # at most two edits from the UPN of an account of this app

    def __str__(self) -> str:
        return f"{self.kind} ({self.text!r})"


def former(number: int) -> str:
    """Ann's UPN before her last renamings; the last one made her ann@."""
    return f"ann.former{number:02}@contoso.example"


@dataclass
class Place:
    """An authority, and a session of an app with a history."""

    folder: Path
    authority: mam.Authority
    keys: dict[str, Any] = field(default_factory=dict)
    renamed: int = 0
    left: str | None = None
    has_ben: bool = False
    policy: str = "strict"
    _session: mam.Mam | None = None
    _files: int = 0

    @classmethod
    def make(cls, folder: Path, policy: dict[str, Any] | None = None, **keys: Any) -> Place:
        """The authority knows Ann and Ben; Ann's oldest name is added only when `enroll` chooses it."""
        authority = mam.Authority.create(folder / "authority.db", name="Contoso")
        place = cls(folder, authority, keys)
        authority.add_user(ANN, account_id=ANN_ID)
        authority.add_user(BEN, account_id=BEN_ID)
        place.put(policy or STRICT)
        return place

    def put(self, policy: dict[str, Any]) -> None:
        """Put everybody under this policy."""
        (one,) = self.authority.import_policy(policy).policies
        self.authority.assign(one.id, all_users=True)
        self.authority.target(one.id, all_apps=True)

    @property
    def m(self) -> mam.Mam:
        if self._session is None:
            self._session = self.opened()
        return self._session

    def opened(self, **keys: Any) -> mam.Mam:
        """One more session of the same app."""
        given: dict[str, Any] = {"worker": False, "state_directory": self.folder / "state", **self.keys, **keys}
        given["settings"] = {"MultiManagedIdentities": True, **given.get("settings", {})}
        return mam.open(APP, self.authority.path, inherit_identity=False, **given)

    def reopen(self, **keys: Any) -> mam.Mam:
        """A later session replaces the present one."""
        self.close()
        self._session = self.opened(**keys)
        return self._session

    def close(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def __enter__(self) -> Place:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def enroll(self, name: str = ANN) -> None:
        status = self.m.register_and_enroll(name).wait(30)
        assert status.succeeded, status

    def rename(self, upn: str, account: str = ANN_ID, session: mam.Mam | None = None) -> None:
        """The administrator changes the UPN, and a check-in delivers it."""
        self.authority.set_user(account, upn=upn)
        assert (session or self.m).check_in(account).wait(30).succeeded

    def live(self, history: str, two: bool) -> Place:
        """Carry out a history; with `two` Ben is enrolled as well."""
        self.renamed, self.left = HISTORIES[history]
        if self.renamed:
            self.authority.set_user(ANN_ID, upn=former(0))
        self.enroll(former(0) if self.renamed else ANN)
        if two:
            self.enroll(BEN)
            self.has_ben = True
        for number in range(1, self.renamed):
            self.rename(former(number))
        if self.renamed:
            self.rename(ANN)
        if self.left == "wipe":
            assert self.m.wipe_account(ANN).wait(30).succeeded
        elif self.left == "unenroll":
            assert self.m.deregister_and_unenroll(ANN).wait(30).succeeded
        return self

    def introduce(self) -> Place:
        """Names of colleagues who are not enrolled: known, registered while the authority is unreachable, and refused."""
        self.m.register_account(SHARED)
        self.authority.set_fault("network", operation="enroll")
        assert not self.m.register_and_enroll(COLLEAGUE).wait(30).succeeded
        self.authority.clear_faults()
        assert not self.m.register_and_enroll(REFUSED).wait(30).succeeded
        return self

    @property
    def is_managing(self) -> bool:
        return self.left is None or self.has_ben

    def names(self) -> list[Name]:
        """Every kind of name in this history, NULL last."""
        own = "managed" if self.left is None else "retired"
        found = [Name("current UPN", ANN, own), Name("account id", ANN_ID, own), Name("other case", "Ann@CONTOSO.Example", own)]
        for number in range(self.renamed):
            if 2 < number < self.renamed - 2:
                continue  # like its neighbours; names_test.c tries all of them
            is_kept = number >= self.renamed - 16
            standing = own if is_kept else "retired"
            found.append(Name(f"former UPN {self.renamed - number}", former(number), standing))
        if self.renamed:
            standing = own if self.renamed <= 16 else "retired"
            found.append(Name("oldest UPN, other case", former(0).upper(), standing))
        stranger = "stranger" if self.is_managing or self.left is not None else "outsider"
        # The state keeps hashes of what has left, which tell nothing of ids that are near.
        known_id = "outsider" if self.left == "wipe" else "stranger"
        found += [
            Name("misspelt local part", MISSPELT, stranger, is_near=self.left is None),
            Name("misspelt local part, other case", MISSPELT.upper(), stranger, is_near=self.left is None),
            Name("unknown in the domain", FAR, stranger),
            Name("misspelt domain", "ann@contosso.example", stranger, is_near=self.left is None),
            Name("Cyrillic letter in the domain", "ann@contoso.ex\u0430mple", stranger, is_near=self.left is None),
            Name("domain below", "ann@mail.contoso.example", stranger),
            Name("domain without @", "ann#contoso.example", stranger, is_near=self.left is None),
            Name("domain without its last label", "ann@contoso", stranger),
            Name("without its @", "anncontoso.example", "stranger" if self.is_managing else known_id),  # near Ben's, too
            Name("Windows domain", "CONTOSO\\ann", stranger),
            Name("the domain alone", "contoso.example", stranger),
            Name("free mail", "ann@gmail.com", "outsider"),
            Name("personal", EVE, "outsider"),
            Name("misspelt id", ANN_ID[:-1], known_id),
            Name("id without hyphens", ANN_ID.replace("-", ""), known_id),
            Name("id and tenant", f"{ANN_ID}.8a0e5f5e-3c5d-4a88-9c57-1a3f5e0d2b11", known_id),
            Name("another id", "8a0e5f5e-3c5d-4a88-9c57-1a3f5e0d2b11", "outsider"),
            Name("registered, authority out of reach", COLLEAGUE, "registered"),
            Name("registered, refused", REFUSED, "registered"),
            Name("known", SHARED, "known"),
            Name("known, other case", SHARED.upper(), "known"),
            Name("nobody", "", "nobody"),
            Name("NULL", None, "null"),
        ]
        return found

    def path(self) -> Path:
        """A path for one more file."""
        self._files += 1
        folder = self.folder / "files"
        folder.mkdir(exist_ok=True)
        return folder / f"{self._files}"

    def file(self, data: bytes = SECRET) -> Path:
        """One more plain file without a known owner."""
        path = self.path()
        path.write_bytes(data)
        return path

    def sealed(self, account: str = ANN) -> Path:
        """One more file, sealed for an account."""
        path = self.path()
        with self.m.open_file(path, "wb", account=account) as file:
            file.write(SECRET)
        assert self.m.file_is_encrypted(path)
        return path


@contextmanager
def identity_is(m: mam.Mam, where: str, name: str | None) -> Iterator[None]:
    """Set an identity: of the "thread", of the "process", or none ("")."""
    if where == "thread":
        with m.identity(name):
            yield
    elif where == "process":
        m.set_process_identity(name)
        try:
            yield
        finally:
            m.set_process_identity(None)
    else:
        yield


def traces(path: Path) -> tuple[Any, ...]:
    """Everything that a refused call may not have changed: bytes, extended attributes, mode."""
    attributes = {one: os.getxattr(path, one) for one in os.listxattr(path)}
    return path.read_bytes(), attributes, path.stat().st_mode


def status_of(call: Callable[[], object]) -> tuple[int, mam.MamError | None]:
    """MAM_OK, or the status of the exception."""
    try:
        call()
    except mam.MamError as error:
        return int(error.status), error
    return 0, None


def explains(error: mam.MamError, name: Name) -> str:
    """The fault of a refusal's explanation; "" if it is right."""
    if not error.message or "\n" in error.message:
        return f"its message is {error.message!r}"
    if error.message_key == "errorApp" and error.status != mam.Status.ARGUMENT:
        return f"it says nothing to a person: {error.message!r}"
    if error.status == mam.Status.NOT_FOUND:
        if "Mam.register_account" not in error.message:
            return f"it does not name the way out: {error.message!r}"
        if name.is_near and ANN not in error.message:
            return f"it does not name {ANN}: {error.message!r}"
    return ""


def is_secret(stored: bytes) -> bool:
    """The bytes do not contain SECRET, plain or as base64."""
    part = SECRET[:24]
    return part not in stored and base64.b64encode(part) not in stored
