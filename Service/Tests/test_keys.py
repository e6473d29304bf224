"""Keys that are rotated and recovered, with clients that know the former ones."""

import json
import shutil
import sqlite3
import subprocess

import pytest
from app import ALICE, App, needs_mamctl
from client import Untrusted
from conftest import MAMD


def known(service):
    return [line.split("  ") for line in service.keys("list").splitlines()]


@pytest.fixture
def recovery(service, tmp_path):
    """The recovery key, away from the service."""
    return shutil.move(service.path("recovery.key"), tmp_path / "recovery.key")


def follows(client, service):
    """A client that knows former keys reaches the latest ones, and is answered."""
    assert client.check_in()["result"] == "unchanged"
    assert set(client.keys) == {kid for use, kid, _ in known(service) if use == "sign"}


def test_a_client_follows_rotations_while_the_service_runs(service, recovery):
    client, silent = service.enrolled(), service.enrolled(device="silent")
    (first,) = [kid for use, kid, _ in known(service) if use == "sign"]
    for number in range(1, 4):
        service.keys("rotate", "--recovery", recovery)
        assert [state for _, _, state in known(service)] == ["in use", "former", "in use"]
        follows(client, service)
        assert client.statement == number
    # One that was silent meanwhile, and one with the first settings.
    follows(silent, service)
    follows(service.enrolled(device="new"), service)
    assert first not in silent.keys
    service.stop()
    follows(silent, service.start())


def test_recovery_ends_the_former_key(service, recovery):
    client = service.enrolled()
    former = dict(client.keys)
    service.keys("rotate", "--recovery", recovery)
    service.keys("recover", "--recovery", recovery)
    assert [state for _, _, state in known(service)] == ["in use", "in use"]
    follows(client, service)
    assert not former.keys() & client.keys.keys()
    # The settings that apps get from now on have the new key.
    fresh = service.client()
    assert fresh.discover()["statements"] == json.loads(service.keys("statement"))


def settings(service):
    return json.loads(service.run("settings"))


def lose_the_key(service):
    """As where the database is damaged, and its key file is not."""
    service.stop()
    with sqlite3.connect(service.path("mamd.db")) as database:
        database.execute("UPDATE authority_keys SET wrapped = NULL")
    refused = subprocess.run([MAMD, "serve", service.folder], capture_output=True, text=True, check=False)
    assert refused.returncode != 0 and "mamd keys recover" in refused.stderr
    assert "mamd keys recover" in service.run("settings", check=False).stderr


def test_the_settings_are_those_of_init_until_the_keys_change(service, recovery):
    assert settings(service) == service.settings
    assert service.settings["statement"] == 0
    service.keys("rotate", "--recovery", recovery)
    assert settings(service)["statement"] == 1
    # No secret is in them, and nothing but the keys has changed.
    assert {key: value for key, value in settings(service).items() if service.settings[key] != value}.keys() == {
        "keys",
        "statement",
    }


def test_a_lost_key_is_recovered_for_old_and_for_new_settings(service, recovery):
    old, client = service.settings, service.enrolled()
    lose_the_key(service)
    service.keys("recover", "--recovery", recovery)
    new = settings(service)
    service.start()
    follows(client, service)
    late = service.enrolled()
    service.settings = new
    fresh = service.enrolled()
    assert (late.statement, fresh.statement) == (1, 1)
    # A statement behind that of the settings counts, too.
    service.keys("rotate", "--recovery", recovery)
    for one in (client, late, fresh):
        follows(one, service)
        assert one.statement == 2
    assert old["keys"] != new["keys"]


@needs_mamctl
def test_libmam_with_old_and_with_new_settings_after_a_recovery(service, recovery, tmp_path):
    known, silent = (App(tmp_path / name, service.settings) for name in ("known", "silent"))
    assert known.enroll(service.invite())[0] == silent.enroll(service.invite())[0] == 0
    lose_the_key(service)
    service.keys("recover", "--recovery", recovery)
    new = settings(service)
    service.start()
    late, fresh = App(tmp_path / "late", service.settings), App(tmp_path / "fresh", new)
    assert late.enroll(service.invite())[0] == fresh.enroll(service.invite())[0] == 0
    known.use(new)
    for number in (2, 3):
        for app in (known, late, fresh):
            status, output, errors = app.run("check-in")
            assert (status, "policiesHaveNotChanged, 101" in output) == (0, True), (number, errors)
        service.keys("rotate", "--recovery", recovery)
    # One that heard of none of the three changes.
    assert silent.run("check-in")[0] == 0
    silent.use(settings(service))
    assert silent.run("check-in")[0] == 0
    assert [account["upn"] for account in silent.accounts()] == [ALICE]


def test_another_recovery_key_takes_its_place(service, recovery, tmp_path):
    client, next_key = service.enrolled(), tmp_path / "next.key"
    service.keys("recover", "--recovery", recovery, "--new-recovery", next_key)
    assert next_key.stat().st_mode & 0o077 == 0
    follows(client, service)
    refused = service.keys("rotate", "--recovery", recovery, check=False)
    assert refused.returncode != 0 and "was replaced" in refused.stderr
    service.keys("rotate", "--recovery", next_key)
    follows(client, service)
    assert "is there already" in service.keys("recover", "--recovery", next_key, "--new-recovery", recovery, check=False).stderr


def test_wrong_recovery_keys_change_nothing(service, recovery, tmp_path):
    before = known(service)
    wrong = tmp_path / "wrong.key"
    for text, expected in [
        ("libmam recovery key 1\n" + "A" * 43 + "=\n", "another service"),
        ("libmam recovery key 1\nAAAA\n", "is no recovery key"),
        ("", "is no recovery key"),
    ]:
        wrong.write_text(text)
        for command in ("rotate", "recover"):
            refused = service.keys(command, "--recovery", wrong, check=False)
            assert refused.returncode != 0 and expected in refused.stderr
    assert "cannot be read" in service.keys("rotate", "--recovery", tmp_path / "none", check=False).stderr
    failed = service.keys("recover", "--recovery", recovery, "--new-recovery", tmp_path / "new", "--statements", wrong, check=False)
    assert failed.returncode != 0 and not (tmp_path / "new").exists()
    assert known(service) == before


def change(statement, **payload):
    return {**statement, "payload": json.dumps({**json.loads(statement["payload"]), **payload})}


# The statements that somebody who may write the database, and has no recovery key, can make of that of a rotation.
FORGED = {
    "another tenant": lambda made: change(made, tenant="fabrikam"),
    "another number": lambda made: change(made, number=2),
    "without the recovery key": lambda made: {**made, "signatures": made["signatures"][:1]},
    "unsigned": lambda made: {**made, "signatures": []},
    "signatures exchanged": lambda made: {
        **made,
        "signatures": [
            {"kid": one["kid"], "sig": other["sig"]}
            for one, other in zip(made["signatures"], reversed(made["signatures"]), strict=True)
        ],
    },
}


@pytest.mark.parametrize("forgery", FORGED)
def test_a_key_that_the_recovery_key_has_not_stated_is_refused(service, recovery, forgery):
    client = service.enrolled()
    keys, policy = dict(client.keys), client.tags
    service.keys("rotate", "--recovery", recovery)
    service.stop()
    (made,) = json.loads(service.keys("statement"))
    with sqlite3.connect(service.path("mamd.db")) as database:
        database.execute("UPDATE key_statements SET statement = ?", (json.dumps(FORGED[forgery](made)),))
    service.start()
    with pytest.raises(Untrusted):
        client.check_in()
    assert (client.keys, client.tags, client.statement) == (keys, policy, 0)


def test_a_copy_from_before_a_recovery_needs_the_statements(service, recovery, tmp_path):
    client, copy, kept = service.enrolled(), service.folder + ".copy", tmp_path / "statements.json"
    service.run("backup", copy)
    service.keys("recover", "--recovery", recovery)
    kept.write_text(service.keys("statement"))
    follows(client, service)
    service.put_back(copy)
    with pytest.raises(Untrusted):
        client.check_in()
    kept_text = kept.read_text()
    for text in ("[]", "{", kept_text.replace("contoso", "fabrikam"), "[{}]"):
        kept.write_text(text)
        assert service.keys("recover", "--recovery", recovery, "--statements", kept, check=False).returncode != 0
    kept.write_text(kept_text)
    service.keys("recover", "--recovery", recovery, "--statements", kept)
    service.run("restore", "--accept")
    follows(client, service)
    assert client.statement == 2


@pytest.mark.parametrize("version", [1, 2, 4, 5])
def test_a_database_of_an_earlier_version_is_brought_up_to_date(service, recovery, version):
    added = {
        2: ["TABLE key_statements"],
        3: ["TABLE identities", "TABLE sign_in_refusals", "TABLE sign_ins", "TABLE revocations"],
        5: ["TABLE wiped_copies", "INDEX registrants_of_device", "INDEX registrants_by_end"],
        6: ["TABLE former_names"],
    }
    client = service.enrolled()
    service.stop()
    with sqlite3.connect(service.path("mamd.db")) as database:
        for name in [name for later, names in added.items() if later > version for name in names]:
            database.execute(f"DROP {name}")
        database.execute(f"PRAGMA user_version = {version}")
    service.start()
    assert client.check_in()["result"] == "unchanged"
    service.keys("rotate", "--recovery", recovery)
    follows(client, service)
