"""A host whose identity library is msal, with glewlwyd: its tokens enroll, and so do those that it renews by itself."""

import threading
import time

import glewlwyd
import pytest
from app import ALICE, App, needs_mamctl
from client import Problem
from test_glewlwyd import made
from test_refused_tokens import parts

msal = pytest.importorskip("msal", reason="msal is not installed: scripts/deps.sh service")
pytestmark = pytest.mark.skipif(not glewlwyd.installed(), reason="glewlwyd is not installed")


@pytest.fixture
def provider(tmp_path, monkeypatch):
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):  # they count more than `verify`
        monkeypatch.delenv(name, raising=False)
    provider = made(tmp_path, {"refresh-token-one-use": "always"}, audiences=["openid mam", "mam openid"])
    yield provider
    provider.service.stop()
    provider.stop()


def signed_in(provider):
    """A client in which alice has signed in, and the tokens that it got."""
    certificates = f"{provider.service.folder}/ca.pem"
    app = msal.PublicClientApplication("libmam", oidc_authority=provider.issuer, verify=certificates)
    flow = app.initiate_device_flow(["mam"])
    assert "user_code" in flow, flow
    person = threading.Thread(target=provider.enter, args=(flow["user_code"],))
    person.start()
    tokens = app.acquire_token_by_device_flow(flow)
    person.join()
    assert "access_token" in tokens, tokens
    subject = parts(tokens["access_token"])[1]["sub"]
    provider.service.admin("identity.bind", user=ALICE, subject=subject)
    return app, tokens


def renewed(app):
    """An access token for which nobody signs in."""
    (account,) = app.get_accounts()
    tokens = app.acquire_token_silent(["mam"], account, force_refresh=True)
    assert tokens and "access_token" in tokens, tokens
    return tokens["access_token"]


def test_tokens_of_msal_enroll_and_renew(provider):
    app, tokens = signed_in(provider)
    client = provider.service.client()
    assert client.enroll(ALICE, None, token=tokens["access_token"])["accountId"] == "alice-id"
    assert client.check_in()["result"] == "unchanged"
    # A sign-in that an administrator has ended is asked for; times of tokens are whole seconds.
    provider.service.admin("identity.revoke", user=ALICE)
    with pytest.raises(Problem, match="needsToken"):
        client.check_in(token=tokens["access_token"])
    while True:
        try:
            assert client.check_in(token=renewed(app))["result"] == "unchanged"
            break
        except Problem as problem:
            assert problem.name == "needsToken"
            time.sleep(0.2)
    with pytest.raises(Problem, match="needsToken"):
        provider.service.client().enroll(ALICE, None, token=tokens["id_token"])


@needs_mamctl
def test_libmam_enrolls_with_a_token_of_msal(provider, tmp_path):
    _, tokens = signed_in(provider)
    app, path = App(tmp_path / "app", provider.service.settings), tmp_path / "token"
    path.write_text(tokens["access_token"])
    status, output, errors = app.run("enroll", ALICE, "--token-file", str(path))
    assert status == 0, output + errors
    assert app.accounts()[0]["state"] == "enrolled"
