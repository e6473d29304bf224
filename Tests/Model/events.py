"""Events, short enough to compare, in the promised order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app import Event


def short(event: dict[str, Any]) -> Event:
    name = event["event"]
    more: dict[str, Any] = {
        "accountBlocked": event.get("blockReason"),
        "wipeProgress": event.get("step"),
        "wipeDidComplete": event.get("reason"),
    }
    if "status" in event:
        return (name, event.get("accountId"), event["status"]["code"])
    return (name, event.get("accountId"), more[name]) if name in more else (name, event.get("accountId"))


CHANGES = ("policyDidChange", "dataProtectionDidChange", "appConfigDidChange")


#: For an account that came and left again in one step, a change may belong to either: no order is promised.
VISIT = ("enrollmentRequest", *CHANGES, "accountBlocked", "policyRequest")


def may_follow(one: Event, change: Event) -> bool:
    if one[0] in CHANGES:
        return CHANGES.index(one[0]) > CHANGES.index(change[0])
    return one[0::2] in (("enrollmentRequest", 100), ("wipeProgress", "closed"))


def leading(delivered: list[Event]) -> list[Event]:
    """The events before the changes of a step: the wipe command or the refusal that causes a wipe, and an account's events
    before it was requested again in the same step, and before it left again. An account that came and stays without a policy
    changed when it came."""
    wiped = [one[1] for one in delivered if one[0::2] == ("wipeDidComplete", "offline")]
    left = [one[1] for one in delivered if one[0] == "unenrollRequest" and ("enrollmentRequest", one[1], 100) in delivered]
    last = {one[1]: one[2] for one in delivered if one[0] == "policyRequest"}
    first_of = {one[1]: one[0::2] for one in reversed(delivered)}
    closed = [name for name in last if last[name] == 220 and first_of[name] == ("enrollmentRequest", 100)]
    requests = [(at, one) for at, one in enumerate(delivered) if one[0] == "policyRequest" and one[1] not in closed]
    chosen = [
        at
        for at, one in requests
        if one[2] in (102, 221)
        or (one[2] == 226 and one[1] in wiped)
        or (one[2] == 220 and any(later[1] == one[1] for when, later in requests if when > at))
    ]
    # An account that came in the same step came before that.
    came = [at for at, one in enumerate(delivered) if one[0::2] == ("enrollmentRequest", 100)]
    chosen += [at for at in came if any(delivered[late][1:] == (delivered[at][1], 220) for late in chosen if late > at)]
    first = [delivered[at] for at in sorted(chosen)]
    return first + [one for one in delivered if one[1] in left and one[0] in ("enrollmentRequest", "policyRequest")]


def without(delivered: list[Event], first: list[Event]) -> list[Event]:
    """The rest, with one of each duplicate."""
    rest = list(delivered)
    for one in first:
        if one in rest:
            rest.remove(one)
    return rest


def in_order(events: Iterable[Event]) -> dict[Any, list[Event]]:
    """By account: no order is promised between accounts, between those two events, between them and the event that the
    account is enrolled or that its wipe has closed it, or between a block and anything else."""
    delivered = sorted(events, key=lambda one: one[0] != "accountBlocked")  # stable: the rest keeps its order
    left = {one[1] for one in delivered if one[0] == "unenrollRequest" and ("enrollmentRequest", one[1], 100) in delivered}
    # The same for one that came twice in a step, since the authority had forgotten it in between.
    twice = {one[1] for one in delivered if delivered.count(("enrollmentRequest", one[1], 100)) > 1} - left
    # Nor between the changes of an account that comes back and the wipe of what it had left.
    came = {one[1] for one in delivered if one[0] == "dataProtectionDidChange"}
    found: dict[Any, list[Event]] = {}
    for event in delivered:
        of_account = found.setdefault(event[1], [])
        at = len(of_account)
        wiped = ("policyRequest", 102) if event[1] in came else None
        while event[0] in CHANGES and at > 0 and (may_follow(of_account[at - 1], event) or of_account[at - 1][0::2] == wiped):
            at -= 1
        of_account.insert(at, event)
    for name in left | twice:
        end = found[name].index(("unenrollRequest", name, 104)) if name in left else len(found[name])
        visit = [one for one in found[name][:end] if one[0] in VISIT]
        others = [one for one in found[name][:end] if one[0] not in VISIT]
        found[name][:end] = [*others, *sorted(visit, key=lambda one: VISIT.index(one[0]))]
    return found
