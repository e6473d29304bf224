"""Extensions: programs that use the accounts, policy and keys of the app that lists them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import ANN, APP, BEN, Office, in_child

SHARE = "com.example.notes.share"
ROOT = Path(__file__).resolve().parents[3]


def share(office: Office, **settings: Any) -> mam.Mam:
    """A session of the extension; its group is its app's."""
    return office.open(app=SHARE, settings={"ContainingAppBundleId": APP, **settings})


def enrolled(office: Office, **keys: Any) -> mam.Mam:
    """A session of the app, which lists the extension; Ann is enrolled."""
    m = office.open(extensions=[SHARE], **keys)
    assert m.register_and_enroll(ANN).wait(30).code == mam.StatusCode.NEW_POLICIES_RECEIVED
    return m


def test_an_unlisted_extension(office: Office) -> None:
    for keys in ({}, {}, {"extensions": ()}, {"extensions": ["com.example.notes.widget"]}):
        with pytest.raises(mam.DeniedError, match=r"com\.example\.notes with app\.extensions") as refused:
            share(office)
        assert refused.value.detail["setting"] == "app.extensions"
        office.open(**keys).close()


def test_it_works_for_the_app(office: Office, tmp_path: Path) -> None:
    with enrolled(office) as notes, share(office) as m:
        assert m.settings()["app"] == {
            "id": SHARE,
            "version": None,
            "group": APP,
            "containingApp": APP,
            "extensions": [],
        }
        assert notes.settings()["app"]["extensions"] == [SHARE]
        assert [account.upn for account in m.enrolled_accounts()] == [ANN]
        with m.policy(ANN) as policy:
            assert not policy.is_print_allowed
        assert notes.unprotect(m.protect(ANN, b"text")) == b"text"
        path = tmp_path / "file"
        path.write_bytes(b"text")
        m.file_protect(path, ANN)
        assert m.file_info(path).app == APP
        with notes.open_file(path, "rb") as file:
            assert file.read() == b"text"


@pytest.mark.parametrize(
    "call",
    [
        lambda m: m.register_and_enroll(BEN),
        lambda m: m.login_and_enroll(BEN),
        lambda m: m.check_in(),
        lambda m: m.check_in(ANN),
    ],
)
def test_enrollment_is_left_to_the_app(office: Office, call: Callable[[mam.Mam], Any]) -> None:
    with enrolled(office) as notes, share(office) as m:
        assert call(m).wait(30).code == mam.StatusCode.UNSUPPORTED_API
        for wipe in (False, True):
            with pytest.raises(mam.DeniedError, match=f"do it in {APP}"):
                m.deregister_and_unenroll(ANN, wipe=wipe)
        with pytest.raises(mam.DeniedError, match=f"do it in {APP}"):
            m.wipe_account(ANN)
        with pytest.raises(mam.DeniedError, match=APP):
            m.set_override("ADALClientId", "x")
        assert [account.upn for account in notes.enrolled_accounts()] == [ANN]


def test_removed_from_the_list_while_open(office: Office) -> None:
    with enrolled(office) as notes, share(office) as m, m.policy(ANN) as policy:
        sealed = m.protect(ANN, b"text")
        assert policy.is_contact_sync_allowed
        office.open(extensions=[]).close()
        with pytest.raises(mam.DeniedError, match=r"app\.extensions"):
            m.unprotect(sealed)
        with pytest.raises(mam.DeniedError):
            m.protect("eve@personal.example", b"personal")
        with pytest.raises(mam.DeniedError):
            _ = policy.is_contact_sync_allowed
        assert notes.unprotect(sealed) == b"text"
        office.open(extensions=[SHARE]).close()
        assert policy.is_contact_sync_allowed
        assert m.unprotect(sealed) == b"text"


def test_wiped_by_the_app_in_another_process(office: Office) -> None:
    def wipe() -> int:
        with office.open() as m:
            return int(m.wipe_account(ANN).wait(30).code)

    with enrolled(office):
        pass
    with share(office) as m, m.policy(ANN) as policy:
        sealed = m.protect(ANN, b"text")
        assert in_child(wipe) == "104"
        assert not policy.is_contact_sync_allowed
        with pytest.raises(mam.KeyUnavailableError):
            m.unprotect(sealed)


@pytest.mark.parametrize(
    ("error", "keys"),
    [
        (TypeError, {"extensions": SHARE}),
        (TypeError, {"extensions": [1]}),
        (mam.ArgumentError, {"extensions": ["a/b"]}),
        (mam.ArgumentError, {"extensions": [APP]}),
        (mam.ArgumentError, {"extensions": [f"a.b{number}" for number in range(65)]}),
        (mam.ArgumentError, {"settings": {"ContainingAppBundleId": APP}}),
        (mam.ArgumentError, {"app": SHARE, "settings": {"ContainingAppBundleId": APP}, "extensions": []}),
        (mam.ArgumentError, {"app": SHARE, "settings": {"ContainingAppBundleId": APP}, "device": {}}),
    ],
)
def test_invalid_settings(office: Office, error: type[Exception], keys: dict[str, Any]) -> None:
    with enrolled(office), pytest.raises(error):
        office.open(**keys)


def test_a_test_policy_is_the_app_s_first(office: Office) -> None:
    bundle = ROOT / "examples" / "policies" / "MAMDebugSettings.plist"

    def testing() -> mam.Mam:
        return office.open(app=SHARE, settings={"ContainingAppBundleId": APP, "DebugSettingsEnabled": True}, test_policy=bundle)

    office.open(extensions=[SHARE]).close()
    with pytest.raises(mam.DeniedError, match="containing app"):
        testing()
    with office.open(settings={"DebugSettingsEnabled": True}, test_policy=bundle) as notes, testing() as m:
        with m.policy(ANN) as policy:
            assert not policy.is_print_allowed
        assert notes.unprotect(m.protect(ANN, b"text")) == b"text"


def test_exports_use_the_app_s_keys(office: Office, tmp_path: Path) -> None:
    source, target, back = tmp_path / "source", tmp_path / "target", tmp_path / "back"
    place = mam.SaveLocation.ONEDRIVE_FOR_BUSINESS
    with enrolled(office) as notes, share(office) as m:
        source.write_bytes(m.protect(ANN, b"text"))
        m.file_export(source, place, target, location_account=ANN)
        assert b"text" not in target.read_bytes()
        notes.file_import(target, ANN, back)
        with notes.open_file(back, "rb") as file:
            assert file.read() == b"text"
        assert [each.app for each in office.authority.registrations()] == [APP]
