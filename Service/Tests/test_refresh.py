"""libmam renews its sign-ins by refresh tokens, with mamctl: several processes, kills, and secrets in files."""

import collections
import json
import os
import re
import shutil
import sqlite3
from contextlib import contextmanager
from pathlib import Path

import pytest
from app import ALICE, App, needs_mamctl
from conftest import Service
from provider import Provider
from test_kills import KILLS

pytestmark = needs_mamctl


@contextmanager
def providing(tmp_path, **changed):
    """A provider and `service`, with these settings of sign-in."""
    service = Service(str(tmp_path / "mamd")).people()
    provider = Provider(service.folder)
    path = service.path("mamd.json")
    settings = provider.settings(service.folder, frequency="P7D", **changed)
    path.write_text(json.dumps({**json.loads(path.read_text()), "signIn": settings}))
    provider.service = service.start()
    provider.signs_in.set()
    try:
        yield provider
    finally:
        provider.refreshes.set()
        provider.service.stop()
        provider.stop()


@pytest.fixture
def provider(tmp_path):
    """A provider that gives refresh tokens to whoever asks, and `service`, which has libmam ask."""
    with providing(tmp_path, refresh=True) as provider:
        yield provider


@pytest.fixture
def app(provider, tmp_path):
    """An app in which alice has signed in."""
    return signed_in(provider, tmp_path)


def signed_in(provider, tmp_path):
    app = App(tmp_path / "app", {**provider.service.settings, "signIn": {"caFile": f"{provider.service.folder}/ca.pem"}})
    status, output, errors = app.run("enroll", ALICE, "--sign-in")
    assert status == 0, output + errors
    return app


def grow_old(provider):
    """The sign-in was a year ago."""
    with sqlite3.connect(provider.service.path("mamd.db"), timeout=60) as database:
        database.execute("UPDATE sign_ins SET at = 1700000000000")
    database.close()


def checks_in(app, *words):
    status, output, errors = app.run("check-in", *words)
    return status == 0, output + errors


def uses(provider):
    return [form["refresh_token"] for path, form in provider.forms if path == "/token" and "refresh_token" in form]


def test_a_check_in_is_renewed_without_the_person(provider, app):
    (first,) = provider.refresh_tokens
    assert ("/device", {"client_id": "libmam", "scope": "mam.enroll offline_access"}) in provider.forms
    for number in range(1, 4):
        grow_old(provider)
        passed, text = checks_in(app)
        assert passed, text
        assert len(provider.used) == number
    assert provider.used[0] == first and provider.replayed == 0
    assert len({path for path, _ in provider.forms if path == "/device"}) == 1
    assert provider.service.admin("signIn.refusals")["refusals"] == []


def test_no_secret_is_in_a_file_or_a_message(provider, app):
    grow_old(provider)
    _, text = checks_in(app)
    tokens = [*provider.used, *provider.refresh_tokens]
    assert len(tokens) == 2
    text += app.run("log")[1] + app.run("status", "--json")[1] + app.run("events")[1] + provider.service.log()
    for token in tokens:
        assert token not in text
        for folder, _, names in os.walk(app.folder):
            for name in names:
                assert token.encode() not in (Path(folder) / name).read_bytes(), name


def test_several_processes_use_each_token_once(provider, app):
    for _ in range(3):
        grow_old(provider)
        processes = [app.start("check-in") for _ in range(4)]
        for process in processes:
            _, errors = process.communicate()
            assert process.returncode == 0, errors
    assert provider.replayed == 0 and len(provider.used) >= 3
    assert sorted(uses(provider)) == sorted(provider.used), "each was sent once"


def test_a_process_that_is_killed_with_the_token_costs_a_sign_in(provider, app):
    provider.refreshes.clear()
    grow_old(provider)
    process = app.start("check-in")
    while not provider.used:
        assert process.poll() is None
    process.kill()
    process.communicate()
    provider.refreshes.set()
    for _ in range(2):
        passed, text = checks_in(app)
        assert not passed and ", 203)" in text
    assert app.accounts()[0]["state"] == "enrolled"
    assert provider.replayed == 0 and len(uses(provider)) == 1, "nothing is sent twice"
    assert checks_in(app, "--sign-in")[0]
    grow_old(provider)
    assert checks_in(app)[0]
    assert len(provider.used) == 2


def steps(provider, app):
    """The system calls of a renewal, from the first connection to the provider on: the name, and the number in its thread."""
    trace, counts, found = app.folder / "trace", collections.Counter(), []
    grow_old(provider)
    process = app.start("check-in", before=["strace", "-f", "-o", str(trace)])
    process.communicate()
    assert process.returncode == 0
    for line in trace.read_text(errors="replace").splitlines():
        call = re.match(r"(\d+ +)(\w+)\(", line)
        if call:
            counts[call.groups()] += 1
            if found or (call[2] == "connect" and f"htons({provider.port})" in line):
                found.append((call[2], counts[call.groups()]))
    return [one for one in found if one[0] in ("connect", "sendto", "write", "recvfrom", "read", "pwrite64", "fdatasync")]


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
@pytest.mark.parametrize("binding", [False, True], ids=["bearer", "DPoP"])
def test_a_kill_at_any_step_of_a_renewal(tmp_path, binding):
    with providing(tmp_path, refresh=True) as provider:
        provider.binding = binding
        app = signed_in(provider, tmp_path)
        calls, ends = steps(provider, app), collections.Counter()
        for name, number in calls[:: max(1, len(calls) // KILLS)]:
            grow_old(provider)
            (token,) = provider.refresh_tokens
            inject = f"inject={name}:signal=KILL:when={number}"
            process = app.start("check-in", before=["strace", "-f", "-o", "/dev/null", "-e", f"trace={name}", "-e", inject])
            process.communicate()
            passed, text = checks_in(app)
            assert passed or ", 203)" in text, text
            ends[process.returncode == 0, passed] += 1
            if not passed:
                assert checks_in(app, "--sign-in")[0], "the account can sign in again"
                while token not in provider.revoked:
                    assert checks_in(app)[0]
        assert app.accounts()[0]["state"] == "enrolled"
        assert ends[False, False] and ends[False, True], "kills cost a sign-in or not"
        assert provider.replayed == 0 and len(set(uses(provider))) == len(uses(provider)), "each token is sent once"
        assert len(provider.refresh_tokens) == 1, "what a killed process was given counts no more"


def test_a_person_whom_the_provider_does_not_know_any_more(provider, app):
    provider.refresh_tokens.clear()
    grow_old(provider)
    for _ in range(2):
        passed, text = checks_in(app)
        assert not passed and ", 203)" in text
    assert len(uses(provider)) == 1


def test_a_provider_that_is_away(provider, app):
    provider.replies = [(503, {"error": "temporarily_unavailable"})]
    grow_old(provider)
    passed, text = checks_in(app)
    assert not passed and ", 217)" in text
    assert checks_in(app)[0], "the token was not used"
    assert provider.replayed == 0


def test_leaving_revokes_the_token(provider, app):
    (token,) = provider.refresh_tokens
    status, _, errors = app.run("unenroll", ALICE)
    assert status == 0, errors
    assert provider.revoked == [token]


def test_a_wipe_revokes_the_token(provider, app):
    (token,) = provider.refresh_tokens
    provider.service.admin("wipe.request", user=ALICE, app="notes")
    for _ in range(5):
        if app.accounts() == [] and app.status()["wipes"] == []:
            break
        app.run("check-in")
    assert app.accounts() == []
    assert token in provider.revoked


def test_an_ended_sign_in_takes_the_person(provider, app):
    provider.service.admin("identity.revoke", user=ALICE)
    passed, text = checks_in(app)
    assert not passed and ", 203)" in text
    assert not uses(provider)


def test_without_the_setting_no_token_is_asked_for(tmp_path):
    with providing(tmp_path) as provider:
        settings = {**provider.service.settings, "signIn": {"caFile": f"{provider.service.folder}/ca.pem"}}
        app = App(tmp_path / "app", settings)
        assert app.run("enroll", ALICE, "--sign-in")[0] == 0
        assert not provider.refresh_tokens
        grow_old(provider)
        passed, text = checks_in(app)
        assert not passed and ", 203)" in text
        app.use({**settings, "signIn": {**settings["signIn"], "refresh": True}})
        assert checks_in(app, "--sign-in")[0]
        assert len(provider.refresh_tokens) == 1, "the app's settings ask for it"
