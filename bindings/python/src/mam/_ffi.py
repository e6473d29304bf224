"""The C side: types, the table of mam.h, the loader and memory. Nothing else here imports ctypes.

Calls go through `ctypes.CDLL`, so they release the GIL: other Python threads run, and a delegate on libmam's own thread
can take it.
"""

from __future__ import annotations

import ctypes
import os
import re
from typing import Any

#: Lowest MAM_ABI_VERSION with every function of SIGNATURES. Newer versions only add functions.
ABI_VERSION = 0

_PATH_VARIABLE = "LIBMAM_PATH"
_SONAME = "libmam.so.0"
# Libraries that libmam itself loads; docs/decisions/14-wheel.md explains why no wheel contains them.
_SYSTEMS = re.compile(r"(?:.*/)?(lib(?:crypto|sqlite3)\.so\S*): (.*)")
_PACKAGES = "libssl3 libsqlite3-0 (Debian, Ubuntu) or openssl-libs sqlite-libs (Fedora, RHEL)"

# --- Types ------------------------------------------------------------------------------------------------


class _Mam(ctypes.Structure):
    """Opaque: only used behind a pointer, so that handles of two kinds cannot be confused."""


class _Policy(ctypes.Structure):
    """Opaque."""


class _Question(ctypes.Structure):
    """Opaque."""


class _Identity(ctypes.Structure):
    """Opaque."""


class _AppConfig(ctypes.Structure):
    """Opaque."""


class _Decision(ctypes.Structure):
    """Opaque."""


class _Json(ctypes.Structure):
    """Opaque."""


class _ProtectStream(ctypes.Structure):
    """Opaque."""


class _UnprotectStream(ctypes.Structure):
    """Opaque."""


class _File(ctypes.Structure):
    """Opaque."""


class Buffer(ctypes.Structure):
    """mam_buffer."""

    _fields_ = [("data", ctypes.POINTER(ctypes.c_ubyte)), ("length", ctypes.c_size_t)]


class _Address(ctypes.Structure):
    """Dl_info of dladdr."""

    _fields_ = [
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("symbol", ctypes.c_void_p),
    ]


MamHandle = ctypes.POINTER(_Mam)
PolicyHandle = ctypes.POINTER(_Policy)
QuestionHandle = ctypes.POINTER(_Question)
IdentityHandle = ctypes.POINTER(_Identity)
AppConfigHandle = ctypes.POINTER(_AppConfig)
DecisionHandle = ctypes.POINTER(_Decision)
JsonHandle = ctypes.POINTER(_Json)
ProtectStreamHandle = ctypes.POINTER(_ProtectStream)
UnprotectStreamHandle = ctypes.POINTER(_UnprotectStream)
FileHandle = ctypes.POINTER(_File)

Text, Size, Bool, Operation = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int32, ctypes.c_int64
Number = ctypes.c_int32
byref = ctypes.byref

_STATUS, _BOOL, _I32, _I64, _U32 = ctypes.c_int32, Bool, ctypes.c_int32, Operation, ctypes.c_uint32
_MAM, _POLICY, _QUESTION, _IDENTITY = MamHandle, PolicyHandle, QuestionHandle, IdentityHandle
_CONFIG = AppConfigHandle
_DECISION, _DECISION_OUT = DecisionHandle, ctypes.POINTER(DecisionHandle)
_JSON, _JSON_OUT = JsonHandle, ctypes.POINTER(JsonHandle)
_PROTECTING, _UNPROTECTING = ProtectStreamHandle, UnprotectStreamHandle
_FILE, _FILE_OUT = FileHandle, ctypes.POINTER(FileHandle)
# c_char_p takes bytes without a copy. Outputs are typed: POINTER(c_ubyte) refuses bytes, which are immutable.
_TEXT, _BYTES, _SIZE = Text, ctypes.c_char_p, Size
_OUT, _TEXT_OUT, _SIZE_OUT = ctypes.POINTER(ctypes.c_ubyte), ctypes.POINTER(Text), ctypes.POINTER(Size)
_BOOL_OUT, _I64_OUT, _I32_OUT = ctypes.POINTER(Bool), ctypes.POINTER(Operation), ctypes.POINTER(Number)
_IDENTITY_OUT, _CONFIG_OUT = ctypes.POINTER(_IDENTITY), ctypes.POINTER(_CONFIG)
_PROTECTING_OUT, _UNPROTECTING_OUT = ctypes.POINTER(_PROTECTING), ctypes.POINTER(_UNPROTECTING)
_MAM_OUT, _POLICY_OUT, _BUFFER_OUT = ctypes.POINTER(_MAM), ctypes.POINTER(_POLICY), ctypes.POINTER(Buffer)

DelegateFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, _QUESTION, ctypes.c_char_p)
RunFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
LogFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_char_p)
TelemetryFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
# The bytes as an address: c_char_p would end them at a NUL.
StreamFunction = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)

# --- The table: name, result, arguments; in the order of mam.h ---------------------------------------------

SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    # 1. Library
    "mam_version": (_TEXT, []),
    "mam_abi_version": (_I32, []),
    "mam_status_name": (_TEXT, [_STATUS]),
    "mam_last_status": (_STATUS, []),
    "mam_last_message": (_TEXT, []),
    "mam_last_user_message": (_TEXT, []),
    "mam_last_error_json": (_STATUS, [_TEXT_OUT]),
    "mam_free": (None, [ctypes.c_void_p]),
    "mam_buffer_free": (None, [_BUFFER_OUT]),
    # 2. Instance
    "mam_open": (_STATUS, [_TEXT, _MAM_OUT]),
    "mam_close": (_STATUS, [_MAM]),
    "mam_interrupt": (_STATUS, [_MAM]),
    "mam_settings": (_STATUS, [_MAM, _TEXT_OUT]),
    "mam_set_override": (_STATUS, [_MAM, _TEXT, _TEXT]),
    "mam_set_device": (_STATUS, [_MAM, _TEXT]),
    # 3. Events and questions
    "mam_event_next": (_STATUS, [_MAM, _I32, _TEXT_OUT]),
    "mam_event_fd": (_I32, [_MAM]),
    "mam_set_delegate": (_STATUS, [_MAM, DelegateFunction, ctypes.c_void_p]),
    "mam_question_id": (_I64, [_QUESTION]),
    "mam_answer": (_STATUS, [_MAM, _I64, _TEXT]),
    "mam_answer_secret": (_STATUS, [_MAM, _I64, _BYTES, _SIZE]),
    # 4. Enrollment
    "mam_message": (_STATUS, [_TEXT, _TEXT, _TEXT_OUT]),
    "mam_register_and_enroll": (_STATUS, [_MAM, _TEXT, _I64_OUT]),
    "mam_login_and_enroll": (_STATUS, [_MAM, _TEXT, _I64_OUT]),
    "mam_register_account": (_STATUS, [_MAM, _TEXT]),
    "mam_known_accounts": (_STATUS, [_MAM, _TEXT_OUT]),
    "mam_check_name": (_STATUS, [_MAM, _TEXT]),
    "mam_deregister_and_unenroll": (_STATUS, [_MAM, _TEXT, _BOOL, _I64_OUT]),
    "mam_check_in": (_STATUS, [_MAM, _TEXT, _I64_OUT]),
    "mam_forget_authority": (_STATUS, [_MAM]),
    "mam_wait": (_STATUS, [_MAM, _I64, _I32, _TEXT_OUT]),
    "mam_run_due": (_STATUS, [_MAM]),
    "mam_registered_accounts": (_STATUS, [_MAM, _TEXT_OUT]),
    "mam_registered_account": (_STATUS, [_MAM, _TEXT, _TEXT_OUT]),
    "mam_enrolled_accounts": (_STATUS, [_MAM, _TEXT_OUT]),
    "mam_primary_account": (_STATUS, [_MAM, _TEXT_OUT]),
    "mam_former_account": (_STATUS, [_MAM, _TEXT, _TEXT_OUT]),
    "mam_allowed_accounts": (_STATUS, [_MAM, _TEXT_OUT]),
    "mam_mdm_account": (_STATUS, [_MAM, _TEXT_OUT]),
    # 5. Identity
    "mam_set_process_identity": (_STATUS, [_MAM, _TEXT]),
    "mam_process_identity": (_STATUS, [_MAM, _TEXT_OUT]),
    "mam_set_ui_identity": (_STATUS, [_MAM, _TEXT, _TEXT, _I64_OUT]),
    "mam_open_url": (_STATUS, [_MAM, _TEXT, _TEXT, _TEXT, _I64_OUT]),
    "mam_ui_identity": (_STATUS, [_MAM, _TEXT, _TEXT_OUT]),
    "mam_push_thread_identity": (_STATUS, [_MAM, _TEXT]),
    "mam_pop_thread_identity": (_STATUS, [_MAM]),
    "mam_run_as": (_STATUS, [_MAM, _TEXT, RunFunction, ctypes.c_void_p]),
    "mam_identity_capture": (_STATUS, [_MAM, _IDENTITY_OUT]),
    "mam_identity_run": (_STATUS, [_IDENTITY, RunFunction, ctypes.c_void_p]),
    "mam_identity_release": (None, [_IDENTITY]),
    "mam_effective_identity": (_STATUS, [_MAM, _I32, _TEXT, _TEXT_OUT]),
    "mam_is_account_managed": (_BOOL, [_MAM, _TEXT]),
    "mam_is_management_enabled": (_BOOL, [_MAM]),
    "mam_identity_equal": (_BOOL, [_MAM, _TEXT, _TEXT]),
    "mam_blocked_accounts": (_STATUS, [_MAM, _TEXT_OUT]),
    "mam_blocked_reason": (_STATUS, [_MAM, _TEXT, _I32_OUT]),
    # 6. Policy
    "mam_policy_for_account": (_STATUS, [_MAM, _TEXT, _POLICY_OUT]),
    "mam_policy_for_accounts": (_STATUS, [_MAM, _TEXT, _POLICY_OUT]),
    "mam_policy_current": (_STATUS, [_MAM, _TEXT, _POLICY_OUT]),
    "mam_policy_source": (_STATUS, [_MAM, _I32_OUT]),
    "mam_policy_release": (None, [_POLICY]),
    "mam_policy_is_pin_required": (_BOOL, [_POLICY]),
    "mam_policy_is_managed_browser_required": (_BOOL, [_POLICY]),
    "mam_policy_is_contact_sync_allowed": (_BOOL, [_POLICY]),
    "mam_policy_is_widget_content_sync_allowed": (_BOOL, [_POLICY]),
    "mam_policy_is_indexing_allowed": (_BOOL, [_POLICY]),
    "mam_policy_are_assistant_intents_allowed": (_BOOL, [_POLICY]),
    "mam_policy_are_app_intents_allowed": (_BOOL, [_POLICY]),
    "mam_policy_is_app_sharing_allowed": (_BOOL, [_POLICY]),
    "mam_policy_is_file_encryption_required": (_BOOL, [_POLICY]),
    "mam_policy_should_file_provider_encrypt": (_BOOL, [_POLICY]),
    "mam_policy_is_screen_capture_allowed": (_BOOL, [_POLICY]),
    "mam_policy_is_print_allowed": (_BOOL, [_POLICY]),
    "mam_policy_is_backup_allowed": (_BOOL, [_POLICY]),
    "mam_policy_are_third_party_keyboards_allowed": (_BOOL, [_POLICY]),
    "mam_policy_is_document_picker_allowed": (_BOOL, [_POLICY, _I32]),
    "mam_policy_is_save_to_allowed": (_BOOL, [_POLICY, _I32, _TEXT]),
    "mam_policy_is_open_from_allowed": (_BOOL, [_POLICY, _I32, _TEXT]),
    "mam_policy_can_receive_data": (_BOOL, [_POLICY, _BYTES, _SIZE]),
    "mam_policy_can_receive_file": (_BOOL, [_POLICY, _TEXT]),
    "mam_policy_is_url_allowed": (_BOOL, [_POLICY, _TEXT, _I32]),
    "mam_policy_is_universal_link_allowed": (_BOOL, [_POLICY, _TEXT]),
    "mam_policy_url": (_STATUS, [_POLICY, _TEXT, _TEXT_OUT]),
    "mam_policy_notification": (_I32, [_POLICY]),
    "mam_policy_clipboard": (_STATUS, [_POLICY, _TEXT, _SIZE, _TEXT_OUT]),
    "mam_policy_web_view": (_STATUS, [_POLICY, _TEXT, _TEXT_OUT]),
    "mam_policy_filter_share_targets": (_STATUS, [_POLICY, _TEXT, _TEXT_OUT]),
    "mam_managed_apps": (_STATUS, [_MAM, _TEXT_OUT]),
    "mam_managed_app": (_STATUS, [_MAM, _TEXT, _TEXT_OUT]),
    "mam_policy_save_to_locations": (_STATUS, [_POLICY, _TEXT, _TEXT_OUT]),
    "mam_policy_open_from_locations": (_STATUS, [_POLICY, _TEXT, _TEXT_OUT]),
    "mam_policy_json": (_STATUS, [_POLICY, _TEXT_OUT]),
    "mam_policy_check": (_STATUS, [_MAM, _TEXT, _TEXT_OUT]),
    "mam_policy_decide": (_STATUS, [_MAM, _TEXT, _DECISION_OUT]),
    "mam_policy_reason": (_STATUS, [_POLICY, _I32, _DECISION_OUT]),
    "mam_policy_save_to_reason": (_STATUS, [_POLICY, _I32, _TEXT, _DECISION_OUT]),
    "mam_policy_open_from_reason": (_STATUS, [_POLICY, _I32, _TEXT, _DECISION_OUT]),
    "mam_policy_url_reason": (_STATUS, [_POLICY, _TEXT, _BOOL, _DECISION_OUT]),
    "mam_decision_is_allowed": (_BOOL, [_DECISION]),
    "mam_decision_setting": (_TEXT, [_DECISION]),
    "mam_decision_policy_name": (_TEXT, [_DECISION]),
    "mam_decision_message": (_TEXT, [_DECISION]),
    "mam_decision_user_message": (_TEXT, [_DECISION]),
    "mam_decision_message_key": (_TEXT, [_DECISION]),
    "mam_decision_json": (_STATUS, [_DECISION, _TEXT_OUT]),
    "mam_decision_release": (None, [_DECISION]),
    # 7. Launch and PIN
    "mam_launch": (_STATUS, [_MAM, _I64_OUT]),
    "mam_pause": (_STATUS, [_MAM]),
    "mam_resume": (_STATUS, [_MAM, _I64_OUT]),
    "mam_conditional_launch": (_STATUS, [_MAM, _TEXT, _TEXT_OUT]),
    "mam_report_device_health": (_STATUS, [_MAM, _TEXT]),
    "mam_report_screen_lock": (_STATUS, [_MAM, _I32]),
    "mam_pin_status": (_STATUS, [_MAM, _TEXT, _TEXT_OUT]),
    "mam_pin_set": (_STATUS, [_MAM, _TEXT, _BYTES, _SIZE, _BYTES, _SIZE]),
    "mam_pin_verify": (_STATUS, [_MAM, _TEXT, _BYTES, _SIZE]),
    "mam_pin_reset": (_STATUS, [_MAM, _TEXT, _I64_OUT]),
    # 8. App configuration
    "mam_app_config": (_STATUS, [_MAM, _TEXT, _CONFIG_OUT]),
    "mam_app_config_release": (None, [_CONFIG]),
    "mam_app_config_full_data": (_STATUS, [_CONFIG, _TEXT_OUT]),
    "mam_app_config_conflicts": (_STATUS, [_CONFIG, _TEXT_OUT]),
    "mam_app_config_has_conflict": (_BOOL, [_CONFIG, _TEXT]),
    "mam_app_config_bool": (_STATUS, [_CONFIG, _TEXT, _I32, _TEXT_OUT]),
    "mam_app_config_number": (_STATUS, [_CONFIG, _TEXT, _I32, _TEXT_OUT]),
    "mam_app_config_integer": (_STATUS, [_CONFIG, _TEXT, _I32, _TEXT_OUT]),
    "mam_app_config_string": (_STATUS, [_CONFIG, _TEXT, _I32, _TEXT_OUT]),
    "mam_app_config_all_bools": (_STATUS, [_CONFIG, _TEXT, _TEXT_OUT]),
    "mam_app_config_all_numbers": (_STATUS, [_CONFIG, _TEXT, _TEXT_OUT]),
    "mam_app_config_all_integers": (_STATUS, [_CONFIG, _TEXT, _TEXT_OUT]),
    "mam_app_config_all_strings": (_STATUS, [_CONFIG, _TEXT, _TEXT_OUT]),
    # 9. Data protection
    "mam_protect_bound": (_SIZE, [_SIZE]),
    "mam_protect_into": (_STATUS, [_MAM, _TEXT, _BYTES, _SIZE, _OUT, _SIZE, _SIZE_OUT]),
    "mam_protect": (_STATUS, [_MAM, _TEXT, _BYTES, _SIZE, _BUFFER_OUT]),
    "mam_unprotect_into": (_STATUS, [_MAM, _BYTES, _SIZE, _U32, _OUT, _SIZE, _SIZE_OUT, _BOOL_OUT]),
    "mam_unprotect": (_STATUS, [_MAM, _BYTES, _SIZE, _U32, _BUFFER_OUT, _BOOL_OUT]),
    "mam_protect_string": (_STATUS, [_MAM, _TEXT, _TEXT, _TEXT_OUT]),
    "mam_unprotect_string": (_STATUS, [_MAM, _TEXT, _U32, _TEXT_OUT, _BOOL_OUT]),
    "mam_protection_info": (_STATUS, [_MAM, _BYTES, _SIZE, _TEXT_OUT]),
    "mam_protection_info_prefix": (_STATUS, [_MAM, _BYTES, _SIZE, _TEXT_OUT]),
    "mam_protection_info_string": (_STATUS, [_MAM, _TEXT, _TEXT_OUT]),
    "mam_protect_stream_open": (_STATUS, [_MAM, _TEXT, _U32, StreamFunction, ctypes.c_void_p, _PROTECTING_OUT]),
    "mam_protect_stream_write": (_STATUS, [_PROTECTING, _BYTES, _SIZE]),
    "mam_protect_stream_close": (_STATUS, [_PROTECTING, _U32]),
    "mam_unprotect_stream_open": (_STATUS, [_MAM, _U32, StreamFunction, ctypes.c_void_p, _UNPROTECTING_OUT]),
    "mam_unprotect_stream_write": (_STATUS, [_UNPROTECTING, _BYTES, _SIZE]),
    "mam_unprotect_stream_close": (_STATUS, [_UNPROTECTING, _U32, _BOOL_OUT]),
    "mam_rotate_keys": (_STATUS, [_MAM, _TEXT]),
    # 10. Files
    "mam_file_encrypt": (_STATUS, [_MAM, _TEXT, _TEXT]),
    "mam_file_decrypt": (_STATUS, [_MAM, _TEXT]),
    "mam_file_decrypt_copy": (_STATUS, [_MAM, _TEXT, _TEXT]),
    "mam_file_is_encrypted": (_STATUS, [_MAM, _TEXT, _BOOL_OUT]),
    "mam_file_open": (_STATUS, [_MAM, _TEXT, _I32, _FILE_OUT]),
    "mam_file_create": (_STATUS, [_MAM, _TEXT, _I32, _I32, _TEXT, _FILE_OUT]),
    "mam_file_read": (_STATUS, [_FILE, _OUT, _SIZE, _SIZE_OUT]),
    "mam_file_write": (_STATUS, [_FILE, _BYTES, _SIZE, _SIZE_OUT]),
    "mam_file_pread": (_STATUS, [_FILE, _I64, _OUT, _SIZE, _SIZE_OUT]),
    "mam_file_pwrite": (_STATUS, [_FILE, _I64, _BYTES, _SIZE, _SIZE_OUT]),
    "mam_file_seek": (_STATUS, [_FILE, _I64, _I32, _I64_OUT]),
    "mam_file_tell": (_STATUS, [_FILE, _I64_OUT]),
    "mam_file_truncate": (_STATUS, [_FILE, _I64]),
    "mam_file_size": (_STATUS, [_FILE, _I64_OUT]),
    "mam_file_sync": (_STATUS, [_FILE]),
    "mam_file_datasync": (_STATUS, [_FILE]),
    "mam_file_close": (_STATUS, [_FILE]),
    "mam_file_protect": (_STATUS, [_MAM, _TEXT, _TEXT]),
    "mam_file_verify_and_protect": (_STATUS, [_MAM, _TEXT, _TEXT]),
    "mam_file_unmanage": (_STATUS, [_MAM, _TEXT, _TEXT]),
    "mam_file_info": (_STATUS, [_MAM, _TEXT, _TEXT_OUT]),
    "mam_file_export": (_STATUS, [_MAM, _TEXT, _I32, _TEXT, _TEXT]),
    "mam_file_import": (_STATUS, [_MAM, _TEXT, _TEXT, _TEXT]),
    "mam_file_reprotect": (_STATUS, [_MAM, _TEXT, _BOOL_OUT]),
    "mam_sqlite_vfs_register": (_STATUS, [_MAM, _TEXT, _TEXT]),
    "mam_sqlite_encrypt": (_STATUS, [_MAM, _TEXT, _TEXT]),
    "mam_sqlite_decrypt": (_STATUS, [_MAM, _TEXT, _TEXT]),
    "mam_sqlite_extension_init": (_I32, [ctypes.c_void_p, _TEXT_OUT, ctypes.c_void_p]),
    # 11. Wipe
    "mam_wipe_account": (_STATUS, [_MAM, _TEXT, _I64_OUT]),
    # 12. Administration
    "mam_admin": (_STATUS, [_TEXT, _TEXT, _TEXT_OUT]),
    "mam_policy_properties": (_STATUS, [_TEXT_OUT]),
    "mam_policy_lint": (_STATUS, [_TEXT, _TEXT_OUT]),
    "mam_policy_diff": (_STATUS, [_TEXT, _TEXT, _TEXT_OUT]),
    "mam_policy_explain": (_STATUS, [_TEXT, _TEXT, _TEXT_OUT]),
    "mam_policy_simulate": (_STATUS, [_TEXT, _TEXT, _TEXT_OUT]),
    # 13. Diagnostics
    "mam_set_log": (_STATUS, [_MAM, _I32, LogFunction, ctypes.c_void_p]),
    "mam_log_paths": (_STATUS, [_MAM, _TEXT_OUT]),
    "mam_set_telemetry": (_STATUS, [_MAM, _I32, TelemetryFunction, ctypes.c_void_p]),
    "mam_diagnostics": (_STATUS, [_MAM, _TEXT_OUT]),
    "mam_purge": (_STATUS, [_MAM, _TEXT_OUT]),
    # 14. JSON: Python has a reader of its own
    "mam_json_parse": (_STATUS, [_TEXT, _JSON_OUT]),
    "mam_json_has": (_BOOL, [_JSON, _TEXT]),
    "mam_json_text": (_TEXT, [_JSON, _TEXT]),
    "mam_json_integer": (_I64, [_JSON, _TEXT, _I64]),
    "mam_json_bool": (_BOOL, [_JSON, _TEXT, _BOOL]),
    "mam_json_count": (_SIZE, [_JSON, _TEXT]),
    "mam_json_key": (_TEXT, [_JSON, _TEXT, _SIZE]),
    "mam_json_release": (None, [_JSON]),
}

# --- The loader -------------------------------------------------------------------------------------------


def _candidate() -> str:
    """The file to load: the one that LIBMAM_PATH names, else one that came with the package, else the system's."""
    named = os.environ.get(_PATH_VARIABLE)
    if named:
        return named
    package = os.path.dirname(os.path.realpath(__file__))
    for folder in (package, os.path.dirname(package)):
        for name in (_SONAME, "libmam.so"):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                return path
    return _SONAME


def _load() -> ctypes.CDLL:
    path = _candidate()
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        needed = _SYSTEMS.match(str(error))
        if needed:
            raise ImportError(
                f"libmam could not be loaded, because it needs the system's {needed[1]} ({needed[2]}): install the "
                f"packages {_PACKAGES}",
                path=path,
            ) from error
        raise ImportError(
            f"libmam could not be loaded ({error}): install libmam, or set {_PATH_VARIABLE} to the path of libmam.so",
            path=path,
        ) from error
    try:
        for name, (result, arguments) in SIGNATURES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except AttributeError as error:
        raise ImportError(
            f"{path} is not the libmam that this binding needs ({error}): update libmam, or set {_PATH_VARIABLE} "
            "to the path of a newer libmam.so"
        ) from error
    found = library.mam_abi_version()
    if found < ABI_VERSION:
        raise ImportError(
            f"{path} has ABI version {found} and this binding needs {ABI_VERSION}: update libmam, or set "
            f"{_PATH_VARIABLE} to the path of a newer libmam.so"
        )
    return library


#: The library, loaded at import: a missing function fails here, not at first use.
library: Any = _load()
_holding_gil: Any = ctypes.PyDLL(library._name, handle=library._handle)


def unchecked(name: str, releases_gil: bool = True) -> Any:
    """The function without argument types, which halves the cost of a call. ctypes then passes int as C's int, and bytes,
    None and `byref` as pointers, but str as wchar_t *: only for callers that have checked every argument.

    A function that keeps the GIL must not wait for another thread.
    """
    result, arguments = SIGNATURES[name]
    assert _SIZE not in arguments and _I64 not in arguments, f"{name}: an int would be cut to 32 bits"
    # Indexing returns a new object each time; attribute access returns the shared one, which has argument types.
    function = (library if releases_gil else _holding_gil)[name]
    function.restype = result
    return function


def as_argument(handle: Any) -> Any:
    """A handle as the argument that ctypes would otherwise build on every call. It is never dereferenced here."""
    return byref(handle.contents)


def _address() -> _Address:
    info = _Address()
    dladdr = ctypes.CDLL(None).dladdr
    dladdr.argtypes, dladdr.restype = [ctypes.c_void_p, ctypes.POINTER(_Address)], ctypes.c_int
    dladdr(ctypes.cast(library.mam_version, ctypes.c_void_p), byref(info))
    return info


def loaded_path() -> str:
    """The file that the loader chose; for a bare soname only the loader knows it."""
    file = _address().file
    return os.path.realpath(os.fsdecode(file)) if file else str(library._name)


def base_address() -> int:
    """The address at which the library begins."""
    return int(_address().base)


# --- Memory -----------------------------------------------------------------------------------------------


class _PyBuffer(ctypes.Structure):
    """Py_buffer of CPython's stable ABI."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_void_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    ]


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes, _get_buffer.restype = [ctypes.py_object, ctypes.POINTER(_PyBuffer), ctypes.c_int], ctypes.c_int
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes, _release_buffer.restype = [ctypes.POINTER(_PyBuffer)], None
_new_bytes = ctypes.pythonapi.PyBytes_FromStringAndSize
_new_bytes.argtypes, _new_bytes.restype = [ctypes.c_void_p, ctypes.c_ssize_t], ctypes.c_void_p
_bytes_address = ctypes.pythonapi.PyBytes_AsString
_bytes_address.argtypes, _bytes_address.restype = [ctypes.c_void_p], ctypes.c_void_p
_resize_bytes = ctypes.pythonapi._PyBytes_Resize
_resize_bytes.argtypes, _resize_bytes.restype = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_ssize_t], ctypes.c_int
_drop_reference = ctypes.pythonapi.Py_DecRef
_drop_reference.argtypes, _drop_reference.restype = [ctypes.c_void_p], None


class Borrowed:
    """Bytes of any object with the buffer protocol, including read-only ones, without a copy; in a `with` block.

    The object cannot be resized until the block ends, so its address stays valid while C uses it.
    """

    __slots__ = ("_view", "length", "pointer")

    def __init__(self, data: Any) -> None:
        self._view = _PyBuffer()
        _get_buffer(data, byref(self._view), 0)  # raises TypeError or BufferError itself
        self.length: int = self._view.len
        self.pointer = Text(self._view.buf)

    def __enter__(self) -> Borrowed:
        return self

    def __exit__(self, *exception: object) -> None:
        _release_buffer(byref(self._view))


class NewBytes:
    """A bytes object that C fills before Python sees it: large results need no second copy."""

    __slots__ = ("_object", "out")

    def __init__(self, capacity: int) -> None:
        self._object = ctypes.c_void_p(_new_bytes(None, capacity))
        self.out = ctypes.c_ubyte.from_address(_bytes_address(self._object))

    def finish(self, length: int) -> bytes:
        """Truncate to the written length and hand over."""
        # Resizing is legal because the address held here is the only reference to the object.
        _resize_bytes(byref(self._object), length)
        value: Any = ctypes.py_object.from_buffer(self._object)
        return value.value

    def __del__(self) -> None:
        # A failed resize leaves NULL, and a failed allocation leaves no attribute.
        if getattr(self, "_object", None) is not None and self._object.value:
            _drop_reference(self._object)


class Scratch:
    """Memory for one small result, with the arguments that describe it built once: building them costs more than sealing
    64 bytes."""

    __slots__ = ("out", "size", "size_out", "view", "flag", "flag_out")

    def __init__(self, capacity: int) -> None:
        memory = bytearray(capacity)
        self.view = memoryview(memory)
        self.out = byref(ctypes.c_ubyte.from_buffer(memory))
        self.size, self.flag = Size(), Bool()
        self.size_out, self.flag_out = byref(self.size), byref(self.flag)


def writable(out: Any) -> Any:
    """The address argument of a writable, contiguous buffer; raises TypeError or ValueError for others."""
    if not memoryview(out).nbytes:
        return None
    return byref(ctypes.c_ubyte.from_buffer(out))
