"""decide.py APP AUTHORITY STATE ACCOUNT LIBPOLICY|- ROUNDS: predicates from Python on a held policy, beside the same
decision through bare ctypes (`may_save` of LIBPOLICY), Cedar and casbin. Prints lines "row<TAB>ours<TAB>peer".

All decide the same eight requests: a managed and an unmanaged owner, each saving to four places under a policy that
allows two of them to the managed one; and all must give the same answers."""

from __future__ import annotations

import ctypes
import importlib
import json
import logging
import operator
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import mam

CELL = 0.04  # seconds a measurement takes, about
Requests = Sequence[tuple[Any, ...]]
Measure = Callable[[], float]

PLACES = ["SharePoint", "LocalStorage", "Box", "DropBox"]
STORES = [mam.SaveLocation.SHAREPOINT, mam.SaveLocation.LOCAL_DRIVE, mam.SaveLocation.BOX, mam.SaveLocation.DROPBOX]
LOCAL = mam.SaveLocation.LOCAL_DRIVE  # has no account
PEOPLE = {"alice@contoso.com": True, "bob@example.org": False}  # managed or not
ALLOWED = ["OneDriveForBusiness", "SharePoint", "Box"]
REQUESTS = [(person, place) for place in PLACES for person in PEOPLE]
ANSWERS = [not PEOPLE[person] or place in ALLOWED for person, place in REQUESTS]


def timed(function: Callable[..., object], requests: Requests) -> float:
    """Nanoseconds a call; the loop around it is the same for all."""
    calls, begin = 0, time.perf_counter()
    while True:
        for arguments in requests:
            function(*arguments)
        calls += len(requests)
        spent = time.perf_counter() - begin
        if spent > CELL:
            return spent / calls * 1e9


def bare(path: str) -> tuple[Measure, Measure]:
    """The decision in C through ctypes: with bytes, and with text to encode."""
    library = ctypes.CDLL(path)
    may = library.may_save
    may.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]
    library.policy_new.restype = ctypes.c_void_p
    policy = ctypes.c_void_p(library.policy_new())
    if [may(policy, a.encode(), b.encode()) == 1 for a, b in REQUESTS] != ANSWERS:
        raise SystemExit(f"{path} answers otherwise than expected")
    encoded = [(policy, a.encode(), b.encode()) for a, b in REQUESTS]
    return (
        lambda: timed(may, encoded),
        lambda: timed(lambda a, b: may(policy, a.encode(), b.encode()), REQUESTS),
    )


def cedar() -> Measure:
    """Policies, entities and requests parsed and built beforehand, Cedar's fastest way."""
    cedarpy = importlib.import_module("cedarpy")
    rules = cedarpy.PolicySet.from_str(
        """permit(principal, action == Action::"save", resource) when { !principal.managed };
           permit(principal, action == Action::"save", resource in Group::"storage");"""
    )
    entities: list[dict[str, Any]] = [{"uid": {"type": "Group", "id": "storage"}, "attrs": {}, "parents": []}]
    for person, managed in PEOPLE.items():
        entities.append({"uid": {"type": "User", "id": person}, "attrs": {"managed": managed}, "parents": []})
    for place in PLACES:
        parents = [{"type": "Group", "id": "storage"}] if place in ALLOWED else []
        entities.append({"uid": {"type": "Location", "id": place}, "attrs": {}, "parents": parents})
    known = cedarpy.Entities.from_json_str(json.dumps(entities))
    requests = [
        ({"principal": f'User::"{a}"', "action": 'Action::"save"', "resource": f'Location::"{b}"', "context": {}}, rules, known)
        for a, b in REQUESTS
    ]
    ask = cedarpy.is_authorized
    if [ask(*request).allowed for request in requests] != ANSWERS:
        raise SystemExit("cedarpy answers otherwise than expected")
    return lambda: timed(ask, requests)


def casbin() -> Measure:
    """Attributes on the subject, one rule for each allowed location."""
    module = importlib.import_module("casbin")
    logging.disable(logging.CRITICAL)
    model = module.Model()
    model.load_model_from_text(
        """
[request_definition]
r = sub, obj
[policy_definition]
p = obj
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.sub.managed == False || r.obj == p.obj
"""
    )
    enforcer = module.Enforcer(model)
    for place in ALLOWED:
        enforcer.add_policy(place)

    class Subject:
        def __init__(self, managed: bool) -> None:
            self.managed = managed

    subjects = {person: Subject(managed) for person, managed in PEOPLE.items()}
    requests = [(subjects[a], b) for a, b in REQUESTS]
    if [enforcer.enforce(a, b) for a, b in requests] != ANSWERS:
        raise SystemExit("casbin answers otherwise than expected")
    return lambda: timed(enforcer.enforce, requests)


def main(app: str, authority: str, state: str, account: str, libpolicy: str, rounds: int) -> None:
    peers: dict[str, Measure] = {}
    for name, engine in [("cedarpy", cedar), ("casbin", casbin)]:
        try:
            peers[name] = engine()
        except ImportError:
            pass
    if libpolicy != "-":
        peers["bytes"], peers["text"] = bare(libpolicy)

    with mam.open(app, authority, state_directory=state, worker=False) as session:
        held = {owner: session.policy(owner) for owner in (account, "bob@example.org")}
        text = [(held[owner], store, None if store == LOCAL else owner) for store in STORES for owner in held]
        encoded = [(policy, store, owner and owner.encode()) for policy, store, owner in text]
        save = mam.Policy.is_save_to_allowed
        if [save(*request) for request in text] != ANSWERS:
            raise SystemExit("mam answers otherwise than expected")

        managed = [(held[account],)] * 8
        rows: list[tuple[str, Measure, str]] = [
            ("print", lambda: timed(operator.attrgetter("is_print_allowed"), managed), "bytes"),
            ("backup", lambda: timed(operator.attrgetter("is_backup_allowed"), managed), "bytes"),
            ("save bytes", lambda: timed(save, encoded), "bytes"),
            ("save text", lambda: timed(save, text), "text"),
            ("cedarpy", lambda: timed(save, text), "cedarpy"),
            ("casbin", lambda: timed(save, text), "casbin"),
        ]
        for number in range(-1, rounds):  # one to warm up
            for row, ours, peer in rows:
                measured = ours(), peers[peer]() if peer in peers else None
                if number >= 0:
                    print(row, f"{measured[0]:.1f}", "-" if measured[1] is None else f"{measured[1]:.1f}", sep="\t")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5], int(sys.argv[6]))
