"""mam.h, parsed: the reference for the table, the numbers and the closed values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PATH = Path(__file__).resolve().parents[3] / "include" / "mam.h"
TEXT = PATH.read_text(encoding="utf-8")
_CODE = re.sub(r"(?m)^\s*#.*$", "", re.sub(r"/\*.*?\*/", "", TEXT, flags=re.S))


@dataclass(frozen=True)
class Parameter:
    type: str
    name: str


@dataclass(frozen=True)
class Function:
    name: str
    result: str
    parameters: tuple[Parameter, ...]

    @property
    def handle(self) -> str | None:
        """The struct of the handle that the function takes first."""
        kinds = ["mam_t *", "mam_policy_t *", "mam_question_t *", "mam_identity_t *", "mam_app_config_t *"]
        kinds += ["mam_protect_stream_t *", "mam_unprotect_stream_t *", "mam_file_t *", "mam_decision_t *", "mam_json_t *"]
        first = self.parameters[0].type if self.parameters else ""
        return first if first in kinds else None


def _parameter(text: str) -> Parameter:
    match = re.fullmatch(r"(.*?)(\w+)", " ".join(text.split()))
    assert match, text
    return Parameter(
        re.sub(r"^const (mam_(?:policy|question|identity|app_config|decision|json)_t)", r"\1", match[1].strip()), match[2]
    )


def _functions() -> dict[str, Function]:
    found = {}
    pattern = r"MAM_API\s+([\w\s]+?[\s*]+)(mam_\w+)\((.*?)\)\s*(?:MAM_CHECK_RESULT\s*)?;"
    for result, name, parameters in re.findall(pattern, _CODE, flags=re.S):
        parts = () if parameters.strip() == "void" else tuple(_parameter(one) for one in parameters.split(","))
        found[name] = Function(name, " ".join(result.split()), parts)
    return found


def _constants() -> dict[str, int]:
    found: dict[str, int] = {}
    for body in re.findall(r"enum\s*\w*\s*{(.*?)}", _CODE, flags=re.S):
        for name, one, shift in re.findall(r"(MAM_\w+)\s*=\s*(\d+)(?:\s*<<\s*(\d+))?", body):
            found[name] = int(one) << int(shift or 0)
    return found


def _closed() -> dict[str, int]:
    """The closed value of each predicate: "Closed: N." in the comment right before it."""
    found = {}
    for comment, name in re.findall(r"/\*\*((?:(?!\*/).)*)\*/\s*MAM_API mam_bool (\w+)\(", TEXT, flags=re.S):
        match = re.search(r"Closed: (\d)", comment)
        assert match, f"{name} has no closed value"
        found[name] = int(match[1])
    return found


FUNCTIONS = _functions()
CONSTANTS = _constants()
CLOSED = _closed()
_version = re.search(r'#define MAM_VERSION "(.*)"', TEXT)
_abi_version = re.search(r"#define MAM_ABI_VERSION (\d+)", TEXT)
assert _version and _abi_version
VERSION = _version[1]
ABI_VERSION = int(_abi_version[1])


def group(prefix: str) -> dict[str, int]:
    """The constants of one prefix, without it."""
    return {name.removeprefix(prefix): value for name, value in CONSTANTS.items() if name.startswith(prefix)}
