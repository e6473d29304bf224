"""configure.py APP AUTHORITY STATE ACCOUNT ROUNDS: queries of 1,000 app configurations from Python, beside looking the same
key up in a plain dictionary through ctypes. Prints lines "row<TAB>ours<TAB>peer". Changes the account's configuration."""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable

import mam

CELL = 0.04  # seconds a measurement takes, about
COUNT = 1000
EVERYBODY = {"target": {"@odata.type": "#microsoft.graph.allLicensedUsersAssignmentTarget"}}


def timed(function: Callable[[], object]) -> float:
    """Nanoseconds a call; the loop around it is the same for both."""
    calls, begin = 0, time.perf_counter()
    while True:
        for _ in range(100):
            function()
        calls += 100
        spent = time.perf_counter() - begin
        if spent > CELL:
            return spent / calls * 1e9


def configuration(number: int) -> dict[str, object]:
    """One key of its own, one with a different value in every configuration, one with the same value in all."""
    values = {f"own{number}": f"text of {number}", "shared": str(number), "flag": "true"}
    return {
        "@odata.type": "#microsoft.graph.targetedManagedAppConfiguration",
        "id": f"configuration-{number}",
        "appGroupType": "allApps",
        "assignments": [EVERYBODY],
        "customSettings": [{"name": name, "value": value} for name, value in values.items()],
    }


def main(app: str, path: str, state: str, account: str, rounds: int) -> None:
    mam.Authority(path).import_configuration([configuration(number) for number in range(COUNT)])
    values = {f"own{number}": f"text of {number}" for number in range(COUNT)}
    look_up = ctypes.pythonapi.PyObject_GetItem
    look_up.argtypes, look_up.restype = [ctypes.py_object, ctypes.py_object], ctypes.py_object
    with mam.open(app, path, state_directory=state, worker=False) as session:
        session.register_and_enroll(account).wait(60)
        with session.app_config(account) as config:
            most = mam.OrderedQuery.MAX
            answers = (len(config.full_data()), config.string("own500"), config.number("shared", most), config.boolean("flag"))
            if answers != (COUNT, look_up(values, "own500"), COUNT - 1, True):
                raise SystemExit(f"mam answers otherwise than expected: {answers}")
            rows: list[tuple[str, Callable[[], object]]] = [
                ("string", lambda: config.string("own500")),
                ("number", lambda: config.number("shared", most)),
                ("boolean", lambda: config.boolean("flag", mam.BooleanQuery.AND)),
                ("conflict", lambda: config.has_conflict("shared")),
            ]
            for number in range(-1, rounds):  # one to warm up
                for row, ours in rows:
                    measured = timed(ours), timed(lambda: look_up(values, "own500"))
                    if number >= 0:
                        print(row, f"{measured[0]:.1f}", f"{measured[1]:.1f}", sep="\t")


if __name__ == "__main__":
    app, path, state, account, rounds = sys.argv[1:]
    main(app, path, state, account, int(rounds))
