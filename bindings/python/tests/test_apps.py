"""The registry of managed apps and the programs that data may be shared with."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import mam
import pytest
from conftest import ANN, APP, BEN, EVE, Office

MAIL = "com.example.mail"
GROUP = "com.example"


@pytest.fixture
def notes(office: Office) -> Iterator[mam.Mam]:
    office.authority.target(office.policy.id, MAIL)
    with office.open(group=GROUP) as session:
        assert session.register_and_enroll(ANN).wait(30)
        yield session


@pytest.fixture
def mail(notes: mam.Mam, office: Office) -> Iterator[mam.Mam]:
    with office.open(app=MAIL, group=GROUP) as session:
        assert session.register_and_enroll(BEN).wait(30)
        yield session


def test_the_registry(notes: mam.Mam, mail: mam.Mam) -> None:
    apps = notes.managed_apps()
    assert [one.app_id for one in apps] == [MAIL, APP] and all(apps)
    assert apps[0].accounts[0].upn == BEN and apps[0].executables == (os.path.realpath("/proc/self/exe"),)
    assert notes.managed_app(MAIL).apps == (MAIL,)
    mail.deregister_and_unenroll(BEN).wait(30)
    assert [one.app_id for one in notes.managed_apps()] == [APP]
    gone = notes.managed_app(MAIL)
    assert not gone and gone.problem


def test_an_interpreter_is_never_managed(notes: mam.Mam, mail: mam.Mam, tmp_path: Path) -> None:
    link = tmp_path / "notes"
    link.symlink_to(sys.executable)
    names = [sys.executable, "/proc/self/exe", str(link)]
    for answer in (notes.managed_app(pid=os.getpid()), *(notes.managed_app(executable=name) for name in names)):
        assert not answer and answer.problem is not None and "any other" in answer.problem
    with notes.policy(ANN) as policy:
        assert not policy.filter_share_targets([mam.ShareTarget(executable=name) for name in names]).remaining


def test_share_targets(notes: mam.Mam, mail: mam.Mam) -> None:
    targets = [
        mam.ShareTarget(app_id=MAIL),
        mam.ShareTarget(app_id="com.example.games"),
        mam.ShareTarget(scheme="mailto"),
        mam.ShareTarget(scheme="x-intunemam"),
        mam.ShareTarget(executable="/bin/cat"),
        mam.ShareTarget(app_id=MAIL, identity=BEN),
        mam.ShareTarget(app_id=MAIL, identity=EVE),
    ]
    with notes.policy(ANN) as policy:
        assert targets[5] not in policy.filter_share_targets(targets).remaining  # this app does not know Ben's name
        notes.register_account(BEN)
        found = policy.filter_share_targets(targets)
        assert found.remaining == (targets[0], targets[3], targets[5])
        assert [(one.index, one.target) for one in found.removed] == [(at, targets[at]) for at in (1, 2, 4, 6)]
        for one in found.removed:
            assert one.reason is not None and one.reason.setting == "allowedOutboundDataTransferDestinations"
        assert found and not policy.filter_share_targets([])
        with pytest.raises(mam.ArgumentError):
            policy.filter_share_targets([mam.ShareTarget(app_id="a")] * 100_000)
        with pytest.raises(mam.ArgumentError):
            policy.filter_share_targets([mam.ShareTarget(app_id="a", identity="a" * (1 << 20))])
        for wrong in (mam.ShareTarget(), mam.ShareTarget(app_id="a", scheme="b"), mam.ShareTarget(executable="cat")):
            with pytest.raises(mam.JSONError):
                policy.filter_share_targets([wrong])
        with pytest.raises(TypeError):
            policy.filter_share_targets(["com.example.mail"])  # type: ignore[list-item]
    with notes.policy(EVE) as policy:
        assert policy.filter_share_targets(targets).remaining == tuple(targets)


def test_invalid_programs(notes: mam.Mam) -> None:
    for pid in (0, -1):
        with pytest.raises(mam.JSONError):
            notes.managed_app(pid=pid)
    with pytest.raises(mam.JSONError):
        notes.managed_app()
    with pytest.raises(mam.JSONError):
        notes.managed_app("a", executable="/b")
    with pytest.raises(TypeError):
        notes.managed_app(pid=True)
