"""The names of the package: what `mam` has, where it comes from, and what an import costs."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import mam
import pytest

SOURCE = Path(mam.__file__)
TREE = ast.parse(SOURCE.read_text(encoding="utf-8"))
#: Modules for users of their own, and tools of the package.
SEPARATE = {"exit_criteria", "opentelemetry", "pinentry", "testing"}


def imported_for_types() -> dict[str, str]:
    """The names that a type checker sees, with their modules."""
    block = next(one for one in TREE.body if isinstance(one, ast.If))
    return {name.name: str(one.module) for one in block.body if isinstance(one, ast.ImportFrom) for name in one.names}


def test_the_lists_of_names_agree() -> None:
    assert list(mam.__all__) == sorted(set(mam.__all__))
    assert imported_for_types() == mam._SOURCES
    assert set(mam.__all__) == {*mam._SOURCES, "__version__"}


def public(path: Path) -> set[str]:
    """The public classes and constants of a module, and its functions that others are to call: those that `__all__` has."""
    names = set()
    for one in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(one, ast.ClassDef):
            names.add(one.name)
        elif isinstance(one, (ast.Assign, ast.AnnAssign)):
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            names.update(target.id for target in targets if isinstance(target, ast.Name))
    return {name for name in names if not name.startswith("_")}


#: Not for users: bases, parts of `Mam`, tables and type variables.
INTERNAL = """
A ABANDON C CLASSES D E F Handler LogCallable M N Name Number OPEN_NAMES Opener P Path Q R Readable S SAVE_NAMES STRICT Stream T
TWO_THREADS ReasonAnswers TelemetryCallable TransferAnswers Writable
""".split()


@pytest.mark.parametrize("path", sorted(SOURCE.parent.glob("[a-z]*.py")), ids=lambda path: path.stem)
def test_no_public_name_is_left_out(path: Path) -> None:
    if path.stem not in SEPARATE:
        left = {name for name in public(path) if name not in mam.__all__ and not name.endswith("Calls")}
        assert left <= set(INTERNAL)


def test_every_name_is_there() -> None:
    for name in mam.__all__:
        assert getattr(mam, name) is not None
        assert name in dir(mam)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        mam.nothing  # type: ignore[attr-defined]  # noqa: B018


def loaded_by(code: str) -> set[str]:
    program = f"import json, sys\nbefore = set(sys.modules)\n{code}\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    environment = {"PYTHONPATH": str(SOURCE.parent.parent), "LIBMAM_PATH": mam.library_path()}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True, timeout=60)
    return set(json.loads(done.stdout))


def test_an_import_loads_little() -> None:
    """Benchmarks has the time; these are the modules that would cost most of it."""
    assert {one for one in loaded_by("import mam") if one.startswith("mam.")} == {"mam._ffi", "mam._version"}
    assert not loaded_by("import mam; mam.open") & {"asyncio", "difflib", "logging", "mam.authority", "mam.simulation", "sqlite3"}
    assert "mam.simulation" in loaded_by("from mam import lint")
