"""libmam signs people in at a provider: the device authorization grant, by mamctl."""

import json
from pathlib import Path

import pytest
from app import ALICE, App, needs_mamctl
from conftest import Service
from provider import Provider

pytestmark = needs_mamctl
CODE = "WDJB-MJHT"


@pytest.fixture
def provider(tmp_path):
    """A provider, and `service` with it."""
    service = Service(str(tmp_path / "mamd")).people()
    made = Provider(service.folder)
    path = service.path("mamd.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "signIn": made.settings(service.folder)}))
    made.service = service.start()
    yield made
    service.stop()
    made.stop()


@pytest.fixture
def app(provider, tmp_path):
    return App(tmp_path / "app", settings(provider))


def settings(provider, **changed):
    """The service's settings, with the certificate of the provider."""
    return {**provider.service.settings, "signIn": {"caFile": f"{provider.service.folder}/ca.pem", **changed}}


def shown(process):
    """What the process has shown, up to the code."""
    lines = []
    while not lines or CODE not in lines[-1].split():
        lines.append(process.stderr.readline())
        assert lines[-1], lines
    return "".join(lines)


def test_a_person_signs_in_and_is_enrolled(provider, app):
    process = app.start("login", ALICE)
    text = shown(process)
    assert f"{provider.issuer}/enter?code={CODE}" in text and ALICE in text
    assert Path(f"/proc/{process.pid}/cmdline").read_bytes().split(b"\0")[1:-1] == [b"login", ALICE.encode()]
    provider.signs_in.set()
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert app.accounts()[0]["state"] == "enrolled"
    assert "\x1b" not in text + errors, "a QR code is for terminals"
    begun, *polls = provider.forms
    assert begun == ("/device", {"client_id": "libmam", "scope": "mam.enroll"})
    assert {path for path, _ in polls} == {"/token"}
    (bound,) = provider.service.admin("identity.list")["identities"]
    assert bound["accountId"] == "alice-id"
    everything = text + output + errors + app.run("log")[1] + app.run("status", "--json")[1] + provider.service.log()
    assert provider.device_code not in everything and "eyJ" not in everything


@pytest.mark.parametrize(
    ("error", "status"),
    [("access_denied", 219), ("expired_token", 216), ("invalid_client", 217), ("unsupported_grant_type", 224)],
)
def test_a_sign_in_that_fails(provider, app, error, status):
    provider.replies = [(400, {"error": error, "error_description": provider.device_code})]
    code, output, errors = app.run("enroll", ALICE, "--sign-in")
    assert code != 0
    assert f", {status})" in errors, errors
    assert provider.device_code not in output + errors
    assert app.accounts()[0]["state"] == "registered"


def test_a_provider_that_cannot_be_reached(provider, app):
    app.use(settings(provider, issuer="https://localhost:9", clientId="libmam", scopes=["mam.enroll"]))
    _, _, errors = app.run("enroll", ALICE, "--sign-in")
    assert ", 217)" in errors, errors


def test_enrolling_without_the_option_asks_no_provider(provider, app):
    _, _, errors = app.run("enroll", ALICE)
    assert ", 203)" in errors
    assert not provider.forms


def test_the_organisation_may_forbid_it(provider, app):
    service = provider.service
    path = service.path("mamd.json")
    service.stop()
    path.write_text(json.dumps({**json.loads(path.read_text()), "signIn": provider.settings(service.folder, methods=[])}))
    service.start()
    _, _, errors = app.run("enroll", ALICE, "--sign-in")
    assert ", 224)" in errors, errors
    assert not provider.forms
