"""No call removes protection because of a name: Ann's file stays hers, unless her policy lets it go and the call asks for
it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import mam
import pytest
from conftest import BEN
from names import ANN_ID, BEN_ID, POLICIES, SECRET, Name, Place, explains, identity_is, is_secret
from names_owned import DATABASES, FORMS, GIVE, GIVE_DATABASE, whole
from names_stores import acting, is_ambiguous
from test_names_stores import report

S = mam.Status
#: History, two accounts, policy, a later session.
WORLDS = [
    ("enrolled", False, "strict", False),
    ("enrolled", False, "loose", False),
    ("enrolled", True, "strict", True),
    ("renamed 3 times", False, "strict", True),
    ("renamed 17 times", True, "strict", False),
    ("renamed 17 times", True, "loose", True),
    ("renamed once", True, "sealed in", False),
]
UNMANAGED = ("outsider", "known", "registered", "nobody")


def titled(world: tuple[str, bool, str, bool]) -> str:
    history, two, policy, later = world
    return f"{history}, {'two' if two else 'one'}, {policy}, {'later' if later else 'same'} session"


@pytest.fixture(scope="module", params=WORLDS, ids=titled)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    history, two, policy, later = request.param
    with Place.make(tmp_path_factory.mktemp("names"), POLICIES[policy]) as place:
        place.policy = policy
        place.live(history, two).introduce()
        if later:
            place.reopen()
        yield place


def names_of(place: Place) -> list[Name]:
    """The names of the place, with Ben's if he is enrolled."""
    return [*place.names(), *([Name("Ben's", BEN, "another")] if place.has_ben else [])]


def expected(call: str, place: Place, name: Name) -> set[int]:
    standing = name.standing
    if standing == "null":
        if is_ambiguous(place):
            return {S.ARGUMENT}
        standing = acting(place)
    if standing == "retired":
        return {S.NOT_ENROLLED}
    if standing == "stranger":
        return {S.NOT_FOUND}
    if call == "mam_file_unmanage":
        if standing in ("managed", "another"):
            return {S.ARGUMENT}
        return {S.OK} if place.policy == "loose" else {S.DENIED}
    if standing == "another":
        return {S.DENIED} if place.policy == "sealed in" else {S.OK}
    if standing == "managed":
        return {S.OK}
    if call in ("mam_file_encrypt", "mam_sqlite_encrypt"):
        return {S.DENIED, S.NOT_MANAGED, S.ARGUMENT}  # nothing is encrypted without an account: only the refusal counts
    return {S.DENIED}


def fault_of_refusal(call: str, policy: str, name: Name, error: mam.MamError) -> str:
    """If the policy keeps the file the reason is the policy's; else the message names the call that releases it."""
    if error.status == S.DENIED and name.standing in UNMANAGED:
        if call == "mam_file_unmanage" or policy != "loose":
            return "" if error.detail.get("reason") else "the detail has no reason"
        if "Mam.file_unmanage" not in error.message:
            return f"it does not name the way out: {error.message!r}"
    return explains(error, name)


def fault_of_success(call: str, place: Place, name: Name, path: Path) -> str:
    owner = place.m.file_info(path).account_id
    data = path.read_bytes()
    if call == "mam_file_unmanage":
        if SECRET not in data:
            return "it is not plain"
        wanted = {"", None} if name.standing in ("nobody", "null") else {name.text, (name.text or "").lower()}
        return "" if owner in wanted else f"it is {owner!r}'s"
    if not is_secret(data) or b"something else" in data:
        return "a managed account's data is in the clear"
    if name.standing == "another" and owner != BEN_ID:
        return f"it is {owner!r}'s instead of Ben's"
    return "" if owner in (ANN_ID, BEN_ID) else f"it is {owner!r}'s"


def try_all(call: str, form: str, place: Place, names: list[Name], where: str) -> list[tuple[Name, str]]:
    """The call with each name on a file of hers: one file for refused calls, a new one for each other."""
    found = []
    path = FORMS[form](place)
    before = whole(place, path)
    for name in names:
        allowed = expected(call, place, name)
        target = FORMS[form](place) if S.OK in allowed else path
        status, fault = 0, ""
        with identity_is(place.m, where, name.text):
            try:
                GIVE[call](place, target, None if where else name.text)
            except mam.MamError as error:
                status, fault = int(error.status), fault_of_refusal(call, place.policy, name, error)
        if status not in allowed:
            fault = f"answers {status} instead of {sorted(allowed)}"
        elif status == 0:
            fault = fault_of_success(call, place, name, target)
        found.append((name, fault))
        if whole(place, path) != before:
            found.append((name, "what it refused is changed"))
            path = FORMS[form](place)
            before = whole(place, path)
    return found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call", GIVE)
def test_named(place: Place, call: str, form: str) -> None:
    names = names_of(place)
    if call == "mam_file_create":
        names = [one for one in names if one.standing != "null"]  # test_names_truncate.py
    report([*try_all(call, form, place, names, "")])


@pytest.mark.parametrize("where", ["thread", "process"])
@pytest.mark.parametrize("call", [one for one in GIVE if one != "mam_file_create"])
def test_by_the_identity(place: Place, call: str, where: str) -> None:
    names = [one for one in names_of(place) if one.text is not None]
    report([*try_all(call, "sealed", place, names, where)])


@pytest.mark.parametrize("call", GIVE_DATABASE)
def test_databases(place: Place, call: str) -> None:
    found = []
    for name in names_of(place):
        if name.text is None:
            continue
        path = DATABASES["encrypted database"](place)
        before, status, fault = path.read_bytes(), 0, ""
        try:
            GIVE_DATABASE[call](place, path, name.text)
        except mam.MamError as error:
            status, fault = int(error.status), explains(error, name)
        if name.standing == "managed":
            fault = "" if status == 0 else f"answers {status} for the owner"
        elif name.standing == "another" and status == 0 and call == "mam_sqlite_encrypt" and place.policy != "sealed in":
            fault = fault_of_success(call, place, name, path)
        elif path.read_bytes() != before:
            fault = f"answers {status}, and the database is changed"
        elif status == 0:
            fault = "succeeds"
        elif name.standing in ("retired", "stranger") and status not in (S.NOT_ENROLLED, S.NOT_FOUND):
            fault = f"answers {status}"
        found.append((name, fault))
    report([*found])


@pytest.mark.parametrize("call", ["mam_file_protect", "mam_file_verify_and_protect", "mam_file_unmanage"])
def test_directories_are_judged_as_a_whole(place: Place, call: str) -> None:
    """One file of hers, deep inside, blocks the change of every other, except for another account: that leaves hers."""
    folder = place.path()
    (folder / "b" / "c").mkdir(parents=True)
    for one in ("a", "b/a", "b/z", "z"):
        (folder / one).write_bytes(b"nobody's")
    hers = folder / "b" / "c" / "hers"
    with place.m.open_file(hers, "wb", account=ANN_ID) as file:
        file.write(SECRET)
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    before = [whole(place, path) for path in paths]
    found = []
    for name in names_of(place):
        allowed = expected(call, place, name)
        if S.OK in allowed or name.standing == "another" or (call == "mam_file_unmanage" and name.standing == "managed"):
            continue
        try:
            GIVE[call](place, folder, name.text)
            fault = "succeeds"
        except mam.MamError as error:
            fault = fault_of_refusal(call, place.policy, name, error) if error.status in allowed else f"answers {error.status}"
        if [whole(place, path) for path in paths] != before or place.m.file_info(folder).known != "none":
            found.append((name, "the directory is changed"))
            break
        found.append((name, fault))
    report([*found])


def test_a_directory_is_unmanaged_with_everything_in_it(tmp_path: Path) -> None:
    with Place.make(tmp_path, POLICIES["loose"]) as place:
        place.live("renamed once", True)
        folder = place.path()
        folder.mkdir()
        place.m.file_protect(folder, ANN_ID)
        for name in ("a", "b"):
            with place.m.open_file(folder / name, "wb", account=ANN_ID) as file:
                file.write(SECRET)
        place.m.file_unmanage(folder, "")
        for name in ("a", "b"):
            assert (folder / name).read_bytes() == SECRET
            assert place.m.file_info(folder / name).account_id in ("", None)
        assert place.m.file_info(folder).account_id in ("", None)
