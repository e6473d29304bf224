"""mamd, asked by a client that was written from the protocol's page alone."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
from client import Problem, Untrusted, b64, digest
from conftest import MAMD, POLICY, Service


def refusal(call):
    """The name of the refusal that a call ends with."""
    with pytest.raises(Problem) as caught:
        call()
    return caught.value.name


def test_from_the_invitation_to_the_wipe(service):
    client = service.client()
    assert client.discover()["tenant"] == "contoso"
    reply = client.enroll("alice@contoso.example", service.invite())
    assert [policy["id"] for policy in reply["checkIn"]["policies"]] == ["strict"]
    assert client.check_in()["result"] == "unchanged"
    service.admin("policy.import", document={**POLICY, "pinRequired": True})
    changed = client.check_in()
    assert changed["result"] == "changed" and changed["policies"][0]["document"]["pinRequired"] is True
    assert client.check_in()["result"] == "unchanged"
    wipe = service.admin("wipe.request", user="alice-id")["id"]
    assert client.check_in()["wipe"] == wipe
    client.report_wipe(wipe)
    (listed,) = service.admin("wipe.list")["wipes"]
    assert (listed["pending"], listed["done"]) == (0, 1)
    assert client.check_in()["wipe"] == wipe


def test_leaving_twice_and_asking_then(service):
    client = service.enrolled()
    for _ in range(2):
        client.unenroll()
    assert refusal(client.check_in) == "gone"
    assert refusal(client.exchange_keys) == "gone"


def test_an_unknown_registration_is_gone(service):
    client = service.enrolled()
    client.registration = "r-unknown"
    assert refusal(client.check_in) == "gone"


def test_when_an_app_was_last_seen_is_recorded(service):
    client = service.enrolled()
    client.check_in()
    while not (seen := service.admin("registration.list")["registrations"][0]["lastSyncDateTime"]):
        pass
    client.check_in()
    service.stop()
    assert service.admin("registration.list")["registrations"][0]["lastSyncDateTime"] >= seen


def test_the_same_request_again_has_the_same_effect(service):
    client, code = service.client(), service.invite()
    first = client.enroll("alice@contoso.example", code)
    assert client.enroll("alice@contoso.example", code)["registration"] == first["registration"]
    assert len(service.admin("registration.list")["registrations"]) == 1
    with pytest.raises(Problem) as caught:
        service.client().enroll("alice@contoso.example", code)
    assert caught.value.name == "needsToken" and "used already" in caught.value.body["detail"]
    with pytest.raises(Problem) as caught:
        service.client().enroll("alice@contoso.example", "0" * 32)
    assert caught.value.name == "needsToken" and not caught.value.body["detail"]


def test_the_clock(service):
    client = service.enrolled()
    for offset in (-290, 290):
        assert client.check_in(created=time.time() + offset)["result"] == "unchanged"
    for created in (1, time.time() - 310, time.time() + 310, time.time() + 10**9):
        assert refusal(lambda: client.check_in(created=created)) == "clockSkew"


def test_exchange_keys_are_for_the_registration_alone(service):
    client, other = service.enrolled(), service.enrolled(device="other")
    client.discover(), other.discover()
    ((epoch, _, key),) = client.exchange_keys()
    assert (epoch, len(key)) == (1, 32)
    assert other.exchange_keys()[0][2] == key
    url = f"{other.api}/registrations/{other.registration}/exchange-keys"
    for_other = other.post(url, {"from": 1, "wipeMark": 0})["keys"][0]
    with pytest.raises(Exception, match=r".*"):
        client.open(for_other)
    service.admin("wipe.request", user="alice-id", deviceTag="other")
    assert refusal(other.exchange_keys) == "gone"
    assert [epoch for epoch, _, _ in client.exchange_keys()] == [1, 2]


# Each changes one thing of a signed check-in. The service answers with the given status; 400 with a signature is badSignature.
CHANGES = {
    "another body": lambda f, b: (f, b.replace(b"true", b"false")),
    "another digest": lambda f, b: ({**f, "Content-Digest": digest(b"")}, b),
    "no digest": lambda f, b: ({k: v for k, v in f.items() if k != "Content-Digest"}, b),
    "no signature": lambda f, b: ({k: v for k, v in f.items() if k != "Signature"}, b),
    "an empty signature": lambda f, b: ({**f, "Signature": "mam=::"}, b),
    "a short signature": lambda f, b: ({**f, "Signature": f"mam=:{b64(bytes(63))}:"}, b),
    "zeros as a signature": lambda f, b: ({**f, "Signature": f"mam=:{b64(bytes(64))}:"}, b),
    "another label": lambda f, b: ({**f, "Signature-Input": f["Signature-Input"].replace("mam=", "sig=")}, b),
    "a second label": lambda f, b: ({**f, "Signature-Input": f["Signature-Input"] + ", " + f["Signature-Input"]}, b),
    "another nonce": lambda f, b: ({**f, "Signature-Input": f["Signature-Input"].replace('nonce="', 'nonce="A')}, b),
    "another time": lambda f, b: ({**f, "Signature-Input": f["Signature-Input"].replace("created=1", "created=2")}, b),
    "a parameter more": lambda f, b: ({**f, "Signature-Input": f["Signature-Input"] + ';alg="ecdsa-p256-sha256"'}, b),
    "a component less": lambda f, b: ({**f, "Signature-Input": f["Signature-Input"].replace(' "content-digest"', "")}, b),
    "another order": lambda f, b: (
        {**f, "Signature-Input": f["Signature-Input"].replace('"@method" "@target-uri"', '"@target-uri" "@method"')},
        b,
    ),
    "an unsigned token": lambda f, b: ({**f, "Authorization": "Bearer x"}, b),
    "a time that is no number": lambda f, b: ({**f, "Signature-Input": f["Signature-Input"].replace("created=", "created=x")}, b),
}
SIGNED = {"another body", "another digest", "zeros as a signature", "another nonce", "another time"}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_request_is_refused(service, change):
    client = service.enrolled()
    url = f"{client.api}/registrations/{client.registration}/check-in"
    message = {"app": {"id": "notes"}, "host": client.host(), "inUse": True}
    body = json.dumps(message).encode()
    fields, sent = CHANGES[change](client.sign(url, body), body)
    status, reply_fields, reply = client.exchange("POST", url, fields, sent)
    assert status == 400
    if change in SIGNED:
        client.verify(status, reply_fields, reply, "POST", url, fields)
        assert json.loads(reply)["type"].endswith("/badSignature")
    else:
        assert "Signature" not in reply_fields and reply == b""


def test_a_request_for_another_call_or_registration_is_refused(service):
    client, other = service.enrolled(), service.enrolled(device="other")
    url = f"{client.api}/registrations/{client.registration}/check-in"
    body = b"{}"
    fields = client.sign(url, body)
    for elsewhere in (url.replace("check-in", "unenroll"), url.replace(client.registration, other.registration)):
        status, reply_fields, reply = client.exchange("POST", elsewhere, fields, body)
        client.verify(status, reply_fields, reply, "POST", elsewhere, fields)
        assert (status, json.loads(reply)["type"].rsplit("/")[-1]) == (400, "badSignature")
        with pytest.raises(Untrusted):
            client.verify(status, reply_fields, reply, "POST", url, fields)
    assert client.check_in()["result"] == "unchanged"


def test_paths_and_methods_that_there_are_not(service):
    client = service.client()
    for method, path, expected in [
        ("GET", "/", 404),
        ("GET", "/mam/v1/registrations", 405),
        ("POST", "/.well-known/mam-authority", 405),
        ("POST", "/mam/v1/registrations/", 404),
        ("POST", "/mam/v1/registrations/a%2fb/check-in", 404),
        ("POST", "/mam/v1/registrations/a/check-in/", 404),
        ("POST", "/mam/v1/registrations", 400),
        ("GET", "/healthz", 200),
        ("GET", "/readyz", 200),
    ]:
        assert client.exchange(method, service.settings["url"] + path)[0] == expected, path
    url = service.settings["url"] + "/mam/v1/registrations"
    assert client.exchange("POST", url, body=bytes(32 * 1024 + 1))[0] == 413


def test_headers_are_bounded(service):
    client, url = service.client(), service.settings["url"] + "/healthz"
    for fields in ({"X-Long": "x" * 20_000}, {f"X-{number}": "x" for number in range(80)}):
        assert client.exchange("GET", url, fields)[0] >= 400
    assert client.exchange("GET", url)[0] == 200


@pytest.mark.parametrize("member", ["account", "app", "host", "key", "sealKey"])
def test_an_enrollment_without_a_member_is_malformed(service, member, monkeypatch):
    client = service.client()
    post = client.post

    def without(url, message, *arguments, **keywords):
        return post(url, {key: value for key, value in message.items() if key != member}, *arguments, **keywords)

    monkeypatch.setattr(client, "post", without)
    assert refusal(lambda: client.enroll("alice@contoso.example", service.invite())) == "malformed"


def test_a_database_that_was_put_back_does_not_answer_until_it_is_accepted(service):
    client, copy = service.enrolled(), service.folder + ".copy"
    service.run("backup", copy)
    wipe = service.admin("wipe.request", user="alice-id")["id"]
    assert client.check_in()["wipe"] == wipe
    service.stop()
    shutil.rmtree(service.folder)
    shutil.copytree(copy, service.folder)
    service.start()
    ready = service.settings["url"] + "/readyz"
    assert client.exchange("GET", ready)[0] == 200
    assert refusal(client.check_in) == "busy"
    assert client.exchange("GET", ready)[0] == 503
    # A number that this service did not seal proves nothing.
    sequence, client.sequence = client.sequence, client.sequence + 1000
    assert client.check_in()["result"] == "unchanged"
    client.sequence = sequence
    assert "--accept" in service.run("restore", check=False).stderr
    service.run("restore", "--accept")
    assert client.exchange("GET", ready)[0] == 200
    again = service.admin("wipe.request", user="alice-id")["id"]
    assert again > wipe + 2**31
    assert client.check_in()["wipe"] == again


def test_a_backup_is_for_its_owner_alone_and_no_older_one_is_overwritten(service, tmp_path):
    copy = tmp_path / "copy"
    service.run("backup", str(copy))
    assert copy.stat().st_mode & 0o077 == 0
    for path in copy.iterdir():
        assert path.stat().st_mode & 0o077 == 0, path
    assert "is there already" in service.run("backup", str(copy), check=False).stderr


def challenged(client, **options):
    """The challenge of a check-in with a state that is not the newest."""
    with pytest.raises(Problem) as caught:
        client.check_in(**options)
    assert (caught.value.status, caught.value.name) == (409, "confirm")
    return caught.value.body["challenge"]


@pytest.mark.parametrize("copy", ["older", "copied"])
def test_a_state_that_is_a_copy_needs_a_person_and_a_new_tag(service, copy):
    client = service.enrolled()
    newest = client.generation, client.head = 7, "newest"
    assert client.check_in()["result"] == "unchanged"
    client.generation, client.head = (6, "older") if copy == "older" else (7, "other")
    challenge = challenged(client)
    # The client reads its state again. Where it was merely behind, nothing was wrong.
    copied, (client.generation, client.head) = (client.generation, client.head), newest
    assert client.check_in(challenge=challenge)["result"] == "unchanged"
    client.generation, client.head = copied
    assert refusal(lambda: client.check_in(challenge=challenge)) == "needsToken"
    (device,) = [device for device in service.admin("device.list")["devices"] if device["deviceTag"] == client.device]
    assert device["regresses"][0]["reached"] == 7
    for wrong in ("", "1.2", challenge[:-2], challenge.replace(".", "0.")):
        challenged(client, challenge=wrong)
    code = service.invite()
    for _ in range(2):
        renewal = client.check_in(challenge=challenge, invitation=code)["renew"]
    assert refusal(lambda: service.client().enroll("alice@contoso.example", code)) == "needsToken"
    former = client.registration
    client.renew("alice@contoso.example", renewal)
    assert client.check_in()["result"] == "unchanged" and client.registration != former
    assert len(service.admin("registration.list")["registrations"]) == 1


def test_a_renewal_is_for_its_registration_and_keeps_its_wipe(service):
    client, other = service.enrolled(), service.enrolled(device="other")
    client.generation = 3
    client.check_in()
    client.generation = 2
    renewal = client.check_in(challenge=challenged(client), invitation=service.invite())["renew"]
    assert refusal(lambda: other.renew("alice@contoso.example", renewal)) == "needsToken"
    wipe = service.admin("wipe.request", user="alice-id", deviceTag=client.device)["id"]
    assert client.renew("alice@contoso.example", renewal)["wipe"] == wipe


def test_nothing_acknowledged_is_lost_by_a_kill(service):
    for turn in range(5):
        client = service.client(device=f"device-{turn}")
        client.enroll("alice@contoso.example", service.invite())
        service.stop(signal.SIGKILL)
        service.start()
        assert client.check_in()["result"] == "unchanged"
        wipe = service.admin("wipe.request", user="alice-id", deviceTag=f"device-{turn}")["id"]
        assert client.check_in()["wipe"] == wipe
        client.report_wipe(wipe)
        service.stop(signal.SIGKILL)
        service.start()
    assert [(wipe["pending"], wipe["done"]) for wipe in service.admin("wipe.list")["wipes"]] == [(0, 1)] * 5


def test_faults_of_the_folder_are_named(tmp_path):
    service = Service(str(tmp_path / "mamd"))
    again = service.run("init", check=False)
    assert again.returncode != 0 and "is there already" in again.stderr
    os.chmod(tmp_path / "mamd/mamd.key", 0o644)
    assert "0600" in service.run("invite", "alice", check=False).stderr
    os.chmod(tmp_path / "mamd/mamd.key", 0o600)
    assert 'no user "alice"' in service.run("invite", "alice", check=False).stderr
    (tmp_path / "mamd/mamd.key").write_bytes(b"MAMSTOR1" + bytes(32))
    assert "another one's" in service.run("invite", "alice", check=False).stderr
    for path in tmp_path.glob("mamd/*"):
        assert path.stat().st_mode & 0o077 == 0, path
    newer = Service(str(tmp_path / "newer"))
    with sqlite3.connect(newer.path("mamd.db")) as database:
        database.execute("PRAGMA user_version = 99")
    assert "newer mamd" in newer.run("invite", "alice", check=False).stderr
    missing = subprocess.run([MAMD, "serve", str(tmp_path / "none")], capture_output=True, text=True, check=False)
    assert "mamd init" in missing.stderr


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_the_unit_is_valid_and_hardened(tmp_path):
    text = (Path(__file__).parents[2] / "packaging/systemd/mamd.service").read_text()
    unit = tmp_path / "mamd.service"
    unit.write_text(text.replace("/usr/local/bin/mamd", MAMD))
    verified = subprocess.run(["systemd-analyze", "verify", str(unit)], capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stderr) == (0, "")
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=15", str(unit)]
    judged = subprocess.run(command, capture_output=True, text=True, check=False)
    assert judged.returncode == 0, judged.stdout
