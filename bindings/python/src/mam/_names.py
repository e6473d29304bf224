"""Names of libmam's C interface, as libmam's own texts use them, in Python's words."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Functions whose Python name cannot be derived from theirs.
_FUNCTIONS = {
    "mam_answer_secret": "Mam.answer_secret",
    "mam_app_config": "Mam.app_config",
    "mam_app_config_bool": "AppConfig.boolean",
    "mam_app_config_all_bools": "AppConfig.all_booleans",
    "mam_app_config_release": "AppConfig.close",
    "mam_event_next": "Mam.next_event",
    "mam_file_create": "Mam.open_file",
    "mam_file_open": "Mam.open_file",
    "mam_file_read": "File.readinto",
    "mam_identity_capture": "Mam.capture_identity",
    "mam_identity_equal": "Mam.identities_equal",
    "mam_identity_release": "CapturedIdentity.close",
    "mam_identity_run": "CapturedIdentity.run",
    "mam_policy_check": "Mam.check",
    "mam_policy_current": "Mam.current_policy",
    "mam_policy_decide": "Mam.check",
    "mam_policy_for_account": "Mam.policy",
    "mam_policy_for_accounts": "Mam.policy_for_accounts",
    "mam_policy_json": "Policy.effective",
    "mam_policy_release": "Policy.close",
    "mam_policy_source": "Mam.policy_source",
    "mam_policy_url_reason": "Policy.url",
    "mam_protect_stream_open": "Mam.protect_stream_to",
    "mam_set_override": "Mam.set_override",
    "mam_sqlite_vfs_register": "Mam.register_sqlite_vfs",
    "mam_unprotect_stream_open": "Mam.unprotect_stream_to",
}
_MODULE = {"abi_version", "admin", "message", "open", "policy_diff", "policy_explain", "policy_lint", "policy_properties",
           "policy_simulate", "protect_bound", "version"}  # fmt: skip
_OF_FILES = {"write", "pread", "pwrite", "seek", "tell", "truncate", "size", "sync", "datasync", "close"}
_CLASSES = {
    "app_config": "AppConfig",
    "policy": "Policy",
    "protect_stream": "ProtectStream",
    "unprotect_stream": "UnprotectStream",
}
_CONSTANTS = {
    "ASK": "Action",
    "BLOCK": "BlockReason",
    "CONFIG": "BooleanQuery",
    "LOG": "LogLevel",
    "NOTIFICATION": "NotificationPolicy",
    "OPEN": "OpenLocation",
    "PICKER": "PickerMode",
    "PRIVACY": "PrivacyLevel",
    "SAVE": "SaveLocation",
    "SCREEN": "ScreenState",
    "SOURCE": "PolicySource",
    "SWITCH": "SwitchResult",
    "TASK": "IdentityTask",
}
# Words of a host in C, with those of Python.
_PHRASES = {
    "the handle is closed, or never was one": "it is closed",
    "the handle belongs to the parent process": "it belongs to the parent process",
    "open handles; close or release some": "open sessions, policies and files; close some",
    "this policy handle was held; release the handle and take another": "this policy was held; close it and take another",
    "on this handle": "in this session",
    "of this handle": "of this session",
    "the same handle": "the same session",
    "mam_…_stream_": "the stream's ",
    "is NULL": "is None",
    "pass NULL": "pass None",
}
_PHRASE = re.compile("|".join(_PHRASES))
# The names of arguments that Python's methods do not have, before what is wrong with them.
_ARGUMENTS = {
    "m": "session",
    "op": "operation",
    "fn": "function",
    "new_pin": "new",
    "target_path": "target",
    "protected_text": "protected",
    "account.accountId": "account_id",
    "account.tenantId": "tenant_id",
    "account.upn": "upn",
    "app.id": "app",
    "app.version": "version",
    "app.group": "group",
    "app.extensions": "extensions",
    "infoPlist": "info_plist",
    "additionalOrganizationDomains": "additional_organization_domains",
    "organizationDomains": "organization_domains",
    "questionTimeout": "question_timeout",
    "stateDirectory": "state_directory",
    "testPolicy": "test_policy",
    "unknownIdentities": "unknown_identities",
}
_ARGUMENT = re.compile(rf"^({'|'.join(map(re.escape, _ARGUMENTS))}|([a-z]+)_json)(?=$|[:\[. ])")
_C_NAME = re.compile(rf"\bmam_[a-z][a-z_]*\b|\bMAM_(ERR|{'|'.join(_CONSTANTS)})_([A-Z_]+\b|\*)|\bMAM_OK\b")


def python_name(function: str) -> str:
    """The Python name of a C function: mam_check_in is Mam.check_in."""
    if function in _FUNCTIONS:
        return _FUNCTIONS[function]
    short = function.removeprefix("mam_")
    if short in _MODULE:
        return f"mam.{short if short == 'policy_properties' else short.removeprefix('policy_')}"
    if short.startswith("file_") and short[5:] in _OF_FILES:
        return f"File.{short[5:]}"
    for prefix, name in _CLASSES.items():
        if short.startswith(f"{prefix}_"):
            return f"{name}.{short[len(prefix) + 1 :]}"
    return f"Mam.{short}"


def python_names(functions: Iterable[str]) -> tuple[str, ...]:
    """The Python names of C functions."""
    return tuple(python_name(function) for function in functions)


def python_argument(text: str) -> str:
    """The name of an argument, or a text that begins with one, with Python's name of it."""
    return _ARGUMENT.sub(lambda match: match[2] or _ARGUMENTS[match[1]], text)


def in_python(message: str) -> str:
    """A message of libmam in Python's words."""
    message = python_argument(message)
    # A search for all phrases at once would cost as much as the rest of a decision.
    if "handle" in message or "NULL" in message or "mam_" in message:
        message = _PHRASE.sub(lambda match: _PHRASES[match[0]], message)
    return _C_NAME.sub(_replacement, message) if "mam_" in message or "MAM_" in message else message


def _replacement(match: re.Match[str]) -> str:
    group, rest = match[1], match[2]
    if group is None:
        return python_name(match[0]) if match[0].startswith("mam_") else "Status.OK"
    kind = "Status" if group == "ERR" else _CONSTANTS[group]
    return f"mam.{kind}" if rest == "*" else f"mam.{kind}.{rest}"
