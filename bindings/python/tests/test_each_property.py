"""Each property alone, from its neutral to its most restrictive value: which functions' answers change.

The rows are the library's own list (`mam.policy_properties`), and its statements must hold: exactly the functions that show
a property have answers that change; a property that is not yet enforced is visible; one that is not applicable changes
nothing.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import ANN, APP, BEN, Office
from desk import OTHERS, Staff
from mam import _clock
from mam._names import python_name

PROPERTIES = mam.policy_properties()
Answers = dict[str, Any]
MANAGED = {"allowedInboundDataTransferSources": "managedApps", "allowedOutboundDataTransferDestinations": "managedApps"}
BROWSER = {"managedBrowserToOpenLinksRequired": True}
LINKS = [
    "https://contoso.example/a",
    "https://maps.apple.com/",
    "https://zoom.us/j/1",
    "tel:1",
    "sms:1",
    "skype:bob",
    "zoommtg://join",
]
#: Settings without which a property has no effect; empty if it works alone. Each is tried.
BESIDE: dict[str, list[dict[str, Any]]] = {
    "allowedOutboundDataTransferDestinations": [{"encryptAppData": True}],
    "saveAsBlocked": [MANAGED],
    "allowedDataStorageLocations": [{**MANAGED, "saveAsBlocked": True}],
    "blockDataIngestionIntoOrganizationDocuments": [MANAGED],
    "allowedDataIngestionLocations": [{**MANAGED, "blockDataIngestionIntoOrganizationDocuments": True}],
    "appDataEncryptionType": [MANAGED, {}],
    "encryptAppData": [MANAGED, {}],
    "disableAppPinIfDevicePinIsSet": [{"pinRequired": True}],
    "managedBrowser": [{**BROWSER, "customBrowserProtocol": "fx"}],
    "customBrowserProtocol": [BROWSER],
    "exemptedAppProtocols": [MANAGED],
    "exemptedUniversalLinks": [{**MANAGED, **BROWSER}],
    "managedUniversalLinks": [{**MANAGED, **BROWSER}],
    "customDialerAppProtocol": [{"dialerRestrictionLevel": "customApp"}],
    "messagingRedirectAppUrlScheme": [{"protectedMessagingRedirectAppType": "specificApps"}],
    "allowedOutboundClipboardSharingExceptionLength": [{"allowedOutboundClipboardSharingLevel": "managedApps"}],
    "filterOpenInToOnlyManagedApps": [MANAGED],
    "pinRequired": [{"periodOnlineBeforeAccessCheck": "PT0S"}],
    "fingerprintBlocked": [{"pinRequired": True, "periodOnlineBeforeAccessCheck": "PT0S"}],
    "faceIdBlocked": [{"pinRequired": True, "periodOnlineBeforeAccessCheck": "PT0S"}],
    "biometricAuthenticationBlocked": [{"pinRequired": True, "periodOnlineBeforeAccessCheck": "PT0S"}],
    "pinRequiredInsteadOfBiometricTimeout": [{"pinRequired": True, "periodOnlineBeforeAccessCheck": "PT0S"}],
    "periodOnlineBeforeAccessCheck": [{"pinRequired": True}],
    "maximumPinRetries": [{"pinRequired": True}],
    "appActionIfMaximumPinRetriesExceeded": [{"pinRequired": True}],
    "simplePinBlocked": [{"pinRequired": True}],
    "minimumPinLength": [{"pinRequired": True}],
    "pinCharacterSet": [{"pinRequired": True}],
    "periodBeforePinReset": [{"pinRequired": True}],
    "previousPinBlockCount": [{"pinRequired": True}],
    "appActionIfDeviceComplianceRequired": [{"deviceComplianceRequired": True}],
    "appActionIfDeviceLockNotSet": [{"deviceLockRequired": True}],
    "appActionIfIosDeviceModelNotAllowed": [{"allowedIosDeviceModels": "iPhone1,2"}],
    "mobileThreatDefenseRemediationAction": [{"maximumAllowedDeviceThreatLevel": "low"}],
    "gracePeriodToBlockAppsDuringOffClockHours": [{"appActionIfAccountIsClockedOut": "block"}],
}
#: The neutral value of properties that have no single one.
NEUTRAL: dict[str, Any] = {
    "customBrowserProtocol": "fx",
    "customDialerAppProtocol": "dial",
    "messagingRedirectAppUrlScheme": "talk",
    "exemptedAppProtocols": [{"name": "a", "value": "skype;zoommtg"}],
    "exemptedUniversalLinks": ["https://contoso.example/*", "https://maps.apple.com"],
    "managedUniversalLinks": ["https://contoso.example/*", "https://zoom.us/*"],
    "periodOfflineBeforeAccessCheck": "P10000D",
    "periodOnlineBeforeAccessCheck": "P1D",
    "pinRequiredInsteadOfBiometricTimeout": "P1D",
    "gracePeriodToBlockAppsDuringOffClockHours": "P1D",
    "appActionIfAccountIsClockedOut": None,
    "allowedIosDeviceModels": "Toaster",
}
#: The most restrictive value, if a policy cannot contain the list's own: an empty list of models counts as none.
STRICT: dict[str, Any] = {"allowedIosDeviceModels": "iPhone1,2"}
#: Values without an order: a scheme gives another answer, not a stricter one.
UNORDERED = {
    "managedBrowser",
    "customBrowserProtocol",
    "managedUniversalLinks",
    "customDialerAppProtocol",
    "messagingRedirectAppUrlScheme",
}
#: Programs that data may be shared with: unmanaged apps, and the schemes of managed and of other apps.
TARGETS = [mam.ShareTarget(app_id="com.example.games"), mam.ShareTarget(scheme="mail-intunemam"), mam.ShareTarget(scheme="mailto")]


def clipboard(staff: Staff) -> list[bool]:
    lengths = (1, 100_000)
    with staff.session.policy(BEN) as theirs:
        out = [staff.policy.clipboard(length, other).allowed for length in lengths for other in OTHERS.values()]
        return out + [theirs.clipboard(length, ANN).allowed for length in lengths]


def notification(staff: Staff) -> list[bool]:
    level = staff.policy.notification
    return [level != mam.NotificationPolicy.BLOCK, level == mam.NotificationPolicy.ALLOW]


def sharing(staff: Staff) -> list[bool]:
    remaining = staff.policy.filter_share_targets(TARGETS).remaining
    return [one in remaining for one in TARGETS]


def web_view(staff: Staff) -> list[Any]:
    """A viewer of an external page that acts for Ann."""
    seen = [staff.policy.web_view(url, external=True) for url in LINKS]
    links = [(one.url.allowed, one.url.instead) for one in seen if one.url is not None]
    return [seen[0].upload.allowed, seen[0].paste.allowed, ("limit", seen[0].paste.limit), *links]


def exported(staff: Staff, data: dict[str, bytes]) -> list[Any]:
    """Ann's file exported to her own and a colleague's locations: whether it is allowed, and in which form."""
    source, target = staff.folder / "source", staff.folder / "target"
    source.write_bytes(data["own"])
    places = [(mam.SaveLocation.SHAREPOINT, ANN), (mam.SaveLocation.SHAREPOINT, BEN), (mam.SaveLocation.OTHER, ANN)]
    return [
        moved(lambda: staff.session.file_export(source, place, target, location_account=account), target)
        for place, account in places
    ]


def imported(staff: Staff, data: dict[str, bytes]) -> list[Any]:
    """A colleague's file and one without an owner imported for Ann, and the latter for no account."""
    source, target = staff.folder / "source", staff.folder / "target"
    found: list[Any] = []
    for one, receiver in [(data["colleague"], ANN), (b"x", ANN), (b"x", "")]:
        source.write_bytes(one)
        found.append(moved(lambda: staff.session.file_import(source, receiver, target), target))
    return found


def moved(move: Callable[[], None], target: Path) -> Any:
    """False, or how widely it can be read: more is less restrictive."""
    target.unlink(missing_ok=True)
    with contextlib.suppress(mam.DeniedError):
        move()
        return ("plain",) if target.read_bytes() == b"x" else ("sealed",)
    return False


def readable(staff: Staff, data: dict[str, bytes]) -> Answers:
    """Whether Ann's data is read ten seconds after the screen was locked."""
    path = staff.folder / "sealed"
    with staff.session.open_file(path, "wb", account=ANN) as file:
        file.write(b"x")
    staff.session.report_screen_lock(mam.ScreenState.LOCKED)
    _clock.advance(11)

    def reads(read: Callable[[], object]) -> bool:
        try:
            read()
        except mam.LockedError:
            return False
        return True

    answers = {
        "mam_unprotect": [reads(lambda: staff.session.unprotect(data["own"]))],
        "mam_file_open": [reads(lambda: staff.session.open_file(path, "rb").close())],
    }
    staff.session.report_screen_lock(mam.ScreenState.UNLOCKED)
    return answers


PREDICATES = {
    "mam_policy_" + name: name
    for name, kind in vars(mam.Policy).items()
    if isinstance(kind, property) and name.startswith(("is_", "are_", "should_"))
}


@pytest.fixture(scope="module")
def staff(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Staff]:
    """Staff whose device fails every check of a policy, and who have a PIN."""
    with Staff.of(Office.make(tmp_path_factory.mktemp("office"))) as staff:
        staff.session.report_device_health(threat_level="high", compliant=False, signals={"work.time": "fail"})
        staff.put([{"pinRequired": True}])
        staff.session.pin_set(ANN, "2580")
        for side, other in OTHERS.items():
            (staff.folder / side).touch()
            if other:
                staff.session.file_protect(staff.folder / side, other)
        yield staff
    _clock.reset()


@contextlib.contextmanager
def disabled(staff: Staff) -> Iterator[None]:
    staff.authority.set_user(ANN, enabled=False)
    staff.session.check_in(ANN).wait(30)
    yield
    staff.authority.set_user(ANN, enabled=True)
    staff.session.check_in(ANN).wait(30)


@contextlib.contextmanager
def a_second_later(staff: Staff) -> Iterator[None]:
    time.sleep(1.1)
    yield


#: Events that must happen before the difference is visible.
SITUATIONS: dict[str, Callable[[Staff], contextlib.AbstractContextManager[None]]] = {
    "appActionIfUnableToAuthenticateUser": disabled,
    "periodOfflineBeforeWipeIsEnforced": a_second_later,
}


def permissive(name: str, answer: bool) -> bool:
    return answer is not ("required" in name or "encrypt" in name)


def answers(staff: Staff, data: dict[str, bytes]) -> Answers:
    """The answers of each function, as bools where True allows more."""
    policy = staff.policy
    found: Answers = {name: [permissive(name, getattr(policy, short))] for name, short in PREDICATES.items()}
    found["mam_conditional_launch"] = [
        {(one.check, one.action, one.setting) for one in staff.session.conditional_launch(ANN).findings}
    ]
    if staff.session.blocked_reason(ANN) != mam.BlockReason.NONE:
        assert not any(found[name][0] for name in PREDICATES), "a blocked account answers closed"
        return {"mam_conditional_launch": found["mam_conditional_launch"]}
    with staff.locked():
        found["mam_policy_is_pin_required"].append(not policy.is_pin_required)
    found["mam_policy_is_document_picker_allowed"] = [policy.is_document_picker_allowed(mode) for mode in mam.PickerMode]
    others = OTHERS.values()
    found["mam_policy_is_save_to_allowed"] = [policy.is_save_to_allowed(one, other) for one in mam.SaveLocation for other in others]
    found["mam_policy_is_open_from_allowed"] = [
        policy.is_open_from_allowed(one, other) for one in mam.OpenLocation for other in others
    ]
    found["mam_policy_can_receive_file"] = [policy.can_receive_file(staff.folder / side) for side in OTHERS]
    found["mam_file_export"], found["mam_file_import"] = exported(staff, data), imported(staff, data)
    found["mam_policy_can_receive_data"] = [policy.can_receive_data(one) for one in data.values()]
    found["mam_policy_is_url_allowed"] = [policy.is_url_allowed(url) for url in LINKS]
    found["mam_policy_is_universal_link_allowed"] = [policy.is_universal_link_allowed(url) for url in LINKS]
    found["mam_policy_clipboard"] = clipboard(staff)
    found["mam_policy_notification"] = notification(staff)
    found["mam_policy_filter_share_targets"] = sharing(staff)
    found["mam_pin_status"] = [staff.session.pin_status(ANN)]
    found["mam_policy_url"] = [(policy.url(url).allowed, policy.url(url).instead) for url in LINKS]
    found["mam_policy_web_view"] = web_view(staff)
    return found


def under(staff: Staff, policy: dict[str, Any]) -> Answers:
    # Data is labelled under no restriction, so that only the policy decides what may be received.
    staff.put([{"@odata.type": "#libmam.linuxManagedAppProtection", **policy}])
    data = {side: staff.session.protect(other, b"x") if other else b"x" for side, other in OTHERS.items()}
    situation = next((SITUATIONS[name] for name in policy if name in SITUATIONS), None)
    with situation(staff) if situation else contextlib.nullcontext():
        screen = readable(staff, data) if "appDataEncryptionType" in policy else {}
        return answers(staff, data) | screen


def turned(staff: Staff, one: mam.KnownProperty) -> None:
    changed: set[str] = set()
    for beside in BESIDE.get(one.property, [{}]):
        before = under(staff, {**beside, one.property: NEUTRAL.get(one.property, one.neutral)})
        after = under(staff, {**beside, one.property: STRICT.get(one.property, one.strictest)})
        assert under(staff, {**beside, one.property: NEUTRAL.get(one.property, one.neutral)}) == before
        assert set(after) == set(before) or one.property == "appActionIfUnableToAuthenticateUser"
        changed |= {name for name in after if before[name] != after[name]}
        for name in after:
            if one.property not in UNORDERED:
                looser = [new > old for old, new in zip(before[name], after[name], strict=True) if isinstance(old, bool)]
                assert not any(looser), f"{one.property} makes {name} looser"
    # mam_conditional_launch reports what a launch would do, without doing it.
    assert {python_name(name) for name in changed} == set(one.shown_by) - {"Mam.launch"}


def asked(staff: Staff, policy: dict[str, Any]) -> list[tuple[str, Any]]:
    """The questions of a launch to Ann, who has entered her PIN before and answers every question."""
    questions: list[tuple[str, Any]] = []

    def ask(question: mam.Question, answer: str) -> str | None:
        if question.upn != ANN:
            return None
        questions.append((question.kind, getattr(question, "methods", ())))
        return answer

    staff.put([policy])
    staff.session.pin_verify(ANN, "2580")
    staff.session.on_question(mam.PIN)(lambda question: ask(question, "2580"))
    staff.session.on_question(mam.AUTHENTICATE)(lambda question: ask(question, "biometrics"))
    staff.session.launch().wait(30)
    # Ben, who has no PIN, stays closed until another launch.
    staff.put([{}])
    assert staff.session.launch().wait(30)
    return questions


def reach(value: Any) -> Callable[[Staff, str], tuple[Any, ...]]:
    def explained(staff: Staff, name: str) -> tuple[Any, ...]:
        document = {"@odata.type": "#libmam.linuxManagedAppProtection", "id": "reached", "displayName": "Reached", name: value}
        staff.authority.import_policy(document)
        if name != "assignments":
            staff.authority.assign("reached", all_users=True)
        try:
            return next((one.why, one.delivered) for one in mam.explain(staff.authority, ANN, APP).policies if one.id == "reached")
        finally:
            staff.authority.remove_policy("reached")

    return explained


#: mam_policy_explain reports targeting: two values, and the result of each.
TARGETING: dict[str, tuple[Any, Any]] = {
    "apps": ([], [{"mobileAppIdentifier": {"bundleId": APP}}]),
    "assignments": ([], [{"target": {"@odata.type": "#microsoft.graph.allLicensedUsersAssignmentTarget"}}]),
    "appGroupType": ("selectedPublicApps", "allApps"),
}


@pytest.mark.parametrize("one", PROPERTIES, ids=lambda one: str(one.property))
def test_a_property(staff: Staff, one: mam.KnownProperty) -> None:
    if one.status == "notEnforced":
        pytest.skip(f"pending: {', '.join(one.waits_for)}")
    if one.property in TARGETING:
        less, more = (reach(value)(staff, one.property) for value in TARGETING[one.property])
        assert less != more and not less[-1]
        assert one.shown_by == ("mam.explain",)
    elif one.shown_by == ("Mam.launch",):
        beside, neutral = BESIDE[one.property][0], NEUTRAL.get(one.property, one.neutral)
        assert asked(staff, {**beside, one.property: neutral}) != asked(staff, {**beside, one.property: one.strictest})
    elif one.status == "enforced":
        turned(staff, one)
    else:
        assert one.note and not one.shown_by
        # The test gives the policy an id; "isAssigned" and the like take any value.
        values = (True, "block", 7, ["x"]) if one.status == "notApplicable" else ("x",) if one.property != "id" else ()
        nothing = under(staff, MANAGED)
        for value in values:
            assert under(staff, {**MANAGED, one.property: value}) == nothing
