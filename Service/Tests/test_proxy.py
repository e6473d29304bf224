"""libmam behind a proxy that asks who uses it."""

import subprocess

import pytest
from app import ALICE, App, needs_mamctl
from proxy import Proxy

pytestmark = needs_mamctl
PASSWORD = "open:sesame 4711"


@pytest.fixture
def proxy():
    made = Proxy("ann", PASSWORD)
    yield made
    made.close()


def files(folder, service, credentials):
    (folder / "code").write_text(service.invite())
    (folder / "credentials").write_text(credentials + "\n")
    return "--invite", str(folder / "code"), "--proxy-credentials", str(folder / "credentials")


@pytest.mark.parametrize("how", ["settings", "environment"])
def test_the_credentials_are_asked_for_and_used(tmp_path, service, proxy, how):
    app = App(tmp_path / "app", {**service.settings, "proxy": proxy.url if how == "settings" else "system"})
    if how == "environment":
        app.environment["https_proxy"] = proxy.url
    secrets = files(tmp_path, service, f"ann:{PASSWORD}")
    status, _, errors = app.run("enroll", ALICE, *secrets)
    assert (status, errors) == (0, ""), errors
    assert proxy.refused > 0 and proxy.passed > 0
    status, _, errors = app.run("check-in")
    assert status != 0 and "proxy asks for a user and a password" in errors and ", 204)" in errors
    assert app.accounts()[0]["state"] == "enrolled"
    assert app.run("check-in", *secrets[2:])[0] == 0
    found = subprocess.run(["grep", "-rac", "sesame", str(app.folder)], capture_output=True, text=True, check=False)
    assert found.returncode == 1, "the secret is kept nowhere"


@pytest.mark.parametrize("wrong", ["ann:wrong", "ann", ":", "ann:" + "x" * 5000])
def test_wrong_credentials_are_tried_once(tmp_path, service, proxy, wrong):
    app = App(tmp_path / "app", {**service.settings, "proxy": proxy.url})
    status, _, errors = app.run("enroll", ALICE, *files(tmp_path, service, wrong))
    assert status != 0 and ", 204)" in errors
    assert proxy.passed == 0 and proxy.refused <= 3
    assert "wrong" not in errors


def test_a_password_is_no_json(tmp_path, service, proxy):
    app = App(tmp_path / "app", {**service.settings, "proxy": proxy.url.replace("//", "//ann:sesame@")})
    status, _, errors = app.run("enroll", ALICE)
    assert status != 0 and "without a password" in errors and "sesame" not in errors
    app.use({**service.settings, "proxy": proxy.url})
    status, _, errors = app.run("enroll", ALICE, "--answer", 'proxyCredentials="ann:sesame"')
    assert status != 0 and "--proxy-credentials" in errors
