"""enroll.py SETTINGS USER INVITATION: enroll with a service, and check in. scripts/test-packages.sh calls this."""

import json
import sys
from pathlib import Path

from client import Client

settings, user, invitation = sys.argv[1:]
client = Client(json.loads(Path(settings).read_text(encoding="utf-8")))
reply = client.enroll(user, Path(invitation).read_text(encoding="utf-8").strip())
assert [policy["id"] for policy in reply["checkIn"]["policies"]] == ["strict"], reply
assert client.check_in()["result"] == "unchanged"
