"""Web viewers: their identity, uploads, and the question whether a page is external."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import mam
import pytest
from conftest import ANN, EVE, Office

RULES = {
    "@odata.type": "#libmam.linuxManagedAppProtection",
    "displayName": "Web",
    "allowedOutboundDataTransferDestinations": "managedApps",
    "allowedOutboundClipboardSharingLevel": "blocked",
    "allowedOutboundClipboardSharingExceptionLength": 9,
    "managedBrowserToOpenLinksRequired": True,
    "customBrowserProtocol": "fx",
}
URL = "https://contoso.example/a"


@pytest.fixture
def ruled(office: Office) -> Iterator[mam.Mam]:
    (policy,) = office.authority.import_policy(RULES).policies
    office.authority.assign(policy.id, all_users=True)
    office.authority.target(policy.id, all_apps=True)
    with office.open(question_timeout=120) as session:
        assert session.register_and_enroll(ANN).wait(30)
        yield session


def test_identity_and_permissions(ruled: mam.Mam) -> None:
    account = ruled.enrolled_accounts()[0].account_id
    with ruled.policy(ANN) as policy:
        own = policy.web_view()
        assert own.identity == account and own.upload and own.paste and own.url is None
        nobody = policy.web_view(URL, policy=mam.WebViewPolicy.UNMANAGED)
        assert nobody.identity == "" and not nobody.upload
        assert nobody.upload.reason is not None and nobody.upload.reason.also_in
        assert nobody.paste.limit == 9 and not nobody.paste
        assert nobody.url == policy.url(URL) and nobody.url is not None and nobody.url.instead == ("fxs://contoso.example/a",)
        blocked = policy.web_view(policy=mam.WebViewPolicy.CURRENT_IDENTITY_BLOCK_UPLOAD)
        assert blocked.identity == account and not blocked.upload and blocked.paste.limit == 0
        assert policy.web_view(URL).url
        assert not policy.web_view(URL, external=True).url
    with ruled.policy(EVE) as policy:
        assert policy.web_view(URL, policy=mam.WebViewPolicy.UNMANAGED).url
        assert policy.web_view(URL).identity == EVE
    with ruled.policy_for_accounts([ANN, EVE]) as policy:
        several = policy.web_view(URL)
        assert several.identity is None and not several.url and not several.upload


def test_the_host_is_asked(ruled: mam.Mam) -> None:
    asked: list[tuple[str | None, int]] = []
    answer: bool | None = False

    @ruled.on_question(mam.IS_EXTERNAL_URL)
    def outside(question: mam.ExternalURLQuestion) -> bool | None:
        asked.append((question.url, threading.get_ident()))
        return answer

    with ruled.policy(ANN) as policy:
        for answer, opens in ((False, True), (True, False), (None, False)):  # noqa: B007
            assert bool(policy.web_view(URL, external=None).url) is opens
        assert asked == [(URL, threading.get_ident())] * 3
        policy.web_view(URL, external=None, policy=mam.WebViewPolicy.UNMANAGED)
        assert len(asked) == 3
        # Too long to ask about: external.
        assert not policy.web_view(URL + "a" * 70_000, external=None).url and len(asked) == 3


def test_without_an_answer_the_page_is_external(ruled: mam.Mam) -> None:
    with ruled.policy(ANN) as policy:
        answer = policy.web_view(URL, external=None)
        assert answer.external and not answer.url


@pytest.mark.parametrize("worker", [True, False])
def test_questions_as_events_are_answered_by_another_thread(office: Office, worker: bool) -> None:
    (policy,) = office.authority.import_policy(RULES).policies
    office.authority.assign(policy.id, all_users=True)
    office.authority.target(policy.id, all_apps=True)
    with office.open(questions="events", worker=worker) as session:
        assert session.register_and_enroll(ANN).wait(30)
        answers: list[bool | None] = []

        def ask() -> None:
            with session.policy(ANN) as policy:
                answers.append(bool(policy.web_view(URL, external=None).url))

        thread = threading.Thread(target=ask)
        thread.start()
        while True:
            event = session.next_event(30)
            assert event is not None
            if isinstance(event, mam.QuestionEvent):
                session.answer(event.question, False)
                break
        thread.join(30)
        assert answers == [True]


def test_invalid_arguments(ruled: mam.Mam) -> None:
    with ruled.policy(ANN) as policy:
        for odd in ("unmanaged", 1, None):
            with pytest.raises(TypeError):
                policy.web_view(policy=odd)  # type: ignore[arg-type]
        for odd_external in (1, "ask"):
            with pytest.raises(TypeError):
                policy.web_view(URL, external=odd_external)  # type: ignore[arg-type]
        with pytest.raises(mam.JSONError):
            policy.web_view(external=None)
        for url in ("x:\0", "x:" + "a" * (1 << 20)):
            with pytest.raises(mam.ArgumentError):
                policy.web_view(url)
