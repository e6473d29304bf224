"""Names of wiped or unenrolled accounts: refused in every session until the authority has confirmed them again."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import APP, BEN, EVE
from names import ANN, ANN_ID, SECRET, Place, former, is_secret
from names_owned import FORMS, whole

S, CODE = mam.Status, mam.StatusCode
NAMES = (ANN, ANN_ID, ANN.upper(), former(0), former(0).upper())


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Ann was renamed once and is enrolled, alone."""
    with Place.make(tmp_path) as place:
        place.live("renamed once", False)
        yield place


def leave(place: Place, how: str) -> None:
    if how == "wipe":
        assert place.m.wipe_account(ANN).wait(30).succeeded
    else:
        assert place.m.deregister_and_unenroll(ANN, wipe=how == "unenroll and wipe").wait(30).succeeded


def refuses(m: mam.Mam, names: tuple[str, ...] = NAMES) -> None:
    for name in names:
        with pytest.raises(mam.NotEnrolledError) as caught:
            m.protect(name, SECRET)
        assert caught.value.message


@pytest.mark.parametrize("how", ["wipe", "unenroll"])
def test_where_unknown_names_are_errors(place: Place, how: str) -> None:
    """A name that has left is no unknown one: the error says what happened."""
    leave(place, how)
    refuses(place.reopen(unknown_identities="error"))
    with place.m.policy(ANN) as policy:
        assert not policy.is_print_allowed


LEAVING = ["wipe", "unenroll", "unenroll and wipe"]


@pytest.mark.parametrize("how", LEAVING)
def test_refused_permanently(place: Place, how: str) -> None:
    """In this session, in later ones, without an enrolled account and with another one."""
    leave(place, how)
    refuses(place.m)
    refuses(place.reopen())
    place.enroll(BEN)
    refuses(place.m)
    refuses(place.reopen())
    assert place.m.wipe_account(BEN).wait(30).succeeded
    refuses(place.m, (*NAMES, BEN))
    refuses(place.reopen(), (*NAMES, BEN))
    with pytest.raises(mam.NotManagedError) as caught:
        place.m.protect(EVE, SECRET)
    assert caught.value.original_code == 100


@pytest.mark.parametrize("how", LEAVING)
def test_how_an_account_left(place: Place, how: str) -> None:
    """Each process may ask, as often as it wants, until the account is enrolled again."""
    assert [place.m.former_account(name) for name in (*NAMES, EVE)] == [None] * (len(NAMES) + 1)
    leave(place, how)
    reason = {"wipe": mam.WipeReason.HOST, "unenroll and wipe": mam.WipeReason.DEREGISTRATION}.get(how)
    for _ in range(2):
        for name in NAMES:
            left = place.m.former_account(name)
            assert left is not None and left.time is not None and left.user_message
            assert left.wiped == (how != "unenroll") and left.reason == reason
        assert place.m.former_account(EVE) is None
        place.reopen()
    assert place.m.register_and_enroll(ANN).wait(30).succeeded
    assert place.m.former_account(ANN) is None
    with pytest.raises(mam.ArgumentError):
        place.m.former_account("")


def test_a_wipe_that_the_administrator_asked_for(place: Place) -> None:
    place.authority.request_wipe(ANN_ID)
    assert place.m.check_in(ANN_ID).wait(30).code == CODE.WIPE_RECEIVED
    place.m.run_due()
    left = place.reopen().former_account(ANN)
    assert left is not None and left.wiped and left.reason is mam.WipeReason.ADMINISTRATOR
    refuses(place.m)
    refuses(place.reopen())


@pytest.mark.parametrize("how", LEAVING)
@pytest.mark.parametrize("by", ["mam_register_and_enroll", "mam_login_and_enroll"])
def test_until_she_is_enrolled_again(place: Place, how: str, by: str) -> None:
    leave(place, how)
    place.reopen()
    enroll = place.m.register_and_enroll if by == "mam_register_and_enroll" else place.m.login_and_enroll
    assert enroll(ANN).wait(30).succeeded
    for name in (ANN, ANN_ID):
        data = place.m.protect(name, SECRET)
        assert is_secret(data) and place.m.protection_info(data).account_id == ANN_ID
        place.reopen()


@pytest.mark.parametrize("how", LEAVING)
@pytest.mark.parametrize("code", [CODE.ACCOUNT_NOT_LICENSED, CODE.LICENSED_NOT_TARGETED])
def test_until_the_authority_lets_the_account_be_unmanaged(place: Place, how: str, code: mam.StatusCode) -> None:
    """200 and 225: the account is known and unmanaged."""
    place.enroll(BEN)
    leave(place, how)
    if code == CODE.ACCOUNT_NOT_LICENSED:
        place.authority.set_user(ANN_ID, licensed=False)
    else:
        place.authority.add_group("Staff")
        place.authority.add_member("Staff", BEN)
        place.authority.unassign("names", all_users=True)
        place.authority.assign("names", "Staff")
    assert place.m.register_and_enroll(ANN).wait(30).code == code
    for _ in range(2):
        data = place.m.protect(ANN, SECRET)
        assert not is_secret(data) and place.m.unprotect(data) == SECRET
        assert not place.m.is_account_managed(ANN)
        place.reopen()


@pytest.mark.parametrize("how", LEAVING)
@pytest.mark.parametrize("answer", ["network", "timeout", "disabled", "unknown", "register_account"])
def test_another_answer_leaves_it_refused(place: Place, how: str, answer: str) -> None:
    leave(place, how)
    if answer == "register_account":
        for name in NAMES:
            with pytest.raises(mam.NotEnrolledError):
                place.m.register_account(name)
        assert place.m.known_accounts() == []
    else:
        if answer == "disabled":
            place.authority.set_user(ANN_ID, enabled=False)
        elif answer == "unknown":
            place.authority.remove_user(ANN_ID, force=True)
        else:
            place.authority.set_fault(answer, operation="enroll")
        assert not place.m.register_and_enroll(ANN).wait(30).succeeded
        place.authority.clear_faults()
    refuses(place.m)
    refuses(place.reopen())


def test_data_stays_readable_after_leaving_without_a_wipe(place: Place) -> None:
    container, path, database = place.m.protect(ANN, SECRET), place.sealed(), place.path()
    place.m.register_sqlite_vfs(ANN, "first")
    with contextlib.closing(sqlite3.connect(f"file:{database}?vfs=first", uri=True)) as connection, connection:
        connection.execute("CREATE TABLE notes (text)")
        connection.execute("INSERT INTO notes VALUES (?)", (SECRET.decode(),))
    leave(place, "unenroll")
    for number in range(2):
        assert place.m.unprotect(container) == SECRET
        with place.m.open_file(path, "rb") as file:
            assert file.read() == SECRET
        with pytest.raises(mam.NotEnrolledError):
            place.m.open_file(path, "wb", account=ANN)
        assert place.m.file_is_encrypted(path)
        vfs = "first"
        if number:
            vfs = "later"
            try:
                place.m.register_sqlite_vfs(ANN, vfs)
            except mam.NotEnrolledError:
                place.m.register_sqlite_vfs("", vfs)
        with contextlib.closing(sqlite3.connect(f"file:{database}?vfs={vfs}", uri=True)) as connection:
            assert connection.execute("SELECT text FROM notes").fetchall() == [(SECRET.decode(),)]
        place.reopen()
    assert place.m.wipe_account(ANN).wait(30).succeeded
    with pytest.raises(mam.KeyUnavailableError):
        place.m.unprotect(container)
    refuses(place.m)


@pytest.mark.parametrize("form", FORMS)
def test_files_of_an_account_that_left_without_a_wipe_stay_hers(place: Place, form: str) -> None:
    """No name opens them, nor does the call that removes protection: a wipe of hers would miss released files."""
    place.enroll(BEN)
    path = FORMS[form](place)
    leave(place, "unenroll")
    before = whole(place, path)
    for _ in range(2):
        for name in ("", EVE):
            for call in (place.m.file_protect, place.m.file_verify_and_protect, place.m.file_unmanage):
                with pytest.raises(mam.NotEnrolledError, match="unenrolled"):
                    call(path, name)
        for name in (ANN, ANN_ID):
            with pytest.raises(mam.NotEnrolledError):
                place.m.file_protect(path, name)
        assert whole(place, path) == before
        place.reopen()


def test_a_late_write_of_an_open_file_and_stream(place: Place) -> None:
    made: list[bytes] = []
    path = place.path()
    file = place.m.open_file(path, "wb", buffering=0, account=ANN)
    stream = place.m.protect_stream_to(ANN, made.append)
    leave(place, "wipe")
    with pytest.raises((mam.NotEnrolledError, mam.ClosedError)):
        file.write(SECRET)
    with pytest.raises(mam.NotEnrolledError):
        stream.write(SECRET)
        stream.close()
    with contextlib.suppress(mam.MamError):
        stream.abandon()
    file.close()
    assert is_secret(b"".join(made)) and (not path.exists() or is_secret(path.read_bytes()))


def test_held_handles_stay_closed(place: Place) -> None:
    with place.m.policy(former(0)) as held:
        leave(place, "wipe")
        assert not held.is_print_allowed
        with place.m.policy(ANN) as new:
            assert not new.is_print_allowed
            assert not new.is_save_to_allowed(mam.SaveLocation.ACCOUNT_DOCUMENT, ANN_ID)


def test_the_oldest_of_18_names(tmp_path: Path) -> None:
    """A retired name of an enrolled account: the account is managed, and the name is refused."""
    with Place.make(tmp_path) as place:
        place.live("renamed 17 times", False)
        for _ in range(2):
            refuses(place.m, (former(0), former(0).upper()))
            for number in range(1, 17):
                assert is_secret(place.m.protect(former(number), SECRET))
            place.reopen()
        with pytest.raises(mam.NotEnrolledError):
            place.m.register_account(former(0))


KILLED = """
import os, signal, mam
m = mam.open({app!r}, {authority!r}, state_directory={state!r}, worker=False, inherit_identity=False,
             settings={{"MultiManagedIdentities": True}})
assert m.register_and_enroll({ann!r}).wait(30).succeeded
m.{call}
os.kill(os.getpid(), signal.SIGKILL)
"""


def run(place: Place, body: str) -> subprocess.CompletedProcess[str]:
    paths = {"app": APP, "authority": str(place.authority.path), "state": str(place.folder / "state"), "ann": ANN}
    environment = {**os.environ, "PYTHONPATH": str(Path(mam.__file__).parents[1]), "LIBMAM_PATH": mam.library_path()}
    return subprocess.run(
        [sys.executable, "-c", body.format(**paths)], env=environment, text=True, capture_output=True, timeout=60, check=False
    )


@pytest.mark.parametrize("call", [f"wipe_account({ANN!r})", f"deregister_and_unenroll({ANN!r})"])
def test_killed_right_after_the_call_has_returned(tmp_path: Path, call: str) -> None:
    with Place.make(tmp_path) as place:
        ended = run(place, KILLED.replace("{call}", call))
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        for _ in range(2):
            refuses(place.m, (ANN, ANN_ID, ANN.upper()))
            place.reopen()


def test_another_process_wipes(place: Place) -> None:
    """This session gets no notification: its next call notices."""
    lines = [line for line in KILLED.splitlines() if "register_and_enroll" not in line]
    assert is_secret(place.m.protect(ANN, SECRET))
    ended = run(place, "\n".join(lines).replace("{call}", f"wipe_account({ANN!r})"))
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    refuses(place.m)


def test_a_session_that_was_open_before_the_account_came(tmp_path: Path) -> None:
    """It never had the account itself."""
    with Place.make(tmp_path) as place, place.opened() as early:
        place.enroll()
        assert place.m.wipe_account(ANN).wait(30).succeeded
        refuses(early, (ANN, ANN_ID))


def test_two_apps_of_a_group(place: Place) -> None:
    """A wipe in one app retires the name in that app alone."""
    keys: dict[str, Any] = {"worker": False, "state_directory": place.folder / "state", "group": APP, "inherit_identity": False}
    with mam.open("com.example.mail", place.authority.path, **keys) as mail:
        assert mail.register_and_enroll(ANN).wait(30).succeeded
        leave(place, "wipe")
        assert is_secret(mail.protect(ANN, SECRET))
        refuses(place.m)
