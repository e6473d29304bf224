"""Whose the device is: what changes from one open to the next."""

from __future__ import annotations

import mam
import pytest
from conftest import ANN, BEN, POLICY, Office
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


def test_it_changes_while_sessions_are_open(office: Office) -> None:
    """In the session that states it, in another one of the app, and in another app of the group."""
    group = {"group": "com.example"}
    with office.open(**group) as m, office.open(**group) as same, office.open(app="com.example.mail", **group) as mail:
        m.set_device({"mdmAccountId": "someone", **ONLY_ANN})
        for session in (m, same, mail):
            assert (session.allowed_accounts(), session.mdm_account()) == ([ANN], "someone")
            told = [(one.allowed_accounts, one.mdm_account) for one in session.events(timeout=0)]
            assert told == [((ANN,), None), (None, "someone")]
        mail.set_device(None)
        for session in (m, same, mail):
            assert (session.allowed_accounts(), session.mdm_account()) == (None, None)
            assert [one.kind for one in session.events(timeout=0)] == [
                EventKind.ALLOWED_ACCOUNTS_DID_CHANGE, EventKind.MDM_ACCOUNT_DID_CHANGE,
            ]  # fmt: skip


def test_statements_that_are_none(office: Office) -> None:
    with office.open(device=ONLY_ANN) as m:
        with pytest.raises(mam.JSONError):
            m.set_device({"mdmAccount": "someone"})
        with pytest.raises(mam.ArgumentError):
            m.set_device({"lock": "maybe"})
        assert m.allowed_accounts() == [ANN]
        m.set_device({"managedAppConfig": {"IntuneMAMUPN": ANN, "IntuneMAMAllowedAccountsOnly": "perhaps"}})
        warning = next(one for one in m.events(timeout=0) if one.kind == EventKind.WARNING)
        assert "perhaps" in (warning.message or "") and m.allowed_accounts() == [ANN]


def test_a_lock_counts_at_once(office: Office) -> None:
    """In every session of the app."""
    office.authority.import_policy({**POLICY, "id": office.policy.id, "disableAppPinIfDevicePinIsSet": True})
    with office.open() as m, office.open() as same:
        assert m.register_and_enroll(ANN).wait(30)
        for lock, asks in (("on", False), ("off", True), ("on", False)):
            m.set_device({"lock": lock})
            for session in (m, same):
                with session.policy(ANN) as policy:
                    assert policy.is_pin_required is asks
                (known,) = [one.state for one in session.device_health().signals if one.signal == "deviceLock"]
                assert known == ("fail" if asks else "ok")


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
