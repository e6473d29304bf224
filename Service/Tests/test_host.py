"""A host in Python against mamd, over TLS: the binding answers `accessToken` with an invitation."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIBRARY = os.environ.get("LIBMAM_PATH", "")
ALICE = "alice@contoso.example"

pytestmark = pytest.mark.skipif(not os.path.exists(LIBRARY), reason="no libmam.so.0; set LIBMAM_PATH")

HOST = """
import json, os, ssl, sys
ssl.create_default_context()  # OpenSSL is initialised before libmam is loaded
import mam

settings, state, code = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3]
asked = []

def delegate(question):
    asked.append(question)
    return code.encode() if isinstance(question, mam.TokenQuestion) else None

with mam.open("notes", settings, state_directory=state, worker=sys.argv[4] == "worker", delegate=delegate) as session:
    status = session.register_and_enroll(%(alice)r).wait(60)
    print(int(status.code), [list(question.accepts) for question in asked])
    print(int(session.check_in(%(alice)r).wait(60).code))
    authority = session.diagnostics()["authority"]
    print(authority["custody"], authority["custody"] == mam.Custody.SERVICE, authority["lastReached"] is not None)
    child = os.fork()
    if child == 0:
        try:
            session.check_in(%(alice)r)
        except mam.ForkedError:
            os._exit(0)
        os._exit(1)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def run(service, tmp_path, mode):
    state = tmp_path / f"state-{mode}"
    words = [sys.executable, "-c", HOST % {"alice": ALICE}, json.dumps(service.settings), str(state), service.invite(), mode]
    path = str(ROOT / "bindings/python/src")
    clean = {key: value for key, value in os.environ.items() if "proxy" not in key.lower()}
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, env={**clean, "PYTHONPATH": path})


@pytest.mark.parametrize("mode", ["worker", "none"])
def test_a_host_enrolls_and_checks_in(service, tmp_path, mode):
    done = run(service, tmp_path, mode)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:-1] == ["100 [['token', 'invitation']]", "101", "service True True", "0"], done.stderr
