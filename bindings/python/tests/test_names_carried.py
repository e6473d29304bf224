"""Copies of Ann's files: imported for a name, and exported to a name's location, in every form of her files. No name gets
her data out against her policy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mam
import pytest
from names import SECRET, Name, Place, explains, is_secret
from names_owned import FORMS, whole
from names_stores import acting, is_ambiguous
from test_names_owned import UNMANAGED, names_of, place  # noqa: F401
from test_names_stores import report

S = mam.Status
CARRY: dict[str, Callable[[Place, Path, str | None, Path], None]] = {
    "mam_file_import": lambda place, path, name, target: place.m.file_import(path, name, target),
    "mam_file_export": lambda place, path, name, target: place.m.file_export(
        path, mam.SaveLocation.ACCOUNT_DOCUMENT, target, location_account=name
    ),
}


def expected(call: str, place: Place, name: Name) -> set[int]:
    standing = name.standing
    if standing == "null":
        if call == "mam_file_import" and is_ambiguous(place):
            return {S.ARGUMENT}
        standing = acting(place) if call == "mam_file_import" else "nobody"
    if standing == "retired":
        return {S.NOT_ENROLLED, S.DENIED} if call == "mam_file_export" else {S.NOT_ENROLLED}
    if standing == "stranger":
        return {S.NOT_FOUND}
    if standing in UNMANAGED:
        return {S.OK} if place.policy == "loose" else {S.DENIED}
    if place.policy != "sealed in":
        return {S.OK}
    return {S.DENIED} if standing == "another" else {S.OK, S.DENIED}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call", CARRY)
def test_copied(place: Place, call: str, form: str) -> None:
    found = []
    path = FORMS[form](place)
    before = whole(place, path)
    for name in names_of(place):
        target, status, fault = place.path(), 0, ""
        try:
            CARRY[call](place, path, name.text, target)
        except mam.MamError as error:
            status, fault = int(error.status), explains(error, name)
        allowed = expected(call, place, name)
        if status not in allowed:
            fault = f"answers {status} instead of {sorted(allowed)}"
        elif status and target.exists():
            fault = "it is refused, and there is a copy"
        elif not status and place.policy != "loose" and not is_secret(target.read_bytes()):
            fault = "the copy is in the clear"
        elif not status and name.standing in UNMANAGED and SECRET not in target.read_bytes():
            fault = "the policy lets it go, and the copy is not plain"
        found.append((name, fault))
    assert whole(place, path) == before
    report([*found])
