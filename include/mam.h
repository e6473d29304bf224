/** libmam: mobile application management (MAM) for any host program.
 *
 *  This file is the whole contract. Pages named docs/… are installed in share/doc/mam; begin with
 *  docs/integrate.md.
 *
 *  RULES FOR EVERY CALL
 *
 *  Arguments   handle first, then inputs (each length right after its buffer), then outputs. No
 *              thread may change an input during the call: changed bytes could pass for verified
 *              ones.
 *  Results     a function that can fail returns mam_status; MAM_OK is 0. On failure every output is
 *              NULL or 0, unless its comment says more. A predicate returns mam_bool, 0 or 1, and
 *              fails closed: for a NULL, closed or forked handle, a tampered account or an invalid
 *              argument it returns the value listed as "Closed". mam_last_status() then
 *              distinguishes failure from refusal.
 *  Errors      mam_last_status, mam_last_message and mam_last_error_json describe the calling
 *              thread's latest call: a failing call sets them, a successful one clears them. SQLite
 *              sets them too if a VFS of libmam refuses, and never clears them: an SQLite call that
 *              succeeds, or fails by itself, leaves the former error (docs/sqlite.md). The
 *              functions of section 1 and those that return nothing (mam_…_release) do not change
 *              them, and texts and values that are read from a mam_json_t or mam_decision_t do so
 *              only by a failure: read and clean up before you report. Any other call on a handle
 *              can fail with MAM_ERR_ARGUMENT (a rule of this file was broken), MAM_ERR_CLOSED or
 *              MAM_ERR_FORKED. One that needs the state ("…" in "Returns") can also fail with
 *              MAM_ERR_STORAGE, MAM_ERR_IO, MAM_ERR_NO_SPACE, MAM_ERR_PERMISSION, MAM_ERR_TAMPERED,
 *              or MAM_ERR_BUSY (the state was locked for 30 seconds). "Returns" lists further
 *              statuses, or what these mean there.
 *  Strings     UTF-8, NUL-terminated. JSON in is strict RFC 8259: no duplicate keys, at most 64
 *              levels, at most 4 MiB (mam_admin: 16 MiB). JSON out is compact, at most 256 MiB
 *              (else MAM_ERR_NO_SPACE), keys in a fixed order; ignore unknown keys: later versions
 *              add some. Section 14 reads it for a host without a parser. Times are RFC 3339 in
 *              UTC, durations ISO 8601.
 *  Messages    "message" is for administrators; an event has it in its "status", if it has one.
 *              Refusals, findings, errors, events, questions and statuses also have "userMessage",
 *              one or two sentences for the host's user, without paths, settings or ids, and
 *              "messageKey", its stable name (docs/messages.md).
 *  Ownership   the caller releases results through `char **` with mam_free, which zeroes them
 *              first, and a mam_buffer with mam_buffer_free. Inputs are never kept. `op` is for
 *              mam_wait.
 *  Handles     are tokens, not addresses. A closed or invented one fails with MAM_ERR_CLOSED, never
 *              a crash. Close them in any order; a handle whose parent is closed fails with
 *              MAM_ERR_CLOSED.
 *  Threads     any thread may call any function, several at once on one handle; 64 KiB of stack are
 *              enough. Do not cancel a thread (pthread_cancel) during a call: mam_close would wait
 *              for ever.
 *  Fork        in a child the parent's handles fail with MAM_ERR_FORKED; mam_close only frees their
 *              memory; a new mam_open works. The child has none of the parent's keys. A child
 *              forked inside a callback must not return from it: it ends by exec or _exit.
 *  Signals     libmam changes none. Its own write beyond RLIMIT_FSIZE fails with MAM_ERR_IO
 *              and sends the host no SIGXFSZ, unless the limit was lowered milliseconds before.
 *  Callbacks   run without locks on the worker's thread, or with "worker":false on the thread
 *              inside mam_wait or mam_run_due. Log functions run on any thread inside libmam,
 *              telemetry functions on a thread of their own (mam_set_telemetry); the question
 *              isExternalURL runs on the thread inside mam_policy_web_view. A callback may
 *              call any function but mam_close, mam_wait and mam_run_due (MAM_ERR_DEADLOCK). It
 *              must not unwind or longjmp.
 *  Memory      libmam checks sizes before it allocates; a failed allocation ends the process. A
 *              size_t above PTRDIFF_MAX is MAM_ERR_ARGUMENT (0 from mam_protect_bound).
 *
 *  ACCOUNT ARGUMENTS take an account id (object id) or a UPN, compared byte by byte with ASCII case
 *  folded: at most MAM_ACCOUNT_MAX bytes. Anything else around or inside it is MAM_ERR_ARGUMENT:
 *  control and invisible characters, white space at either end, <>"{} and other quotation marks; in
 *  a name with "@" also any white space, ()[],:;\|, a second "@", and what is no domain after it.
 *
 *  Unless listed here, NULL is MAM_ERR_ARGUMENT, "" is no user (unmanaged), and a name that is not
 *  enrolled is an unmanaged user.
 *    mam_policy_for_account                        NULL is unmanaged
 *    …_is_save_to_allowed, …_save_to_reason,       NULL is unknown, unmanaged
 *    the same of opening, …_locations,
 *    mam_policy_clipboard, mam_file_export
 *    mam_open_url                                  NULL is no user, unmanaged
 *    mam_file_create, mam_file_encrypt,            NULL is the thread's identity for files
 *    mam_file_protect, mam_file_unmanage,          (MAM_TASK_FILE)
 *    …_verify_and_protect
 *    mam_file_import                               NULL is the thread's or process's identity
 *    mam_set_process_…, mam_push_thread…,          NULL clears it
 *    mam_run_as
 *    mam_identity_equal                            NULL equals NULL only, "" equals "" only, a name
 *                                                  its own spelling
 *    mam_is_account_managed                        0 for NULL, "" and the name
 *    mam_blocked_reason                            MAM_BLOCK_NONE for NULL, "" and the name
 *    mam_conditional_launch                        allowed for NULL, "" and the name
 *  In the next ones "" is MAM_ERR_ARGUMENT, and so is NULL unless listed:
 *    mam_register_account                          makes the name known
 *    mam_check_in                                  NULL is every enrolled account; name: 213 or 214
 *    mam_login_and_enroll                          NULL: see there; name: the expected account
 *    mam_deregister_…, mam_wipe_account            name: MAM_ERR_NOT_REGISTERED
 *    mam_pin_…, mam_rotate_keys                    name: MAM_ERR_NOT_ENROLLED
 *    mam_former_account, mam_registered_account    name: null, the JSON
 *
 *  A registered account that is not enrolled (not yet asked for, or refused by the authority) is
 *  known and not managed. With "unknownIdentities":"error" an unknown name is MAM_ERR_NOT_FOUND
 *  instead. Only mam_is_account_managed returns 0 for it, mam_identity_equal compares it, and
 *  mam_former_account and mam_registered_account give null.
 *
 *  EXCHANGED ARGUMENTS would store data in the clear, for a user with the name of a path. So in
 *  mam_protect…, mam_file_…, mam_sqlite_… and mam_open_url these are MAM_ERR_ARGUMENT ("were the
 *  two exchanged?"): an account with "/", unless it is registered; a path or URL that is the name
 *  of a registered or enrolled account, or of one that has left, beside another account or ""
 *  (write ./NAME for a file of that name); data to protect that is exactly the name of an account
 *  of work, for an account that is not registered.
 *
 *  NAMES OF MANAGED ACCOUNTS never remove protection; docs/identity.md has all rules.
 *    Renamed     An account keeps its last 16 UPNs of this app as names, until another account has
 *                the name. Handles, windows and identities follow the account. The event
 *                accountDidChange reports the new UPN.
 *    Retired     A name of an account that was wiped or unenrolled, in any session, fails with
 *                MAM_ERR_NOT_ENROLLED in mam_protect…, mam_protect_stream_open, mam_file_create,
 *                _encrypt, _protect, _verify_and_protect, _unmanage, _import and _export, and in
 *                mam_sqlite_…, also without an enrolled account, and as the thread's or process's
 *                identity. Data of an account unenrolled without a wipe stays readable. The name is
 *                free again when mam_register_and_enroll or mam_login_and_enroll has ended with the
 *                account enrolled or with 200 or 225 (known, not managed: in the organisation's
 *                domain it is then an unknown name, see below). The last 1000 names of
 *                an app are kept, as keyed hashes.
 *    Unknown     A name that is not registered, in the domain of the UPN of an account that is
 *                managed here, or was before it left, or that looks like one (a misspelt domain
 *                or ending, CONTOSO\ann, ann; docs/identity.md), fails with MAM_ERR_NOT_FOUND in
 *                the same calls; mam_register_account makes it known. Domains of public mail
 *                providers (docs/identity.md lists them) belong to no organisation.
 *                "organizationDomains" of mam_open replaces this choice,
 *                "additionalOrganizationDomains" adds to it.
 *    Policy handles and mam_policy_check refuse everything for a retired or unknown name, also
 *    where it is the current identity, and data for it: save to, share targets, clipboard.
 *
 *  IDENTITIES as JSON are null (not set), "" (no user), a name, or an array of at most 64 names:
 *  accounts shown together. An empty array is "". libmam returns a known account as its account id,
 *  any other name as it was given. WINDOWS are names that libmam does not interpret: 1 to
 *  MAM_WINDOW_MAX bytes of UTF-8, compared byte by byte; NULL is the default window.
 */
#ifndef MAM_H
#define MAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The release of this header; mam_version() returns the library's. */
#define MAM_VERSION "0.1.0"
/** For #if: 1000000 * major + 1000 * minor + patch. */
#define MAM_VERSION_NUMBER 1000
/** Grows with each release that adds functions, from 0; mam_abi_version() returns the library's. */
#define MAM_ABI_VERSION 0

#if defined(__GNUC__)
#define MAM_API __attribute__((visibility("default")))
#define MAM_CHECK_RESULT __attribute__((warn_unused_result))
#else
#define MAM_API
#define MAM_CHECK_RESULT
#endif

/** 0 or MAM_ERR_*. An open set: treat an unknown number as a failure. */
typedef int32_t mam_status;
/** 0 or 1. */
typedef int32_t mam_bool;

/** One session: one app, its state and its authority. Any thread. */
typedef struct mam_session mam_t;
/** The policy of one account, or of several shown together; follows changes while held. Any
 *  thread; release with mam_policy_release. */
typedef struct mam_policy mam_policy_t;
/** The answer to one question, and why. Independent of sessions: no change of policy and no
 *  mam_close changes it. Any thread; release with mam_decision_release. */
typedef struct mam_decision mam_decision_t;
/** A parsed JSON text; immutable, independent of sessions. Any thread. */
typedef struct mam_json mam_json_t;
/** A question that waits for the host's answer; valid during its delegate call. Any thread. */
typedef struct mam_question mam_question_t;
/** A captured thread identity, for work that runs elsewhere. Any thread. */
typedef struct mam_identity mam_identity_t;
/** The app configuration of some accounts when it was read. Any thread. */
typedef struct mam_app_configuration mam_app_config_t;
/** Protects data that arrives in pieces. Any thread, one at a time. */
typedef struct mam_protect_stream mam_protect_stream_t;
/** Reads a container in pieces. Any thread, one at a time. */
typedef struct mam_unprotect_stream mam_unprotect_stream_t;
/** An open file, sealed or plain. Any thread. */
typedef struct mam_file mam_file_t;

/** Bytes allocated by libmam; release with mam_buffer_free. */
typedef struct mam_buffer {
    uint8_t *data;
    size_t length;
} mam_buffer;

enum {
    MAM_OK = 0,
    /* the caller */
    MAM_ERR_ARGUMENT = 1,    /* a rule of this file was broken */
    MAM_ERR_BUFFER = 2,      /* capacity is too small: *written is the size to bring */
    MAM_ERR_JSON = 3,        /* not the JSON that the function takes */
    MAM_ERR_CLOSED = 4,      /* the handle, or its parent, is closed */
    MAM_ERR_FORKED = 5,      /* the handle belongs to the parent process */
    MAM_ERR_UNSUPPORTED = 6, /* not in this version, or not on this host */
    MAM_ERR_DEADLOCK = 7,    /* called from a callback that it would wait for */
    MAM_ERR_INTERRUPTED = 8, /* by mam_interrupt or mam_close */
    /* the state */
    MAM_ERR_NOT_MANAGED = 10,
    MAM_ERR_NOT_REGISTERED = 11,
    MAM_ERR_NOT_ENROLLED = 12,
    MAM_ERR_NOT_FOUND = 13,
    MAM_ERR_ALREADY = 14,
    /* by policy; the account may not be used on this device; a PIN is wrong, or does not do */
    MAM_ERR_DENIED = 15,
    /* until a launch finds the account open, the PIN was changed or reset, the screen unlocked */
    MAM_ERR_LOCKED = 16,
    MAM_ERR_CANCELED = 17, /* the host's function refused to go on */
    MAM_ERR_TIMEOUT = 18,
    MAM_ERR_BUSY = 19,
    MAM_ERR_GONE = 20, /* the result was kept, but is not any more */
    /* the data */
    MAM_ERR_NOT_PROTECTED = 30,
    MAM_ERR_DAMAGED = 31,         /* not a valid container: cut, extended or badly formed */
    MAM_ERR_AUTHENTICATION = 32,  /* well formed, but does not verify */
    MAM_ERR_KEY_UNAVAILABLE = 33, /* the key is gone, or was never on this computer */
    MAM_ERR_EMPTY = 34,
    /* the environment */
    MAM_ERR_IO = 40,
    MAM_ERR_STORAGE = 41, /* the database refuses, or is corrupt */
    MAM_ERR_PERMISSION = 42,
    MAM_ERR_NO_SPACE = 43, /* on the disk, in memory, or in a limit of this file */
    MAM_ERR_CRYPTO = 44,
    MAM_ERR_VERSION = 45, /* made by a newer libmam */
    MAM_ERR_TAMPERED = 46,
    /* the authority; not answered by this version, where what it refuses is the status of an
     * operation */
    MAM_ERR_AUTH_REQUIRED = 50,
    MAM_ERR_NETWORK = 51,
    MAM_ERR_SERVICE = 52,
    MAM_ERR_PROTOCOL = 53,
    /* the library */
    MAM_ERR_INTERNAL = 90
};

/** Maximum length of an account id or UPN, in bytes. */
#define MAM_ACCOUNT_MAX 256
/** Maximum length of a window's name, in bytes. */
#define MAM_WINDOW_MAX 256
/** Maximum length of a PIN, in bytes. */
#define MAM_PIN_MAX 65536

/* -------------------------------------------------------------------------------------------------
 * 1. Library. These do not change the thread's last error.
 */

/** The library's release, for example "0.1.0". Never NULL; static. Since: MAM_0 */
MAM_API const char *mam_version(void);

/** The library's MAM_ABI_VERSION. Since: MAM_0 */
MAM_API int32_t mam_abi_version(void);

/** Short name of a status, for example "notEnrolled"; "unknown" for others. Never NULL; static.
 *  Since: MAM_0 */
MAM_API const char *mam_status_name(mam_status status);

/** Status of this thread's latest call; MAM_OK when it succeeded. Since: MAM_0 */
MAM_API mam_status mam_last_status(void);

/** One line for the administrator about this thread's latest failure; "" after a success. Wording
 *  may change. Never NULL; valid until this thread's next call, of SQLite too. Since: MAM_0 */
MAM_API const char *mam_last_message(void);

/** The same for the person who uses the host: "userMessage" of mam_last_error_json. Since: MAM_0 */
MAM_API const char *mam_last_user_message(void);

/** The last error as JSON: {"status":12,"name":"notEnrolled","message":"…","userMessage":"…",
 *  "messageKey":"errorNotEnrolled","detail":{…}}; detail may have "argument", "path", "setting",
 *  "accountId", "keyId" or "originalCode" (the Intune App SDK's number).
 *
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT when json is NULL.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_last_error_json(char **json);

/** Zero and release a string that libmam returned. NULL is allowed. Since: MAM_0 */
MAM_API void mam_free(void *pointer);

/** Zero and release the bytes; the buffer becomes NULL and 0. NULL and an empty buffer are allowed.
 *  Since: MAM_0 */
MAM_API void mam_buffer_free(mam_buffer *buffer);

/* -------------------------------------------------------------------------------------------------
 * 2. Instance
 */

/** Open a session: find or create the state, and finish what a killed process left, wipes first.
 *
 *  settings_json (an unknown key is an error; only app.id and authority are required):
 *    {"app":{"id":"com.example.notes","version":"1.0","group":"com.example",
 *            "extensions":["com.example.notes.share"]},
 *     "stateDirectory":"/home/ann/.local/state/libmam",
 *     "authority":{"type":"embedded","path":"/etc/example/authority.db","keys":["base64"…]},
 *                 (keys, optional: accepted Ed25519 public keys; default: trust the first one seen)
 *                 or a service on the network: {"type":"https","url":"https://…","keys":[{…}],…}
 *                 as mamd init prints it (docs/settings.md, "A service")
 *     "device":{"platform":"linux","version":"12","model":"…","lock":"on|off|notApplicable",
 *               "mdmAccountId":"…","managedAppConfig":{"IntuneMAMUPN":"…"},
 *               "health":{"ignore":["tracer"],"require":["diskEncryption"],
 *               "allowedLibraries":["/usr/lib/…"]}},
 *     "settings":{"MultiManagedIdentities":true}, "infoPlist":"/opt/notes/Info.plist",
 *     "testPolicy":"/home/ann/MAMDebugSettings.plist",
 *     "worker":true, "unknownIdentities":"unmanaged|error",
 *     "organizationDomains":["contoso.example"],
 *     "additionalOrganizationDomains":["fabrikam.example"],
 *     "questions":"delegate|events", "questionTimeout":"PT30S", "restartOnFirstPolicy":false,
 *     "language":"de_AT:de"}
 *
 *    app.group         default: the first of AppGroupIdentifiers, else ContainingAppBundleId, else
 *                      app.id. Apps of a group share a state database, never keys. Ids are 1 to 128
 *                      of A-Z a-z 0-9 . _ - and begin with a letter or digit.
 *    extensions        at most 64; replaces the former list, [] empties it and closes open
 *                      extensions, absent keeps it. A session with the setting
 *                      ContainingAppBundleId is an extension of that app, which must list it, and
 *                      uses its accounts, policy, keys and "device". The containing app does
 *                      enrollment, check-ins and wipes (docs/settings.md).
 *    stateDirectory    absolute and local; default $XDG_STATE_HOME/libmam, else
 *                      $HOME/.local/state/libmam. The group's folder in it must be yours alone.
 *    device            the device and its owner; {}: no owner; absent: the latest statement of
 *                      another session. "platform", linux (the default), ios, android or windows,
 *                      selects the policies' bounds that apply to "version" and "model".
 *                      mam_set_device describes scope and later changes. A changed owner is an
 *                      event (allowedAccountsDidChange, mdmAccountDidChange). An account that is no
 *                      longer allowed gets an enrollmentRequest with 209, 210 or 211, and its data
 *                      is closed (MAM_ERR_DENIED), not wiped, until the host removes it or it is
 *                      allowed again. IntuneMAMAllowedAccountsOnly restricts when it is true, or
 *                      "Enabled" or "true" in any case of letters; false, null, "", "Disabled" and
 *                      "false" do not. Any other value restricts, with a "warning" event.
 *    worker            false: nothing happens outside your calls; mam_run_due does the due work.
 *    questions         the delegate function answers (without one: the default answer at once), or
 *                      events do.
 *    questionTimeout   default PT30S; PT5M for signIn, pin and authenticate. A signIn with "method"
 *                      waits until its "expires".
 *    language          of "userMessage"; a list as in LANGUAGE. Default, as for gettext: LANGUAGE,
 *                      LC_ALL, LC_MESSAGES, LANG of the environment; else English. setlocale has no
 *                      effect.
 *    settings          IntuneMAMSettings keys (docs/settings.md).
 *    infoPlist         a property list, XML or binary, with the same keys under IntuneMAMSettings;
 *                      "settings" overrides it. An unknown key is a "warning" event.
 *    testPolicy        a policy for development (docs/test-policies.md); needs DebugSettingsEnabled
 *                      true. It manages the account that it names in this session, without an
 *                      authority, with a "warning" event. Both files are read once, up to 4 MiB.
 *
 *  Returns: MAM_OK                   *m is open.
 *           MAM_ERR_JSON             not JSON, or a key is unknown or has the wrong type. (An
 *                                    invalid key of appearance is only a "warning" event.)
 *           MAM_ERR_ARGUMENT         a value is out of range, or a file is not a property list; the
 *                                    detail names the key.
 *           MAM_ERR_NOT_FOUND        there is no such property list.
 *           MAM_ERR_ALREADY          the test policy's account is enrolled: its organisation's
 *                                    policy applies.
 *           MAM_ERR_DENIED           the containing app does not list this extension; or the test
 *                                    policy's account may not be managed here, or not beside the
 *                                    enrolled one.
 *           MAM_ERR_PERMISSION       the directory or a file in it is another user's, not writable,
 *                                    or open to others.
 *           MAM_ERR_KEY_UNAVAILABLE  there is sealed state without a root key: nothing was changed.
 *           MAM_ERR_VERSION          a newer libmam made the state: nothing was changed.
 *           MAM_ERR_UNSUPPORTED      a network file system; the state is in use from another IPC
 *                                    namespace; no System V shared memory (kernel.shmmni,
 *                                    kernel.shmall, a system call filter).
 *           MAM_ERR_TAMPERED, MAM_ERR_STORAGE, MAM_ERR_NO_SPACE, MAM_ERR_IO.
 *  Out:     m  the session; NULL on failure.
 *  Mirrors: the Intune App SDK's start-up and its IntuneMAMSettings dictionary.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_open(const char *settings_json, mam_t **m) MAM_CHECK_RESULT;

/** Close: interrupt the waits of other threads, wait for their calls, stop the worker, zero keys,
 *  free.
 *
 *  Afterwards none of the session's keys is in memory. Its handles fail with MAM_ERR_CLOSED, SQLite
 *  connections with SQLITE_IOERR_AUTH. It does not wait for a stream's function: a running call on
 *  a stream ends with MAM_ERR_CLOSED. In a forked child it returns MAM_OK.
 *
 *  Returns: MAM_OK (also for NULL); MAM_ERR_CLOSED (already closed); MAM_ERR_DEADLOCK (from a
 *           callback of this handle).
 *  Since:   MAM_0
 */
MAM_API mam_status mam_close(mam_t *m);

/** Make every call that now waits on this handle return MAM_ERR_INTERRUPTED; operations continue,
 *  but a request to a service that is under way ends as unanswered (code 216). Since: MAM_0 */
MAM_API mam_status mam_interrupt(mam_t *m);

/** The effective settings and their sources: {"app":{…},"stateDirectory":…,"authority":{…,
 *  "custody":"development|administered|service"},"keyCustody":"file","infoPlist":null,
 *  "testPolicy":null,
 *  "settings":[{"key","value","source":"override|settings|infoPlist|kept|default",
 *  "effect":"applies|notApplicable","note","over":[{"source","value"}…]}…],
 *  "importFolder","everEnrolled",…}. "note" says why a key has no effect, "over" lists overridden
 *  values; everEnrolled is false if no account of this app ever was enrolled in this state; "kept"
 *  is a list of ValuesToScrubFromLogging that a session of the app was given before;
 *  importFolder is for mam_file_import without a target, null without a home directory.
 *  Since: MAM_0 */
MAM_API mam_status mam_settings(mam_t *m, char **json) MAM_CHECK_RESULT;

/** Set one IntuneMAMSettings key for this app, durably; it overrides mam_open's. NULL clears it. An
 *  override of ADALAuthority, ADALClientId or ADALRedirectUri is cleared when the last enrolled
 *  account leaves.
 *  Returns: MAM_OK; MAM_ERR_NOT_FOUND (no such key); MAM_ERR_JSON (not of the key's type);
 *           MAM_ERR_DENIED (an extension: its containing app's overrides apply); MAM_ERR_STORAGE…
 *  In:      key  as in docs/settings.md. value_json  one JSON value, or NULL.
 *  Mirrors: IntuneMAMSettings class properties. Since: MAM_0 */
MAM_API mam_status mam_set_override(mam_t *m, const char *key, const char *value_json)
    MAM_CHECK_RESULT;

/** State the device while the session is open. The object is "device" of mam_open and replaces the
 *  former statement: an absent key is no longer stated. {} and NULL state nothing: the device has
 *  no owner, the rest is detected.
 *
 *  The owner ("mdmAccountId"; IntuneMAMUPN, IntuneMAMOID and IntuneMAMAllowedAccountsOnly in
 *  "managedAppConfig") applies to every app of the group, the other keys to this app and its
 *  extensions. The latest statement of any session, here or in mam_open, applies. Configuration
 *  values are those of the session that stated them, until another session states another owner.
 *  Open sessions follow, with a worker at once, without one at their next call, with the events of
 *  mam_open's "device" and appConfigDidChange. Findings of a launch about version, model, lock or
 *  health hold until the next launch or resume. Durable.
 *
 *  Returns: MAM_OK            it applies from now on.
 *           MAM_ERR_JSON      not JSON, an unknown key, or a key of the wrong type; nothing was
 *                             changed.
 *           MAM_ERR_ARGUMENT  a value is out of range; nothing was changed; the detail names the
 *                             key.
 *           MAM_ERR_DENIED    an extension: the device of its containing app applies.
 *           MAM_ERR_BUSY      another thread has been stating the device for a minute, or as at the
 *                             top.
 *           MAM_ERR_INTERRUPTED, MAM_ERR_TAMPERED, MAM_ERR_STORAGE, MAM_ERR_NO_SPACE, MAM_ERR_IO.
 *  In:      device_json  {"platform","version","model","lock","mdmAccountId","managedAppConfig",
 *                        "health"}, each optional; or NULL.
 *  Mirrors: a change of the managed app configuration or of the device's enrollment, which the
 *           Intune App SDK detects itself.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_set_device(mam_t *m, const char *device_json) MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 3. Events and questions
 */

/** Take the next event.
 *
 *  {"event":"policyDidChange","time":"2026-11-21T09:30:00.000Z","accountId":"…","upn":"…",…}. Every
 *  event has "userMessage" and "messageKey": its status's where it has a "status". In events,
 *  questions and results of mam_wait, "upn" accompanies each "accountId"; null if unknown. Events:
 *    enrollmentRequest, policyRequest, unenrollRequest   with "status", the object that mam_wait
 *    describes; the event's "accountId" is the UPN where the status has none, as of a request that
 *    was refused
 *    policyDidChange, appConfigDidChange, dataProtectionDidChange  with "accountId"
 *    accountDidChange  with "accountId", "upn" (new) and "formerUpn": a check-in changed the UPN
 *    allowedAccountsDidChange  with "allowedAccounts", as mam_allowed_accounts
 *    mdmAccountDidChange  with "mdmAccount", as mam_mdm_account
 *    accountBlocked    with "accountId", "reason" and "blockReason", as mam_blocked_accounts;
 *                      notBlocked and 0 when the block ends
 *    wipeProgress      with "accountId" and "step": closed, shredded, asked, files (if there are
 *                      any: at most 20 times, with "removed", "known" and "left"), removed,
 *                      reported
 *    wipeDidComplete   with "accountId", "reason": administrator, host, deregistration, pin,
 *                      conditionalLaunch (a launch finding) or offline (its wipe period is over),
 *                      "hostRemovedData", "files": results for the account's files
 *                      (docs/file-owners.md), null if the host removed its data, and
 *                      "openDatabases": connections of the process to its databases that were still
 *                      in a transaction (docs/sqlite.md)
 *    question          with "id", "question" and its keys (mam_set_delegate); "questions":"events"
 *                      only
 *    warning           with "message" and its subject; "error" is a MAM_ERR_* if data stays closed
 *    eventsLost        with "count"
 *  The queue holds 256 in memory. A newer state event (…DidChange, except accountDidChange)
 *  replaces an older one of the same account; eventsLost counts dropped ones. unenrollRequest and
 *  wipeDidComplete are stored until read: the reader's next mam_event_next or mam_close
 *  acknowledges one. Until then other processes of the app receive it too, also after a kill;
 *  afterwards mam_former_account still says what happened.
 *
 *  Returns: MAM_OK           *json is the event.
 *           MAM_ERR_TIMEOUT  none came in time.
 *           MAM_ERR_INTERRUPTED.
 *  In:      timeout_ms  -1 for ever, 0 poll.
 *  Mirrors: the notifications and the enrollment and policy delegates.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_event_next(mam_t *m, int32_t timeout_ms, char **json) MAM_CHECK_RESULT;

/** A descriptor for poll: readable when an event waits, or (without a worker) work is due. Do not
 *  read or close it; mam_close does. Without a worker, only the next call into libmam notices a
 *  commit of another process.
 *  Returns: the descriptor, or -1 with the last error set. Since: MAM_0 */
MAM_API int32_t mam_event_fd(mam_t *m);

/** Answers a question; see mam_set_delegate. question_json is valid during the call. */
typedef void mam_delegate_fn(void *user, mam_question_t *question, const char *question_json);

/** Set the function that answers questions, or NULL for none. Returns when no call of the former
 *  one is running, or at once inside it.
 *
 *  question_json {"id":7,"question":"wipeData","accountId":"…","upn":"…","deadline":"…",…,
 *  "userMessage":"…","messageKey":"…"}, with the answers and defaults:
 *    wipeData            {"removed":true}    the host itself removed all data of the account, files
 *                                            too: libmam removes nothing. Default
 *                                            {"removed":false}: libmam removes the files it knows.
 *    restartApplication  {"restarting":true} the host restarts itself. Default false. Asked only
 *                        with "restartOnFirstPolicy":true; nothing waits for the answer.
 *    accessToken         mam_answer_secret   the account's token for "resource", or where "accepts"
 *                                            has "invitation", a service's: "accepts":["token",
 *                                            "invitation"]. "claims", text for the provider's
 *                                            parameter of that name, and "maxAge", seconds since
 *                                            the sign-in, are demands on it, or null. Default none:
 *                                            code 203. Where "accepts" has "signIn", mam_answer
 *                                            {"signIn":true}: libmam signs the person in at the
 *                                            provider "issuer", for "clientId" and "scopes", and
 *                                            signIn asks the host to show how; "browser":true
 *                                            prefers a browser of this computer.
 *    proxyCredentials    mam_answer_secret   USER:PASSWORD for "proxy" (null: the system's), on
 *                                            the way to the service "resource"; only in memory.
 *                                            Default none: code 205, or 212.
 *    signIn              {"accountId":"…","upn":"…","tenantId":"…"}   the account that signed in at
 *                        "resource", as for mam_register_and_enroll; the question's "accountId" and
 *                        "upn" are the expected one, or null. Default none: code 219. accessToken
 *                        and signIn have "authority", "clientId" and "redirectUri" of the settings.
 *                        With "method" libmam signs the person in: {"shown":true}   the host shows
 *                        how, until "expires". device: "verificationUri", a page for any browser,
 *                        "userCode" to enter there, and "verificationUriComplete", the page with
 *                        the code, or null. browser: "authorizationUri", for one of this computer.
 *                        null, at any time, cancels: code 219. An answer is not needed.
 *    addAccount          {"added":true}      the host shows an account that it did not register and
 *                                            mam_launch enrolled. Default false: it is unenrolled.
 *                                            Without a delegate the account stays.
 *    blockAccount        {"blocked":true}    the host hid a blocked account in "window"; "reason"
 *                                            and "blockReason" as in mam_blocked_accounts. Default
 *                                            false: identitySwitch is asked.
 *    identitySwitch      {"switched":true}   the window may switch to "accountId" ("" is no user)
 *                                            from "from", an account id with UPN "fromUpn", null if
 *                                            the window shows several; "reason":
 *                                            cancelConditionalLaunch, after a blockAccount not
 *                                            answered with true; documentImport, by
 *                                            mam_file_import; openURL, by mam_open_url, with its
 *                                            "url". The last two need the setting MultiIdentity.
 *                                            Default false: the window stays; the file or link is
 *                                            refused.
 *    isExternalURL       {"external":true}   "url" is outside the organisation. Default true.
 *                                            mam_policy_web_view asks on its caller's thread and
 *                                            waits for the answer.
 *    pin                 mam_answer_secret   "purpose":"enter": the PIN of "accountId"; "reason"
 *                                            null or wrong, with "attemptsLeft". "purpose":"new": a
 *                                            new one that meets "rule"; "reason" notSet, expired,
 *                                            tooWeak or reset; "lacks": the latest answer's faults,
 *                                            as in mam_pin_set; have it typed twice. mam_answer
 *                                            {"forgot":true}: the person signs in instead. Default
 *                                            none: the account stays closed.
 *    authenticate        "purpose":"access": {"authenticated":true,
 *                                            "method":"credentials|biometrics"}   the person signed
 *                                            in to the account, or used biometrics: one of
 *                                            "methods". "mayCancel" is false if no way around it
 *                                            may be offered (MultiIdentityCancelDisabled). Default
 *                                            {"authenticated":false}: the account stays closed.
 *                                            "purpose":"pinReset" (and "access" too):
 *                                            {"accountId":"…","upn":"…","tenantId":"…"}, the
 *                                            account that signed in, as in signIn. Default none.
 *    deviceHealth        {"threatLevel":"low",…} a report as for mam_report_device_health. Asked if
 *                        a policy bounds the threat level and none was reported, or requires a
 *                        compliant device and a signal that counts, known only to a host, is
 *                        unknown. Default none.
 *  The answer null takes the default at once: give it for questions that the host does not handle,
 *  or operations wait for the deadline. The delegate may answer before it returns, or later from
 *  any thread with the id, until the deadline: then the default applies.
 *
 *  In:      user  passed to fn; keep it valid until another delegate is set or m is closed.
 *  Mirrors: wipeDataForAccountId, restartApplication, getAccessTokenForAccountId, addAccountId,
 *           blockAccountId, identitySwitchRequiredForAccountId, isExternalURL.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_set_delegate(mam_t *m, mam_delegate_fn *fn, void *user);

/** The question's id; 0 and MAM_ERR_CLOSED once its delegate call has returned. Since: MAM_0 */
MAM_API int64_t mam_question_id(const mam_question_t *question);

/** Answer a question.
 *  Returns: MAM_OK; MAM_ERR_NOT_FOUND (no such question); MAM_ERR_GONE (already answered, or too
 *           late); MAM_ERR_JSON (not a valid answer; the question stays open); MAM_ERR_ARGUMENT (it
 *           takes a secret).
 *  In:      id  from the question. answer_json: as mam_set_delegate describes.
 *  Since:   MAM_0 */
MAM_API mam_status mam_answer(mam_t *m, int64_t id, const char *answer_json) MAM_CHECK_RESULT;

/** Answer a question that asks for a secret. libmam zeroes its copy; the caller zeroes its own.
 *  Returns: as mam_answer; MAM_ERR_ARGUMENT if it takes no secret, or length is 0 or above 65536.
 *  Since: MAM_0 */
MAM_API mam_status mam_answer_secret(mam_t *m, int64_t id, const uint8_t *bytes, size_t length)
    MAM_CHECK_RESULT;

/** The sentence for the host's user of a "messageKey" (docs/messages.md lists them), for a dialog
 *  that no decision, question or event leads to: refusedAppSharing where sharing is blocked,
 *  questionRestartApplication to ask for a restart.
 *  Returns: MAM_OK; MAM_ERR_NOT_FOUND (no such key); MAM_ERR_ARGUMENT.
 *  In:      language  as for mam_open, for example "de_AT:de"; NULL: of the environment.
 *  Out:     text      yours; that of pinTooShort has "%d" where the minimum length goes.
 *  Mirrors: showSharingBlockedMessage, getRestartApplicationMessage. Since: MAM_0 */
MAM_API mam_status mam_message(const char *key, const char *language, char **text)
    MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 4. Enrollment. Calls that contact the authority start an operation and return its number. While
 * 1024 have not ended, all but unenrollments and wipes fail with MAM_ERR_NO_SPACE.
 */

/** Register an account and enroll it now. On failure it is retried: 12 or 24 h after a refusal,
 *  sooner after a network failure, or at the next call. For an enrolled account the operation ends
 *  with 208.
 *
 *  Returns: MAM_OK; MAM_ERR_JSON; MAM_ERR_ARGUMENT (originalCode 207: no account, NULL or "");
 *           MAM_ERR_STORAGE…
 *  In:      account_json  {"accountId":"…","upn":"…","tenantId":"…"}: accountId or upn is required.
 *  Out:     op  for mam_wait; ends with the policy request's status (100) or the refusal's.
 *  Mirrors: registerAndEnrollAccountId.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_register_and_enroll(mam_t *m, const char *account_json, int64_t *op)
    MAM_CHECK_RESULT;

/** Enroll the account that signs in. A known account is first enrolled without a person
 *  (accessToken asks for its token). If the authority refuses, or no account is known, signIn asks
 *  a person. Then as mam_register_and_enroll, but a failed login leaves no new registration and is
 *  not retried.
 *
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT (originalCode 207: ""); MAM_ERR_STORAGE…
 *  In:      account  the account expected to sign in (with an "@" a UPN, else an account id), or
 *                    NULL: the device's account (device.mdmAccountId, or IntuneMAMUPN and
 *                    IntuneMAMOID in device.managedAppConfig); without one, the only account under
 *                    policy in other apps of the group (mam_managed_apps), unless this app has or
 *                    had it or may have no further one; else any account.
 *  Out:     op  ends as mam_register_and_enroll. If nobody signs in, it ends with 219, or with the
 *               refusal (203) if the user is unknown or disabled, or the host takes no questions.
 *  Mirrors: loginAndEnrollAccount.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_login_and_enroll(mam_t *m, const char *account, int64_t *op)
    MAM_CHECK_RESULT;

/** Make a name known without enrolling it: a shared mailbox, a colleague. It stays an unmanaged
 *  user that no schedule or auto-enrollment enrolls; mam_deregister_and_unenroll forgets it.
 *  Durable; for this app.
 *
 *  Returns: MAM_OK                also if the name is known, or an account's of this app.
 *           MAM_ERR_NOT_ENROLLED  the name is retired: use mam_register_and_enroll.
 *           MAM_ERR_NO_SPACE      4096 names are known.
 *           MAM_ERR_ARGUMENT      NULL, "", or an invalid name.
 *           MAM_ERR_TAMPERED, MAM_ERR_STORAGE…
 *  In:      account  a UPN or an account id.
 *  Mirrors: nothing; the Intune App SDK treats every name that was not enrolled as personal.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_register_account(mam_t *m, const char *account) MAM_CHECK_RESULT;

/** The names of mam_register_account, as given and in that order: ["desk@contoso.example"…].
 *  mam_registered_accounts does not have them.
 *  Returns: MAM_OK… Since: MAM_0 */
MAM_API mam_status mam_known_accounts(mam_t *m, char **json) MAM_CHECK_RESULT;

/** Check whether data may be stored under a name now. Call it before a name becomes part of a path,
 *  and before the host stores by itself the data of a name that is not managed: it fails where that
 *  would put an account's data in the clear.
 *
 *  Returns: MAM_OK                also for "", which is no user, and for every valid name while no
 *                                 account was ever enrolled.
 *           as mam_protect with this name otherwise: MAM_ERR_ARGUMENT (no account has such a name),
 *           MAM_ERR_NOT_FOUND, MAM_ERR_NOT_ENROLLED, MAM_ERR_DENIED, MAM_ERR_LOCKED…
 *  In:      account  a UPN, an account id, or "".
 *  Mirrors: nothing; the Intune App SDK treats every name that was not enrolled as personal.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_check_name(mam_t *m, const char *account) MAM_CHECK_RESULT;

/** Unenroll and forget an account; call it before you remove the user. Without wipe the account is
 *  durably unmanaged when this returns; this app can still read its data, which the host deletes.
 *  The operation reports to the authority, and retries (docs/enrollment.md). The reply carries a
 *  wipe that was ordered before: the account is then wiped nevertheless (wipeDidComplete).
 *
 *  Returns: MAM_OK, MAM_ERR_NOT_REGISTERED, MAM_ERR_DENIED (an extension), MAM_ERR_STORAGE…
 *  In:      account  registered (with wipe also one unenrolled without), or known by
 *                    mam_register_account.
 *           wipe     1 also wipes, as mam_wipe_account.
 *  Out:     op  ends with 104, or 215 if the wipe failed.
 *  Mirrors: deRegisterAndUnenrollAccountId:withWipe:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_deregister_and_unenroll(
    mam_t *m, const char *account, mam_bool wipe, int64_t *op) MAM_CHECK_RESULT;

/** Ask the authority now for policy and commands.
 *  Returns: MAM_OK, MAM_ERR_STORAGE…
 *  In:      account  enrolled, or NULL for all.
 *  Out:     op  ends with 100, 101, 102 or 103, or the failure (223: an extension); with NULL, the
 *               worst of them.
 *  Mirrors: the Intune App SDK's check-in. Since: MAM_0 */
MAM_API mam_status mam_check_in(mam_t *m, const char *account, int64_t *op) MAM_CHECK_RESULT;

/** Forget the authority that this app trusts at authority.path: the next one found there is trusted
 *  (or one of authority.keys, if given). Accounts enrolled with it are unenrolled at once and stay
 *  closed with all their data, which is not deleted, until they enroll with the same authority
 *  again; another authority gets none of it.
 *
 *  Returns: MAM_OK, MAM_ERR_DENIED (an extension), MAM_ERR_STORAGE…
 *  Since:   MAM_0
 */
MAM_API mam_status mam_forget_authority(mam_t *m) MAM_CHECK_RESULT;

/** Wait for an operation. Without a worker, this call does the work.
 *
 *  {"accountId","upn","identity","code","name","didSucceed","message","time","userMessage",
 *  "messageKey"}: identity is the UPN too, code and name are in docs/status-codes.md. mam_launch
 *  and mam_set_ui_identity describe their own results.
 *
 *  Returns: MAM_OK             it ended: read didSucceed.
 *           MAM_ERR_TIMEOUT    not yet.
 *           MAM_ERR_GONE       it ended, and 256 others have ended since.
 *           MAM_ERR_NOT_FOUND  no such operation.
 *           MAM_ERR_DEADLOCK, MAM_ERR_INTERRUPTED.
 *  In:      timeout_ms  -1 for ever, 0 poll.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_wait(mam_t *m, int64_t op, int32_t timeout_ms, char **status_json)
    MAM_CHECK_RESULT;

/** Do due work: operations, check-ins, retries, unfinished wipes, changes of other processes. With
 *  a worker: wakes it and waits for nothing. A wipe that an administrator requested comes with the
 *  next check-in: mam_check_in asks now.
 *  Returns: MAM_OK, MAM_ERR_DEADLOCK (from a callback), MAM_ERR_INTERRUPTED.
 *  Since: MAM_0 */
MAM_API mam_status mam_run_due(mam_t *m);

/** Registered accounts, with the enrolled ones: [{"accountId","upn","tenantId",
 *  "state":"registered|enrolled|wiping","managed":true,"test":false,"lastCheckIn","lastAttempt",
 *  "nextCheckIn","lastCode","lastMessage"}…]. lastCheckIn is the last that the authority answered;
 *  lastAttempt is the latest request and lastCode its result; lastMessage is null unless it failed.
 *  "test": enrolled by a test policy.
 *  Returns: MAM_OK… Mirrors: registeredAccountIds. Since: MAM_0 */
MAM_API mam_status mam_registered_accounts(mam_t *m, char **json) MAM_CHECK_RESULT;

/** The registered account of a name, in the same form, or null (also for a name that
 *  mam_register_account made known): the UPN of an account id, and the other way round. A former
 *  UPN counts (see "Renamed" at the top).
 *  Returns: MAM_OK… (also for a name that is unknown) Since: MAM_0 */
MAM_API mam_status mam_registered_account(mam_t *m, const char *account, char **json)
    MAM_CHECK_RESULT;

/** The enrolled ones, in the same form.
 *  Returns: MAM_OK… Mirrors: enrolledAccountIds. Since: MAM_0 */
MAM_API mam_status mam_enrolled_accounts(mam_t *m, char **json) MAM_CHECK_RESULT;

/** The one enrolled account of a host without MultiManagedIdentities, or null.
 *  Returns: MAM_OK… Mirrors: primaryAccountId, enrolledAccountId. Since: MAM_0 */
MAM_API mam_status mam_primary_account(mam_t *m, char **json) MAM_CHECK_RESULT;

/** How the account of a name left this app, for data that the host keeps elsewhere: null, or
 *  {"end":"wiped|unenrolled","reason","time","userMessage","messageKey"}. Ask at each start about
 *  each account of which you have data: an event goes to one reader, and a host that was killed may
 *  not be it. No reading ends this answer; that the account is enrolled again does, as "Retired" at
 *  the top says. Names of this app only. "wiped" is said from the destruction of its keys on, with
 *  the reason of wipeDidComplete; the reason of "unenrolled" is null. null: it has not left, was
 *  never managed here, the name was older than its last 16, or more than 1000 names have left
 *  since.
 *
 *  Returns: MAM_OK… (also for a name that is unknown)
 *  Out:     json  "time" is null until the wipe is in the state. Since: MAM_0 */
MAM_API mam_status mam_former_account(mam_t *m, const char *account, char **json) MAM_CHECK_RESULT;

/** null: any account may sign in; else only those listed: ["ann@contoso.example"…]; sign others
 *  out. From device.managedAppConfig (IntuneMAMAllowedAccountsOnly, IntuneMAMUPN, IntuneMAMOID).
 *  Returns: MAM_OK… Mirrors: allowedAccounts. Since: MAM_0 */
MAM_API mam_status mam_allowed_accounts(mam_t *m, char **json) MAM_CHECK_RESULT;

/** The account that the device is enrolled with: {"accountId":"…","upn":"…"} or null. From
 *  device.mdmAccountId; "upn" is null if neither the state nor device.managedAppConfig has it.
 *  Returns: MAM_OK… Mirrors: mdmEnrolledAccountId. Since: MAM_0 */
MAM_API mam_status mam_mdm_account(mam_t *m, char **json) MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 5. Identity: the account that the host acts for, of a thread, a window or the process.
 *
 * | for                  | the first one set of                                                  |
 * | -------------------- | --------------------------------------------------------------------- |
 * | a UI task            | the calling thread's, the window's, the default window's, the         |
 * |                      | process's                                                             |
 * | a file task          | the calling thread's, the process's                                   |
 *
 * None of it is stored or visible to other sessions and processes. There is no main thread.
 */

enum { MAM_TASK_UI = 0, MAM_TASK_FILE = 1 };

/* How an identity switch ended. */
enum {
    MAM_SWITCH_SUCCESS = 0,
    MAM_SWITCH_CANCELED = 1,
    MAM_SWITCH_NOT_ALLOWED = 2,
    MAM_SWITCH_FAILED = 3
};

/** Set the process's identity, which applies where no nearer one is set; NULL clears it.
 *  Returns: MAM_OK… Mirrors: setProcessAccountId. Since: MAM_0 */
MAM_API mam_status mam_set_process_identity(mam_t *m, const char *account) MAM_CHECK_RESULT;

/** The process's identity: null, "" or a name. If the host set none and the setting MultiIdentity
 *  is false: the only enrolled account.
 *  Returns: MAM_OK… Mirrors: getProcessAccountId. Since: MAM_0 */
MAM_API mam_status mam_process_identity(mam_t *m, char **json) MAM_CHECK_RESULT;

/** Show other accounts in a window; show their content only after success.
 *
 *  null forgets the window. The operation ends with {"result":0,"name":"success",
 *  "didSucceed":true,"identities","window","message","time","userMessage","messageKey"}:
 *    0 success
 *    1 canceled    a later switch of the window was requested before this one was carried out; or a
 *                  person did not pass an account's checks.
 *    2 notAllowed  the calling thread carries another identity; or, without the setting
 *                  MultiManagedIdentities, more than one of the accounts is managed, or one belongs
 *                  to another user of the organisation (by tenant or the domain of the UPN) whose
 *                  account is enrolled.
 *    3 failed      an account is blocked or being wiped; or there is no room for the window.
 *  The accounts first pass the checks of mam_launch, with their prompts and consequences. Only
 *  success changes what the window shows.
 *
 *  A wiped or unenrolled account leaves every window, at the latest with the event that reports it:
 *  a window that showed it alone shows "". For a blocked one blockAccount is asked, then
 *  identitySwitch; one that the host does not hide stays shown, with the event warning.
 *
 *  Returns: MAM_OK             *op was started.
 *           MAM_ERR_JSON       identities_json is not null, a string or an array of strings.
 *           MAM_ERR_ARGUMENT   an account's or the window's name is invalid.
 *           MAM_ERR_NO_SPACE   4096 windows have an identity, or 1024 operations have not ended.
 *  In:      identities_json  as at the top.
 *  Mirrors: setUIPolicyAccountId(s):forWindow:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_set_ui_identity(
    mam_t *m, const char *window, const char *identities_json, int64_t *op) MAM_CHECK_RESULT;

/** Ask to open a link of an account in a window: the sender's, for a link of another app, or that
 *  of the data with the link. Open it only after success.
 *
 *  The operation ends as that of mam_set_ui_identity. It succeeds at once if the window, in the
 *  order of a UI task, shows the account, or accounts whose policy receives data of an unmanaged
 *  user. Else identitySwitch with openURL is asked, and the window switches as by
 *  mam_set_ui_identity. If the answer is no or absent, or the setting MultiIdentity is false, it
 *  ends with notAllowed (2), and the window stays. mam_policy_url decides whether the account may
 *  open the URL.
 *
 *  Returns: MAM_OK             *op was started.
 *           MAM_ERR_ARGUMENT   url is NULL, not UTF-8 or longer than MAM_URL_MAX; a name is
 *                              invalid.
 *           MAM_ERR_NO_SPACE   as mam_set_ui_identity.
 *  In:      window   NULL is the default one.
 *           account  the account of the link; NULL if unknown.
 *           url      for the question only: it is neither opened nor judged.
 *  Mirrors: getAccountIdForCurrentActivity, and the switch that the Intune App SDK requests when a
 *           URL of another account is opened.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_open_url(
    mam_t *m, const char *window, const char *account, const char *url, int64_t *op)
    MAM_CHECK_RESULT;

/** The identities of a window, as an array; null if none was set for this window.
 *  Returns: MAM_OK… Mirrors: getUIPolicyAccountIdsForWindow. Since: MAM_0 */
MAM_API mam_status mam_ui_identity(mam_t *m, const char *window, char **json) MAM_CHECK_RESULT;

/** Set the calling thread's identity until it is popped; at most 1024 nest. Other threads, also
 *  those it starts, do not see it. NULL: not set, whatever lies below.
 *  Returns: MAM_OK; MAM_ERR_NO_SPACE (too deep). Mirrors: setCurrentThreadAccountId:forScope:.
 *  Since: MAM_0 */
MAM_API mam_status mam_push_thread_identity(mam_t *m, const char *account) MAM_CHECK_RESULT;

/** Pop the latest; inside mam_run_as and mam_identity_run only what was pushed there.
 *  Returns: MAM_OK; MAM_ERR_NOT_FOUND (there is none). Since: MAM_0 */
MAM_API mam_status mam_pop_thread_identity(mam_t *m);

/** Called by mam_run_as and mam_identity_run; must not unwind or longjmp. */
typedef void mam_run_fn(void *arg);

/** Call fn on this thread with an identity; identities that it leaves pushed are popped. It is not
 *  a callback: fn may call every function, mam_wait and mam_close too.
 *  Returns: MAM_OK; without a call of fn, MAM_ERR_ARGUMENT and the others of
 *           mam_push_thread_identity.
 *  In:      arg  passed to fn.
 *  Mirrors: setCurrentThreadAccountId:forScope:. Since: MAM_0 */
MAM_API mam_status mam_run_as(mam_t *m, const char *account, mam_run_fn *fn, void *arg)
    MAM_CHECK_RESULT;

/** Capture the calling thread's identity, set or not, for work on another thread.
 *  Returns: MAM_OK; MAM_ERR_NO_SPACE (a million handles are open).
 *  Out:     identity  release with mam_identity_release.
 *  Mirrors: the Intune App SDK's propagation of thread identity to queued work. Since: MAM_0 */
MAM_API mam_status mam_identity_capture(mam_t *m, mam_identity_t **identity) MAM_CHECK_RESULT;

/** As mam_run_as with a captured identity; any number of times, on any threads at once.
 *  Returns: as mam_run_as. Since: MAM_0 */
MAM_API mam_status mam_identity_run(const mam_identity_t *identity, mam_run_fn *fn, void *arg)
    MAM_CHECK_RESULT;

/** Release; NULL and repeated release are allowed; running calls continue. Since: MAM_0 */
MAM_API void mam_identity_release(mam_identity_t *identity);

/** The account that the calling thread acts for: null (not set), "" or a name; an array if a window
 *  shows several.
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT (no such task).
 *  In:      task    MAM_TASK_UI or MAM_TASK_FILE.
 *           window  NULL is the default window; ignored for a file task.
 *  Mirrors: getCurrentThreadAccountId and the Intune App SDK's order of identities.
 *  Since: MAM_0 */
MAM_API mam_status mam_effective_identity(mam_t *m, int32_t task, const char *window, char **json)
    MAM_CHECK_RESULT;

/** The account is under policy, or its wipe is under way. 0 for a personal name, and for an
 *  enrolled account that no policy reaches (103): mam_enrolled_accounts has it with
 *  "managed":false. 1 for what is no name, which mam_protect of one byte reports.
 *  Closed: 1.
 *  Mirrors: isAccountIdManaged. Since: MAM_0 */
MAM_API mam_bool mam_is_account_managed(mam_t *m, const char *account);

/** Any account is under policy, or the setting MAMPolicyRequired is set. Closed: 1.
 *  Mirrors: isManagementEnabled. Since: MAM_0 */
MAM_API mam_bool mam_is_management_enabled(mam_t *m);

/** Two names mean the same account: they are equal, or the account id and UPN of an account that
 *  this app knows. Closed: 0. Mirrors: isIdentity:equalTo:. Since: MAM_0 */
MAM_API mam_bool mam_identity_equal(mam_t *m, const char *account, const char *other);

/* Why an account must be hidden, and is closed: docs/launch.md. LAUNCH_CANCELED where a person did
 * not show what was asked for. */
enum {
    MAM_BLOCK_NONE = 0,
    MAM_BLOCK_CONDITIONAL_LAUNCH = 1,
    MAM_BLOCK_LAUNCH_CANCELED = 2,
    MAM_BLOCK_CLOCKED_OUT = 3
};

/** Accounts that must be hidden: [{"accountId","upn",
 *  "reason":"conditionalLaunchBlocked|conditionalLaunchCanceled|clockedOut","blockReason":1}…].
 *  Each is closed: reads fail and predicates return their closed values. In every session of the
 *  app: an account whose user the authority last called disabled, if its policy has an action for
 *  that (appActionIfUnableToAuthenticateUser); offline for too long; with data that does not verify
 *  or without its policy yet; not allowed on this device; or being wiped. In this session: one that
 *  a launch, resume or switch blocked, or whose prompt a person did not pass.
 *  Returns: MAM_OK… Mirrors: blockedAccountIds. Since: MAM_0 */
MAM_API mam_status mam_blocked_accounts(mam_t *m, char **json) MAM_CHECK_RESULT;

/** The reason to hide an account: MAM_BLOCK_*.
 *  Out:     reason  MAM_BLOCK_NONE on failure.
 *  Mirrors: blockedReasonForAccountId. Since: MAM_0 */
MAM_API mam_status mam_blocked_reason(mam_t *m, const char *account, int32_t *reason)
    MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 6. Policy
 */

/** The policy of one account; follows every change by any process. After its account is wiped or
 *  unenrolled it is lock-down (every closed value).
 *  Returns: MAM_OK…
 *  Mirrors: policyForAccountId. Since: MAM_0 */
MAM_API mam_status mam_policy_for_account(mam_t *m, const char *account, mam_policy_t **policy)
    MAM_CHECK_RESULT;

/** The policy of several accounts shown together: lock-down if any is managed, never a merge. Names
 *  of one account count once; for one account it is mam_policy_for_account's.
 *  Returns: as mam_policy_for_account; MAM_ERR_JSON (accounts_json is not null, a string or an
 *           array of strings).
 *  In:      accounts_json  identities as at the top; null is no account, unmanaged.
 *  Mirrors: policyForAccountIds. Since: MAM_0 */
MAM_API mam_status mam_policy_for_accounts(
    mam_t *m, const char *accounts_json, mam_policy_t **policy) MAM_CHECK_RESULT;

/** The policy of the calling thread's effective identity in a window (a UI task, section 5): ask
 *  again after a switch.
 *  Returns: as mam_policy_for_account.
 *  Mirrors: policy, policyForWindow. Since: MAM_0 */
MAM_API mam_status mam_policy_current(mam_t *m, const char *window, mam_policy_t **policy)
    MAM_CHECK_RESULT;

enum { MAM_SOURCE_MDM = 0, MAM_SOURCE_MAM = 1, MAM_SOURCE_OTHER = 2, MAM_SOURCE_TEST = 3 };

/** The source of policy, for logs: MAM_SOURCE_TEST if any account has a test policy, else
 *  MAM_SOURCE_MAM if any has a policy, else MAM_SOURCE_OTHER. This version takes none from a
 *  device's management.
 *  Returns: MAM_OK… Out: source, 0 on failure. Mirrors: mamPolicySource. Since: MAM_0 */
MAM_API mam_status mam_policy_source(mam_t *m, int32_t *source) MAM_CHECK_RESULT;

/** Release; NULL and repeated release are allowed. Since: MAM_0 */
MAM_API void mam_policy_release(mam_policy_t *policy);

/* Predicates: no lock, allocation or system call while nothing has changed (but for
 * mam_policy_can_receive_data of a container, which is verified, and for links, which are read).
 * After a change made anywhere, the next one waits for the new answers, at most a second, then
 * gives the closed value (MAM_ERR_BUSY). So does mam_policy_notification. */

/** A PIN guards this account's data. Closed: 1. Mirrors: isPINRequired. Since: MAM_0 */
MAM_API mam_bool mam_policy_is_pin_required(const mam_policy_t *policy);
/** Web links go to a managed browser. Closed: 1. Mirrors: isManagedBrowserRequired. Since: MAM_0 */
MAM_API mam_bool mam_policy_is_managed_browser_required(const mam_policy_t *policy);
/** Contacts may go to the system's address book. Closed: 0. Mirrors: isContactSyncAllowed.
 *  Since: MAM_0 */
MAM_API mam_bool mam_policy_is_contact_sync_allowed(const mam_policy_t *policy);
/** Data may show in widgets and side surfaces. Closed: 0. Mirrors: isWidgetContentSyncAllowed.
 *  Since: MAM_0 */
MAM_API mam_bool mam_policy_is_widget_content_sync_allowed(const mam_policy_t *policy);
/** Data may enter the system's search index. Closed: 0. Mirrors: isSpotlightIndexingAllowed.
 *  Since: MAM_0 */
MAM_API mam_bool mam_policy_is_indexing_allowed(const mam_policy_t *policy);
/** Voice assistants may act on data. Closed: 0. Mirrors: areSiriIntentsAllowed. Since: MAM_0 */
MAM_API mam_bool mam_policy_are_assistant_intents_allowed(const mam_policy_t *policy);
/** Automation may act on data. Closed: 0. Mirrors: areAppIntentsAllowed. Since: MAM_0 */
MAM_API mam_bool mam_policy_are_app_intents_allowed(const mam_policy_t *policy);
/** Data may be offered to other programs at all. Closed: 0. Mirrors: isAppSharingAllowed.
 *  Since: MAM_0 */
MAM_API mam_bool mam_policy_is_app_sharing_allowed(const mam_policy_t *policy);
/** The host must encrypt the files it keeps. Closed: 1. Mirrors: isFileEncryptionRequired.
 *  Since: MAM_0 */
MAM_API mam_bool mam_policy_is_file_encryption_required(const mam_policy_t *policy);
/** Files handed to other programs must be encrypted. Closed: 1.
 *  Mirrors: shouldFileProviderEncryptFiles. Since: MAM_0 */
MAM_API mam_bool mam_policy_should_file_provider_encrypt(const mam_policy_t *policy);
/** The screen may be captured. Closed: 0. Mirrors: isScreenCaptureAllowed. Since: MAM_0 */
MAM_API mam_bool mam_policy_is_screen_capture_allowed(const mam_policy_t *policy);
/** Data may be printed. Closed: 0. Mirrors: the print block. Since: MAM_0 */
MAM_API mam_bool mam_policy_is_print_allowed(const mam_policy_t *policy);
/** Data may enter backups. Closed: 0. Mirrors: the backup block. Since: MAM_0 */
MAM_API mam_bool mam_policy_is_backup_allowed(const mam_policy_t *policy);
/** Third-party input methods may be used; an enrolled account's block also applies to unmanaged
 *  ones. Closed: 0.
 *  Mirrors: the third-party keyboard block. Since: MAM_0 */
MAM_API mam_bool mam_policy_are_third_party_keyboards_allowed(const mam_policy_t *policy);

/** Document picker modes. */
enum { MAM_PICKER_IMPORT = 0, MAM_PICKER_OPEN = 1, MAM_PICKER_EXPORT = 2, MAM_PICKER_MOVE = 3 };

/** A picker may be shown in this MAM_PICKER_* mode. Closed: 0. Mirrors: isDocumentPickerAllowed.
 *  Since: MAM_0 */
MAM_API mam_bool mam_policy_is_document_picker_allowed(const mam_policy_t *policy, int32_t mode);

/** Save locations. The numbers differ from MAM_OPEN_*: never mix them. */
typedef enum mam_save_location {
    MAM_SAVE_OTHER = 0,
    MAM_SAVE_ONEDRIVE_FOR_BUSINESS = 1 << 0,
    MAM_SAVE_SHAREPOINT = 1 << 1,
    MAM_SAVE_BOX = 1 << 2,
    MAM_SAVE_DROPBOX = 1 << 3,
    MAM_SAVE_GOOGLE_DRIVE = 1 << 4,
    MAM_SAVE_LOCAL_DRIVE = 1 << 5,
    MAM_SAVE_CAMERA_ROLL = 1 << 6,
    MAM_SAVE_ACCOUNT_DOCUMENT = 1 << 7,
    MAM_SAVE_IMANAGE = 1 << 8,
    MAM_SAVE_EGNYTE = 1 << 9,
    MAM_LOCATION_SAVE_INT32 = -0x7fffffff - 1 /* no location: gives the type all of int32_t */
} mam_save_location;

/** Open locations. */
typedef enum mam_open_location {
    MAM_OPEN_OTHER = 0,
    MAM_OPEN_ONEDRIVE_FOR_BUSINESS = 1 << 0,
    MAM_OPEN_SHAREPOINT = 1 << 1,
    MAM_OPEN_CAMERA = 1 << 2,
    MAM_OPEN_LOCAL_STORAGE = 1 << 3,
    MAM_OPEN_PHOTOS = 1 << 4,
    MAM_OPEN_ACCOUNT_DOCUMENT = 1 << 5,
    MAM_OPEN_BOX = 1 << 6,
    MAM_OPEN_IMANAGE = 1 << 7,
    MAM_OPEN_EGNYTE = 1 << 8,
    MAM_LOCATION_OPEN_INT32 = -0x7fffffff - 1 /* no location: gives the type all of int32_t */
} mam_open_location;

/* Static assertions, also before C11: neither compiles where the type has another size. */
typedef char mam_save_location_is_32_bits[sizeof(mam_save_location) == sizeof(int32_t) ? 1 : -1];
typedef char mam_open_location_is_32_bits[sizeof(mam_open_location) == sizeof(int32_t) ? 1 : -1];

/** This account's data may be saved to a location. Ask for unmanaged accounts too: the location's
 *  account may have a policy that forbids it. Closed: 0.
 *  In:      location  one MAM_SAVE_*.
 *           account   the location's account; NULL unknown. MAM_SAVE_LOCAL_DRIVE and
 *                     MAM_SAVE_CAMERA_ROLL have none: naming one is refused.
 *  Mirrors: isSaveToAllowedForLocation:withAccountId:. Since: MAM_0 */
MAM_API mam_bool mam_policy_is_save_to_allowed(
    const mam_policy_t *policy, mam_save_location location, const char *account);

/** Data of a location may be opened into this account. Closed: 0.
 *  In:      location  one MAM_OPEN_*.
 *           account   as above; camera, photos and local storage have none.
 *  Mirrors: isOpenFromAllowedForLocation:withAccountId:. Since: MAM_0 */
MAM_API mam_bool mam_policy_is_open_from_allowed(
    const mam_policy_t *policy, mam_open_location location, const char *account);

/** This account may receive these bytes: a container of mam_protect counts as its owner's data,
 *  anything else as unknown. Closed: 0. In: data, length bytes. Mirrors:
 *  canReceiveSharedItemProvider.
 *  Since:   MAM_0 */
MAM_API mam_bool mam_policy_can_receive_data(
    const mam_policy_t *policy, const uint8_t *data, size_t length);

/** This account may receive this file. It counts as its owner's data if the owner is certain:
 *  mam_file_info says authenticated without disagreement, or it is a container verified by a key
 *  held here, an exchange key too. Else it counts as unknown. Closed: 0, also if there is no such
 *  file.
 *  In:      path  as for mam_file_protect.
 *  Mirrors: canReceiveSharedFile:. Since: MAM_0 */
MAM_API mam_bool mam_policy_can_receive_file(const mam_policy_t *policy, const char *path);

/** Maximum length of a URL in bytes without the NUL; a longer one is MAM_ERR_ARGUMENT. */
#define MAM_URL_MAX 1048576

/** A URL may be opened as it is; if not, mam_policy_url lists alternatives. Text that is not a URL,
 *  or is ambiguous, is refused. Closed: 0.
 *  In:      url                   as it would be opened.
 *           known_managed_scheme  1 if the host knows that a managed app takes it.
 *  Mirrors: isURLAllowed:isKnownManagedAppScheme:. Since: MAM_0 */
MAM_API mam_bool mam_policy_is_url_allowed(
    const mam_policy_t *policy, const char *url, mam_bool known_managed_scheme);

/** An app, rather than a browser, may open a web link. Closed: 0.
 *  Mirrors: isUniversalLinkAllowed:. Since: MAM_0 */
MAM_API mam_bool mam_policy_is_universal_link_allowed(const mam_policy_t *policy, const char *url);

/** The decision about a URL: {"allowed":true}, or {"allowed":false,
 *  "instead":["microsoft-edge-https-intunemam://…","microsoft-edge-https://…"],"reason":{…}}.
 *  "instead" lists URLs that may be opened in its place without another question, best first: open
 *  the first whose scheme an app handles; none if it is empty. On Linux `xdg-mime query default
 *  x-scheme-handler/SCHEME` prints that app's desktop entry, or nothing. The reason is
 *  mam_policy_check's; "setting" is null if it is not a URL.
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT (NULL, not UTF-8, too long)… Mirrors: the result of openURL:.
 *  Since: MAM_0 */
MAM_API mam_status mam_policy_url(const mam_policy_t *policy, const char *url, char **json)
    MAM_CHECK_RESULT;

/** Notification content, from loose to strict. */
enum {
    MAM_NOTIFICATION_ALLOW = 0,
    MAM_NOTIFICATION_BLOCK_ORG_DATA = 1, /* text without organisation data */
    MAM_NOTIFICATION_BLOCK = 2
};

/** The content that notifications about this account's data may show: MAM_NOTIFICATION_*. As cheap
 *  as a predicate. Closed: MAM_NOTIFICATION_BLOCK. Mirrors: notificationPolicy. Since: MAM_0 */
MAM_API int32_t mam_policy_notification(const mam_policy_t *policy);

/** Whether a text of this account may be pasted: {"allowed":true,"limit":null},
 *  {"allowed":true,"limit":100} or {"allowed":false,"limit":100,"reason":{…}}. "limit" is the
 *  maximum number of characters, or null. Within one account everything may be pasted. Ask before
 *  text goes to a shared clipboard, and before foreign text is pasted: with the handle of the
 *  source account (of NULL if unknown) and the receiving account.
 *  Returns: MAM_OK…
 *  In:      account  the receiver; NULL an unknown program or account, "" no user.
 *           length   Unicode code points.
 *  Out:     json  yours; the reason is mam_policy_check's.
 *  Since:   MAM_0 */
MAM_API mam_status mam_policy_clipboard(
    const mam_policy_t *policy, const char *account, size_t length, char **json)
    MAM_CHECK_RESULT;

/** Permissions of a web viewer inside the app that is used for this account.
 *
 *  viewer_json: {"policy":"currentIdentity","url":"https://…","external":false}, every key
 *  optional:
 *    policy    unset (the default: unmanaged if the setting TreatAllWebViewsAsUnmanaged is true,
 *              else currentIdentity), unmanaged, currentIdentity, or currentIdentityBlockUpload
 *              (without uploads)
 *    url       the URL to open
 *    external  the URL is outside the organisation: true, false (the default), or "ask": the
 *              question isExternalURL is asked now, and no answer counts as true
 *  The reply: {"identity":"ann-id","external":false,"upload":{"allowed":true},
 *  "paste":{"allowed":true,"limit":null},"url":{"allowed":true}}. "identity" is the viewer's
 *  account, "" none, null if the handle has several. "upload" is for files, "paste" is
 *  mam_policy_clipboard's answer for text of any length, "url" mam_policy_url's. Refusals have
 *  reasons. Schemes in the setting WebViewHandledURLSchemes stay in the viewer.
 *  Returns: MAM_OK; MAM_ERR_JSON…
 *  Mirrors: setWebViewPolicy, WebViewPolicyDelegate.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_policy_web_view(
    const mam_policy_t *policy, const char *viewer_json, char **json)
    MAM_CHECK_RESULT;

/** Filter programs: those that this account's data may be shared with.
 *
 *  targets_json is an array of at most 10,000 targets: {"appId":"com.example.mail"},
 *  {"executable":"/usr/bin/mail"} or {"scheme":"mailto"}, each with an optional "identity": the
 *  receiving account. The reply: {"remaining":[{"index":0,"target":{…}}…],"removed":[{"index":1,
 *  "target":{…},"reason":{…}}…]}, in their order. If the policy requires managed apps, a target
 *  remains if the registry (mam_managed_apps) has it as managed with an account of the same tenant.
 *  A target with a retired or unknown "identity" is removed. Ask before each sharing.
 *  Returns: MAM_OK; MAM_ERR_JSON; MAM_ERR_ARGUMENT (too many)…
 *  Mirrors: filtering of the share sheet.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_policy_filter_share_targets(
    const mam_policy_t *policy, const char *targets_json, char **json)
    MAM_CHECK_RESULT;

/** The registry: apps of the group that registered themselves as managed, by id:
 *  [{"appId","managed":true,"problem":null,"executables":["/usr/bin/…"…],"accounts":[{"accountId",
 *  "upn","tenantId"}…]}…]. "managed" is false, with the reason in "problem", for an entry that does
 *  not verify, an app without a policy of the authority, and one whose program changed since its
 *  last check-in. An app registers at a check-in that brings policy and leaves with its last
 *  managed account. docs/threat-model.md states the limits against other programs of the same user.
 *  Returns: MAM_OK… Since: MAM_0 */
MAM_API mam_status mam_managed_apps(mam_t *m, char **json) MAM_CHECK_RESULT;

/** Whether one program is managed: app_json is {"appId":"…"}, {"executable":"/…"} or {"pid":123}.
 *  The reply: {"managed":true,"apps":["com.example.mail"],"problem":null}, or false with the
 *  problem. An interpreter (Python, a shell, a Java machine…) never counts as managed by its
 *  executable or process, because it runs arbitrary programs.
 *  Returns: MAM_OK; MAM_ERR_JSON… Since: MAM_0 */
MAM_API mam_status mam_managed_app(mam_t *m, const char *app_json, char **json) MAM_CHECK_RESULT;

/** The answers for all locations: {"other":false,"oneDriveForBusiness":true,"sharePoint":true,
 *  "box":false,"dropbox":false,"googleDrive":false,"localDrive":false,"cameraRoll":false,
 *  "accountDocument":true,"iManage":false,"egnyte":false}, each as the predicate's.
 *  Returns: MAM_OK… Mirrors: getSaveToLocationsForAccountId. Since: MAM_0 */
MAM_API mam_status mam_policy_save_to_locations(
    const mam_policy_t *policy, const char *account, char **json) MAM_CHECK_RESULT;

/** The same for opening: other, oneDriveForBusiness, sharePoint, camera, localStorage, photos,
 *  accountDocument, box, iManage, egnyte.
 *  Returns: as mam_policy_save_to_locations. Mirrors: getOpenFromLocationsForAccountId.
 *  Since: MAM_0 */
MAM_API mam_status mam_policy_open_from_locations(
    const mam_policy_t *policy, const char *account, char **json) MAM_CHECK_RESULT;

/** The effective policy: {"accountId","managed":true,"lockDown":false,"policies":[{"id","name",
 *  "platform"}…],"settings":[{"setting","value","policyId","policyName","alsoIn":["id"…]}…],
 *  "conflicts":[{"setting","values":[{"value","policyId"}…],"chosen"}…],"source":"authority|test"};
 *  "source" is null in lock-down and for unmanaged accounts. A setting lowered for the app has
 *  "cappedBy", the IntuneMAMSettings key that lowered it. One whose value was not understood, and
 *  counts as the strictest, has "misreadIn", the ids of the policies with that value.
 *  Returns: MAM_OK… Since: MAM_0 */
MAM_API mam_status mam_policy_json(const mam_policy_t *policy, char **json) MAM_CHECK_RESULT;

/** Ask any decision, with its reason.
 *
 *  request_json is one request or an array of at most 1000; the reply has the same shape. A
 *  request: {"action":"saveTo","account":"ann@contoso.example","location":"localDrive",
 *  "locationAccount":null}
 *  account is required and may be null or "". Actions (others are MAM_ERR_ARGUMENT), named as the
 *  predicates: saveTo, openFrom (location, optional locationAccount); documentPicker (mode: import,
 *  open, export, move); receive (sender: an account, "" or null); url (url, optional
 *  knownManagedScheme: true; answered as by mam_policy_url), universalLink (url); clipboard (length
 *  and either receiver or sender: an account, "" or null; answered as by mam_policy_clipboard);
 *  notification (any), notificationOrgData (with organisation data); print, backup, screenCapture,
 *  contactSync, widgetContentSync, indexing, assistantIntents, appIntents, appSharing,
 *  thirdPartyKeyboards; and, answered by "required", pinRequired, managedBrowserRequired,
 *  fileEncryptionRequired, fileProviderEncrypt.
 *  The reply: {"allowed":true} or {"allowed":false,"reason":{"setting":"saveAsBlocked",
 *  "value":true,"policyId":"…","policyName":"…","message":"…","alsoIn":[…],"userMessage":"…",
 *  "messageKey":"refusedSaveToLocalDrive"}}; for "required" {"required":true,"reason":{…}} or
 *  {"required":false}. The reason names the one setting whose neutral value alone would reverse the
 *  decision; "setting" is null if none did (a location with an account that it cannot have). In
 *  lock-down "check" is the mam_launch check that caused it, with its setting, value and policy as
 *  in the findings; absent, with "setting" null, for several accounts shown together and an account
 *  that has left.
 *
 *  Returns: MAM_OK, MAM_ERR_JSON…
 *  Since:   MAM_0
 */
MAM_API mam_status mam_policy_check(mam_t *m, const char *request_json, char **json)
    MAM_CHECK_RESULT;

/** mam_policy_check for one request, as a decision that needs no JSON reader.
 *  Returns: as mam_policy_check; MAM_ERR_JSON also for an array of requests.
 *  Since:   MAM_0 */
MAM_API mam_status mam_policy_decide(
    mam_t *m, const char *request_json, mam_decision_t **decision) MAM_CHECK_RESULT;

/** Questions of mam_policy_reason: the predicates without other arguments, the picker's modes, and
 *  notification content. */
enum {
    MAM_ASK_PIN_REQUIRED = 0,
    MAM_ASK_MANAGED_BROWSER_REQUIRED = 1,
    MAM_ASK_CONTACT_SYNC = 2,
    MAM_ASK_WIDGET_CONTENT_SYNC = 3,
    MAM_ASK_INDEXING = 4,
    MAM_ASK_ASSISTANT_INTENTS = 5,
    MAM_ASK_APP_INTENTS = 6,
    MAM_ASK_APP_SHARING = 7,
    MAM_ASK_FILE_ENCRYPTION_REQUIRED = 8,
    MAM_ASK_FILE_PROVIDER_ENCRYPT = 9,
    MAM_ASK_SCREEN_CAPTURE = 10,
    MAM_ASK_PRINT = 11,
    MAM_ASK_BACKUP = 12,
    MAM_ASK_THIRD_PARTY_KEYBOARDS = 13,
    MAM_ASK_PICKER_IMPORT = 14,
    MAM_ASK_PICKER_OPEN = 15,
    MAM_ASK_PICKER_EXPORT = 16,
    MAM_ASK_PICKER_MOVE = 17,
    MAM_ASK_NOTIFICATION = 18,         /* any at all */
    MAM_ASK_NOTIFICATION_ORG_DATA = 19 /* with the organisation's data in it */
};

/** A predicate's answer with its reason, both of one state of the policy, which may have changed
 *  since the predicate was called. Slower than the predicate.
 *  Returns: MAM_OK; MAM_ERR_BUSY (as a predicate)…
 *  In:      question  one MAM_ASK_*.
 *  Since:   MAM_0 */
MAM_API mam_status mam_policy_reason(
    const mam_policy_t *policy, int32_t question, mam_decision_t **decision) MAM_CHECK_RESULT;

/** As mam_policy_reason, of mam_policy_is_save_to_allowed.
 *  Returns: as mam_policy_reason.
 *  Since:   MAM_0 */
MAM_API mam_status mam_policy_save_to_reason(
    const mam_policy_t *policy, mam_save_location location, const char *account,
    mam_decision_t **decision) MAM_CHECK_RESULT;

/** As mam_policy_reason, of mam_policy_is_open_from_allowed.
 *  Returns: as mam_policy_save_to_reason.
 *  Since:   MAM_0 */
MAM_API mam_status mam_policy_open_from_reason(
    const mam_policy_t *policy, mam_open_location location, const char *account,
    mam_decision_t **decision) MAM_CHECK_RESULT;

/** As mam_policy_reason, of mam_policy_is_url_allowed; mam_policy_url lists alternatives.
 *  Returns: as mam_policy_reason.
 *  Since:   MAM_0 */
MAM_API mam_status mam_policy_url_reason(
    const mam_policy_t *policy, const char *url, mam_bool known_managed_scheme,
    mam_decision_t **decision) MAM_CHECK_RESULT;

/** The action is allowed; for a requirement (MAM_ASK_…_REQUIRED, MAM_ASK_FILE_PROVIDER_ENCRYPT):
 *  nothing is required. Closed: 0. Since: MAM_0 */
MAM_API mam_bool mam_decision_is_allowed(const mam_decision_t *decision);

/* The reason's texts. Each is "" where there is none: where it is allowed, and for a NULL, closed
 * or forked handle. Never NULL; borrowed until mam_decision_release. */

/** The setting that decided, as in mam_policy_check. Since: MAM_0 */
MAM_API const char *mam_decision_setting(const mam_decision_t *decision);
/** The name of its policy. Since: MAM_0 */
MAM_API const char *mam_decision_policy_name(const mam_decision_t *decision);
/** One line for an administrator or a log. Wording may change. Since: MAM_0 */
MAM_API const char *mam_decision_message(const mam_decision_t *decision);
/** One sentence for the person who uses the host, if libmam has one for this reason ("userMessage"
 *  of the JSON). Since: MAM_0 */
MAM_API const char *mam_decision_user_message(const mam_decision_t *decision);
/** The stable name of that sentence ("messageKey" of the JSON). Since: MAM_0 */
MAM_API const char *mam_decision_message_key(const mam_decision_t *decision);

/** The decision as mam_policy_check's reply.
 *  Since: MAM_0 */
MAM_API mam_status mam_decision_json(const mam_decision_t *decision, char **json) MAM_CHECK_RESULT;

/** Release; NULL and repeated release are allowed. Since: MAM_0 */
MAM_API void mam_decision_release(mam_decision_t *decision);

/* -------------------------------------------------------------------------------------------------
 * 7. Launch and PIN: docs/launch.md, docs/pin.md
 */

/** Check whether data may be shown. Call it at start, and show no account's data before it ended.
 *  "allowed" is for all data, and "warned" once the person has seen the warnings. Else the accounts
 *  that a finding names stay closed, the others and personal data are open, and a finding that is
 *  no warning and names no account ends the program.
 *
 *  With AutoEnrollOnLaunch it first enrolls, without asking a person: the device's account, else
 *  the only account that is registered and not enrolled, else, if none is registered, the one of
 *  the group's other apps (as mam_login_and_enroll with NULL). If that fails and MAMPolicyRequired
 *  is set, signIn asks a person. Due check-ins run. Then it checks the app and each enrolled
 *  account:
 *    library         block  the launch failed; the message says why. It names each enrolled
 *                           account, or none if these are not known
 *    policyRequired  block  MAMPolicyRequired is set, and no account of this app has a policy
 *    account         block  the account's data stays closed, or its policy has not come yet
 *    wipe            wipe   the account is already being wiped, for any reason
 *    deviceHealth, disabledAccount, threatLevel, deviceModel, sdkVersion, appVersion, osVersion,
 *    offlineWipe, offline, clockedOut, deviceLock: the action that the account's policies set
 *    pin, credentials  prompt  a person was asked and did not pass
 *    policyAbsent    warn   MAMPolicyWarnAbsent is set, and no account of this app has a policy
 *  A finding that wipes wipes its account (wipeDidComplete reports "conditionalLaunch"). Every
 *  enrolled account is checked for wipes and blocks. Prompts and warnings concern accounts in use:
 *  those of the process identity and of this session's windows; if neither is set, none in a
 *  MultiIdentity host, all in a host with one identity. If nothing blocks such an account, pin and
 *  authenticate ask what its policies require. Other accounts are asked for at a switch, and not
 *  closed before for lack of an answer.
 *
 *  mam_wait gives {"outcome":"allowed|warned|blocked|wiped","findings":[{"check":"osVersion",
 *  "action":"warn|prompt|block|wipe","setting":"minimumRequiredOsVersion","accountId","upn",
 *  "message","value","policyId","policyName","dismissed":false,"userMessage","messageKey"}…],
 *  "didSucceed":true,"time":"…","notApplicable":[{"setting","accountId","upn","policyId",
 *  "policyName","message","userMessage","messageKey"}…]}. Findings are complete, the most severe
 *  first, which decides the outcome; a prompt counts as a block. didSucceed is false for "blocked"
 *  and "wiped". Treat an unknown check or action as a block. notApplicable lists settings of other
 *  platforms' policies: neither passed nor failed. A warning about an account is shown once, and
 *  again when it changes. Findings report a failed enrollment.
 *
 *  An account found closed stays closed: it is in mam_blocked_accounts, its policy handles return
 *  closed values, reads fail with MAM_ERR_LOCKED, whose detail has "check", "setting",
 *  "value","policyId" and "policyName" (what only protects goes on, so that no data is lost:
 *  docs/launch.md), and blockAccount is asked about its windows. account, disabledAccount, offline
 *  and offlineWipe close it in every session of the app until the authority answers otherwise;
 *  other checks close it in this session until a later launch, resume or switch finds it open. A
 *  successful mam_pin_verify, mam_pin_set or mam_pin_reset opens an account that only the PIN
 *  closed in this session. Without mam_launch, mam_resume and mam_set_ui_identity only the first
 *  four close it.
 *
 *  Returns: MAM_OK, MAM_ERR_NO_SPACE.
 *  Mirrors: the Intune App SDK's launch: AutoEnrollOnLaunch, MAMPolicyRequired,
 *           MAMPolicyWarnAbsent, conditional launch.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_launch(mam_t *m, int64_t *op) MAM_CHECK_RESULT;

/** The host leaves the screen and counts as unused. Access that a person has shown for an account
 *  (PIN, sign-in) lasts for the group's apps until all have been unused for
 *  periodOnlineBeforeAccessCheck.
 *  Returns: MAM_OK; MAM_ERR_STORAGE… Mirrors: the Intune App SDK's inactivity timer. Since: MAM_0
 */
MAM_API mam_status mam_pause(mam_t *m);

/** The host is visible again: check as mam_launch does, without enrolling. After the inactivity
 *  timer the person is asked again, and the device checked again.
 *  Returns: MAM_OK, MAM_ERR_NO_SPACE.
 *  Out:     op  for mam_wait: ends as mam_launch does.
 *  Mirrors: the Intune App SDK's checks at resume. Since: MAM_0 */
MAM_API mam_status mam_resume(mam_t *m, int64_t *op) MAM_CHECK_RESULT;

/** The findings that a launch would have for one account now, without any effect: no question,
 *  check-in or wipe, no warning counts as shown ("dismissed" is true for those already shown), and
 *  the account is neither closed nor opened. Cheap: the result, with its "time", is reused until a
 *  new check would differ.
 *  Returns: MAM_OK; MAM_ERR_STORAGE…
 *  Out:     json  yours; the object that mam_launch describes.
 *  Since:   MAM_0 */
MAM_API mam_status mam_conditional_launch(mam_t *m, const char *account, char **json)
    MAM_CHECK_RESULT;

/** Report device health that libmam cannot detect, durably for every app of the group, until the
 *  next report replaces it ({} states nothing) or "validFor" is over. On failure the former one
 *  stays.
 *
 *  health_json, each key optional, an unknown one an error:
 *    {"threatLevel":"secured|low|medium|high", "compliant":true, "lock":"on|off|notApplicable",
 *     "signals":{"com.example.edr":"ok|fail|unknown|notApplicable",
 *                "com.example.usb":{"state":"fail","detail":"one line"}}, "validFor":"PT1H"}
 *  signals: at most 64; names of 3 to 64 of A-Z a-z 0-9 . _ - with a "." inside, which libmam's own
 *  signals lack; a detail of at most 512 bytes. docs/device-health.md lists what counts against the
 *  device; mam_diagnostics shows the current state.
 *
 *  Returns: MAM_OK; MAM_ERR_JSON (not JSON; a key is unknown or has the wrong type);
 *           MAM_ERR_ARGUMENT (an invalid value or signal name; the detail names the key);
 *           MAM_ERR_STORAGE…
 *  Mirrors: the threat level of a Mobile Threat Defense connector. Since: MAM_0
 */
MAM_API mam_status mam_report_device_health(mam_t *m, const char *health_json) MAM_CHECK_RESULT;

/* Whether the screen is locked. */
enum { MAM_SCREEN_UNKNOWN = 0, MAM_SCREEN_UNLOCKED = 1, MAM_SCREEN_LOCKED = 2 };

/** Report whether the screen is locked, durably for every app of the group, until the next report
 *  or a reboot. It counts in place of logind's LockedHint, which some screen lockers do not set;
 *  MAM_SCREEN_UNKNOWN withdraws it.
 *
 *  Ten seconds after the screen was locked, data of an account whose policy has
 *  appDataEncryptionType whenDeviceLocked is not read, unless the setting MaxFileProtectionLevel
 *  lowers that: mam_unprotect…, mam_file_open, _read and _pread, conversions, exports and databases
 *  fail with MAM_ERR_LOCKED (detail "reason":"screenLocked"), also where they were open. Under
 *  whenDeviceLockedExceptOpenFiles what was open goes on. Under both, writing and mam_protect… go
 *  on, and nothing is wiped. While neither a host nor logind says that the screen is locked,
 *  nothing is closed: docs/files.md.
 *
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT (no such state); MAM_ERR_STORAGE…
 *  In:      state  one MAM_SCREEN_*. A repeated one does not restart the ten seconds.
 *  Mirrors: the file protection classes of iOS, which MaxFileProtectionLevel caps. Since: MAM_0 */
MAM_API mam_status mam_report_screen_lock(mam_t *m, int32_t state) MAM_CHECK_RESULT;

/** The state of an account's PIN, which the apps of a group share; docs/pin.md.
 *  {"accountId":"…","upn":"…","state":"set","attemptsLeft":5,"expires":null,
 *  "rule":{"kind":"numeric|passcode","minimumLength":4,"simpleBlocked":false,"previousBlocked":0},
 *  "attempts":5,"atLimit":"reset|wipe","wipeAfter":null,"mayReset":false}.
 *  state: notRequired; notSet; set; expired, tooWeak (it must be changed); exhausted (the person
 *  must sign in). attemptsLeft is null without a PIN; rule, attempts and atLimit are null if no
 *  policy requires one. wipeAfter: the attempts after which a policy wipes, null for never; it
 *  exceeds attempts if another policy stops them earlier. mayReset: the person has signed in on
 *  this handle, and mam_pin_set needs no former PIN for ten minutes.
 *
 *  Returns: MAM_OK; MAM_ERR_NOT_ENROLLED (no such account here, or its policy has not come yet);
 *           MAM_ERR_TAMPERED (reset it)…
 *  Since:   MAM_0
 */
MAM_API mam_status mam_pin_status(mam_t *m, const char *account, char **json) MAM_CHECK_RESULT;

/** Set or change an account's PIN; the former one counts as an attempt, as in mam_pin_verify. Takes
 *  half a second.
 *
 *  Returns: MAM_OK             it is set, and counts as entered, as after mam_pin_verify.
 *           MAM_ERR_DENIED     detail.reason: unfit (detail.lacks lists faults of the new one:
 *                              tooShort, notDigits, noLetterOrSpecial, noDigit, noLetter,
 *                              noSpecial, simple, usedBefore), wrong (old is), oldRequired,
 *                              notRequired (no policy requires a PIN).
 *           MAM_ERR_LOCKED     no attempt is left: mam_pin_reset. This, like a wrong last attempt,
 *                              wipes the account if its policy says so (detail.wiped).
 *           MAM_ERR_NOT_FOUND  old is given, and none is set.
 *           MAM_ERR_BUSY       others keep trying PINs of this group.
 *           MAM_ERR_ARGUMENT   a PIN is empty, longer than MAM_PIN_MAX, not UTF-8, or has control
 *                              characters.
 *           MAM_ERR_NOT_ENROLLED, MAM_ERR_TAMPERED, MAM_ERR_CRYPTO (no memory for scrypt)…
 *  In:      old      old_length bytes of UTF-8; NULL if none is set, or the person has just signed
 *                    in (mam_pin_reset).
 *           new_pin  new_length bytes. libmam zeroes its copies; the caller zeroes its own.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_pin_set(
    mam_t *m, const char *account, const uint8_t *old, size_t old_length, const uint8_t *new_pin,
    size_t new_length)
    MAM_CHECK_RESULT;

/** Try an account's PIN. The attempt is counted, durably, before it is checked; a right one resets
 *  the count. A group makes one attempt at a time, each a quarter of a second, right or wrong.
 *
 *  Returns: MAM_OK             right: the account may be used, and is open if only the PIN closed
 *                              it in this session. Other causes stay.
 *           MAM_ERR_DENIED     wrong: detail.attemptsLeft; the last wrong one wipes the account if
 *                              its policy says so (detail.wiped). Or no policy requires a PIN
 *                              (detail.reason notRequired).
 *           MAM_ERR_LOCKED     detail.reason: exhausted (nothing was tried: mam_pin_reset;
 *                              detail.wiped as above), or expired or tooWeak (right; mam_pin_set
 *                              must change it before the account may be used).
 *           MAM_ERR_NOT_FOUND  none is set.
 *           MAM_ERR_BUSY, MAM_ERR_NOT_ENROLLED, MAM_ERR_TAMPERED, MAM_ERR_CRYPTO: as mam_pin_set;
 *           MAM_ERR_ARGUMENT is not an attempt.
 *  In:      pin  length bytes. libmam zeroes its copy; the caller zeroes its own.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_pin_verify(mam_t *m, const char *account, const uint8_t *pin, size_t length)
    MAM_CHECK_RESULT;

/** Set a new PIN for a person who forgot it or used up every attempt: authenticate asks the person
 *  to sign in, then pin asks for the new PIN. mam_wait gives
 *  {"result":"changed","didSucceed":true,"accountId":"…","upn":"…","message":"…","time":"…",
 *  "userMessage":"…","messageKey":"…"}. result: changed; signedIn (pin took its default:
 *  mam_pin_set accepts a new one for ten minutes, on this handle); canceled; otherAccount; failed
 *  (message says why). changed opens what the PIN closed in this session, as mam_pin_verify does.
 *
 *  Returns: MAM_OK; MAM_ERR_DENIED (no policy requires a PIN); MAM_ERR_NOT_ENROLLED;
 *           MAM_ERR_NO_SPACE…
 *  Since:   MAM_0
 */
MAM_API mam_status mam_pin_reset(mam_t *m, const char *account, int64_t *op) MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 8. App configuration
 */

/** The app configuration of some accounts together. The handle is immutable: after
 *  appConfigDidChange ask for another.
 *
 *  Of several values of a key those targeted at the user apply, else the device's
 *  (device.managedAppConfig, only for the account that manages the device), else the tenant's
 *  default: docs/configuration.md.
 *
 *  Returns: MAM_OK                also if nothing is configured.
 *           MAM_ERR_NOT_ENROLLED  a name is not that of an enrolled account; null: no account is
 *                                 enrolled.
 *           MAM_ERR_TAMPERED      an account's configurations were changed outside libmam; a
 *                                 check-in repairs them.
 *           MAM_ERR_JSON, MAM_ERR_NO_SPACE.
 *  In:      identities_json  a name or an array of names; null: every enrolled account.
 *  Out:     config  release with mam_app_config_release.
 *  Mirrors: appConfigForAccountId:, appConfigForAccountIds:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_app_config(mam_t *m, const char *identities_json, mam_app_config_t **config)
    MAM_CHECK_RESULT;

/** Release; NULL and repeated release are allowed. Since: MAM_0 */
MAM_API void mam_app_config_release(mam_app_config_t *config);

/** Every dictionary in the order received, without empty ones:
 *  [{"id","name","channel":"targeted","values":{"key":"text"…}}…]. Channels: targeted,
 *  tenantDefault, device (its id and name are "").
 *  Returns: MAM_OK… Mirrors: fullData. Since: MAM_0 */
MAM_API mam_status mam_app_config_full_data(const mam_app_config_t *config, char **json)
    MAM_CHECK_RESULT;

/** Every key with a conflict and its values: [{"key","values":[{"id","name","value"}…]}…], sorted
 *  by key.
 *  Returns: MAM_OK… Since: MAM_0 */
MAM_API mam_status mam_app_config_conflicts(const mam_app_config_t *config, char **json)
    MAM_CHECK_RESULT;

/** Targeted configurations have different values for a key. Closed: 1. Mirrors: hasConflict:.
 *  Since: MAM_0 */
MAM_API mam_bool mam_app_config_has_conflict(const mam_app_config_t *config, const char *key);

/* Which of several values. ANY is the first in the order received. */
enum {
    MAM_CONFIG_ANY = 0,
    MAM_CONFIG_OR = 1,  /* booleans: 1 where one is */
    MAM_CONFIG_AND = 2, /* booleans: 1 where all are */
    MAM_CONFIG_MIN = 1, /* numbers, texts: the least; texts by their bytes */
    MAM_CONFIG_MAX = 2
};

/** A boolean: true, false, or null if no applicable value is the text "true" or "false" (in any
 *  case).
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT (key is NULL, no such query).
 *  In:      key    compared byte by byte.
 *           query  MAM_CONFIG_ANY, _OR or _AND.
 *  Mirrors: boolValueForKey:queryType:. Since: MAM_0 */
MAM_API mam_status mam_app_config_bool(
    const mam_app_config_t *config, const char *key, int32_t query, char **value_json)
    MAM_CHECK_RESULT;

/** A number: decimal text within the range of a double; whole numbers of 64 bits are exact. null if
 *  no applicable value is one.
 *  Returns: as mam_app_config_bool.
 *  In:      query  MAM_CONFIG_ANY, _MIN or _MAX.
 *  Mirrors: numberValueForKey:queryType:. Since: MAM_0 */
MAM_API mam_status mam_app_config_number(
    const mam_app_config_t *config, const char *key, int32_t query, char **value_json)
    MAM_CHECK_RESULT;

/** The same for whole numbers of 64 bits only, which excludes "1.0".
 *  Returns: as mam_app_config_number. Since: MAM_0 */
MAM_API mam_status mam_app_config_integer(
    const mam_app_config_t *config, const char *key, int32_t query, char **value_json)
    MAM_CHECK_RESULT;

/** A text; null if no dictionary has the key.
 *  Returns: as mam_app_config_number. Mirrors: stringValueForKey:queryType:. Since: MAM_0 */
MAM_API mam_status mam_app_config_string(
    const mam_app_config_t *config, const char *key, int32_t query, char **value_json)
    MAM_CHECK_RESULT;

/** Every applicable boolean value, in the order received: [true,false…]; [] without one.
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT (key is NULL). Mirrors: allBoolsForKey:. Since: MAM_0 */
MAM_API mam_status mam_app_config_all_bools(
    const mam_app_config_t *config, const char *key, char **json) MAM_CHECK_RESULT;
/** The same for numbers. Mirrors: allNumbersForKey:. Since: MAM_0 */
MAM_API mam_status mam_app_config_all_numbers(
    const mam_app_config_t *config, const char *key, char **json) MAM_CHECK_RESULT;
/** The same for whole numbers of 64 bits. Since: MAM_0 */
MAM_API mam_status mam_app_config_all_integers(
    const mam_app_config_t *config, const char *key, char **json) MAM_CHECK_RESULT;
/** The same for texts: every applicable value. Mirrors: allStringsForKey:. Since: MAM_0 */
MAM_API mam_status mam_app_config_all_strings(
    const mam_app_config_t *config, const char *key, char **json) MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 9. Data protection: buffers, strings and streams
 */

/** mam_unprotect…: bytes not made by mam_protect are an error instead of returned unchanged. */
#define MAM_STRICT 1
/** mam_…_stream_open: a thread of libmam receives the output and shares the sealing while the
 *  caller's thread continues. A later call reports its failures. */
#define MAM_TWO_THREADS 256
/** mam_…_stream_close: abandon the stream; no more output. */
#define MAM_ABANDON 512

/** Maximum bytes that mam_protect adds to up to 16 KiB; each further 16 KiB add 16.
 *  mam_protect_bound computes it for a length. */
#define MAM_PROTECT_OVERHEAD 384

/** Maximum size of mam_protect's result for `length`; 0 if that exceeds a size_t. Since: MAM_0 */
MAM_API size_t mam_protect_bound(size_t length);

/** Seal bytes for an account so that only this app, while it manages the account, can read them.
 *
 *  Results differ on every call, even for equal input. An unmanaged account's data is labelled with
 *  its owner and authenticated, not encrypted. docs/formats.md describes the container.
 *
 *  Returns: MAM_OK                out holds *written bytes.
 *           MAM_ERR_BUFFER        out is untouched, *written is the needed size.
 *           MAM_ERR_NOT_MANAGED   no account is enrolled in this app (originalCode 100).
 *           MAM_ERR_EMPTY         length is 0 (originalCode 105).
 *           MAM_ERR_ARGUMENT      no account or data (originalCode 101); an invalid name.
 *           MAM_ERR_DENIED        the account is not allowed on this device (originalCode 209, 210
 *                                 or 211).
 *           MAM_ERR_TAMPERED, MAM_ERR_KEY_UNAVAILABLE.
 *  Out:     out      capacity bytes; may be the same address as data, no other overlap.
 *           written  set on MAM_OK and MAM_ERR_BUFFER, 0 otherwise.
 *  Mirrors: protect:accountId:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_protect_into(
    mam_t *m, const char *account, const uint8_t *data, size_t length, uint8_t *out,
    size_t capacity,
    size_t *written) MAM_CHECK_RESULT;

/** The same into a new buffer. Returns: as mam_protect_into, but for MAM_ERR_BUFFER.
 *  Out: out, yours: mam_buffer_free. Mirrors: protect:accountId:. Since: MAM_0 */
MAM_API mam_status mam_protect(
    mam_t *m, const char *account, const uint8_t *data, size_t length, mam_buffer *out)
    MAM_CHECK_RESULT;

/** Read a result of mam_protect.
 *
 *  Returns: MAM_OK                   out holds *written bytes; *was_protected is 0 if the input was
 *                                    no container and was copied unchanged.
 *           MAM_ERR_BUFFER           as mam_protect_into; a capacity of `length` is always enough.
 *           MAM_ERR_NOT_PROTECTED    MAM_STRICT, and not a container (originalCode 104).
 *           MAM_ERR_UNSUPPORTED      bytes of a sealed file, or of an encrypted database, its log
 *                                    or journal; the message names the call that reads them.
 *           MAM_ERR_DAMAGED          cut, extended or badly formed (originalCode 103).
 *           MAM_ERR_AUTHENTICATION   changed since it was made (originalCode 103); out has nothing
 *                                    of it.
 *           MAM_ERR_KEY_UNAVAILABLE  the account was wiped, or it is of another app or computer;
 *                                    the detail names account and key.
 *           MAM_ERR_DENIED           as mam_protect_into.
 *           MAM_ERR_LOCKED           the account is closed (docs/launch.md, "What follows"); the
 *                                    detail has account and "reason", as in mam_blocked_accounts,
 *                                    or screenLocked (mam_report_screen_lock).
 *           MAM_ERR_EMPTY, MAM_ERR_TAMPERED.
 *  In:      flags  0 or MAM_STRICT.
 *  Out:     out            capacity bytes; may be the same address as data, no other overlap.
 *           was_protected  may be NULL.
 *  Mirrors: unprotect:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_unprotect_into(
    mam_t *m, const uint8_t *data, size_t length, uint32_t flags, uint8_t *out, size_t capacity,
    size_t *written, mam_bool *was_protected) MAM_CHECK_RESULT;

/** The same into a new buffer. Returns: as mam_unprotect_into, but for MAM_ERR_BUFFER.
 *  Out: out, yours: mam_buffer_free; was_protected, may be NULL. Mirrors: unprotect:.
 *       Since: MAM_0 */
MAM_API mam_status mam_unprotect(
    mam_t *m, const uint8_t *data, size_t length, uint32_t flags, mam_buffer *out,
    mam_bool *was_protected) MAM_CHECK_RESULT;

/** Protect text; the result is canonical base64 of a container. Returns: as mam_protect_into.
 *  Mirrors: protectString:accountId:. Since: MAM_0 */
MAM_API mam_status mam_protect_string(
    mam_t *m, const char *account, const char *text, char **protected_text) MAM_CHECK_RESULT;

/** Read a result of mam_protect_string. Text that is not base64 of a container is returned
 *  unchanged (MAM_STRICT: an error); base64 of one that is not canonical is MAM_ERR_DAMAGED.
 *  Returns: as mam_unprotect_into.
 *  Out:     text, yours; was_protected, may be NULL. Mirrors: unprotectString:. Since: MAM_0 */
MAM_API mam_status mam_unprotect_string(
    mam_t *m, const char *protected_text, uint32_t flags, char **text, mam_bool *was_protected)
    MAM_CHECK_RESULT;

/** The label of a container, without opening it: {"accountId","encrypted":true,
 *  "authenticated":true,"algorithm":1,"contentType":"data|string|file","keyId","epoch","length"}.
 *  algorithm is 0 (labelled) or 1 (sealed). authenticated is false if this app has no key to verify
 *  the label; length is the plain length, as trustworthy as the label. A stream's header lacks it:
 *  there it is computed from the number of bytes.
 *  Returns: MAM_OK, MAM_ERR_NOT_PROTECTED, MAM_ERR_DAMAGED, MAM_ERR_AUTHENTICATION, MAM_ERR_EMPTY…
 *  Mirrors: protectionInfo:. Since: MAM_0 */
MAM_API mam_status mam_protection_info(mam_t *m, const uint8_t *data, size_t length, char **json)
    MAM_CHECK_RESULT;

/** The label of a container from its first bytes, for an item that is not in memory: the first that
 *  a stream brings, or pread(2) of a descriptor. As mam_protection_info, but "length" is null in a
 *  container made by a stream, and "authenticated" is false for unmanaged data: the end of its
 *  container verifies its label.
 *  Returns: as mam_protection_info; MAM_ERR_DAMAGED  too few bytes.
 *  In:      data  length bytes; MAM_PROTECT_OVERHEAD suffice, or all if there are fewer.
 *  Mirrors: protectionInfoForItemProvider:. Since: MAM_0 */
MAM_API mam_status mam_protection_info_prefix(
    mam_t *m, const uint8_t *data, size_t length, char **json) MAM_CHECK_RESULT;

/** The same for text of mam_protect_string. Returns: as mam_protection_info. Out: json, yours.
 *  Mirrors: protectionInfoForString:. Since: MAM_0 */
MAM_API mam_status mam_protection_info_string(mam_t *m, const char *protected_text, char **json)
    MAM_CHECK_RESULT;

/** Receives a stream's output in order: `length` bytes, at least one, valid during the call.
 *  Returns 0 to continue; any other value ends the stream with MAM_ERR_CANCELED and is "returned"
 *  in its detail.
 *
 *  It is called inside the write or close of its stream or, with MAM_TWO_THREADS, on one thread
 *  with every signal blocked, until close has returned. It may call libmam, mam_close too, but not
 *  its own stream (MAM_ERR_DEADLOCK).
 */
typedef int32_t mam_stream_fn(void *user, const uint8_t *data, size_t length);

/** Begin one container of any number of bytes, in constant memory: less than 1 MiB, with
 *  MAM_TWO_THREADS 2.
 *
 *  mam_protect_stream_write takes pieces of any size; `fn` receives the container, in pieces of
 *  about a quarter of a MiB. mam_unprotect and mam_unprotect_stream_open read it. A partial one
 *  never opens.
 *
 *  Returns: as mam_protect_into, without MAM_ERR_BUFFER and MAM_ERR_EMPTY: no input makes a
 *           container of no bytes.
 *  In:      flags: 0 or MAM_TWO_THREADS. user: passed to fn.
 *  Out:     stream, yours: mam_protect_stream_close, also after mam_close.
 *  Mirrors: protectFileProviderItem:forAccountId:, for a pipe, a socket or another item that is no
 *           file; protect:accountId: takes all bytes at once.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_protect_stream_open(
    mam_t *m, const char *account, uint32_t flags, mam_stream_fn *fn, void *user,
    mam_protect_stream_t **stream) MAM_CHECK_RESULT;

/** Add bytes. Any failure but a bad argument ends the stream: every later call fails alike.
 *  Returns: MAM_OK, MAM_ERR_CANCELED  by fn.
 *           MAM_ERR_NOT_ENROLLED      the account was wiped or unenrolled since the stream was
 *                                     opened.
 *           MAM_ERR_DENIED            as mam_protect_into; or the account was unmanaged then, and
 *                                     is managed now.
 *           MAM_ERR_BUSY              another thread is in a call on this stream.
 *           MAM_ERR_DEADLOCK          called from fn.
 *           MAM_ERR_TAMPERED, MAM_ERR_KEY_UNAVAILABLE.
 *  In:      data  length bytes; may be 0.
 *  Since:   MAM_0 */
MAM_API mam_status mam_protect_stream_write(
    mam_protect_stream_t *stream, const uint8_t *data, size_t length) MAM_CHECK_RESULT;

/** Finish: the container is complete once this returns MAM_OK without MAM_ABANDON. The handle is
 *  released whatever it returns, except MAM_ERR_ARGUMENT and MAM_ERR_DEADLOCK; NULL is allowed. It
 *  waits for a write of another thread.
 *  Returns: as mam_protect_stream_write. In: flags, 0 or MAM_ABANDON. Since: MAM_0 */
MAM_API mam_status mam_protect_stream_close(mam_protect_stream_t *stream, uint32_t flags)
    MAM_CHECK_RESULT;

/** Begin to read a container in pieces, of a stream or of mam_protect, with the same memory.
 *
 *  Each 16 KiB chunk of a sealed container is output once it has verified. Until
 *  mam_unprotect_stream_close returns MAM_OK the output may be only a prefix. An unmanaged
 *  account's container is only labelled: its bytes are output before close verifies the label.
 *  Bytes that are no container are output unchanged.
 *
 *  Returns: MAM_OK, MAM_ERR_NO_SPACE.
 *  In:      flags  MAM_STRICT, MAM_TWO_THREADS, both or 0. user: passed to fn.
 *  Out:     stream, yours: mam_unprotect_stream_close, also after mam_close.
 *  Mirrors: nothing; unprotect: takes all bytes at once.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_unprotect_stream_open(
    mam_t *m, uint32_t flags, mam_stream_fn *fn, void *user, mam_unprotect_stream_t **stream)
    MAM_CHECK_RESULT;

/** Add bytes of the container. Any failure but a bad argument ends the stream: every later call
 *  fails alike.
 *  Returns: MAM_OK, MAM_ERR_CANCELED  by fn.
 *           MAM_ERR_NOT_PROTECTED, MAM_ERR_UNSUPPORTED, MAM_ERR_DAMAGED, MAM_ERR_AUTHENTICATION,
 *           MAM_ERR_KEY_UNAVAILABLE, MAM_ERR_DENIED, MAM_ERR_LOCKED, MAM_ERR_TAMPERED: as
 *           mam_unprotect_into. The next write detects a wipe or a launch that closed the account.
 *           MAM_ERR_BUSY, MAM_ERR_DEADLOCK: as mam_protect_stream_write.
 *  In:      data  length bytes; may be 0.
 *  Since:   MAM_0 */
MAM_API mam_status mam_unprotect_stream_write(
    mam_unprotect_stream_t *stream, const uint8_t *data, size_t length) MAM_CHECK_RESULT;

/** Finish: the container was complete and has verified if this returns MAM_OK without MAM_ABANDON.
 *  The handle is released whatever it returns, except MAM_ERR_ARGUMENT and MAM_ERR_DEADLOCK; NULL
 *  is allowed. It waits for a write of another thread.
 *  Returns: as mam_unprotect_stream_write, and MAM_ERR_EMPTY (originalCode 105) without any byte.
 *           MAM_ERR_DAMAGED, MAM_ERR_AUTHENTICATION: the end is missing, or the label does not
 *           verify: discard the output.
 *  In:      flags  0 or MAM_ABANDON.
 *  Out:     was_protected  may be NULL; 0 if the input was no container, and with MAM_ABANDON.
 *  Since:   MAM_0 */
MAM_API mam_status mam_unprotect_stream_close(
    mam_unprotect_stream_t *stream, uint32_t flags, mam_bool *was_protected) MAM_CHECK_RESULT;

/** Begin a new epoch of an account's data key. Once this returns MAM_OK every process of the app
 *  seals under the new key; older data stays readable until a wipe. Every session of the app gets
 *  the event dataProtectionDidChange.
 *
 *  Returns: MAM_OK                the newest epoch, which mam_protection_info reports, is one more.
 *           MAM_ERR_NOT_ENROLLED  the account is not managed in this app, or was wiped.
 *           MAM_ERR_NO_SPACE      the account has had 10,000 epochs.
 *           MAM_ERR_DENIED, MAM_ERR_TAMPERED.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_rotate_keys(mam_t *m, const char *account) MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 10. Files: docs/files.md. Paths are bytes. A symbolic link as the last part of a path is never
 * followed (MAM_ERR_UNSUPPORTED), so that no writer of the directory can redirect a call.
 *
 * A sealed file is encrypted on the disk in place, in records of 4096 bytes. It behaves as a POSIX
 * file: several handles, threads and processes may use it, holes read as zeros, and reads see
 * completed writes. A kill leaves each record old or new (docs/sealed-files.md).
 *
 * Every call here can also fail with MAM_ERR_NOT_FOUND (no such file: originalCode 104),
 * MAM_ERR_UNSUPPORTED (not a regular file; a directory: originalCode 105), MAM_ERR_PERMISSION,
 * MAM_ERR_NO_SPACE (disk or quota) and MAM_ERR_IO, each with the path. A read can fail with
 * MAM_ERR_DAMAGED (detail.offset: the 4096 bytes that do not verify; originalCode 103),
 * MAM_ERR_LOCKED (a launch, resume or switch of this session closed the account, or the locked
 * screen its data: docs/launch.md has what goes on), MAM_ERR_DENIED and MAM_ERR_TAMPERED as
 * mam_unprotect. A handle whose account
 * was wiped fails with MAM_ERR_CLOSED. A plain file that mam_file_info attributes to a managed
 * account is closed and opened with it like a sealed one. Where the label of a file, or of its
 * directory, names a managed account of this app that this state does not know (a lost state,
 * another computer), calls that read, write, copy or give away the file fail with
 * MAM_ERR_NOT_ENROLLED ("owner" in the detail), and so do those that make a file there for a name
 * that is not managed; signing in to that account ends this. docs/file-owners.md.
 */

/** Encrypt a file for a managed account, whatever its policy requires. A file already sealed for
 *  that account under its newest key, and a container of that account, stay; any other container is
 *  opened and sealed as a file.
 *
 *  The result is written beside the file, synced and renamed over it. Mode, owner, times, extended
 *  attributes and holes are kept.
 *
 *  Returns: MAM_OK.
 *           MAM_ERR_NOT_MANAGED  the account is not managed (originalCode 106).
 *           MAM_ERR_DENIED       it is data of another account, as mam_file_protect.
 *           MAM_ERR_BUSY         it is open for writing here or in another process of the group, or
 *                                was changed meanwhile. A writer without libmam is not detected,
 *                                and its later writes are lost.
 *           MAM_ERR_UNSUPPORTED  it has several names (hard links): detail.links; or it is an
 *                                encrypted database or was exported for managed apps: the message
 *                                names the call for it.
 *           MAM_ERR_INTERRUPTED  by mam_interrupt or mam_close; the file is unchanged.
 *           MAM_ERR_KEY_UNAVAILABLE, MAM_ERR_AUTHENTICATION, MAM_ERR_DAMAGED: it is sealed and
 *           cannot be read.
 *           MAM_ERR_NOT_ENROLLED, MAM_ERR_ARGUMENT as mam_file_create.
 *  Mirrors: encryptFile:forAccountId:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_encrypt(mam_t *m, const char *path, const char *account)
    MAM_CHECK_RESULT;

/** Make a sealed file, or one that holds a container of mam_protect or a stream, plain, even
 *  against the policy; a plain one stays. In place, and returns, as mam_file_encrypt;
 *  MAM_ERR_NOT_ENROLLED  its account was unenrolled: it is read, and nothing makes it plain.
 *  Mirrors: decryptFile:.
 *  Since:   MAM_0 */
MAM_API mam_status mam_file_decrypt(mam_t *m, const char *path) MAM_CHECK_RESULT;

/** Write a plain copy of a file (sealed, plain or a container) to target, replacing any file there,
 *  with its mode, owner, times, extended attributes and managed account.
 *  Returns: as mam_file_encrypt, but hard links are allowed; MAM_ERR_DENIED  target is data of
 *           another account.
 *  Mirrors: decryptFile:toCopyPath:. Since: MAM_0 */
MAM_API mam_status mam_file_decrypt_copy(mam_t *m, const char *path, const char *target)
    MAM_CHECK_RESULT;

/** Whether a file is sealed, a sealed container (an exported one too), or an encrypted database,
 *  its log or journal, of any owner, with or without its key. MAM_ERR_DAMAGED: only its beginning
 *  is one of these.
 *  Out:     encrypted, 0 or 1. Mirrors: isFileEncrypted:. Since: MAM_0 */
MAM_API mam_status mam_file_is_encrypted(mam_t *m, const char *path, mam_bool *encrypted)
    MAM_CHECK_RESULT;

/** Open a sealed or plain file and work on its plain bytes.
 *
 *  A plain file is sealed before it is opened for writing, if it belongs to an account whose policy
 *  requires encryption: an empty one in place, another as mam_file_encrypt does.
 *
 *  Returns: MAM_OK.
 *           MAM_ERR_DAMAGED          its first page is malformed or missing (originalCode 103).
 *           MAM_ERR_AUTHENTICATION   its first page was changed (originalCode 103).
 *           MAM_ERR_KEY_UNAVAILABLE  the account was wiped, or it is of another app or computer;
 *                                    the detail names account and key.
 *           MAM_ERR_NOT_ENROLLED     it is plain, and its account was wiped or is not known here.
 *           MAM_ERR_BUSY             for writing: a program holds an exclusive POSIX lock (fcntl)
 *                                    on the first byte; or it must be sealed, and is open for
 *                                    writing.
 *           MAM_ERR_UNSUPPORTED      for writing: it must be sealed, and is a database, a container
 *                                    or has hard links.
 *           MAM_ERR_NO_SPACE (a million handles).
 *  In:      flags  of <fcntl.h>: O_RDONLY, O_WRONLY or O_RDWR, with O_APPEND, O_SYNC, O_DSYNC,
 *                  O_TRUNC (as mam_file_create with NULL as account, for an existing file).
 *                  O_CLOEXEC, O_NOFOLLOW and O_NOCTTY are always on; others, O_CREAT too, are
 *                  MAM_ERR_ARGUMENT. Writing also needs read permission.
 *  Out:     file  release with mam_file_close.
 *  Mirrors: openFileAtPath:, openFileAtPath:flags:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_open(mam_t *m, const char *path, int32_t flags, mam_file_t **file)
    MAM_CHECK_RESULT;

/** Create a file, or truncate an existing one, for an account: sealed if its policy requires
 *  encryption, else plain.
 *
 *  A new file gets its name once it is whole. An existing file keeps its mode, links and open
 *  handles. Without an explicit account or identity, the file inherits its directory's owner, and
 *  is sealed if that policy requires it. An existing file then loses its former owner; if its
 *  directory is not that account's, the event warning names it ("formerOwner").
 *
 *  Returns: MAM_OK.
 *           MAM_ERR_ALREADY       O_EXCL, and it exists.
 *           MAM_ERR_DENIED        an existing file belongs to another account, whose policy does
 *                                 not allow a transfer to the named account or to an unmanaged
 *                                 name.
 *           MAM_ERR_NOT_ENROLLED  also if the directory's owner is retired or not known here.
 *           MAM_ERR_KEY_UNAVAILABLE  an existing file is sealed under a key that is not here: only
 *                                 a backup of the state opens it, so move or remove it first.
 *           MAM_ERR_NO_SPACE.
 *  In:      flags    as mam_file_open, for writing; also O_EXCL. O_CREAT and O_TRUNC are implied.
 *           mode     permission bits of a new file, 0 to 07777, less the umask.
 *  Out:     file  release with mam_file_close.
 *  Mirrors: createFileAtPath:forAccountId:, createFileAtPath:flags:mode:forAccountId:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_create(
    mam_t *m, const char *path, int32_t flags, int32_t mode, const char *account, mam_file_t **file)
    MAM_CHECK_RESULT;

/** Read at the position and advance it. A short read occurs only at the end of the file, where
 *  *count is 0, and before bytes that cannot be read: the next call reports why.
 *
 *  Returns: MAM_OK; MAM_ERR_DAMAGED…; MAM_ERR_ARGUMENT (opened for writing only). out never has
 *           bytes of a record that does not verify; bytes behind *count may change.
 *  Out:     out  capacity bytes.
 *  Mirrors: read. Since: MAM_0
 */
MAM_API mam_status mam_file_read(mam_file_t *file, uint8_t *out, size_t capacity, size_t *count)
    MAM_CHECK_RESULT;

/** Write at the position, or with O_APPEND at the end, and advance it. A short write occurs only if
 *  the rest fails: the next call reports why.
 *
 *  Returns: MAM_OK; MAM_ERR_NO_SPACE; MAM_ERR_DAMAGED (a record that is kept in part);
 *           MAM_ERR_ARGUMENT (opened for reading only); MAM_ERR_BUSY (a program holds an exclusive
 *           POSIX lock on the first bytes of a sealed file).
 *  Mirrors: write.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_write(
    mam_file_t *file, const uint8_t *data, size_t length, size_t *written) MAM_CHECK_RESULT;

/** mam_file_read at an offset; the position stays. Since: MAM_0 */
MAM_API mam_status mam_file_pread(
    mam_file_t *file, int64_t offset, uint8_t *out, size_t capacity, size_t *count)
    MAM_CHECK_RESULT;

/** mam_file_write at an offset; the position stays. With O_APPEND at the end, as on Linux.
 *  Since:   MAM_0 */
MAM_API mam_status mam_file_pwrite(
    mam_file_t *file, int64_t offset, const uint8_t *data, size_t length, size_t *written)
    MAM_CHECK_RESULT;

/** Move the position, also beyond the end.
 *
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT (before the beginning).
 *  In:      whence  SEEK_SET, SEEK_CUR or SEEK_END.
 *  Out:     position  the new one; may be NULL.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_seek(
    mam_file_t *file, int64_t offset, int32_t whence, int64_t *position) MAM_CHECK_RESULT;

/** The position. Since: MAM_0 */
MAM_API mam_status mam_file_tell(mam_file_t *file, int64_t *position) MAM_CHECK_RESULT;

/** Truncate the file, or extend it with zeros; the position stays. Since: MAM_0 */
MAM_API mam_status mam_file_truncate(mam_file_t *file, int64_t size) MAM_CHECK_RESULT;

/** The file's length in bytes. Since: MAM_0 */
MAM_API mam_status mam_file_size(mam_file_t *file, int64_t *size) MAM_CHECK_RESULT;

/** Wait until writes are on the disk, as fsync. After MAM_ERR_IO some may be lost.
 *  Since:   MAM_0 */
MAM_API mam_status mam_file_sync(mam_file_t *file) MAM_CHECK_RESULT;

/** The same as fdatasync, without metadata that only stat shows. Since: MAM_0 */
MAM_API mam_status mam_file_datasync(mam_file_t *file) MAM_CHECK_RESULT;

/** Close and free. The handle is gone whatever this returns. It does not wait for the disk:
 *  mam_file_sync.
 *
 *  Returns: MAM_OK (also for NULL, in a forked child, and after the session was closed).
 *           MAM_ERR_CLOSED    already closed.
 *           MAM_ERR_IO, MAM_ERR_NO_SPACE  the file system reports on close, as close(2) does, that
 *                             earlier writes are lost.
 *  Since:   MAM_0 */
MAM_API mam_status mam_file_close(mam_file_t *file);

/* -------------------------------------------------------------------------------------------------
 * 10. Files, continued: owners
 */

/** Set a file's owner. Data of a managed account goes to another account only if both policies
 *  allow it, as for MAM_SAVE_ACCOUNT_DOCUMENT, and never to no user or an unmanaged name (use
 *  mam_file_unmanage). A directory includes all its content, after each file in it was checked; new
 *  files in it inherit the owner by default. Files in it that are known as another account's than
 *  its former owner's, or were explicitly given to no user, keep their owner, and the event warning
 *  names them ("named"): only naming such a file gives it to the account. libmam's own files, its
 *  state and the authority's, are left too, and MAM_ERR_ARGUMENT if named. The owner is stored in
 *  an extended attribute, authenticated with the group's key, and in the index of the state; either
 *  is enough. The file is encrypted, as by mam_file_encrypt, if the owner's policy requires it.
 *  If the policy does not, a sealed file becomes plain; without a policy (103) the owner's own
 *  stay sealed. Containers, databases of the SQLite VFS and SQLite's sidecars keep their form,
 *  whether their key is here or not. If the owner's policy blocks backups, the nodump attribute
 *  is set. A wipe of the owner removes the file. docs/file-owners.md.
 *
 *  PATHS may have any length reachable in steps of PATH_MAX. Links on the way are followed, but
 *  none in the last place or inside a directory.
 *
 *  Returns: MAM_OK                   the file has this owner.
 *           MAM_ERR_UNSUPPORTED      a symbolic link, pipe, socket or device (originalCode 101);
 *                                    hard links whose form would change; a plain SQLite database
 *                                    that must be encrypted (originalCode 107): mam_sqlite_encrypt
 *                                    does that.
 *           MAM_ERR_BUSY             as mam_file_encrypt, if its form would change.
 *           MAM_ERR_KEY_UNAVAILABLE  it is sealed under a key that is not here.
 *           MAM_ERR_NOT_MANAGED      no account is enrolled in this app (originalCode 100).
 *           MAM_ERR_DENIED           the file is data of an account ("owner" in the detail) whose
 *                                    policy keeps it; "reason" as in mam_policy_check if a policy
 *                                    refuses. Nothing was changed.
 *           MAM_ERR_NOT_ENROLLED     it is data of an account that was wiped, was unenrolled, or is
 *                                    not known here.
 *           MAM_ERR_PERMISSION, MAM_ERR_NO_SPACE, MAM_ERR_IO  the file could not be read, or the
 *           attribute not be written (originalCode 107). In a directory the others are set; the
 *           first failure is reported with their number.
 *           MAM_ERR_INTERRUPTED      by mam_interrupt or mam_close; a directory is done in part.
 *           MAM_ERR_ARGUMENT (originalCode 101), MAM_ERR_TAMPERED, MAM_ERR_LOCKED, MAM_ERR_DAMAGED.
 *  In:      path     on failure in the detail as "path".
 *  Mirrors: protect:accountId:, protectFileAtPath:forAccountId:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_protect(mam_t *m, const char *path, const char *account)
    MAM_CHECK_RESULT;

/** The same, unless attribute and index already name this owner; for a directory its own owner
 *  counts. Even then what must be encrypted by now is encrypted: the file, or the account's files
 *  in the directory, and one that is sealed under a key that is not here fails. Files of other
 *  owners in it stay. Returns, In: as mam_file_protect.
 *  Mirrors: verifyAndProtect:accountId:. Since: MAM_0 */
MAM_API mam_status mam_file_verify_and_protect(mam_t *m, const char *path, const char *account)
    MAM_CHECK_RESULT;

/** Remove an account's protection: set the owner to no user ("") or an unmanaged name, and decrypt
 *  the file. Allowed if the policy of each account that owns data in it allows saving to
 *  MAM_SAVE_OTHER. A directory includes all its content, after each file in it was checked.
 *  Returns: as mam_file_protect; MAM_ERR_ARGUMENT  the account is managed: use mam_file_protect.
 *  In:      path, account  as mam_file_protect. Any thread.
 *  Mirrors: nothing; protectFileAtPath:forAccountId: of the Intune App SDK removes protection for
 *           any name.
 *  Since:   MAM_0 */
MAM_API mam_status mam_file_unmanage(mam_t *m, const char *path, const char *account)
    MAM_CHECK_RESULT;

/** The owner of a file: {"accountId":null,"app":null,"known":"none","disagreement":null,
 *  "encrypted":false,"keyAvailable":null,"authenticated":false}. accountId is null without a known
 *  owner, "" for no user, a name that is no account's as it was given. known: attribute, index,
 *  both, directory (inherited from one), content (the file's own label), none. disagreement: owner
 *  (the index names "indexAccountId"), attributeMissing, attributeDamaged, attributeForeign
 *  (written by another group or computer, or before the state was lost), indexDamaged, replaced
 *  (the index has another file there).
 *  keyAvailable: for a sealed file whether this state has its key, also while the account is
 *  closed; false after a wipe or a lost state; null for others, SQLite databases among them.
 *  authenticated: the source verifies. Changes nothing.
 *
 *  Returns: MAM_OK; MAM_ERR_UNSUPPORTED, MAM_ERR_ARGUMENT as mam_file_protect.
 *  In:      path  as mam_file_protect.
 *  Mirrors: protectionInfo:, protectionInfoForFileAtPath:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_info(mam_t *m, const char *path, char **json) MAM_CHECK_RESULT;
/* -------------------------------------------------------------------------------------------------
 * 10. Files, continued: from app to app
 */

/** Copy a file to a location that its owner's policy allows, in the form allowed there: plain if
 *  the owner's data may go to all apps; else sealed for managed apps of the owner's account, of any
 *  group or computer, which read it with mam_file_import. An app that is wiped or unenrolled cannot
 *  read later exports; docs/exchange.md describes the limits.
 *
 *  The owner is the account that sealed or labelled the file, else mam_file_info's; without a known
 *  one the file has no owner. A file at target_path is replaced as a whole or not at all. The copy
 *  has its permissions, or those of the source where there is none, less the umask.
 *
 *  Returns: MAM_OK                   the copy is there, durably.
 *           MAM_ERR_DENIED           policy refuses: the detail has "reason", as in
 *                                    mam_policy_check; the owner is uncertain: the detail has
 *                                    "disagreement", as in mam_file_info; or target_path is data of
 *                                    another account.
 *           MAM_ERR_KEY_UNAVAILABLE  no key here opens the file; or the authority has issued no
 *                                    exchange key or refuses one (originalCode of
 *                                    docs/status-codes.md).
 *           MAM_ERR_NOT_ENROLLED     it is data of an account that was wiped, was unenrolled, or is
 *                                    not known here.
 *           MAM_ERR_ARGUMENT         location is not a MAM_SAVE_* constant, or target_path is the
 *                                    file itself (originalCode 101).
 *           MAM_ERR_DAMAGED, MAM_ERR_AUTHENTICATION, MAM_ERR_LOCKED  as mam_unprotect_into.
 *           MAM_ERR_UNSUPPORTED      a directory (originalCode 105); a link, pipe, socket or device
 *                                    (101); an encrypted database (107), whose key no other app
 *                                    has.
 *           MAM_ERR_INTERRUPTED      nothing was written.
 *  In:      path         of a regular file.
 *           location     a MAM_SAVE_* constant.
 *           account      the location's account; as in mam_policy_is_save_to_allowed.
 *           target_path  of the copy.
 *  Mirrors: isSaveToAllowedForLocation:withAccountId:, and a file provider's output.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_export(
    mam_t *m, const char *path, mam_save_location location, const char *account,
    const char *target_path) MAM_CHECK_RESULT;

/** Import a file for an account: an export of another managed app is decrypted, a file that the
 *  account's policy may not receive is refused, and the account owns the copy. The copy is sealed,
 *  as by mam_file_create, if the policy requires encryption or the file was sealed. Under
 *  protectInboundDataFromUnknownSources a file without a known owner that is imported for no
 *  managed account belongs to the account with that policy.
 *
 *  If policy refuses, and the file's own account ("" for none managed) may receive it, a host with
 *  the setting MultiIdentity is asked to switch the default window to that account (identitySwitch
 *  with documentImport): this call waits for the answer, until the question's deadline, then for
 *  the checks of mam_set_ui_identity. After success the copy belongs to that account; else, without
 *  a delegate, and inside a callback, the refusal stands. A host that takes questions as events
 *  answers on another thread. Without a worker this call does due work.
 *
 *  Returns: MAM_OK                   the copy is there, durably.
 *           MAM_ERR_DENIED           policy refuses; the detail has "reason", as in
 *                                    mam_policy_check, and "switch", the result of the requested
 *                                    switch.
 *           MAM_ERR_KEY_UNAVAILABLE  exported before this app enrolled the account, by an app of
 *                                    another account, or never for managed apps; or the authority
 *                                    cannot be asked (originalCode).
 *           MAM_ERR_ALREADY          without a target_path, a file of that name is in the folder.
 *           Otherwise as mam_file_export.
 *  In:      path         of a regular file.
 *           account      the copy's owner; see ACCOUNT ARGUMENTS. NULL: the thread's or
 *                        process's identity.
 *           target_path  of the copy. NULL: path's name in "importFolder" of mam_settings, the
 *                        setting DocumentBrowserFileCachePath; the folder is made.
 *  Mirrors: canReceiveSharedFile:, decryptFileAtPath:toCopyPath:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_import(
    mam_t *m, const char *path, const char *account, const char *target_path) MAM_CHECK_RESULT;

/** After mam_rotate_keys: seal a file again under the newest epoch of its owner's data key, if an
 *  older one seals it. It is written beside the file and renamed over it, with mode, times, owner
 *  and attributes. SQLite rewrites an encrypted database's pages in one transaction; open
 *  connections continue. Other files stay: plain, labelled, already under the newest key, of
 *  another app, exported, or without a managed owner.
 *
 *  Returns: MAM_OK               *changed is 1 if it was sealed again.
 *           MAM_ERR_BUSY         as mam_file_encrypt; it is unchanged. A database: others read or
 *                                write it; try again; its content is unchanged.
 *           MAM_ERR_UNSUPPORTED  a directory, link, pipe, socket or device; a file with several
 *                                names (hard links).
 *           MAM_ERR_INTERRUPTED  it is unchanged.
 *           MAM_ERR_AUTHENTICATION, MAM_ERR_STORAGE.
 *  In:      path  of a regular file.
 *  Out:     changed  may be NULL.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_reprotect(mam_t *m, const char *path, mam_bool *changed)
    MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 10. Files: SQLite databases
 */

/** Register an SQLite VFS of this name that encrypts an account's databases: open them with
 *  sqlite3_open_v2(…, "mam") or the URI file:notes.db?vfs=mam. Another SQLite than this process's
 *  libsqlite3 gets it from mam_sqlite_extension_init. docs/sqlite.md.
 *
 *  New databases are encrypted if mam_policy_is_file_encryption_required, else plain. A database
 *  keeps its form until mam_sqlite_encrypt or mam_sqlite_decrypt; a plain one is only read
 *  (SQLITE_READONLY) where new ones are encrypted, and that of another account is not opened
 *  (SQLITE_CANTOPEN, MAM_ERR_DENIED). Log and journals of an encrypted one are encrypted too, and
 *  temporary files of every connection whose main database was opened with this name. A database
 *  opened with the name, encrypted or plain, fails with
 *  SQLITE_IOERR_AUTH from the next page on while the account is closed: wiped, blocked by a launch,
 *  or its session closed; a new connection with SQLITE_CANTOPEN. SQLite's message does not say why:
 *  mam_last_message and the like do, on the same thread, before its next call.
 *
 *  Returns: MAM_OK                also if this session has the name for this account already.
 *           MAM_ERR_ALREADY       SQLite has another VFS of this name.
 *           MAM_ERR_ARGUMENT      name is no valid name of an account: see In; or it is the name
 *                                 of another account, or of one of the organisation's domains.
 *           MAM_ERR_NOT_ENROLLED  a retired name. After an unenrollment without a wipe existing
 *                                 databases open, and new ones do not.
 *           MAM_ERR_STORAGE       SQLite was shut down.
 *  In:      name     by the rules of ACCOUNT ARGUMENTS (at most MAM_ACCOUNT_MAX bytes), so that an
 *                    account's own name will do. "mam", unless the host has several accounts.
 *  Mirrors: protectSqliteVFS:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_sqlite_vfs_register(mam_t *m, const char *name, const char *account)
    MAM_CHECK_RESULT;

/** Encrypt an account's database in place, whatever the policy requires: it is written beside the
 *  old one and renamed over it, with its mode, owner and attributes; a kill leaves one or the
 *  other. No other connection may be in a transaction; an idle one keeps the replaced file, and
 *  fails at its next change. An encrypted database stays. An empty file that was sealed for the
 *  account, as mam_file_protect of its directory does, becomes one. Links are followed.
 *
 *  Returns: MAM_OK
 *           MAM_ERR_BUSY             another connection is in a transaction, or has a log open.
 *           MAM_ERR_NOT_MANAGED      the account is not managed (originalCode 106).
 *           MAM_ERR_NOT_FOUND        there is no such file (originalCode 104).
 *           MAM_ERR_KEY_UNAVAILABLE  it is encrypted for another account, or under a key that is
 *                                    gone (originalCode 106).
 *           MAM_ERR_DENIED           it is plain, and data of another account, as mam_file_protect.
 *           MAM_ERR_UNSUPPORTED      another sealed file, a container or a log, which the message
 *                                    names (originalCode 107); not a regular file.
 *           MAM_ERR_STORAGE, MAM_ERR_IO, MAM_ERR_NO_SPACE, MAM_ERR_PERMISSION  not a database,
 *           damaged, no room…; it is unchanged.
 *           MAM_ERR_LOCKED, MAM_ERR_NOT_ENROLLED, MAM_ERR_INTERRUPTED.
 *  In:      account  "" is MAM_ERR_ARGUMENT.
 *  Mirrors: encryptFile:forAccountId:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_sqlite_encrypt(mam_t *m, const char *path, const char *account)
    MAM_CHECK_RESULT;

/** Decrypt a database in place, even against the policy; a plain one stays. Returns, In: as
 *  mam_sqlite_encrypt; account is its owner, and enrolled. Mirrors: decryptFile:. Since: MAM_0 */
MAM_API mam_status mam_sqlite_decrypt(mam_t *m, const char *path, const char *account)
    MAM_CHECK_RESULT;

struct sqlite3;
struct sqlite3_api_routines;

/** The entry point of libmam as an extension of SQLite (3.33 or newer), for hosts that contain
 *  their own: it registers every VFS name of this process's open sessions with it. Hosts pass it to
 *  sqlite3_load_extension (by this name) or sqlite3_auto_extension.
 *  Since:   MAM_0 */
MAM_API int32_t mam_sqlite_extension_init(
    struct sqlite3 *db, char **error, const struct sqlite3_api_routines *api);

/* -------------------------------------------------------------------------------------------------
 * 11. Wipe
 */

/** Wipe an account of this app now: first keys, then the delegate is asked, then files (unless the
 *  host answered that it removed its data), then rows; the account ends unenrolled. Once this
 *  returns MAM_OK nobody can read the account's data, even if this process dies, except with an
 *  earlier copy of the state. Other accounts, other apps and personal data stay.
 *
 *  Before any step that can fail the account is closed, in every process of the group. If its key
 *  cannot be destroyed at once (a disk that allows neither a write nor a removal) the call fails;
 *  the account stays closed, and the worker, mam_run_due, the next check-in or the next open
 *  retries the wipe. After a failure of a later step the operation ends with 215, and the step is
 *  retried likewise. So are files that could not be removed: until they are, no call opens them,
 *  also not after the account was enrolled again.
 *
 *  Returns: MAM_OK; MAM_ERR_NOT_REGISTERED; MAM_ERR_DENIED (an extension); MAM_ERR_PERMISSION,
 *           MAM_ERR_IO, MAM_ERR_NO_SPACE… (closed, but the key is not destroyed yet).
 *  In:      account  registered, or unenrolled without a wipe; for one of "closedAccounts" of
 *                    mam_diagnostics also its "account" there, where another has its names
 *                    (MAM_ERR_ALREADY where another has its account id).
 *  Out:     op  ends with 104 when all is done, or 215.
 *  Mirrors: selective wipe, wipeDataForAccountId.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_wipe_account(mam_t *m, const char *account, int64_t *op) MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 12. Administration of the embedded authority
 */

/** Do one administrative action on the authority in the file `path`. docs/authority.md lists
 *  actions and replies: {"action":"authority.create"}, {"action":"user.add",
 *  "upn":"ann@contoso.example"},{"action":"policy.import","document":{…}}…
 *  "user.import" adds up to 100,000 "users" and their "groups" in one transaction, all or none; a
 *  mistake has "list" and "index" in the detail. "update":true changes users that differ.
 *  An imported document states its type by "@odata.type" or "@odata.context", or the request does
 *  by "type": ios, android, windows, linux, default or config. "replace":true is needed to replace
 *  a document of the same name and type, or of the same id and another type.
 *  Returns: MAM_OK; MAM_ERR_JSON; MAM_ERR_ARGUMENT (also a document of unknown type);
 *           MAM_ERR_NOT_FOUND (file, user, policy…); MAM_ERR_ALREADY (also if "replace" or "update"
 *           is needed);
 *           MAM_ERR_DENIED (a user to remove has enrollments, and "force" is not true);
 *           MAM_ERR_PERMISSION (not your authority); MAM_ERR_STORAGE…
 *  In:      path  of the SQLite file. request_json  up to 16 MiB.
 *  Mirrors: the Graph resources of managedAppPolicy and its relatives. Since: MAM_0 */
MAM_API mam_status mam_admin(const char *path, const char *request_json, char **reply_json)
    MAM_CHECK_RESULT;

/** Every known property of policies, and its effect: {"properties":[{"property":"printBlocked",
 *  "platforms":["ios",…],"status":"enforced","note":"decides
 *  print","shownBy":["mam_policy_is_print_allowed"],"waitsFor":[],"kind":"flag","names":[],
 *  "neutral":false,"strictest":true,"absent":false,"misread":true,"wipes":false}…]}. Status:
 *  enforced ("shownBy" names the functions that show it), notEnforced (by this release; "waitsFor"
 *  names those that will), notApplicable ("note" says why), descriptive. "names" are the values
 *  from loose to strict, of lists the members; "neutral" restricts least, "strictest" most,
 *  "absent" applies if it is absent or null, "misread" replaces an invalid value; null without such
 *  a value. "wipes": it can cause a wipe. docs/properties.md is this list.
 *  Returns: MAM_OK, MAM_ERR_ARGUMENT. Since: MAM_0 */
MAM_API mam_status mam_policy_properties(char **json) MAM_CHECK_RESULT;

/** Check policies before a rollout: {"policies":[{"id","name","platform",
 *  "findings":[{"severity":"warning","kind":"contradictory","setting","value","message",
 *  "check":null,"signals":[]}…]}…]}. A warning can wipe, or does not do what it seems to; a note
 *  has no effect, or a smaller one. Kinds: unknown (in no table; the message has the nearest
 *  name), value (invalid, so the most restrictive one applies), contradictory, ineffective,
 *  crossPlatform, notEnforced (by
 *  this release), reach (an app or assignment that reaches nobody, or others than it seems to),
 *  wipe (it can cause a wipe on a Linux host: "check" is the launch check that finds it, "signals"
 *  names the device health signals that each trigger it, and the message names alternatives).
 *  policy.import gives the same warnings. Reads only its argument.
 *  Returns: MAM_OK, MAM_ERR_JSON, MAM_ERR_ARGUMENT (a document of unknown type, no policy, more
 *           than 1000).
 *  In:      policy_json  an export of Microsoft Graph: a policy, an array, {"value":…} around
 *                        either, or null; up to 4 MiB. If the export does not state its type:
 *                        {"document":export,"type":"ios"}, as for mam_admin.
 *  Since:   MAM_0 */
MAM_API mam_status mam_policy_lint(const char *policy_json, char **json) MAM_CHECK_RESULT;

/** Changes for a user whose policies of one document are replaced by those of another, compared by
 *  the merge's order of strictness: {"verdict":"stricter","launch":[{"check","change":"stricter",
 *  "cases":["the version of the system is below 15"],"before":null,"after":{"action":"wipe",
 *  "setting","value","policyId","policyName"},"message"}…],"changes":[{"setting","before","after",
 *  "change":"stricter","message"}…]}. A change is stricter, looser or different (no order); the
 *  verdict is same, stricter, looser or mixed. "before" and "after" are the stated values, or null.
 *  A difference without effect on any decision is not listed. "launch" lists wipes and blocks at
 *  launches on a Linux host that begin or stop, wipes first, as the checks of mam_launch find them
 *  for each case; "before" and "after" are their findings, or null. Reads only its arguments.
 *  Returns: MAM_OK, MAM_ERR_JSON, MAM_ERR_ARGUMENT (a document of unknown type, no policy, more
 *           than 1000).
 *  In:      before_json, after_json  as for mam_policy_lint; several policies are merged.
 *  Since:   MAM_0 */
MAM_API mam_status mam_policy_diff(const char *before_json, const char *after_json, char **json)
    MAM_CHECK_RESULT;

/** The result of a user's next check-in in an app, from the authority in the file `path`, with
 *  reasons. Request: {"user","app"}. The reply:
 *    {"user":{"accountId","upn","tenantId"},"app","appKnown":true,"mayEnroll":true,
 *    "checkIn":{"delivers":true,"code","name","disabled":false,"message","userMessage",
 *    "messageKey"},"effective":{…},"decisions":[{"request":{"action":"print"},"allowed":false,
 *    "reason":{…}}…],"disagreements":[{"setting","values":[{"value","policyId",
 *    "policyName","stated":true}…],"chosen","resolution":"strictest","message"}…],"warnings":[…],
 *    "policies":[{"id","displayName","delivered":true,"why":["assigned"],"groups":[…],
 *    "excludedBy":[…],"allUsers":false,"targetsApp":true,"allApps":false,"message"}…],
 *    "configurations":[…]}
 *  effective is as in mam_policy_json; null if the authority refuses the check-in
 *  ("delivers":false: no licence, or being moved): the app keeps its policy. decisions answer the
 *  default requests of mam_policy_simulate as mam_policy_check would, with an unknown device lock;
 *  empty if the check-in is refused. disagreements are settings with different values in several
 *  policies; resolution is strictest, common (of lists the common members) or lowestId (no order);
 *  "stated" is false for a policy without the setting, which is never a setting's source. policies
 *  and configurations list all of the authority; why is assigned or tenantDefault if delivered,
 *  else the obstacles: notAssigned, excluded, notTargeted, replaced (a default, and another policy
 *  reaches the user), refused. groups are those that assign it to the user. appKnown is false for
 *  an app that no policy, configuration or registration names. A pending wipe is ignored. Nothing
 *  is written.
 *  Returns: MAM_OK; MAM_ERR_JSON; MAM_ERR_ARGUMENT; MAM_ERR_NOT_FOUND (file, user); MAM_ERR_STORAGE
 *           (no authority)…
 *  In:      path  of the authority. request_json  user, an account id or UPN; app, any app's id.
 *  Since:   MAM_0 */
MAM_API mam_status mam_policy_explain(const char *path, const char *request_json, char **json)
    MAM_CHECK_RESULT;

/** Effects of administrative actions: all or none are done on a copy in memory of the authority in
 *  the file `path`, and check-ins before and after are compared. A request:
 *    {"changes":[{"action":"policy.import","document":{…}},{"action":"policy.assign",…}…],
 *    "users":[…],"apps":[…],"requests":[{"action":"saveTo","location":"localDrive"}…],
 *    "deviceLock":"on","launch":{…}}
 *  changes are requests of mam_admin that change users, groups or policies, at most 1000. users and
 *  apps limit the comparison; the default is all that the authority knows, before or after; at most
 *  10,000 users times apps. requests are those of mam_policy_check without "account", asked about
 *  each user; "*" for locationAccount or sender is the user; others are accounts enrolled in the
 *  same app. The default is every predicate and location. At most 1,000,000 users times apps times
 *  requests. The reply:
 *    {"verdict":"stricter","compared":{"users","apps","requests"},"counts":{"accounts","gains",
 *    "loses","refused","changes","decisions":{"stricter","looser","reason"}},"warnings":[…],
 *    "launches":[{"accounts":[{"accountId","upn","app"}…],"before":{"outcome",
 *    "outcomeWhenAnswered","findings":[…],"asks":[{"question":"pin","purpose":"enter"}…],
 *    "notApplicable":[…]},"after":{…}}…],"changes":[{"effect":"gains","verdict","message",
 *    "accounts":[{"accountId","upn","app"}…],"before":{"known":true,"delivers":true,"code","name",
 *    "disabled":false,"policies":[{"id","name"}…]},"after":{…},"launch":[…],"settings":[…],
 *    "decisions":[{"request","before":{"allowed":true},"after":{"allowed":false,"reason":{…}},
 *    "change":"stricter","message"}…]}…]}
 *  warnings are those of mam_admin for imported policies as they are in the end, without those that
 *  target other apps alone.
 *  Only differences are listed, grouped by equal change. An effect is gains or loses (a policy
 *  begins or ceases to restrict the account), refused (its check-ins fail: the app keeps its
 *  policy) or changes. launch and settings are as in mam_policy_diff, decisions as in
 *  mam_policy_check; "reason" is a change of the reason only. It applies to apps in which the user
 *  is enrolled.
 *
 *  "launch" simulates mam_launch after the check-ins; without it "launches" is null. It states
 *  device, person and time. An absent key means no problem, except that version, model and threat
 *  level are then unknown:
 *    device        {"platform","version","model","lock"} as for mam_open; deviceHealth: as in
 *                  mam_diagnostics, or {"threatLevel":"low",
 *                  "signals":[{"signal":"injectedLibraries","state":"fail"}…]} ("standing"
 *                  "ignored" or "required" as by device.health)
 *    appVersion    as app.version of mam_open
 *    offline       time since the last check-in, "PT13H" (PT0S; null: never); connected: the
 *                  authority can be reached (true); mustSignIn: credentials are due since an
 *                  earlier wipe period (false)
 *    pin           {"age":"P3D","failures":2,"weak":false}; null (the default): none is set
 *    shown         what the person has shown: "pin", "credentials", "biometrics"; inactive: how
 *                  long the apps have been unused since (PT0S); pinEntered: how long ago the PIN
 *                  itself was entered (never)
 *    clockedOut    how long the person has been clocked out; inUse: the host acts for the account
 *                  (true)
 *  Accounts with equal results are grouped: those wiped after the changes first, then blocked,
 *  warned, allowed. outcome and findings are those of mam_launch if the person passes no prompt
 *  ("accountId" and "upn" are null), outcomeWhenAnswered if they pass all, in the order of asks.
 *  before is null for an added user. Settings of the app (MAMPolicyRequired…) and earlier findings
 *  of a session are ignored.
 *  Returns: MAM_OK; MAM_ERR_JSON, MAM_ERR_ARGUMENT, MAM_ERR_NOT_FOUND… (a mistake in a change, user
 *           or request: "list" and "index" in the detail); MAM_ERR_ARGUMENT (too large: the file
 *           over 128 MiB, the reply over 64 MiB); MAM_ERR_NOT_FOUND (file); MAM_ERR_STORAGE (no
 *           authority)…
 *  In:      path  of the authority, never written. request_json  up to 16 MiB.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_policy_simulate(const char *path, const char *request_json, char **json)
    MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 13. Diagnostics
 */

/** Log levels. Only MAM_LOG_VERBOSE names people; in other lines the "account" of mam_diagnostics
 *  stands for an account. No level contains keys, tokens or plaintext. */
enum { MAM_LOG_VERBOSE = 0, MAM_LOG_INFO = 1, MAM_LOG_WARNING = 2, MAM_LOG_ERROR = 3 };

/** Receives one line, valid during the call. */
typedef void mam_log_fn(void *user, int32_t level, const char *message);

/** Send lines of `level` and above to fn; NULL, the default, for none. Returns when no call of the
 *  former one is running, or at once inside it. The setting VerboseLoggingEnabled does not lower
 *  the level, as lines may go where names of people must not.
 *  Returns: MAM_OK, MAM_ERR_ARGUMENT (level).
 *  In:      level  one MAM_LOG_*.
 *           user   passed to fn; keep it valid until another function is set or m is closed.
 *  Mirrors: the Intune App SDK's logger. Since: MAM_0 */
MAM_API mam_status mam_set_log(mam_t *m, int32_t level, mam_log_fn *fn, void *user);

/** The log files of the app, newest first: ["/home/ann/.local/state/libmam/com.example/…"…], those
 *  that exist. Every process of the app appends its lines of level info and above, and verbose ones
 *  while VerboseLoggingEnabled is true: "2026-11-24T09:00:00.000Z info 1234 message", 1234 being
 *  the process. A full file, 256 KiB at most, becomes the second one and replaces the former one;
 *  both have mode 0600 (docs/diagnostics.md). A line that cannot be written is left out: a log
 *  never fails or delays a call. The files may be read, copied and removed at any time.
 *  Returns: MAM_OK. Mirrors: getIntuneLogPaths. Since: MAM_0 */
MAM_API mam_status mam_log_paths(mam_t *m, char **json) MAM_CHECK_RESULT;

/** Privacy levels of telemetry events, from data that may be refused to data that is required:
 *  optional diagnostic data, required service data, required diagnostic data. */
enum { MAM_PRIVACY_OPTIONAL = 0, MAM_PRIVACY_SERVICE = 1, MAM_PRIVACY_DIAGNOSTIC = 2 };

/** Receives one event of telemetry, valid during the call. */
typedef void mam_telemetry_fn(void *user, const char *event_json);

/** Send telemetry events of privacy level `level` and above to fn; NULL, the default, for none.
 *  Nothing is recorded without a function, nor while the setting MAMTelemetryDisabled is true:
 *  mam_set_override changes it durably. libmam itself sends nothing anywhere and stores nothing.
 *  Returns when no call of the former function is running, or at once inside it.
 *
 *  {"name":"enrollment","time":"…","account":"…","tenant":"…","privacyLevel":1,"dataTypes":3,
 *  "priority":2,"region":0,"properties":{"code":100,"result":"newPoliciesReceived",
 *  "succeeded":true,"trigger":"host","milliseconds":12}}. docs/telemetry.md lists every event with
 *  its properties:
 *    appLaunch      a launch or resume has ended
 *    enrollment, unenrollment, checkIn   one has ended, with its code (docs/status-codes.md)
 *    wipe           a wipe is complete, or could not go on and is tried again
 *    action         a call that changes something has ended, or the operation that it started
 *    eventsLost     with "count": events were dropped
 *  "account" is the account id and "tenant" its tenant's, null where there is none or it is not
 *  known. No event has a UPN, a path, text of a message, a value of an app configuration, or a
 *  secret. "dataTypes" is a sum of 1 (usage of product and service), 2 (their performance), 4
 *  (device connectivity and configuration), 8 (software setup and inventory), 16 (browsing
 *  history), 32 (inking, typing and speech); "priority" 1 low, 2 normal, 3 high, 4 immediate;
 *  "region" 0 global, 1 EU. This version uses neither 4, 16 and 32, nor immediate, nor EU.
 *
 *  With a worker fn runs on a thread of its own: it may be slow, and delays no operation. 256
 *  events wait for it; then the oldest is dropped, and eventsLost counts those. With
 *  "worker":false it runs on the thread of the call that recorded the event, or of another call
 *  that records, of mam_wait or of mam_run_due, before that returns. One event is delivered at a
 *  time, in order. Calls that fn makes, and operations that it starts, are not recorded. mam_close
 *  delivers events that wait, for at most 2 seconds; calls of fn on m then fail with
 *  MAM_ERR_CLOSED.
 *
 *  Returns: MAM_OK, MAM_ERR_ARGUMENT (level); MAM_ERR_IO, MAM_ERR_NO_SPACE (no thread starts).
 *  In:      level  one MAM_PRIVACY_*.
 *           user   passed to fn; keep it valid until another function is set or m is closed.
 *  Mirrors: IntuneMAMTelemetryManager and its delegate, which filters and sends as the user's
 *           privacy settings demand; telemetryEnabled of IntuneMAMSettings. Since: MAM_0 */
MAM_API mam_status mam_set_telemetry(mam_t *m, int32_t level, mam_telemetry_fn *fn, void *user);

/** Information for troubleshooting: versions, app, authority with its custody, "custodyReason" (why
 *  it is development, or null), "known":{"id","number","key","revision"} (the authority that this
 *  state accepts, with its latest key as in key.show of mam_admin, and the number of its changes
 *  that were seen; null before the first contact) and "problem" (the reason that it cannot be
 *  asked, such as another authority at its path, or null; up to 5 seconds if it is locked; of a
 *  service, why this process's latest request failed: it is not asked), for a service
 *  "lastReached" (when it last answered, or null), key custody, state (schema, generation,
 *  "counter", and "older": an older copy was restored),
 *  "unlistedShares":{"count","first":[…]} (keys of no account; the first 64),
 *  "closedAccounts":[{"account","accountId","upn","status","message","detail"}…] (accounts whose
 *  data stays closed, with the error as in mam_last_error_json; names are null if they are lost),
 *  "keyMemory":{"locked":true,"wipedOnFork":true} (false if the system did not keep every key from
 *  swap, or does not empty memory in a fork), accounts as mam_registered_accounts lists them and
 *  with "account" (32 hexadecimal digits that stand for the account in the log), open wipes,
 *  unenrollments not yet reported to the authority
 *  ("unenrollments":[{"accountId","upn","ended","nextReport"}…]), the test policy, queue lengths,
 *  "logFiles":{"paths":[…],"lostLines":0} (as mam_log_paths, and how many lines this session could
 *  not write), the latest log lines, and "deviceHealth", at most half a minute old:
 *  {"healthy":true,"threatLevel":null,"time":"…","signals":[{"signal":"tracer",
 *  "state":"ok|fail|unknown|notApplicable","standing":"required|counts|informs|ignored",
 *  "refuses":false,"source":"/proc/self/status","value":null,"detail":"…"}…],"report":null}
 *  (docs/device-health.md), "screenLock":{"state":"locked|unlocked|unknown","source":"host|logind",
 *  "closes":false} (closes: mam_report_screen_lock). No secrets; names people.
 *  Returns: MAM_OK… Mirrors: getDiagnosticInformation. Since: MAM_0 */
MAM_API mam_status mam_diagnostics(mam_t *m, char **json) MAM_CHECK_RESULT;

/** Remove keys (shares) in the state directory of no account of the state: remains of a newer
 *  state.db that was lost when an older one was restored. Nothing else removes them, and their data
 *  becomes unreadable; a "warning" event and "unlistedShares" of mam_diagnostics report them.
 *  Returns: MAM_OK            *json is {"shares":2}, their number.
 *           MAM_ERR_TAMPERED  the state is older than one that was in use here (detail
 *                             "reason":"regress"): nothing was removed. Check in first, or restore
 *                             the newest copy.
 *           MAM_ERR_DENIED    an extension.
 *           MAM_ERR_STORAGE, MAM_ERR_IO, MAM_ERR_BUSY.
 *  Mirrors: nothing: iOS restores no single file. Since: MAM_0 */
MAM_API mam_status mam_purge(mam_t *m, char **json) MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 14. JSON for hosts without a parser: docs/guide.md
 */

/** Parse JSON: an event, a status, a list of accounts, or any other.
 *
 *  The functions below find a value by its JSON Pointer (RFC 6901): "" is the whole text;
 *  "/findings/0/message" is a member of the first element of a member. In a key "~1" stands for /
 *  and "~0" for ~. They take no lock. A value that is absent, or of another type, is no failure:
 *  they return what their comments say. So they do for a NULL, closed or forked handle and for a
 *  malformed pointer (MAM_ERR_ARGUMENT), which mam_last_status reports.
 *
 *  Returns: MAM_OK; MAM_ERR_JSON (also U+0000 in a string, and a number that does not fit: nothing
 *           is cut or rounded); MAM_ERR_ARGUMENT; MAM_ERR_NO_SPACE (memory; a million handles).
 *  In:      json    any JSON value, by the rules at the top; up to 256 MiB, as every reply is.
 *  Out:     parsed  release with mam_json_release. Since: MAM_0 */
MAM_API mam_status mam_json_parse(const char *json, mam_json_t **parsed) MAM_CHECK_RESULT;

/** A value exists and is not null. Closed: 0. Since: MAM_0 */
MAM_API mam_bool mam_json_has(const mam_json_t *parsed, const char *pointer);

/** The text of a string, else "": mam_json_has distinguishes "" from none. Never NULL;
 *  borrowed until mam_json_release. Since: MAM_0 */
MAM_API const char *mam_json_text(const mam_json_t *parsed, const char *pointer);

/** A whole number of 64 bits, else fallback: 1.0 and 1e3 are none. Since: MAM_0 */
MAM_API int64_t mam_json_integer(const mam_json_t *parsed, const char *pointer, int64_t fallback);

/** 1 for true, 0 for false, else fallback: pass the one that is safe. Closed: 0 or 1, as fallback
 *  says; 0 where that is neither (MAM_ERR_ARGUMENT). Since: MAM_0 */
MAM_API mam_bool mam_json_bool(const mam_json_t *parsed, const char *pointer, mam_bool fallback);

/** The number of elements of an array or of members of an object, else 0. Since: MAM_0 */
MAM_API size_t mam_json_count(const mam_json_t *parsed, const char *pointer);

/** The key of a member of an object, else "". Never NULL; borrowed until mam_json_release.
 *  In:      index  0 for the first, in the order of the text. Since: MAM_0 */
MAM_API const char *mam_json_key(const mam_json_t *parsed, const char *pointer, size_t index);

/** Release; NULL and repeated release are allowed. Since: MAM_0 */
MAM_API void mam_json_release(mam_json_t *parsed);

#ifdef __cplusplus
}
#endif
#endif
