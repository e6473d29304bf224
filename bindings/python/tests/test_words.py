"""Messages in Python have no words of C: each text that libmam or this package may raise or return is looked at."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import mam
import pytest
from conftest import ANN, Office
from mam._names import in_python

ROOT = Path(__file__).resolve().parents[3]
#: Modules whose texts no host gets.
ELSEWHERE = {"mamctl", "MAMConfigurator", "MAMLoad", "MAMPostgreSQL", "MAMService"}
#: Words of a host in C. Variables of the environment have the same names everywhere.
OF_C = re.compile(
    r"\bmam_\w+|\bMAM_(?!ABANDON\b|APP\b|AUTHORITY\b|CLOCK\b|GROUP\b|IDENTITY\b|POLICY\b|STATE\b)[A-Z]\w*"
    r"|\b(NULL|va_list|malloc|typedef|handles?|structs?|pointers?|enums?|fn|char|size_t|u?int\d+_t|out-parameters?)\b"
    r"|^(m|op|\w+_json): "
)
#: Protections of a kernel have this word in their name.
NOT_OF_C = {"struct randomization"}
SQL = re.compile(r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|ALTER|DROP|account_key)\b")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
INTERPOLATION = re.compile(r"\\\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")


def texts(path: Path) -> Iterator[str]:
    """The literals of a Swift file with several words, and a number in place of each interpolation."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.lstrip().startswith("//"):
            for text in LITERAL.findall(INTERPOLATION.sub("5", line)):
                # Places are named with the beginning of their constants, and a star.
                if " " in text and not SQL.match(text):
                    yield re.sub(r"(MAM_[A-Z]+_)$", r"\1*", text.replace('\\"', '"'))


def test_every_text_of_the_library() -> None:
    folders = [one for one in (ROOT / "Sources").iterdir() if one.name not in ELSEWHERE]
    found = [text for folder in folders for path in folder.rglob("*.swift") for text in texts(path)]
    assert len(found) > 1000
    # Errors of an argument begin with its name.
    found += [f"{name}: is NULL" for name in ("m", "op", "fn", "settings_json", "account")]
    assert [text for text in found if OF_C.search(in_python(text)) and text not in NOT_OF_C] == []
    assert any("NULL" in text for text in found), "the texts are in C's words before"


def test_every_text_of_this_package() -> None:
    found: list[object] = []
    for path in sorted(Path(mam.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            call = node.exc if isinstance(node, ast.Raise) else node
            name = call.func if isinstance(call, ast.Call) else None
            if name is not None and re.search(r"(error|not_a|Error|Operation)$", ast.unparse(name)):
                found += [one.value for one in ast.walk(node) if isinstance(one, ast.Constant)]
    assert len(found) > 80
    assert [text for text in found if isinstance(text, str) and " " in text and OF_C.search(text)] == []


def test_errors_of_handles(office: Office) -> None:
    session = office.open()
    policy = session.policy(None)
    policy.close()
    with pytest.raises(mam.ClosedError, match=r"^policy: it is closed$"):
        policy.reason(mam.Action.PRINT)
    with pytest.raises(mam.NotFoundError, match=r"^operation: there was no operation 4711 in this session$"):
        session.wait(4711, 0)
    session.close()
    with pytest.raises(mam.ClosedError, match=r"^session: it is closed$"):
        session.enrolled_accounts()


def test_results(enrolled: mam.Mam) -> None:
    """A finding names what a Python program calls."""
    (finding,) = [one for one in enrolled.conditional_launch(ANN).findings if one.check == "pin"]
    assert finding.message and "(Mam.pin_set)" in finding.message
