"""libmam signs people in at a provider, by a code and by a browser, with mamctl."""

import ctypes
import json
import os
import pty
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from app import ALICE, MAMCTL, App, line_with, needs_mamctl
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
    """The text that the process has shown, up to the code."""
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


@pytest.fixture
def browser(app, tmp_path):
    """A display and an xdg-open, which writes down what it is to open; returns the page once there is one."""
    folder = tmp_path / "programs"
    folder.mkdir()
    page = tmp_path / "page"
    program = folder / "xdg-open"
    program.write_text(f'#!/bin/sh\nprintf %s "$1" > "{page}.part" && mv "{page}.part" "{page}"\n')
    program.chmod(0o700)
    app.environment.update(DISPLAY=":0", PATH=f"{folder}:{os.environ['PATH']}")

    def opened(process):
        while not page.exists():
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.01)
        return page.read_text()

    return opened


def fetched(provider, page):
    """The page that a browser shows in the end."""
    context = ssl.create_default_context(cafile=f"{provider.service.folder}/ca.pem")
    with urllib.request.urlopen(page, context=context) as reply:
        return reply.read().decode()


def test_a_browser_comes_back_and_the_person_is_enrolled(provider, app, browser):
    process = app.start("login", ALICE)
    page = browser(process)
    assert page.startswith(f"{provider.issuer}/authorize?")
    assert "go back to the app" in fetched(provider, page)
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert app.accounts()[0]["state"] == "enrolled"
    ((path, form),) = provider.forms
    assert (path, form["grant_type"]) == ("/token", "authorization_code")
    everything = output + errors + app.run("log")[1] + app.run("status", "--json")[1] + provider.service.log() + page
    assert form["code"] not in everything and form["code_verifier"] not in everything and "eyJ" not in everything


def test_a_browser_with_another_state_is_refused(provider, app, browser):
    process = app.start("login", ALICE)
    page = browser(process)
    forged = page.replace("state=", "state=x")
    with pytest.raises(urllib.error.HTTPError) as caught:
        fetched(provider, forged)
    assert caught.value.code == 400
    assert not provider.forms
    fetched(provider, page)
    assert process.wait() == 0
    process.communicate()


def test_without_a_browser_where_only_one_is_allowed(provider, app):
    """The address is shown: whoever has a browser on this computer opens it."""
    app.use(settings(provider, methods=["browser"]))
    process = app.start("enroll", ALICE, "--sign-in")
    fetched(provider, line_with(process, "/authorize?").strip())
    assert process.wait() == 0
    process.communicate()


LIBRARY = os.environ.get("LIBMAM_PATH", "")
HOST = """
import json, sys
import mam

settings, state = json.loads(sys.argv[1]), sys.argv[2]
with mam.open("notes", settings, state_directory=state, worker=sys.argv[3] == "worker") as session:
    @session.on_question(mam.ACCESS_TOKEN)
    def token(question):
        assert "signIn" in question.accepts and question.issuer and question.client_id == "libmam"
        return {"signIn": True}

    @session.on_question(mam.SIGN_IN)
    def show(question):
        print(question.method, question.verification_uri, question.user_code, flush=True)
        return sys.argv[4] == "show"

    print(int(session.login_and_enroll(%(alice)r).wait(60).code), flush=True)
"""


@pytest.mark.skipif(not os.path.exists(LIBRARY), reason="no libmam.so.0; set LIBMAM_PATH")
@pytest.mark.parametrize(("mode", "answer", "code"), [("worker", "show", 100), ("none", "show", 100), ("worker", "cancel", 219)])
def test_a_host_in_python_shows_the_code(provider, tmp_path, mode, answer, code):
    words = [sys.executable, "-c", HOST % {"alice": ALICE}, json.dumps(settings(provider)), str(tmp_path / "state"), mode, answer]
    clean = {key: value for key, value in os.environ.items() if "proxy" not in key.lower()}
    environment = {**clean, "PYTHONPATH": str(Path(__file__).parents[2] / "bindings/python/src")}
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stdout.readline().split() == ["device", f"{provider.issuer}/enter", CODE]
    provider.signs_in.set()
    output, errors = process.communicate()
    assert output == f"{code}\n", errors


def qrencode():
    try:
        return ctypes.CDLL("libqrencode.so.4")
    except OSError:
        return None


class Encoded(ctypes.Structure):
    _fields_ = (("version", ctypes.c_int), ("width", ctypes.c_int), ("data", ctypes.POINTER(ctypes.c_ubyte)))


@pytest.mark.skipif(not qrencode(), reason="libqrencode is not installed")
def test_a_terminal_shows_a_qr_code(provider, app):
    """Its modules are those of libqrencode, with a light margin."""
    terminal, end = pty.openpty()
    process = subprocess.Popen(
        [MAMCTL, "login", ALICE], env=app.environment, stdin=end, stdout=subprocess.DEVNULL, stderr=end, start_new_session=True
    )
    os.close(end)
    text = b""
    while b"same code" not in text:
        text += os.read(terminal, 65536)
    process.kill()
    process.wait()
    os.close(terminal)
    rows = [line for line in text.decode().splitlines() if "\x1b[97;40m" in line]
    dark = {"█": "00", "▀": "01", "▄": "10", " ": "11"}
    halves = [[dark[block] for block in row.split("m", 1)[1].split("\x1b")[0]] for row in rows]
    shown = ["".join(half[n] for half in row) for row in halves for n in (0, 1)]
    library = qrencode()
    library.QRcode_encodeString.restype = ctypes.POINTER(Encoded)
    code = library.QRcode_encodeString(f"{provider.issuer}/enter?code={CODE}".encode(), 0, 0, 2, 1).contents
    margin = "00"
    for y in range(code.width):
        modules = "".join(str(code.data[y * code.width + x] & 1) for x in range(code.width))
        assert shown[y + 2] == margin + modules + margin
    assert set("".join(shown[:2])) == {"0"}
