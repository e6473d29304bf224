"""mam_policy_simulate's launch equals mam_launch's: the outcome, every finding and every question, for random policies,
accounts and computers."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import library
import pytest
import simulating
from simulating import CLOCK_LIBRARY, ID, IGNORED, PAUSES, UPN, Past, Person, Scenario

CASES = int(os.environ.get("MAM_SIMULATIONS", "1000"))


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Scenario]:
    made = Scenario(tmp_path, library.Clock())
    yield made
    made.end()


def device(dice: random.Random) -> dict[str, Any]:
    made: dict[str, Any] = {"lock": dice.choice(["on", "on", "off", "notApplicable"])}
    if dice.random() < 0.9:
        made["version"] = dice.choice(["22.04", "24.04", "1.2", "odd"])
    if dice.random() < 0.8:
        made["model"] = dice.choice(["Toaster", "kettle"])
    if dice.random() < 0.1:
        made["platform"] = dice.choice(["ios", "android", "windows"])
    health: dict[str, Any] = {"ignore": list(IGNORED)}
    if dice.random() < 0.75:
        health["allowedLibraries"] = [CLOCK_LIBRARY]
    elif dice.random() < 0.5:
        health["ignore"].append("injectedLibraries")
    if dice.random() < 0.15:
        health["require"] = [dice.choice(["com.example.edr", "diskEncryption"])]
    return {**made, "health": health}


def report(dice: random.Random) -> dict[str, Any] | None:
    if dice.random() < 0.3:
        return None
    made: dict[str, Any] = {}
    if dice.random() < 0.7:
        made["threatLevel"] = dice.choice(["secured", "secured", "low", "medium", "high"])
    if dice.random() < 0.4:
        made["compliant"] = dice.random() < 0.7
    signals = {"work.time": dice.choice(["ok", "ok", "fail"])} if dice.random() < 0.7 else {}
    if dice.random() < 0.2:
        signals["com.example.edr"] = dice.choice(["ok", "fail", "unknown"])
    return {**made, "signals": signals}


def changes(dice: random.Random, case: int) -> list[dict[str, Any]]:
    made = [{"action": "policy.remove", "policy": "base"}, *simulating.putting(simulating.policies(dice, case))]
    fate = dice.random()
    if fate < 0.15:
        made.append({"action": "user.set", "user": UPN, "enabled": False})
    elif fate < 0.22:
        made.append({"action": "user.set", "user": UPN, "licensed": False})
    elif fate < 0.3:
        made.append({"action": "user.remove", "user": UPN, "force": True})
    return made


def seconds(milliseconds: int) -> str:
    return f"PT{max(0, milliseconds) // 1000}S"


def finding(one: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(str(one[key]) for key in ("check", "action", "setting", "value", "policyId", "policyName", "message"))


def played(stage: Scenario, past: Past, dice: random.Random, case: int) -> Counter[str]:
    """One case: the simulation, and the real launch."""
    stage.begin(past)
    version = dice.choice([None, "1", "1.2", "2"]) if dice.random() < 0.5 else "2"
    session = stage.open(device(dice), version)
    reported = report(dice)
    clocked_out = None
    if reported is not None:
        assert library.C.mam_report_device_health(session.handle, json.dumps(reported).encode()) == library.OK
        clocked_out = stage.now() if reported["signals"].get("work.time") == "fail" else None
    pause = dice.choice(PAUSES)
    is_connected, does_answer = dice.random() < 0.7, dice.random() < 0.15
    wanted, is_in_use = changes(dice, case), dice.random() < 0.8
    is_refused = any(one["action"] == "user.remove" or one.get("licensed") is False for one in wanted)

    def state(checked_in: int, now: int) -> dict[str, Any]:
        made: dict[str, Any] = {
            "device": {"platform": session_device.get("platform", "linux")},
            "deviceHealth": simulating.diagnosed(session), "connected": is_connected, "inUse": is_in_use,
            "offline": seconds(now - checked_in), "shown": past.shown, "inactive": seconds(now - past.at),
        }  # fmt: skip
        if version is not None:
            made["appVersion"] = version
        if past.pin is not None:
            made["pin"] = {**past.pin, "age": seconds(now - past.at)}
            made["pinEntered"] = seconds(now - past.at)
        if clocked_out is not None:
            made["clockedOut"] = seconds(now - clocked_out)
        return made

    session_device = stage.device
    now = stage.now() + pause * 1000
    before = simulating.simulated(stage.path, wanted, state(past.at if is_refused else stage.now(), now))
    for one in wanted:
        stage.admin(**one)
    session.wait(session.started("mam_check_in", UPN))
    checked_in = past.at if is_refused else stage.now()
    if not is_connected:
        stage.admin("fault.set", fault="network")
    stage.clock.pass_by(pause * 1000)
    if not is_refused:
        # If nothing is delivered, an authority does not know what the app keeps.
        assert simulating.simulated(stage.path, [], state(checked_in, stage.now())) == before, f"case {case}"
    if is_in_use:
        stage.act()
    person = Person(session, does_answer)
    done = person.launch()
    where = f"case {case}: {wanted} {state(checked_in, stage.now())}\nsaid {before}\ndone {done}\nasked {person.asked}"
    own = [one for one in done["findings"] if one["accountId"] == ID]
    is_wiped = before["outcome"] == "wiped"
    assert (not simulating.enrolled(session)) == is_wiped, where
    # Nobody is asked while another finding stands against the account.
    is_shut = any(one["action"] in ("wipe", "block") for one in before["findings"])
    said = [one for one in before["findings"] if is_shut or not does_answer or one["action"] != "prompt"]
    assert [finding(one) for one in own] == [finding(one) for one in said], where
    assert len(own) == len(done["findings"]), where
    assert done["outcome"] == before["outcomeWhenAnswered" if does_answer else "outcome"], where
    asks = before["asks"]
    if not does_answer and not is_wiped:
        # A person who declines biometrics is asked for the PIN, and for nothing more.
        asked = [one for one in asks if one["question"] == "deviceHealth"]
        asked += [one for one in asks if one not in asked][:1]
        if asked and asked[-1].get("methods") == ["biometrics"]:
            asked.append({"question": "pin", "purpose": "enter"})
        asks = asked
    assert person.asked == asks, where
    kinds = {f"{one['action']} {one['check']}" for one in own} | {str(one["question"]) for one in person.asked}
    return Counter([*kinds, before["outcome"], *(["answered"] if does_answer and asks else [])])


def test_a_simulated_launch_equals_the_real_one(stage: Scenario) -> None:
    seed = os.environ.get("MAM_SEED", "1")
    pins = [None, "set", "failed", "exhausted"]
    pasts = [stage.past(f"{pin} {signed}", pin, signed) for pin in pins for signed in (False, True)]
    found: Counter[str] = Counter()
    for case in range(CASES):
        dice = random.Random(f"{seed} {case}")
        found += played(stage, dice.choice(pasts), dice, case)
    # Every kind of finding and question occurred.
    wipes = {"deviceHealth", "disabledAccount", "threatLevel", "deviceModel", "sdkVersion", "appVersion", "osVersion", "deviceLock",
             "pin", "wipe"}  # fmt: skip
    blocks = {*wipes, "offline", "offlineWipe", "clockedOut"} - {"pin", "wipe"}
    wanted = {f"wipe {one}" for one in wipes} | {f"block {one}" for one in blocks} | {"prompt pin", "prompt credentials"}
    wanted |= {"pin", "authenticate", "deviceHealth", "answered", "allowed", "warned", "blocked", "wiped"}
    if CASES >= 1000:
        assert wanted - set(found) == set(), found
