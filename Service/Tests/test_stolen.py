"""A thief with the database, the authority's key or an invitation: docs/threat-model.md says what each is worth."""

import shutil
import sqlite3
import subprocess

import pytest
from client import Client, Problem
from conftest import MAMD, Service

ALICE = "alice@contoso.example"


def test_a_stolen_database_has_no_secret(service, tmp_path):
    client = service.enrolled()
    client.discover()
    code = service.invite()
    keys = client.exchange_keys()
    assert keys
    service.stop()
    with sqlite3.connect(service.path("mamd.db")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    stored = service.path("mamd.db").read_bytes()
    assert client.registration.encode() in stored, "what is no secret is found"
    for secret in [key for _, _, key in keys] + [code.encode(), bytes.fromhex(code), service.path("mamd.key").read_bytes()[8:]]:
        assert secret not in stored
    # With another key file it answers nobody.
    other = Service(str(tmp_path / "other"))
    shutil.copy(other.path("mamd.key"), service.path("mamd.key"))
    refused = subprocess.run([MAMD, "serve", service.folder], capture_output=True, text=True, check=False)
    assert refused.returncode != 0 and "put the right one back" in refused.stderr


def test_a_stolen_folder_is_of_no_use_after_a_recovery(service, tmp_path):
    client, stolen = service.enrolled(), str(tmp_path / "stolen")
    recovery = shutil.move(service.path("recovery.key"), tmp_path / "recovery.key")
    service.run("backup", stolen)
    service.keys("recover", "--recovery", recovery)
    assert client.check_in()["result"] == "unchanged"
    service.run("restore", "--accept")
    assert client.check_in()["result"] == "unchanged"
    # The thief answers in place of the service, with what was stolen.
    service.put_back(stolen)
    service.admin("wipe.request", user="alice-id")
    with pytest.raises(Exception, match="unknown key"):
        client.check_in()


def test_a_stolen_invitation_is_noticed_and_its_registration_ends(service):
    code = service.invite()
    thief, alice = service.client(), service.client()
    thief.enroll(ALICE, code)
    with pytest.raises(Problem, match="needsToken"):
        alice.enroll(ALICE, code)
    (found,) = service.admin("registration.list", user=ALICE)["registrations"]
    assert found["deviceTag"] == thief.device
    service.admin("device.block", deviceTag=thief.device)
    service.admin("wipe.request", user=ALICE, deviceTag=thief.device)
    service.admin("registration.remove", registration=found["id"])
    with pytest.raises(Problem):
        thief.exchange_keys()
    assert thief.check_in()["result"] == "wipe"
    # The thief's device stays blocked, also with another stolen code.
    with pytest.raises(Problem, match="deviceBlocked"):
        Client(service.settings, device=thief.device).enroll(ALICE, service.invite(), wipe_mark=10**6)
    alice.enroll(ALICE, service.invite())
    assert alice.check_in()["result"] == "unchanged"
    service.stop()
    assert code not in service.log()


def test_an_invitation_is_for_its_user_alone(service):
    service.admin("user.add", upn="bob@contoso.example")
    code = service.invite()
    for name in ("bob@contoso.example", "nobody@contoso.example"):
        with pytest.raises(Problem, match="wrongUser"):
            service.client().enroll(name, code)
    service.admin("user.set", user="alice-id", enabled=False)
    with pytest.raises(Problem, match="userDisabled"):
        service.client().enroll(ALICE, code)
