"""Messages for people: every error, refusal, finding, event, question and status has one, without paths, settings and ids."""

from __future__ import annotations

import contextlib
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import mam
import pytest
from conftest import ANN, APP, BEN, EVE, POLICY, Office
from mam.errors import CLASSES, class_for

PAGE = (Path(__file__).parents[3] / "docs/messages.md").read_text(encoding="utf-8")
ENGLISH = dict(re.findall(r"(?m)^\| `((?!mam_)\w+)` \| (.+) \|$", PAGE))
# A setting, an id or a path.
FOREIGN = re.compile(r"[/_@\"]|\b[a-z]+[A-Z]|[0-9a-f]{8}")


def is_for_people(text: str | None, key: str | None) -> bool:
    """Whether this is the English text of the page; a number stands where the page has a placeholder."""
    assert text and key
    pattern = re.escape(ENGLISH[key]).replace("%d", r"\d+")
    # The name of a product is no setting.
    assert not FOREIGN.search(text.replace("iManage", "").replace("OneDrive", "").replace("SharePoint", "")), text
    return re.fullmatch(pattern, text) is not None


def test_the_page_lists_messages() -> None:
    assert len(ENGLISH) > 150


def test_any_message_by_its_key() -> None:
    for key, text in ENGLISH.items():
        assert mam.message(key, "en") == text
        assert mam.message(key, "de_AT") not in ("", text)
    with pytest.raises(mam.NotFoundError, match="refusedSharing"):
        mam.message("refusedSharing")


@pytest.mark.parametrize("status", list(CLASSES))
def test_an_error_keeps_its_message_for_people(status: mam.Status) -> None:
    error = class_for(status)(status, "aName", "What happened.", {}, "Nicht erlaubt.", "errorDenied")
    for one in (error, pickle.loads(pickle.dumps(error))):
        assert (one.user_message, one.message_key) == ("Nicht erlaubt.", "errorDenied")


def test_a_mistake_that_the_binding_finds_has_one(m: mam.Mam) -> None:
    with pytest.raises(mam.ArgumentError) as caught:
        m.policy("a\0b")
    assert is_for_people(caught.value.user_message, caught.value.message_key)


def test_errors(office: Office, tmp_path: Path) -> None:
    m = office.open(language="en")
    m.register_and_enroll(ANN).wait()
    with pytest.raises(mam.MamError) as caught:
        m.pin_verify(ANN, "1")
    assert is_for_people(caught.value.user_message, caught.value.message_key)
    assert caught.value.user_message != caught.value.message
    with pytest.raises(mam.MamError) as caught:
        m.file_protect(tmp_path / "no such file", ANN)
    assert is_for_people(caught.value.user_message, caught.value.message_key)
    assert caught.value.message_key == "errorNotFound"
    plain = tmp_path / "text"
    plain.write_text("words")
    m.file_protect(plain, ANN)
    with pytest.raises(mam.DeniedError) as denied:
        m.file_export(plain, mam.SaveLocation.LOCAL_DRIVE, tmp_path / "copy")
    assert denied.value.message_key == "refusedSaveToLocalDrive"
    assert denied.value.user_message == "Your organisation does not allow saving to this computer."
    m.close()
    with pytest.raises(mam.ClosedError) as closed:
        m.enrolled_accounts()
    assert closed.value.message_key == "errorApp"


def test_every_refusal(office: Office) -> None:
    with office.open(language="en") as m:
        m.register_and_enroll(ANN).wait()
        refusals = 0
        # mam_policy_web_view alone answers uploads.
        for action in set(mam.Action) - {mam.Action.UPLOAD}:
            if action is mam.Action.SAVE_TO:
                decisions = [m.check(action, ANN, location=one) for one in mam.SaveLocation]
            elif action is mam.Action.OPEN_FROM:
                decisions = [m.check(action, ANN, location=one) for one in mam.OpenLocation]
            elif action is mam.Action.DOCUMENT_PICKER:
                decisions = [m.check(action, ANN, mode=one) for one in mam.PickerMode]
            elif action is mam.Action.RECEIVE:
                decisions = [m.check(action, ANN, sender=EVE)]
            elif action is mam.Action.CLIPBOARD:
                decisions = [m.check(action, ANN, length=9, receiver=EVE), m.check(action, ANN, length=9, sender=EVE)]
            elif action in (mam.Action.URL, mam.Action.UNIVERSAL_LINK):
                decisions = [m.check(action, ANN, url=url) for url in ("tel:1", "https://x.example/", "no link")]
            else:
                decisions = [m.check(action, ANN)]
            for decision in decisions:
                if decision.reason is not None:
                    refusals += 1
                    assert is_for_people(decision.reason.user_message, decision.reason.message_key)
        assert refusals > 15


def test_statuses_events_and_questions(office: Office) -> None:
    asked: list[mam.Question] = []
    with office.open(language="en", delegate=asked.append) as m:
        for account in (ANN, BEN, EVE):
            status = m.register_and_enroll(account).wait()
            assert is_for_people(status.user_message, status.message_key)
        wiped = m.wipe_account(ANN).wait()
        assert wiped.message_key == "statusUnenrollmentSuccess"
        kinds = set()
        for event in m.events(timeout=0):
            kinds.add(event.kind)
            assert is_for_people(event.user_message, event.message_key), event
            if isinstance(event, mam.RequestEvent):
                assert (event.user_message, event.message_key) == (event.status.user_message, event.status.message_key)
        assert {mam.EventKind.ENROLLMENT_REQUEST, mam.EventKind.WIPE_PROGRESS, mam.EventKind.WIPE_COMPLETED} <= kinds
    assert [one.kind for one in asked] == ["wipeData"]
    assert all(is_for_people(one.user_message, one.message_key) for one in asked)


def test_findings_and_the_accounts_that_they_close(office: Office) -> None:
    policy = {"@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "Locked", "deviceLockRequired": True}
    (locked,) = office.authority.import_policy(policy).policies
    group = office.authority.add_group("Locked")
    office.authority.add_member(group.id, ANN)
    office.authority.assign(locked.id, group.id)
    office.authority.target(locked.id, "com.example.notes")
    with office.open(language="de", device={"platform": "linux", "lock": "off"}) as m:
        m.register_and_enroll(ANN).wait()
        report = m.conditional_launch(ANN)
        (finding,) = [one for one in report.findings if one.check == "deviceLock"]
        assert finding.message_key == "launchDeviceLock"
        assert finding.user_message and finding.user_message.startswith("Richten Sie auf diesem Gerät")


def test_languages(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    texts = {}
    for language in ("en", "de", "de_AT:de", "fr", None):
        with office.open(language=language) as m:
            m.register_and_enroll(ANN).wait()
            reason = m.check("print", ANN).reason
            assert reason and reason.message_key == "refusedPrint"
            texts[language] = reason.user_message
    assert texts["de"] == texts["de_AT:de"] == "Ihre Organisation erlaubt das Drucken nicht."
    assert texts["en"] == texts["fr"] == texts[None] == "Your organisation does not allow printing."


def test_refusals_that_a_person_understands(office: Office, tmp_path: Path) -> None:
    """Of storing and opening: whose the data is, a name that was typed, a place that was chosen."""
    office.authority.import_policy({**POLICY, "id": office.policy.id, "appDataEncryptionType": "whenDeviceLocked"})
    for language in ("en", "de"):
        with office.open(language=language, settings={"MultiManagedIdentities": True}) as m:
            for upn in (ANN, BEN):
                m.login_and_enroll(upn).wait(30)
            hers, mine, to = (tmp_path / f"{language}-{name}" for name in ("hers", "mine", "to"))
            with m.open_file(hers, "wb", account=ANN) as file:
                file.write(b"plan")
            mine.write_bytes(b"milk")
            state = next(one.parent for one in (tmp_path / "state").rglob("*.db"))
            with contextlib.closing(m.connect_sqlite(tmp_path / f"{language}.db", account=ANN)) as database, database:
                database.execute("CREATE TABLE t (a)")
            calls: list[tuple[str, Callable[[], object]]] = [
                ("errorOtherAccount", lambda: m.open_file(hers, "a", account="")),
                ("errorOtherAccount", lambda: m.open_file(hers, "r+", account=BEN)),
                ("errorOtherAccount", lambda: m.file_decrypt_copy(mine, hers)),
                ("errorOtherAccount", lambda: m.sqlite_encrypt(tmp_path / f"{language}.db", BEN)),
                ("errorOtherAccount", lambda: m.sqlite_decrypt(tmp_path / f"{language}.db", BEN)),
                ("errorUnknownName", lambda: m.file_protect(mine, "a/b")),
                ("errorInvalidName", lambda: m.file_protect(mine, "Ann <ann@contoso.example>")),
                ("errorPlace", lambda: m.file_export(mine, mam.SaveLocation.LOCAL_DRIVE, mine)),
                ("errorPlace", lambda: m.file_decrypt_copy(mine, mine)),
                ("errorPlace", lambda: m.file_export(mine, mam.SaveLocation.LOCAL_DRIVE, state / "a")),
                ("errorPlace", lambda: m.file_export(mine, mam.SaveLocation.LOCAL_DRIVE, tmp_path / ("n" * 256))),
                ("errorPlace", lambda: m.file_export(mine, mam.SaveLocation.LOCAL_DRIVE, Path("/"))),
                ("errorPlace", lambda: m.file_export(mine, mam.SaveLocation.LOCAL_DRIVE, tmp_path / "none" / "a")),
                ("errorStorage", lambda: m.file_import("/proc/self/mem", ANN, to)),
            ]
            for number, (key, call) in enumerate(calls):
                with pytest.raises(mam.MamError) as caught:
                    call()
                error = caught.value
                assert (error.message_key, error.user_message) == (key, mam.message(key, language)), f"{number}: {error.message}"
            assert "/proc/self/mem" in error.message and "Input/output error" in error.message


def test_an_authority_that_is_not_there(tmp_path: Path) -> None:
    """To the person it is the organisation's service, not a file that is not found."""
    with mam.open(APP, tmp_path / "none.db", state_directory=tmp_path / "state", language="en", worker=False) as m:
        status = m.login_and_enroll(ANN).wait(30)
    assert status.code == mam.StatusCode.LOCATION_SERVICE_FAILURE
    assert status.user_message == "Your organisation's service is not available. Try again later."
