/** libmam: mobile-application-management enforcement for any host program.
 *
 *  This file is the whole contract: what is not in it is not API. The pages that it names as docs/…
 *  are installed in share/doc/mam; docs/integrate.md is the place to begin.
 *
 *  RULES FOR EVERY CALL
 *
 *  Arguments   handle first, then inputs (each length right after its buffer), outputs last. Nobody
 *              may change an input while a call reads it: bytes that change meanwhile may pass for
 *              verified ones.
 *  Results     a function that can fail returns mam_status; MAM_OK is 0. On failure every output is
 *              NULL or 0, unless its comment says more. A predicate returns mam_bool, 0 or 1, and
 *              fails closed: the closed value stands beside it, and is what a NULL, closed or
 *              forked handle, a tampered account and a broken argument get. mam_last_status() then
 *              tells failure from refusal.
 *  Errors      mam_last_status, mam_last_message and mam_last_error_json describe the calling
 *              thread's latest call: every failing call sets them, every successful one clears
 *              them. (The functions of section 1 leave them alone.)
 *              A call on a handle may also answer MAM_ERR_ARGUMENT (a NULL handle or output),
 *              MAM_ERR_CLOSED or MAM_ERR_FORKED, and one that needs the state MAM_ERR_STORAGE,
 *              MAM_ERR_IO, MAM_ERR_NO_SPACE, MAM_ERR_PERMISSION, MAM_ERR_TAMPERED, or MAM_ERR_BUSY
 *              where others held it for half a minute and more. Each function's "Returns" names
 *              what else there is, or what these mean there.
 *  Strings     UTF-8, NUL-terminated. JSON in is strict RFC 8259: no duplicate keys, at most 64
 *              levels, at most 4 MiB (mam_admin: 16 MiB). JSON out is compact with keys in a fixed
 *              order; new keys may be added, so ignore those you do not know. Section 14 reads it
 *              for a host without a JSON parser. Times are RFC 3339 in UTC, durations ISO 8601.
 *  Messages    "message" is for administrators. Beside it, refusals, findings, errors, events,
 *              questions and statuses have "userMessage", one sentence or two for the person who
 *              uses the host, without paths, settings and ids, and "messageKey", its stable name
 *              (docs/messages.md), for hosts with texts of their own.
 *  Ownership   what a function hands out through `char **` is yours: release it with mam_free,
 *              which zeroes it first. mam_buffer: mam_buffer_free. Inputs are never kept.
 *  Handles     are tokens, not addresses: never look inside one. A closed or made-up one is
 *              MAM_ERR_CLOSED, not a crash. They close in any order; a call on a handle whose
 *              parent is closed is MAM_ERR_CLOSED.
 *  Threads     every function may be called from any thread, on one handle at the same time; 64 KiB
 *              of stack are enough. Do not cancel a thread (pthread_cancel) inside a call:
 *              mam_close would wait for it for ever.
 *  Fork        in a child every handle of the parent answers MAM_ERR_FORKED; mam_close frees its
 *              memory and touches nothing else; a new mam_open works. The child has none of the
 *              parent's keys. A child that is forked inside a callback must not return from it: it
 *              ends by exec or _exit.
 *  Signals     libmam changes none. A write of its own beyond RLIMIT_FSIZE fails (MAM_ERR_IO), and
 *              the SIGXFSZ of it does not reach the host; of a limit that was lowered only some
 *              milliseconds before, it may.
 *  Callbacks   are called with no lock held, on the worker's thread, or with "worker":false on the
 *              thread inside mam_wait or mam_run_due (log functions: on any thread inside libmam;
 *              the question isExternalURL: on the one inside mam_policy_web_view). They may call
 *              back in, except mam_close, mam_wait and mam_run_due (MAM_ERR_DEADLOCK). They must
 *              not unwind or longjmp.
 *  Memory      libmam checks sizes before it allocates, but a failed allocation ends the process. A
 *              size_t above PTRDIFF_MAX is MAM_ERR_ARGUMENT in every function (0 from
 *              mam_protect_bound).
 *
 *  ACCOUNT ARGUMENTS take an account id (object id) or a UPN, compared byte by byte with ASCII case
 *  folded: at most MAM_ACCOUNT_MAX bytes, no control characters, no white space at either end.
 *
 *  | function                 | NULL               | ""                 | a name nobody enrolled  |
 *  | ------------------------ | ------------------ | ------------------ | ----------------------- |
 *  | mam_policy_for_account   | unmanaged          | no user, unmanaged | unmanaged user          |
 *  | …_is_save_to_allowed,    | unknown, unmanaged | no user, unmanaged | unmanaged user          |
 *  | …_save_to_reason, the    |                    |                    |                         |
 *  | same of opening,         |                    |                    |                         |
 *  | …_locations              |                    |                    |                         |
 *  | mam_file_export          | unknown, unmanaged | no user, unmanaged | unmanaged user          |
 *  | mam_file_import          | the thread's or    | no user, unmanaged | unmanaged user          |
 *  |                          | process's          |                    |                         |
 *  | mam_policy_clipboard     | unknown, unmanaged | no user, unmanaged | unmanaged user          |
 *  | mam_protect…             | MAM_ERR_ARGUMENT   | no user, unmanaged | unmanaged user          |
 *  | mam_file_create,         | the thread's       | no user, unmanaged | unmanaged user          |
 *  | mam_file_encrypt,        | identity for files |                    |                         |
 *  | mam_file_protect,        | (MAM_TASK_FILE)    |                    |                         |
 *  | mam_file_unmanage,       |                    |                    |                         |
 *  | …_verify_and_protect     |                    |                    |                         |
 *  | mam_sqlite_…             | MAM_ERR_ARGUMENT   | no user, unmanaged | unmanaged user          |
 *  | mam_open_url             | no user, unmanaged | no user, unmanaged | unmanaged user          |
 *  | mam_set_process_…,       | not set: look      | no user, unmanaged | unmanaged user          |
 *  | mam_push_thread…         | further            |                    |                         |
 *  | mam_run_as               | not set: look      | no user, unmanaged | unmanaged user          |
 *  |                          | further            |                    |                         |
 *  | mam_is_account_managed   | nobody: 0          | no user: 0         | 0                       |
 *  | mam_identity_equal       | equal to NULL      | equal to "" alone  | equal to its own        |
 *  |                          | alone              |                    | spelling                |
 *  | mam_blocked_reason       | MAM_BLOCK_NONE     | MAM_BLOCK_NONE     | MAM_BLOCK_NONE          |
 *  | mam_conditional_launch   | nobody: allowed    | no user: allowed   | unmanaged user: allowed |
 *  | mam_register_account     | MAM_ERR_ARGUMENT   | MAM_ERR_ARGUMENT   | makes it known          |
 *  | mam_check_in             | every enrolled     | MAM_ERR_ARGUMENT   | status 213 or 214       |
 *  |                          | account            |                    |                         |
 *  | mam_login_and_enroll     | the device's, the  | MAM_ERR_ARGUMENT   | as any other            |
 *  |                          | group's, or        |                    |                         |
 *  | mam_deregister_…,        | MAM_ERR_ARGUMENT   | MAM_ERR_ARGUMENT   | MAM_ERR_NOT_REGISTERED  |
 *  | mam_wipe_account         |                    |                    |                         |
 *  | mam_pin_…,               | MAM_ERR_ARGUMENT   | MAM_ERR_ARGUMENT   | MAM_ERR_NOT_ENROLLED    |
 *  | mam_rotate_keys          |                    |                    |                         |
 *
 *  An account that is registered and not enrolled, because nobody asked yet or the authority
 *  refused, is known and not managed: it is an unmanaged user of the last column. With
 *  "unknownIdentities":"error" a name that libmam does not know is MAM_ERR_NOT_FOUND in the last
 *  column's place; whether an account is managed is what mam_is_account_managed says.
 *
 *  NAMES OF MANAGED ACCOUNTS never take protection off; docs/identity.md has the rules in full.
 *    Renamed     An account keeps the last 16 UPNs that it had in this app: they mean it, until
 *                another account has the name. Handles, windows, process and thread identities
 *                follow the account. The event accountDidChange reports the new UPN, which
 *                mam_registered_accounts shows.
 *    Retired     A name of an account that was wiped or unenrolled, in this session or an earlier
 *                one, is MAM_ERR_NOT_ENROLLED in mam_protect…, mam_protect_stream_open,
 *                mam_file_create, _encrypt, _protect, _verify_and_protect, _unmanage, _import and
 *                _export, and in mam_sqlite_…: also where no account is enrolled, and where the
 *                name is the thread's or the process's identity. What an account that was
 *                unenrolled without a wipe has stays readable. The name is free again when the host
 *                has registered it with mam_register_and_enroll or mam_login_and_enroll and the
 *                authority has answered: enrolled, or 200 or 225, known and not managed. The last
 *                1000 names of an app are remembered, as keyed hashes.
 *    Unknown     A name that is not registered, in the domain of a managed account's UPN, is
 *                MAM_ERR_NOT_FOUND in the same calls; mam_register_account makes it known. Domains
 *                of public mail providers are no organisation's (docs/identity.md lists them);
 *                "organizationDomains" of mam_open replaces the choice. Predicates, handles and
 *                identities take the name for an unmanaged user's.
 *    Data that goes to a retired or an unknown name is refused: save to, share targets, clipboard.
 *
 *  IDENTITIES as JSON are null (not set), "" (no user), a name, or an array of at most 64 names:
 *  accounts that are shown together. An empty array is "". What libmam hands out names an account
 *  that it knows by its account id, and any other as it was given. WINDOWS are names that mean
 *  nothing to libmam: 1 to MAM_WINDOW_MAX bytes of UTF-8, compared byte by byte; NULL is the
 *  default window.
 */
#ifndef MAM_H
#define MAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The release this header came with; mam_version() tells the library's. */
#define MAM_VERSION "0.1.0"
/** The same for #if: 1000000 * major + 1000 * minor + patch. */
#define MAM_VERSION_NUMBER 1000
/** Grows with each release that adds functions; mam_abi_version() tells the library's. 0 is the
 *  first. */
#define MAM_ABI_VERSION 0

#if defined(__GNUC__)
#define MAM_API __attribute__((visibility("default")))
#define MAM_CHECK_RESULT __attribute__((warn_unused_result))
#else
#define MAM_API
#define MAM_CHECK_RESULT
#endif

/** 0 or one of MAM_ERR_*. An open set: treat a number you do not know as a failure. */
typedef int32_t mam_status;
/** 0 or 1. */
typedef int32_t mam_bool;

/** One session of one app with its state and its authority. Any thread. */
typedef struct mam_session mam_t;
/** The answers of one account, or of several shown together, following their policy while held. Any
 *  thread. */
typedef struct mam_policy mam_policy_t;
/** The answer to one question, and why. It belongs to no session: it stays as it is after a change
 *  of policy and after mam_close. Any thread. */
typedef struct mam_decision mam_decision_t;
/** A parsed JSON text. It belongs to no session, and never changes. Any thread. */
typedef struct mam_json mam_json_t;
/** A question that waits for the host's answer; valid while its delegate call runs. Any thread. */
typedef struct mam_question mam_question_t;
/** The identity of one thread, for work that runs elsewhere. Any thread. */
typedef struct mam_identity mam_identity_t;
/** What the app is configured with for some accounts, as it was when asked for. Any thread. */
typedef struct mam_app_configuration mam_app_config_t;
/** A container being made of bytes that come in pieces. Any thread, one at a time. */
typedef struct mam_protect_stream mam_protect_stream_t;
/** A container being read in pieces. Any thread, one at a time. */
typedef struct mam_unprotect_stream mam_unprotect_stream_t;
/** A file that the host works on, sealed or plain. Any thread. */
typedef struct mam_file mam_file_t;

/** Bytes that libmam made; release with mam_buffer_free. */
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
    /* until a launch finds the account open, or the PIN was changed or reset */
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
    MAM_ERR_NO_SPACE = 43, /* on the disk, in memory, or in one of the bounds told here */
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

/** Longest account id or UPN, in bytes. */
#define MAM_ACCOUNT_MAX 256
/** Longest name of a window, in bytes. */
#define MAM_WINDOW_MAX 256
/** Longest PIN, in bytes. */
#define MAM_PIN_MAX 65536

/* -------------------------------------------------------------------------------------------------
 * 1. Library. These leave the thread's last error alone.
 */

/** The library's release, as in "0.1.0". Never NULL; borrowed, static. Since: MAM_0 */
MAM_API const char *mam_version(void);

/** The library's MAM_ABI_VERSION. Since: MAM_0 */
MAM_API int32_t mam_abi_version(void);

/** The short name of a status, as in "notEnrolled"; "unknown" for others. Never NULL; static.
 *  Since: MAM_0 */
MAM_API const char *mam_status_name(mam_status status);

/** Status of this thread's latest call; MAM_OK when it succeeded. Since: MAM_0 */
MAM_API mam_status mam_last_status(void);

/** One line for the administrator about this thread's latest failure; "" when it succeeded. Wording
 *  may change. Never NULL; borrowed until this thread's next call. Since: MAM_0 */
MAM_API const char *mam_last_message(void);

/** The same as JSON: {"status":12,"name":"notEnrolled","message":"…","userMessage":"…",
 *  "messageKey":"errorNotEnrolled","detail":{…}}; detail may name the "argument", "path",
 *  "setting", "accountId", "keyId" or "originalCode" (the number of the Intune App SDK).
 *
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT when json is NULL.
 *  Out:     json  yours.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_last_error_json(char **json);

/** Zero and release a string that libmam handed out. NULL is fine. Since: MAM_0 */
MAM_API void mam_free(void *pointer);

/** Zero and release the bytes, and set the buffer to NULL and 0. NULL and an empty buffer are fine.
 *  Since: MAM_0 */
MAM_API void mam_buffer_free(mam_buffer *buffer);

/* -------------------------------------------------------------------------------------------------
 * 2. Instance
 */

/** Open a session: find or make the state, finish what a killed process left (a wipe above all).
 *
 *  settings_json, where only app.id and authority are required, and an unknown key is an error:
 *    {"app":{"id":"com.example.notes","version":"1.0","group":"com.example",
 *            "extensions":["com.example.notes.share"]},
 *     "stateDirectory":"/home/ann/.local/state/libmam",
 *     "authority":{"type":"embedded","path":"/etc/example/authority.db","keys":["base64"…]},
 *                 (keys, optional: Ed25519 public keys of which the authority must have one;
 *                 without them the first one seen counts)
 *     "device":{"platform":"linux","version":"12","model":"…","lock":"on|off|notApplicable",
 *               "mdmAccountId":"…","managedAppConfig":{"IntuneMAMUPN":"…"},
 *               "health":{"ignore":["tracer"],"require":["diskEncryption"],
 *               "allowedLibraries":["/usr/lib/…"]}},
 *     "settings":{"MultiManagedIdentities":true}, "infoPlist":"/opt/notes/Info.plist",
 *     "testPolicy":"/home/ann/MAMDebugSettings.plist",
 *     "worker":true, "unknownIdentities":"unmanaged|error",
 *     "organizationDomains":["contoso.example"], "questions":"delegate|events",
 *     "questionTimeout":"PT30S", "restartOnFirstPolicy":false, "language":"de_AT:de"}
 *  app.group defaults to the first of AppGroupIdentifiers, else to ContainingAppBundleId, else to
 *  app.id: apps of one group share a state database, never keys. Ids of apps, groups and extensions
 *  are 1 to 128 of A-Z a-z 0-9 . _ - and begin with a letter or digit.
 *  A session with the setting ContainingAppBundleId is one of an extension: it works with the
 *  accounts, policy and keys of that app, where the app lists it. "extensions", at most 64,
 *  replaces the list that the app gave before; without it that one stays; [] is nobody, and closes
 *  extensions that are open. An extension goes by the containing app's "device" and states none.
 *  Enrollment, check-ins and wipes are the containing app's (docs/settings.md).
 *  stateDirectory defaults to $XDG_STATE_HOME/libmam, else $HOME/.local/state/libmam; it must be
 *  absolute and local; the group's folder in it must be yours alone.
 *  "device" states whose the computer is; {} states that it is nobody's. "platform" is linux (the
 *  default), ios, android or windows: the versions and models of that platform's policies judge
 *  "version" and "model". A session that states nothing goes by the latest statement of others;
 *  mam_set_device says whose counts for whom, and changes it later. What is another than the app's
 *  host was told last comes as an event (allowedAccountsDidChange, mdmAccountDidChange); an account
 *  that may not be used any more is reported by an enrollmentRequest with 209, 210 or 211, and its
 *  data is closed (MAM_ERR_DENIED) until the host removes it or it may be used again.
 *  IntuneMAMAllowedAccountsOnly restricts where it is "Enabled" or "true" in any case of letters,
 *  or true; "Disabled", "false", "", false and null do not. Any other value restricts too, with a
 *  "warning" event. With "worker":false nothing happens outside your calls: mam_run_due does what
 *  is due. "questions" says who answers: the delegate function (no delegate: the default answer, at
 *  once) or events. "questionTimeout" is how long they wait; without it PT30S, and PT5M for signIn,
 *  which takes a person. "language" is that of "userMessage", a list as in LANGUAGE; without it
 *  LANGUAGE, LC_ALL, LC_MESSAGES and LANG of the environment count, as for gettext, and English
 *  where none is known. The host's setlocale does not matter. "settings" are IntuneMAMSettings keys
 *  (docs/settings.md). "infoPlist" is a property list, XML or binary, that has the same under
 *  IntuneMAMSettings: a key that stands in both is what "settings" says; one that libmam does not
 *  know is a "warning" event. "testPolicy" is a policy for development (docs/test-policies.md), an
 *  error unless DebugSettingsEnabled is true: the account that it names is then managed by it in
 *  this session, with no authority, and a "warning" event says so. Both are read once, up to 4 MiB,
 *  and need libplist.
 *
 *  Returns: MAM_OK                   *m is open.
 *           MAM_ERR_JSON             settings_json is not JSON, or a key has the wrong type or is
 *                                    unknown. (A malformed colour or other key of how screens look
 *                                    is a "warning" event.)
 *           MAM_ERR_ARGUMENT         a value is out of its range, or a file no property list; the
 *                                    detail names the key.
 *           MAM_ERR_NOT_FOUND        there is no such property list.
 *           MAM_ERR_ALREADY          the account of the test policy is enrolled: its organisation's
 *                                    policy counts.
 *           MAM_ERR_DENIED           an extension that its containing app does not list here; or
 *                                    the account of the test policy may not be managed here, or not
 *                                    beside the enrolled one.
 *           MAM_ERR_PERMISSION       the directory or a file in it is another user's, not yours to
 *                                    write, or open to others.
 *           MAM_ERR_KEY_UNAVAILABLE  there is sealed state but no root key: nothing was changed.
 *           MAM_ERR_VERSION          the state was made by a newer libmam: nothing was changed.
 *           MAM_ERR_UNSUPPORTED      a network file system; the state is used from another IPC
 *                                    namespace; the system gives no System V shared memory
 *                                    (kernel.shmmni, kernel.shmall, a filter of system calls); or
 *                                    there is no libplist for a property list.
 *           MAM_ERR_TAMPERED, MAM_ERR_STORAGE, MAM_ERR_NO_SPACE, MAM_ERR_IO.
 *  Out:     m  the session; NULL on failure.
 *  Mirrors: the SDK's start-up and its IntuneMAMSettings dictionary.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_open(const char *settings_json, mam_t **m) MAM_CHECK_RESULT;

/** Close: interrupt calls of other threads, wait for them, stop the worker, zero keys, free.
 *
 *  When it has returned the session's keys are nowhere in memory, whatever is still held of it: its
 *  policies, identities, configurations, streams and files stay valid tokens and answer
 *  MAM_ERR_CLOSED, SQLite connections SQLITE_IOERR_AUTH. It does not wait for a stream's function:
 *  a call on a stream that is under way ends with MAM_ERR_CLOSED. In a forked child it frees
 *  memory, and returns MAM_OK.
 *
 *  Returns: MAM_OK (also for NULL); MAM_ERR_CLOSED (twice); MAM_ERR_DEADLOCK (from a callback of
 *           this handle).
 *  Since:   MAM_0
 */
MAM_API mam_status mam_close(mam_t *m);

/** Make every call that waits on this handle now return MAM_ERR_INTERRUPTED. Work under way goes
 *  on.
 *  Returns: MAM_OK, MAM_ERR_CLOSED, MAM_ERR_FORKED. Since: MAM_0 */
MAM_API mam_status mam_interrupt(mam_t *m);

/** The effective settings and where each came from: {"app":{…},"stateDirectory":…,"authority":{…,
 *  "custody":"development|administered"},"keyCustody":"file","infoPlist":null,"testPolicy":null,
 *  "settings":[{"key","value","source":"override|settings|infoPlist|default","effect":"applies|
 *  notYet|notApplicable","note","over":[{"source","value"}…]}…],…}. "note" says why a key changes
 *  nothing, "over" what else was given and does not count.
 *  Returns: MAM_OK, MAM_ERR_ARGUMENT, MAM_ERR_CLOSED, MAM_ERR_FORKED. Out: json, yours.
 *           Since: MAM_0 */
MAM_API mam_status mam_settings(mam_t *m, char **json) MAM_CHECK_RESULT;

/** Set one IntuneMAMSettings key for this app, durably, over what mam_open was given; NULL clears
 *  it. What is set of ADALAuthority, ADALClientId and ADALRedirectUri is cleared when the last
 *  enrolled account leaves.
 *  Returns: MAM_OK; MAM_ERR_NOT_FOUND (no such key); MAM_ERR_JSON (not of the key's type);
 *           MAM_ERR_DENIED (an extension: its containing app's overrides count); MAM_ERR_STORAGE…
 *  In:      key         as in docs/settings.md. value_json  one JSON value, or NULL.
 *  Mirrors: IntuneMAMSettings class properties. Since: MAM_0 */
MAM_API mam_status mam_set_override(mam_t *m, const char *key, const char *value_json)
    MAM_CHECK_RESULT;

/** State the device while the session is open: it was enrolled for somebody, got an app
 *  configuration, another lock or system. The object is "device" of mam_open, and takes the place
 *  of the former statement as a whole: a key that it does not have is not stated any more. {} and
 *  NULL state nothing: the device is nobody's, and is what is found.
 *
 *  Whose the device is ("mdmAccountId"; IntuneMAMUPN, IntuneMAMOID and IntuneMAMAllowedAccountsOnly
 *  in "managedAppConfig") counts for every app of the group, the other keys for this app and its
 *  extensions; of several statements the latest counts, made here or at mam_open, by any session.
 *  The configuration values themselves are those of the session that stated them, and count until
 *  another session states another owner. Sessions that are open follow, with a worker at once,
 *  without one at their next call: allowedAccountsDidChange, mdmAccountDidChange and
 *  appConfigDidChange where that changed, and an enrollmentRequest with 209, 210 or 211 for each
 *  account that may not be used any more, whose data is closed (MAM_ERR_DENIED). It opens again
 *  when the account may be used again; nothing is wiped. What a launch has found of version, model,
 *  lock or health holds until the next launch or resume. Durable. Any thread.
 *
 *  Returns: MAM_OK            it counts from now on.
 *           MAM_ERR_JSON      not JSON, an unknown key, or a key of the wrong type;
 *                             MAM_ERR_ARGUMENT  a value is out of its range: nothing was changed,
 *                                               and the detail names the key.
 *           MAM_ERR_DENIED    an extension, which goes by the device of its containing app.
 *           MAM_ERR_BUSY      another thread is stating the device for a minute, or as at the top.
 *                             MAM_ERR_INTERRUPTED.
 *           MAM_ERR_CLOSED, MAM_ERR_FORKED, MAM_ERR_TAMPERED, MAM_ERR_STORAGE, MAM_ERR_NO_SPACE,
 *           MAM_ERR_IO.
 *  In:      device_json  {"platform","version","model","lock","mdmAccountId","managedAppConfig",
 *                        "health"}, each optional; or NULL.
 *  Mirrors: a change of the managed app configuration or of the device's enrollment, which the SDK
 *           sees by itself.
 *  Since:   MAM_0 */
MAM_API mam_status mam_set_device(mam_t *m, const char *device_json) MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 3. Events and questions
 */

/** Take the next event.
 *
 *  {"event":"policyDidChange","time":"2026-11-21T09:30:00.000Z","accountId":"…","upn":"…",…}.
 *  Every event has "userMessage" and "messageKey"; where it has a "status", they are the status's.
 *  Wherever an "accountId" stands in an event, a question or what mam_wait gives, its "upn" stands
 *  beside it, null where it is not known. Events:
 *    enrollmentRequest, policyRequest, unenrollRequest   with "status", the object that mam_wait
 *                                                        describes
 *    policyDidChange, appConfigDidChange, dataProtectionDidChange  with "accountId"
 *    accountDidChange  with "accountId", "upn" (the new one) and "formerUpn": a check-in brought
 *                      another UPN
 *    allowedAccountsDidChange                            with "allowedAccounts", as
 *                                                        mam_allowed_accounts
 *    mdmAccountDidChange                                 with "mdmAccount", as mam_mdm_account
 *    accountBlocked    with "accountId", "reason" and "blockReason", as mam_blocked_accounts gives
 *                      them; notBlocked and 0 when it is not blocked any more
 *    wipeProgress      with "accountId" and "step": closed, shredded, asked, files (with "removed",
 *                      "known" and "left", at most 20 times, where there are any), removed,
 *                      reported
 *    wipeDidComplete   with "accountId", "reason": administrator, host, deregistration, pin,
 *                      conditionalLaunch (what a launch found) or offline (refused after its wipe
 *                      period), "hostRemovedData", and "files": what became of those that the
 *                      account owned (docs/file-owners.md), null where the host removed its data;
 *                      "openDatabases": how many connections of the process to its databases were
 *                      still in a transaction (docs/sqlite.md)
 *    question          with "id", "question" and what mam_set_delegate describes
 *                      ("questions":"events" only)
 *    warning           with "message" and what it is about; "error" is a MAM_ERR_* where data stays
 *                      closed
 *    eventsLost        with "count"
 *  The queue holds 256 in memory: a newer state event (…DidChange) replaces an older one of the
 *  same account; what does not fit is counted by eventsLost. unenrollRequest and wipeDidComplete
 *  are kept in the state until read: one counts as read with the reader's next call of
 *  mam_event_next or mam_close. Until then another process of the app that asks is told as well,
 *  and a process that dies before is told again when it comes back.
 *
 *  Returns: MAM_OK               *json is the event.
 *           MAM_ERR_TIMEOUT      none came in time.
 *           MAM_ERR_INTERRUPTED, MAM_ERR_CLOSED, MAM_ERR_FORKED, MAM_ERR_ARGUMENT.
 *  In:      timeout_ms  -1 for ever, 0 poll.
 *  Out:     json        yours.
 *  Mirrors: the notifications and the enrollment and policy delegates.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_event_next(mam_t *m, int32_t timeout_ms, char **json) MAM_CHECK_RESULT;

/** A descriptor for poll: readable when an event waits, or (without a worker) work is due.
 *  libmam's: do not read or close it; it ends with mam_close. What another process commits makes it
 *  readable through the worker; without one, the next call into libmam sees it.
 *  Returns: the descriptor, or -1 with the last error set. Since: MAM_0 */
MAM_API int32_t mam_event_fd(mam_t *m);

/** Answers a question; see mam_set_delegate. question_json is borrowed for the call. */
typedef void mam_delegate_fn(void *user, mam_question_t *question, const char *question_json);

/** Set who answers questions, or NULL for nobody. Returns when no call of the old one is running
 *  (from inside the old one itself: at once).
 *
 *  question_json {"id":7,"question":"wipeData","accountId":"…","upn":"…","deadline":"…",…,
 *  "userMessage":"…","messageKey":"…"}, answers and defaults:
 *    wipeData            {"removed":true}    the host removed all of the account's data; else
 *                                            {"removed":false}, the default: libmam removes the
 *                                            files it knows.
 *    restartApplication  {"restarting":true} the host restarts itself; default false. Asked only
 *                                            when mam_open said "restartOnFirstPolicy":true;
 *                                            nothing waits for the answer.
 *    accessToken         mam_answer_secret   the account's token for "resource"; default: none,
 *                                            which ends the request with code 203.
 *    signIn              {"accountId":"…","upn":"…","tenantId":"…"}   who has signed in at
 *                                            "resource", in the form of mam_register_and_enroll;
 *                                            "accountId" and "upn" of the question are who is
 *                                            expected, or null. Default: nobody, code 219. Both
 *                                            have "authority", "clientId" and "redirectUri" of the
 *                                            settings.
 *    addAccount          {"added":true}      the host shows an account that it did not register and
 *                                            mam_launch has enrolled; default false: the account is
 *                                            unenrolled again. Without a delegate it is not asked,
 *                                            and the account stays.
 *    blockAccount        {"blocked":true}    the host has hidden a blocked account in "window";
 *                                            "reason" and "blockReason" are those of
 *                                            mam_blocked_accounts; default false: identitySwitch is
 *                                            asked.
 *    identitySwitch      {"switched":true}   the window may be switched to "accountId" ("" is no
 *                                            user) from "from", an account id whose UPN is
 *                                            "fromUpn", null where the window shows several;
 *                                            "reason": cancelConditionalLaunch, after a
 *                                            blockAccount that was not answered with true;
 *                                            documentImport, where mam_file_import would refuse a
 *                                            file that its own account may take in; openURL, by
 *                                            mam_open_url, with its "url". The last two are asked
 *                                            with the setting MultiIdentity alone. Default false:
 *                                            the window stays, the file and the link are refused.
 *    isExternalURL       {"external":true}   "url" is outside the organisation; default true.
 *                                            mam_policy_web_view asks it, on the thread that calls
 *                                            it, and waits for the answer.
 *    pin                 mam_answer_secret   the PIN of "accountId" ("purpose":"enter"; "reason"
 *                                            null or wrong, with "attemptsLeft"), or a new one that
 *                                            meets "rule" ("purpose":"new"; "reason" notSet,
 *                                            expired, tooWeak or reset; "lacks": what the latest
 *                                            answer lacked, as mam_pin_set names it; have it typed
 *                                            twice). mam_answer {"forgot":true}: the person signs
 *                                            in instead. Default: none, the account stays closed.
 *    authenticate        "purpose":"access": {"authenticated":true,
 *                                            "method":"credentials|biometrics"}   the person has
 *                                            signed in to the account, or shown it by biometrics:
 *                                            one of "methods".
 *                                            "mayCancel" is false where no way around it is to be
 *                                            offered (MultiIdentityCancelDisabled). Default
 *                                            {"authenticated":false}: the account stays closed.
 *                                            "purpose":"pinReset" (and "access" too):
 *                                            {"accountId":"…","upn":"…","tenantId":"…"}, who has
 *                                            signed in, as in signIn; default nobody.
 *    deviceHealth        {"threatLevel":"low",…} what mam_report_device_health takes, and is then
 *                                            reported: a launch goes on by it. Asked where a policy
 *                                            bounds the threat level and nobody reported one, or
 *                                            wants the device compliant and something that counts
 *                                            and only a host tells is unknown. Default: nothing,
 *                                            and the check finds that.
 *  The answer null takes the default at once.
 *  The delegate may answer before it returns, or later from any thread with the id, until the
 *  deadline; then the question takes its default.
 *
 *  Returns: MAM_OK, MAM_ERR_CLOSED, MAM_ERR_FORKED.
 *  In:      user  handed to fn as it is; yours to keep alive until another delegate is set or m is
 *                 closed.
 *  Mirrors: wipeDataForAccountId, restartApplication, getAccessTokenForAccountId, addAccountId,
 *           blockAccountId, identitySwitchRequiredForAccountId, isExternalURL.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_set_delegate(mam_t *m, mam_delegate_fn *fn, void *user);

/** The id to answer with; 0 and MAM_ERR_CLOSED for a question whose delegate call has returned.
 *  Since: MAM_0 */
MAM_API int64_t mam_question_id(const mam_question_t *question);

/** Answer a question.
 *  Returns: MAM_OK; MAM_ERR_NOT_FOUND (no such question); MAM_ERR_GONE (answered before, or too
 *           late);
 *           MAM_ERR_JSON (not an answer to it; it stays open); MAM_ERR_ARGUMENT (it takes a
 *           secret).
 *  In:      id           from the question. answer_json  as mam_set_delegate describes.
 *                        Since: MAM_0 */
MAM_API mam_status mam_answer(mam_t *m, int64_t id, const char *answer_json) MAM_CHECK_RESULT;

/** Answer a question that asks for a secret; libmam's copy is zeroed after use, yours is yours to
 *  zero.
 *  Returns: as mam_answer; MAM_ERR_ARGUMENT when it does not take a secret, or length is 0 or above
 *           65536.
 *  In:      bytes  length bytes. Since: MAM_0 */
MAM_API mam_status mam_answer_secret(mam_t *m, int64_t id, const uint8_t *bytes, size_t length)
    MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 4. Enrollment. Calls that talk to the authority start an operation and return its number. While
 *    1024 have not ended, those that do not unenroll or wipe answer MAM_ERR_NO_SPACE.
 */

/** Register an account and enroll it now; if that fails, again on schedule until it succeeds (12 or
 *  24 h after a refusal, sooner after a network failure), or when this is called again. For an
 *  enrolled account: ends with 208.
 *
 *  Returns: MAM_OK; MAM_ERR_JSON; MAM_ERR_ARGUMENT (originalCode 207: no account, NULL or "");
 *           MAM_ERR_STORAGE…
 *  In:      account_json  {"accountId":"…","upn":"…","tenantId":"…"}: accountId or upn is required.
 *  Out:     op            for mam_wait; the final status is the policy request's (100) or what
 *                         refused.
 *  Mirrors: registerAndEnrollAccountId.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_register_and_enroll(mam_t *m, const char *account_json, int64_t *op)
    MAM_CHECK_RESULT;

/** Enroll whoever signs in. A known account is first enrolled with what is at hand (the accessToken
 *  question asks for its token); only where the authority does not let it in, or no account is
 *  known, the signIn question asks a person. Then the account goes on as with
 *  mam_register_and_enroll, but it is registered only once it is enrolled: a failed login leaves no
 *  registration and is not tried again. (One of an account that was registered before leaves that
 *  as it was.)
 *
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT (originalCode 207: ""); MAM_ERR_STORAGE…
 *  In:      account  who is expected to sign in (with an "@" a UPN, else an account id), or NULL:
 *                    the device's account (device.mdmAccountId, or IntuneMAMUPN and IntuneMAMOID in
 *                    device.managedAppConfig); where it has none, the one account that other apps
 *                    of the group have under policy (mam_managed_apps), unless this app has it too,
 *                    has had it, or may have no further one; and where there is none or several,
 *                    whoever signs in.
 *  Out:     op       ends as mam_register_and_enroll, or with 219: nobody signed in, or nobody
 *                    answers questions.
 *  Mirrors: loginAndEnrollAccount. Since: MAM_0 */
MAM_API mam_status mam_login_and_enroll(mam_t *m, const char *account, int64_t *op)
    MAM_CHECK_RESULT;

/** Make a name known without enrolling it: a shared mailbox, a colleague. It stays an unmanaged
 *  user; no schedule and no auto-enrollment enrolls it, and mam_deregister_and_unenroll forgets it.
 *  Durable; for this app. Any thread.
 *
 *  Returns: MAM_OK                also where the name is known already, or an account's of this
 *                                 app.
 *           MAM_ERR_NOT_ENROLLED  the name is retired (see the top): register it with
 *                                 mam_register_and_enroll.
 *           MAM_ERR_NO_SPACE      4096 names are known.
 *           MAM_ERR_ARGUMENT      NULL, "", or a rule at the top of this file was broken.
 *           MAM_ERR_TAMPERED, MAM_ERR_STORAGE…
 *  In:      account  a UPN or an account id.
 *  Mirrors: nothing; the Intune App SDK takes every name that was not enrolled for a personal one.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_register_account(mam_t *m, const char *account) MAM_CHECK_RESULT;

/** The names that mam_register_account made known, as they were given, in that order:
 *  ["desk@contoso.example"…]. They are not in mam_registered_accounts.
 *  Returns: MAM_OK… Out: json, yours. Since: MAM_0 */
MAM_API mam_status mam_known_accounts(mam_t *m, char **json) MAM_CHECK_RESULT;

/** Unenroll and forget an account; call it before you drop the user. Without wipe the account is
 *  unmanaged when this returns, durably, and this app can still read its data (the host deletes
 *  it). The operation tells the authority; where it cannot, its message says so, and the authority
 *  is told later (docs/enrollment.md).
 *
 *  Returns: MAM_OK, MAM_ERR_NOT_REGISTERED, MAM_ERR_DENIED (an extension), MAM_ERR_ARGUMENT,
 *           MAM_ERR_STORAGE…
 *  In:      account  registered (with wipe also one unenrolled without), or known by
 *                    mam_register_account. wipe  1 also wipes, as mam_wipe_account does.
 *  Out:     op       ends with 104, or 215 when the wipe failed.
 *  Mirrors: deRegisterAndUnenrollAccountId:withWipe:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_deregister_and_unenroll(
    mam_t *m, const char *account, mam_bool wipe, int64_t *op) MAM_CHECK_RESULT;

/** Ask the authority now for policy and commands.
 *  Returns: MAM_OK, MAM_ERR_ARGUMENT, MAM_ERR_STORAGE…
 *  In:      account  enrolled, or NULL for all.
 *  Out:     op       ends with 100, 101, 102 or 103, or what failed (223: an extension); with NULL,
 *                    the worst of them.
 *  Mirrors: the SDK's check-in. Since: MAM_0 */
MAM_API mam_status mam_check_in(mam_t *m, const char *account, int64_t *op) MAM_CHECK_RESULT;

/** Give up the authority that this app has come to know at authority.path: from now on the first
 *  one that is found there counts (or one of authority.keys, where the settings name keys).
 *  Accounts of this app that are enrolled with it are unenrolled at once and stay closed, with all
 *  that they have, until they are enrolled with the same authority again; nothing is deleted, and
 *  another authority gets none of it. Where no authority is known it does nothing.
 *
 *  Returns: MAM_OK, MAM_ERR_DENIED (an extension), MAM_ERR_STORAGE…
 *  Since:   MAM_0 */
MAM_API mam_status mam_forget_authority(mam_t *m) MAM_CHECK_RESULT;

/** Wait for an operation. Without a worker, this call does the work.
 *
 *  {"accountId","upn","identity","code","name","didSucceed","message","time","userMessage",
 *  "messageKey"}: identity is the UPN too, code and name are of docs/status-codes.md, message says
 *  what happened and what to do. After mam_launch and mam_set_ui_identity: as told there.
 *
 *  Returns: MAM_OK           it ended: look at didSucceed.
 *           MAM_ERR_TIMEOUT  not yet.
 *           MAM_ERR_GONE     it ended, but 256 others ended since. MAM_ERR_NOT_FOUND: there was
 *                            none.
 *           MAM_ERR_DEADLOCK, MAM_ERR_INTERRUPTED, MAM_ERR_CLOSED, MAM_ERR_FORKED,
 *           MAM_ERR_ARGUMENT.
 *  In:      timeout_ms   -1 for ever, 0 poll.
 *  Out:     status_json  yours.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_wait(mam_t *m, int64_t op, int32_t timeout_ms, char **status_json)
    MAM_CHECK_RESULT;

/** Do what is due: operations, check-ins, retries, unfinished wipes, changes made by other
 *  processes. With a worker: lets it look now, and waits for nothing.
 *  Returns: MAM_OK, MAM_ERR_DEADLOCK (from a callback), MAM_ERR_INTERRUPTED, MAM_ERR_CLOSED,
 *           MAM_ERR_FORKED.
 *  Since:   MAM_0 */
MAM_API mam_status mam_run_due(mam_t *m);

/** Registered accounts, enrolled ones included: [{"accountId","upn","tenantId","state":"registered|
 *  enrolled|wiping","managed":true,"test":false,"lastCheckIn","nextCheckIn","lastCode",
 *  "lastMessage"}…]. lastCode is how the latest request ended; lastMessage, where it failed, what
 *  happened and what to do, else null. "test": enrolled by a test policy.
 *  Returns: MAM_OK… Out: json, yours. Mirrors: registeredAccountIds. Since: MAM_0 */
MAM_API mam_status mam_registered_accounts(mam_t *m, char **json) MAM_CHECK_RESULT;

/** The enrolled ones among them, in the same form.
 *  Returns: MAM_OK… Out: json, yours. Mirrors: enrolledAccountIds. Since: MAM_0 */
MAM_API mam_status mam_enrolled_accounts(mam_t *m, char **json) MAM_CHECK_RESULT;

/** The one enrolled account of a host without MultiManagedIdentities, or null.
 *  Returns: MAM_OK… Out: json, yours. Mirrors: primaryAccountId, enrolledAccountId. Since: MAM_0 */
MAM_API mam_status mam_primary_account(mam_t *m, char **json) MAM_CHECK_RESULT;

/** null: any account may sign in; else only those listed: ["ann@contoso.example"…]; others are to
 *  be signed out. From device.managedAppConfig (IntuneMAMAllowedAccountsOnly, IntuneMAMUPN,
 *  IntuneMAMOID).
 *  Returns: MAM_OK… Out: json, yours. Mirrors: allowedAccounts. Since: MAM_0 */
MAM_API mam_status mam_allowed_accounts(mam_t *m, char **json) MAM_CHECK_RESULT;

/** The account that the device is enrolled with: {"accountId":"…","upn":"…"} or null. From
 *  device.mdmAccountId; "upn" is null where neither the state nor device.managedAppConfig has it.
 *  Returns: MAM_OK… Out: json, yours. Mirrors: mdmEnrolledAccountId. Since: MAM_0 */
MAM_API mam_status mam_mdm_account(mam_t *m, char **json) MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 5. Identity: on whose behalf the host acts. A thread, a window and the process can each have one.
 *
 *  | for                  | the first that is set of                                              |
 *  | -------------------- | --------------------------------------------------------------------- |
 *  | a UI task            | the calling thread's, the window's, the default window's, the         |
 *  |                      | process's                                                             |
 *  | a file task          | the calling thread's, the process's                                   |
 *
 *  Nothing of this is kept in the state or seen by other sessions and processes. libmam knows no
 *  main thread.
 */

enum { MAM_TASK_UI = 0, MAM_TASK_FILE = 1 };

/* How an identity switch ended. */
enum {
    MAM_SWITCH_SUCCESS = 0,
    MAM_SWITCH_CANCELED = 1,
    MAM_SWITCH_NOT_ALLOWED = 2,
    MAM_SWITCH_FAILED = 3
};

/** Say for whom the process acts where nothing nearer does; NULL takes it back.
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT; MAM_ERR_NOT_FOUND ("unknownIdentities":"error");
 *           MAM_ERR_CLOSED…
 *  In:      account  see the table at the top.
 *  Mirrors: setProcessAccountId. Since: MAM_0 */
MAM_API mam_status mam_set_process_identity(mam_t *m, const char *account) MAM_CHECK_RESULT;

/** For whom the process acts: null, "" or a name. Where the host has not said and the setting
 *  MultiIdentity is false, the one enrolled account.
 *  Returns: MAM_OK… Out: json, yours. Mirrors: getProcessAccountId. Since: MAM_0 */
MAM_API mam_status mam_process_identity(mam_t *m, char **json) MAM_CHECK_RESULT;

/** Ask to show other accounts in a window; hold the new content back until it ended with success.
 *
 *  null forgets the window. The operation ends with {"result":0,"name":"success","didSucceed":true,
 *  "identities","window","message","time","userMessage","messageKey"}:
 *    0 success
 *    1 canceled    a later switch of the same window was asked for before this one was carried out;
 *                  or a person did not show what an account asks for.
 *    2 notAllowed  the calling thread carries another identity; or, without the setting
 *                  MultiManagedIdentities, more than one of the accounts is managed, or one belongs
 *                  to another user of the organisation (by tenant or by the domain of the UPN)
 *                  whose account is enrolled.
 *    3 failed      an account is blocked, or its wipe is under way; or the window found no room.
 *  The accounts go through the checks of mam_launch first, with what these ask of a person, and
 *  with what follows. Only success changes what the window shows.
 *
 *  Once an account is wiped or unenrolled it is taken out of every window, at the latest with the
 *  event that tells so: a window that showed it alone shows "" from there on. For one that is
 *  blocked the host is asked (blockAccount, then identitySwitch); what it does not hide stays
 *  shown, with the event warning.
 *
 *  Returns: MAM_OK             *op was started.
 *           MAM_ERR_JSON       identities_json is not null, a string or an array of strings.
 *           MAM_ERR_ARGUMENT   a name or the window's breaks a rule at the top.
 *           MAM_ERR_NO_SPACE   4096 windows have an identity, or 1024 operations have not ended.
 *           MAM_ERR_NOT_FOUND  ("unknownIdentities":"error").
 *  In:      identities_json  as at the top.
 *  Out:     op               for mam_wait.
 *  Mirrors: setUIPolicyAccountId(s):forWindow:. Since: MAM_0 */
MAM_API mam_status mam_set_ui_identity(
    mam_t *m, const char *window, const char *identities_json, int64_t *op) MAM_CHECK_RESULT;

/** Open a link that belongs to an account in a window: one that another app passes on (its sender
 *  is the account), or one in an account's data that the app shows itself. Open it when the
 *  operation has ended with success, and not otherwise.
 *
 *  The operation ends as that of mam_set_ui_identity. It is a success at once, and switches
 *  nothing, where the window, by the order of a UI task, shows the account, or shows accounts whose
 *  policy takes in what an unmanaged user sends. Otherwise the host is asked for leave
 *  (identitySwitch with openURL). With it the window is switched as mam_set_ui_identity does, by
 *  the same rules and checks; where nobody answers, the answer is no, or the setting MultiIdentity
 *  is false, the operation ends with notAllowed (2), its message says why, and the window stays.
 *  Whether the account may open the URL is mam_policy_url's to answer.
 *
 *  Returns: MAM_OK             *op was started.
 *           MAM_ERR_ARGUMENT   url is NULL, not UTF-8 or longer than MAM_URL_MAX; a name breaks a
 *                              rule at the top.
 *           MAM_ERR_NO_SPACE   as mam_set_ui_identity. MAM_ERR_NOT_FOUND
 *                              ("unknownIdentities":"error").
 *  In:      window   NULL is the default one.
 *           account  whose link it is; NULL where nobody knows.
 *           url      for the question alone: nothing is opened or judged.
 *  Out:     op       for mam_wait.
 *  Mirrors: getAccountIdForCurrentActivity, and the switch that the SDK asks for when a URL of
 *           another account is opened.
 *  Since:   MAM_0 */
MAM_API mam_status mam_open_url(
    mam_t *m, const char *window, const char *account, const char *url, int64_t *op)
    MAM_CHECK_RESULT;

/** What a window shows, as an array; null where nothing was set for this very window.
 *  Returns: MAM_OK… Out: json, yours. Mirrors: getUIPolicyAccountIdsForWindow. Since: MAM_0 */
MAM_API mam_status mam_ui_identity(mam_t *m, const char *window, char **json) MAM_CHECK_RESULT;

/** Give the calling thread an identity until it is popped; they nest, at most 1024 deep. Other
 *  threads, those that it starts too, see nothing of it. NULL: the thread's is not set, whatever
 *  lies below.
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT; MAM_ERR_NO_SPACE (too deep); MAM_ERR_NOT_FOUND
 *           ("unknownIdentities":"error").
 *  Mirrors: setCurrentThreadAccountId:forScope:. Since: MAM_0 */
MAM_API mam_status mam_push_thread_identity(mam_t *m, const char *account) MAM_CHECK_RESULT;

/** Take the latest one back. Inside mam_run_as and mam_identity_run only what was pushed there.
 *  Returns: MAM_OK; MAM_ERR_NOT_FOUND (there is none); MAM_ERR_CLOSED, MAM_ERR_FORKED.
 *           Since: MAM_0 */
MAM_API mam_status mam_pop_thread_identity(mam_t *m);

/** Called by mam_run_as and mam_identity_run; must not unwind or longjmp. */
typedef void mam_run_fn(void *arg);

/** Call fn on this thread with an identity; what it pushes and does not pop goes when it returns.
 *  It is no callback: fn may call anything, mam_wait and mam_close too.
 *  Returns: MAM_OK; without having called fn MAM_ERR_ARGUMENT and what else
 *           mam_push_thread_identity returns.
 *  In:      arg  handed to fn as it is.
 *  Mirrors: setCurrentThreadAccountId:forScope:. Since: MAM_0 */
MAM_API mam_status mam_run_as(mam_t *m, const char *account, mam_run_fn *fn, void *arg)
    MAM_CHECK_RESULT;

/** Take the calling thread's identity along, for work that runs on another thread; that none is set
 *  is taken along too.
 *  Returns: MAM_OK; MAM_ERR_NO_SPACE (a million handles are open). Out: identity, release with
 *           mam_identity_release.
 *  Mirrors: the SDK's carrying of the thread identity into work that is queued. Since: MAM_0 */
MAM_API mam_status mam_identity_capture(mam_t *m, mam_identity_t **identity) MAM_CHECK_RESULT;

/** As mam_run_as with a captured identity; any number of times, on any threads at once.
 *  Returns: as mam_run_as. Since: MAM_0 */
MAM_API mam_status mam_identity_run(const mam_identity_t *identity, mam_run_fn *fn, void *arg)
    MAM_CHECK_RESULT;

/** Release; NULL is fine, a second time changes nothing, and what runs goes on. Since: MAM_0 */
MAM_API void mam_identity_release(mam_identity_t *identity);

/** For whom the calling thread acts now: null (nobody was said), "" or a name; an array where a
 *  window shows several.
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT (no such task).
 *  In:      task    MAM_TASK_UI or MAM_TASK_FILE.
 *           window  NULL is the default window; a file task has none and ignores it.
 *  Out:     json    yours.
 *  Mirrors: getCurrentThreadAccountId and the SDK's order of identities. Since: MAM_0 */
MAM_API mam_status mam_effective_identity(mam_t *m, int32_t task, const char *window, char **json)
    MAM_CHECK_RESULT;

/** An account is under policy, or was until its wipe that is under way. Closed: 1.
 *  Mirrors: isAccountIdManaged. Since: MAM_0 */
MAM_API mam_bool mam_is_account_managed(mam_t *m, const char *account);

/** Policy applies to any account, or the setting MAMPolicyRequired demands it. Closed: 1.
 *  Mirrors: isManagementEnabled. Since: MAM_0 */
MAM_API mam_bool mam_is_management_enabled(mam_t *m);

/** Two names mean the same account: they are equal, or are the account id and the UPN of an account
 *  that this app knows. Closed: 0. Mirrors: isIdentity:equalTo:. Since: MAM_0 */
MAM_API mam_bool mam_identity_equal(mam_t *m, const char *account, const char *other);

/* Why an account must be hidden, and is closed: docs/launch.md. LAUNCH_CANCELED where a person did
 * not show what was asked for. */
enum {
    MAM_BLOCK_NONE = 0,
    MAM_BLOCK_CONDITIONAL_LAUNCH = 1,
    MAM_BLOCK_LAUNCH_CANCELED = 2,
    MAM_BLOCK_CLOCKED_OUT = 3
};

/** Accounts that must be hidden: [{"accountId","upn","reason":"conditionalLaunchBlocked|
 *  conditionalLaunchCanceled|clockedOut","blockReason":1}…]. Each of them is closed: reads fail and
 *  predicates answer closed. In every session of the app: an account whose user the authority's
 *  latest answer calls disabled, where its policy has an action for that
 *  (appActionIfUnableToAuthenticateUser); one offline for too long; one whose data cannot be
 *  trusted or whose policy has not come; one that may not be on this device; one that is being
 *  wiped. In this session: one that a launch, resume or switch has found blocked, or that a person
 *  was asked for in vain.
 *  Returns: MAM_OK… Out: json, yours. Mirrors: blockedAccountIds. Since: MAM_0 */
MAM_API mam_status mam_blocked_accounts(mam_t *m, char **json) MAM_CHECK_RESULT;

/** Why an account must be hidden: a MAM_BLOCK_* constant.
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT; MAM_ERR_NOT_FOUND ("unknownIdentities":"error").
 *  In:      account  see the table at the top.
 *  Out:     reason   MAM_BLOCK_NONE on failure.
 *  Mirrors: blockedReasonForAccountId. Since: MAM_0 */
MAM_API mam_status mam_blocked_reason(mam_t *m, const char *account, int32_t *reason)
    MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 6. Policy
 */

/** The policy of one account. It follows every change, made by any process, while it is held. Once
 *  its account is wiped or unenrolled it answers lock-down (every closed value) until released.
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT; MAM_ERR_NOT_FOUND ("unknownIdentities":"error");
 *           MAM_ERR_CLOSED…
 *  In:      account  see the table at the top.
 *  Out:     policy   release with mam_policy_release.
 *  Mirrors: policyForAccountId. Since: MAM_0 */
MAM_API mam_status mam_policy_for_account(mam_t *m, const char *account, mam_policy_t **policy)
    MAM_CHECK_RESULT;

/** The policy for several accounts that are shown together: lock-down where any of them is managed,
 *  and not a merge of their policies. Names of one account count once; of one account it is
 *  mam_policy_for_account's.
 *  Returns: as mam_policy_for_account; MAM_ERR_JSON (accounts_json is not null, a string or an
 *           array of strings).
 *  In:      accounts_json  identities as at the top; null is nobody, unmanaged.
 *  Out:     policy         release with mam_policy_release.
 *  Mirrors: policyForAccountIds. Since: MAM_0 */
MAM_API mam_status mam_policy_for_accounts(
    mam_t *m, const char *accounts_json, mam_policy_t **policy) MAM_CHECK_RESULT;

/** The policy for whom the calling thread acts in a window (a UI task, section 5). The handle stays
 *  with those accounts: after a switch ask for another one.
 *  Returns: as mam_policy_for_account.
 *  Out:     policy  release with mam_policy_release.
 *  Mirrors: policy, policyForWindow. Since: MAM_0 */
MAM_API mam_status mam_policy_current(mam_t *m, const char *window, mam_policy_t **policy)
    MAM_CHECK_RESULT;

enum { MAM_SOURCE_MDM = 0, MAM_SOURCE_MAM = 1, MAM_SOURCE_OTHER = 2, MAM_SOURCE_TEST = 3 };

/** Where policy comes from, for logs: MAM_SOURCE_TEST while any account is under a test policy,
 *  MAM_SOURCE_MAM while any has another one, else MAM_SOURCE_OTHER. This version takes none from a
 *  device's management.
 *  Returns: MAM_OK… Out: source, 0 on failure. Mirrors: mamPolicySource. Since: MAM_0 */
MAM_API mam_status mam_policy_source(mam_t *m, int32_t *source) MAM_CHECK_RESULT;

/** Release; NULL is fine, a second time changes nothing. Since: MAM_0 */
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
/** Input methods of others may be used; an enrolled account's block holds for unmanaged ones as
 *  well. Closed: 0.
 *  Mirrors: the third-party keyboard block. Since: MAM_0 */
MAM_API mam_bool mam_policy_are_third_party_keyboards_allowed(const mam_policy_t *policy);

/** Document picker modes. */
enum { MAM_PICKER_IMPORT = 0, MAM_PICKER_OPEN = 1, MAM_PICKER_EXPORT = 2, MAM_PICKER_MOVE = 3 };

/** A picker may be shown in this MAM_PICKER_* mode. Closed: 0. Mirrors: isDocumentPickerAllowed.
 *  Since: MAM_0 */
MAM_API mam_bool mam_policy_is_document_picker_allowed(const mam_policy_t *policy, int32_t mode);

/** Where data may be saved to. These numbers differ from MAM_OPEN_*: never mix them. */
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

/** Where data may be opened from. */
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

/** This account's data may be saved to a location. Ask also for an unmanaged account: the other
 *  side's policy may forbid it. Closed: 0.
 *  In:      location  one MAM_SAVE_*. account  the account of the location; NULL unknown (and
 *           always for MAM_SAVE_LOCAL_DRIVE and MAM_SAVE_CAMERA_ROLL, which have none: naming one
 *           is refused).
 *  Mirrors: isSaveToAllowedForLocation:withAccountId:. Since: MAM_0 */
MAM_API mam_bool mam_policy_is_save_to_allowed(
    const mam_policy_t *policy, mam_save_location location, const char *account);

/** Data of a location may be opened into this account. Closed: 0.
 *  In:      location  one MAM_OPEN_*. account  as above (none for camera, photos and local
 *                     storage).
 *  Mirrors: isOpenFromAllowedForLocation:withAccountId:. Since: MAM_0 */
MAM_API mam_bool mam_policy_is_open_from_allowed(
    const mam_policy_t *policy, mam_open_location location, const char *account);

/** This account may receive these bytes: a container of mam_protect counts as its owner's, anything
 *  else as unknown. Closed: 0. In: data, length bytes. Mirrors: canReceiveSharedItemProvider.
 *  Since: MAM_0 */
MAM_API mam_bool mam_policy_can_receive_data(
    const mam_policy_t *policy, const uint8_t *data, size_t length);

/** This account may receive this file: one whose owner is known for sure (mam_file_info:
 *  authenticated, nothing disagrees) counts as that owner's, and a container as that of the account
 *  which it names, where a key that is held here bears that out: an exchange key too, of what
 *  another managed app exported. Any other counts as unknown. Closed: 0, where there is no such
 *  file too.
 *  In:      path  as mam_file_protect takes it. Mirrors: canReceiveSharedFile:. Since: MAM_0 */
MAM_API mam_bool mam_policy_can_receive_file(const mam_policy_t *policy, const char *path);

/** Longest URL that is looked at, in bytes without the NUL. A longer one is MAM_ERR_ARGUMENT. */
#define MAM_URL_MAX 1048576

/** A URL may be opened as it is. Where the answer is 0, mam_policy_url tells what may be opened
 *  instead. What is not a URL, or could be read as another one, is refused. Closed: 0.
 *  In:      url  as it would be opened. known_managed_scheme  1 where the host knows that a managed
 *                app takes it.
 *  Mirrors: isURLAllowed:isKnownManagedAppScheme:. Since: MAM_0 */
MAM_API mam_bool mam_policy_is_url_allowed(
    const mam_policy_t *policy, const char *url, mam_bool known_managed_scheme);

/** An app may open a web link where no browser is to open it. Closed: 0.
 *  Mirrors: isUniversalLinkAllowed:. Since: MAM_0 */
MAM_API mam_bool mam_policy_is_universal_link_allowed(const mam_policy_t *policy, const char *url);

/** What becomes of a URL: {"allowed":true}, or {"allowed":false,
 *  "instead":["microsoft-edge-https-intunemam://…","microsoft-edge-https://…"],"reason":{…}}.
 *  "instead" is what may be opened in its place without another question, the best first: open the
 *  first that there is an app for, nothing where it is empty. The reason is mam_policy_check's;
 *  "setting" is null where it is not a URL.
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT (NULL, not UTF-8, too long); MAM_ERR_CLOSED…
 *  Out:     json  yours.
 *  Mirrors: what openURL: makes of a URL. Since: MAM_0 */
MAM_API mam_status mam_policy_url(const mam_policy_t *policy, const char *url, char **json)
    MAM_CHECK_RESULT;

/** What notifications may show, from loose to strict. */
enum {
    MAM_NOTIFICATION_ALLOW = 0,
    MAM_NOTIFICATION_BLOCK_ORG_DATA = 1, /* text that says nothing of the organisation */
    MAM_NOTIFICATION_BLOCK = 2
};

/** What notifications about this account's data may show: a MAM_NOTIFICATION_* constant. As cheap
 *  as a predicate. Closed: MAM_NOTIFICATION_BLOCK. Mirrors: notificationPolicy. Since: MAM_0 */
MAM_API int32_t mam_policy_notification(const mam_policy_t *policy);

/** Whether text of this account may be pasted elsewhere, and how much of it:
 *  {"allowed":true,"limit":null},{"allowed":true,"limit":100} or {"allowed":false,"limit":100,
 *  "reason":{…}}. "limit" is the most characters that may pass, null for any number: an exception
 *  lets short texts through where the rest is refused. Inside one account everything passes. Ask
 *  before text is put on a clipboard that others read, and again before foreign text is pasted:
 *  then with the handle of whom the text is from (of NULL where nobody knows), and the account that
 *  is to get it.
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT; MAM_ERR_NOT_FOUND ("unknownIdentities":"error");
 *           MAM_ERR_CLOSED…
 *  In:      account  who pastes; NULL a program or account that nobody knows, "" no user.
 *                    length  Unicode code points.
 *  Out:     json     yours; the reason is mam_policy_check's.
 *  Since:   MAM_0 */
MAM_API mam_status mam_policy_clipboard(
    const mam_policy_t *policy, const char *account, size_t length, char **json)
    MAM_CHECK_RESULT;

/** What a web viewer inside the app may do that is used on this account's behalf.
 *
 *  viewer_json: {"policy":"currentIdentity","url":"https://…","external":false}, every key
 *  optional:
 *    policy    unset (the default: unmanaged where the setting TreatAllWebViewsAsUnmanaged is true,
 *              else currentIdentity), unmanaged, currentIdentity, or currentIdentityBlockUpload
 *              (the same, and nothing goes up)
 *    url       what it is to open
 *    external  whether that is outside the organisation: true, false (the default), or "ask": the
 *              question isExternalURL is asked now, and no answer counts as true
 *  The reply: {"identity":"ann-id","external":false,"upload":{"allowed":true},
 *  "paste":{"allowed":true,"limit":null},"url":{"allowed":true}}. "identity" is whom the viewer
 *  acts for, "" nobody, null where the handle is of several. "upload" is about files, "paste" is
 *  mam_policy_clipboard's answer about text of any length, "url" mam_policy_url's: where it is not
 *  allowed the viewer must not open it, and "instead" says what may (a managed browser). Refusals
 *  have their reasons. Schemes in the setting WebViewHandledURLSchemes stay in the viewer.
 *  Returns: MAM_OK; MAM_ERR_JSON; MAM_ERR_ARGUMENT; MAM_ERR_CLOSED…
 *  Out:     json  yours.
 *  Mirrors: setWebViewPolicy, WebViewPolicyDelegate. Since: MAM_0 */
MAM_API mam_status mam_policy_web_view(
    const mam_policy_t *policy, const char *viewer_json, char **json)
    MAM_CHECK_RESULT;

/** Which of many programs this account's data may be shared with.
 *
 *  targets_json is an array of at most 10,000 targets: {"appId":"com.example.mail"},
 *  {"executable":"/usr/bin/mail"} or {"scheme":"mailto"}, each with an optional "identity": the
 *  account that is to get it. The reply: {"remaining":[{"index":0,"target":{…}}…],
 *  "removed":[{"index":1,"target":{…},"reason":{…}}…]}, in their order. Where the policy wants
 *  managed apps, a target remains that the registry (mam_managed_apps) knows as managed with an
 *  account of the same tenant. A target with an "identity" that is a retired or an unknown name
 *  (see the top) is removed. Ask again before each sharing: apps come and go.
 *  Returns: MAM_OK; MAM_ERR_JSON; MAM_ERR_ARGUMENT (too many); MAM_ERR_CLOSED…
 *  Out:     json  yours.
 *  Mirrors: filtering of the share sheet. Since: MAM_0 */
MAM_API mam_status mam_policy_filter_share_targets(
    const mam_policy_t *policy, const char *targets_json, char **json)
    MAM_CHECK_RESULT;

/** The registry: every app of the group that has entered itself as managed, by id:
 *  [{"appId","managed":true,"problem":null,"executables":["/usr/bin/…"…],"accounts":[{"accountId",
 *  "upn","tenantId"}…]}…]. "managed" is false, and "problem" says why, for an entry that does not
 *  verify, an app that the authority has no policy for, and one whose program has changed since it
 *  last checked in. An app enters itself at a check-in that brings policy and leaves with its last
 *  managed account. What an entry is worth against other programs of the same user:
 *  docs/threat-model.md.
 *  Returns: MAM_OK… Out: json, yours. Since: MAM_0 */
MAM_API mam_status mam_managed_apps(mam_t *m, char **json) MAM_CHECK_RESULT;

/** Whether one program is managed: app_json is {"appId":"…"}, {"executable":"/…"} or {"pid":123}.
 *  The reply: {"managed":true,"apps":["com.example.mail"],"problem":null}, or false with the
 *  problem. An interpreter (Python, a shell, a Java machine…) is never managed by its executable or
 *  process: it runs any program that it is given.
 *  Returns: MAM_OK; MAM_ERR_JSON… Out: json, yours. Since: MAM_0 */
MAM_API mam_status mam_managed_app(mam_t *m, const char *app_json, char **json) MAM_CHECK_RESULT;

/** Every location at once: {"other":false,"oneDriveForBusiness":true,"sharePoint":true,"box":false,
 *  "dropbox":false,"googleDrive":false,"localDrive":false,"cameraRoll":false,
 *  "accountDocument":true,"iManage":false,"egnyte":false}, each equal to the single question.
 *  Returns: MAM_OK, MAM_ERR_ARGUMENT, MAM_ERR_CLOSED… Out: json, yours.
 *           Mirrors: getSaveToLocationsForAccountId. Since: MAM_0 */
MAM_API mam_status mam_policy_save_to_locations(
    const mam_policy_t *policy, const char *account, char **json) MAM_CHECK_RESULT;

/** The same for opening: other, oneDriveForBusiness, sharePoint, camera, localStorage, photos,
 *  accountDocument, box, iManage, egnyte.
 *  Returns: as mam_policy_save_to_locations. Out: json, yours.
 *           Mirrors: getOpenFromLocationsForAccountId. Since: MAM_0 */
MAM_API mam_status mam_policy_open_from_locations(
    const mam_policy_t *policy, const char *account, char **json) MAM_CHECK_RESULT;

/** The effective policy: {"accountId","managed":true,"lockDown":false,"policies":[{"id","name",
 *  "platform"}…],"settings":[{"setting","value","policyId","policyName","alsoIn":["id"…]}…],
 *  "conflicts":[{"setting","values":[{"value","policyId"}…],"chosen"}…],"source":"authority|test"};
 *  "source" is null in lock-down and where nothing manages; a setting that the app cannot live with
 *  has "cappedBy", the key of IntuneMAMSettings that lowered it.
 *  Returns: MAM_OK… Out: json, yours. Since: MAM_0 */
MAM_API mam_status mam_policy_json(const mam_policy_t *policy, char **json) MAM_CHECK_RESULT;

/** Ask any decision, with the reason.
 *
 *  request_json is one request or an array of at most 1000; the reply has the same shape. A
 *    request: {"action":"saveTo","account":"ann@contoso.example","location":"localDrive",
 *    "locationAccount":null}
 *  account is required and may be null or "". Actions (others are MAM_ERR_ARGUMENT), named as the
 *    predicates: saveTo, openFrom (with location, optional locationAccount); documentPicker (with
 *    mode: import, open, export, move); receive (with sender: an account, "" or null); url (with
 *    url, optional knownManagedScheme: true; answered as by mam_policy_url), universalLink (with
 *    url); clipboard (with length and either receiver or sender: an account, "" or null; answered
 *    as by mam_policy_clipboard); notification (any at all), notificationOrgData (with the
 *    organisation's data in it); print, backup, screenCapture, contactSync, widgetContentSync,
 *    indexing, assistantIntents, appIntents, appSharing, thirdPartyKeyboards; pinRequired,
 *    managedBrowserRequired, fileEncryptionRequired, fileProviderEncrypt (answered by "required").
 *  The reply: {"allowed":true} or {"allowed":false,"reason":{"setting":"saveAsBlocked",
 *  "value":true,"policyId":"…","policyName":"…","message":"…","alsoIn":[…],
 *  "userMessage":"…","messageKey":"refusedSaveToLocalDrive"}}; the required ones:
 *  {"required":true,"reason":{…}} or {"required":false}. The reason names the one setting whose
 *  neutral value alone turns the decision; "setting" is null where no policy setting decided (a
 *  location with an account that it cannot have). In lock-down the reason says what locked the
 *  account down: "check", a check of mam_launch ("osVersion", "pin", "wipe","account"…), and the
 *  setting, value and policy that asked for it, as in its findings. Where no check did (several
 *  accounts shown together, an account that has left) there is no "check", the setting is null, and
 *  the message says it.
 *
 *  Returns: MAM_OK, MAM_ERR_JSON, MAM_ERR_ARGUMENT, MAM_ERR_NOT_FOUND
 *           ("unknownIdentities":"error")…
 *  Out:     json  yours.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_policy_check(mam_t *m, const char *request_json, char **json)
    MAM_CHECK_RESULT;

/** The same for one request, as a decision that needs no JSON reader.
 *  Returns: as mam_policy_check; MAM_ERR_JSON for an array of requests too.
 *  Out:     decision  release with mam_decision_release. Since: MAM_0 */
MAM_API mam_status mam_policy_decide(
    mam_t *m, const char *request_json, mam_decision_t **decision) MAM_CHECK_RESULT;

/** What mam_policy_reason is asked: the predicates without other arguments, the picker's modes, and
 *  what notifications may show. */
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

/** A predicate's answer with its reason, both of one state of the policy: what the predicate said
 *  may have changed since. Not as cheap as the predicate: ask the predicate first, and this when
 *  somebody wants to know why.
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT; MAM_ERR_BUSY (as a predicate); MAM_ERR_CLOSED…
 *  In:      question  one MAM_ASK_*.
 *  Out:     decision  release with mam_decision_release. Since: MAM_0 */
MAM_API mam_status mam_policy_reason(
    const mam_policy_t *policy, int32_t question, mam_decision_t **decision) MAM_CHECK_RESULT;

/** The same of mam_policy_is_save_to_allowed.
 *  Returns: as mam_policy_reason; MAM_ERR_NOT_FOUND ("unknownIdentities":"error").
 *  Out:     decision  release with mam_decision_release. Since: MAM_0 */
MAM_API mam_status mam_policy_save_to_reason(
    const mam_policy_t *policy, mam_save_location location, const char *account,
    mam_decision_t **decision) MAM_CHECK_RESULT;

/** The same of mam_policy_is_open_from_allowed.
 *  Returns: as mam_policy_save_to_reason.
 *  Out:     decision  release with mam_decision_release. Since: MAM_0 */
MAM_API mam_status mam_policy_open_from_reason(
    const mam_policy_t *policy, mam_open_location location, const char *account,
    mam_decision_t **decision) MAM_CHECK_RESULT;

/** The same of mam_policy_is_url_allowed; mam_policy_url tells what may be opened instead.
 *  Returns: as mam_policy_reason.
 *  Out:     decision  release with mam_decision_release. Since: MAM_0 */
MAM_API mam_status mam_policy_url_reason(
    const mam_policy_t *policy, const char *url, mam_bool known_managed_scheme,
    mam_decision_t **decision) MAM_CHECK_RESULT;

/** What was asked about may be done; of a requirement (MAM_ASK_…_REQUIRED and
 *  MAM_ASK_FILE_PROVIDER_ENCRYPT): nothing is required. Closed: 0. Since: MAM_0 */
MAM_API mam_bool mam_decision_is_allowed(const mam_decision_t *decision);

/* The reason's texts. Each is "" where there is none: where it is allowed, and for a NULL, closed
 * or forked handle. Never NULL; borrowed until mam_decision_release. */

/** The setting that decided, as in mam_policy_check. Since: MAM_0 */
MAM_API const char *mam_decision_setting(const mam_decision_t *decision);
/** The name of its policy. Since: MAM_0 */
MAM_API const char *mam_decision_policy_name(const mam_decision_t *decision);
/** One line for an administrator or a log. Wording may change. Since: MAM_0 */
MAM_API const char *mam_decision_message(const mam_decision_t *decision);
/** One sentence for whoever uses the program, without technical terms, where libmam has one for
 *  this reason ("userMessage" of the JSON). Since: MAM_0 */
MAM_API const char *mam_decision_user_message(const mam_decision_t *decision);
/** What names that sentence in every language ("messageKey" of the JSON). Since: MAM_0 */
MAM_API const char *mam_decision_message_key(const mam_decision_t *decision);

/** All of it, as mam_policy_check replies.
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT, MAM_ERR_CLOSED, MAM_ERR_FORKED. Out: json, yours.
 *           Since: MAM_0 */
MAM_API mam_status mam_decision_json(const mam_decision_t *decision, char **json) MAM_CHECK_RESULT;

/** Release; NULL is fine, a second time changes nothing. Since: MAM_0 */
MAM_API void mam_decision_release(mam_decision_t *decision);

/* -------------------------------------------------------------------------------------------------
 * 7. Launch and PIN: docs/launch.md, docs/pin.md
 */

/** Find out whether data may be shown. Call it at start, and show none before it has ended
 *  "allowed", or "warned" and the person has seen the warnings.
 *
 *  With AutoEnrollOnLaunch it first enrolls, without asking a person, the device's account, or else
 *  the one account that is registered and not enrolled, or else, where none is registered, the one
 *  that other apps of the group have (as mam_login_and_enroll with NULL); where that fails and
 *  MAMPolicyRequired is set, the signIn question asks a person. Accounts that were without a
 *  check-in for too long, or whose time has come, check in. Then it looks at the app and at each
 *  enrolled account:
 *    library         block  libmam could not look, as the message tells
 *    policyRequired  block  MAMPolicyRequired is set, and no account of this app has a policy
 *    account         block  the account's data stays closed, or its policy has not come yet
 *    wipe            wipe   the account is being wiped already, by whomever
 *    deviceHealth, disabledAccount, threatLevel, deviceModel, sdkVersion, appVersion, osVersion,
 *    offlineWipe, offline, clockedOut, deviceLock      as the account's policies ask for it
 *    pin, credentials  prompt  a person was asked and did not show it
 *    policyAbsent    warn   MAMPolicyWarnAbsent is set, and no account of this app has a policy
 *  An account with a finding that wipes is wiped (wipeDidComplete reports "conditionalLaunch").
 *  Every enrolled account is judged for what wipes and what blocks. Prompts and warnings concern
 *  accounts in use: those of the process identity and of every window of this session; where a
 *  MultiIdentity host has set neither, none; where a host with one identity has set neither, all.
 *  Where nothing blocks such an account, a person is asked for what its policies want to be shown
 *  (the pin and authenticate questions). The other accounts are asked when they are switched to,
 *  and nothing closes them meanwhile for not having been asked.
 *
 *  mam_wait gives {"outcome":"allowed|warned|blocked|wiped","findings":[{"check":"osVersion",
 *  "action":"warn|prompt|block|wipe","setting":"minimumRequiredOsVersion","accountId","upn",
 *  "message","value","policyId","policyName","dismissed":false,"userMessage","messageKey"}…],
 *  "didSucceed":true,"time":"…","notApplicable":[{"setting","accountId","upn","policyId",
 *  "policyName","message"}…]}: every finding, the severest first; it decides the outcome, and a
 *  prompt counts as a block. didSucceed is false for "blocked" and "wiped". Take a check or action
 *  that you do not know for a block. notApplicable has what policies of other platforms say of
 *  those systems: neither passed nor failed. A warning about an account is told once, and again
 *  when something in it changes. A failed enrollment is told by the findings' messages, not by an
 *  event.
 *
 *  Accounts that were found closed are closed from then on: they are in mam_blocked_accounts, their
 *  policy handles answer closed, mam_unprotect and other reads fail with MAM_ERR_LOCKED, whose
 *  detail names the "check", "setting", "value","policyId" and "policyName" (mam_protect goes on,
 *  so that nothing is lost), and windows that show them are asked about (blockAccount). account,
 *  disabledAccount, offline and offlineWipe close the account in every session of the app, until
 *  the authority answers otherwise; the other checks close it in this session, until a later
 *  launch, resume or switch finds it open. mam_pin_verify, mam_pin_set and mam_pin_reset that
 *  succeed end what the PIN alone had closed in this session. A host that never calls mam_launch,
 *  mam_resume or mam_set_ui_identity is closed by the causes of the account alone.
 *
 *  Returns: MAM_OK, MAM_ERR_ARGUMENT, MAM_ERR_NO_SPACE, MAM_ERR_CLOSED, MAM_ERR_FORKED.
 *  Out:     op  for mam_wait.
 *  Mirrors: the launch of the SDK: AutoEnrollOnLaunch, MAMPolicyRequired, MAMPolicyWarnAbsent,
 *           conditional launch.
 *  Since:   MAM_0 */
MAM_API mam_status mam_launch(mam_t *m, int64_t *op) MAM_CHECK_RESULT;

/** The host goes out of sight: from here on it counts as not used. What a person has shown for an
 *  account holds for the apps of the group until none of them was used for
 *  periodOnlineBeforeAccessCheck.
 *  Returns: MAM_OK; MAM_ERR_STORAGE… Mirrors: the SDK's inactivity timer. Since: MAM_0 */
MAM_API mam_status mam_pause(mam_t *m);

/** The host is seen again: look as mam_launch does, without enrolling anybody. After the inactivity
 *  timer has run out the person is asked again, and the device looked at anew.
 *  Returns: MAM_OK, MAM_ERR_ARGUMENT, MAM_ERR_NO_SPACE, MAM_ERR_CLOSED, MAM_ERR_FORKED.
 *  Out:     op  for mam_wait: ends as mam_launch does.
 *  Mirrors: the SDK's checks at resume. Since: MAM_0 */
MAM_API mam_status mam_resume(mam_t *m, int64_t *op) MAM_CHECK_RESULT;

/** What a launch would find for one account now. Nothing is carried out: nobody is asked, checked
 *  in or wiped, no warning counts as told ("dismissed" is true for those that were), and the
 *  account is neither closed nor opened by it. Of one that is being wiped it tells the check
 *  "wipe". It may be called often: what it told is told again, with its "time", until another look
 *  would find something else.
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT; MAM_ERR_NOT_FOUND ("unknownIdentities":"error");
 *           MAM_ERR_STORAGE…
 *  In:      account  see the table at the top.
 *  Out:     json     yours; the object that mam_launch describes.
 *  Since:   MAM_0 */
MAM_API mam_status mam_conditional_launch(mam_t *m, const char *account, char **json)
    MAM_CHECK_RESULT;

/** Report what the host knows of the device and libmam cannot see. It holds for every app of the
 *  group, in every process and after a restart, until the next report of any of them, which takes
 *  its place as a whole ({} says nothing), or until it has been there for "validFor". On failure
 *  the former one stands unchanged.
 *
 *  health_json, each key of which may be left out, and an unknown one is an error:
 *    {"threatLevel":"secured|low|medium|high", "compliant":true, "lock":"on|off|notApplicable",
 *     "signals":{"com.example.edr":"ok|fail|unknown|notApplicable",
 *                "com.example.usb":{"state":"fail","detail":"one line"}}, "validFor":"PT1H"}
 *  signals: at most 64; names of 3 to 64 of A-Z a-z 0-9 . _ - with a "." inside, which no signal of
 *  libmam has; a detail of at most 512 bytes. What counts against the device is in
 *  docs/device-health.md; what libmam knows now stands in mam_diagnostics.
 *
 *  Returns: MAM_OK; MAM_ERR_JSON (not JSON; a key has the wrong type or is unknown);
 *           MAM_ERR_ARGUMENT (a value, or a signal's name, is none of these; the detail names the
 *           key); MAM_ERR_STORAGE…
 *  Mirrors: the threat level of a Mobile Threat Defense connector. Since: MAM_0 */
MAM_API mam_status mam_report_device_health(mam_t *m, const char *health_json) MAM_CHECK_RESULT;

/** How an account stands with its PIN, which the apps of a group share; docs/pin.md.
 *  {"accountId":"…","upn":"…","state":"set","attemptsLeft":5,"expires":null,
 *  "rule":{"kind":"numeric|passcode","minimumLength":4,"simpleBlocked":false,"previousBlocked":0},
 *  "attempts":5,"atLimit":"reset|wipe","wipeAfter":null,"mayReset":false}.
 *  state: notRequired; notSet; set; expired, tooWeak (it has to be changed); exhausted (the person
 *  has to sign in). attemptsLeft is null where none is set; rule, attempts and atLimit are null
 *  where no policy asks for a PIN. wipeAfter: the attempts after which some policy wipes, null for
 *  never; where another one stops them earlier, more. mayReset: the person has signed in on this
 *  handle, and mam_pin_set needs no former PIN for ten minutes.
 *
 *  Returns: MAM_OK; MAM_ERR_NOT_ENROLLED (no such account here, or its policy has not come yet);
 *           MAM_ERR_TAMPERED (reset it); MAM_ERR_NOT_FOUND ("unknownIdentities":"error")…
 *  Out:     json  yours. Since: MAM_0 */
MAM_API mam_status mam_pin_status(mam_t *m, const char *account, char **json) MAM_CHECK_RESULT;

/** Set an account's PIN, or change it: the former one counts as an attempt, as in mam_pin_verify.
 *  Takes half a second.
 *
 *  Returns: MAM_OK                it is set, and counts as entered, as after mam_pin_verify.
 *           MAM_ERR_DENIED        detail.reason tells why: unfit (detail.lacks names what the new
 *                                 one lacks: tooShort, notDigits, noLetterOrSpecial, noDigit,
 *                                 noLetter, noSpecial, simple, usedBefore), wrong (old is),
 *                                 oldRequired, notRequired (no policy asks for a PIN).
 *           MAM_ERR_LOCKED        no attempt is left: mam_pin_reset. This and a wrong last one wipe
 *                                 the account where its policy says so (detail.wiped).
 *           MAM_ERR_NOT_FOUND     old is given, and none is set.
 *           MAM_ERR_BUSY          others try PINs of this group all the time.
 *           MAM_ERR_ARGUMENT      a PIN is empty, longer than MAM_PIN_MAX, not UTF-8, or has
 *                                 control characters in it.
 *           MAM_ERR_NOT_ENROLLED, MAM_ERR_TAMPERED, MAM_ERR_CRYPTO (no memory for scrypt)…
 *  In:      old   old_length bytes of UTF-8; NULL where none is set, or the person has just signed
 *                 in (mam_pin_reset).
 *           new_pin  new_length bytes. libmam's copies are zeroed after use; yours are yours to
 *                    zero. Since: MAM_0 */
MAM_API mam_status mam_pin_set(
    mam_t *m, const char *account, const uint8_t *old, size_t old_length, const uint8_t *new_pin,
    size_t new_length)
    MAM_CHECK_RESULT;

/** Try an account's PIN. The attempt is counted, durably, before it is looked at; a right one
 *  begins the count anew. One attempt is made at a time in a group; it takes a quarter of a second,
 *  right or wrong.
 *
 *  Returns: MAM_OK                it is right, and the account may be used: where the PIN alone
 *                                 kept it closed in this session, it is open now. Other causes
 *                                 stay.
 *           MAM_ERR_DENIED        it is wrong: detail.attemptsLeft. With the last one the account
 *                                 is wiped where its policy says so (detail.wiped). Or no policy
 *                                 asks for a PIN (detail.reason notRequired).
 *           MAM_ERR_LOCKED        detail.reason: exhausted (nothing was tried: mam_pin_reset;
 *                                 detail.wiped as above), or expired or tooWeak (it is right, and
 *                                 the account may be used when mam_pin_set has changed it).
 *           MAM_ERR_NOT_FOUND     none is set.
 *           MAM_ERR_ARGUMENT, MAM_ERR_BUSY, MAM_ERR_NOT_ENROLLED, MAM_ERR_TAMPERED, MAM_ERR_CRYPTO:
 *           as mam_pin_set; what is MAM_ERR_ARGUMENT is no attempt.
 *  In:      pin  length bytes. libmam's copy is zeroed after use; yours is yours to zero.
 *                Since: MAM_0 */
MAM_API mam_status mam_pin_verify(mam_t *m, const char *account, const uint8_t *pin, size_t length)
    MAM_CHECK_RESULT;

/** Set an account's PIN anew for a person who has forgotten it, or used up every attempt: the
 *  authenticate question asks who signs in, which has to be the account's own person, then pin asks
 *  for the new one. mam_wait gives {"result":"changed","didSucceed":true,"accountId":"…","upn":"…",
 *  "message":"…","time":"…","userMessage":"…","messageKey":"…"}. result: changed;
 *  signedIn (pin was left to its default: mam_pin_set takes a new one for ten minutes, on this
 *  handle); canceled; otherAccount; failed (message tells why). With changed, what the PIN had
 *  closed in this session is open, as after mam_pin_verify.
 *
 *  Returns: MAM_OK; MAM_ERR_DENIED (no policy asks for a PIN); MAM_ERR_NOT_ENROLLED;
 *           MAM_ERR_NO_SPACE…
 *  Out:     op  for mam_wait. Since: MAM_0 */
MAM_API mam_status mam_pin_reset(mam_t *m, const char *account, int64_t *op) MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 8. App configuration
 */

/** The settings that administrators give the app itself, for some accounts together. It stays as it
 *  is while it is held, so that its answers fit together: after appConfigDidChange ask for another
 *  one.
 *
 *  Of several values of a key those of the configurations that are targeted at the user count, else
 *  the device's (device.managedAppConfig, for the account that the device is managed for alone),
 *  else the tenant's default. docs/configuration.md has it in full.
 *
 *  Returns: MAM_OK                where nothing is configured too.
 *           MAM_ERR_NOT_ENROLLED  one of the names is not that of an enrolled account; null: no
 *                                 account is.
 *           MAM_ERR_TAMPERED      an account's configurations were changed outside libmam; a
 *                                 check-in mends them.
 *           MAM_ERR_JSON, MAM_ERR_ARGUMENT, MAM_ERR_NOT_FOUND ("unknownIdentities":"error"),
 *           MAM_ERR_NO_SPACE.
 *  In:      identities_json  a name or an array of names; null: every enrolled account.
 *  Out:     config           release with mam_app_config_release.
 *  Mirrors: appConfigForAccountId:, appConfigForAccountIds:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_app_config(mam_t *m, const char *identities_json, mam_app_config_t **config)
    MAM_CHECK_RESULT;

/** Release; NULL is fine, a second time changes nothing. Since: MAM_0 */
MAM_API void mam_app_config_release(mam_app_config_t *config);

/** Every dictionary in the order received, empty ones left out: [{"id","name","channel":"targeted",
 *  "values":{"key":"text"…}}…]. Channels: targeted, tenantDefault, device (whose id and name are
 *  "").
 *  Returns: MAM_OK… Out: json, yours. Mirrors: fullData. Since: MAM_0 */
MAM_API mam_status mam_app_config_full_data(const mam_app_config_t *config, char **json)
    MAM_CHECK_RESULT;

/** Every key with a conflict, and who says what: [{"key","values":[{"id","name","value"}…]}…],
 *  sorted by key.
 *  Returns: MAM_OK… Out: json, yours. Since: MAM_0 */
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

/** A boolean: true, false, or null where no value that counts is the text "true" or "false" (in any
 *  case).
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT (key is NULL, no such query).
 *  In:      key    compared byte by byte; query  MAM_CONFIG_ANY, _OR or _AND.
 *  Out:     value_json  yours.
 *  Mirrors: boolValueForKey:queryType:. Since: MAM_0 */
MAM_API mam_status mam_app_config_bool(
    const mam_app_config_t *config, const char *key, int32_t query, char **value_json)
    MAM_CHECK_RESULT;

/** A number: decimal text that a double holds; whole ones of 64 bits are exact. null where no value
 *  that counts is one (other text, or too large).
 *  Returns: as mam_app_config_bool. In: query  MAM_CONFIG_ANY, _MIN or _MAX. Out: value_json,
 *                                              yours.
 *  Mirrors: numberValueForKey:queryType:. Since: MAM_0 */
MAM_API mam_status mam_app_config_number(
    const mam_app_config_t *config, const char *key, int32_t query, char **value_json)
    MAM_CHECK_RESULT;

/** The same among whole numbers of 64 bits alone: "1.0" is none.
 *  Returns: as mam_app_config_number. Out: value_json, yours. Since: MAM_0 */
MAM_API mam_status mam_app_config_integer(
    const mam_app_config_t *config, const char *key, int32_t query, char **value_json)
    MAM_CHECK_RESULT;

/** A text; null where no dictionary has the key.
 *  Returns: as mam_app_config_number. Out: value_json, yours.
 *           Mirrors: stringValueForKey:queryType:. Since: MAM_0 */
MAM_API mam_status mam_app_config_string(
    const mam_app_config_t *config, const char *key, int32_t query, char **value_json)
    MAM_CHECK_RESULT;

/** Every value that counts and is a boolean, in the order received: [true,false…]; [] where there
 *  is none.
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT (key is NULL). Out: json, yours. Mirrors: allBoolsForKey:.
 *           Since: MAM_0 */
MAM_API mam_status mam_app_config_all_bools(
    const mam_app_config_t *config, const char *key, char **json) MAM_CHECK_RESULT;
/** The same of numbers. Mirrors: allNumbersForKey:. Since: MAM_0 */
MAM_API mam_status mam_app_config_all_numbers(
    const mam_app_config_t *config, const char *key, char **json) MAM_CHECK_RESULT;
/** The same of whole numbers of 64 bits. Since: MAM_0 */
MAM_API mam_status mam_app_config_all_integers(
    const mam_app_config_t *config, const char *key, char **json) MAM_CHECK_RESULT;
/** The same of texts: every value that counts. Mirrors: allStringsForKey:. Since: MAM_0 */
MAM_API mam_status mam_app_config_all_strings(
    const mam_app_config_t *config, const char *key, char **json) MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 9. Data protection: buffers, strings and streams
 */

/** mam_unprotect…: bytes that mam_protect did not make are an error instead of coming back
 *  unchanged. */
#define MAM_STRICT 1
/** mam_…_stream_open: the output is received on a thread of libmam's, which shares the sealing as
 *  well, while the caller's prepares what follows. What fails there is told by a later call. */
#define MAM_TWO_THREADS 256
/** mam_…_stream_close: give up; nothing is handed out any more. */
#define MAM_ABANDON 512

/** Most bytes that mam_protect adds to up to 16 KiB; each further 16 KiB add 16. mam_protect_bound
 *  says it for a length. */
#define MAM_PROTECT_OVERHEAD 384

/** Most bytes that mam_protect makes of `length`; 0 when that does not fit a size_t.
 *  Since: MAM_0 */
MAM_API size_t mam_protect_bound(size_t length);

/** Seal bytes for an account so that only this app, while it manages the account, reads them back.
 *
 *  A sealed result differs on every call, even for equal input. An unmanaged account's data is
 *  labelled with its owner and authenticated, not encrypted. docs/formats.md describes the
 *  container.
 *
 *  Returns: MAM_OK                   out holds *written bytes.
 *           MAM_ERR_BUFFER           capacity is too small: out is untouched, *written is the size
 *                                    to bring.
 *           MAM_ERR_NOT_MANAGED      no account is enrolled in this app (originalCode 100).
 *           MAM_ERR_NOT_ENROLLED     the name is retired: its account was wiped or unenrolled in
 *                                    this app.
 *           MAM_ERR_NOT_FOUND        the name is unknown, and in a domain of the organisation.
 *           MAM_ERR_EMPTY            length is 0 (originalCode 105).
 *           MAM_ERR_ARGUMENT         a rule at the top of this file was broken (no account or no
 *                                    data: originalCode 101).
 *           MAM_ERR_DENIED           the account may not be used on this device (originalCode 209,
 *                                    210 or 211).
 *           MAM_ERR_TAMPERED, MAM_ERR_KEY_UNAVAILABLE, MAM_ERR_CLOSED, MAM_ERR_FORKED.
 *  In:      account  see the table at the top.
 *           data     length bytes.
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

/** Read back what mam_protect made.
 *
 *  Returns: MAM_OK                   out holds *written bytes; *was_protected is 0 where the input
 *                                    was not a container and came back unchanged.
 *           MAM_ERR_BUFFER           as mam_protect_into; a capacity of `length` is always enough.
 *           MAM_ERR_NOT_PROTECTED    MAM_STRICT, and not a container (originalCode 104).
 *           MAM_ERR_UNSUPPORTED      the bytes of a sealed file, or of an encrypted database, its
 *                                    log or journal: never given out as if nobody had protected
 *                                    them; the message names the call that reads them.
 *           MAM_ERR_DAMAGED          cut, extended or badly formed (originalCode 103).
 *           MAM_ERR_AUTHENTICATION   changed since it was made (originalCode 103). Nothing of it is
 *                                    in out.
 *           MAM_ERR_KEY_UNAVAILABLE  the account was wiped, or it is another app's or computer's;
 *                                    the detail names account and key.
 *           MAM_ERR_DENIED           as mam_protect_into.
 *           MAM_ERR_LOCKED           the account is closed (docs/launch.md, "What follows"); the
 *                                    detail has account and "reason", as in mam_blocked_accounts.
 *           MAM_ERR_EMPTY, MAM_ERR_ARGUMENT, MAM_ERR_TAMPERED, MAM_ERR_CLOSED, MAM_ERR_FORKED.
 *  In:      flags          0 or MAM_STRICT.
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
 *  Out: protected_text, yours. Mirrors: protectString:accountId:. Since: MAM_0 */
MAM_API mam_status mam_protect_string(
    mam_t *m, const char *account, const char *text, char **protected_text) MAM_CHECK_RESULT;

/** Read it back. Text that is not base64 of a container comes back unchanged (MAM_STRICT: is an
 *  error); base64 of one that is not canonical is MAM_ERR_DAMAGED. Returns: as mam_unprotect_into.
 *  Out: text, yours; was_protected, may be NULL. Mirrors: unprotectString:. Since: MAM_0 */
MAM_API mam_status mam_unprotect_string(
    mam_t *m, const char *protected_text, uint32_t flags, char **text, mam_bool *was_protected)
    MAM_CHECK_RESULT;

/** Who owns a container, without opening it: {"accountId","encrypted":true,"authenticated":true,
 *  "algorithm","contentType":"data|string|file","keyId","epoch","length"}. authenticated is false
 *  where this app has no key to check the label with; length is the plain length, and as
 *  trustworthy as the label. A stream's header does not tell it: there length is what all the bytes
 *  amount to.
 *  Returns: MAM_OK, MAM_ERR_NOT_PROTECTED, MAM_ERR_DAMAGED, MAM_ERR_AUTHENTICATION, MAM_ERR_EMPTY…
 *  In:      data  length bytes. Out: json, yours.
 *  Mirrors: protectionInfo:. Since: MAM_0 */
MAM_API mam_status mam_protection_info(mam_t *m, const uint8_t *data, size_t length, char **json)
    MAM_CHECK_RESULT;

/** The same for text of mam_protect_string. Returns: as mam_protection_info. Out: json, yours.
 *  Mirrors: protectionInfoForString:. Since: MAM_0 */
MAM_API mam_status mam_protection_info_string(mam_t *m, const char *protected_text, char **json)
    MAM_CHECK_RESULT;

/** Takes what a stream makes, in order: `length` bytes, at least one, which are gone when it
 *  returns. Returns 0 to go on; anything else ends the stream with MAM_ERR_CANCELED, and is
 *  "returned" in its detail.
 *
 *  It is called inside the write or close of its stream or, with MAM_TWO_THREADS, on one thread
 *  that has every signal blocked, until close has returned. It may call libmam, mam_close as well,
 *  but not for its own stream (MAM_ERR_DEADLOCK). */
typedef int32_t mam_stream_fn(void *user, const uint8_t *data, size_t length);

/** Begin to make one container of any number of bytes, in constant memory: less than 1 MiB, with
 *  MAM_TWO_THREADS 2.
 *
 *  Bytes go in by mam_protect_stream_write in any pieces; the container comes out through `fn` in
 *  pieces of a quarter of a MiB, where the input is long enough. mam_unprotect reads it like any
 *  other, and so does mam_unprotect_stream_open. Only mam_protect_stream_close makes it whole: what
 *  came out before, or without it, never opens.
 *
 *  Returns: as mam_protect_into, but for MAM_ERR_BUFFER and MAM_ERR_EMPTY: no bytes make a
 *           container of none.
 *  In:      account  see the table at the top. flags: 0 or MAM_TWO_THREADS. user: given to fn.
 *  Out:     stream, yours: mam_protect_stream_close, also after mam_close.
 *  Mirrors: nothing; protect:accountId: takes all bytes at once.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_protect_stream_open(
    mam_t *m, const char *account, uint32_t flags, mam_stream_fn *fn, void *user,
    mam_protect_stream_t **stream) MAM_CHECK_RESULT;

/** More of the bytes. What fails, but for a bad argument, ends the stream: every later call fails
 *  alike.
 *  Returns: MAM_OK, MAM_ERR_CANCELED  by fn.
 *           MAM_ERR_NOT_ENROLLED      the account was wiped or unenrolled since the stream was
 *                                     opened.
 *           MAM_ERR_DENIED            as mam_protect_into; or nobody managed the account then, and
 *                                     it is managed now.
 *           MAM_ERR_BUSY              another thread is in a call on this stream.
 *           MAM_ERR_DEADLOCK          called from fn.
 *           MAM_ERR_TAMPERED, MAM_ERR_KEY_UNAVAILABLE, MAM_ERR_ARGUMENT, MAM_ERR_CLOSED,
 *           MAM_ERR_FORKED.
 *  In:      data  length bytes; 0 are fine. Since: MAM_0 */
MAM_API mam_status mam_protect_stream_write(
    mam_protect_stream_t *stream, const uint8_t *data, size_t length) MAM_CHECK_RESULT;

/** The end: the container is whole once this returns MAM_OK without MAM_ABANDON. The handle is gone
 *  whatever it returns, but for MAM_ERR_ARGUMENT and MAM_ERR_DEADLOCK; NULL is fine. It waits for a
 *  write of another thread.
 *  Returns: as mam_protect_stream_write. In: flags, 0 or MAM_ABANDON. Since: MAM_0 */
MAM_API mam_status mam_protect_stream_close(mam_protect_stream_t *stream, uint32_t flags)
    MAM_CHECK_RESULT;

/** Begin to read a container that comes in pieces, of a stream or of mam_protect, in as little
 *  memory.
 *
 *  Of a sealed container each chunk of 16 KiB comes out once it has verified, so that a cut or a
 *  change shows at the place where it is, or at the end: until mam_unprotect_stream_close returns
 *  MAM_OK, what came out may be the beginning of more. An unmanaged account's container is only
 *  labelled: its bytes come out before the label can be checked, which close does. Bytes that are
 *  no container come out unchanged.
 *
 *  Returns: MAM_OK, MAM_ERR_ARGUMENT, MAM_ERR_NO_SPACE, MAM_ERR_CLOSED, MAM_ERR_FORKED.
 *  In:      flags  MAM_STRICT, MAM_TWO_THREADS, both or 0. user: given to fn.
 *  Out:     stream, yours: mam_unprotect_stream_close, also after mam_close.
 *  Mirrors: nothing; unprotect: takes all bytes at once.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_unprotect_stream_open(
    mam_t *m, uint32_t flags, mam_stream_fn *fn, void *user, mam_unprotect_stream_t **stream)
    MAM_CHECK_RESULT;

/** More of the container. What fails, but for a bad argument, ends the stream: every later call
 *  fails alike.
 *  Returns: MAM_OK, MAM_ERR_CANCELED  by fn.
 *           MAM_ERR_NOT_PROTECTED, MAM_ERR_UNSUPPORTED, MAM_ERR_DAMAGED, MAM_ERR_AUTHENTICATION,
 *           MAM_ERR_KEY_UNAVAILABLE, MAM_ERR_DENIED, MAM_ERR_LOCKED, MAM_ERR_TAMPERED: as
 *           mam_unprotect_into. A wipe, or a launch that closes the account, is seen by the next
 *           write.
 *           MAM_ERR_BUSY, MAM_ERR_DEADLOCK, MAM_ERR_ARGUMENT, MAM_ERR_CLOSED, MAM_ERR_FORKED: as
 *           mam_protect_stream_write.
 *  In:      data  length bytes; 0 are fine. Since: MAM_0 */
MAM_API mam_status mam_unprotect_stream_write(
    mam_unprotect_stream_t *stream, const uint8_t *data, size_t length) MAM_CHECK_RESULT;

/** The end: everything was there, and has verified, where this returns MAM_OK without MAM_ABANDON.
 *  The handle is gone whatever it returns, but for MAM_ERR_ARGUMENT and MAM_ERR_DEADLOCK; NULL is
 *  fine. It waits for a write of another thread.
 *  Returns: as mam_unprotect_stream_write, and MAM_ERR_EMPTY (originalCode 105) where no byte came.
 *           MAM_ERR_DAMAGED, MAM_ERR_AUTHENTICATION  the end is missing, or the label is not right:
 *                                                    what came out is not to be used.
 *  In:      flags, 0 or MAM_ABANDON. Out: was_protected, may be NULL: 0 where the input was no
 *           container, and with MAM_ABANDON. Since: MAM_0 */
MAM_API mam_status mam_unprotect_stream_close(
    mam_unprotect_stream_t *stream, uint32_t flags, mam_bool *was_protected) MAM_CHECK_RESULT;

/** Begin a new epoch of an account's data key. When this call has returned MAM_OK every process of
 *  the app seals under the new key, whatever happens to this one; what was sealed before stays
 *  readable, until a wipe. Every session of the app is told (dataProtectionDidChange), so that the
 *  host can protect again what it has stored.
 *
 *  Returns: MAM_OK                the newest epoch is one more, which mam_protection_info tells of
 *                                 what is sealed now.
 *           MAM_ERR_NOT_ENROLLED  the account is not managed in this app, or was wiped.
 *           MAM_ERR_NO_SPACE      the account has had 10,000 epochs.
 *           MAM_ERR_ARGUMENT, MAM_ERR_DENIED, MAM_ERR_TAMPERED, MAM_ERR_CLOSED, MAM_ERR_FORKED.
 *  In:      account  see the table at the top.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_rotate_keys(mam_t *m, const char *account) MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 10. Files: docs/files.md. Paths are bytes. No call follows a symbolic link at the end of one, so
 * that nobody who may write to a directory can lead a call elsewhere: MAM_ERR_UNSUPPORTED.
 *
 * A sealed file is encrypted on the disk in records of 4096 bytes, in place. It has the meaning
 * that POSIX gives a file: several handles, threads and processes may work on it, holes read as
 * zeros, and what one has written the next one reads. A process that ends anywhere leaves each
 * record in its old or its new form. docs/sealed-files.md describes it.
 *
 * Every call here may also answer MAM_ERR_NOT_FOUND (no such file: originalCode 104),
 * MAM_ERR_UNSUPPORTED (no regular file; a directory: originalCode 105), MAM_ERR_PERMISSION,
 * MAM_ERR_NO_SPACE (disk or quota) and MAM_ERR_IO, each with the path; one that reads
 * MAM_ERR_DAMAGED (detail.offset: the 4096 bytes that do not verify; originalCode 103),
 * MAM_ERR_LOCKED (a launch, resume or switch of this session has closed the account),
 * MAM_ERR_DENIED and MAM_ERR_TAMPERED as mam_unprotect. A handle whose account was wiped is
 * MAM_ERR_CLOSED. A plain file that mam_file_info finds to be a managed account's is closed and
 * opened with it like a sealed one.
 */

/** Encrypt a file for a managed account, whatever its policy requires. Nothing is done where it is
 *  sealed for that account under its newest key, or is a container of that account's; any other
 *  container is opened, and sealed as a file.
 *
 *  A file beside it is written, synced and put in its place, so that whoever looks finds the old
 *  one or the new one, whole; after a kill the next call on the path removes what is left. Mode,
 *  owner, times, extended attributes and holes stay.
 *
 *  Returns: MAM_OK.
 *           MAM_ERR_NOT_MANAGED      the account is not managed (originalCode 106).
 *           MAM_ERR_DENIED           it is data of another account, as mam_file_protect.
 *           MAM_ERR_BUSY             it is open for writing here or in another process of the
 *                                    group, or was changed meanwhile. A program without libmam that
 *                                    has it open for writing is not seen: it goes on writing to the
 *                                    file that was replaced, and loses what it writes there.
 *           MAM_ERR_UNSUPPORTED      it has several names (hard links): detail.links; it is an
 *                                    encrypted database, or was exported for managed apps: the
 *                                    message names the call that takes it.
 *           MAM_ERR_INTERRUPTED      mam_interrupt or mam_close; the file is as it was.
 *           MAM_ERR_KEY_UNAVAILABLE, MAM_ERR_AUTHENTICATION, MAM_ERR_DAMAGED: what is there is
 *           sealed, and cannot be read.
 *           MAM_ERR_NOT_ENROLLED, MAM_ERR_ARGUMENT as mam_file_create.
 *  In:      account  see the table at the top.
 *  Mirrors: encryptFile:forAccountId:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_encrypt(mam_t *m, const char *path, const char *account)
    MAM_CHECK_RESULT;

/** Make a sealed file a plain one again, even where policy requires encryption; a plain one stays
 *  as it is. So it does with a file that holds a container of mam_protect or a stream. In place,
 *  and returns, as mam_file_encrypt. Mirrors: decryptFile:. Since: MAM_0 */
MAM_API mam_status mam_file_decrypt(mam_t *m, const char *path) MAM_CHECK_RESULT;

/** Write a plain copy of a file, sealed, plain or a container, in place of what is at target, or
 *  where nothing is. The copy has the mode, owner, times and extended attributes of the file, and
 *  is the managed account's whose that is, for a wipe as well.
 *  Returns: as mam_file_encrypt, with hard links of either allowed; MAM_ERR_DENIED  target is data
 *           of another account.
 *  Mirrors: decryptFile:toCopyPath:. Since: MAM_0 */
MAM_API mam_status mam_file_decrypt_copy(mam_t *m, const char *path, const char *target)
    MAM_CHECK_RESULT;

/** Whether a file is sealed, a sealed container (an exported one too), or an encrypted database,
 *  its log or journal; whoever it belongs to and whether or not its key is here. MAM_ERR_DAMAGED:
 *  it begins as one of them and is none.
 *  Out: encrypted, 0 or 1. Mirrors: isFileEncrypted:. Since: MAM_0 */
MAM_API mam_status mam_file_is_encrypted(mam_t *m, const char *path, mam_bool *encrypted)
    MAM_CHECK_RESULT;

/** Open a file, sealed or plain, and work on its plain bytes.
 *
 *  Returns: MAM_OK.
 *           MAM_ERR_DAMAGED          its first page is none (originalCode 103).
 *           MAM_ERR_AUTHENTICATION   its first page was changed (originalCode 103).
 *           MAM_ERR_KEY_UNAVAILABLE  the account was wiped, or it is another app's or computer's;
 *                                    the detail names account and key.
 *           MAM_ERR_NOT_ENROLLED     it is plain, and its account was wiped while this session was
 *                                    open.
 *           MAM_ERR_ARGUMENT, MAM_ERR_NO_SPACE (a million handles).
 *  In:      flags  of <fcntl.h>: O_RDONLY, O_WRONLY or O_RDWR, with O_APPEND, O_SYNC, O_DSYNC,
 *                  O_TRUNC (as mam_file_create with NULL as account, of what is there). Others,
 *                  O_CREAT too, but O_CLOEXEC, O_NOFOLLOW and O_NOCTTY, which are always on, are
 *                  MAM_ERR_ARGUMENT; for writing the file has to be readable too.
 *  Out:     file   release with mam_file_close.
 *  Mirrors: openFileAtPath:, openFileAtPath:flags:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_open(mam_t *m, const char *path, int32_t flags, mam_file_t **file)
    MAM_CHECK_RESULT;

/** Make a file, or cut what is there to nothing, for an account: sealed where its policy requires
 *  encryption, else plain.
 *
 *  A new file has its name when it is whole. An existing file keeps its mode, links and open
 *  handles. Where the call names no account and no identity is set, the file is its directory's: in
 *  a directory of an account's it is that account's, and sealed where the policy requires it. An
 *  existing file loses its former owner then, and where its directory is not that account's the
 *  event warning names the former owner ("formerOwner").
 *
 *  Returns: MAM_OK.
 *           MAM_ERR_ALREADY       O_EXCL, and it is there.
 *           MAM_ERR_DENIED        an existing file is another account's, whose policy does not let
 *                                 it go to the account that the call names, or to a name that
 *                                 nobody manages.
 *           MAM_ERR_NOT_ENROLLED  the name, or the directory's owner, is retired.
 *           MAM_ERR_NOT_FOUND     the name is unknown, and in a domain of the organisation;
 *                                 ("unknownIdentities":"error").
 *           MAM_ERR_ARGUMENT, MAM_ERR_KEY_UNAVAILABLE, MAM_ERR_NO_SPACE.
 *  In:      flags    as mam_file_open, for writing; also O_EXCL. O_CREAT and O_TRUNC go without
 *                    saying.
 *           mode     permission bits of a new file, 0 to 07777, less the umask.
 *           account  see the table at the top.
 *  Out:     file     release with mam_file_close.
 *  Mirrors: createFileAtPath:forAccountId:, createFileAtPath:flags:mode:forAccountId:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_create(
    mam_t *m, const char *path, int32_t flags, int32_t mode, const char *account, mam_file_t **file)
    MAM_CHECK_RESULT;

/** Read at the position, and move it. Less than capacity comes only at the end of the file, where
 *  *count is 0, and before what cannot be read: then the next call says why.
 *
 *  Returns: MAM_OK; MAM_ERR_DAMAGED…; MAM_ERR_ARGUMENT (opened for writing alone). Nothing of a
 *           record that does not verify is in out, which may be changed behind *count.
 *  Out:     out  capacity bytes. Mirrors: read. Since: MAM_0 */
MAM_API mam_status mam_file_read(mam_file_t *file, uint8_t *out, size_t capacity, size_t *count)
    MAM_CHECK_RESULT;

/** Write at the position, or with O_APPEND at the end, and move it. Less than length is written
 *  only where the rest fails: then the next call says why.
 *
 *  Returns: MAM_OK; MAM_ERR_NO_SPACE; MAM_ERR_DAMAGED (a record of which a part is to be kept);
 *           MAM_ERR_ARGUMENT (opened for reading alone).
 *  In:      data  length bytes. Mirrors: write. Since: MAM_0 */
MAM_API mam_status mam_file_write(
    mam_file_t *file, const uint8_t *data, size_t length, size_t *written) MAM_CHECK_RESULT;

/** Read at an offset; the position stays. As mam_file_read. Since: MAM_0 */
MAM_API mam_status mam_file_pread(
    mam_file_t *file, int64_t offset, uint8_t *out, size_t capacity, size_t *count)
    MAM_CHECK_RESULT;

/** Write at an offset; the position stays. With O_APPEND at the end, as on Linux. As
 *  mam_file_write. Since: MAM_0 */
MAM_API mam_status mam_file_pwrite(
    mam_file_t *file, int64_t offset, const uint8_t *data, size_t length, size_t *written)
    MAM_CHECK_RESULT;

/** Move the position, also behind the end.
 *
 *  Returns: MAM_OK; MAM_ERR_ARGUMENT (before the beginning).
 *  In:      whence    SEEK_SET, SEEK_CUR or SEEK_END.
 *  Out:     position  where it is now; may be NULL. Since: MAM_0 */
MAM_API mam_status mam_file_seek(
    mam_file_t *file, int64_t offset, int32_t whence, int64_t *position) MAM_CHECK_RESULT;

/** Where the position is. Since: MAM_0 */
MAM_API mam_status mam_file_tell(mam_file_t *file, int64_t *position) MAM_CHECK_RESULT;

/** Cut the file, or extend it by zeros; the position stays. Since: MAM_0 */
MAM_API mam_status mam_file_truncate(mam_file_t *file, int64_t size) MAM_CHECK_RESULT;

/** How many bytes it has. Since: MAM_0 */
MAM_API mam_status mam_file_size(mam_file_t *file, int64_t *size) MAM_CHECK_RESULT;

/** Wait until what was written is on the disk. MAM_ERR_IO may mean that some of it is lost.
 *  Since: MAM_0 */
MAM_API mam_status mam_file_sync(mam_file_t *file) MAM_CHECK_RESULT;

/** The same, without what only stat shows. Since: MAM_0 */
MAM_API mam_status mam_file_datasync(mam_file_t *file) MAM_CHECK_RESULT;

/** Close; NULL is fine, a second time changes nothing. Nothing is on the disk by this:
 *  mam_file_sync. Since: MAM_0 */
MAM_API void mam_file_close(mam_file_t *file);

/* -------------------------------------------------------------------------------------------------
 * 10. Files, continued: owners
 */

/** Give a file an owner. Data of a managed account goes to another account only where the policies
 *  of both allow it, as for MAM_SAVE_ACCOUNT_DOCUMENT, and not to nobody or to a name that nobody
 *  manages, for which there is mam_file_unmanage. A directory is given with everything in it, once
 *  each file in it was judged, and what is made in it later is the owner's unless it says something
 *  else. The owner is written into an extended attribute, authenticated with the group's key, and
 *  into the index in the state: either is enough. Where the owner's policy requires encryption the
 *  file is encrypted, as mam_file_encrypt does; where neither policy nor owner requires it any
 *  more, it is decrypted; containers, databases of the SQLite VFS and what SQLite keeps beside a
 *  database keep their form. Where the policy of the owner keeps its data out of backups, the
 *  file's nodump attribute is set. A wipe of the owner removes the file. docs/file-owners.md.
 *
 *  PATHS are bytes, of any length that the system can reach in steps of PATH_MAX. Links on the way
 *  are followed; the last part is not, and neither is one inside a directory: a link has no owner
 *  of its own.
 *
 *  Returns: MAM_OK               the file has this owner.
 *           MAM_ERR_NOT_FOUND    there is no such file (originalCode 104).
 *           MAM_ERR_UNSUPPORTED  a symbolic link, pipe, socket or device (originalCode 101); hard
 *                                links that would have to change their form; a plain SQLite
 *                                database that would have to be encrypted (originalCode 107), which
 *                                mam_sqlite_encrypt does.
 *           MAM_ERR_BUSY         it is open for writing here or in another process of the group,
 *                                and would have to change its form; of other programs see
 *                                mam_file_encrypt.
 *           MAM_ERR_KEY_UNAVAILABLE  it is sealed under a key that is not here.
 *           MAM_ERR_NOT_MANAGED  no account is enrolled in this app (originalCode 100).
 *           MAM_ERR_DENIED       the file is data of an account ("owner" in the detail) that does
 *                                not let it go; "reason" as mam_policy_check gives it where a
 *                                policy refuses. Nothing was changed.
 *           MAM_ERR_NOT_ENROLLED the name is retired; or the file is data of an account that was
 *           wiped or unenrolled.
 *           MAM_ERR_NOT_FOUND    the name is unknown, and in a domain of the organisation.
 *           MAM_ERR_PERMISSION, MAM_ERR_NO_SPACE, MAM_ERR_IO  the attribute could not be written
 *                                (originalCode 107); of a directory: what could be given was, and
 *                                the first failure is told with their number.
 *           MAM_ERR_INTERRUPTED  by mam_interrupt or mam_close; a directory is given in part.
 *           MAM_ERR_ARGUMENT (originalCode 101), MAM_ERR_DENIED, MAM_ERR_TAMPERED, MAM_ERR_LOCKED,
 *           MAM_ERR_DAMAGED.
 *  In:      path     the detail of a failure has it as "path".
 *           account  see the table at the top.
 *  Mirrors: protect:accountId:, protectFileAtPath:forAccountId:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_protect(mam_t *m, const char *path, const char *account)
    MAM_CHECK_RESULT;

/** The same, unless attribute and index both say already that the file has this owner. Of a
 *  directory its own owner is what counts. Returns, In: as mam_file_protect.
 *  Mirrors: verifyAndProtect:accountId:. Since: MAM_0 */
MAM_API mam_status mam_file_verify_and_protect(mam_t *m, const char *path, const char *account)
    MAM_CHECK_RESULT;

/** Take the protection of an account off a file: give it to nobody (""), or to a name that nobody
 *  manages, and decrypt it. It is allowed where the policy of each account whose data it is allows
 *  saving to MAM_SAVE_OTHER. A directory is given with everything in it, once each file in it was
 *  judged.
 *  Returns: as mam_file_protect; MAM_ERR_ARGUMENT  the account is managed: mam_file_protect gives a
 *                                                  file to it.
 *  In:      path, account  as mam_file_protect. Any thread.
 *  Mirrors: nothing; protectFileAtPath:forAccountId: of the Intune App SDK takes protection off for
 *           any name.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_unmanage(mam_t *m, const char *path, const char *account)
    MAM_CHECK_RESULT;

/** Whose a file is: {"accountId":null,"app":null,"known":"none","disagreement":null,
 *  "encrypted":false,"authenticated":false}. accountId is null where nobody owns it, as far as is
 *  known, and "" for no user. known: attribute, index, both, directory (it lies in one of the
 *  owner's), content (what is in it says so), none. disagreement: owner (the index names
 *  "indexAccountId"), attributeMissing, attributeDamaged, attributeForeign (another group wrote
 *  it), indexDamaged, replaced (the index knew another file there). authenticated: what says so
 *  verifies. Changes nothing.
 *
 *  Returns: MAM_OK; MAM_ERR_NOT_FOUND, MAM_ERR_UNSUPPORTED, MAM_ERR_PERMISSION, MAM_ERR_ARGUMENT as
 *           mam_file_protect.
 *  In:      path  as mam_file_protect takes it.
 *  Out:     json  yours.
 *  Mirrors: protectionInfo:, protectionInfoForFileAtPath:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_info(mam_t *m, const char *path, char **json) MAM_CHECK_RESULT;
/* -------------------------------------------------------------------------------------------------
 * 10. Files, continued: from app to app
 */

/** Copy a file to where its owner's policy lets it go, in the form that may be there: plain where
 *  the owner's data may go to all apps; otherwise sealed for managed apps of the owner's account,
 *  which read it with mam_file_import, whatever their group or computer. An app that is wiped or
 *  unenrolled cannot read what is exported afterwards; docs/exchange.md tells what that does not
 *  cover.
 *
 *  The owner is the account that sealed or labelled the file, else whom mam_file_info names; a file
 *  of nobody known is nobody's. A file at target_path is replaced as a whole or not at all; nothing
 *  half-written is ever there. Any size goes, in constant memory.
 *
 *  Returns: MAM_OK                   the copy is there, durably.
 *           MAM_ERR_DENIED           target_path is data of another account.
 *           MAM_ERR_NOT_ENROLLED     the name of the location's account is retired.
 *           MAM_ERR_DENIED           policy refuses; the detail has "reason", as mam_policy_check
 *                                    gives it. Or whose the file is is not known for sure; the
 *                                    detail has "disagreement", as mam_file_info.
 *           MAM_ERR_KEY_UNAVAILABLE  nothing here opens the file; or the authority has issued no
 *                                    exchange key, or refuses to (originalCode: why, of
 *                                    docs/status-codes.md).
 *           MAM_ERR_NOT_FOUND        there is no such file or directory (originalCode 104); or the
 *                                    account's name is unknown, and in a domain of the
 *                                    organisation.
 *           MAM_ERR_ARGUMENT         location is no MAM_SAVE_* constant, target_path is the file
 *                                    itself (originalCode 101), or a rule at the top of this file
 *                                    was broken.
 *           MAM_ERR_DAMAGED, MAM_ERR_AUTHENTICATION, MAM_ERR_LOCKED  as mam_unprotect_into.
 *           MAM_ERR_UNSUPPORTED      a directory (originalCode 105), a link, a pipe, a socket or a
 *                                    device (101), which is neither followed nor replaced; of an
 *                                    encrypted database (107), whose key no other app has.
 *           MAM_ERR_INTERRUPTED      nothing was written.
 *           MAM_ERR_PERMISSION, MAM_ERR_NO_SPACE, MAM_ERR_IO, MAM_ERR_TAMPERED, MAM_ERR_CLOSED,
 *           MAM_ERR_FORKED.
 *  In:      path              of a regular file.
 *           location          a MAM_SAVE_* constant.
 *           account           whose location it is; as in mam_policy_is_save_to_allowed.
 *           target_path       where the copy is to be.
 *  Mirrors: isSaveToAllowedForLocation:withAccountId:, and what a file provider hands out.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_export(
    mam_t *m, const char *path, mam_save_location location, const char *account,
    const char *target_path) MAM_CHECK_RESULT;

/** Take a file in for an account: what another managed app exported is decrypted, what the
 *  account's policy does not let it receive is refused, and the copy is the account's
 *  (mam_file_info): sealed, as mam_file_create does, where its policy demands encrypted files or
 *  the file came sealed. Under protectInboundDataFromUnknownSources a file of nobody known that is
 *  taken in for nobody managed is the account's that has the policy.
 *
 *  Where policy refuses, and the account that the file belongs to ("" for nobody managed) may take
 *  it in, a host with the setting MultiIdentity is asked for leave to switch the default window to
 *  that account (identitySwitch with documentImport): this call waits for the answer, by the
 *  question's deadline, and then for the checks of mam_set_ui_identity. With success the copy is
 *  that account's. Otherwise, where nobody answers questions, and inside a callback, where nothing
 *  is asked, it is refused as before. A host that takes questions as events answers on another
 *  thread. mam_wait's rule holds: without a worker this call does the work that is due.
 *
 *  Returns: MAM_OK                   the copy is there, durably.
 *           MAM_ERR_DENIED           policy refuses; the detail has "reason", as mam_policy_check
 *                                    gives it, and "switch", how the switch ended that the host was
 *                                    asked for.
 *           MAM_ERR_KEY_UNAVAILABLE  exported before this app enrolled the account, by an app of
 *                                    another account, or never for managed apps; or the authority
 *                                    cannot be asked (originalCode).
 *           Otherwise as mam_file_export.
 *  In:      path         of a regular file.
 *           account      whose the copy is to be; see the table at the top. NULL: as the thread or
 *                        process has it.
 *           target_path  where the copy is to be.
 *  Mirrors: canReceiveSharedFile:, decryptFileAtPath:toCopyPath:.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_import(
    mam_t *m, const char *path, const char *account, const char *target_path) MAM_CHECK_RESULT;

/** Seal a file anew under the newest epoch of its owner's data key, where a former one seals it:
 *  after mam_rotate_keys. It is written beside itself and takes its own place, whole, with its
 *  mode, times, owner and attributes. The pages of an encrypted database are written again by
 *  SQLite, in one transaction: whoever has it open goes on. Any other file stays as it is: plain,
 *  labelled, sealed under the newest key already, of another app, exported, or of nobody managed.
 *
 *  Returns: MAM_OK               *changed is 1 where it was sealed anew.
 *           MAM_ERR_BUSY         as mam_file_encrypt; it is as it was. A database: others are
 *                                reading or writing it, try again; it has the same content.
 *           MAM_ERR_UNSUPPORTED  a directory, a link, a pipe, a socket or a device; a file with
 *                                several names (hard links).
 *           MAM_ERR_INTERRUPTED  it is as it was.
 *           MAM_ERR_NOT_FOUND, MAM_ERR_DAMAGED, MAM_ERR_AUTHENTICATION, MAM_ERR_LOCKED,
 *           MAM_ERR_PERMISSION, MAM_ERR_STORAGE, MAM_ERR_NO_SPACE, MAM_ERR_IO, MAM_ERR_ARGUMENT,
 *           MAM_ERR_TAMPERED, MAM_ERR_CLOSED, MAM_ERR_FORKED.
 *  In:      path     of a regular file.
 *  Out:     changed  may be NULL.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_file_reprotect(mam_t *m, const char *path, mam_bool *changed)
    MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 10. Files: SQLite databases
 */

/** Give SQLite a file system of this name, with which an account's databases are encrypted: open
 *  them with sqlite3_open_v2(…, "mam") or the URI file:notes.db?vfs=mam. The SQLite is the
 *  libsqlite3 of this process; one that the host carries itself gets the name from
 *  mam_sqlite_extension_init. docs/sqlite.md.
 *
 *  New databases are encrypted where the account's policy requires encryption
 *  (mam_policy_is_file_encryption_required), and plain otherwise. A database stays what it is,
 *  whatever the policy says later, until mam_sqlite_encrypt or mam_sqlite_decrypt. With an
 *  encrypted one its log, journals and temporary files are encrypted too: temporary files of every
 *  connection whose main database was opened with this name. A database, encrypted or plain, that
 *  was opened with the name answers SQLITE_IOERR_AUTH, from the next page on, while the account is
 *  closed: wiped, found blocked by a launch, or its session closed.
 *
 *  Returns: MAM_OK            also where this session has the name for this account already.
 *           MAM_ERR_ALREADY   SQLite has another file system of this name.
 *           MAM_ERR_ARGUMENT  name is empty, longer than 64 bytes or has a blank.
 *           MAM_ERR_NOT_ENROLLED  the name of the account is retired. For one that was unenrolled
 *                             without a wipe the databases that it has open, and new ones do not.
 *           MAM_ERR_NOT_FOUND the name of the account is unknown, and in a domain of the
 *           organisation.
 *           MAM_ERR_STORAGE   SQLite was shut down.
 *  In:      name     "mam", unless the host has several accounts.
 *           account  see the table at the top.
 *  Mirrors: protectSqliteVFS:. Since: MAM_0
 */
MAM_API mam_status mam_sqlite_vfs_register(mam_t *m, const char *name, const char *account)
    MAM_CHECK_RESULT;

/** Encrypt a database of an account's in place, whatever the policy requires: it is written anew
 *  beside itself and renamed over the old one, with its mode, owner and attributes, so that a kill
 *  leaves one or the other. Nobody else may have it open. Nothing is done where it is encrypted.
 *  Links are followed.
 *
 *  Returns: MAM_OK
 *           MAM_ERR_BUSY         another connection has it open and is working on it, or has a log
 *                                open.
 *           MAM_ERR_NOT_MANAGED  the account is not managed (originalCode 106).
 *           MAM_ERR_NOT_FOUND    there is no such file (originalCode 104).
 *           MAM_ERR_KEY_UNAVAILABLE  it is encrypted for another account (originalCode 106).
 *           MAM_ERR_DENIED       it is plain, and data of another account, as mam_file_protect.
 *           MAM_ERR_UNSUPPORTED  a sealed file, a container or a log, which the message names
 *                                (originalCode 107); no regular file.
 *           MAM_ERR_STORAGE, MAM_ERR_IO, MAM_ERR_NO_SPACE, MAM_ERR_PERMISSION  as it was: no
 *           database, damaged, no room…
 *           MAM_ERR_LOCKED, MAM_ERR_NOT_ENROLLED, MAM_ERR_ARGUMENT, MAM_ERR_INTERRUPTED.
 *  In:      account  see the table at the top; "" is MAM_ERR_ARGUMENT.
 *  Mirrors: encryptFile:forAccountId:. Since: MAM_0 */
MAM_API mam_status mam_sqlite_encrypt(mam_t *m, const char *path, const char *account)
    MAM_CHECK_RESULT;

/** The other way round: a plain database, even against the policy. Nothing is done where it is
 *  plain. Returns, In: as mam_sqlite_encrypt; account is whose it is. Mirrors: decryptFile:.
 *  Since: MAM_0 */
MAM_API mam_status mam_sqlite_decrypt(mam_t *m, const char *path, const char *account)
    MAM_CHECK_RESULT;

struct sqlite3;
struct sqlite3_api_routines;

/** The entry point of libmam as a loadable extension of SQLite (3.33 or newer), for hosts that
 *  carry an SQLite of their own: every name that the open sessions of this process have registered
 *  becomes known to the SQLite that calls this. Hosts do not call it; they load it
 *  (sqlite3_load_extension, with this name) or give it to sqlite3_auto_extension.
 *  Since: MAM_0 */
MAM_API int32_t mam_sqlite_extension_init(
    struct sqlite3 *db, char **error, const struct sqlite3_api_routines *api);

/* -------------------------------------------------------------------------------------------------
 * 11. Wipe
 */

/** Wipe an account of this app now: keys first, then the delegate is asked, then the files that the
 *  account owns go (unless the host answered that it has removed its data), then rows; the account
 *  ends unenrolled. When this call has returned MAM_OK nothing of the account's can be read by
 *  anyone, whatever happens to this process, except with a copy of the state made before. Other
 *  accounts, other apps and personal data stay.
 *
 *  Before anything that can fail the account is closed, in every process of the group. Where its
 *  key cannot be destroyed at once (a disk that takes neither a write nor a removal) the call fails
 *  and says why; the account stays closed, and the wipe goes on by itself: with the worker,
 *  mam_run_due, the next check-in or the next open. What hinders later steps fails no call: the
 *  operation ends with 215, and they are tried again likewise.
 *
 *  Returns: MAM_OK; MAM_ERR_NOT_REGISTERED; MAM_ERR_DENIED (an extension); MAM_ERR_PERMISSION,
 *           MAM_ERR_IO, MAM_ERR_NO_SPACE… (closed, and not yet destroyed, as above).
 *  In:      account  registered, or unenrolled without a wipe.
 *  Out:     op       ends with 104 when all is done, or 215.
 *  Mirrors: selective wipe, wipeDataForAccountId.
 *  Since:   MAM_0
 */
MAM_API mam_status mam_wipe_account(mam_t *m, const char *account, int64_t *op) MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 12. Administration of the embedded authority
 */

/** Do one administrative action on the authority in the file `path`. docs/authority.md lists the
 *  actions and their replies: {"action":"authority.create"}, {"action":"user.add",
 *  "upn":"ann@contoso.example"},{"action":"policy.import","document":{…}}…
 *  A document that is imported says its type, by "@odata.type" or "@odata.context", or the request
 *  does: "type", one of ios, android, windows, linux, default, config. One without an id but with
 *  the name and type of another, and one with the id and another type than that of another, takes
 *  its place with "replace":true.
 *  Returns: MAM_OK; MAM_ERR_JSON; MAM_ERR_ARGUMENT (also a document of no known type);
 *           MAM_ERR_NOT_FOUND (file, user, policy…); MAM_ERR_ALREADY (also a document that asks for
 *           "replace"); MAM_ERR_PERMISSION (not your authority); MAM_ERR_STORAGE…
 *  In:      path  of the SQLite file. request_json  up to 16 MiB.
 *  Out:     reply_json  yours.
 *  Mirrors: the Graph resources of managedAppPolicy and its relatives. Since: MAM_0 */
MAM_API mam_status mam_admin(const char *path, const char *request_json, char **reply_json)
    MAM_CHECK_RESULT;

/** Every property of policies that is known, and what becomes of it:
 *  {"properties":[{"property":"printBlocked","platforms":["ios",…],"status":"enforced",
 *  "note":"decides print","shownBy":["mam_policy_is_print_allowed"],"waitsFor":[],"kind":"flag",
 *  "names":[],"neutral":false,"strictest":true,"absent":false,"misread":true,"wipes":false}…]}.
 *  Status: enforced ("shownBy" names the functions whose answers it can change), notEnforced (by
 *  this release; "waitsFor" names those that will show it), notApplicable ("note" says why),
 *  descriptive. "names" are the values from loose to strict, of lists the members; "neutral"
 *  restricts least, "strictest" most, "absent" holds where a policy does not state it (or states
 *  null), "misread" stands in for what is not understood; null where there is no such value.
 *  "wipes": it can have an account's data removed. docs/properties.md is this list for people.
 *  Returns: MAM_OK, MAM_ERR_ARGUMENT.
 *  Out:     json  yours.
 *  Since:   MAM_0 */
MAM_API mam_status mam_policy_properties(char **json) MAM_CHECK_RESULT;

/** What an administrator should know about policies before they are rolled out:
 *  {"policies":[{"id","name","platform","findings":[{"severity":"warning","kind":"contradictory",
 *  "setting","value","message","check":null,"signals":[]}…]}…]}. A warning can wipe, or does not do
 *  what it seems to; a note does nothing. Kinds: unknown (in no table; the message has the nearest
 *  name), value (not understood, so the most restrictive one counts), contradictory, ineffective,
 *  crossPlatform, notEnforced (by this release), reach (an app or assignment that reaches nobody,
 *  or others than it seems to), wipe (it can have an account's data removed on a Linux host:
 *  "check" is the check of launches that finds it, "signals" names those of the device's health
 *  that each do it, and the message says how to choose otherwise). policy.import warns of the same.
 *  Reads nothing but its argument.
 *  Returns: MAM_OK, MAM_ERR_JSON, MAM_ERR_ARGUMENT (a document of no known type, no policy, more
 *           than 1000).
 *  In:      policy_json  an export of Microsoft Graph: a policy, an array, {"value":…} around
 *           either, or null; up to 4 MiB. Where the export does not say its type:
 *           {"document":export,"type":"ios"}, as for mam_admin.
 *  Out:     json  yours.
 *  Since:   MAM_0 */
MAM_API mam_status mam_policy_lint(const char *policy_json, char **json) MAM_CHECK_RESULT;

/** What changes for whoever comes from under the policies of one document under those of another,
 *  by the order that the merge uses: {"verdict":"stricter","launch":[{"check","change":"stricter",
 *  "cases":["the version of the system is below 15"],"before":null,"after":{"action":"wipe",
 *  "setting","value","policyId","policyName"},"message"}…],"changes":[{"setting","before","after",
 *  "change":"stricter","message"}…]}. A change is stricter, looser or different (no order); the
 *  verdict is same, stricter, looser or mixed. "before" and "after" are what is stated, or null.
 *  What decides nothing else than before is no change. "launch" is what begins or stops to wipe or
 *  block accounts at launches on a Linux host, what wipes first: the checks of mam_launch are asked
 *  about each case, one at a time; "before" and "after" are what they find, or null.
 *  Reads nothing but its arguments.
 *  Returns: MAM_OK, MAM_ERR_JSON, MAM_ERR_ARGUMENT (a document of no known type, no policy, more
 *           than 1000).
 *  In:      before_json, after_json  as for mam_policy_lint; several policies are merged.
 *  Out:     json  yours.
 *  Since:   MAM_0 */
MAM_API mam_status mam_policy_diff(const char *before_json, const char *after_json, char **json)
    MAM_CHECK_RESULT;

/** What a user gets in an app from the authority in the file `path`, and why: what the next
 *  check-in brings, by the same question. {"user","app"} asks; the reply:
 *    {"user":{"accountId","upn","tenantId"},"app","appKnown":true,"mayEnroll":true,
 *    "checkIn":{"delivers":true,"code","name","disabled":false,"message","userMessage",
 *    "messageKey"},"effective":{…},
 *    "disagreements":[{"setting","values":[{"value","policyId","policyName","stated":true}…],
 *    "chosen","resolution":"strictest","message"}…],"warnings":[…],"policies":[{"id","displayName",
 *    "delivered":true,"why":["assigned"],"groups":[…],"excludedBy":[…],"allUsers":false,
 *    "targetsApp":true,"allApps":false,"message"}…],"configurations":[…]}
 *  effective is as in mam_policy_json; null where the authority refuses the check-in
 *  ("delivers":false: no licence, or being moved), because an app keeps what it has then.
 *  disagreements are the settings of which policies say different things; resolution is strictest,
 *  common (of lists what all have) or lowestId (no order); "stated" is false where a policy is
 *  silent and the value holds for that: such a policy is the source of no setting. policies and
 *  configurations are all that the authority has; why is assigned or tenantDefault where it is
 *  delivered, else what stands in the way: notAssigned, excluded, notTargeted, replaced (a default,
 *  and another policy reaches the user), refused. groups are those that bring it to the user.
 *  appKnown is false for an app that no policy, configuration or registration names: mistyped,
 *  perhaps. A wipe that waits is not looked at. Nothing is written.
 *  Returns: MAM_OK; MAM_ERR_JSON; MAM_ERR_ARGUMENT; MAM_ERR_NOT_FOUND (file, user); MAM_ERR_STORAGE
 *           (no authority)…
 *  In:      path  of the authority. request_json  user, an account id or UPN; app, any app's id.
 *  Out:     json  yours.
 *  Since:   MAM_0 */
MAM_API mam_status mam_policy_explain(const char *path, const char *request_json, char **json)
    MAM_CHECK_RESULT;

/** What administrative actions would change, for whom, before they are done: they are done on a
 *  copy in memory of the authority in the file `path`, all or none, and what check-ins bring before
 *    and after is compared. A request: {"changes":[{"action":"policy.import","document":{…}},
 *    {"action":"policy.assign",…}…],"users":[…],"apps":[…],"requests":[{"action":"saveTo",
 *    "location":"localDrive"}…],"deviceLock":"on","launch":{…}}
 *  changes are requests of mam_admin that change something: actions of user, group and policy, at
 *  most 1000. users and apps say whom to look at, else it is everybody that the authority knows,
 *  before or after; at most 10,000 users times apps. requests are those of mam_policy_check without
 *  "account", asked about each user; "*" for locationAccount or sender is the user; others are
 *  accounts enrolled in the same app. Without requests every predicate and location is asked. At
 *    most 1,000,000 users times apps times requests. The reply: {"verdict":"stricter",
 *    "compared":{"users","apps","requests"},"counts":{"accounts","gains","loses","refused",
 *    "changes","decisions":{"stricter","looser","reason"}},"warnings":[…],
 *    "launches":[{"accounts":[{"accountId","upn","app"}…],"before":{"outcome",
 *    "outcomeWhenAnswered","findings":[…],"asks":[{"question":"pin","purpose":"enter"}…],
 *    "notApplicable":[…]},"after":{…}}…],"changes":[{"effect":"gains","verdict","message",
 *    "accounts":[{"accountId","upn","app"}…],"before":{"known":true,"delivers":true,"code","name",
 *    "disabled":false,"policies":[{"id","name"}…]},"after":{…},"launch":[…],"settings":[…],
 *    "decisions":[{"request","before":{"allowed":true},"after":{"allowed":false,"reason":{…}},
 *    "change":"stricter","message"}…]}…]}
 *  Only what differs is listed; accounts in apps that go from the same to the same stand together.
 *  An effect is gains, loses (a policy restricts the account, or none any more), refused (its
 *  check-ins are, from then on: the app keeps what it has, so nothing else changes) or changes.
 *  launch and settings are as in mam_policy_diff, decisions as in mam_policy_check; "reason" is a
 *  change of the reason alone. It holds for apps in which the user is enrolled.
 *
 *  "launch" has launches rehearsed, by the checks of mam_launch, once the check-ins have brought
 *  their policies; without it "launches" is null. It says what the computer, the person and the
 *  time are like. What is left out is as it should be, but a version, a model and a threat level
 *  are not known:
 *    device        {"platform","version","model","lock"} as for mam_open; deviceHealth: as
 *                  mam_diagnostics gives it, or {"threatLevel":"low",
 *                  "signals":[{"signal":"injectedLibraries","state":"fail"}…]} ("standing"
 *                  "ignored" or "required" as by device.health)
 *    appVersion    as app.version of mam_open
 *    offline       "PT13H" without a check-in (PT0S; null: there never was one); connected: whether
 *                  the authority can be reached (true); mustSignIn: whether credentials are due
 *                  since an earlier wipe period (false)
 *    pin           {"age":"P3D","failures":2,"weak":false}; null (as if left out): none is set
 *    shown         what the person has shown: "pin", "credentials", "biometrics"; inactive: for how
 *                  long nobody has used the apps since (PT0S); pinEntered: how long ago the PIN
 *                  itself was entered (never)
 *    clockedOut    for how long the person has been clocked out; inUse: whether the host acts for
 *                  the account (true)
 *  Accounts that are treated alike stand together: those that are wiped after the changes first,
 *  then blocked, warned, allowed. outcome and findings are those of mam_launch where the person
 *  shows nothing ("accountId" and "upn" are null), outcomeWhenAnswered where they show what is
 *  asked for, in the order of asks. before is null for a user who is added. Settings of the app
 *  (MAMPolicyRequired…), and what was found before in a session, are not looked at.
 *  Returns: MAM_OK; MAM_ERR_JSON, MAM_ERR_ARGUMENT, MAM_ERR_NOT_FOUND… (a mistake in a change, user
 *           or request says which: "list" and "index" in the detail); MAM_ERR_ARGUMENT (too much:
 *           the file over 128 MiB, the reply over 64 MiB); MAM_ERR_NOT_FOUND (file);
 *           MAM_ERR_STORAGE (no authority)…
 *  In:      path  of the authority, never written. request_json  up to 16 MiB.
 *  Out:     json  yours.
 *  Since:   MAM_0 */
MAM_API mam_status mam_policy_simulate(const char *path, const char *request_json, char **json)
    MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 13. Diagnostics
 */

/** Levels of the log. Only MAM_LOG_VERBOSE names people. No level holds keys, tokens or
 *  plaintext. */
enum { MAM_LOG_VERBOSE = 0, MAM_LOG_INFO = 1, MAM_LOG_WARNING = 2, MAM_LOG_ERROR = 3 };

/** Receives one line; borrowed for the call. */
typedef void mam_log_fn(void *user, int32_t level, const char *message);

/** Send lines of `level` and above to fn; NULL for nobody (the default). Returns when no call of
 *  the old one is running (from inside the old one itself: at once).
 *  Returns: MAM_OK, MAM_ERR_ARGUMENT (level), MAM_ERR_CLOSED, MAM_ERR_FORKED.
 *  In:      level  one MAM_LOG_*. user  handed to fn as it is; yours to keep alive until another
 *                  function is set or m is closed.
 *  Mirrors: the SDK's logger. Since: MAM_0 */
MAM_API mam_status mam_set_log(mam_t *m, int32_t level, mam_log_fn *fn, void *user);

/** What a person needs to find out why: versions, app, authority with its custody and "problem"
 *  (why it cannot be asked, or null: it is looked at, which takes up to 5 seconds where somebody
 *  has locked it), key custody, state (schema, generation, "counter", and "older": whether a former
 *  copy was put back), "unlistedShares":{"count","first":[…]} (keys of no account; the first 64),
 *  "keyMemory":{"locked":true,"wipedOnFork":true} (false where the system did not let every key be
 *  kept from swap, RLIMIT_MEMLOCK for one, or does not empty memory in a fork), accounts with their
 *  last and next check-in and last status, open wipes, unenrollments that the authority has not
 *  heard of ("unenrollments":[{"accountId","upn","ended","nextReport"}…]), the test policy, queue
 *  lengths, the latest log lines of level info and above, and "deviceHealth", of half a minute ago
 *  at the most: {"healthy":true,"threatLevel":null,"time":"…","signals":[{"signal":"tracer",
 *  "state":"ok|fail|unknown|notApplicable","standing":"required|counts|informs|ignored",
 *  "refuses":false,"source":"/proc/self/status","value":null,"detail":"…"}…],"report":null}
 *  (docs/device-health.md). No secrets; names people.
 *  Returns: MAM_OK… Out: json, yours. Mirrors: getDiagnosticInformation. Since: MAM_0 */
MAM_API mam_status mam_diagnostics(mam_t *m, char **json) MAM_CHECK_RESULT;

/** Remove the keys (shares) in the state directory that no account of the state has: what remains
 *  where an older state.db was put back and the newest one is lost. Nothing else removes them, and
 *  data that they are for cannot be read any more; a "warning" event and "unlistedShares" of
 *  mam_diagnostics report them.
 *  Returns: MAM_OK            *json is {"shares":2}, how many there were.
 *           MAM_ERR_TAMPERED  the state is older than one that was in use here (detail
 *                             "reason":"regress"): nothing was removed. Check in first, or put the
 *                             newest copy back.
 *           MAM_ERR_DENIED    an extension.
 *           MAM_ERR_STORAGE, MAM_ERR_IO, MAM_ERR_BUSY, MAM_ERR_CLOSED, MAM_ERR_FORKED.
 *  Out: json, yours. Mirrors: nothing: iOS restores no single file. Since: MAM_0 */
MAM_API mam_status mam_purge(mam_t *m, char **json) MAM_CHECK_RESULT;

/* -------------------------------------------------------------------------------------------------
 * 14. JSON for hosts without a parser: docs/guide.md
 */

/** Parse JSON: an event, a status, a list of accounts, the report of a launch, or any other.
 *
 *  The functions below find a value by its JSON Pointer (RFC 6901): "" is the whole text;
 *  "/findings/0/message" is a member of the first element of a member. In a key "~1" stands for /
 *  and "~0" for ~. They read memory, without a lock. A value that is absent, or of another type, is
 *  no failure: they return what their comments say. The same is returned for a NULL, closed or
 *  forked handle and for a malformed pointer (MAM_ERR_ARGUMENT), which mam_last_status reports.
 *
 *  Returns: MAM_OK; MAM_ERR_JSON (also U+0000 in a string, and a number that does not fit: nothing
 *           is cut or rounded); MAM_ERR_ARGUMENT; MAM_ERR_NO_SPACE (memory; a million handles).
 *  In:      json    any JSON value, by the rules at the top; up to 16 MiB.
 *  Out:     parsed  release with mam_json_release. Since: MAM_0 */
MAM_API mam_status mam_json_parse(const char *json, mam_json_t **parsed) MAM_CHECK_RESULT;

/** There is a value that is not null. Closed: 0. Since: MAM_0 */
MAM_API mam_bool mam_json_has(const mam_json_t *parsed, const char *pointer);

/** The text of a string, else "": mam_json_has tells an empty string from none. Never NULL;
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

/** Release; NULL is fine, a second time changes nothing. Since: MAM_0 */
MAM_API void mam_json_release(mam_json_t *parsed);

#ifdef __cplusplus
}
#endif
#endif
