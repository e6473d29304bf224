"""The model beside libmam, for `make test`: a short random walk, and Hypothesis, which shrinks its findings."""

from __future__ import annotations

from typing import Any

import library
import pytest
import walk
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from world import OPERATIONS, World

STEPS = 2_000


@pytest.fixture
def clock() -> library.Clock:
    return library.Clock()


def test_random_walk(clock: library.Clock) -> None:
    seed = walk.seed_of_the_day()
    found = walk.walk(clock, STEPS, seed)
    assert found is None, f"\n{found}"


def machine(clock: library.Clock) -> type[RuleBasedStateMachine]:
    """Every operation as a rule."""

    class Machine(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.world = World(clock)
            for name, arguments in walk.PROLOGUE:
                self.world.step(name, **arguments)

        def teardown(self) -> None:
            self.world.close()

    for name, (_, choices) in OPERATIONS.items():

        def step(self: Any, name: str = name, **arguments: Any) -> None:
            self.world.step(name, **arguments)

        step.__name__ = name
        given: dict[str, Any] = {key: st.sampled_from(values) for key, values in choices.items()}
        decorate: Any = rule(**given)
        setattr(Machine, name, decorate(step))
    return Machine


def test_hypothesis(clock: library.Clock) -> None:
    run_state_machine_as_test(
        machine(clock),
        settings=settings(
            max_examples=30, stateful_step_count=40, deadline=None, database=None, derandomize=True,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip


#: Steps on which the model and libmam once disagreed.
DIVERGED: dict[str, list[walk.Step]] = {
    # A wipe of the data that it had left retires its names.
    "an account that is wiped after it left and was registered again": [
        *walk.PROLOGUE,
        ("open", {"index": 1, "several": True, "device": None, "launch": ()}),
        ("login", {"index": 1, "user": "ann", "answer": "bob"}),
        ("deregister", {"index": 1, "user": "ann", "wipe": False}),
        ("set_user", {"user": "ann", "key": "licensed", "value": False}),
        ("register", {"index": 0, "user": "ann"}),
        ("deregister", {"index": 1, "user": "ann", "wipe": True}),
        ("protect", {"index": 0, "user": "ann"}),
    ],
    # The report of the wipe comes before the check-in with which the authority removes the silent enrollment.
    "a wipe that is reported after three months, and an account that came back": [
        *walk.PROLOGUE,
        ("open", {"index": 3, "several": False, "device": "nobody", "launch": ("MAMPolicyRequired", "MAMPolicyWarnAbsent")}),
        ("register", {"index": 3, "user": "ann"}),
        ("set_fault", {"fault": "network", "where": None, "count": 2}),
        ("open", {"index": 1, "several": True, "device": "nobody", "launch": ()}),
        ("deregister", {"index": 1, "user": "ann", "wipe": True}),
        ("clear_faults", {}),
        ("register", {"index": 1, "user": "ann"}),
        ("pass_by", {"minutes": 131040}),
        ("run_due", {"index": 1}),
        ("run_due", {"index": 0}),
    ],
    # The device names the wiped account by its id. That the UPN registered since is the same user's, the authority has not
    # said: the session does not bring the account back by itself.
    "a wiped account that is registered by its other name": [
        *walk.PROLOGUE,
        ("open", {"index": 1, "several": True}),
        ("member", {"group": "g1", "user": "bob", "is_on": True}),
        ("register", {"index": 0, "user": "bob"}),
        ("open", {"index": 2, "several": True, "device": "mdm"}),
        ("deregister", {"index": 0, "user": "bob", "wipe": True}),
        ("take_away", {}),
        ("register", {"index": 0, "user": "bob"}),
        ("login", {"index": 1, "user": None, "answer": None}),
    ],
    # The check-in behind a second enrollment brings the wipe; nothing says that the account was enrolled.
    "a wipe of an account whose enrollment was lost": [
        *walk.PROLOGUE,
        ("open", {"index": 1, "several": True}),
        ("register", {"index": 1, "user": "ann"}),
        ("pass_by", {"minutes": 131040}),
        ("request_wipe", {"user": "ann", "app": None}),
        ("set_fault", {"fault": "gone", "where": "checkIn", "count": 2}),
        ("launch", {"index": 1, "answer": None, "added": False}),
    ],
    # It changes once, when it is enrolled; the second enrollment finds it in lock-down.
    "an account that a launch enrolls twice without a policy": [
        ("open", {"index": 3, "several": True, "launch": ("AutoEnrollOnLaunch",)}),
        ("register", {"index": 3, "user": "bob"}),
        ("set_fault", {"fault": "gone", "where": "checkIn", "count": None}),
        ("import_policy", {"policy": "p-default", "content": 3}),
        ("launch", {"index": 3, "answer": "ann", "added": True}),
    ],
    # Unenrolling opens nothing, and neither does a switch after it.
    "an account that is unenrolled while it was offline for too long": [
        *walk.PROLOGUE,
        ("register", {"index": 0, "user": "ann"}),
        ("protect", {"index": 0, "user": "ann"}),
        ("open", {"index": 1, "several": True}),
        ("set_fault", {"fault": "parsing", "where": "checkIn", "count": 1}),
        ("pass_by", {"minutes": 721}),
        ("launch", {"index": 1, "answer": None, "added": False}),
        ("deregister", {"index": 0, "user": "ann", "wipe": False}),
        ("switch", {"index": 0, "window": "w", "users": ("ann",)}),
        ("unprotect", {"index": 0, "user": "ann", "origin": "app.a"}),
    ],
    # Its names mean what they meant before it was registered.
    "an account that was only registered": [
        ("open", {"index": 2, "several": False}),
        ("register", {"index": 2, "user": "ann"}),
        ("deregister", {"index": 2, "user": "ann", "wipe": False}),
        ("switch", {"index": 2, "window": "w", "users": ("ann", "bob")}),
    ],
    # A window goes on to show the account that it was switched to.
    "a registered account that leaves its window": [
        ("open", {"index": 0, "several": True, "device": "nobody", "launch": ()}),
        ("register", {"index": 0, "user": "ann"}),
        ("switch", {"index": 0, "window": None, "users": ("ann", "bob")}),
        ("deregister", {"index": 0, "user": "ann", "wipe": False}),
    ],
    # The refusal has the names of the registered account, not the one that was given.
    "a login of a registered account that the authority refuses": [
        ("set_user", {"user": "ann", "key": "enabled", "value": False}),
        ("open", {"index": 3, "several": True}),
        ("register", {"index": 3, "user": "ann"}),
        ("login", {"index": 3, "user": "ann", "answer": None}),
    ],
    # Its data stays closed, and no window shows it any more.
    "an account that is unenrolled before its policy came": [
        ("open", {"index": 0, "several": True}),
        ("register", {"index": 0, "user": "bob"}),
        ("set_fault", {"fault": "timeout", "where": "checkIn", "count": 1}),
        ("switch", {"index": 0, "window": "w", "users": ("ann", "bob")}),
        ("pass_by", {"minutes": 721}),
        ("import_policy", {"policy": "p-default", "content": 4}),
        ("run_due", {"index": 0}),
        ("deregister", {"index": 0, "user": "bob", "wipe": False}),
    ],
    # Its data is wiped nevertheless.
    "an account that is unenrolled after its wipe was ordered": [
        *walk.PROLOGUE,
        ("register", {"index": 0, "user": "ann"}),
        ("protect", {"index": 0, "user": "ann"}),
        ("request_wipe", {"user": "ann", "app": None}),
        ("deregister", {"index": 0, "user": "ann", "wipe": False}),
        ("unprotect", {"index": 0, "user": "ann", "origin": "app.a"}),
        ("register", {"index": 0, "user": "ann"}),
        ("check_in", {"index": 0, "user": None}),
    ],
    "an account that is unenrolled while the device refuses it": [
        ("open", {"index": 0, "several": True}),
        ("switch", {"index": 0, "window": "w", "users": ("ann",)}),
        ("import_policy", {"policy": "p-default", "content": 2}),
        ("register", {"index": 0, "user": "ann"}),
        ("open", {"index": 2, "several": False, "device": "only"}),
        ("deregister", {"index": 0, "user": "ann", "wipe": False}),
    ],
    # The handle was given by the UPN, whose domain still counts.
    "an account that leaves and never was managed": [
        *walk.PROLOGUE,
        ("assign_all", {"policy": "p1", "is_on": True}),
        ("open", {"index": 3, "several": False}),
        ("register", {"index": 3, "user": "bob"}),
        ("register", {"index": 3, "user": "ann"}),
        ("hold", {"index": 3, "user": "ann"}),
        ("deregister", {"index": 3, "user": "ann", "wipe": False}),
    ],
    # The late report concerns the former enrollment alone: the lost one is renewed without a person.
    "an account that came back before its wipe was reported": [
        *walk.PROLOGUE,
        ("open", {"index": 2, "several": True}),
        ("register", {"index": 2, "user": "ann"}),
        ("set_fault", {"fault": "internal", "where": None, "count": None}),
        ("wipe", {"index": 2, "user": "ann"}),
        ("clear_faults", {}),
        ("login", {"index": 2, "user": "ann", "answer": None}),
        ("pass_by", {"minutes": 7}),
        ("run_due", {"index": 2}),
        ("pass_by", {"minutes": 131040}),
        ("resume", {"index": 2}),
    ],
    # The data that it had left is wiped before it is enrolled.
    "a wipe that is ordered after an account left": [
        *walk.PROLOGUE,
        ("register", {"index": 0, "user": "ann"}),
        ("protect", {"index": 0, "user": "ann"}),
        ("deregister", {"index": 0, "user": "ann", "wipe": False}),
        ("request_wipe", {"user": "ann", "app": None}),
        ("login", {"index": 0, "user": "ann", "answer": None}),
        ("unprotect", {"index": 0, "user": "ann", "origin": "app.a"}),
        ("register", {"index": 0, "user": "ann"}),
    ],
    "a wipe that is ordered while the enrollment seems lost": [
        *walk.PROLOGUE,
        ("member", {"group": "g1", "user": "bob", "is_on": True}),
        ("register", {"index": 0, "user": "bob"}),
        ("open", {"index": 3, "several": False, "launch": ("AutoEnrollOnLaunch",)}),
        ("set_fault", {"fault": "gone", "where": "checkIn", "count": None}),
        ("request_wipe", {"user": "bob", "app": "app.a"}),
        ("pass_by", {"minutes": 31}),
        ("resume", {"index": 0}),
        ("pass_by", {"minutes": 61}),
        ("clear_faults", {}),
        ("launch", {"index": 3, "answer": None, "added": None}),
    ],
    # The host has asked for it, and the launch repeats that.
    "a registered account that was wiped once, and a launch": [
        *walk.PROLOGUE,
        ("open", {"index": 1, "several": True, "device": "nobody", "launch": ("AutoEnrollOnLaunch", "MAMPolicyRequired")}),
        ("register", {"index": 0, "user": "ann"}),
        ("set_user", {"user": "ann", "key": "licensed", "value": False}),
        ("wipe", {"index": 1, "user": "ann"}),
        ("register", {"index": 1, "user": "ann"}),
        ("set_user", {"user": "ann", "key": "licensed", "value": True}),
        ("launch", {"index": 1, "answer": None, "added": False}),
    ],
    # Signing in registers nothing, so the name stays closed.
    "an account that left and is refused a licence": [
        *walk.PROLOGUE,
        ("open", {"index": 2, "several": True, "device": "only"}),
        ("member", {"group": "g1", "user": "bob", "is_on": True}),
        ("register", {"index": 0, "user": "bob"}),
        ("deregister", {"index": 0, "user": "bob", "wipe": False}),
        ("set_user", {"user": "bob", "key": "licensed", "value": False}),
        ("login", {"index": 0, "user": None, "answer": "cyd"}),
        ("protect", {"index": 0, "user": "bob"}),
    ],
    # It is not blocked in between, so it is reported again.
    "an account that was blocked, left, and came back blocked": [
        ("import_policy", {"policy": "p3", "content": 2}),
        ("target", {"policy": "p3", "app": "app.a", "is_on": True}),
        ("open", {"index": 3, "several": False, "device": "oid", "launch": ("AutoEnrollOnLaunch", "MAMPolicyRequired")}),
        ("open", {"index": 0, "several": False}),
        ("assign_all", {"policy": "p3", "is_on": True}),
        ("set_fault", {"fault": "network", "where": "checkIn", "count": 2}),
        ("launch", {"index": 3, "answer": "ann", "added": None}),
        ("login", {"index": 0, "user": None, "answer": "cyd"}),
    ],
    # The names mean nobody after the wipe, and a registration that was refused and taken back changes nothing of that.
    "an account that was wiped, refused, and deregistered, in a window": [
        *walk.PROLOGUE,
        ("register", {"index": 0, "user": "ann"}),
        ("block_device", {"is_on": True}),
        ("open", {"index": 3, "several": True, "device": "nobody", "launch": ("AutoEnrollOnLaunch",)}),
        ("wipe", {"index": 0, "user": "ann"}),
        ("register", {"index": 3, "user": "ann"}),
        ("deregister", {"index": 3, "user": "ann", "wipe": False}),
        ("switch", {"index": 0, "window": "w", "users": ("ann",)}),
    ],
}


@pytest.mark.parametrize("steps", DIVERGED.values(), ids=list(DIVERGED))
def test_steps_that_diverged_once(clock: library.Clock, steps: list[walk.Step]) -> None:
    assert walk.failure(clock, steps) is None


def test_a_divergence_is_found_and_made_small(clock: library.Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that does not know of wipes is detected, with few steps."""
    monkeypatch.setattr("office.Wipe.concerns", lambda self, registration: False)
    steps: list[walk.Step] = [
        *walk.PROLOGUE,
        ("set_interval", {"minutes": 60}),
        ("register", {"index": 0, "user": "ann"}),
        ("pass_by", {"minutes": 7}),
        ("request_wipe", {"user": "ann", "app": None}),
        ("hold", {"index": 0, "user": "bob"}),
        ("check_in", {"index": 0, "user": "ann"}),
    ]
    found = walk.failure(clock, steps)
    assert found is not None
    least = walk.smaller(clock, steps, walk.kind(found[1]))
    assert not {name for name, _ in least} & {"set_interval", "pass_by", "hold"}
