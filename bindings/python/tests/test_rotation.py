"""Epochs of an account's data key."""

from __future__ import annotations

import mam
import pytest
from conftest import ANN, EVE, Office


def test_a_new_epoch_seals_and_former_ones_open(office: Office, enrolled: mam.Mam) -> None:
    with office.open() as other:
        sealed = []
        for epoch in range(1, 12):
            sealed.append(other.protect(ANN, b"minutes"))
            assert enrolled.protection_info(sealed[-1]).epoch == epoch
            enrolled.rotate_keys(ANN)
        for one in reversed(sealed):
            assert enrolled.unprotect(one, strict=True) == other.unprotect(one, strict=True) == b"minutes"


def test_every_session_gets_an_event(office: Office, enrolled: mam.Mam) -> None:
    with office.open() as other:
        for session in (enrolled, other):
            list(session.events(0))
        enrolled.rotate_keys(ANN)
        for session in (enrolled, other):
            session.protect(ANN, b"x")
            assert [one.kind for one in session.events(0)] == [mam.EventKind.DATA_PROTECTION_CHANGED]


def test_only_managed_accounts_have_keys_to_rotate(m: mam.Mam, office: Office) -> None:
    with pytest.raises(mam.NotEnrolledError):
        m.rotate_keys(ANN)
    with pytest.raises(mam.ArgumentError):
        m.rotate_keys("")
    m.register_and_enroll(ANN).wait(30)
    with pytest.raises(mam.NotEnrolledError):
        m.rotate_keys(EVE)
