"""Each property, absent, null, of a wrong type and with an unknown member, in a policy for each platform: the reading follows
docs/properties.md, and only a property that the page marks wipes.

The rows are the library's own list (`mam.policy_properties`), from which the page is made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mam
import pytest
from conftest import ANN, APP, Office
from test_each_property import BESIDE, LINKS, PREDICATES

TYPES = {
    "ios": "#microsoft.graph.iosManagedAppProtection",
    "android": "#microsoft.graph.androidManagedAppProtection",
    "windows": "#microsoft.graph.windowsManagedAppProtection",
    "default": "#microsoft.graph.defaultManagedAppProtection",
    "linux": "#libmam.linuxManagedAppProtection",
}
PROPERTIES = [
    one
    for one in mam.policy_properties()
    if one.status != "descriptive" and one.property not in ("apps", "assignments", "appGroupType")
]
READ = [one for one in PROPERTIES if one.kind is not None]
SDK, SYSTEM = "SdkVersion", ("OsVersion", "allowedIosDeviceModels", "appActionIfIosDeviceModelNotAllowed")
#: The action that makes each condition a wipe, if it is understood.
WIPING = {
    "deviceComplianceRequired": "appActionIfDeviceComplianceRequired",
    "deviceLockRequired": "appActionIfDeviceLockNotSet",
    "allowedIosDeviceModels": "appActionIfIosDeviceModelNotAllowed",
    "maximumAllowedDeviceThreatLevel": "mobileThreatDefenseRemediationAction",
    "pinRequired": "appActionIfMaximumPinRetriesExceeded",
    "maximumPinRetries": "appActionIfMaximumPinRetriesExceeded",
}
#: Per kind, a value of a wrong type and an unknown one.
ODD: dict[str, tuple[Any, ...]] = {
    "flag": ("yes", 1),
    "level": (7, "unheardOf"),
    "number": ("many", -1),
    "duration": (720, "a while"),
    "minimumVersion": (14, "latest"),
    "maximumVersion": (14, "latest"),
    "exceptions": ("all", ["unheard of"]),
    "allowOnly": ({"a": 1}, [7]),
    "text": ([1], {}),
    "scheme": ([1], "https"),
}


class Desk:
    """Ann, whose device fails every check of a policy, and who is disabled."""

    def __init__(self, office: Office, session: mam.Mam, policy: mam.Policy) -> None:
        self.authority, self.session, self.policy = office.authority, session, policy
        self.id = office.policy.id

    def under(self, platform: str, members: dict[str, Any]) -> dict[str, Any]:
        """Put Ann under a policy with these members, and collect the answers."""
        self.authority.remove_policy(self.id)
        imported = self.authority.import_policy({"@odata.type": TYPES[platform], "displayName": "P", **members})
        (one,) = imported.policies
        self.id = one.id
        if platform != "default":
            self.authority.assign(one.id, all_users=True)
            self.authority.target(one.id, all_apps=True)
        status = self.session.check_in(ANN).wait(30)
        assert status.code in (100, 101), (members, status)
        policy = self.policy
        report = self.session.conditional_launch(ANN)
        return {
            "warnings": [warning.setting for warning in imported.warnings if warning.kind == "value"],
            "settings": {setting.setting: setting.value for setting in policy.effective().settings},
            "predicates": {name: getattr(policy, short) for name, short in PREDICATES.items()},
            "notification": policy.notification,
            "pickers": [policy.is_document_picker_allowed(mode) for mode in mam.PickerMode],
            "save": [policy.save_to_locations(other) for other in (None, ANN)],
            "open": [policy.open_from_locations(other) for other in (None, ANN)],
            "links": [(policy.url(url).allowed, policy.url(url).instead, policy.is_universal_link_allowed(url)) for url in LINKS],
            "clipboard": [policy.clipboard(length).allowed for length in (1, 100_000)],
            "pin": self.session.pin_status(ANN),
            "launch": {(one.check, one.action, one.setting) for one in report.findings},
            "closed": self.session.blocked_reason(ANN) != mam.BlockReason.NONE,
            "elsewhere": {one.setting for one in report.not_applicable},
        }


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    office = Office.make(tmp_path_factory.mktemp("office"))
    device = {"lock": "off", "platform": "linux", "version": "5.0", "model": "Toaster"}
    with office.open(version="1.0", device=device) as session, session.policy(ANN) as policy:
        assert session.register_and_enroll(ANN).wait(30).succeeded
        session.report_device_health(threat_level="high", compliant=False, signals={"work.time": "fail"})
        office.authority.set_user(ANN, enabled=False)
        yield Desk(office, session, policy)


@pytest.fixture(scope="module")
def silent(desk: Desk) -> dict[str, dict[str, Any]]:
    """The answers under an empty policy, for each platform."""
    return {platform: desk.under(platform, {}) for platform in TYPES}


def counts(one: mam.KnownProperty, platform: str) -> bool:
    """Whether the page says that a value of it has an effect in a policy for a platform."""
    if one.property.endswith("AppVersion") or one.property.endswith(SDK):
        return platform == "linux"
    if platform == "windows" and platform not in one.platforms:
        return False
    return platform == "linux" or not one.property.endswith(SYSTEM)


def beside(one: mam.KnownProperty) -> dict[str, Any]:
    return BESIDE.get(one.property, [{}])[0]


def answers(found: dict[str, Any]) -> dict[str, Any]:
    """The answers without the record of how they were written, and without the offline check: time passes between two
    calls."""
    kept = {key: value for key, value in found.items() if key not in ("warnings", "settings", "elsewhere")}
    return {**kept, "launch": {one for one in kept["launch"] if one[0] != "offline"}}


@pytest.mark.parametrize("one", PROPERTIES, ids=lambda one: str(one.property))
def test_null_is_absent(desk: Desk, silent: dict[str, dict[str, Any]], one: mam.KnownProperty) -> None:
    assert desk.under("linux", {one.property: None}) == silent["linux"]


@pytest.mark.parametrize("platform", TYPES)
def test_all_of_them_null_are_absent(desk: Desk, silent: dict[str, dict[str, Any]], platform: str) -> None:
    found = desk.under(platform, {one.property: None for one in PROPERTIES})
    assert found == silent[platform]
    assert not found["warnings"]


@pytest.mark.parametrize("platform", TYPES)
def test_absent_values_follow_the_page(silent: dict[str, dict[str, Any]], platform: str) -> None:
    """An empty policy restricts nothing: the device, the clock-out and the disabled user have no effect."""
    found = silent[platform]
    assert found["settings"] == {}
    # The periods without a check-in apply by default, and have only begun.
    assert found["launch"] == set()
    restricting = {name for name, answer in found["predicates"].items() if answer is ("required" in name or "encrypt" in name)}
    assert restricting == set()


@pytest.mark.parametrize("platform", TYPES)
@pytest.mark.parametrize("one", READ, ids=lambda one: str(one.property))
def test_misread_values(desk: Desk, silent: dict[str, dict[str, Any]], one: mam.KnownProperty, platform: str) -> None:
    assert one.kind is not None
    for value in ODD[one.kind]:
        found = desk.under(platform, {**beside(one), one.property: value})
        assert not any(action == "wipe" for _, action, _ in found["launch"]), value
        if not counts(one, platform):
            assert one.property not in found["settings"]
            # Hosts on the platform would be checked against it.
            judges_others = one.property.endswith(SYSTEM) and (platform != "windows" or platform in one.platforms)
            assert found["warnings"] == ([one.property] if judges_others else [])
            assert answers(found) == answers(desk.under(platform, beside(one)))
            continue
        assert found["warnings"] == [one.property], value
        # The substitute value is the page's, and decides as if it had been stated.
        if found["closed"]:  # its handle shows lock-down's settings
            assert ("disabledAccount", one.misread, one.property) in found["launch"]
        else:
            assert found["settings"].get(one.property) == one.misread
        if one.misread not in (None, []) and not one.property.startswith(("minimum", "maximum")):
            said = desk.under(platform, {**beside(one), one.property: one.misread})
            assert answers(found) == answers(said), value


@pytest.mark.parametrize("platform", TYPES)
@pytest.mark.parametrize("condition", WIPING)
def test_a_misread_condition_wipes_nothing(desk: Desk, condition: str, platform: str) -> None:
    one = next(one for one in PROPERTIES if one.property == condition)
    assert one.kind is not None
    for value in ODD[one.kind]:
        found = desk.under(platform, {"pinRequired": True, condition: value, WIPING[condition]: "wipe"})
        assert not any(action == "wipe" for _, action, _ in found["launch"]), value
        assert found["pin"] is None or found["pin"].wipe_after is None


@pytest.mark.parametrize("platform", TYPES)
@pytest.mark.parametrize("one", READ, ids=lambda one: str(one.property))
def test_only_properties_that_the_page_marks_wipe(desk: Desk, one: mam.KnownProperty, platform: str) -> None:
    for value in (one.strictest, *one.names) if "appAction" in one.property else (one.strictest,):
        found = desk.under(platform, {**beside(one), one.property: value})
        wiping = {setting for _, action, setting in found["launch"] if action == "wipe"}
        assert one.wipes or not wiping, value
        if not counts(one, platform):
            assert not wiping, value


def test_everything_the_page_marks_wipes(desk: Desk) -> None:
    """Except for two that a check does not show: the last attempt at a PIN, and the authority's refusal."""
    unseen = {"appActionIfMaximumPinRetriesExceeded", "periodOfflineBeforeWipeIsEnforced"}
    for one in (one for one in READ if one.wipes and one.property not in unseen):
        found = desk.under("linux", {**beside(one), one.property: "0" if one.kind == "maximumVersion" else one.strictest})
        assert any(action == "wipe" for _, action, _ in found["launch"]), one.property
    pin = desk.under("linux", {"pinRequired": True, "appActionIfMaximumPinRetriesExceeded": "wipe"})["pin"]
    assert pin.wipe_after == 5


def test_numbers_of_other_products(desk: Desk) -> None:
    """Graph's own example, "8.1.0", of Intune's SDK and of an app that the policy names or does not name."""
    named = [{"mobileAppIdentifier": {"@odata.type": "#microsoft.graph.androidMobileAppIdentifier", "packageId": APP}}]
    for platform in TYPES:
        numbers = {"minimumWipeSdkVersion": "8.1.0", "minimumWipeAppVersion": "8.1.0"}
        alone, beside = desk.under(platform, numbers), desk.under(platform, {**numbers, "apps": named})
        if platform == "linux":
            assert ("sdkVersion", "wipe", "minimumWipeSdkVersion") in alone["launch"] and alone["elsewhere"] == set()
        else:
            assert alone["launch"] == set() and alone["elsewhere"] == set(numbers)
            assert beside["launch"] == {("appVersion", "wipe", "minimumWipeAppVersion")}
            assert beside["elsewhere"] == {"minimumWipeSdkVersion"}
        (linted,) = mam.lint({"@odata.type": TYPES[platform], "displayName": "P", **numbers})
        warned = {one.setting for one in linted.findings if one.severity == "warning" and one.kind != "wipe"}
        assert warned == (set() if platform == "linux" else set(numbers))


def test_misread_values_wipe_nothing_at_a_launch(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Every property misread at once, together with every wipe: a launch closes the account and removes nothing."""
    office = Office.make(tmp_path_factory.mktemp("office"))
    actions = dict.fromkeys(WIPING.values(), "wipe")
    misread = {one.property: ODD[one.kind][1] for one in READ if one.kind and one.property not in actions}
    with office.open(version="1.0", device={"lock": "off", "version": "5.0", "model": "Toaster"}) as session:
        assert session.register_and_enroll(ANN).wait(30).succeeded
        kept = session.protect(ANN, b"x")
        (one,) = office.authority.import_policy(
            {"@odata.type": TYPES["linux"], "displayName": "Odd", **misread, **actions}
        ).policies
        office.authority.assign(one.id, all_users=True)
        office.authority.target(one.id, all_apps=True)
        session.check_in(ANN).wait(30)
        session.report_device_health(threat_level="high", compliant=False)
        assert session.launch().wait(30).outcome == "blocked"
        office.authority.remove_policy(one.id)
        session.check_in(ANN).wait(30)
        session.report_device_health(threat_level="secured", compliant=True)
        session.launch().wait(30)
        assert [account.upn for account in session.registered_accounts()] == [ANN]
        assert session.protection_info(kept) is not None
