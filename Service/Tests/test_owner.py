"""mamd run as another user than the folder's: the message names the owner, and does not say to make the folder again."""

import os
import shutil
import subprocess
import tempfile

import pytest
from conftest import MAMD, Service


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root can be another user")
@pytest.mark.parametrize("words", [["serve"], ["settings"], ["invite"]])
def test_another_user_is_sent_to_the_owner(words):
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o711)
        ask_as_another(words, Service(f"{place}/mamd"))


def ask_as_another(words, service):
    as_other = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    if subprocess.run([*as_other, "test", "-x", MAMD], check=False).returncode:
        pytest.skip("another user cannot run this mamd")
    more = ["alice@contoso.example"] if words == ["invite"] else []
    done = subprocess.run([*as_other, MAMD, *words, service.folder, *more], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "belongs to root; run mamd as its owner: sudo -u 'root' mamd" in done.stderr
    assert "init" not in done.stderr
