"""The embedded authority: every action of docs/authority.md has a method, which does what the table says."""

from __future__ import annotations

import inspect
import re
from datetime import timedelta
from pathlib import Path

import mam
import pytest
from conftest import ANN, APP, BEN, POLICY, Office

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "authority.md"


def test_every_action_has_a_method() -> None:
    rows = re.findall(r"(?m)^\| (`[a-z]+\..*?) \|", DOCUMENT.read_text(encoding="utf-8"))
    actions = {action for row in rows for action in re.findall(r"`([a-z]+\.[A-Za-z]+)`", row)}
    assert len(actions) > 30
    source = inspect.getsource(mam.Authority)
    assert actions == set(re.findall(r'"([a-z]+\.[A-Za-z]+)"', source))


def test_the_authority(office: Office) -> None:
    info = office.authority.show()
    assert (info.name, info.custody, info.users, info.groups, info.policies) == ("Contoso", "development", 2, 1, 1)
    with pytest.raises(mam.AlreadyError):
        mam.Authority.create(office.authority)
    assert office.authority.set(name="Contoso Ltd").name == "Contoso Ltd"
    changed = office.authority.set(check_in_interval=timedelta(minutes=5)).check_in_interval
    assert changed in ("PT5M", "PT300S")
    assert office.authority.set(check_in_interval=None).check_in_interval != changed
    with pytest.raises(ValueError):
        office.authority.set(check_in_interval=1)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(LookupError):
        mam.Authority(tmp_path / "none.db").show()
    with pytest.raises(mam.ArgumentError):
        mam.admin("nul\0inside", "authority.show")
    assert list(tmp_path.iterdir()) == []


def test_users(office: Office) -> None:
    authority = office.authority
    user = authority.add_user("zoë@contoso.example", display_name="Zoë", licensed=False)
    assert (user.display_name, user.licensed, user.enabled, user.groups) == ("Zoë", False, True, ())
    with pytest.raises(mam.AlreadyError):
        authority.add_user("zoë@contoso.example")
    user = authority.set_user(user.account_id, upn="zoe@contoso.example", licensed=True, enabled=False)
    assert (user.upn, user.licensed, user.enabled) == ("zoe@contoso.example", True, False)
    assert [one.upn for one in authority.users()] == [ANN, BEN, "zoe@contoso.example"]
    assert authority.remove_user(user.upn).account_id == user.account_id
    with pytest.raises(mam.NotFoundError):
        authority.user(user.upn)


def test_import_users(office: Office) -> None:
    authority = office.authority
    people = [{"upn": f"person{number}@contoso.example", "groups": ["Staff", "Readers"]} for number in range(3)]
    done = authority.import_users(people)
    assert (done.added, done.changed, done.unchanged, done.groups) == (3, 0, 0, ("Readers",))
    assert authority.group("Readers").members == tuple(one["upn"] for one in people)
    people[1]["displayName"] = "One"
    before = authority.users()
    with pytest.raises(mam.AlreadyError) as refused:
        authority.import_users(people)
    assert (refused.value.detail["list"], refused.value.detail["index"]) == ("users", 1)
    assert authority.users() == before
    done = authority.import_users(people, update=True)
    assert (done.added, done.changed, done.unchanged) == (0, 1, 2)
    assert authority.user("person1@contoso.example").display_name == "One"
    assert done.absent == mam.ImportedUsers((ANN, BEN), 2)
    assert done.kept_groups is None and done.unreached is None
    people[2]["groups"] = ["Staff"]
    done = authority.import_users(people, update=True)
    assert done.kept_groups == mam.KeptMembers((mam.KeptMember("person2@contoso.example", ("Readers",)),), 1)
    # An imported user has keys, groups and a signature like any other.
    authority.add_member("Staff", BEN)


def test_groups(office: Office) -> None:
    authority = office.authority
    group = authority.add_group("Guests", id="11111111-1111-1111-1111-111111111111")
    assert authority.add_member("Guests", ANN).members == (ANN,)
    assert authority.user(ANN).groups == ("Staff", "Guests")
    assert authority.remove_member(group.id, ANN).members == ()
    assert [one.name for one in authority.groups()] == ["Staff", "Guests"]
    assert authority.group(group.id) == authority.remove_group("Guests")


def test_a_rehearsal_writes_nothing(office: Office) -> None:
    authority = office.authority
    (policy,) = authority.policies()
    before = (authority.show().revision, authority.policies(), authority.groups(), authority.users())

    typed = {**POLICY, "displayName": "Typed", "periodOfflineBeforeWipeIsEnforced": "30D"}
    rehearsed = authority.import_policy(typed, groups=["Staff"], apps=[APP], all_apps=True, dry_run=True)
    (warning,) = rehearsed.warnings
    assert warning.setting == "periodOfflineBeforeWipeIsEnforced" and "P30D" in (warning.message or "")
    (summary,) = rehearsed.policies
    assert (summary.groups, summary.apps, summary.all_apps) == (("Staff",), (APP,), True)
    lost = authority.remove_policy(policy.id, dry_run=True).without_policy
    assert lost is not None and lost.users == (ANN, BEN) and lost.apps == (APP,)
    assert authority.remove_group("Staff", dry_run=True).without_policy == lost
    assert authority.import_users([{"upn": "zoe@contoso.example"}], dry_run=True).added == 1
    assert authority.import_configuration(COLOURS, all_users=True, all_apps=True, dry_run=True).configurations[0].all_users
    assert (authority.show().revision, authority.policies(), authority.groups(), authority.users()) == before
    assert authority.configurations() == []

    # The change itself says the same.
    assert authority.remove_policy(policy.id).without_policy == lost
    assert authority.policies() == []


def test_an_import_says_whom_it_reaches(office: Office) -> None:
    authority = office.authority
    second = {**POLICY, "id": "second", "displayName": "Second"}
    third = {**POLICY, "id": "third", "displayName": "Third"}
    with pytest.raises(mam.NotFoundError):
        authority.import_policy({"value": [second, third]}, groups=["Staff", "Nobody"])
    with pytest.raises(mam.ArgumentError):
        authority.import_policy({"value": [second, third]}, apps=["no app"])
    assert len(authority.policies()) == 1
    imported = authority.import_policy({"value": [second, third]}, groups=["Staff"], all_users=True, apps=["com.example.new"])
    assert [one.groups for one in imported.policies] == [("Staff",), ("Staff",)]
    assert all(one.all_users and one.apps == ("com.example.new",) for one in imported.policies)
    assert authority.policies()[1:] == list(imported.policies)


COLOURS = {
    "@odata.type": "#microsoft.graph.targetedManagedAppConfiguration",
    "displayName": "Colours",
    "customSettings": [{"name": "color", "value": "red"}, {"name": "size", "value": "5"}],
}


def test_policies(office: Office) -> None:
    authority = office.authority
    (listed,) = authority.policies()
    assert listed == office.policy
    assert (listed.display_name, listed.platform, listed.groups, listed.apps) == ("Staff", "linux", ("Staff",), (APP,))
    shown = authority.policy(listed.id)
    assert {one.property: one.status for one in shown.properties}["printBlocked"] == "enforced"
    assert shown.counts is not None and shown.counts.enforced > 0
    assert authority.export_policy(listed.id) == POLICY
    assert authority.export_policy(import_id=listed.import_id) == POLICY
    assert authority.untarget(listed.id, APP).apps == ()
    assert authority.target(listed.id, all_apps=True).all_apps
    assert authority.unassign(listed.id, "Staff").groups == ()
    assert authority.assign(listed.id, all_users=True).all_users
    assert authority.assign(listed.id, "Staff", exclude=True).excluded_groups == ("Staff",)
    authority.remove_policy(listed.id)
    assert authority.policies() == []
    imported = authority.import_policy({"value": [POLICY, {**POLICY, "id": "second", "noSuchProperty": 1}]})
    assert len(imported.policies) == 2
    assert [one.setting for one in imported.warnings] == ["noSuchProperty"]
    with pytest.raises(mam.AlreadyError):
        authority.import_policy(POLICY)
    authority.remove_policy(imported.policies[0].id)
    assert authority.import_policy(POLICY, replace=True).policies[0].id == imported.policies[1].id
    with pytest.raises(mam.ArgumentError):
        authority.import_policy({"hello": "world"})
    mixed = authority.import_policy([{**POLICY, "id": "own"}, COLOURS])
    assert ([one.id for one in mixed.policies], [one.display_name for one in mixed.configurations]) == (["own"], ["Colours"])
    assert authority.import_policy({"id": "typed"}, type="android").policies[0].platform == "android"
    assert imported.import_id


def test_configurations(office: Office) -> None:
    authority = office.authority
    export = COLOURS
    imported = authority.import_configuration(export)
    (listed,) = authority.configurations()
    assert imported.configurations == (listed,)
    assert (listed.display_name, listed.tenant_default, listed.settings) == ("Colours", False, 2)
    assert authority.configuration(listed.id).values == {"color": "red", "size": "5"}
    assert authority.export_configuration(listed.id) == export
    assert authority.export_configuration(import_id=imported.import_id) == export
    assert authority.target_configuration(listed.id, all_apps=True).all_apps
    assert authority.target_configuration(listed.id, APP).apps == (APP,)
    assert authority.untarget_configuration(listed.id, APP).apps == ()
    assert authority.assign_configuration(listed.id, "Staff").groups == ("Staff",)
    assert authority.unassign_configuration(listed.id, "Staff").groups == ()
    assert authority.assign_configuration(listed.id, "Staff", exclude=True).excluded_groups == ("Staff",)
    assert authority.show().configurations == 1
    assert authority.remove_configuration(listed.id).id == listed.id
    assert authority.configurations() == []
    default = {"customSettings": [{"name": "__IsDefault", "value": "true"}]}
    authority.import_configuration(default, type="config")
    with pytest.raises(mam.AlreadyError):
        authority.import_configuration(default, type="config")


def test_registrations_wipes_and_devices(enrolled: mam.Mam, office: Office) -> None:
    authority = office.authority
    (registration,) = authority.registrations(user=ANN, app=APP)
    assert registration.upn == ANN
    assert registration.created_date_time is not None
    assert [app.id for app in authority.apps()] == [APP]
    wipe = authority.request_wipe(ANN, app=APP)
    assert (wipe.pending, wipe.done) == (1, 0)
    assert [one.id for one in authority.wipes()] == [wipe.id]
    authority.cancel_wipe(wipe)
    assert registration.device_tag is not None
    assert authority.block_device(registration.device_tag)
    assert not authority.unblock_device(registration.device_tag)
    for call in (authority.block_device, authority.unblock_device):
        with pytest.raises(mam.NotFoundError, match=f'did you mean "{registration.device_tag}"'):
            call(registration.device_tag + "0")
    with pytest.raises(mam.DeniedError, match=r"has an enrollment.*request the wipe.*force"):
        authority.remove_user(registration.account_id or "")
    assert authority.remove_registration(registration.id).id == registration.id
    assert enrolled.check_in(ANN).wait(30).code == mam.StatusCode.POLICY_RECORD_GONE


def test_faults(office: Office) -> None:
    authority = office.authority
    assert authority.faults() == []
    (fault,) = authority.set_fault("network", operation="enroll", count=2)
    assert (fault.fault, fault.operation, fault.count) == ("network", "enroll", 2)
    assert authority.faults() == [fault]
    assert authority.clear_faults() == []


def test_unknown_actions(office: Office) -> None:
    with pytest.raises(ValueError):
        mam.admin(office.authority.path, "noSuch.action")
    with pytest.raises(ValueError):
        mam.admin(office.authority.path, "user.list", noSuchKey=1)
