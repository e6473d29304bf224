"""Administration by the socket of a running service."""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest
from client import Problem
from conftest import MAMD

MAMCTL = os.environ.get("MAMCTL", str(Path(__file__).parents[2] / ".build/debug/mamctl"))
needs_mamctl = pytest.mark.skipif(not os.access(MAMCTL, os.X_OK), reason=f"no mamctl at {MAMCTL}; set MAMCTL")
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
NOBODY, GROUP = 65534, "daemon"


def ask(path, text):
    """The line with which the service answers at its socket."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(path))
        connection.sendall(text)
        with connection.makefile("rb") as reply:
            return json.loads(reply.read())


def mamctl(path, *words, **more):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAM_")}
    return subprocess.run(
        [MAMCTL, "authority", *words, "--authority", str(path)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        **more,
    )


def test_an_action_and_its_error(service):
    path = service.path("mamd.sock")
    reply = ask(path, b'{"action":"user.add","upn":"bob@contoso.example"}\n')["reply"]
    assert reply["upn"] == "bob@contoso.example"
    assert len(service.admin("user.list")["users"]) == 2
    error = ask(path, b'{"action":"wipe.request","user":"nobody@contoso.example"}\n')["error"]
    assert error["name"] == "notFound" and "nobody@contoso.example" in error["message"]
    assert ask(path, b"{\n")["error"]["name"] == "json"
    assert ask(path, b'{"action":"key.rotate"}\n')["error"]["name"] == "unsupported"
    service.stop()
    assert "administered action=user.add uid=" in service.log() and "bob" not in service.log()


def test_mamd_takes_the_socket_in_place_of_the_folder(service):
    path = str(service.path("mamd.sock"))
    code = subprocess.run([MAMD, "invite", path, "alice-id", "--app", "notes"], capture_output=True, text=True, check=True)
    assert service.client().enroll("alice@contoso.example", code.stdout.strip())["accountId"] == "alice-id"
    listed = subprocess.run([MAMD, "admin", path, "-"], input='{"action":"user.list"}', capture_output=True, text=True, check=True)
    assert len(json.loads(listed.stdout)["users"]) == 1
    unknown = subprocess.run([MAMD, "invite", path, "bob"], capture_output=True, text=True, check=False)
    assert unknown.returncode != 0 and 'no user "bob"' in unknown.stderr
    for request in ({"user": 1}, {"user": "alice-id", "ap": "notes"}, {"user": "alice-id", "app": "no app"}, {}):
        assert ask(path, json.dumps({"action": "invitation.create", **request}).encode() + b"\n")["error"]["name"] == "argument"


def test_a_connection_that_says_nothing_holds_nobody_up(service):
    with socket.socket(socket.AF_UNIX) as silent:
        silent.connect(str(service.path("mamd.sock")))
        assert len(ask(service.path("mamd.sock"), b'{"action":"user.list"}\n')["reply"]["users"]) == 1
        service.stop()
    assert not service.path("mamd.sock").exists()


def test_the_socket_of_a_killed_service_is_replaced_and_that_of_a_running_one_is_not(service):
    path = service.path("mamd.sock")
    service.stop(signal.SIGKILL)
    assert path.exists()
    service.start()
    assert ask(path, b'{"action":"user.list"}\n')["reply"]["users"]
    second = subprocess.run([MAMD, "serve", service.folder, "--listen", "127.0.0.1:1"], capture_output=True, text=True, check=False)
    assert second.returncode != 0
    assert ask(path, b'{"action":"user.list"}\n')["reply"]["users"]


def test_what_keeps_a_service_from_listening_is_named(service):
    service.stop()
    with socket.create_server(("127.0.0.1", service.port)):
        refused = service.run("serve", check=False)
    assert refused.returncode != 0 and f"127.0.0.1:{service.port}: Address already in use" in refused.stderr
    path = service.path("mamd.sock")
    path.write_text("a file of somebody's")
    refused = service.run("serve", check=False)
    assert refused.returncode != 0 and f"{path}: is not a socket" in refused.stderr
    assert path.read_text() == "a file of somebody's"


@needs_mamctl
def test_mamctl_does_the_same_as_with_a_file(service):
    path = service.path("mamd.sock")
    assert mamctl(path, "user", "add", "bob@contoso.example").returncode == 0
    added = mamctl(path, "user", "list", "--json")
    assert [user["upn"] for user in json.loads(added.stdout)["users"]] == ["alice@contoso.example", "bob@contoso.example"]
    client = service.enrolled()
    requested = mamctl(path, "wipe", "request", "alice@contoso.example")
    assert "requested (1 pending)" in requested.stdout
    client.report_wipe(client.check_in()["wipe"])
    missing = mamctl(path, "wipe", "request", "carol@contoso.example", "--json")
    assert missing.returncode == 1 and json.loads(missing.stderr)["name"] == "notFound"
    service.stop()
    gone = mamctl(path, "user", "list")
    assert gone.returncode == 1 and gone.stderr.startswith("mamctl: ") and "start mamd" in gone.stderr
    made = mamctl(path, "create")
    assert made.returncode == 1 and "the name of a service's socket" in made.stderr and not path.exists()


@needs_mamctl
def test_mamctl_invites(service, tmp_path):
    path = service.path("mamd.sock")
    for user in ("alice@contoso.example", "alice-id"):
        code = mamctl(path, "user", "invite", user)
        assert (code.returncode, code.stderr) == (0, "")
        assert service.client().enroll("alice@contoso.example", code.stdout.strip())["accountId"] == "alice-id"
    limited = json.loads(mamctl(path, "user", "invite", "alice-id", "--app", "mail", "--json").stdout)["code"]
    with pytest.raises(Problem, match="needsToken"):
        service.client().enroll("alice@contoso.example", limited)
    for words, name in [(["bob@contoso.example"], "notFound"), (["alice-id", "--app", "no app"], "argument")]:
        refused = mamctl(path, "user", "invite", *words, "--json")
        assert (refused.returncode, json.loads(refused.stderr)["name"]) == (1, name)
    # An authority that is no service takes no invitations, and says what does.
    mamctl(tmp_path / "authority.db", "create")
    (tmp_path / "settings.json").write_text(json.dumps(service.settings))
    for other in (tmp_path / "authority.db", tmp_path / "settings.json", tmp_path / "none"):
        refused = mamctl(other, "user", "invite", "alice-id")
        assert refused.returncode == 64 and "mamd.sock in its folder" in refused.stderr
    service.stop()
    assert "alice" not in service.log() and code.stdout.strip() not in service.log()


@needs_mamctl
def test_mamctl_confirms_devices_whose_copies_are_wiped(service):
    path = service.path("mamd.sock")
    service.enrolled(device="laptop")
    confirmed = mamctl(path, "device", "wipe-copies", "laptop")
    assert confirmed.stdout.startswith("copies of device laptop are wiped; note: it counts where copies is")
    assert service.admin("copy.list") == {"rule": "signIn", "wiped": ["laptop"]}
    assert mamctl(path, "device", "wipe-copies", "laptop", "--undo").stdout == "copies of device laptop are not wiped\n"
    assert service.admin("copy.list")["wiped"] == []
    refused = mamctl(path, "device", "wipe-copies", "phone", "--json")
    assert (refused.returncode, json.loads(refused.stderr)["name"]) == (1, "notFound")


def test_a_service_reads_no_file_for_an_administrator(service, tmp_path):
    os.mkfifo(tmp_path / "token")
    for action in ({"action": "user.add", "upn": "bob@contoso.example"}, {"action": "user.set", "user": "alice-id"}):
        request = {**action, "accessTokenFile": str(tmp_path / "token")}
        assert ask(service.path("mamd.sock"), json.dumps(request).encode() + b"\n")["error"]["name"] == "unsupported"
    assert len(service.admin("user.list")["users"]) == 1


@needs_root
@needs_mamctl
def test_who_may(service):
    service.stop()
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o755)
    copied = shutil.copy(MAMCTL, folder)
    path = Path(folder, "admin.sock")
    try:

        def listing(**who):
            words = [copied, "authority", "user", "list", "--authority", str(path)]
            home = {"HOME": "/nonexistent", "PATH": os.environ["PATH"]}
            return subprocess.run(words, capture_output=True, text=True, check=False, cwd="/", env=home, **who)

        service.start(MAMD_ADMIN_SOCKET=str(path))
        assert listing().returncode == 0
        refused = listing(user=NOBODY, group=NOBODY, extra_groups=[])
        assert refused.returncode == 1 and "Permission denied" in refused.stderr
        service.stop()
        service.start(MAMD_ADMIN_SOCKET=str(path), MAMD_ADMIN_GROUP=GROUP)
        refused = listing(user=NOBODY, group=NOBODY, extra_groups=[])
        assert refused.returncode == 1 and "adminGroup" in refused.stderr
        assert listing(user="daemon", group=NOBODY, extra_groups=[]).returncode == 0, "a member, by the computer's groups"
        assert listing(user=NOBODY, group=GROUP, extra_groups=[]).returncode == 0
    finally:
        service.stop()
        shutil.rmtree(folder)
