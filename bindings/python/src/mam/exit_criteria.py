"""Checks of a whole host program: what the Intune App SDK's guides ask of an app before it is shipped.

    @pytest.mark.parametrize("criterion", mam.exit_criteria.CRITERIA)
    def test_exit_criteria(mam_office, criterion):
        criterion(Notes(mam_office))

`Notes` is a subclass of `Host` that drives the program. A criterion raises AssertionError with what the program did
wrong, and unittest.SkipTest, which pytest reports as skipped, if the driver lacks an action. Each needs an office of its
own (`mam.testing`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from unittest import SkipTest

from ._driver import ANN, BEN, PIN, Host, able, gone, hidden, keep, managed, new_text, nowhere, registered, require, shown, wipe

__all__ = ["CRITERIA", "Criterion", "Host"]

_ENCRYPTED = {"encryptAppData": True, "deviceLockRequired": False}
_NO_SAVING = {
    "allowedOutboundDataTransferDestinations": "managedApps",
    "saveAsBlocked": True,
    "allowedDataStorageLocations": [],
}
_NO_OPENING = {
    "allowedInboundDataTransferSources": "managedApps",
    "blockDataIngestionIntoOrganizationDocuments": True,
    "allowedDataIngestionLocations": [],
}

#: A check of one program; its name says what must be true.
Criterion = Callable[[Host], None]


# The criteria, in the order of docs/exit-criteria.md.


def personal_data_needs_no_account(host: Host) -> None:
    """Without a work account the program works as before."""
    item = keep(host, "")
    host.start()
    shown(host, "", item, "at the next start")


def an_untargeted_user_is_not_restricted(host: Host) -> None:
    """A user whom no policy reaches may sign in or not, and nothing is restricted."""
    host.office.user(ANN)
    work = keep(host, ANN) if host.sign_in(ANN) else None
    keep(host, "")
    host.start()
    if work is not None:
        shown(host, ANN, work, "at the next start")


def a_targeted_user_is_managed(host: Host) -> None:
    """A user with a policy is enrolled by signing in, and can work."""
    managed(host)
    require(registered(host, ANN), f"the authority knows no enrollment of {host.app}")
    item = keep(host, ANN)
    host.start()
    shown(host, ANN, item, "at the next start")


def a_pin_closes_work_data(host: Host) -> None:
    """Without the PIN that a policy requires work data is closed, and only that."""
    policy = managed(host)
    work, personal = keep(host, ANN), keep(host, "")
    host.office.change(policy, pinRequired=True)
    host.start()
    hidden(host, work, "without the PIN")
    shown(host, "", personal, "while the PIN is required")
    with host.session() as m:
        m.pin_set(ANN, PIN)
    host.start()
    shown(host, ANN, work, "after the PIN was entered")


def a_failed_launch_closes_work_data(host: Host) -> None:
    """While a launch check blocks the account its data is closed, and only that."""
    policy = managed(host)
    work, personal = keep(host, ANN), keep(host, "")
    host.office.change(policy, minimumRequiredOsVersion="999.0")
    host.start()
    hidden(host, work, "though the version of the system is too low")
    shown(host, "", personal, "while the work account is blocked")
    host.office.change(policy, minimumRequiredOsVersion=None)
    host.start()
    shown(host, ANN, work, "after the block has ended")


def work_data_is_encrypted(host: Host) -> None:
    """Where policy requires encryption no file of the program has the text of a work item, also before its next start."""
    managed(host, **_ENCRYPTED)
    text = new_text()
    require(host.write(ANN, text) is not None, f"an item of {ANN} cannot be written")
    nowhere(host, text, "a work item")


def saving_is_blocked(host: Host) -> None:
    """A copy of a work item is refused, and none is left; a personal one is made."""
    able(host, "save_copy")
    managed(host, **_NO_SAVING)
    work, personal = keep(host, ANN), keep(host, "")
    target = host.office.folder / "copy"
    require(not host.save_copy(ANN, work[0], target), "a copy of a work item is saved, though policy forbids it")
    require(not target.exists(), "a refused copy leaves a file")
    require(host.save_copy("", personal[0], target), "a copy of a personal item is refused")
    require(personal[1] in target.read_text(errors="replace"), "a copy of a personal item is not readable")


def saving_is_allowed(host: Host) -> None:
    """Where policy restricts nothing a copy of a work item is saved."""
    able(host, "save_copy")
    managed(host, allowedOutboundDataTransferDestinations="allApps")
    work, target = keep(host, ANN), host.office.folder / "copy"
    require(host.save_copy(ANN, work[0], target), "a copy of a work item is refused, though policy allows it")
    require(target.exists(), "a copy that was saved is not there")


def a_listed_location_is_allowed(host: Host) -> None:
    """Where policy lists the local disk a copy is saved there, though other places are forbidden."""
    able(host, "save_copy")
    managed(host, **{**_NO_SAVING, "allowedDataStorageLocations": ["localStorage"]})
    work, target = keep(host, ANN), host.office.folder / "copy"
    require(host.save_copy(ANN, work[0], target), "a copy to a listed location is refused")
    require(target.exists(), "a copy that was saved is not there")


def _file(host: Host) -> tuple[Path, str]:
    path, text = host.office.folder / "incoming", new_text()
    path.write_text(text)
    return path, text


def opening_is_blocked(host: Host) -> None:
    """A file of the local disk is refused for the work account, and opened as a personal item."""
    able(host, "open_file")
    managed(host, **_NO_OPENING)
    path, text = _file(host)
    require(host.open_file(ANN, path) is None, "a file is opened for the work account, though policy forbids it")
    key = host.open_file("", path)
    require(key is not None and host.read("", key) == text, "a file is not opened as a personal item")


def opening_is_allowed(host: Host) -> None:
    """Where policy restricts nothing a file of the local disk becomes a work item."""
    able(host, "open_file")
    managed(host, allowedInboundDataTransferSources="allApps")
    path, text = _file(host)
    key = host.open_file(ANN, path)
    require(key is not None and host.read(ANN, key) == text, "a file is refused for the work account, though policy allows it")


def printing_is_blocked(host: Host) -> None:
    """A work item is not printed where policy forbids it; a personal one is."""
    able(host, "print_out")
    managed(host, printBlocked=True)
    work, personal = keep(host, ANN), keep(host, "")
    require(not host.print_out(ANN, work[0]), "a work item is printed, though policy forbids it")
    require(host.print_out("", personal[0]), "a personal item is not printed")


def printing_is_allowed(host: Host) -> None:
    """A work item is printed where policy allows it."""
    able(host, "print_out")
    managed(host, printBlocked=False)
    require(host.print_out(ANN, keep(host, ANN)[0]), "a work item is not printed, though policy allows it")


def pasting_is_blocked(host: Host) -> None:
    """Text of a work item is not pasted into a personal one where policy forbids it; within the account it is."""
    able(host, "paste")
    managed(host, allowedOutboundClipboardSharingLevel="managedApps")
    work, personal = keep(host, ANN), keep(host, "")
    require(not host.paste(ANN, work[0], ""), "text of a work item is pasted into a personal one, though policy forbids it")
    require(host.paste(ANN, work[0], ANN), "text is not pasted within the work account")
    require(host.paste("", personal[0], ""), "text is not pasted within personal data")


def pasting_is_allowed(host: Host) -> None:
    """Text of a work item is pasted anywhere where policy allows it."""
    able(host, "paste")
    managed(host, allowedOutboundClipboardSharingLevel="allApps")
    require(host.paste(ANN, keep(host, ANN)[0], ""), "text of a work item is not pasted, though policy allows it")


def a_second_managed_account_is_refused(host: Host) -> None:
    """A second managed account cannot sign in, and the first stays as it is."""
    if host.several_accounts:
        raise SkipTest(f"{host.app} manages several accounts")
    managed(host)
    item = keep(host, ANN)
    host.office.user(BEN)
    require(not host.sign_in(BEN), "a second managed account signs in")
    require(not registered(host, BEN), "a second managed account is enrolled")
    shown(host, ANN, item, "after another account was refused")


def signing_out_removes_work_data(host: Host) -> None:
    """Signing out unenrolls the account and leaves nothing of it; personal data stays."""
    personal = keep(host, "")
    before = host.files()
    managed(host, **_ENCRYPTED)
    work = keep(host, ANN)
    host.sign_out(ANN)
    require(not registered(host, ANN), "the account is still enrolled after signing out")
    gone(host, work, before, "after signing out")
    shown(host, "", personal, "after the work account has signed out")


def personal_data_is_not_managed(host: Host) -> None:
    """Personal data from before and after the sign-in is shown, and stays when the work account is wiped."""
    earlier = keep(host, "")
    managed(host, **_NO_SAVING)
    later = keep(host, "")
    keep(host, ANN)
    shown(host, "", earlier, "after a work account has signed in")
    wipe(host)
    shown(host, "", earlier, "after the work account was wiped")
    shown(host, "", later, "after the work account was wiped")


def a_wipe_removes_work_data(host: Host) -> None:
    """After an administrator's wipe nothing of the account is shown, readable or left."""
    keep(host, "")
    before = host.files()
    managed(host, **_ENCRYPTED)
    work = keep(host, ANN)
    wipe(host)
    gone(host, work, before, "after a wipe")


def a_wiped_account_takes_no_data(host: Host) -> None:
    """Data written for an account after its wipe is refused, not kept as personal."""
    keep(host, "")
    managed(host)
    keep(host, ANN)
    wipe(host)
    late = new_text()
    require(host.write(ANN, late) is None, "an item is written for a wiped account")
    nowhere(host, late, "an item that was refused for a wiped account")


#: All of them. Each is called with a `Host` of an office of its own.
CRITERIA: tuple[Criterion, ...] = (
    personal_data_needs_no_account,
    an_untargeted_user_is_not_restricted,
    a_targeted_user_is_managed,
    a_pin_closes_work_data,
    a_failed_launch_closes_work_data,
    work_data_is_encrypted,
    saving_is_blocked,
    saving_is_allowed,
    a_listed_location_is_allowed,
    opening_is_blocked,
    opening_is_allowed,
    printing_is_blocked,
    printing_is_allowed,
    pasting_is_blocked,
    pasting_is_allowed,
    a_second_managed_account_is_refused,
    signing_out_removes_work_data,
    personal_data_is_not_managed,
    a_wipe_removes_work_data,
    a_wiped_account_takes_no_data,
)
