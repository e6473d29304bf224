"""A random walk: walk.py [--steps N] [--seed N]. A divergence is printed with the fewest steps that show it.

MAM_SEED repeats a run.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sys
import time
from typing import Any

import library
from world import Divergence, World, random_step

Step = tuple[str, dict[str, Any]]
#: Everything restarts after this many steps, so that a divergence can be shrunk.
EPISODE = 250
#: The beginning of most episodes: without a policy nothing happens.
PROLOGUE: list[Step] = [
    ("open", {"index": 0, "several": True}),
    ("import_policy", {"policy": "p1", "content": 1}),
    ("assign", {"policy": "p1", "group": "g1", "is_on": True, "exclude": False}),
    ("target", {"policy": "p1", "app": None, "is_on": True}),
    ("member", {"group": "g1", "user": "ann", "is_on": True}),
]


def seed_of_the_day() -> int:
    return int(os.environ.get("MAM_SEED") or time.time_ns() // 1000 % 10**9)


def failure(clock: library.Clock, steps: list[Step]) -> tuple[int, str] | None:
    """The step that diverges, and its error."""
    world = World(clock)
    try:
        for number, (name, arguments) in enumerate(steps):
            try:
                world.step(name, **arguments)
            except Divergence as error:
                return number, str(error)
        return None
    finally:
        world.close()


def kind(error: str) -> str:
    """The subject of a divergence, whichever the account."""
    return re.sub(r"[\w@.-]*-id|\S*@\S*|\d", "", error.split(":")[0])


def smaller(clock: library.Clock, steps: list[Step], about: str) -> list[Step]:
    """Leave out all steps that are not needed for the same divergence."""
    size = len(steps) // 2
    while size > 0:
        at = 0
        while at < len(steps):
            fewer = steps[:at] + steps[at + size :]
            found = failure(clock, fewer)
            if found is None or kind(found[1]) != about:
                at += size
            else:
                steps = fewer[: found[0] + 1]
        size //= 2
    return steps


def walk(clock: library.Clock, count: int, seed: int) -> str | None:
    """Take `count` steps; returns the report of a divergence."""
    for done in range(0, count, EPISODE):
        source = random.Random(seed + done)
        steps = list(PROLOGUE) if source.random() < 0.9 else []
        steps += [random_step(source) for _ in range(min(EPISODE, count - done))]
        found = failure(clock, steps)
        if found is None:
            continue
        number, error = found
        least = smaller(clock, steps[: number + 1], kind(error))
        again = failure(clock, least)
        lines = [f"MAM_SEED={seed + done}, step {number}: {error}", "The fewest steps that show it:"]
        lines += [f"    {name}({', '.join(f'{key}={one!r}' for key, one in given.items())})" for name, given in least]
        return "\n".join([*lines, again[1] if again else "which now agree: the divergence depends on time"])
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=seed_of_the_day())
    options = parser.parse_args()
    report = walk(library.Clock(), options.steps, options.seed)
    print(report or f"{options.steps} steps, seed {options.seed}: same states, same events, same codes")
    return 1 if report else 0


if __name__ == "__main__":
    sys.exit(main())
