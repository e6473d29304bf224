"""Every Python snippet of the documentation runs: a page's from top to bottom, as a reader would type them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import ANN
from test_testing import pytest_run

ROOT = Path(__file__).resolve().parents[3]
README = "bindings/python/README.md"
PAGES = [
    "README.md",
    README,
    "docs/python.md",
    "docs/configuration.md",
    "docs/diagnostics.md",
    "docs/enrollment.md",
    "docs/from-intune.md",
    "docs/policy.md",
    "docs/transfer.md",
    "docs/pin.md",
    "docs/sqlite.md",
    "docs/telemetry.md",
]
BLOCK = re.compile(r"(?m)^```python\n(.*?)^```", re.S)


def snippets(page: str) -> list[str]:
    found = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    assert found
    return found


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the authority and environment of README.md."""
    folder = tmp_path / "try"
    folder.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("MAM_AUTHORITY", str(folder / "authority.db"))
    monkeypatch.setenv("MAM_STATE", str(folder / "state"))
    authority = mam.Authority.create(folder / "authority.db")
    authority.add_user(ANN)
    (policy,) = authority.import_policy(
        {"@odata.type": "#libmam.linuxManagedAppProtection", "displayName": "Strict", "printBlocked": True}
    ).policies
    authority.assign(policy.id, all_users=True)
    authority.target(policy.id, all_apps=True)
    with mam.open("com.example.notes", authority, state_directory=folder / "state") as m:
        assert m.register_and_enroll(ANN).wait(30)
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
def test_snippets(page: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if page == "docs/telemetry.md":
        pytest.importorskip("opentelemetry.sdk", reason="opentelemetry-sdk is not installed")
    names: dict[str, Any] = {"__name__": "snippets"}
    tests = 0
    for code in snippets(page):
        if code.startswith("# test_"):
            tests += 1
            folder = home / f"tests-{tests}"
            folder.mkdir()
            done = pytest_run(folder, code, "-p", "mam_pytest")
            assert " passed" in done.stdout, done.stdout + done.stderr
        else:
            exec(compile(code, page, "exec"), names)
    assert not (home / "home").exists(), "the reader's own state is not for trying"
    said = capsys.readouterr().out
    if page == README:
        assert "printBlocked" in said
    if page == "docs/diagnostics.md":
        assert said.endswith("/com.example.notes.log\n")
    if page == "docs/telemetry.md":
        assert "checkIn " in said
    if page == "docs/python.md":
        assert tests == 2
        assert "wiped: " in said and "\nkeyUnavailable " in said and "cannot be copied" in said


def test_the_snippets_type_check(tmp_path: Path) -> None:
    """The guide's code passes an editor's type check: no missing attribute."""
    if subprocess.run([sys.executable, "-c", "import mypy"], capture_output=True).returncode:
        pytest.skip("mypy is not installed")
    program = "\n".join(code for code in snippets("docs/python.md") if not code.startswith("# test_"))
    (tmp_path / "guide.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--check-untyped-defs", "--cache-dir", tmp_path / "cache", tmp_path / "guide.py"],
        env={"MYPYPATH": str(Path(mam.__file__).parent.parent), "PATH": ""},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    # The page's text, not the code, narrows values that may be None.
    wrong = [line for line in done.stdout.splitlines() if "error:" in line and "[union-attr]" not in line]
    assert not wrong, "\n".join(wrong)
    assert "guide.py" in done.stdout or done.returncode == 0, done.stderr


def test_no_page_is_left_out() -> None:
    pages = {
        str(path.relative_to(ROOT))
        for folder in (".", "docs", "bindings", "examples")
        for path in (ROOT / folder).glob("*.md" if folder == "." else "**/*.md")
        if BLOCK.search(path.read_text(encoding="utf-8"))
    }
    assert pages == set(PAGES)


def test_links() -> None:
    page = ROOT / README
    for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_guide_passes_a_type_checker(tmp_path: Path) -> None:
    """As its reader would check it; its handlers have no hints."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    program = tmp_path / "guide.py"
    program.write_text("\n".join(code for code in snippets("docs/python.md") if not code.startswith("# test_")))
    options = ["--strict", "--allow-untyped-defs", "--allow-incomplete-defs", "--allow-untyped-calls"]
    options += ["--cache-dir", str(tmp_path / "cache"), "--config-file", str(ROOT / "bindings/python/pyproject.toml")]
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(program)],
        env={**os.environ, "MYPYPATH": str(ROOT / "bindings/python/src")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout
