"""A random walk: walk.py [--steps N] [--seed N]. A divergence is printed with the fewest steps that show it."""

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
#: After so many steps all begins anew, so that a divergence can be made small.
EPISODE = 250


#: What most episodes begin with: without a policy nothing happens.
PROLOGUE: list[Step] = [
    ("open", {"index": 0, "several": True}),
    ("import_policy", {"policy": "p1", "content": 1}),
    ("assign", {"policy": "p1", "group": "g1", "is_on": True, "exclude": False}),
    ("target", {"policy": "p1", "app": None, "is_on": True}),
    ("member", {"group": "g1", "user": "ann", "is_on": True}),
]


def failure(clock: library.Clock, scratch: str | None, steps: list[Step]) -> tuple[int, str] | None:
    """Which step diverges, and how."""
    world = World(clock, scratch)
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
    """What a divergence is about, whoever's account it is."""
    return re.sub(r"[\w@.-]*-id|\S*@\S*|\d", "", error.split(":")[0])


def smaller(clock: library.Clock, scratch: str | None, steps: list[Step], about: str) -> list[Step]:
    """Leave out whatever is not needed to diverge about the same."""
    size = len(steps) // 2
    while size > 0:
        at = 0
        while at < len(steps):
            fewer = steps[:at] + steps[at + size :]
            found = failure(clock, scratch, fewer)
            if found is None or kind(found[1]) != about:
                at += size
            else:
                steps = fewer[: found[0] + 1]
        size //= 2
    return steps


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("MAM_SEED", time.time_ns() % 10**9)))
    options = parser.parse_args()
    scratch = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    clock = library.Clock()
    done = 0
    while done < options.steps:
        seed = options.seed + done
        source = random.Random(seed)
        world = World(clock, scratch)
        steps = list(PROLOGUE) if source.random() < 0.9 else []
        steps += [random_step(source) for _ in range(min(EPISODE, options.steps - done))]
        try:
            for number, (name, arguments) in enumerate(steps):
                world.step(name, **arguments)
        except Divergence as error:
            world.close()
            print(f"seed {seed}, step {number}: {error}")
            least = smaller(clock, scratch, steps[: number + 1], kind(str(error)))
            for name, arguments in least:
                print(f"    {name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})")
            print(failure(clock, scratch, least))
            return 1
        world.close()
        done += EPISODE
    print(f"{done} steps, seed {options.seed}: same states, same events, same codes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
