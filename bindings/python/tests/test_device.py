"""Whose the device is: what changes from one open to the next."""

from __future__ import annotations

import mam
import pytest
from conftest import ANN, BEN, Office
from mam import EventKind, StatusCode

ONLY_ANN = {"managedAppConfig": {"IntuneMAMUPN": ANN, "IntuneMAMAllowedAccountsOnly": "Enabled"}}


def test_changes_are_events(office: Office) -> None:
    with office.open(device=ONLY_ANN) as session:
        (event,) = session.events(timeout=0)
        assert event.kind == EventKind.ALLOWED_ACCOUNTS_DID_CHANGE
        assert event.allowed_accounts == (ANN,)
    with office.open(device={"mdmAccountId": "someone"}) as session:
        allowed, device = session.events(timeout=0)
        assert (allowed.kind, allowed.allowed_accounts) == (EventKind.ALLOWED_ACCOUNTS_DID_CHANGE, None)
        assert (device.kind, device.mdm_account) == (EventKind.MDM_ACCOUNT_DID_CHANGE, "someone")


def test_an_account_that_has_to_go(office: Office) -> None:
    with office.open() as session:
        assert session.register_and_enroll(BEN).wait(30)
        sealed = session.protect(BEN, b"kept")
    with office.open(device=ONLY_ANN) as session:
        told = [event.status.code for event in session.events(timeout=0) if event.status is not None]
        assert told == [StatusCode.NOT_DEVICE_ACCOUNT]
        with pytest.raises(mam.DeniedError) as denied:
            session.unprotect(sealed)
        assert denied.value.original_code == StatusCode.NOT_DEVICE_ACCOUNT
    with office.open(device={}) as session:
        assert session.unprotect(sealed) == b"kept"
