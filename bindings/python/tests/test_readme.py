"""The README's session works as it stands, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import mam
import pytest
from conftest import ANN

README = Path(__file__).resolve().parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")


def test_the_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    for code in re.findall(r"(?m)^```python\n(.*?)^```", TEXT, flags=re.S):
        exec(compile(code, str(README), "exec"), {})
    assert "printBlocked" in capsys.readouterr().out
    assert mam.Authority("authority.db").user(ANN).upn == ANN


def test_links() -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)", TEXT):
        assert (README.parent / target).exists(), target
