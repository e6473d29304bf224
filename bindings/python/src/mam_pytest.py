"""The pytest plugin of mam: the fixture `mam_office`.

An installed package registers it; elsewhere use `pytest -p mam_pytest`, with this folder on PYTHONPATH. It is a separate
module because pytest imports plugins in every run: a run that does not use mam must not need libmam.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from mam.testing import Office


@pytest.fixture
def mam_office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    """A `mam.testing.Office` for this test. A host without a state directory gets one of the test's as well."""
    from mam.testing import office

    folder = tmp_path / "mam-office"
    folder.mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "home"))
    with office(folder) as made:
        yield made
