"""The device's account, and its changes from one open to the next."""

from __future__ import annotations

import mam
import pytest
from conftest import ANN, BEN, POLICY, Office
from mam import EventKind, StatusCode

ONLY_ANN = {"managedAppConfig": {"IntuneMAMUPN": ANN, "IntuneMAMAllowedAccountsOnly": "Enabled"}}


def test_changes_are_events(office: Office) -> None:
    with office.open(device=ONLY_ANN) as session:
        (event,) = session.events(timeout=0)
        assert event.kind == EventKind.ALLOWED_ACCOUNTS_CHANGED and isinstance(event, mam.AllowedAccountsEvent)
        assert event.allowed_accounts == (ANN,)
    with office.open(device={"mdmAccountId": "someone"}) as session:
        allowed, device = session.events(timeout=0)
        assert isinstance(allowed, mam.AllowedAccountsEvent) and isinstance(device, mam.MDMAccountEvent)
        assert (allowed.kind, allowed.allowed_accounts) == (EventKind.ALLOWED_ACCOUNTS_CHANGED, None)
        assert (device.kind, device.mdm_account) == (EventKind.MDM_ACCOUNT_CHANGED, "someone")


def test_it_changes_while_sessions_are_open(office: Office) -> None:
    """In the session that states it, in another one of the app, and in another app of the group."""
    group = {"group": "com.example"}
    with office.open(**group) as m, office.open(**group) as same, office.open(app="com.example.mail", **group) as mail:
        m.set_device({"mdmAccountId": "someone", **ONLY_ANN})
        for session in (m, same, mail):
            assert (session.allowed_accounts(), session.mdm_account()) == ([ANN], "someone")
            allowed, device = session.events(timeout=0)
            assert isinstance(allowed, mam.AllowedAccountsEvent) and allowed.allowed_accounts == (ANN,)
            assert isinstance(device, mam.MDMAccountEvent) and device.mdm_account == "someone"
        mail.set_device(None)
        for session in (m, same, mail):
            assert (session.allowed_accounts(), session.mdm_account()) == (None, None)
            assert [one.kind for one in session.events(timeout=0)] == [
                EventKind.ALLOWED_ACCOUNTS_CHANGED, EventKind.MDM_ACCOUNT_CHANGED,
            ]  # fmt: skip


def test_invalid_statements(office: Office) -> None:
    with office.open(device=ONLY_ANN) as m:
        with pytest.raises(mam.JSONError):
            m.set_device({"mdmAccount": "someone"})
        with pytest.raises(mam.ArgumentError):
            m.set_device({"lock": "maybe"})
        assert m.allowed_accounts() == [ANN]
        m.set_device({"managedAppConfig": {"IntuneMAMUPN": ANN, "IntuneMAMAllowedAccountsOnly": "perhaps"}})
        warning = next(one for one in m.events(timeout=0) if isinstance(one, mam.WarningEvent))
        assert "IntuneMAMAllowedAccountsOnly" in warning.message and m.allowed_accounts() == [ANN]


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


def test_an_account_that_must_be_removed(office: Office) -> None:
    with office.open() as session:
        assert session.register_and_enroll(BEN).wait(30)
        sealed = session.protect(BEN, b"kept")
    with office.open(device=ONLY_ANN) as session:
        reported = [event.status.code for event in session.events(timeout=0) if isinstance(event, mam.RequestEvent)]
        assert reported == [StatusCode.NOT_DEVICE_ACCOUNT]
        with pytest.raises(mam.DeniedError) as denied:
            session.unprotect(sealed)
        assert denied.value.original_code == StatusCode.NOT_DEVICE_ACCOUNT
    with office.open(device={}) as session:
        assert session.unprotect(sealed) == b"kept"
