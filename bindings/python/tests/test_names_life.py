"""Calls that register, enroll, check in, unenroll and wipe, with names of every kind; plain copies; and the list of all
functions that take a name."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import header
import mam
import pytest
from conftest import BEN, EVE
from names import ANN, ANN_ID, COLLEAGUE, MISSPELT, POLICIES, SECRET, SHARED, Name, Place, former, is_secret, traces
from names_asks import ASKS
from names_owned import GIVE, GIVE_DATABASE
from names_stores import STORES

S, CODE = mam.Status, mam.StatusCode


def _register(place: Place, name: str) -> int:
    place.m.register_account(name)
    return 0


#: Calls that change a name's standing, and their result by that standing: a code, or a status.
LIVES: dict[str, Callable[[Place, str], int]] = {
    "mam_register_and_enroll": lambda place, name: place.m.register_and_enroll(name).wait(30).code,
    "mam_login_and_enroll": lambda place, name: place.m.login_and_enroll(name).wait(30).code,
    "mam_check_in": lambda place, name: place.m.check_in(name).wait(30).code,
    "mam_deregister_and_unenroll": lambda place, name: place.m.deregister_and_unenroll(name).wait(30).code,
    "mam_wipe_account": lambda place, name: place.m.wipe_account(name).wait(30).code,
    "mam_register_account": _register,
}
NAMES = [
    Name("current UPN", ANN, "managed"),
    Name("account id", ANN_ID, "managed"),
    Name("other case", ANN.upper(), "managed"),
    Name("former UPN", former(0), "managed"),
    Name("former UPN, other case", former(0).upper(), "managed"),
    Name("misspelt local part", MISSPELT, "stranger"),
    Name("misspelt domain", "ann@contosso.example", "stranger"),
    Name("free mail", "ann@gmail.com", "outsider"),
    Name("personal", EVE, "outsider"),
    Name("registered", COLLEAGUE, "registered"),
    Name("known", SHARED, "known"),
    Name("nobody", "", "nobody"),
]
CHECKED_IN: set[int] = {CODE.POLICIES_HAVE_NOT_CHANGED, CODE.NEW_POLICIES_RECEIVED}
EXPECTED: dict[str, dict[str, set[int]]] = {
    "mam_register_and_enroll": {
        "managed": {CODE.ALREADY_ENROLLED, CODE.AUTH_REQUIRED}, "": {CODE.AUTH_REQUIRED}, "nobody": {S.ARGUMENT},
    },
    "mam_login_and_enroll": {
        "managed": {CODE.ALREADY_ENROLLED, CODE.AUTH_REQUIRED}, "": {CODE.AUTH_REQUIRED}, "nobody": {S.ARGUMENT},
    },
    "mam_check_in": {"managed": CHECKED_IN, "": {CODE.NOT_ENROLLED_ACCOUNT}, "nobody": {S.ARGUMENT}},
    "mam_deregister_and_unenroll": {
        "managed": {CODE.UNENROLLMENT_SUCCESS}, "known": {CODE.UNENROLLMENT_SUCCESS},
        "registered": {CODE.UNENROLLMENT_SUCCESS}, "": {S.NOT_REGISTERED}, "nobody": {S.ARGUMENT},
    },
    "mam_wipe_account": {
        "managed": {CODE.UNENROLLMENT_SUCCESS}, "registered": {CODE.UNENROLLMENT_SUCCESS, S.NOT_REGISTERED},
        "": {S.NOT_REGISTERED}, "nobody": {S.ARGUMENT},
    },
    "mam_register_account": {"nobody": {S.ARGUMENT}, "": {0}},
}  # fmt: skip


def outcome(function: str, place: Place, name: str) -> int:
    try:
        return int(LIVES[function](place, name))
    except mam.MamError as error:
        assert error.message
        return int(error.status)


def is_hers(m: mam.Mam, name: str) -> bool:
    data = m.protect(name, SECRET)
    return is_secret(data) and m.protection_info(data).account_id == ANN_ID


@pytest.mark.parametrize("name", NAMES, ids=lambda name: name.kind)
@pytest.mark.parametrize("function", LIVES)
def test_calls_that_change_a_standing(tmp_path: Path, function: str, name: Name) -> None:
    """Ann is unaffected unless she is named; an unknown name is refused afterwards as before."""
    with Place.make(tmp_path) as place:
        place.live("renamed once", False).introduce()
        expected = EXPECTED[function].get(name.standing, EXPECTED[function][""] if name.standing != "managed" else {0})
        assert outcome(function, place, name.text or "") in expected
        has_left = name.standing == "managed" and function in ("mam_deregister_and_unenroll", "mam_wipe_account")
        for _ in range(2):
            for one in (ANN, ANN_ID, former(0)):
                if has_left:
                    with pytest.raises(mam.NotEnrolledError):
                        place.m.protect(one, SECRET)
                else:
                    assert is_hers(place.m, one)
            if not has_left:
                misspelt_is_known = name.standing == "stranger" and function in ("mam_register_account", "mam_register_and_enroll")
                if misspelt_is_known:
                    assert name.text is not None and not is_secret(place.m.protect(name.text, SECRET))
                else:
                    with pytest.raises(mam.NotFoundError):
                        place.m.protect(MISSPELT, SECRET)
                forgotten = function == "mam_deregister_and_unenroll" and name.standing in ("known", "registered")
                if forgotten and name.text is not None:
                    with pytest.raises(
                        mam.NotFoundError if name.standing == "known" else (mam.NotFoundError, mam.NotEnrolledError)
                    ):
                        place.m.protect(name.text, SECRET)
            place.reopen()


@pytest.mark.parametrize("target", ["Ben's, sealed", "Ben's, plain", "in Ben's directory"])
@pytest.mark.parametrize("policy", ["strict", "loose"])
def test_no_plain_copy_over_a_file_of_another_account(tmp_path: Path, policy: str, target: str) -> None:
    with Place.make(tmp_path, POLICIES[policy]) as place:
        place.live("enrolled", True)
        path, to = place.sealed(), place.path()
        if target == "in Ben's directory":
            to.mkdir()
            place.m.file_protect(to, BEN)
            to /= "file"
            to.write_bytes(b"written by another program")
        else:
            with place.m.open_file(to, "wb", account=BEN) as file:
                file.write(b"Ben's own")
            if target == "Ben's, plain":
                place.m.file_decrypt(to)
        before = traces(to)
        with pytest.raises(mam.DeniedError) as caught:
            place.m.file_decrypt_copy(path, to)
        assert caught.value.message and traces(to) == before


def test_plain_copies_for_the_owner_stay_as_they_are(tmp_path: Path) -> None:
    with Place.make(tmp_path) as place:
        place.live("renamed once", True)
        path = place.sealed()
        for to in (place.path(), place.sealed(), place.file(b"nobody's")):
            place.m.file_decrypt_copy(path, to)
            assert to.read_bytes() == SECRET and place.m.file_info(to).account_id == ANN_ID
        place.m.file_decrypt(path)
        assert path.read_bytes() == SECRET and place.m.file_info(path).account_id == ANN_ID


#: JSON arguments without an account to act for.
NO_NAME_IN_JSON = {
    "mam_open", "mam_set_override", "mam_set_device", "mam_answer", "mam_managed_app", "mam_report_device_health", "mam_admin",
    "mam_policy_lint", "mam_policy_diff", "mam_policy_explain", "mam_policy_simulate", "mam_policy_web_view",
}  # fmt: skip


def test_every_function_that_takes_a_name_has_a_row() -> None:
    """A new function joins a table of these tests, or is listed as one whose JSON names no account."""
    rows = {re.sub(",.*", "", name) for table in (STORES, ASKS, GIVE, GIVE_DATABASE, LIVES) for name in table}
    missing = []
    for function in header.FUNCTIONS.values():
        takes_name = any(one.type == "const char *" and one.name in ("account", "other", "upn") for one in function.parameters)
        takes_json = any(one.type == "const char *" and one.name.endswith("_json") for one in function.parameters)
        if (takes_name or (takes_json and function.name not in NO_NAME_IN_JSON)) and function.name not in rows:
            missing.append(function.name)
    assert not missing, f"no names are tried with {', '.join(missing)}"
    assert {name for name in rows if name not in header.FUNCTIONS} == set()
