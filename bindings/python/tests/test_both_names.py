"""Every event, question and result with an account's id also has its UPN. mam.h lists the kinds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import header
import mam
import pytest
from conftest import APP, BEN, POLICY, Office

ANN, ANN_ID, NEW = "ann.both@contoso.example", "ann-both-id", "ann.new@contoso.example"
EXTENSION = "com.example.notes.share"


def kinds(begin: str, end: str) -> set[str]:
    """The first names in the lines of a list in mam.h."""
    _, _, rest = header.TEXT.partition(begin)
    block, _, _ = rest.partition(end)
    lines = [re.match(r" \*    (\w+(?:, \w+)*)  ", line) for line in block.splitlines()]
    return {name for line in lines if line for name in line[1].split(", ")}


EVENTS = kinds("Take the next event.", "The queue holds 256")
QUESTIONS = kinds("answers and defaults:\n", "The answer null takes the default")


def objects(json: Any) -> Iterator[dict[str, Any]]:
    """Every object in JSON, at any depth."""
    for child in json.values() if isinstance(json, dict) else json if isinstance(json, list) else ():
        yield from objects(child)
    if isinstance(json, dict):
        yield json


class Host:
    """A host that keeps all that it receives about accounts, and answers questions from a table."""

    def __init__(self, office: Office) -> None:
        self.office = office
        self.received: list[dict[str, Any]] = []
        self.answers: dict[str, mam.Answer] = {"addAccount": True, "deviceHealth": {"threatLevel": "secured"}}

    def delegate(self, question: mam.Question) -> mam.Answer:
        self.received.append(dict(question.raw))
        return self.answers.get(question.kind)

    def open(self, **keys: Any) -> mam.Mam:
        if keys.get("questions") != "events":
            keys["delegate"] = self.delegate
        settings = {"MultiManagedIdentities": True, **keys.pop("settings", {})}
        return self.office.open(settings=settings, version="1.0", **keys)

    def result(self, operation: mam.Operation[Any]) -> dict[str, Any]:
        """The result of an operation, as libmam returns it."""
        ended: dict[str, Any] = mam.Operation(operation._session, operation.number, dict).wait(30)
        self.received.append(ended)
        return ended

    def events(self, session: mam.Mam) -> list[dict[str, Any]]:
        session.run_due()
        fresh = [dict(event.raw) for event in session.events(0)]
        self.received += fresh
        return fresh

    def policy(self, **properties: Any) -> None:
        self.office.authority.import_policy({**POLICY, "id": self.office.policy.id, "pinRequired": False, **properties})

    @property
    def seen(self) -> tuple[set[str], set[str]]:
        events = {one["event"] for one in self.received if "event" in one}
        return events, {str(one["question"]) for one in self.received if "question" in one}


@pytest.fixture
def host(office: Office) -> Host:
    office.authority.add_user(ANN, account_id=ANN_ID)
    office.authority.add_member("Staff", ANN)
    document = {"@odata.type": "#microsoft.graph.targetedManagedAppConfiguration", "id": "c", "displayName": "C"}
    office.authority.import_configuration({**document, "customSettings": [{"name": "region", "value": "eu"}]})
    office.authority.assign_configuration("c", all_users=True)
    office.authority.target_configuration("c", APP)
    host = Host(office)
    host.policy()
    return host


def enrolling(host: Host) -> None:
    """The device's account is found, shown, asked for its token, renamed, and wiped by its administrator."""
    token = host.office.folder / "token"
    token.write_text("open sesame")
    token.chmod(0o600)
    host.office.authority.set_user(ANN, access_token_file=token)
    device = {"mdmAccountId": ANN_ID, "managedAppConfig": {"IntuneMAMUPN": ANN, "IntuneMAMOID": ANN_ID}}
    host.answers["accessToken"] = "open sesame"
    with host.open(device=device, settings={"AutoEnrollOnLaunch": True}, restart_on_first_policy=True) as session:
        assert host.result(session.launch())["outcome"] == "allowed"
        host.office.authority.set_user(ANN, upn=NEW)
        assert host.result(session.check_in(ANN_ID))["upn"] == NEW
        host.office.authority.set_user(NEW, upn=ANN)
        assert host.result(session.check_in(ANN_ID))["upn"] == ANN
        host.events(session)
        host.office.authority.request_wipe(ANN)
        host.result(session.check_in(ANN))
        assert any(event["event"] == "wipeDidComplete" for event in host.events(session))
    allowed = {"managedAppConfig": {"IntuneMAMUPN": ANN, "IntuneMAMAllowedAccountsOnly": "Enabled"}}
    with host.open(device=allowed) as session:
        host.events(session)
    with host.open(device={}) as session:
        host.events(session)


def signing_in(host: Host) -> None:
    """A user signs in and leaves."""
    host.answers["signIn"] = {"accountId": ANN_ID, "upn": ANN}
    with host.open() as session:
        host.result(session.login_and_enroll())
        host.result(session.deregister_and_unenroll(ANN))
        host.events(session)


def blocked(host: Host) -> None:
    """A person does not give a required proof, an account is blocked while a window shows it, and a launch wipes it."""
    with host.open() as session:
        host.result(session.register_and_enroll(ANN))
        with session.policy(ANN) as policy:
            policy.web_view("https://contoso.example/", external=None)
        host.result(session.set_ui_identity(ANN, "reader"))
        for properties in (
            {"pinRequired": True},
            {"organizationalCredentialsRequired": True},
            {"maximumAllowedDeviceThreatLevel": "low", "minimumRequiredAppVersion": "2.0"},
            {"minimumWarningAppVersion": "2.0"},
            {"minimumWipeAppVersion": "2.0"},
        ):
            host.policy(**properties)
            host.result(session.check_in(ANN))
            assert {finding.upn for finding in session.conditional_launch(ANN).findings} == {ANN}
            assert session.pin_status(ANN).upn == ANN
            assert host.result(session.launch())["findings"] and host.result(session.resume()), properties
            host.result(session.set_ui_identity([ANN], "reader"))
            host.events(session)
        host.policy()


def many(host: Host) -> None:
    """More events than the queue holds, with questions among them."""
    with host.open(questions="events") as session:
        host.result(session.register_and_enroll(BEN))
        operation = session.wipe_account(BEN)
        question = next(one for one in host.events(session) if one["event"] == "question")
        session.answer(question["id"], {"removed": True})
        host.result(operation)
        host.result(session.register_and_enroll(BEN))
        for _ in range(257):
            session.check_in(BEN).wait(30)
        host.events(session)


def test_ids_come_with_upns(host: Host) -> None:
    assert (len(EVENTS), len(QUESTIONS)) == (15, 12), "the lists in mam.h are not read as they are written"
    enrolling(host)
    signing_in(host)
    blocked(host)
    many(host)
    # The question of a proxy names no account, and an authority in a file has no proxy before it.
    assert host.seen == (EVENTS, QUESTIONS - {"proxyCredentials"})
    named = [one for received in host.received for one in objects(received) if "accountId" in one]
    assert named and [one for one in named if "upn" not in one] == []
    # An account whose two names libmam knows is reported with both.
    upns = {ANN_ID: {ANN, NEW}, host.office.authority.user(BEN).account_id: {BEN}}
    assert [one for one in named if one["accountId"] in upns and one["upn"] not in upns[one["accountId"]]] == []


@pytest.mark.parametrize("kill", ["promised", "removed"])
def test_a_later_session_has_the_upn_of_a_wiped_account(host: Host, kill: str) -> None:
    """The account's row is gone by then: the name is kept sealed with the wipe."""
    with host.open() as session:
        host.result(session.register_and_enroll(ANN))
        operation = session.wipe_account(ANN)
        if kill == "removed":
            host.result(operation)
    with host.open() as session:
        (event,) = [one for one in host.events(session) if one["event"] == "wipeDidComplete"]
    assert (event["accountId"], event["upn"]) == (ANN_ID, ANN)
    files = [file for file in (host.office.folder / "state").rglob("*") if file.is_file()]
    assert files and not any(ANN.encode() in file.read_bytes() for file in files)


def test_the_log_has_no_personal_names(host: Host) -> None:
    lines: list[str] = []
    with host.open(on_question={}) as session:
        session.set_log(lambda level, line: lines.append(line), mam.LogLevel.INFO)
        host.result(session.register_and_enroll(ANN))
        host.policy(minimumRequiredAppVersion="2.0")
        host.result(session.check_in(ANN))
        host.result(session.set_ui_identity(ANN))
        host.result(session.launch())
        host.result(session.wipe_account(ANN))
        host.events(session)
    assert lines and not [line for line in lines if "ann" in line]
