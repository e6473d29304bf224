"""Mobile application management for Python programs: the binding of libmam.

    import mam

    with mam.open("com.example.notes", "/etc/example/authority.db") as m:
        m.register_and_enroll("ann@contoso.example").wait()
        with m.policy("ann@contoso.example") as policy:
            if policy.is_print_allowed:
                ...
        sealed = m.protect("ann@contoso.example", b"minutes of the meeting")

A session                  `open` makes a `Mam`; all of the following are its methods
Start                      launch, pause, resume: may data be shown?; conditional_launch; device_health, report_device_health
PIN                        pin_status, pin_set, pin_verify, pin_reset; `mam.pinentry` asks the person
Accounts                   register_and_enroll, login_and_enroll, check_in, deregister_and_unenroll, wipe_account:
                           each starts an `Operation`, to `wait` for or `await`, which ends with an
                           `EnrollmentStatus`;
                           registered_accounts, enrolled_accounts, primary_account, allowed_accounts, mdm_account,
                           set_device, register_account, known_accounts, forget_authority
What policy allows         policy, current_policy, policy_for_accounts: a `Policy` to hold and ask, about links, the
                           clipboard, web views and share targets too;
                           check, check_many: a `Decision` with its `Reason`; managed_apps, managed_app
How the app is configured  app_config: an `AppConfig` to ask for booleans, numbers and texts
For whom the code acts     `with m.identity(...)`; set_process_identity, set_ui_identity, effective_identity,
                           capture_identity, blocked_accounts; open_url, for links of other accounts
Data                       protect, unprotect, protect_string, unprotect_string, protect_into, unprotect_into,
                           protection_info; rotate_keys; of any size: protect_stream, unprotect_stream (file objects),
                           protect_chunks, unprotect_chunks (generators), protect_stream_to, unprotect_stream_to
Files                      open_file: as the built-in `open`, of plain and sealed files; unbuffered it is a `File`;
                           file_encrypt, file_decrypt, file_decrypt_copy, file_is_encrypted;
                           file_protect, file_verify_and_protect, file_unmanage, file_info: whose a file is; a wipe removes it;
                           file_export, file_import: from one managed app to another; file_reprotect: to a new key
Databases                  register_sqlite_vfs: Python's sqlite3 then encrypts what it writes; sqlite_encrypt, sqlite_decrypt
Events and questions       events, for `for` and `async for`; on, on_question, serve, serve_async; answer
Log, settings, diagnosis   set_log, settings, effective_settings, set_override, diagnostics, purge

An authority to administer `Authority`, `admin`; `explain` says who gets what and why; `lint`, `diff` and `simulate` look
                           at policies before anybody is under them; `policy_properties` lists what they can say
Tests of your program      `mam.testing`, with the pytest fixture `mam_office`
This library               `version`, `abi_version`, `library_path`

Errors are `MamError`, one class for each status of mam.h, and also the built-in class that one would catch: mistakes are
ValueError, timeouts TimeoutError. Arguments of a wrong type are TypeError. Any call on a session may raise ClosedError,
ForkedError (in the child of a fork), TamperedError, StorageError, InputOutputError, NoSpaceError, StatePermissionError
and BusyError, which single methods do not name again. "Mirrors" names what a method is in the original SDK.
"""

from ._version import __version__
from .apps import AppAccount, ManagedApp, ManagedProgram
from .authority import Authority, DocumentType, admin
from .authority_types import (
    App,
    AuthorityInfo,
    AuthorityKey,
    ConfigurationImport,
    ConfigurationSummary,
    ConfigurationWarning,
    Fault,
    Group,
    Import,
    PolicyCounts,
    PolicyProperty,
    PolicySummary,
    PolicyWarning,
    Registration,
    User,
    Wipe,
)
from .configuration import AppConfig, AppConfiguration, ConfigurationConflict, DisagreeingValue
from .decisions import Decision, LinkDecision, Reason, request
from .diagnostics import Setting, SettingStatement
from .enrollment import Account, EnrollmentStatus
from .enums import (
    BlockReason,
    BooleanQuery,
    IdentityTask,
    LogLevel,
    NotificationPolicy,
    OpenLocation,
    OrderedQuery,
    PickerMode,
    PolicySource,
    SaveLocation,
    Status,
    StatusCode,
    SwitchResult,
    WebViewPolicy,
)
from .errors import (
    AlreadyError,
    ArgumentError,
    AuthRequiredError,
    AuthenticationError,
    AuthorityError,
    BufferTooSmallError,
    BusyError,
    CallerError,
    CanceledError,
    ClosedError,
    CryptoError,
    DamagedError,
    DataError,
    DeadlockError,
    DeniedError,
    EmptyError,
    FileMissingError,
    FileThereError,
    ForkedError,
    GoneError,
    HostError,
    InputOutputError,
    InternalError,
    JSONError,
    KeyUnavailableError,
    LockedError,
    MamError,
    NetworkError,
    NoSpaceError,
    NotEnrolledError,
    NotFoundError,
    NotManagedError,
    NotProtectedError,
    NotRegisteredError,
    ProtocolError,
    ServiceError,
    StateError,
    StatePermissionError,
    StorageError,
    TamperedError,
    UnsupportedError,
    VersionError,
    WaitInterruptedError,
    WaitTimeoutError,
)
from .events import Event, EventKind, Events
from .files import File
from .health import DeviceHealth, DeviceReport, DeviceSignal
from .identity import BlockedAccount, CapturedIdentity, IdentitySwitch
from .launch import LaunchFinding, LaunchReport, NotApplicable
from .library import abi_version, library_path, version
from .operations import Operation
from .owners import FileInfo, FileLeft, WipedFiles
from .pin import PINReset, PINRule, PINStatus
from .policy import Conflict, EffectivePolicy, EffectiveSetting, Policy, PolicyReference
from .protection import ProtectionInfo, Unprotected, UnprotectedInto, UnprotectedText, protect_bound
from .question_types import (
    ACCESS_TOKEN,
    ADD_ACCOUNT,
    AUTHENTICATE,
    BLOCK_ACCOUNT,
    DEVICE_HEALTH,
    IDENTITY_SWITCH,
    IS_EXTERNAL_URL,
    PIN,
    RESTART_APPLICATION,
    SIGN_IN,
    WIPE_DATA,
    QuestionType,
)
from .questions import LATER, Answer, Delegate, Question, QuestionHandler
from .rehearsal import (
    DecisionChange,
    DecisionCounts,
    DeliveredPolicy,
    ExpectedCheckIn,
    ExplainedDocument,
    ExplainedUser,
    Explanation,
    KnownProperty,
    LintedPolicy,
    PolicyChanges,
    PolicyExport,
    PolicyFinding,
    RehearsedLaunches,
    SettingChange,
    SettingDisagreement,
    SimulatedAccount,
    SimulatedAnswer,
    SimulatedChange,
    SimulatedPosition,
    Simulation,
    SimulationCounts,
    SimulationScope,
    StatedValue,
    diff,
    explain,
    lint,
    policy_properties,
    simulate,
)
from .rehearsed_launches import LaunchCause, LaunchChange, RehearsedLaunch, RehearsedQuestion
from .session import Mam, open
from .streams import ProtectStream, UnprotectStream
from .transfer import ClipboardDecision, RemovedTarget, ShareSelection, ShareTarget, WebViewDecision

__all__ = [
    "ACCESS_TOKEN",
    "ADD_ACCOUNT",
    "AUTHENTICATE",
    "Account",
    "AlreadyError",
    "Answer",
    "App",
    "AppAccount",
    "AppConfig",
    "AppConfiguration",
    "ArgumentError",
    "AuthRequiredError",
    "AuthenticationError",
    "Authority",
    "AuthorityError",
    "AuthorityInfo",
    "AuthorityKey",
    "BLOCK_ACCOUNT",
    "BlockReason",
    "BlockedAccount",
    "BooleanQuery",
    "BufferTooSmallError",
    "BusyError",
    "CallerError",
    "CanceledError",
    "CapturedIdentity",
    "ClipboardDecision",
    "ClosedError",
    "ConfigurationConflict",
    "ConfigurationImport",
    "ConfigurationSummary",
    "ConfigurationWarning",
    "Conflict",
    "CryptoError",
    "DEVICE_HEALTH",
    "DamagedError",
    "DataError",
    "DeadlockError",
    "Decision",
    "DecisionChange",
    "DecisionCounts",
    "Delegate",
    "DeliveredPolicy",
    "DeniedError",
    "DeviceHealth",
    "DeviceReport",
    "DeviceSignal",
    "DisagreeingValue",
    "EffectivePolicy",
    "EffectiveSetting",
    "EmptyError",
    "EnrollmentStatus",
    "Event",
    "EventKind",
    "Events",
    "ExpectedCheckIn",
    "ExplainedDocument",
    "ExplainedUser",
    "Explanation",
    "Fault",
    "File",
    "FileInfo",
    "FileLeft",
    "FileMissingError",
    "FileThereError",
    "ForkedError",
    "GoneError",
    "Group",
    "HostError",
    "IDENTITY_SWITCH",
    "IS_EXTERNAL_URL",
    "IdentitySwitch",
    "IdentityTask",
    "Import",
    "InputOutputError",
    "InternalError",
    "JSONError",
    "KeyUnavailableError",
    "KnownProperty",
    "LATER",
    "LaunchCause",
    "LaunchChange",
    "LaunchFinding",
    "LaunchReport",
    "LinkDecision",
    "LintedPolicy",
    "LockedError",
    "LogLevel",
    "Mam",
    "MamError",
    "ManagedApp",
    "ManagedProgram",
    "NetworkError",
    "NoSpaceError",
    "NotApplicable",
    "NotEnrolledError",
    "NotFoundError",
    "NotManagedError",
    "NotProtectedError",
    "NotRegisteredError",
    "NotificationPolicy",
    "OpenLocation",
    "Operation",
    "OrderedQuery",
    "PIN",
    "PINReset",
    "PINRule",
    "PINStatus",
    "PickerMode",
    "Policy",
    "PolicyChanges",
    "PolicyCounts",
    "PolicyExport",
    "PolicyFinding",
    "PolicyProperty",
    "PolicyReference",
    "PolicySource",
    "PolicySummary",
    "PolicyWarning",
    "ProtectStream",
    "ProtectionInfo",
    "ProtocolError",
    "Question",
    "QuestionHandler",
    "QuestionType",
    "RESTART_APPLICATION",
    "Reason",
    "Registration",
    "RehearsedLaunch",
    "RehearsedLaunches",
    "RehearsedQuestion",
    "RemovedTarget",
    "SIGN_IN",
    "SaveLocation",
    "ServiceError",
    "Setting",
    "SettingChange",
    "SettingDisagreement",
    "ShareSelection",
    "ShareTarget",
    "SettingStatement",
    "SimulatedAccount",
    "SimulatedAnswer",
    "SimulatedChange",
    "SimulatedPosition",
    "Simulation",
    "SimulationCounts",
    "SimulationScope",
    "StateError",
    "StatePermissionError",
    "StatedValue",
    "Status",
    "StatusCode",
    "StorageError",
    "SwitchResult",
    "TamperedError",
    "UnprotectStream",
    "Unprotected",
    "UnprotectedInto",
    "UnprotectedText",
    "UnsupportedError",
    "User",
    "VersionError",
    "WIPE_DATA",
    "WaitInterruptedError",
    "WaitTimeoutError",
    "WebViewDecision",
    "WebViewPolicy",
    "Wipe",
    "WipedFiles",
    "__version__",
    "abi_version",
    "admin",
    "diff",
    "explain",
    "library_path",
    "lint",
    "open",
    "policy_properties",
    "protect_bound",
    "request",
    "simulate",
    "version",
]
