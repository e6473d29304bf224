"""Mobile application management for Python programs: the binding of libmam.

    import mam

    with mam.open("com.example.notes", "/etc/example/authority.db") as m:
        m.register_and_enroll("ann@contoso.example").wait()
        with m.policy("ann@contoso.example") as policy:
            if policy.is_print_allowed:
                ...
        sealed = m.protect("ann@contoso.example", b"minutes of the meeting")

A session                  `open` returns a `Mam`; all of the following are its methods
Start                      launch, pause, resume: may data be shown?; conditional_launch; device_health,
                           report_device_health, report_screen_lock
PIN                        pin_status, pin_set, pin_verify, pin_reset; `mam.pinentry` asks the person
Accounts                   register_and_enroll, login_and_enroll, check_in, deregister_and_unenroll, wipe_account:
                           each starts an `Operation`, to `wait` for or `await`, which ends with an
                           `EnrollmentStatus`;
                           registered_accounts, registered_account, enrolled_accounts, primary_account,
                           former_account, allowed_accounts, mdm_account, set_device, register_account,
                           known_accounts, check_name, forget_authority
Policy                     policy, current_policy, policy_for_accounts: a `Policy` to hold and ask, about links, the
                           clipboard, web views and share targets too;
                           check, check_many: a `Decision` with its `Reason`; managed_apps, managed_app
App configuration          app_config: an `AppConfig` with booleans, numbers and texts
Identity                   `with m.identity(...)`; set_process_identity, set_ui_identity, effective_identity,
                           capture_identity, blocked_accounts; open_url, for links of other accounts
Data                       protect, unprotect, protect_string, unprotect_string, protect_into, unprotect_into,
                           protection_info, protection_info_prefix; rotate_keys; of any size: protect_stream,
                           unprotect_stream (file objects), protect_chunks, unprotect_chunks (generators),
                           protect_stream_to, unprotect_stream_to
Files                      open_file: like the built-in `open`, for plain and sealed files; unbuffered it is a `File`;
                           file_encrypt, file_decrypt, file_decrypt_copy, file_is_encrypted;
                           file_protect, file_verify_and_protect, file_unmanage, file_info: the owner, whose wipe removes
                           the file;
                           file_export, file_import, export_bytes, import_bytes: from one managed app to another;
                           file_reprotect: to a new key
Databases                  connect_sqlite: sqlite3.connect for an account's database, encrypted as its policy requires;
                           register_sqlite_vfs, for other modules; sqlite_encrypt, sqlite_decrypt
Events and questions       events, for `for` and `async for`; on, on_question, serve, serve_async; answer
Log, settings, diagnosis   set_log, log_paths, settings, effective_settings, set_override, diagnostics, purge;
                           set_telemetry, with a callable of yours or of `mam.opentelemetry`

An authority to administer `Authority`, `admin`; `explain` reports who gets which policy and why; `lint`, `diff` and
                           `simulate` examine policies before they apply; `policy_properties` lists their properties
Tests of your program      `mam.testing`, with the pytest fixture `mam_office`; `mam.exit_criteria` for a whole program
This library               `version`, `abi_version`, `library_path`; `message`: its sentences for the host's users

Errors are `MamError`, one class for each `Status`, and also the built-in class that one would catch: mistakes are
ValueError, timeouts TimeoutError, missing files FileNotFoundError. Arguments of a wrong type are TypeError. Any call on a
session may raise ClosedError, ForkedError (in the child of a fork), TamperedError, StorageError, InputOutputError,
NoSpaceError, PermissionError and BusyError; single methods do not list these again. "Mirrors" names the counterpart in
the Intune App SDK for iOS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _ffi  # noqa: F401  # loads the library: an import without it is an ImportError that says what is missing
from ._version import __version__

if TYPE_CHECKING:
    from .apps import AppAccount, ManagedApp, ManagedProgram
    from .authority import Authority, admin
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
        ImportedUsers,
        KeptMember,
        KeptMembers,
        LostPolicies,
        PolicyCounts,
        PolicyProperty,
        PolicySummary,
        PolicyWarning,
        Registration,
        User,
        UserImport,
        Wipe,
    )
    from .configuration import AppConfig, AppConfiguration, ConfigurationConflict, DisagreeingValue
    from .decisions import Decision, LinkDecision, Reason, request
    from .diagnostics import Setting, SettingStatement
    from .enrollment import Account, EnrollmentStatus, FormerAccount
    from .enums import (
        AccountState,
        Action,
        AuthenticationMethod,
        AuthenticationPurpose,
        BlockReason,
        BooleanQuery,
        ConfigurationChannel,
        ContainerAlgorithm,
        ContentType,
        Custody,
        DataRegion,
        DataTypes,
        DocumentType,
        FaultKind,
        FaultOperation,
        IdentityTask,
        LaunchAction,
        LaunchOutcome,
        LeftReason,
        LockState,
        LogLevel,
        NotificationPolicy,
        OpenLocation,
        OrderedQuery,
        OwnerDisagreement,
        OwnerEvidence,
        PickerMode,
        PINKind,
        PINLimit,
        PINPurpose,
        PINReason,
        PINResult,
        PINState,
        PINViolation,
        PolicyOrigin,
        PolicySource,
        PrivacyLevel,
        PropertyStatus,
        QuestionMode,
        SaveLocation,
        ScreenState,
        SettingEffect,
        SettingSource,
        SignalStanding,
        SignalState,
        Status,
        StatusCode,
        SwitchReason,
        SwitchResult,
        TelemetryName,
        TelemetryPriority,
        ThreatLevel,
        UnknownIdentities,
        WebViewPolicy,
        WipeReason,
        WipeStep,
    )
    from .errors import (
        AccountUnavailableError,
        AlreadyError,
        ArgumentError,
        AuthenticationError,
        AuthorityError,
        AuthRequiredError,
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
        FileExistsError,
        FileNotFoundError,
        ForkedError,
        GoneError,
        HostError,
        InputOutputError,
        InternalError,
        IsADirectoryError,
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
        PermissionError,
        ProtocolError,
        ServiceError,
        StateError,
        StorageError,
        TamperedError,
        TimeoutError,
        UnsupportedError,
        VersionError,
        WaitInterruptedError,
    )
    from .events import (
        AccountBlockedEvent,
        AccountChangedEvent,
        AllowedAccountsEvent,
        Event,
        EventKind,
        Events,
        EventsLostEvent,
        MDMAccountEvent,
        QuestionEvent,
        RequestEvent,
        WarningEvent,
        WipeCompletedEvent,
        WipeProgressEvent,
    )
    from .files import File
    from .health import DeviceHealth, DeviceReport, DeviceSignal
    from .identity import BlockedAccount, CapturedIdentity, IdentitySwitch
    from .launch import LaunchFinding, LaunchReport, NotApplicable
    from .library import abi_version, library_path, message, version
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
        PROXY_CREDENTIALS,
        RESTART_APPLICATION,
        SIGN_IN,
        WIPE_DATA,
        AddAccountQuestion,
        AuthenticateQuestion,
        BlockAccountQuestion,
        DeviceHealthQuestion,
        ExternalURLQuestion,
        IdentitySwitchQuestion,
        PINQuestion,
        ProxyQuestion,
        Question,
        QuestionType,
        RestartApplicationQuestion,
        SignInQuestion,
        TokenQuestion,
        WipeDataQuestion,
    )
    from .questions import LATER, Answer, Delegate, QuestionHandler
    from .session import Mam, open
    from .simulated_launches import LaunchCause, LaunchChange, SimulatedLaunch, SimulatedQuestion
    from .simulation import (
        DecisionChange,
        DecisionCounts,
        DeliveredPolicy,
        ExpectedCheckIn,
        ExplainedDecision,
        ExplainedDocument,
        ExplainedUser,
        Explanation,
        KnownProperty,
        LintedPolicy,
        PolicyChanges,
        PolicyExport,
        PolicyFinding,
        SettingChange,
        SettingDisagreement,
        SimulatedAccount,
        SimulatedAnswer,
        SimulatedChange,
        SimulatedLaunches,
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
    from .simulation_enums import Change, Delivery, Effect, FindingKind, FindingSeverity, Resolution, Verdict
    from .streams import ProtectStream, UnprotectStream
    from .telemetry import TelemetryEvent
    from .transfer import ClipboardDecision, RemovedTarget, ShareSelection, ShareTarget, WebViewDecision

# Where a name comes from: a module is loaded when one of its names is first used, because a program needs few of them.
_MODULES = {
    "apps": "AppAccount ManagedApp ManagedProgram",
    "authority": "Authority admin",
    "authority_types": """
        App AuthorityInfo AuthorityKey ConfigurationImport ConfigurationSummary ConfigurationWarning Fault Group Import
        ImportedUsers KeptMember KeptMembers LostPolicies PolicyCounts PolicyProperty PolicySummary PolicyWarning Registration User
        UserImport Wipe
    """,
    "configuration": "AppConfig AppConfiguration ConfigurationConflict DisagreeingValue",
    "decisions": "Decision LinkDecision Reason request",
    "diagnostics": "Setting SettingStatement",
    "enrollment": "Account EnrollmentStatus FormerAccount",
    "enums": """
        AccountState Action AuthenticationMethod AuthenticationPurpose BlockReason BooleanQuery ConfigurationChannel
        ContainerAlgorithm ContentType Custody DataRegion DataTypes DocumentType FaultKind FaultOperation IdentityTask
        LaunchAction LaunchOutcome LeftReason LockState LogLevel NotificationPolicy OpenLocation OrderedQuery
        OwnerDisagreement OwnerEvidence PINKind PINViolation PINLimit PINPurpose PINReason PINResult PINState PickerMode
        PolicyOrigin PolicySource PrivacyLevel PropertyStatus QuestionMode SaveLocation ScreenState SettingEffect
        SettingSource SignalStanding SignalState Status StatusCode SwitchReason SwitchResult TelemetryName
        TelemetryPriority ThreatLevel UnknownIdentities WebViewPolicy WipeReason WipeStep
    """,
    "errors": """
        AccountUnavailableError AlreadyError ArgumentError AuthRequiredError AuthenticationError AuthorityError
        BufferTooSmallError BusyError CallerError CanceledError ClosedError CryptoError DamagedError DataError DeadlockError
        DeniedError EmptyError FileExistsError FileNotFoundError ForkedError GoneError HostError InputOutputError
        InternalError IsADirectoryError
        JSONError KeyUnavailableError LockedError MamError NetworkError NoSpaceError NotEnrolledError NotFoundError
        NotManagedError NotProtectedError NotRegisteredError PermissionError ProtocolError ServiceError StateError
        StorageError TamperedError TimeoutError UnsupportedError VersionError WaitInterruptedError
    """,
    "events": """
        AccountBlockedEvent AccountChangedEvent AllowedAccountsEvent Event EventKind Events EventsLostEvent MDMAccountEvent
        QuestionEvent RequestEvent WarningEvent WipeCompletedEvent WipeProgressEvent
    """,
    "files": "File",
    "health": "DeviceHealth DeviceReport DeviceSignal",
    "identity": "BlockedAccount CapturedIdentity IdentitySwitch",
    "launch": "LaunchFinding LaunchReport NotApplicable",
    "library": "abi_version library_path message version",
    "operations": "Operation",
    "owners": "FileInfo FileLeft WipedFiles",
    "pin": "PINReset PINRule PINStatus",
    "policy": "Conflict EffectivePolicy EffectiveSetting Policy PolicyReference",
    "protection": "ProtectionInfo Unprotected UnprotectedInto UnprotectedText protect_bound",
    "question_types": """
        ACCESS_TOKEN ADD_ACCOUNT AUTHENTICATE BLOCK_ACCOUNT DEVICE_HEALTH IDENTITY_SWITCH IS_EXTERNAL_URL PIN
        PROXY_CREDENTIALS RESTART_APPLICATION SIGN_IN WIPE_DATA AddAccountQuestion AuthenticateQuestion
        BlockAccountQuestion DeviceHealthQuestion ExternalURLQuestion IdentitySwitchQuestion PINQuestion ProxyQuestion
        Question QuestionType RestartApplicationQuestion SignInQuestion TokenQuestion WipeDataQuestion
    """,
    "questions": "LATER Answer Delegate QuestionHandler",
    "simulation": """
        DecisionChange DecisionCounts DeliveredPolicy ExpectedCheckIn ExplainedDecision ExplainedDocument ExplainedUser
        Explanation KnownProperty LintedPolicy PolicyChanges PolicyExport PolicyFinding SimulatedLaunches SettingChange
        SettingDisagreement SimulatedAccount SimulatedAnswer SimulatedChange SimulatedPosition Simulation SimulationCounts
        SimulationScope StatedValue diff explain lint policy_properties simulate
    """,
    "simulation_enums": "Change Delivery Effect FindingKind FindingSeverity Resolution Verdict",
    "simulated_launches": "LaunchCause LaunchChange SimulatedLaunch SimulatedQuestion",
    "session": "Mam open",
    "streams": "ProtectStream UnprotectStream",
    "telemetry": "TelemetryEvent",
    "transfer": "ClipboardDecision RemovedTarget ShareSelection ShareTarget WebViewDecision",
}
_SOURCES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [
    "ACCESS_TOKEN",
    "ADD_ACCOUNT",
    "AUTHENTICATE",
    "Account",
    "AccountBlockedEvent",
    "AccountChangedEvent",
    "AccountState",
    "AccountUnavailableError",
    "Action",
    "AddAccountQuestion",
    "AllowedAccountsEvent",
    "AlreadyError",
    "Answer",
    "App",
    "AppAccount",
    "AppConfig",
    "AppConfiguration",
    "ArgumentError",
    "AuthRequiredError",
    "AuthenticateQuestion",
    "AuthenticationError",
    "AuthenticationMethod",
    "AuthenticationPurpose",
    "Authority",
    "AuthorityError",
    "AuthorityInfo",
    "AuthorityKey",
    "BLOCK_ACCOUNT",
    "BlockAccountQuestion",
    "BlockReason",
    "BlockedAccount",
    "BooleanQuery",
    "BufferTooSmallError",
    "BusyError",
    "CallerError",
    "CanceledError",
    "CapturedIdentity",
    "Change",
    "ClipboardDecision",
    "ClosedError",
    "ConfigurationChannel",
    "ConfigurationConflict",
    "ConfigurationImport",
    "ConfigurationSummary",
    "ConfigurationWarning",
    "Conflict",
    "ContainerAlgorithm",
    "ContentType",
    "CryptoError",
    "Custody",
    "DEVICE_HEALTH",
    "DamagedError",
    "DataError",
    "DataRegion",
    "DataTypes",
    "DeadlockError",
    "Decision",
    "DecisionChange",
    "DecisionCounts",
    "Delegate",
    "DeliveredPolicy",
    "Delivery",
    "DeniedError",
    "DeviceHealth",
    "DeviceHealthQuestion",
    "DeviceReport",
    "DeviceSignal",
    "DisagreeingValue",
    "DocumentType",
    "Effect",
    "EffectivePolicy",
    "EffectiveSetting",
    "EmptyError",
    "EnrollmentStatus",
    "Event",
    "EventKind",
    "Events",
    "EventsLostEvent",
    "ExpectedCheckIn",
    "ExplainedDecision",
    "ExplainedDocument",
    "ExplainedUser",
    "Explanation",
    "ExternalURLQuestion",
    "Fault",
    "FaultKind",
    "FaultOperation",
    "File",
    "FileExistsError",
    "FileInfo",
    "FileLeft",
    "FileNotFoundError",
    "FindingKind",
    "FindingSeverity",
    "ForkedError",
    "FormerAccount",
    "GoneError",
    "Group",
    "HostError",
    "IDENTITY_SWITCH",
    "IS_EXTERNAL_URL",
    "IdentitySwitch",
    "IdentitySwitchQuestion",
    "IdentityTask",
    "Import",
    "ImportedUsers",
    "InputOutputError",
    "InternalError",
    "IsADirectoryError",
    "JSONError",
    "KeptMember",
    "KeptMembers",
    "KeyUnavailableError",
    "KnownProperty",
    "LATER",
    "LaunchAction",
    "LaunchCause",
    "LaunchChange",
    "LaunchFinding",
    "LaunchOutcome",
    "LaunchReport",
    "LeftReason",
    "LinkDecision",
    "LintedPolicy",
    "LockState",
    "LockedError",
    "LogLevel",
    "LostPolicies",
    "MDMAccountEvent",
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
    "OwnerDisagreement",
    "OwnerEvidence",
    "PIN",
    "PINKind",
    "PINLimit",
    "PINPurpose",
    "PINQuestion",
    "PINReason",
    "PINReset",
    "PINResult",
    "PINRule",
    "PINState",
    "PINStatus",
    "PINViolation",
    "PROXY_CREDENTIALS",
    "PermissionError",
    "PickerMode",
    "Policy",
    "PolicyChanges",
    "PolicyCounts",
    "PolicyExport",
    "PolicyFinding",
    "PolicyOrigin",
    "PolicyProperty",
    "PolicyReference",
    "PolicySource",
    "PolicySummary",
    "PolicyWarning",
    "PrivacyLevel",
    "PropertyStatus",
    "ProtectStream",
    "ProtectionInfo",
    "ProtocolError",
    "ProxyQuestion",
    "Question",
    "QuestionEvent",
    "QuestionHandler",
    "QuestionMode",
    "QuestionType",
    "RESTART_APPLICATION",
    "Reason",
    "Registration",
    "RemovedTarget",
    "RequestEvent",
    "Resolution",
    "RestartApplicationQuestion",
    "SIGN_IN",
    "SaveLocation",
    "ScreenState",
    "ServiceError",
    "Setting",
    "SettingChange",
    "SettingDisagreement",
    "SettingEffect",
    "SettingSource",
    "SettingStatement",
    "ShareSelection",
    "ShareTarget",
    "SignInQuestion",
    "SignalStanding",
    "SignalState",
    "SimulatedAccount",
    "SimulatedAnswer",
    "SimulatedChange",
    "SimulatedLaunch",
    "SimulatedLaunches",
    "SimulatedPosition",
    "SimulatedQuestion",
    "Simulation",
    "SimulationCounts",
    "SimulationScope",
    "StateError",
    "StatedValue",
    "Status",
    "StatusCode",
    "StorageError",
    "SwitchReason",
    "SwitchResult",
    "TamperedError",
    "TelemetryEvent",
    "TelemetryName",
    "TelemetryPriority",
    "ThreatLevel",
    "TimeoutError",
    "TokenQuestion",
    "UnknownIdentities",
    "UnprotectStream",
    "Unprotected",
    "UnprotectedInto",
    "UnprotectedText",
    "UnsupportedError",
    "User",
    "UserImport",
    "Verdict",
    "VersionError",
    "WIPE_DATA",
    "WaitInterruptedError",
    "WarningEvent",
    "WebViewDecision",
    "WebViewPolicy",
    "Wipe",
    "WipeCompletedEvent",
    "WipeDataQuestion",
    "WipeProgressEvent",
    "WipeReason",
    "WipeStep",
    "WipedFiles",
    "__version__",
    "abi_version",
    "admin",
    "diff",
    "explain",
    "library_path",
    "lint",
    "message",
    "open",
    "policy_properties",
    "protect_bound",
    "request",
    "simulate",
    "version",
]


if not TYPE_CHECKING:  # a type checker knows the names, and reports others

    def __getattr__(name: str) -> Any:
        module = _SOURCES.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        value = globals()[name] = getattr(import_module(f".{module}", __name__), name)
        return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
