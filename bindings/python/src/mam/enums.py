"""Numbers of mam.h. A test compares every one with the header."""

from __future__ import annotations

import enum


class Number(enum.IntEnum):
    """A number of mam.h that has no truth value: its 0 is a member like the others, and a test for truth would take it for
    a refusal, or for nothing at all."""

    def __bool__(self) -> bool:
        name = f"mam.{type(self).__name__}"
        raise TypeError(f"{name} has no truth value: compare it, as in == {name}.{self.name}")


class Status(enum.IntEnum):
    """MAM_OK and MAM_ERR_*: why a call failed; OK alone is false. An open set: a newer libmam may answer with others.

    Each but OK has a class of its name in `mam`, whose docstring says what it means: NOT_ENROLLED is
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
    """How an enrollment, check-in, unenrollment or wipe ended: 1xx succeeded, 2xx did not. docs/status-codes.md says
    what produces each and what to do. Mirrors IntuneMAMEnrollmentStatusCode. An open set.

    NEW_POLICIES_RECEIVED         policy came, or changed
    POLICIES_HAVE_NOT_CHANGED     checked in, nothing new
    WIPE_RECEIVED                 checked in, and the account's data must go
    NO_POLICY_RECEIVED            checked in, and no policy reaches the user any more
    UNENROLLMENT_SUCCESS          unenrolled and deregistered, or wiped
    ACCOUNT_NOT_LICENSED          the user has no licence
    INTERNAL_ERROR                a failure inside
    AUTH_REQUIRED                 the user must sign in, or is disabled
    LOCATION_SERVICE_FAILURE      there is no authority where it should be
    ENROLLMENT_ENDPOINT_NETWORK_FAILURE, POLICY_ENDPOINT_NETWORK_FAILURE
                                  the authority was not reached; the last policy stays in force
    PARSING_FAILURE               its reply was not understood
    NIL_ACCOUNT                   no account was named
    ALREADY_ENROLLED              nothing to do
    NOT_EMM_ACCOUNT, MDM_ENROLLED_DIFFERENT_USER, NOT_DEVICE_ACCOUNT
                                  the device is for other accounts: remove this one
    APP_NOT_ENROLLED, NOT_ENROLLED_ACCOUNT
                                  a check-in of an account that is not enrolled
    FAILED_TO_CLEAR_MAM_DATA      a wipe did not complete
    TIMEOUT                       the authority did not answer in time
    POLICY_RECORD_GONE, RE_ENROLL_FOR_UNENROLLED_USER
                                  the authority forgot the enrollment; it is tried again, or may not be
    TENANT_MIGRATION              the tenant or the user is being moved: later
    UNSUPPORTED_API               called from an extension
    LICENSED_NOT_TARGETED         no policy reaches the user: the account is not managed, and nothing is wrong
    DEVICE_BLOCKED_ENROLLMENT     the device is blocked
    SINGLE_MANAGED_ACCOUNT_MODE   another account is managed, and only one may be
    LOGIN_CANCELED                nobody signed in
    SWITCH_EXISTING_ACCOUNT       the account enrolled before has to leave first; then this one is enrolled by itself
    MAM_SERVICE_DISABLED, ADAL_INTERNAL_ERROR, ADAL_METHOD_UNSUPPORTED
                                  the original's; they do not occur here
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
    """Which of several booleans of app configuration (MAM_CONFIG_*). ANY is the first in the order received."""

    ANY = 0
    OR = 1
    AND = 2


class OrderedQuery(Number):
    """Which of several numbers or texts of app configuration (MAM_CONFIG_*). ANY is the first in the order received."""

    ANY = 0
    MIN = 1
    MAX = 2


class SaveLocation(Number):
    """Where data may be saved to (MAM_SAVE_*). The numbers differ from OpenLocation's: never mix them. Mirrors
    IntuneMAMSaveLocation.

    ONEDRIVE_FOR_BUSINESS, SHAREPOINT, BOX, DROPBOX, GOOGLE_DRIVE, IMANAGE, EGNYTE
                      a service, with the account that is signed in there
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
    """Where data may be opened from (MAM_OPEN_*). Mirrors IntuneMAMOpenLocation.

    ONEDRIVE_FOR_BUSINESS, SHAREPOINT, BOX, IMANAGE, EGNYTE
                            a service, with the account that is signed in there
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
    """What a document picker is shown for (MAM_PICKER_*): to take a copy in, to open in place, to give a copy away, to
    move away. Mirrors UIDocumentPickerMode."""

    IMPORT = 0
    OPEN = 1
    EXPORT = 2
    MOVE = 3


class IdentityTask(Number):
    """What an identity is wanted for (MAM_TASK_*): something shown in a window, or a file."""

    UI = 0
    FILE = 1


class SwitchResult(Number):
    """How an identity switch ended (MAM_SWITCH_*). Mirrors IntuneMAMSwitchIdentityResult.

    SUCCESS      the window shows what was asked for
    CANCELED     a later switch of the same window was asked for first
    NOT_ALLOWED  the calling code carries another identity, or these accounts cannot be shown together
    FAILED       an account is blocked, or its wipe is under way
    """

    SUCCESS = 0
    CANCELED = 1
    NOT_ALLOWED = 2
    FAILED = 3


class BlockReason(enum.IntEnum):
    """Why an account must be hidden (MAM_BLOCK_*); NONE alone is false. Mirrors the reasons of blockAccountId.

    NONE                it need not be
    CONDITIONAL_LAUNCH  its access is blocked, as of a user whom the administrator disabled
    LAUNCH_CANCELED     the user left the checks of the start
    CLOCKED_OUT         the user is not at work
    """

    NONE = 0
    CONDITIONAL_LAUNCH = 1
    LAUNCH_CANCELED = 2
    CLOCKED_OUT = 3


class PolicySource(Number):
    """Where policy comes from (MAM_SOURCE_*): the device's management, this library's authority, nowhere, or a test
    policy. Mirrors IntuneMAMPolicySource."""

    MDM = 0
    MAM = 1
    OTHER = 2
    TEST = 3


class NotificationPolicy(Number):
    """What notifications may show (MAM_NOTIFICATION_*): anything, nothing of the organisation's, or not even
    themselves. Mirrors IntuneMAMNotificationPolicy."""

    ALLOW = 0
    BLOCK_ORG_DATA = 1
    BLOCK = 2


class WebViewPolicy(enum.Enum):
    """For whom a web viewer acts: as the setting TreatAllWebViewsAsUnmanaged says, for nobody, for the current identity, or
    for that without uploads and pasting. Mirrors IntuneMAMWebViewPolicy."""

    UNSET = "unset"
    UNMANAGED = "unmanaged"
    CURRENT_IDENTITY = "currentIdentity"
    CURRENT_IDENTITY_BLOCK_UPLOAD = "currentIdentityBlockUpload"


class LogLevel(Number):
    """MAM_LOG_*. Only VERBOSE names people; no level holds keys, tokens or plaintext."""

    VERBOSE = 0
    INFO = 1
    WARNING = 2
    ERROR = 3


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
