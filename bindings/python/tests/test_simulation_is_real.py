"""mam_policy_simulate and mam_policy_explain are true: over random authorities, actions and questions the same actions are
performed, real sessions check in, and every answer is compared."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import random
from pathlib import Path
from typing import Any

import mam
import pytest
from mam import testing

APPS = ("editor", "viewer")
USERS = ("ann", "bob", "cid")
GROUPS = ("Sales", "Law")
POLICIES = ("p1", "p2", "p3", "p4")
LEVELS = ("allApps", "managedApps", "none")
SAVES = ("other", "oneDriveForBusiness", "sharePoint", "box", "dropbox", "googleDrive", "localDrive", "cameraRoll",
         "accountDocument", "iManage", "egnyte")  # fmt: skip
OPENS = ("other", "oneDriveForBusiness", "sharePoint", "camera", "localStorage", "photos", "accountDocument", "box",
         "iManage", "egnyte")  # fmt: skip
PREDICATES = ("print", "backup", "screenCapture", "contactSync", "widgetContentSync", "indexing", "assistantIntents",
              "appIntents", "appSharing", "thirdPartyKeyboards", "pinRequired", "managedBrowserRequired",
              "fileEncryptionRequired", "fileProviderEncrypt", "notification", "notificationOrgData")  # fmt: skip
#: The account on the other side: none, the same, another user of the authority, an unknown one.
OTHERS = (None, "*", "bob@contoso.example", "eve@else.example")

REQUESTS: list[dict[str, Any]] = (
    [{"action": action} for action in PREDICATES]
    + [{"action": "documentPicker", "mode": mode} for mode in ("import", "open", "export", "move")]
    + [{"action": "saveTo", "location": where, "locationAccount": other} for where in SAVES for other in OTHERS]
    + [{"action": "openFrom", "location": where, "locationAccount": other} for where in OPENS for other in OTHERS]
    + [{"action": "receive", "sender": other} for other in OTHERS]
    + [{"action": "clipboard", side: other, "length": 9} for side in ("sender", "receiver") for other in OTHERS]
)


def upn(user: str) -> str:
    return f"{user}@contoso.example"


def document(rng: random.Random, policy: str) -> dict[str, Any]:
    made: dict[str, Any] = {"id": policy, "displayName": f"{policy} {rng.randrange(3)}"}
    kind = rng.choice(["ios", "android", "default" if rng.random() < 0.3 else "ios"])
    made["@odata.type"] = f"#microsoft.graph.{kind}ManagedAppProtection"
    values: dict[str, Any] = {
        "allowedOutboundDataTransferDestinations": rng.choice(LEVELS),
        "allowedInboundDataTransferSources": rng.choice(LEVELS),
        "saveAsBlocked": rng.random() < 0.6,
        "allowedDataStorageLocations": rng.sample(["localStorage", "sharePoint", "box", "photoLibrary"], 2),
        "blockDataIngestionIntoOrganizationDocuments": rng.random() < 0.5,
        "allowedDataIngestionLocations": rng.sample(["camera", "photoLibrary", "sharePoint"], 1),
        "managedBrowser": rng.choice(["microsoftEdge", "notConfigured"]),
        "allowedOutboundClipboardSharingLevel": rng.choice(["allApps", "managedAppsWithPasteIn", "managedApps", "blocked"]),
        "allowedOutboundClipboardSharingExceptionLength": rng.choice([0, 8, 10]),
        "notificationRestriction": rng.choice(["allow", "blockOrganizationalData", "block"]),
    }
    for name in ("printBlocked", "dataBackupBlocked", "pinRequired", "contactSyncBlocked", "encryptAppData"):
        values[name] = rng.random() < 0.5
    return made | {name: value for name, value in values.items() if rng.random() < 0.4}


def change(rng: random.Random) -> dict[str, Any]:
    """One action; occasionally one that fails."""
    policy, group, user, app = (rng.choice(all) for all in (POLICIES, GROUPS, USERS, APPS))
    to = {"group": group} if rng.random() < 0.7 else {"allUsers": True}
    where = {"app": app} if rng.random() < 0.6 else {"allApps": True}
    return rng.choice(
        [
            {"action": "policy.import", "document": document(rng, policy)},
            {"action": "policy.assign", "policy": policy, **to},
            {"action": "policy.assign", "policy": policy, "group": group, "exclude": True},
            {"action": "policy.unassign", "policy": policy, **to},
            {"action": "policy.target", "policy": policy, **where},
            {"action": "policy.target", "policy": policy, **where},
            {"action": "policy.untarget", "policy": policy, **where},
            {"action": "group.addMember", "group": group, "user": user},
            {"action": "group.removeMember", "group": group, "user": upn(user)},
            {"action": "policy.remove", "policy": policy} if rng.random() < 0.3 else {"action": "group.list"},
            {"action": "user.set", "user": user, "licensed": rng.random() < 0.5},
            {"action": "user.remove", "user": user, "force": True} if rng.random() < 0.2 else {"action": "user.set", "user": user},
            {"action": "user.add", "upn": "dee@contoso.example", "accountId": "dee"},
        ]
    )


def changes(rng: random.Random, count: int) -> list[dict[str, Any]]:
    return [one for one in (change(rng) for _ in range(count)) if one["action"] != "group.list"]


def possible(path: str, wanted: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The actions that do not fail after the previous ones."""
    found: list[dict[str, Any]] = []
    for one in wanted:
        try:
            mam.simulate(path, [*found, one], users=[])
        except mam.MamError:
            continue
        found.append(one)
    return found


def populate(office: testing.Office, rng: random.Random) -> None:
    for user in USERS:
        office.user(upn(user), account_id=user, tenant_id="t2" if user == "cid" else "t1")
    for group in GROUPS:
        office.authority.add_group(group)
    for group in GROUPS:
        for user in rng.sample(USERS, 2):
            mam.admin(office.authority.path, "group.addMember", group=group, user=user)
    for policy in rng.sample(POLICIES, 3):
        to: dict[str, Any] = {"group": rng.choice(GROUPS)} if rng.random() < 0.7 else {"allUsers": True}
        where: dict[str, Any] = {"app": rng.choice(APPS)} if rng.random() < 0.5 else {"allApps": True}
        mam.admin(office.authority.path, "policy.import", document=document(rng, policy))
        mam.admin(office.authority.path, "policy.assign", policy=policy, **to)
        mam.admin(office.authority.path, "policy.target", policy=policy, **where)
    for one in possible(office.authority.path, changes(rng, 3)):
        if one["action"] != "user.remove":
            mam.admin(office.authority.path, **one)


def answers(sessions: dict[str, mam.Mam]) -> dict[tuple[str, str, int], Any]:
    """Every answer to every user in every app, from sessions that have checked in."""
    found = {}
    for app, session in sessions.items():
        for user in (*USERS, "dee"):
            asked = []
            for request in REQUESTS:
                one = {key: upn(user) if value == "*" else value for key, value in request.items()}
                one["account"] = upn(user)
                asked.append(one)
            for number, decision in enumerate(session.check_many(asked)):
                plain = dataclasses.asdict(decision)
                del plain["action"], plain["instead"], plain["limit"]  # a simulation reports only the answer and the reason
                found[upn(user), app, number] = plain
    return found


def check_in(sessions: dict[str, mam.Mam]) -> None:
    for session in sessions.values():
        enrolled = [account.upn for account in session.enrolled_accounts()]
        for user in (*USERS, "dee"):
            if upn(user) in enrolled:
                # The first check-in finds that a user was removed, and the second one looks them up again.
                session.check_in(upn(user)).wait(30)
                session.check_in(upn(user)).wait(30)
            else:
                session.register_and_enroll(upn(user)).wait(30)


def digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def explained(office: testing.Office, sessions: dict[str, mam.Mam]) -> None:
    """An explanation equals the policies and decisions of sessions that have just checked in."""
    known = [user.upn for user in office.authority.users()]
    for app, session in sessions.items():
        for user in known:
            explanation = mam.explain(office.authority.path, user, app)
            delivered = [one.id for one in explanation.policies if one.delivered]
            assert all(bool(set(one.why) & {"assigned", "tenantDefault"}) == one.delivered for one in explanation.policies)
            if explanation.effective is None:
                assert not explanation.check_in.delivers and delivered == []
                continue
            asked = [
                {"account": user} | {key: user if value == "*" else value for key, value in one.request.items()}
                for one in explanation.decisions
            ]
            answered = [(one.allowed, one.required, one.reason) for one in session.check_many(asked)]
            assert answered == [(one.allowed, one.required, one.reason) for one in explanation.decisions]
            with session.policy(user) as policy:
                held = policy.effective()
            assert explanation.effective == (
                held if held.managed else dataclasses.replace(held, account_id=explanation.user.account_id)
            )
            if not any(one.why == ("tenantDefault",) for one in explanation.policies):
                assert sorted(one.id for one in explanation.effective.policies) == sorted(delivered)


def perform(path: str, wanted: list[dict[str, Any]]) -> tuple[int, type[mam.MamError]] | None:
    """Perform the actions, up to one that fails; returns its index and exception."""
    for index, one in enumerate(wanted):
        try:
            mam.admin(path, **one)
        except mam.MamError as error:
            return index, type(error)
    return None


@pytest.mark.parametrize("case", range(int(os.environ.get("MAM_SIMULATIONS", "16"))))
def test_simulation_matches_reality(case: int, tmp_path: Path) -> None:
    rng = random.Random(f"{os.environ.get('MAM_SEED', '1')} {case}")
    with testing.office(tmp_path) as office:
        path = office.authority.path
        populate(office, rng)
        sessions = {app: office.open(app, worker=False, settings={"MultiManagedIdentities": True}) for app in APPS}
        check_in(sessions)
        explained(office, sessions)
        before = answers(sessions)
        wanted = changes(rng, rng.randrange(3, 10))
        if case % 5:
            wanted = possible(path, wanted)
        known = {user.upn for user in office.authority.users()}
        untouched = digest(path)
        try:
            simulated = mam.simulate(path, wanted, apps=APPS, requests=REQUESTS)
        except mam.MamError as error:
            assert digest(path) == untouched
            assert error.detail["list"] == "changes"
            assert perform(path, wanted) == (error.detail["index"], type(error))
            return
        assert digest(path) == untouched
        assert perform(path, wanted) is None
        check_in(sessions)
        explained(office, sessions)
        after = answers(sessions)
        expected = dict(before)
        listed = 0
        for one in simulated.changes:
            for account in one.accounts:
                for decision in one.decisions:
                    key = (account.upn, account.app, REQUESTS.index(decision.request))
                    assert before[key] == dataclasses.asdict(decision.before)
                    assert before[key] != dataclasses.asdict(decision.after)
                    expected[key] = dataclasses.asdict(decision.after)
                    listed += 1
                if one.effect in ("gains", "loses"):
                    assert bool(one.after.policies) == (one.effect == "gains")
        # A simulation omits users whom the authority has never known, though others' policies decide for them too.
        known |= {user.upn for user in office.authority.users()}
        wrong = [
            (key, REQUESTS[key[2]], value, after[key]) for key, value in expected.items() if key[0] in known and value != after[key]
        ]
        assert wrong[:1] == [], f"{len(wrong)} answers differ after {wanted}"
        counts = simulated.counts.decisions
        assert counts.stricter + counts.looser + counts.reason == listed
