"""Identity: the promises of `with m.identity(...)` and its relatives, above all across tasks and threads."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mam
import pytest
from conftest import ANN, BEN, EVE, POLICY, Office
from mam import IdentityTask, SwitchResult

SWITCHES = 10_000
PIN = "2580"


@pytest.fixture
def multi(office: Office) -> Iterator[mam.Mam]:
    """A host that keeps identities apart."""
    with office.open(settings={"MultiIdentity": True}) as session:
        yield session


def test_blocks_nest_and_end(multi: mam.Mam) -> None:
    assert multi.effective_identity() is None
    with multi.identity(ANN):
        assert multi.effective_identity() == ANN
        with multi.identity(""):
            assert multi.effective_identity(IdentityTask.FILE) == ""
            with multi.identity(None):
                assert multi.effective_identity() is None
        assert multi.effective_identity() == ANN
        with pytest.raises(KeyError), multi.identity(BEN):
            raise KeyError
        assert multi.effective_identity() == ANN
    assert multi.effective_identity() is None


def test_interleaved_tasks_see_only_their_own(multi: mam.Mam) -> None:
    async def act(account: str) -> None:
        for _ in range(SWITCHES // 2):
            with multi.identity(account):
                await asyncio.sleep(0)
                assert multi.effective_identity() == account
                await asyncio.sleep(0)
            assert multi.effective_identity() is None

    async def both() -> None:
        await asyncio.gather(act(ANN), act(EVE))

    asyncio.run(both())


@pytest.mark.parametrize("how", ["to_thread", "executor"])
def test_threads_of_tasks_see_only_their_own(multi: mam.Mam, how: str) -> None:
    def look() -> object:
        return multi.effective_identity(IdentityTask.FILE)

    async def act(account: str, pool: ThreadPoolExecutor) -> None:
        loop = asyncio.get_running_loop()
        for turn in range(SWITCHES // 4):
            with multi.identity(account):
                if how == "to_thread":
                    assert await asyncio.to_thread(look) == account
                else:
                    assert await loop.run_in_executor(pool, contextvars.copy_context().run, look) == account
            # The same threads, without our context.
            if turn % 10 == 0:
                assert await loop.run_in_executor(pool, look) is None

    async def all_of_them() -> None:
        with ThreadPoolExecutor(2) as pool:
            await asyncio.gather(*(act(account, pool) for account in (ANN, BEN, EVE, "")))

    asyncio.run(all_of_them())


def test_workers_of_a_pool_see_only_their_own(multi: mam.Mam) -> None:
    """Without asyncio: each piece of work sets its identity, on reused threads."""

    def work(turn: int) -> bool:
        account = (ANN, BEN, EVE, "")[turn % 4]
        before = multi.effective_identity()
        with multi.identity(account):
            return before is None and multi.effective_identity() == account

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(SWITCHES)))


def test_sessions_do_not_share(multi: mam.Mam, office: Office) -> None:
    with office.open(app="com.example.mail", settings={"MultiIdentity": True}) as other, multi.identity(ANN):
        assert other.effective_identity() is None
        with other.identity(EVE):
            assert (multi.effective_identity(), other.effective_identity()) == (ANN, EVE)


def test_captured_identities_are_carried(multi: mam.Mam) -> None:
    with multi.identity(ANN):
        captured = multi.capture_identity()
    seen: list[object] = []

    def work() -> None:
        with multi.identity(EVE):
            seen.append(captured.run(multi.effective_identity))
            seen.append(multi.effective_identity())

    for _ in range(2):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert seen == [ANN, EVE, ANN, EVE]
    captured.close()
    captured.close()
    with pytest.raises(mam.ClosedError):
        captured.run(list)


def test_run_as(multi: mam.Mam) -> None:
    def look(task: IdentityTask, *, fails: bool = False) -> object:
        if fails:
            raise LookupError("as it was asked to")
        return multi.effective_identity(task)

    with multi.identity(EVE):
        assert multi.run_as(ANN, look, IdentityTask.UI) == ANN
        with pytest.raises(LookupError):
            multi.run_as(ANN, look, IdentityTask.UI, fails=True)
        assert multi.effective_identity() == EVE
    with pytest.raises(mam.ArgumentError):
        multi.run_as(" a", look, IdentityTask.UI)


def test_thread_identity(multi: mam.Mam) -> None:
    multi.push_thread_identity(ANN)
    assert multi.effective_identity() == ANN
    with multi.identity(EVE):
        assert multi.effective_identity() == EVE
    multi.pop_thread_identity()
    with pytest.raises(mam.NotFoundError):
        multi.pop_thread_identity()


def test_names_are_refused_on_entering(multi: mam.Mam) -> None:
    for name in ("a\n", " a", "a" * 65536, b"\xff"):
        with pytest.raises(mam.ArgumentError), multi.identity(name):
            pytest.fail("entered")
    multi.close()
    with pytest.raises(mam.ClosedError), multi.identity(ANN):
        pytest.fail("entered")


def test_switches(enrolled: mam.Mam) -> None:
    enrolled.pin_set(ANN, PIN)  # showing an account requires its PIN; it was just entered
    done = enrolled.set_ui_identity([ANN, EVE], "reader").wait(30)
    assert done
    assert (done.result, done.window) == (SwitchResult.SUCCESS, "reader")
    assert enrolled.ui_identity("reader") == list(done.identities or ())
    assert enrolled.ui_identity() is None
    with enrolled.identity(EVE):
        refused = enrolled.set_ui_identity(ANN).wait(30)
    assert not refused
    assert refused.result is SwitchResult.NOT_ALLOWED
    assert refused.message
    with pytest.raises(mam.ArgumentError):
        enrolled.set_ui_identity("a\n")
    with pytest.raises(TypeError):
        enrolled.set_ui_identity([1])  # type: ignore[list-item]


def test_policy_of_the_current_identity(enrolled: mam.Mam) -> None:
    assert enrolled.process_identity() is not None  # a host of one identity
    with enrolled.current_policy() as of_process, enrolled.identity(EVE), enrolled.current_policy() as of_context:
        assert of_process.is_pin_required
        assert not of_context.is_pin_required
    enrolled.set_process_identity("")
    with enrolled.current_policy() as policy:
        assert not policy.is_pin_required
    enrolled.pin_set(ANN, PIN)
    assert enrolled.set_ui_identity([ANN, EVE], "reader").wait(30)
    with enrolled.current_policy("reader") as shared, enrolled.policy_for_accounts([ANN, EVE]) as same:
        assert shared.effective().lock_down
        assert same.effective().lock_down
    with enrolled.policy_for_accounts([]) as nobody:
        assert not nobody.effective().managed


def disable(office: Office) -> None:
    """Disable Ann's user, whom the policy then blocks."""
    office.authority.import_policy({**POLICY, "id": office.policy.id, "appActionIfUnableToAuthenticateUser": "block"})
    office.authority.set_user(ANN, enabled=False)


def test_questions_about_accounts(enrolled: mam.Mam, office: Office) -> None:
    ann = enrolled.enrolled_accounts()[0].account_id
    assert enrolled.is_account_managed(ann)
    assert not enrolled.is_account_managed(EVE)
    assert enrolled.is_management_enabled()
    assert enrolled.policy_source() is mam.PolicySource.MAM
    assert enrolled.identities_equal(ANN.upper(), ann)
    assert not enrolled.identities_equal(ANN, BEN)
    with pytest.raises(mam.ArgumentError):
        enrolled.identities_equal(ANN, "a\n")
    assert enrolled.blocked_accounts() == []
    disable(office)
    assert enrolled.check_in(ANN).wait(30)
    (blocked,) = enrolled.blocked_accounts()
    assert (blocked.account_id, blocked.upn) == (ann, ANN)
    assert enrolled.blocked_reason(ANN) is blocked.block_reason is mam.BlockReason.CONDITIONAL_LAUNCH


def test_a_delegate_hides_a_blocked_account(enrolled: mam.Mam, office: Office) -> None:
    asked: list[mam.Question] = []

    def answer(question: mam.Question) -> bool:
        asked.append(question)
        return question.kind == "identitySwitch"

    enrolled.set_delegate(answer)
    enrolled.pin_set(ANN, PIN)
    assert enrolled.set_ui_identity(ANN, "reader").wait(30)
    disable(office)
    assert enrolled.check_in(ANN).wait(30)
    enrolled.run_due()
    assert [question.kind for question in asked] == ["blockAccount", "identitySwitch"]
    assert {question.raw["window"] for question in asked} == {"reader"}
    assert enrolled.ui_identity("reader") == [""]
    kinds = [event.kind for event in enrolled.events(0)]
    assert mam.EventKind.ACCOUNT_BLOCKED in kinds


MULTI = {"MultiIdentity": True, "MultiManagedIdentities": True}


def test_a_file_of_another_account(office: Office, tmp_path: Path) -> None:
    """The host allows the window to switch to the file's account, and the import is for that account."""
    office.authority.import_policy({**POLICY, "id": office.policy.id, "pinRequired": False})
    source, taken = tmp_path / "minutes", tmp_path / "taken"
    asked: list[mam.IdentitySwitchQuestion] = []
    answers: list[bool | None] = [False, None, True]

    def leave(question: mam.IdentitySwitchQuestion) -> bool | None:
        asked.append(question)
        return answers.pop(0)

    with office.open(settings=MULTI, on_question={mam.IDENTITY_SWITCH: leave}) as m:
        assert m.register_and_enroll(ANN).wait(30)
        ann = m.enrolled_accounts()[0].account_id
        source.write_bytes(m.protect(ANN, b"the minutes"))
        for _ in range(2):
            with pytest.raises(mam.DeniedError) as denied:
                m.file_import(source, "", taken)
            assert denied.value.detail["switch"] == "notAllowed" and denied.value.detail["reason"]
            assert m.ui_identity() is None and not taken.exists()
        m.file_import(source, "", taken)
        assert {(one.account_id, one.reason, one.switch_from) for one in asked} == {(ann, "documentImport", "")}
        assert len(asked) == 3 and m.ui_identity() == [ann]
        assert m.file_info(taken).account_id == ann


def test_a_link_of_another_account(office: Office) -> None:
    office.authority.import_policy({**POLICY, "id": office.policy.id, "pinRequired": False})
    asked: list[mam.IdentitySwitchQuestion] = []

    def leave(question: mam.IdentitySwitchQuestion) -> bool:
        asked.append(question)
        return question.account_id != ""

    with office.open(settings=MULTI, on_question={mam.IDENTITY_SWITCH: leave}) as m:
        assert m.register_and_enroll(ANN).wait(30)
        assert m.open_url("notes-app://1", EVE, "reader").wait(30)
        assert not asked
        assert m.open_url("notes-app://2", ANN, "reader").wait(30)
        assert m.open_url("notes-app://3", ANN, "reader").wait(30)
        refused = m.open_url("notes-app://4", None, "reader").wait(30)
        assert refused.result is mam.SwitchResult.NOT_ALLOWED and refused.message
        assert [(one.url, one.window, one.reason) for one in asked] == [
            ("notes-app://2", "reader", "openURL"), ("notes-app://4", "reader", "openURL"),
        ]  # fmt: skip
        assert m.ui_identity("reader") == [m.enrolled_accounts()[0].account_id]
