"""Policy handles and decisions: answers, agreement between the ways to ask, and calls that never answer."""

from __future__ import annotations

import threading

import header
import mam
import pytest
from conftest import ANN, BEN, EVE, Office
from mam import OpenLocation, PickerMode, SaveLocation

PROPERTIES = {
    "is_pin_required": "pinRequired",
    "is_managed_browser_required": "managedBrowserRequired",
    "is_contact_sync_allowed": "contactSync",
    "is_widget_content_sync_allowed": "widgetContentSync",
    "is_indexing_allowed": "indexing",
    "are_assistant_intents_allowed": "assistantIntents",
    "are_app_intents_allowed": "appIntents",
    "is_app_sharing_allowed": "appSharing",
    "is_file_encryption_required": "fileEncryptionRequired",
    "should_file_provider_encrypt": "fileProviderEncrypt",
    "is_screen_capture_allowed": "screenCapture",
    "is_print_allowed": "print",
    "is_backup_allowed": "backup",
    "are_third_party_keyboards_allowed": "thirdPartyKeyboards",
}
METHODS = {
    "is_document_picker_allowed": (PickerMode.EXPORT,),
    "is_save_to_allowed": (SaveLocation.BOX, ANN),
    "is_open_from_allowed": (OpenLocation.BOX, ANN),
    "can_receive_data": (b"some bytes",),
    "can_receive_file": (__file__,),
    "is_url_allowed": ("https://contoso.example/",),
    "is_universal_link_allowed": ("https://contoso.example/",),
}


def answer(policy: mam.Policy, name: str) -> bool:
    value = getattr(policy, name)
    result = value(*METHODS[name]) if name in METHODS else value
    assert isinstance(result, bool)
    return result


def test_every_predicate_of_the_header_is_here() -> None:
    assert {"mam_policy_" + name for name in [*PROPERTIES, *METHODS]} == {
        name for name in header.CLOSED if name.startswith("mam_policy_")
    }
    for name in PROPERTIES:
        assert isinstance(vars(mam.Policy)[name], property)


def test_predicates_follow_the_policy(enrolled: mam.Mam) -> None:
    with enrolled.policy(ANN) as policy:
        assert policy.is_pin_required
        assert not policy.is_print_allowed
        assert not policy.is_backup_allowed
        assert policy.is_contact_sync_allowed
        assert not policy.is_managed_browser_required
        assert not policy.is_save_to_allowed(SaveLocation.LOCAL_DRIVE)
        assert not policy.is_save_to_allowed(SaveLocation.DROPBOX, ANN)
        assert policy.is_save_to_allowed(SaveLocation.ONEDRIVE_FOR_BUSINESS, ANN)
        assert policy.is_save_to_allowed(SaveLocation.ONEDRIVE_FOR_BUSINESS, ANN.upper().encode())
        assert not policy.is_save_to_allowed(SaveLocation.ONEDRIVE_FOR_BUSINESS, EVE)
        assert policy.can_receive_data(enrolled.protect(ANN, b"own"))
        assert not policy.can_receive_data(memoryview(b"anybody's"))


@pytest.mark.parametrize("account", [None, "", EVE])
def test_unmanaged_accounts_are_free(enrolled: mam.Mam, account: str | None) -> None:
    with enrolled.policy(account) as policy:
        for name in PROPERTIES:
            assert answer(policy, name) is ("required" not in name and "encrypt" not in name)


def test_unknown_identities_as_errors(office: Office) -> None:
    with office.open(unknown_identities="error") as session:
        with pytest.raises(LookupError):
            session.policy(EVE)
        session.policy("").close()


@pytest.mark.parametrize("account", [ANN, EVE, "", None])
def test_predicates_and_decisions_agree(enrolled: mam.Mam, account: str | None) -> None:
    with enrolled.policy(account) as policy:
        decisions = enrolled.check_many([mam.request(action, account) for action in PROPERTIES.values()])
        for (name, action), decision in zip(PROPERTIES.items(), decisions, strict=True):
            assert decision.action == action
            assert bool(decision) is answer(policy, name), action
            closed = header.CLOSED["mam_policy_" + name]
            assert (decision.required if closed else decision.allowed) is bool(decision)
            assert (decision.reason is not None) is (bool(decision) is bool(closed))


@pytest.mark.parametrize("other", [None, "", ANN, BEN, EVE])
def test_maps_and_single_questions_agree(enrolled: mam.Mam, other: str | None) -> None:
    with enrolled.policy(ANN) as policy:
        saves, opens = policy.save_to_locations(other), policy.open_from_locations(other)
        assert list(saves) == list(SaveLocation)
        assert list(opens) == list(OpenLocation)
        for save in SaveLocation:
            assert saves[save] is policy.is_save_to_allowed(save, other)
            decision = enrolled.check("saveTo", ANN, location=save, location_account=other)
            assert decision.allowed is saves[save]
        for source in OpenLocation:
            assert opens[source] is policy.is_open_from_allowed(source, other)
            decision = enrolled.check("openFrom", ANN, location=source, location_account=other)
            assert decision.allowed is opens[source]


def test_a_reason(enrolled: mam.Mam, office: Office) -> None:
    decision = enrolled.check("print", ANN)
    assert not decision
    assert decision.allowed is False and decision.required is None
    reason = decision.reason
    assert reason is not None
    assert (reason.setting, reason.value) == ("printBlocked", True)
    assert (reason.policy_id, reason.policy_name) == (office.policy.id, "Staff")
    assert reason.message
    assert enrolled.check("print", EVE).reason is None


def test_other_requests(enrolled: mam.Mam) -> None:
    assert enrolled.check("documentPicker", EVE, mode=PickerMode.MOVE).allowed
    assert enrolled.check("receive", ANN, sender=ANN).allowed
    assert not enrolled.check("receive", ANN, sender=None)
    assert enrolled.check_many([]) == []
    for broken in (
        mam.request("noSuchAction", ANN),
        mam.request("saveTo", ANN),
        mam.request("saveTo", ANN, location="noSuchPlace"),
        {"action": "print"},
    ):
        with pytest.raises(ValueError):
            enrolled.check_many([broken])
    with pytest.raises(ValueError):
        enrolled.check_many([mam.request("print", ANN)] * 1001)


def test_locations_are_not_mixed_up(enrolled: mam.Mam) -> None:
    with enrolled.policy(ANN) as policy:
        with pytest.raises(TypeError):
            policy.is_save_to_allowed(OpenLocation.PHOTOS)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            policy.is_open_from_allowed(SaveLocation.BOX)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            policy.is_save_to_allowed(2)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            policy.is_document_picker_allowed(1)  # type: ignore[arg-type]
        for account in ("nul\0inside", b"nul\0inside"):
            with pytest.raises(mam.ArgumentError):
                policy.is_save_to_allowed(SaveLocation.BOX, account)
        with pytest.raises(TypeError):
            policy.is_save_to_allowed(SaveLocation.BOX, 7)  # type: ignore[arg-type]


class LyingText(str):
    """Claims to encode to text, which ctypes would pass as wide characters."""

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        return str(self)  # type: ignore[return-value]


class LyingNumber(int):
    """Claims to be another number, which would be an address."""

    def __new__(cls, kind: type) -> LyingNumber:
        return super().__new__(cls, 1)

    def __init__(self, kind: type) -> None:
        self.kind = kind

    __class__ = property(lambda self: self.kind)


class LyingName(str):
    """Claims to equal every other name."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash(ANN)


def test_arguments_are_checked_by_type(enrolled: mam.Mam) -> None:
    """The predicates' C functions have no argument types to stop a value that the predicate lets through."""
    place = SaveLocation.SHAREPOINT
    with enrolled.policy(ANN) as policy:
        assert policy.is_save_to_allowed(place, LyingText(ANN))
        assert not policy.is_save_to_allowed(place, LyingText(EVE))
        assert policy.is_save_to_allowed(place, ANN)
        assert not policy.is_save_to_allowed(place, LyingName(EVE))
        for kind in (str, bytes):
            with pytest.raises((TypeError, mam.ArgumentError)):
                policy.is_save_to_allowed(place, LyingNumber(kind))  # type: ignore[arg-type]
        for location in (LyingNumber(SaveLocation), OpenLocation.SHAREPOINT, True, None, "sharePoint"):
            with pytest.raises(TypeError):
                policy.is_save_to_allowed(location, ANN)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            policy.is_document_picker_allowed(LyingNumber(PickerMode))  # type: ignore[arg-type]
        with pytest.raises(mam.ArgumentError):
            policy.is_open_from_allowed(OpenLocation.BOX, "\ud800")


def test_many_names(enrolled: mam.Mam) -> None:
    """More names than a policy caches, repeatedly, and some that it refuses each time."""
    with enrolled.policy(ANN) as policy:
        for _ in range(2):
            for number in range(100):
                assert not policy.is_save_to_allowed(SaveLocation.SHAREPOINT, f"user{number}@example.org")
                assert policy.is_save_to_allowed(SaveLocation.SHAREPOINT, ANN)
                assert policy.is_open_from_allowed(OpenLocation.SHAREPOINT, ANN)
            for broken in ("nul\0inside", "\ud800", "a" * 257):
                with pytest.raises(mam.ArgumentError):
                    policy.is_save_to_allowed(SaveLocation.SHAREPOINT, broken)
        assert len(policy._names) <= 64


@pytest.mark.parametrize("name", [*PROPERTIES, *METHODS])
def test_a_closed_policy_never_answers(enrolled: mam.Mam, name: str) -> None:
    policy = enrolled.policy(None)
    policy.close()
    with pytest.raises(mam.ClosedError):
        answer(policy, name)


def test_a_refusal_after_a_failure_is_a_refusal(enrolled: mam.Mam) -> None:
    with enrolled.policy(ANN) as policy:
        with pytest.raises(mam.ArgumentError):
            enrolled.policy("a" * 300)
        assert policy.is_print_allowed is False


def test_a_held_policy_follows_changes(enrolled: mam.Mam, office: Office) -> None:
    with enrolled.policy(ANN) as policy:
        assert not policy.is_print_allowed
        office.authority.remove_policy(office.policy.id)
        (open_policy,) = office.authority.import_policy({
            "@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "Open", "printBlocked": False,
        }).policies  # fmt: skip
        office.authority.assign(open_policy.id, all_users=True)
        office.authority.target(open_policy.id, all_apps=True)
        assert enrolled.check_in(ANN).wait(30).code == mam.StatusCode.NEW_POLICIES_RECEIVED
        assert policy.is_print_allowed


def test_a_wiped_account_is_locked_down(enrolled: mam.Mam) -> None:
    with enrolled.policy(ANN) as policy:
        enrolled.wipe_account(ANN).wait(30)
        for name in PROPERTIES:
            assert answer(policy, name) is bool(header.CLOSED["mam_policy_" + name])
        assert policy.effective().lock_down


def test_the_effective_policy(enrolled: mam.Mam, office: Office) -> None:
    with enrolled.policy(ANN) as policy:
        effective = policy.effective()
    assert effective.managed and not effective.lock_down
    assert [one.id for one in effective.policies] == [office.policy.id]
    settings = {one.setting: one for one in effective.settings}
    assert settings["printBlocked"].value is True
    assert settings["printBlocked"].policy_id == office.policy.id
    assert effective.conflicts == ()
    with enrolled.policy(EVE) as policy:
        assert not policy.effective().managed


def test_many_threads_ask_one_policy(enrolled: mam.Mam) -> None:
    wrong: list[object] = []
    with enrolled.policy(ANN) as policy:

        def ask() -> None:
            for _ in range(2000):
                if policy.is_print_allowed or not policy.is_save_to_allowed(SaveLocation.SHAREPOINT, ANN):
                    wrong.append(threading.get_ident())

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []
