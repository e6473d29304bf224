"""Settings from an Info.plist: typed, reported with their source, and the same from XML and binary."""

from __future__ import annotations

import json
import os
import plistlib
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import APP, Office

ROOT = Path(__file__).resolve().parents[3]
VECTORS = ROOT / "vectors" / "plist"
SHARED = Path(os.environ.get("MAM_SHARED_DATA", ROOT.parent / "shared" / "data")) / "plists"


def warnings(m: mam.Mam) -> list[str]:
    return [event.message for event in m.events(timeout=0) if isinstance(event, mam.WarningEvent)]


@pytest.mark.parametrize("form", ["xml", "binary"])
def test_every_value_arrives_unchanged(office: Office, form: str) -> None:
    expected: dict[str, Any] = json.loads((VECTORS / "Info.json").read_text())
    with office.open(settings={}, info_plist=VECTORS / f"Info.{form}.plist") as m:
        effective = m.effective_settings()
        assert {key: effective[key].value for key in expected} == expected
        assert {key for key, one in effective.items() if one.source == "infoPlist"} == set(expected)
        assert m.settings()["app"]["group"] == expected["AppGroupIdentifiers"][0]
        assert m.settings()["infoPlist"] == str(VECTORS / f"Info.{form}.plist")
        assert warnings(m) == []


def test_settings_override_it_and_report_so(office: Office) -> None:
    path = VECTORS / "Info.xml.plist"
    with office.open(settings={"MAMPolicyRequired": False}, info_plist=path) as m:
        one = m.effective_settings()["MAMPolicyRequired"]
        assert (one.value, one.source) == (False, "settings")
        assert one.over == (mam.SettingStatement("infoPlist", True),)


def test_one_without_the_dictionary_changes_nothing_and_warns(office: Office) -> None:
    with office.open(settings={}, info_plist=VECTORS / "Info.unconfigured.plist") as m:
        assert {one.source for one in m.effective_settings().values()} == {"default"}
        (warning,) = warnings(m)
        assert "IntuneMAMSettings" in warning


def test_settings_without_effect_say_why(office: Office) -> None:
    with office.open(settings={}) as m:
        effective = m.effective_settings()
        assert len(effective) >= 39
        for one in effective.values():
            assert (one.note is None) == (one.effect == "applies"), one


def test_a_relative_path_starts_at_the_working_directory(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(VECTORS)
    with office.open(settings={}, info_plist="Info.xml.plist") as m:
        assert m.settings()["infoPlist"] == str(VECTORS / "Info.xml.plist")


@pytest.mark.parametrize("path", sorted(SHARED.glob("*Info*.plist")) or [None], ids=lambda path: path.name if path else "none")
@pytest.mark.parametrize("form", [plistlib.FMT_XML, plistlib.FMT_BINARY], ids=["xml", "binary"])
def test_plists_of_real_apps(office: Office, tmp_path: Path, path: Path | None, form: Any) -> None:
    if path is None:
        pytest.skip("no shared data")
    content = plistlib.loads(path.read_bytes())
    again = tmp_path / "Info.plist"
    again.write_bytes(path.read_bytes() if form is plistlib.FMT_XML else plistlib.dumps(content, fmt=form))
    with office.open(settings={}, info_plist=again) as m:
        effective = m.effective_settings()
        given = {key: one.value for key, one in effective.items() if one.source == "infoPlist"}
        assert given == content.get("IntuneMAMSettings", {})


@pytest.mark.parametrize(
    ("settings", "redirect"),
    [
        ({"ADALRedirectUri": "a://b", "ADALRedirectScheme": "c"}, "a://b"),
        ({"ADALRedirectScheme": "c"}, f"c://{APP}"),
        ({}, None),
    ],
)
def test_the_host_gets_the_sign_in_settings(office: Office, settings: dict[str, Any], redirect: str | None) -> None:
    asked: list[mam.Question] = []
    with office.open(settings={"ADALClientId": "id", **settings}) as m:
        m.set_override("ADALAuthority", "https://login.example")
        m.set_delegate(asked.append)
        assert m.login_and_enroll().wait(30).code == mam.StatusCode.LOGIN_CANCELED
    (question,) = asked
    assert isinstance(question, mam.SignInQuestion)
    assert (question.authority, question.client_id) == ("https://login.example", "id")
    assert question.redirect_uri == redirect


SEALED = {
    "@odata.type": "#libmam.linuxManagedAppProtection",
    "displayName": "Sealed",
    "appDataEncryptionType": "whenDeviceLocked",
}


def test_a_lowered_setting_names_its_cause(office: Office) -> None:
    ann = "ann@contoso.example"
    office.authority.assign(office.authority.import_policy(SEALED).policies[0].id, all_users=True)
    for each in office.authority.policies():
        office.authority.target(each.id, all_apps=True)
    with office.open(settings={"MaxFileProtectionLevel": "NSFileProtectionNone"}) as m:
        assert m.register_and_enroll(ann).wait(30)
        with m.policy(ann) as policy:
            effective = {one.setting: one for one in policy.effective().settings}
            assert not policy.is_file_encryption_required
    assert effective["appDataEncryptionType"].value == "useDeviceSettings"
    assert effective["appDataEncryptionType"].capped_by == "MaxFileProtectionLevel"
    assert effective["printBlocked"].capped_by is None


def test_a_test_policy_from_a_settings_bundle(office: Office) -> None:
    ann = "ann@contoso.example"
    bundle = ROOT / "examples" / "policies" / "MAMDebugSettings.plist"
    with pytest.raises(mam.ArgumentError, match="DebugSettingsEnabled"):
        office.open(test_policy=bundle)
    with office.open(settings={"DebugSettingsEnabled": True}, test_policy=bundle) as m:
        assert m.policy_source() is mam.PolicySource.TEST
        (account,) = m.registered_accounts()
        assert account.test and account.upn == ann
        with m.policy(ann) as policy:
            assert policy.effective().source == "test"
            assert not policy.is_print_allowed
            values = {one.setting: one.value for one in policy.effective().settings}
        assert values["minimumPinLength"] == 6
        assert values["allowedOutboundClipboardSharingLevel"] == "managedAppsWithPasteIn"
        assert "localStorage" in values["allowedDataStorageLocations"]
        assert any("TEST POLICY" in text for text in warnings(m))
