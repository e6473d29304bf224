"""Name collisions: an account gets a name that was retired, known, registered, held or unused; and a kill meanwhile."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import mam
import pytest
from conftest import APP, BEN
from names import ANN, ANN_ID, BEN_ID, COLLEAGUE, SECRET, SHARED, Place, former, is_secret

S = mam.Status
NEW = "ann.b@contoso.example"


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with Place.make(tmp_path) as place:
        place.enroll()
        yield place


def owner(m: mam.Mam, name: str) -> str:
    """The account that data of a name is sealed for; the reason if refused; or "plain"."""
    try:
        data = m.protect(name, SECRET)
    except mam.MamError as error:
        return error.name
    return str(m.protection_info(data).account_id) if is_secret(data) else "plain"


def owners(place: Place, expected: dict[str, str]) -> None:
    """In this session, and in a later one."""
    assert {name: owner(place.m, name) for name in expected} == expected
    place.reopen()
    assert {name: owner(place.m, name) for name in expected} == expected


def test_a_retired_name(tmp_path: Path) -> None:
    """Ben was wiped, and Ann gets his former name."""
    with Place.make(tmp_path) as place:
        place.enroll(BEN)
        assert place.m.wipe_account(BEN).wait(30).succeeded
        place.enroll()
        place.authority.remove_user(BEN_ID, force=True)
        place.rename(BEN)
        owners(place, {BEN: ANN_ID, ANN: ANN_ID, BEN_ID: "notEnrolled"})
        place.rename(NEW)
        owners(place, {BEN: ANN_ID, ANN: ANN_ID, NEW: ANN_ID})
        assert place.m.wipe_account(NEW).wait(30).succeeded
        owners(place, dict.fromkeys((ANN, BEN, NEW, ANN_ID, BEN_ID), "notEnrolled"))


def test_a_known_name(place: Place) -> None:
    place.introduce()
    place.rename(SHARED)
    owners(place, {SHARED: ANN_ID, ANN: ANN_ID})
    place.rename(NEW)
    owners(place, {SHARED: ANN_ID, ANN: ANN_ID})
    assert place.m.wipe_account(ANN_ID).wait(30).succeeded
    owners(place, {SHARED: "notEnrolled", ANN: "notEnrolled"})


def test_a_registered_name(place: Place) -> None:
    """A pending registration has the name that Ann gets."""
    place.introduce()
    place.rename(COLLEAGUE)
    owners(place, {COLLEAGUE: ANN_ID, ANN: ANN_ID})
    place.m.register_and_enroll(COLLEAGUE).wait(30)
    owners(place, {COLLEAGUE: ANN_ID, ANN: ANN_ID})


def test_another_person_with_a_former_accounts_name(place: Place) -> None:
    assert place.m.wipe_account(ANN).wait(30).succeeded
    place.authority.remove_user(ANN_ID, force=True)
    place.authority.add_user(ANN, account_id="second-id")
    place.enroll()
    owners(place, {ANN: "second-id", "second-id": "second-id", ANN_ID: "notEnrolled"})


@pytest.mark.parametrize("how", ["wipe", "unenroll"])
def test_former_names_of_an_account_that_came_back(tmp_path: Path, how: str) -> None:
    """The account belongs to the present name; a former one is hers or refused, never another account's."""
    with Place.make(tmp_path) as place:
        place.live("renamed once", False)
        if how == "wipe":
            assert place.m.wipe_account(ANN).wait(30).succeeded
        else:
            assert place.m.deregister_and_unenroll(ANN).wait(30).succeeded
        place.enroll()
        owners(place, {ANN: ANN_ID, ANN_ID: ANN_ID})
        assert owner(place.m, former(0)) in (ANN_ID, "notEnrolled")


def test_handles_for_an_unused_name(place: Place) -> None:
    """A policy and identities of an unmanaged user become an account's once it has the name: nothing is plain then."""
    place.m.register_account(NEW)
    made: list[bytes] = []
    stream = place.m.protect_stream_to(NEW, made.append)
    stream.write(SECRET)
    with place.m.policy(NEW) as policy, place.m.identity(NEW):
        assert policy.is_print_allowed
        place.m.set_process_identity(NEW)
        place.rename(NEW)
        assert not policy.is_print_allowed
        assert place.m.effective_identity(mam.IdentityTask.FILE) == ANN_ID
        assert place.m.process_identity() == ANN_ID
        path = place.path()
        with place.m.open_file(path, "wb") as file:
            file.write(SECRET)
        assert is_secret(path.read_bytes()) and place.m.file_info(path).account_id == ANN_ID
    with pytest.raises(mam.DeniedError):
        stream.write(SECRET)
        stream.close()
    stream.abandon()


@pytest.mark.parametrize(
    ("name", "is_refused"),
    [
        ("x@contoso.example", True),
        ("x@CONTOSO.Example", True),
        ("x@sub.contoso.example", True),
        ("x@contosso.example", True),
        ("x@contoso.example.org", True),
        ("x@mycontoso.example", False),
        ("x@c\u00f6ntoso.example", True),  # one letter other
        ("x@\u0441\u043ent\u043es\u043e.example", False),
        ("contoso.example", True),
        ("x#contoso.example", True),
        ("CONTOSO\\x", True),
        ("contoso", False),
    ],
)
def test_the_domain_follows_the_at(place: Place, name: str, is_refused: bool) -> None:
    assert owner(place.m, name) == ("notFound" if is_refused else "plain")


CHECKING_IN = """
import mam
m = mam.open({app!r}, {authority!r}, state_directory={state!r}, worker=False, inherit_identity=False)
print("ready", flush=True)
m.check_in().wait(30)
"""


def test_killed_while_a_check_in_brings_a_name(place: Place) -> None:
    """The former name is hers before and after; the new one is hers or unknown."""
    names, chance = [ANN], random.Random(int(os.environ.get("MAM_SEED", "1")))
    body = CHECKING_IN.format(app=APP, authority=str(place.authority.path), state=str(place.folder / "state"))
    environment = {**os.environ, "PYTHONPATH": str(Path(mam.__file__).parents[1]), "LIBMAM_PATH": mam.library_path()}
    for number in range(int(os.environ.get("MAM_KILLS", "6"))):
        names.append(f"killed{number}@contoso.example")
        place.authority.set_user(ANN_ID, upn=names[-1])
        place.close()
        with subprocess.Popen([sys.executable, "-c", body], env=environment, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout and process.stdout.readline() == "ready\n"
            try:
                process.wait(chance.random() * 0.03)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
        assert owner(place.m, names[-1]) in (ANN_ID, "notFound")
        for name in names[:-1]:
            assert owner(place.m, name) == ANN_ID, "a former name was lost"
        assert place.m.check_in().wait(30).succeeded
        assert owner(place.m, names[-1]) == ANN_ID
