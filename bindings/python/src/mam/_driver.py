"""The driver of a host program, and what the criteria of `mam.exit_criteria` do with one."""

from __future__ import annotations

import secrets
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar
from unittest import SkipTest

from .authority_types import PolicySummary
from .session import Mam
from .testing import APP, Office

#: The person with a work account, and a colleague.
ANN, BEN = "ann@contoso.example", "ben@contoso.example"
PIN = "258013"
# Every launch asks the authority first: a policy or a wipe takes effect at the next start.
AT_EACH_LAUNCH = {"periodOfflineBeforeAccessCheck": "PT0S"}


class Host(ABC):
    """A driver of the program under test: what a person does with it. A subclass starts the real program, or calls it.

    office           the `mam.testing.Office`: `office.authority.path` and `office.state` are for the program
    folder           where the program keeps its data, without libmam's state
    app              the program's app id
    several_accounts whether the program manages several accounts at once (MultiManagedIdentities)
    patience         seconds in which the program has to carry out a wipe, however often it is started

    An owner is the UPN of a work account or "" for personal data. A key names an item of the program: a note, a message.
    The driver enters no PIN.
    """

    app: ClassVar[str] = APP
    several_accounts: ClassVar[bool] = False
    patience: ClassVar[float] = 60

    def __init__(self, office: Office) -> None:
        self.office = office
        self.folder = office.folder / "host"
        self.folder.mkdir()

    @abstractmethod
    def start(self) -> str:
        """Start the program, with its launch checks, or bring it back to the screen; returns all text that it shows."""

    @abstractmethod
    def sign_in(self, user: str) -> bool:
        """Sign in with a work account; whether the program accepts it."""

    @abstractmethod
    def sign_out(self, user: str) -> None:
        """Sign out, and remove the account from the program."""

    @abstractmethod
    def write(self, owner: str, text: str) -> str | None:
        """Keep a new item; returns its key, or None if the program refuses."""

    @abstractmethod
    def read(self, owner: str, key: str) -> str | None:
        """The text of an item, or None if the program does not show it."""

    def save_copy(self, owner: str, key: str, target: Path) -> bool:
        """Save an item to a file outside the program; whether it does."""
        raise NotImplementedError

    def open_file(self, owner: str, source: Path) -> str | None:
        """Open a file of the local disk as an item; returns its key, or None if the program refuses."""
        raise NotImplementedError

    def print_out(self, owner: str, key: str) -> bool:
        """Print an item, or get as far as the choice of a printer; whether the program does."""
        raise NotImplementedError

    def paste(self, owner: str, key: str, into: str) -> bool:
        """Copy the text of an item and paste it into an item of the owner `into`; whether it arrives."""
        raise NotImplementedError

    def files(self) -> set[Path]:
        """The files under `folder`. Override it to leave out those that belong to no account."""
        return {path for path in self.folder.rglob("*") if path.is_file() and not path.is_symlink()}

    def session(self) -> Mam:
        """Another session of the program's app and state, for what the test does beside it."""
        return self.office.open(self.app, worker=False)


def require(is_right: object, wrong: str) -> None:
    if not is_right:
        raise AssertionError(wrong)


def able(host: Host, action: str) -> None:
    """Skip the criterion unless the driver has an optional action."""
    if getattr(type(host), action) is getattr(Host, action):
        raise SkipTest(f"{type(host).__name__} has no {action}")


def new_text() -> str:
    return f"criterion {secrets.token_hex(8)}"


def managed(host: Host, **settings: Any) -> PolicySummary:
    """Ann, signed in under a policy."""
    host.office.user(ANN)
    policy = host.office.policy(**{**AT_EACH_LAUNCH, **settings})
    require(host.sign_in(ANN), "a user with a policy cannot sign in")
    return policy


def keep(host: Host, owner: str, text: str | None = None) -> tuple[str, str]:
    """An item that was written and can be read: its key and text."""
    text = text or new_text()
    key = host.write(owner, text)
    if key is None:
        raise AssertionError(f"an item of {owner or 'nobody (personal)'} cannot be written")
    shown(host, owner, (key, text), "after it was written")
    return key, text


def shown(host: Host, owner: str, item: tuple[str, str], when: str) -> None:
    found = host.read(owner, item[0])
    require(found == item[1], f"an item of {owner or 'nobody (personal)'} is not shown as it was written, {when}: {found!r}")


def hidden(host: Host, item: tuple[str, str], when: str) -> None:
    require(host.read(ANN, item[0]) is None, f"a work item is shown {when}")


def nowhere(host: Host, text: str, what: str) -> None:
    """A text is in no file of the program."""
    for path in sorted(host.files()):
        require(text.encode() not in path.read_bytes(), f"{what} is readable in {path}")


def registered(host: Host, user: str) -> bool:
    return bool(host.office.authority.registrations(user=user, app=host.app))


def wipe(host: Host) -> None:
    """An administrator's wipe, which the program carries out when it is started."""
    host.office.wipe(ANN, check_in=False)
    end = time.monotonic() + host.patience
    while True:
        host.start()
        if not registered(host, ANN):
            return
        require(time.monotonic() < end, "the program does not carry out a wipe: does it launch, or check in?")


def gone(host: Host, item: tuple[str, str], before: set[Path], when: str) -> None:
    """Nothing of a work item is left, and no file that was not there before the account."""
    require(item[1] not in host.start(), f"a work item is on the screen {when}")
    hidden(host, item, when)
    nowhere(host, item[1], f"a work item {when}")
    left = sorted(str(path) for path in host.files() - before)
    require(not left, f"files are left {when}: {', '.join(left)}")
