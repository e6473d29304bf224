"""The binding agrees with mam.h: every function with its types, every number, every closed value."""

from __future__ import annotations

import ctypes
import enum
import re
from pathlib import Path
from typing import Any

import header
import mam
import pytest
from mam import _ffi
from mam.errors import CLASSES

TYPES: dict[str, Any] = {
    "void": None,
    "const char *": ctypes.c_char_p,
    "const uint8_t *": ctypes.c_char_p,
    "char **": ctypes.POINTER(ctypes.c_char_p),
    "void *": ctypes.c_void_p,
    "struct sqlite3 *": ctypes.c_void_p,
    "const struct sqlite3_api_routines *": ctypes.c_void_p,
    "uint8_t *": ctypes.POINTER(ctypes.c_ubyte),
    "size_t": ctypes.c_size_t,
    "size_t *": ctypes.POINTER(ctypes.c_size_t),
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "int32_t *": ctypes.POINTER(ctypes.c_int32),
    "int64_t": ctypes.c_int64,
    "int64_t *": ctypes.POINTER(ctypes.c_int64),
    "mam_save_location": ctypes.c_int32,
    "mam_open_location": ctypes.c_int32,
    "mam_status": ctypes.c_int32,
    "mam_bool": ctypes.c_int32,
    "mam_bool *": ctypes.POINTER(ctypes.c_int32),
    "mam_buffer *": ctypes.POINTER(_ffi.Buffer),
    "mam_t *": _ffi.MamHandle,
    "mam_t **": ctypes.POINTER(_ffi.MamHandle),
    "mam_policy_t *": _ffi.PolicyHandle,
    "mam_policy_t **": ctypes.POINTER(_ffi.PolicyHandle),
    "mam_question_t *": _ffi.QuestionHandle,
    "mam_identity_t *": _ffi.IdentityHandle,
    "mam_identity_t **": ctypes.POINTER(_ffi.IdentityHandle),
    "mam_decision_t *": _ffi.DecisionHandle,
    "mam_decision_t **": ctypes.POINTER(_ffi.DecisionHandle),
    "mam_json_t *": _ffi.JsonHandle,
    "mam_json_t **": ctypes.POINTER(_ffi.JsonHandle),
    "mam_app_config_t *": _ffi.AppConfigHandle,
    "mam_app_config_t **": ctypes.POINTER(_ffi.AppConfigHandle),
    "mam_protect_stream_t *": _ffi.ProtectStreamHandle,
    "mam_protect_stream_t **": ctypes.POINTER(_ffi.ProtectStreamHandle),
    "mam_unprotect_stream_t *": _ffi.UnprotectStreamHandle,
    "mam_unprotect_stream_t **": ctypes.POINTER(_ffi.UnprotectStreamHandle),
    "mam_file_t *": _ffi.FileHandle,
    "mam_file_t **": ctypes.POINTER(_ffi.FileHandle),
    "mam_run_fn *": _ffi.RunFunction,
    "mam_stream_fn *": _ffi.StreamFunction,
    "mam_delegate_fn *": _ffi.DelegateFunction,
    "mam_log_fn *": _ffi.LogFunction,
    "mam_telemetry_fn *": _ffi.TelemetryFunction,
}


def test_the_header_is_read_whole() -> None:
    assert len(header.FUNCTIONS) == header.TEXT.count("\nMAM_API ")
    assert len(header.CLOSED) == sum(one.result == "mam_bool" for one in header.FUNCTIONS.values())


def test_the_table_is_in_the_order_of_the_header() -> None:
    assert list(_ffi.SIGNATURES) == list(header.FUNCTIONS)


def test_every_function_has_a_python_form() -> None:
    """No function of the header is only in the table."""
    sources = Path(mam.__file__).parent.glob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources if path.name != "_ffi.py")
    # A question's id is in its JSON, the last messages in the last error's, and bytes are protected into Python's memory.
    missing = {name for name in header.FUNCTIONS if not re.search(rf'\bC\.{name}\b|"{name}"', text)}
    # Decisions are made of their JSON, which has all of their texts.
    texts = {f"mam_decision_{name}" for name in ("setting", "policy_name", "message", "user_message", "message_key")}
    decisions = {"mam_decision_is_allowed", *texts}
    last = {"mam_last_message", "mam_last_user_message"}
    others = {"mam_question_id", *last, "mam_protect", "mam_unprotect", "mam_buffer_free"}
    # Python reads JSON by itself.
    parsed = {name for name in header.FUNCTIONS if name.startswith("mam_json_")}
    assert missing == decisions | others | parsed


@pytest.mark.parametrize("name", list(header.FUNCTIONS))
def test_types(name: str) -> None:
    function = header.FUNCTIONS[name]
    result, arguments = _ffi.SIGNATURES[name]
    assert result is TYPES[function.result]
    assert arguments == [TYPES[parameter.type] for parameter in function.parameters]


@pytest.mark.parametrize(
    ("kind", "prefix"),
    [
        (mam.SaveLocation, "MAM_SAVE_"),
        (mam.OpenLocation, "MAM_OPEN_"),
        (mam.PickerMode, "MAM_PICKER_"),
        (mam.IdentityTask, "MAM_TASK_"),
        (mam.SwitchResult, "MAM_SWITCH_"),
        (mam.BlockReason, "MAM_BLOCK_"),
        (mam.PolicySource, "MAM_SOURCE_"),
        (mam.NotificationPolicy, "MAM_NOTIFICATION_"),
        (mam.LogLevel, "MAM_LOG_"),
        (mam.ScreenState, "MAM_SCREEN_"),
        (mam.PrivacyLevel, "MAM_PRIVACY_"),
    ],
)
def test_numbers(kind: type[enum.IntEnum], prefix: str) -> None:
    assert {member.name: member.value for member in kind} == header.group(prefix)


def test_numbers_of_queries() -> None:
    """Two enumerations of one group: OR and MIN share a number."""
    members = {**mam.BooleanQuery.__members__, **mam.OrderedQuery.__members__}
    assert members == header.group("MAM_CONFIG_")


def test_statuses() -> None:
    assert {one.name: one.value for one in mam.Status if one} == header.group("MAM_ERR_")
    assert header.CONSTANTS["MAM_OK"] == mam.Status.OK


def test_every_status_has_its_own_exception() -> None:
    assert {int(status) for status in CLASSES} == set(header.group("MAM_ERR_").values())
    assert len(set(CLASSES.values())) == len(CLASSES)


def test_names_of_statuses_differ() -> None:
    names = {_ffi.library.mam_status_name(one) for one in mam.Status}
    assert len(names) == len(mam.Status)
    assert b"unknown" not in names
    assert _ffi.library.mam_status_name(12345) == b"unknown"


def test_versions() -> None:
    assert mam.__version__ == mam.version() == header.VERSION
    assert mam.abi_version() == header.ABI_VERSION >= _ffi.ABI_VERSION


def test_location_names_are_complete() -> None:
    from mam.enums import OPEN_NAMES, SAVE_NAMES

    assert list(SAVE_NAMES) == list(mam.SaveLocation)
    assert list(OPEN_NAMES) == list(mam.OpenLocation)
    for name in {*SAVE_NAMES.values(), *OPEN_NAMES.values()}:
        assert name in header.TEXT


def test_outputs_refuse_bytes() -> None:
    # bytes are immutable: C would write into a shared object.
    for name, function in header.FUNCTIONS.items():
        for parameter, kind in zip(function.parameters, _ffi.SIGNATURES[name][1], strict=True):
            if parameter.type in ("uint8_t *", "char **", "size_t *", "mam_buffer *"):
                with pytest.raises((TypeError, ctypes.ArgumentError)):
                    kind.from_param(b"immutable")


def test_everything_public_is_documented() -> None:
    for name in mam.__all__:
        value = getattr(mam, name)
        if callable(value) and getattr(value, "__module__", "").startswith("mam"):
            assert value.__doc__, name
            for member, function in vars(value).items() if isinstance(value, type) else ():
                is_public = not member.startswith("_") and (callable(function) or isinstance(function, property))
                if is_public and value.__mro__[1:] and not issubclass(value, (mam.MamError, enum.Enum)):
                    assert function.__doc__, f"{name}.{member}"
