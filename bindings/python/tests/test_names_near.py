"""Random names near an account's domain: what stores and what asks take each for the same."""

from __future__ import annotations

import os
import random
from pathlib import Path

import mam
from names import ANN, SECRET, Place

DOMAIN = ANN.partition("@")[2]


def edited(text: str, edits: int, chance: random.Random) -> str:
    """A text after some edits, as NearestName counts them."""
    letters = list(text)
    for _ in range(edits):
        at = chance.randrange(len(letters) - 1)
        match chance.randrange(4):
            case 0:
                letters.insert(at, chance.choice("abcxyz0-"))
            case 1:
                del letters[at]
            case 2:
                letters[at] = chance.choice("abcxyz0-")
            case _:
                letters[at], letters[at + 1] = letters[at + 1], letters[at]
    return "".join(letters)


def test_asking_and_storing_agree(tmp_path: Path) -> None:
    chance = random.Random(int(os.environ.get("MAM_SEED", "1")))
    refused = stored = 0
    with Place.make(tmp_path) as place:
        place.enroll(ANN)
        # The receiver's name alone decides.
        with place.m.policy("") as policy:
            for _ in range(5000):
                edits = chance.randrange(4)
                domain = edited(
                    chance.choice(["", "mail.", "my"]) + chance.choice([DOMAIN, DOMAIN.partition(".")[0]]), edits, chance
                )
                name = f"zachary{chance.choice('@@@#.')}{domain}"
                try:
                    place.m.check_name(name)
                except mam.ArgumentError:
                    continue
                except mam.NotFoundError:
                    refused += 1
                    assert not policy.is_save_to_allowed(mam.SaveLocation.BOX, name), name
                else:
                    stored += 1
                    assert policy.is_save_to_allowed(mam.SaveLocation.BOX, name), name
                    assert place.m.protect(name, SECRET) != SECRET
                    assert edits > 0 or "my" in domain or "." not in domain or "mail" in domain, name
    assert refused > 500 and stored > 500
