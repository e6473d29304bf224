"""launch.py APP AUTHORITY STATE ACCOUNT ROUNDS: a launch decision from Python while nothing changes, beside a predicate on a
held policy. Prints lines "row<TAB>ours<TAB>peer".

The library has read the device's health before; it reads it again every half minute, which the calls include."""

from __future__ import annotations

import operator
import sys

import mam
from decide import timed


def main(app: str, authority: str, state: str, account: str, rounds: int) -> None:
    with mam.open(app, authority, state_directory=state, worker=False) as session:
        if not session.register_and_enroll(account).wait(30):
            raise SystemExit(f"{account} was not enrolled")
        policy, look = [(session.policy(account),)] * 8, [(account,)] * 8
        predicate = operator.attrgetter("is_backup_allowed")
        outcome = session.conditional_launch(account).outcome
        for number in range(-1, rounds):  # one to warm up
            ours, peer = timed(session.conditional_launch, look), timed(predicate, policy)
            if number >= 0:
                print(outcome, f"{ours:.1f}", f"{peer:.1f}", sep="\t")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]))
