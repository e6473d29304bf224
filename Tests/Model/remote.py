"""The other process: a session here, driven by lines of JSON; see library.Remote."""

from __future__ import annotations

import json
import sys

from library import Session

session: Session | None = None
for line in sys.stdin:
    name, *arguments = json.loads(line)
    if name == "__init__":
        session = Session(*arguments)
        answer = None
    else:
        answer = getattr(session, name)(*arguments)
    print(json.dumps(answer), flush=True)
