"""All operations. Another operation is another method with `@operation` in front."""

from __future__ import annotations

import random
from typing import Any

from administering import Administering
from answering import Answering
from base import OPERATIONS, Divergence
from configuring import Configuring
from launching import Launching
from switching import Switching

__all__ = ["OPERATIONS", "Divergence", "World", "random_step"]


class World(Launching, Answering, Switching, Configuring, Administering):
    """libmam and the model, side by side: each step is applied to both, and then everything observable is compared."""


def random_step(source: random.Random) -> tuple[str, dict[str, Any]]:
    names = list(OPERATIONS)
    name = source.choices(names, [OPERATIONS[one][0] for one in names])[0]
    return name, {key: source.choice(choices) for key, choices in OPERATIONS[name][1].items()}
