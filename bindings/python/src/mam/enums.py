"""Enumerations: numbers, which a test compares with the library's header, and texts."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import TypeVar

N = TypeVar("N", bound="Name")


class Number(enum.IntEnum):
    """A number that has no truth value: its 0 is a member like the others, and a truth test would take it for a
    refusal or an absent value."""

    def __bool__(self) -> bool:
        name = f"mam.{type(self).__name__}"
        raise TypeError(f"{name} has no truth value: compare it, as in == {name}.{self.name}")


class Name(str, enum.Enum):
    """A text of libmam, equal to the plain text: PINState.NOT_SET == "notSet". An open set: a value that only a newer libmam
    has stays a plain str."""

    __str__ = str.__str__

    def __format__(self, format_spec: str) -> str:
        return str.__format__(self, format_spec)

    @classmethod
    def of(cls: type[N], value: str) -> N | str:
        """The member of this value, or the value."""
        try:
            return cls(value)
        except ValueError:
            return value

    @classmethod
    def each(cls: type[N], values: Iterable[str]) -> tuple[N | str, ...]:
        """The same for several values."""
        return tuple(cls.of(value) for value in values)


class Status(enum.IntEnum):
    """Why a call failed; only OK is false. An open set: a newer libmam may return others.

    Each one but OK has a class of its name in `mam`, whose docstring describes it: NOT_ENROLLED is
    `mam.NotEnrolledError`. 1 to 8 are mistakes of the caller, 10 to 20 the state, 30 to 34 the data, 40 to 46 this
    computer, 50 to 53 the authority, 90 a defect of libmam.
    """

    OK = 0
    ARGUMENT = 1
    BUFFER = 2
    JSON = 3
    CLOSED = 4
    FORKED = 5
    UNSUPPORTED = 6
    DEADLOCK = 7
    INTERRUPTED = 8
    NOT_MANAGED = 10
    NOT_REGISTERED = 11
    NOT_ENROLLED = 12
    NOT_FOUND = 13
    ALREADY = 14
    DENIED = 15
    LOCKED = 16
    CANCELED = 17
    TIMEOUT = 18
    BUSY = 19
    GONE = 20
    NOT_PROTECTED = 30
    DAMAGED = 31
    AUTHENTICATION = 32
    KEY_UNAVAILABLE = 33
    EMPTY = 34
    IO = 40
    STORAGE = 41
    PERMISSION = 42
    NO_SPACE = 43
    CRYPTO = 44
    VERSION = 45
    TAMPERED = 46
    AUTH_REQUIRED = 50
    NETWORK = 51
    SERVICE = 52
    PROTOCOL = 53
    INTERNAL = 90


class StatusCode(Number):
    """How an enrollment, check-in, unenrollment or wipe ended: 1xx succeeded, 2xx did not. docs/status-codes.md lists the
    cause of each and the remedy. Mirrors IntuneMAMEnrollmentStatusCode. An open set.

    NEW_POLICIES_RECEIVED         policy arrived or changed
    POLICIES_HAVE_NOT_CHANGED     checked in, nothing new
    WIPE_RECEIVED                 checked in, and the account's data must be wiped
    NO_POLICY_RECEIVED            checked in, and no policy reaches the user any more
    UNENROLLMENT_SUCCESS          unenrolled and deregistered, or wiped
    ACCOUNT_NOT_LICENSED          the user has no licence
    INTERNAL_ERROR                an internal failure
    AUTH_REQUIRED                 the user must sign in, or is disabled
    LOCATION_SERVICE_FAILURE      there is no authority at its path
    ENROLLMENT_ENDPOINT_NETWORK_FAILURE, POLICY_ENDPOINT_NETWORK_FAILURE
                                  the authority was not reached; the last policy stays in force
    PARSING_FAILURE               the authority's reply was not understood
    NIL_ACCOUNT                   no account was given
    ALREADY_ENROLLED              nothing to do
    NOT_EMM_ACCOUNT, MDM_ENROLLED_DIFFERENT_USER, NOT_DEVICE_ACCOUNT
                                  the device is for other accounts: remove this one
    APP_NOT_ENROLLED, NOT_ENROLLED_ACCOUNT
                                  a check-in of an account that is not enrolled
    FAILED_TO_CLEAR_MAM_DATA      a wipe did not complete
    TIMEOUT                       the authority did not answer in time
    POLICY_RECORD_GONE, RE_ENROLL_FOR_UNENROLLED_USER
                                  the authority lost the enrollment; it is retried, or not allowed
    TENANT_MIGRATION              the tenant or the user is being migrated: try later
    UNSUPPORTED_API               called from an extension
    LICENSED_NOT_TARGETED         no policy reaches the user: the account is not managed, which is no error
    DEVICE_BLOCKED_ENROLLMENT     the device is blocked
    SINGLE_MANAGED_ACCOUNT_MODE   another account is managed, and only one may be
    LOGIN_CANCELED                nobody signed in
    SWITCH_EXISTING_ACCOUNT       the previously enrolled account must leave first; then this one is enrolled
                                  automatically
    MAM_SERVICE_DISABLED, ADAL_INTERNAL_ERROR, ADAL_METHOD_UNSUPPORTED
                                  from the Intune App SDK; they do not occur here
    """

    NEW_POLICIES_RECEIVED = 100
    POLICIES_HAVE_NOT_CHANGED = 101
    WIPE_RECEIVED = 102
    NO_POLICY_RECEIVED = 103
    UNENROLLMENT_SUCCESS = 104
    ACCOUNT_NOT_LICENSED = 200
    INTERNAL_ERROR = 201
    MAM_SERVICE_DISABLED = 202
    AUTH_REQUIRED = 203
    LOCATION_SERVICE_FAILURE = 204
    ENROLLMENT_ENDPOINT_NETWORK_FAILURE = 205
    PARSING_FAILURE = 206
    NIL_ACCOUNT = 207
    ALREADY_ENROLLED = 208
    NOT_EMM_ACCOUNT = 209
    MDM_ENROLLED_DIFFERENT_USER = 210
    NOT_DEVICE_ACCOUNT = 211
    POLICY_ENDPOINT_NETWORK_FAILURE = 212
    APP_NOT_ENROLLED = 213
    NOT_ENROLLED_ACCOUNT = 214
    FAILED_TO_CLEAR_MAM_DATA = 215
    TIMEOUT = 216
    ADAL_INTERNAL_ERROR = 217
    SWITCH_EXISTING_ACCOUNT = 218
    LOGIN_CANCELED = 219
    POLICY_RECORD_GONE = 220
    RE_ENROLL_FOR_UNENROLLED_USER = 221
    TENANT_MIGRATION = 222
    UNSUPPORTED_API = 223
    ADAL_METHOD_UNSUPPORTED = 224
    LICENSED_NOT_TARGETED = 225
    DEVICE_BLOCKED_ENROLLMENT = 226
    SINGLE_MANAGED_ACCOUNT_MODE = 227


class BooleanQuery(Number):
    """Selects among several booleans of app configuration. ANY is the first in the order received."""

    ANY = 0
    OR = 1
    AND = 2


class OrderedQuery(Number):
    """Selects among several numbers or texts of app configuration. ANY is the first in the order
    received."""

    ANY = 0
    MIN = 1
    MAX = 2


class SaveLocation(Number):
    """Where data may be saved to. The numbers differ from OpenLocation's: never mix them. Mirrors
    IntuneMAMSaveLocation.

    ONEDRIVE_FOR_BUSINESS, SHAREPOINT, BOX, DROPBOX, GOOGLE_DRIVE, IMANAGE, EGNYTE
                      a service, with the account that is signed in to it
    LOCAL_DRIVE       this computer's own folders; no account
    CAMERA_ROLL       the picture library; no account
    ACCOUNT_DOCUMENT  the host's own document of an account
    OTHER             anywhere else
    """

    OTHER = 0
    ONEDRIVE_FOR_BUSINESS = 1 << 0
    SHAREPOINT = 1 << 1
    BOX = 1 << 2
    DROPBOX = 1 << 3
    GOOGLE_DRIVE = 1 << 4
    LOCAL_DRIVE = 1 << 5
    CAMERA_ROLL = 1 << 6
    ACCOUNT_DOCUMENT = 1 << 7
    IMANAGE = 1 << 8
    EGNYTE = 1 << 9


class OpenLocation(Number):
    """Where data may be opened from. Mirrors IntuneMAMOpenLocation.

    ONEDRIVE_FOR_BUSINESS, SHAREPOINT, BOX, IMANAGE, EGNYTE
                            a service, with the account that is signed in to it
    CAMERA, PHOTOS          a new picture, the picture library; no account
    LOCAL_STORAGE           this computer's own folders; no account
    ACCOUNT_DOCUMENT        the host's own document of an account
    OTHER                   anywhere else
    """

    OTHER = 0
    ONEDRIVE_FOR_BUSINESS = 1 << 0
    SHAREPOINT = 1 << 1
    CAMERA = 1 << 2
    LOCAL_STORAGE = 1 << 3
    PHOTOS = 1 << 4
    ACCOUNT_DOCUMENT = 1 << 5
    BOX = 1 << 6
    IMANAGE = 1 << 7
    EGNYTE = 1 << 8


class PickerMode(Number):
    """The purpose of a document picker: to copy in, to open in place, to copy out, to move out. Mirrors
    UIDocumentPickerMode."""

    IMPORT = 0
    OPEN = 1
    EXPORT = 2
    MOVE = 3


class IdentityTask(Number):
    """The use of an identity: content shown in a window, or a file."""

    UI = 0
    FILE = 1


class SwitchResult(Number):
    """How an identity switch ended. Mirrors IntuneMAMSwitchIdentityResult.

    SUCCESS      the window shows the requested accounts
    CANCELED     a later switch of the same window was requested first
    NOT_ALLOWED  the calling code carries another identity, or these accounts cannot be shown together
    FAILED       an account is blocked, or is being wiped
    """

    SUCCESS = 0
    CANCELED = 1
    NOT_ALLOWED = 2
    FAILED = 3


class BlockReason(enum.IntEnum):
    """Why an account must be hidden; only NONE is false. Mirrors the reasons of blockAccountId.

    NONE                it need not be hidden
    CONDITIONAL_LAUNCH  its access is blocked, for example because the administrator disabled the user
    LAUNCH_CANCELED     the user left the launch checks
    CLOCKED_OUT         the user is not at work
    """

    NONE = 0
    CONDITIONAL_LAUNCH = 1
    LAUNCH_CANCELED = 2
    CLOCKED_OUT = 3


class PolicySource(Number):
    """Where policy comes from: the device's management, this library's authority, nowhere, or a test
    policy. Mirrors IntuneMAMPolicySource."""

    MDM = 0
    MAM = 1
    OTHER = 2
    TEST = 3


class NotificationPolicy(Number):
    """The content of notifications: anything, nothing of the organisation's, or no notification at
    all. Mirrors IntuneMAMNotificationPolicy."""

    ALLOW = 0
    BLOCK_ORG_DATA = 1
    BLOCK = 2


class WebViewPolicy(Name):
    """The identity of a web viewer: as the setting TreatAllWebViewsAsUnmanaged says, none, the current identity, or that
    without uploads and pasting. Mirrors IntuneMAMWebViewPolicy."""

    UNSET = "unset"
    UNMANAGED = "unmanaged"
    CURRENT_IDENTITY = "currentIdentity"
    CURRENT_IDENTITY_BLOCK_UPLOAD = "currentIdentityBlockUpload"


class LogLevel(Number):
    """The level of a log line. Only VERBOSE names people; no level holds keys, tokens or plaintext."""

    VERBOSE = 0
    INFO = 1
    WARNING = 2
    ERROR = 3


class ScreenState(Number):
    """Whether the screen is locked. UNKNOWN withdraws a report: logind is asked again."""

    UNKNOWN = 0
    UNLOCKED = 1
    LOCKED = 2


class PrivacyLevel(Number):
    """The purpose of a telemetry event: OPTIONAL diagnostic data, which a person may refuse; required SERVICE data; required
    DIAGNOSTIC data. Mirrors IntuneMAMTelemetryPrivacyLevel."""

    OPTIONAL = 0
    SERVICE = 1
    DIAGNOSTIC = 2


class DataTypes(enum.IntFlag):
    """The subjects of a telemetry event. libmam uses USAGE, PERFORMANCE and SOFTWARE. Mirrors
    IntuneMAMTelemetryPrivacyDataTypes."""

    USAGE = 1
    PERFORMANCE = 2
    DEVICE = 4
    SOFTWARE = 8
    BROWSING = 16
    TYPING = 32


class TelemetryPriority(Number):
    """How soon a telemetry event should be sent. Mirrors IntuneMAMTelemetryPriorityLevel."""

    LOW = 1
    NORMAL = 2
    HIGH = 3
    IMMEDIATE = 4


class DataRegion(Number):
    """Where a telemetry event may be stored. Mirrors IntuneMAMTelemetryDataRegion."""

    GLOBAL = 0
    EU = 1


class TelemetryName(Name):
    """The telemetry events of this release; docs/telemetry.md has the properties of each.

    APP_LAUNCH    a launch or resume has ended
    ENROLLMENT, UNENROLLMENT, CHECK_IN
                  an enrollment, unenrollment or check-in has ended
    WIPE          a wipe is complete, or could not go on and is tried again
    ACTION        a call that changes something has ended, or the operation that it started
    EVENTS_LOST   events were dropped because the callback was too slow
    """

    APP_LAUNCH = "appLaunch"
    ENROLLMENT = "enrollment"
    UNENROLLMENT = "unenrollment"
    CHECK_IN = "checkIn"
    WIPE = "wipe"
    ACTION = "action"
    EVENTS_LOST = "eventsLost"


class Action(Name):
    """The action of a request: `Mam.check`, `mam.request` and `Decision.action`. UPLOAD is only in `WebViewDecision`."""

    SAVE_TO = "saveTo"
    OPEN_FROM = "openFrom"
    DOCUMENT_PICKER = "documentPicker"
    RECEIVE = "receive"
    CLIPBOARD = "clipboard"
    URL = "url"
    UNIVERSAL_LINK = "universalLink"
    NOTIFICATION = "notification"
    NOTIFICATION_ORG_DATA = "notificationOrgData"
    PRINT = "print"
    BACKUP = "backup"
    SCREEN_CAPTURE = "screenCapture"
    CONTACT_SYNC = "contactSync"
    WIDGET_CONTENT_SYNC = "widgetContentSync"
    INDEXING = "indexing"
    ASSISTANT_INTENTS = "assistantIntents"
    APP_INTENTS = "appIntents"
    APP_SHARING = "appSharing"
    THIRD_PARTY_KEYBOARDS = "thirdPartyKeyboards"
    PIN_REQUIRED = "pinRequired"
    MANAGED_BROWSER_REQUIRED = "managedBrowserRequired"
    FILE_ENCRYPTION_REQUIRED = "fileEncryptionRequired"
    FILE_PROVIDER_ENCRYPT = "fileProviderEncrypt"
    UPLOAD = "upload"


class AccountState(Name):
    """The state of a registered account."""

    REGISTERED = "registered"
    ENROLLED = "enrolled"
    WIPING = "wiping"


class LaunchOutcome(Name):
    """How a launch ended; data may be shown for the first two."""

    ALLOWED = "allowed"
    WARNED = "warned"
    BLOCKED = "blocked"
    WIPED = "wiped"


class LaunchAction(Name):
    """The action of a launch's finding: treat an unknown one as a block."""

    WIPE = "wipe"
    BLOCK = "block"
    PROMPT = "prompt"
    WARN = "warn"


class PINState(Name):
    """The state of an account's PIN. EXPIRED and TOO_WEAK: it must be changed once it was entered. EXHAUSTED: no attempt
    is left."""

    NOT_REQUIRED = "notRequired"
    NOT_SET = "notSet"
    SET = "set"
    EXPIRED = "expired"
    TOO_WEAK = "tooWeak"
    EXHAUSTED = "exhausted"


class PINKind(Name):
    """The characters of a PIN: digits, or more than digits."""

    NUMERIC = "numeric"
    PASSCODE = "passcode"


class PINLimit(Name):
    """The consequence of the last attempt: the PIN is reset, or the account is wiped."""

    RESET = "reset"
    WIPE = "wipe"


class PINViolation(Name):
    """A rule that a new PIN does not meet."""

    TOO_SHORT = "tooShort"
    NOT_DIGITS = "notDigits"
    NO_LETTER_OR_SPECIAL = "noLetterOrSpecial"
    NO_DIGIT = "noDigit"
    NO_LETTER = "noLetter"
    NO_SPECIAL = "noSpecial"
    SIMPLE = "simple"
    USED_BEFORE = "usedBefore"


class PINResult(Name):
    """How a reset ended. SIGNED_IN: a new PIN must still be set."""

    CHANGED = "changed"
    SIGNED_IN = "signedIn"
    CANCELED = "canceled"
    OTHER_ACCOUNT = "otherAccount"
    FAILED = "failed"


class PINPurpose(Name):
    """Whether a `PINQuestion` asks for the PIN or for a new one."""

    ENTER = "enter"
    NEW = "new"


class PINReason(Name):
    """Why a `PINQuestion` is asked: WRONG (ENTER), or why a new PIN is needed (NEW)."""

    WRONG = "wrong"
    NOT_SET = "notSet"
    EXPIRED = "expired"
    TOO_WEAK = "tooWeak"
    RESET = "reset"


class AuthenticationPurpose(Name):
    """The use of an `AuthenticateQuestion`."""

    ACCESS = "access"
    PIN_RESET = "pinReset"


class AuthenticationMethod(Name):
    """The proof that a person presented."""

    CREDENTIALS = "credentials"
    BIOMETRICS = "biometrics"


class SwitchReason(Name):
    """Why an `IdentitySwitchQuestion` is asked."""

    OPEN_URL = "openURL"
    CANCEL_CONDITIONAL_LAUNCH = "cancelConditionalLaunch"
    DOCUMENT_IMPORT = "documentImport"


class WipeStep(Name):
    """The completed step of a wipe."""

    CLOSED = "closed"
    SHREDDED = "shredded"
    ASKED = "asked"
    FILES = "files"
    REMOVED = "removed"
    REPORTED = "reported"


class WipeReason(Name):
    """Why an account was wiped. CONDITIONAL_LAUNCH: a launch found it. OFFLINE: the authority refused it after its
    offline wipe period."""

    ADMINISTRATOR = "administrator"
    HOST = "host"
    DEREGISTRATION = "deregistration"
    PIN = "pin"
    CONDITIONAL_LAUNCH = "conditionalLaunch"
    OFFLINE = "offline"


class LeftReason(Name):
    """Why a wipe left a file: removed or moved by others; another file took its place; its attribute names another owner
    than the index; removed, and has more names elsewhere; a directory that holds data of others; no permission;
    another failure.

    Why protecting a directory left a file: explicitly given to no user; another account's; another app's; data that a
    wipe is still to remove; libmam's own."""

    GONE = "gone"
    REPLACED = "replaced"
    DISAGREES = "disagrees"
    OTHER_NAMES = "otherNames"
    NOT_EMPTY = "notEmpty"
    PERMISSION = "permission"
    ERROR = "error"
    NO_USER = "noUser"
    OTHER_ACCOUNT = "otherAccount"
    OTHER_APP = "otherApp"
    WIPED = "wiped"
    LIBMAM = "libmam"


class OwnerEvidence(Name):
    """The evidence for a file's owner."""

    ATTRIBUTE = "attribute"
    INDEX = "index"
    BOTH = "both"
    DIRECTORY = "directory"
    CONTENT = "content"
    NONE = "none"


class OwnerDisagreement(Name):
    """How the evidence for a file's owner disagrees. OWNER: attribute and index name different owners."""

    OWNER = "owner"
    ATTRIBUTE_MISSING = "attributeMissing"
    ATTRIBUTE_DAMAGED = "attributeDamaged"
    ATTRIBUTE_FOREIGN = "attributeForeign"
    INDEX_DAMAGED = "indexDamaged"
    REPLACED = "replaced"


class ContainerAlgorithm(Number):
    """How a container holds its data: LABELLED is authenticated and not encrypted, SEALED both."""

    LABELLED = 0
    SEALED = 1


class ContentType(Name):
    """The content of protected data."""

    DATA = "data"
    STRING = "string"
    FILE = "file"


class ThreatLevel(Name):
    """The threat level of the device."""

    SECURED = "secured"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class LockState(Name):
    """The state of the device lock."""

    ON = "on"
    OFF = "off"
    NOT_APPLICABLE = "notApplicable"
    UNKNOWN = "unknown"


class SignalState(Name):
    """The state of a signal of the device's health."""

    OK = "ok"
    FAIL = "fail"
    UNKNOWN = "unknown"
    NOT_APPLICABLE = "notApplicable"


class SignalStanding(Name):
    """The use of a signal. REQUIRED: by settings, it must be ok. COUNTS: it must be neither fail nor unknown."""

    REQUIRED = "required"
    COUNTS = "counts"
    INFORMS = "informs"
    IGNORED = "ignored"


class SettingSource(Name):
    """The source of a setting. KEPT: a list of ValuesToScrubFromLogging that a session of the app was given before."""

    OVERRIDE = "override"
    SETTINGS = "settings"
    INFO_PLIST = "infoPlist"
    KEPT = "kept"
    DEFAULT = "default"


class SettingEffect(Name):
    """The effect of a setting in this release."""

    APPLIES = "applies"
    NOT_APPLICABLE = "notApplicable"


class ConfigurationChannel(Name):
    """The source of an app configuration."""

    TARGETED = "targeted"
    TENANT_DEFAULT = "tenantDefault"
    DEVICE = "device"


class PolicyOrigin(Name):
    """The source of an `EffectivePolicy`."""

    AUTHORITY = "authority"
    TEST = "test"


class UnknownIdentities(Name):
    """The treatment of names that no account has: as unmanaged, or as an error."""

    UNMANAGED = "unmanaged"
    ERROR = "error"


class QuestionMode(Name):
    """How a session asks: through its delegate and handlers, or as events."""

    DELEGATE = "delegate"
    EVENTS = "events"


class Custody(Name):
    """The control over an authority: this user can write it, an administrator only, or a service on the network has it."""

    DEVELOPMENT = "development"
    ADMINISTERED = "administered"
    SERVICE = "service"


class PropertyStatus(Name):
    """The treatment of a policy's property. NOT_ENFORCED: by this release."""

    ENFORCED = "enforced"
    NOT_ENFORCED = "notEnforced"
    NOT_APPLICABLE = "notApplicable"
    DESCRIPTIVE = "descriptive"
    UNKNOWN = "unknown"


class DocumentType(Name):
    """The type of a policy document, as `Authority.import_policy` and `lint` take it."""

    IOS = "ios"
    ANDROID = "android"
    WINDOWS = "windows"
    LINUX = "linux"
    DEFAULT = "default"
    CONFIG = "config"


class FaultKind(Name):
    """A simulated failure of the authority."""

    NETWORK = "network"
    TIMEOUT = "timeout"
    PARSING = "parsing"
    INTERNAL = "internal"
    GONE = "gone"


class FaultOperation(Name):
    """The operation that a simulated failure affects."""

    ENROLL = "enroll"
    CHECK_IN = "checkIn"
    UNENROLL = "unenroll"


#: The names that JSON uses for locations.
SAVE_NAMES: dict[SaveLocation, str] = {
    SaveLocation.OTHER: "other",
    SaveLocation.ONEDRIVE_FOR_BUSINESS: "oneDriveForBusiness",
    SaveLocation.SHAREPOINT: "sharePoint",
    SaveLocation.BOX: "box",
    SaveLocation.DROPBOX: "dropbox",
    SaveLocation.GOOGLE_DRIVE: "googleDrive",
    SaveLocation.LOCAL_DRIVE: "localDrive",
    SaveLocation.CAMERA_ROLL: "cameraRoll",
    SaveLocation.ACCOUNT_DOCUMENT: "accountDocument",
    SaveLocation.IMANAGE: "iManage",
    SaveLocation.EGNYTE: "egnyte",
}

OPEN_NAMES: dict[OpenLocation, str] = {
    OpenLocation.OTHER: "other",
    OpenLocation.ONEDRIVE_FOR_BUSINESS: "oneDriveForBusiness",
    OpenLocation.SHAREPOINT: "sharePoint",
    OpenLocation.CAMERA: "camera",
    OpenLocation.LOCAL_STORAGE: "localStorage",
    OpenLocation.PHOTOS: "photos",
    OpenLocation.ACCOUNT_DOCUMENT: "accountDocument",
    OpenLocation.BOX: "box",
    OpenLocation.IMANAGE: "iManage",
    OpenLocation.EGNYTE: "egnyte",
}
