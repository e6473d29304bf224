"""Every call that releases data, for accounts that may and may not: nothing of an account that has left comes out, and what is
readable is still read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import mam
import pytest
from names import ANN, ANN_ID, COLLEAGUE, LOOSE, POLICIES, SECRET, STRICT, Place, is_secret, traces
from names_owned import DATABASES, FORMS
from names_releases import RELEASES, RELEASES_OF_DATABASES, read, rows


def _leave(place: Place) -> None:
    assert place.m.deregister_and_unenroll(ANN).wait(30).succeeded


def _leave_and_reopen(place: Place) -> None:
    _leave(place)
    place.reopen()


def _wipe(place: Place) -> None:
    """The host kept the files: it says that it has removed them."""
    place.m.set_handlers({mam.WIPE_DATA: lambda question: True})
    assert place.m.wipe_account(ANN).wait(30).succeeded


def _forget(place: Place) -> None:
    place.m.forget_authority()


def _close_by_launch(place: Place) -> None:
    place.put({**STRICT, "id": "newest", "displayName": "Newest", "minimumRequiredSdkVersion": "99.0"})
    assert place.m.check_in(ANN).wait(30).succeeded
    assert place.m.launch().wait(30).outcome == "blocked"


REFUSED = {"closed", "notEnrolled", "denied", "keyUnavailable", "locked", "unsupported", "argument", "notManaged", "notFound"}
#: Calls without a name to give the file to.
THE_FILE_S_OWN = [call for call in RELEASES if call.startswith(("mam_file_export", "mam_file_decrypt"))]
#: How Ann comes to be unable to release anything, whatever her policy; and whether the app still reads her data.
ENDS: dict[str, tuple[Callable[[Place], None], bool]] = {
    "unenrolled": (_leave, True),
    "unenrolled, a later session": (_leave_and_reopen, True),
    "wiped": (_wipe, False),
    "her authority is forgotten": (_forget, False),
    "closed by a launch": (_close_by_launch, False),
}


def outcome(place: Place, release: Callable[[Place, Path], bytes], path: Path) -> str:
    """ "released", or the name of the status."""
    try:
        data = release(place, path)
    except mam.MamError as error:
        assert error.user_message and error.message_key not in ("errorApp", ""), error
        return error.name
    return "closed" if is_secret(data) else "released"


@pytest.mark.parametrize("two", [False, True], ids=["alone", "with Ben"])
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("policy", ["strict", "loose"])
def test_nothing_of_an_account_that_is_closed_is_released(tmp_path: Path, policy: str, end: str, two: bool) -> None:
    with Place.make(tmp_path, POLICIES[policy]) as place:
        place.live("enrolled", two)
        paths = {(form, call): FORMS[form](place) for form in FORMS for call in RELEASES}
        databases = {call: DATABASES["encrypted database"](place) for call in RELEASES_OF_DATABASES}
        ended, is_readable = ENDS[end]
        ended(place)
        wrong = []
        for (form, call), path in paths.items():
            before = traces(path)
            found = outcome(place, RELEASES[call], path)
            if call == "mam_file_decrypt" and SECRET in before[0]:
                continue  # it is plain, and stays so
            if end == "wiped" and form in ("plain, attribute stripped", "in her directory"):
                continue  # plain files that a host kept, and that nothing but the wiped index or a directory calls hers
            # The receiver is judged only where somebody is enrolled.
            allowed = {"notEnrolled"} if is_readable and call in THE_FILE_S_OWN else REFUSED
            is_changed = traces(path) != before and (is_readable or found != "closed")
            if found not in allowed or is_changed:
                wrong.append(f"{call} of {form}: {found}")
        for call, path in databases.items():
            before = traces(path)
            found = outcome(place, RELEASES_OF_DATABASES[call], path)
            if found not in REFUSED or traces(path) != before:
                wrong.append(f"{call} of a database: {found}")
        assert not wrong, "\n".join(wrong)
        if is_readable:
            assert {read(place, path) for path in paths.values()} == {SECRET}
            assert [rows(place, path) for path in databases.values()] == [[SECRET.decode()]] * len(databases)
            copy = place.path()
            place.m.file_decrypt_copy(paths["sealed", "mam_file_decrypt"], copy)  # it is read, and stays the account's
            assert place.m.file_info(copy).account_id == ANN_ID


def test_an_enrolled_account_releases_what_its_policy_lets_go(tmp_path: Path) -> None:
    with Place.make(tmp_path, LOOSE) as place:
        place.live("enrolled", True)
        for form in FORMS:
            for call in RELEASES:
                found = outcome(place, RELEASES[call], FORMS[form](place))
                gives_by_name = call in ("mam_file_protect, nobody", "mam_file_verify_and_protect, a person's account")
                stays_sealed = call == "mam_file_protect, another account"
                assert found == ("denied" if gives_by_name else "closed" if stays_sealed else "released"), (form, call)
        assert outcome(place, RELEASES_OF_DATABASES["mam_sqlite_decrypt"], DATABASES["encrypted database"](place)) == "released"


def test_a_registered_colleague_s_data_is_an_unmanaged_user_s(tmp_path: Path) -> None:
    with Place.make(tmp_path, STRICT) as place:
        place.live("enrolled", False).introduce()
        path = place.path()
        with place.m.open_file(path, "wb", account=COLLEAGUE) as file:
            file.write(SECRET)
        for call in ("mam_file_export", "mam_file_unmanage, a person's account"):
            assert outcome(place, RELEASES[call], path) == "released", call


def test_it_is_released_again_after_the_account_came_back(tmp_path: Path) -> None:
    with Place.make(tmp_path, LOOSE) as place:
        place.live("enrolled", False)
        path = place.sealed()
        _leave(place)
        assert outcome(place, RELEASES["mam_file_export"], path) == "notEnrolled"
        place.enroll()
        assert outcome(place, RELEASES["mam_file_export"], path) == "released"
