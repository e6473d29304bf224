/* Extensions: programs that use the accounts, policy and keys of their containing app, if that app lists them. */
#include "databases.h"

#include <fcntl.h>

#define SHARE "com.example.notes.share"
#define WIDGET "com.example.notes.widget"
#define LISTED ",\"extensions\":[\"" SHARE "\"]"
#define CONTAINED "\"settings\":{\"MultiManagedIdentities\":true,\"ContainingAppBundleId\":\"" APP "\"}"
#define QUIET_EXTENSION "\"worker\":false," CONTAINED

static mam_t *open_notes(const office *o, const char *more_of_app) {
    mam_t *m = NULL;
    OK(open_with_app(o, APP, more_of_app, QUIET, &m));
    return m;
}

static mam_t *open_share(const office *o) {
    mam_t *m = NULL;
    OK(open_with_app(o, SHARE, "", QUIET_EXTENSION, &m));
    return m;
}

static void list(const office *o, const char *more_of_app) { OK(mam_close(open_notes(o, more_of_app))); }

/* An extension does not open, and the error says why and what to do. */
static void is_not_listed(const office *o, const char *app) {
    mam_t *m = (mam_t *)1;
    FAILS(MAM_ERR_DENIED, open_with_app(o, app, "", QUIET_EXTENSION, &m));
    CHECK(m == NULL);
    CULPRIT("setting", "app.extensions");
    CULPRIT("app", APP);
    open_with_app(o, app, "", QUIET_EXTENSION, &m);
    const char *message = mam_last_message();
    CHECK(strstr(message, app) && strstr(message, APP " with app.extensions") && strstr(message, GROUP));
}

static int enrolled(mam_t *m) {
    char *json = NULL;
    OK(mam_enrolled_accounts(m, &json));
    int count = count_of(json, "");
    mam_free(json);
    return count;
}

static mam_policy_t *policy_of(mam_t *m, const char *account) {
    mam_policy_t *policy = NULL;
    OK(mam_policy_for_account(m, account, &policy));
    return policy;
}

static mam_file_t *made_file(mam_t *m, const char *path, const char *account) {
    mam_file_t *file = NULL;
    size_t written = 0;
    OK(mam_file_create(m, path, O_RDWR, 0600, account, &file));
    OK(mam_file_write(file, (const uint8_t *)"text", 4, &written));
    CHECK_NUMBER(4, written);
    return file;
}

static mam_status reads(mam_file_t *file) {
    uint8_t bytes[16];
    size_t count = 0;
    mam_status status = mam_file_pread(file, 0, bytes, sizeof bytes, &count);
    CHECK_NUMBER(status == MAM_OK ? 4 : 0, count);
    return status;
}

static mam_status protects(mam_t *m, const char *account) {
    mam_buffer container = {NULL, 0};
    mam_status status = mam_protect(m, account, (const uint8_t *)"x", 1, &container);
    mam_buffer_free(&container);
    return status;
}

/* ---- listed extensions */

static void the_containing_app_lists_its_extensions(void **state) {
    const office *o = *state;
    is_not_listed(o, SHARE); /* the app was never opened here */
    list(o, "");
    is_not_listed(o, SHARE);
    list(o, ",\"extensions\":[\"" WIDGET "\",\"" SHARE ".more\"]");
    is_not_listed(o, SHARE);
    list(o, LISTED);
    OK(mam_close(open_share(o)));
    is_not_listed(o, WIDGET); /* the list was replaced */
    is_not_listed(o, "com.example.notes.SHARE");
    list(o, ""); /* not stated: the list stays */
    OK(mam_close(open_share(o)));
    list(o, ",\"extensions\":[]");
    is_not_listed(o, SHARE);
    list(o, LISTED);
    mam_t *m = (mam_t *)1;
    FAILS(
        MAM_ERR_DENIED,
        open_with_app(o, SHARE, "", "\"worker\":false,\"settings\":{\"ContainingAppBundleId\":\"" OTHER_APP "\"}", &m));
    CULPRIT("app", OTHER_APP); /* that app does not contain it */
    OK(mam_close(open_share(o)));
}

/* Without a group of their own both are in the containing app's. */
static void the_group_is_the_containing_app_s(void **state) {
    const office *o = *state;
    static const char *const apps[] = {
        APP "\","
            "\"extensions\":[\"" SHARE "\"]",
        SHARE "\""};
    char settings[4 * LONG_PATH];
    for (int i = 0; i < 2; i++) {
        mam_t *m = NULL;
        char *json = NULL;
        snprintf(
            settings, sizeof settings,
            "{\"app\":{\"id\":\"%s},\"stateDirectory\":\"%s\",\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"},%s}", apps[i],
            o->state, o->authority, i == 0 ? QUIET : QUIET_EXTENSION);
        OK(mam_open(settings, &m));
        OK(mam_settings(m, &json));
        CHECK_TEXT(APP, text_of(json, "/app/group"));
        CHECK_TEXT(i == 0 ? APP : SHARE, text_of(json, "/app/id"));
        CHECK_TEXT(i == 0 ? "" : APP, text_of(json, "/app/containingApp"));
        CHECK_NUMBER(i == 0, count_of(json, "/app/extensions"));
        mam_free(json);
        OK(mam_close(m));
    }
}

static void invalid_settings(void **state) {
    const office *o = *state;
    static const struct {
        mam_status status;
        const char *app, *more_of_app, *more, *setting;
    } cases[] = {
        {MAM_ERR_JSON, APP, ",\"extensions\":\"" SHARE "\"", QUIET, "app.extensions"},
        {MAM_ERR_JSON, APP, ",\"extensions\":null", QUIET, "app.extensions"},
        {MAM_ERR_JSON, APP, ",\"extensions\":{\"" SHARE "\":true}", QUIET, "app.extensions"},
        {MAM_ERR_JSON, APP, ",\"extensions\":[\"" SHARE "\",7]", QUIET, "app.extensions"},
        {MAM_ERR_ARGUMENT, APP, ",\"extensions\":[\"" SHARE "\",\"\"]", QUIET, "app.extensions[1]"},
        {MAM_ERR_ARGUMENT, APP, ",\"extensions\":[\"../share\"]", QUIET, "app.extensions[0]"},
        {MAM_ERR_ARGUMENT, APP, ",\"extensions\":[\"notes share\"]", QUIET, "app.extensions[0]"},
        {MAM_ERR_ARGUMENT, APP, ",\"extensions\":[\"" SHARE "\",\"" APP "\"]", QUIET, "app.extensions"},
        {MAM_ERR_ARGUMENT, APP, "", QUIET_EXTENSION, "ContainingAppBundleId"},
        {MAM_ERR_ARGUMENT, APP, "", "\"settings\":{\"ContainingAppBundleId\":\"\"}", "ContainingAppBundleId"},
        {MAM_ERR_ARGUMENT, APP, "", "\"settings\":{\"ContainingAppBundleId\":\"a/b\"}", "ContainingAppBundleId"},
        {MAM_ERR_ARGUMENT, SHARE, ",\"extensions\":[]", QUIET_EXTENSION, "app.extensions"},
        {MAM_ERR_ARGUMENT, SHARE, ",\"extensions\":[\"" WIDGET "\"]", QUIET_EXTENSION, "app.extensions"},
        {MAM_ERR_ARGUMENT, SHARE, "", QUIET_EXTENSION ",\"device\":{}", "device"},
    };
    list(o, LISTED);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mam_t *m = (mam_t *)1;
        FAILS(cases[i].status, open_with_app(o, cases[i].app, cases[i].more_of_app, cases[i].more, &m));
        CHECK(m == NULL);
        CULPRIT("setting", cases[i].setting);
    }
    OK(mam_close(open_share(o))); /* none of it took effect */

    for (int count = 64; count <= 65; count++) {
        char many[65 * 32] = ",\"extensions\":[";
        for (int i = 0; i < count; i++) snprintf(many + strlen(many), 32, "%s\"a.b%d\"", i ? "," : "", i);
        strcat(many, "]");
        mam_t *m = NULL;
        if (count == 64) {
            OK(open_with_app(o, APP, many, QUIET, &m));
            OK(mam_close(m));
            is_not_listed(o, SHARE);
        } else {
            FAILS(MAM_ERR_ARGUMENT, open_with_app(o, APP, many, QUIET, &m));
        }
    }
}

/* Changed rows of the state list no extension. */
static void forged_lists(void **state) {
    const office *o = *state;
    const char *database = in_group(o, "state.db");
    mam_t *m = NULL;
    list(o, LISTED);
    sql(database, "INSERT INTO facts SELECT '" OTHER_APP "', name, value FROM facts WHERE app = '" APP "' AND name = 'extensions'");
    FAILS(MAM_ERR_TAMPERED, open_with_app(o, SHARE, "", "\"settings\":{\"ContainingAppBundleId\":\"" OTHER_APP "\"}", &m));
    OK(mam_close(open_share(o)));
    sql(database, "UPDATE facts SET value = " CHANGED_BYTE("value", 31) " WHERE app = '" APP "' AND name = 'extensions'");
    FAILS(MAM_ERR_TAMPERED, open_with_app(o, SHARE, "", QUIET_EXTENSION, &m));
    list(o, ""); /* the app itself opens, and its next list takes effect */
    FAILS(MAM_ERR_TAMPERED, open_with_app(o, SHARE, "", QUIET_EXTENSION, &m));
    list(o, LISTED);
    OK(mam_close(open_share(o)));
    sql(database, "DELETE FROM facts WHERE name = 'extensions'");
    is_not_listed(o, SHARE);
}

/* ---- shared accounts, policy and keys */

static void it_works_for_the_containing_app(void **state) {
    const office *o = *state;
    mam_t *notes = open_notes(o, LISTED);
    enroll_well(notes, ANN);
    mam_buffer from_notes = sealed(notes, ANN, "of the app");
    mam_t *share = open_share(o);
    CHECK_NUMBER(1, enrolled(share));
    char *json = NULL;
    OK(mam_registered_accounts(share, &json));
    CHECK_TEXT(ANN_ID, text_of(json, "/0/accountId"));
    CHECK_TEXT("", text_of(json, "/0/nextCheckIn")); /* not here */
    mam_free(json);
    mam_policy_t *ann = policy_of(share, ANN), *eve = policy_of(share, EVE);
    CHECK_NUMBER(0, mam_policy_is_print_allowed(ann));
    CHECK_NUMBER(MAM_OK, mam_last_status());
    CHECK_NUMBER(1, mam_policy_is_print_allowed(eve));
    OK(opens_as(share, &from_notes, "of the app"));
    mam_buffer from_share = sealed(share, ANN, "of the extension");
    OK(opens_as(notes, &from_share, "of the extension"));

    /* A policy that the app receives applies to the next question here. */
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Open\",\"printBlocked\":false}}");
    CHECK_NUMBER(100, check_in(notes, ANN));
    CHECK_NUMBER(1, mam_policy_is_print_allowed(ann));
    CHECK_NUMBER(MAM_OK, mam_last_status());

    /* Other programs get no access. */
    mam_t *mail = open_app(o, OTHER_APP, QUIET);
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(mail, &from_share, "of the extension"));
    OK(mam_close(mail));
    mam_buffer_free(&from_share);
    mam_buffer_free(&from_notes);
    mam_policy_release(ann);
    mam_policy_release(eve);
    OK(mam_close(share));
    OK(mam_close(notes));
}

static void files_and_databases_are_the_containing_app_s(void **state) {
    const office *o = *state;
    mam_t *notes = open_notes(o, LISTED), *share = open_share(o);
    enroll_well(notes, ANN);
    const char *path = in_office(o, "file"), *plain = in_office(o, "labelled");
    mam_file_close(made_file(share, path, ANN));
    write_whole(plain, "x", 1);
    OK(mam_file_protect(share, plain, ANN));
    char *info = NULL;
    OK(mam_file_info(share, path, &info));
    CHECK_TEXT(ANN_ID, text_of(info, "/accountId"));
    CHECK_TEXT(APP, text_of(info, "/app"));
    CHECK(truth_of(info, "/encrypted"));
    mam_free(info);
    mam_file_t *file = NULL;
    OK(mam_file_open(notes, path, O_RDONLY, &file));
    OK(reads(file));
    mam_file_close(file);

    char database[PATH_SIZE + 32];
    snprintf(database, sizeof database, "file:%s", in_office(o, "notes.db"));
    OK(mam_sqlite_vfs_register(share, "share", ANN));
    OK(mam_sqlite_vfs_register(notes, "notes", ANN));
    sqlite3 *db = open_with(database, "share");
    run(db, "CREATE TABLE t(a); INSERT INTO t VALUES (7)");
    sqlite3_close(db);
    db = open_with(database, "notes");
    CHECK_NUMBER(7, number(db, "SELECT a FROM t"));
    sqlite3_close(db);

    char *event = wipe_ann(notes);
    CHECK_NUMBER(0, number_of(event, "/files/left"));
    mam_free(event);
    CHECK(!is_there(path) && !is_there(plain) && !is_there(in_office(o, "notes.db")));
    OK(mam_close(share));
    OK(mam_close(notes));
}

/* ---- work of the containing app */

static void enrollment_is_the_containing_app_s(void **state) {
    const office *o = *state;
    mam_t *notes = open_notes(o, LISTED), *share = open_share(o);
    enroll_well(notes, ANN);
    int64_t op = 0;
    for (int turn = 0; turn < 2; turn++) { /* with an account, and without one */
        CHECK_NUMBER(223, enroll(share, ANN));
        CHECK_NUMBER(223, enroll(share, BOB));
        OK(mam_login_and_enroll(share, BOB, &op));
        CHECK_NUMBER(223, code_of(share, op));
        OK(mam_login_and_enroll(share, NULL, &op));
        CHECK_NUMBER(223, code_of(share, op));
        CHECK_NUMBER(223, check_in(share, ANN));
        CHECK_NUMBER(223, check_in(share, NULL));
        /* Success would mean that it has been done. */
        for (int wipes = 0; wipes < 2; wipes++) FAILS(MAM_ERR_DENIED, mam_deregister_and_unenroll(share, ANN, wipes, &op));
        FAILS(MAM_ERR_DENIED, mam_wipe_account(share, ANN, &op));
        CHECK_NUMBER(223, original_code());
        CULPRIT("app", APP);
        FAILS(MAM_ERR_ARGUMENT, mam_wipe_account(share, NULL, &op));
        FAILS(MAM_ERR_ARGUMENT, mam_check_in(share, "", &op));
        CHECK_NUMBER(!turn, enrolled(notes));
        if (!turn) mam_free(wipe_ann(notes));
    }
    OK(mam_close(share));
    OK(mam_close(notes));
}

static void overrides_are_the_containing_app_s(void **state) {
    const office *o = *state;
    mam_t *notes = open_notes(o, LISTED), *share = open_share(o);
    FAILS(MAM_ERR_DENIED, mam_set_override(share, "MaxFileProtectionLevel", "\"NSFileProtectionNone\""));
    CULPRIT("setting", "MaxFileProtectionLevel");
    FAILS(MAM_ERR_DENIED, mam_set_override(share, "ContainingAppBundleId", NULL));
    OK(mam_set_override(notes, "ADALClientId", "\"the app's\""));
    char *json = NULL;
    OK(mam_settings(share, &json));
    CHECK(strstr(json, "the app's") != NULL);
    mam_free(json);
    /* A containing app that is set while it is open comes too late to make the app an extension, and takes nothing from
     * it. */
    enroll_well(notes, ANN);
    OK(mam_set_override(notes, "ContainingAppBundleId", "\"" OTHER_APP "\""));
    CHECK_NUMBER(1, enrolled(notes));
    CHECK_NUMBER(223, enroll(notes, BOB));
    OK(mam_set_override(notes, "ContainingAppBundleId", NULL));
    enroll_well(notes, BOB);
    OK(mam_close(share));
    OK(mam_close(notes));
}

static bool is_reported(mam_t *m, const char *name) {
    char *event = next_event(m, name, 0);
    bool reported = event != NULL;
    mam_free(event);
    return reported;
}

/* Events that the app must not miss wait for the app. */
static void outcomes_wait_for_the_containing_app(void **state) {
    const office *o = *state;
    mam_t *notes = open_notes(o, LISTED);
    enroll_well(notes, ANN);
    int64_t op = 0;
    OK(mam_wipe_account(notes, ANN, &op));
    CHECK_NUMBER(104, code_of(notes, op));
    OK(mam_close(notes));
    static const char *const names[] = {"wipeDidComplete", "unenrollRequest"};
    for (int i = 0; i < 2; i++) {
        mam_t *share = open_share(o);
        CHECK(!is_reported(share, names[i]));
        OK(mam_close(share));
    }
    notes = open_notes(o, "");
    CHECK(is_reported(notes, "unenrollRequest") && is_reported(notes, "wipeDidComplete"));
    OK(mam_close(notes));
}

/* ---- wipes */

static char *finished(mam_t *m, int64_t op) {
    char *json = NULL;
    OK(mam_wait(m, op, SOON, &json));
    return json;
}

static void launch_policy(const office *o, const char *properties) {
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Launch\",\"appDataEncryptionType\":\"whenDeviceLocked\"%s}}",
        properties);
}

static int asked;

static void removes_nothing(void *user, mam_question_t *question, const char *json) {
    (void)user;
    CHECK_TEXT("wipeData", text_of(json, "/question"));
    asked++;
    OK(mam_answer(user, mam_question_id(question), "{\"removed\":false}"));
}

static void is_asked_nothing(void *user, mam_question_t *question, const char *json) {
    (void)user;
    (void)question;
    failed_at(__FILE__, __LINE__, "an extension is asked %s", json);
}

/* An account that an extension's launch wipes is closed at once. The app asks its host, removes the files and informs
 * the authority. */
static void a_wipe_that_an_extension_begins(void **state) {
    const office *o = *state;
    launch_policy(o, "");
    mam_t *notes = open_notes(o, LISTED ",\"version\":\"5.0\"");
    enroll_well(notes, ANN);
    launch_policy(o, ",\"minimumWipeAppVersion\":\"5.1\"");
    CHECK_NUMBER(100, check_in(notes, ANN));
    OK(mam_close(notes));

    mam_t *share = NULL;
    OK(open_with_app(o, SHARE, ",\"version\":\"9.0\"", QUIET_EXTENSION, &share)); /* the app's version is checked */
    OK(mam_set_delegate(share, is_asked_nothing, NULL));
    const char *path = in_office(o, "file");
    mam_file_t *file = made_file(share, path, ANN);
    mam_buffer container = sealed(share, ANN, "text");
    mam_policy_t *ann = policy_of(share, ANN);
    CHECK_NUMBER(1, mam_policy_is_print_allowed(ann));
    int64_t op = 0;
    OK(mam_launch(share, &op));
    char *report = finished(share, op);
    CHECK_TEXT("wiped", text_of(report, "/outcome"));
    mam_free(report);
    CHECK_NUMBER(0, enrolled(share));
    CHECK_NUMBER(0, mam_policy_is_print_allowed(ann));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(share, &container, "text"));
    FAILS(MAM_ERR_CLOSED, reads(file));
    OK(mam_run_due(share));
    CHECK(is_there(path));
    CHECK_NUMBER(1, sql_number(in_group(o, "state.db"), "SELECT count(*) FROM journal"));
    mam_policy_release(ann);
    mam_file_close(file);
    OK(mam_close(share));
    share = open_share(o); /* opening another one does not continue it */
    OK(mam_run_due(share));
    CHECK(is_there(path));

    notes = open_notes(o, "");
    asked = 0;
    OK(mam_set_delegate(notes, removes_nothing, notes));
    char *event = NULL;
    OK(mam_run_due(notes));
    CHECK((event = next_event(notes, "wipeDidComplete", SOON)) != NULL);
    CHECK_TEXT("conditionalLaunch", text_of(event, "/reason"));
    CHECK_NUMBER(1, number_of(event, "/files/removed"));
    mam_free(event);
    CHECK_NUMBER(1, asked);
    CHECK(!is_there(path));
    CHECK_NUMBER(0, sql_number(in_group(o, "state.db"), "SELECT count(*) FROM journal"));
    event = admin_reply(o, "{\"action\":\"registration.list\"}");
    CHECK_NUMBER(0, count_of(event, "/registrations"));
    mam_free(event);
    mam_buffer_free(&container);
    OK(mam_close(share));
    OK(mam_close(notes));
}

static mam_status try_pin(mam_t *m, const char *pin) { return mam_pin_verify(m, ANN, (const uint8_t *)pin, strlen(pin)); }

/* Attempts in both count together, and the last one wipes at once; the app, which is open, continues the wipe. */
static void the_last_attempt_in_an_extension(void **state) {
    const office *o = *state;
    launch_policy(o, ",\"pinRequired\":true,\"maximumPinRetries\":3,\"appActionIfMaximumPinRetriesExceeded\":\"wipe\"");
    mam_t *notes = open_notes(o, LISTED), *share = open_share(o);
    enroll_well(notes, ANN);
    OK(mam_pin_set(notes, ANN, NULL, 0, (const uint8_t *)"1397", 4));
    OK(try_pin(share, "1397"));
    mam_buffer container = sealed(notes, ANN, "text");
    for (int i = 0; i < 3; i++) FAILS(MAM_ERR_DENIED, try_pin(i ? share : notes, "0000"));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(notes, &container, "text"));
    CHECK_NUMBER(0, enrolled(notes));
    OK(mam_run_due(share));
    CHECK_NUMBER(1, sql_number(in_group(o, "state.db"), "SELECT count(*) FROM journal"));
    OK(mam_run_due(notes));
    char *event = next_event(notes, "wipeDidComplete", 0);
    CHECK_TEXT("pin", text_of(event, "/reason"));
    mam_free(event);
    /* After re-enrollment it is not wiped again, in either. */
    enroll_well(notes, ANN);
    FAILS(MAM_ERR_LOCKED, try_pin(share, "1397"));
    FAILS(MAM_ERR_LOCKED, try_pin(notes, "1397"));
    CHECK_NUMBER(1, enrolled(notes));
    mam_buffer_free(&container);
    OK(mam_close(share));
    OK(mam_close(notes));
}

/* A warning in an extension is also shown in the app. */
static void warnings_are_shown_in_both(void **state) {
    const office *o = *state;
    launch_policy(o, ",\"minimumWarningAppVersion\":\"5.1\"");
    mam_t *notes = open_notes(o, LISTED ",\"version\":\"5.0\"");
    enroll_well(notes, ANN);
    mam_t *share = open_share(o), *sessions[] = {share, share, notes};
    for (int i = 0; i < 3; i++) {
        int64_t op = 0;
        OK(mam_launch(sessions[i], &op));
        char *report = finished(sessions[i], op);
        CHECK_TEXT("warned", text_of(report, "/outcome"));
        mam_free(report);
    }
    OK(mam_close(share));
    OK(mam_close(notes));
}

/* An extension that is older than its app wipes nothing because of its own version. */
static void the_app_s_version_is_checked(void **state) {
    const office *o = *state;
    launch_policy(o, ",\"minimumWipeAppVersion\":\"5.0\"");
    mam_t *notes = open_notes(o, LISTED ",\"version\":\"5.0\"");
    enroll_well(notes, ANN);
    OK(mam_close(notes));
    list(o, ""); /* a tool that states no version */
    mam_t *share = NULL;
    OK(open_with_app(o, SHARE, ",\"version\":\"0.1\"", QUIET_EXTENSION, &share));
    int64_t op = 0;
    OK(mam_launch(share, &op));
    char *report = finished(share, op);
    CHECK_TEXT("allowed", text_of(report, "/outcome"));
    mam_free(report);
    CHECK_NUMBER(1, enrolled(share));
    OK(mam_close(share));
}

/* ---- two processes */

typedef struct desk {
    const office *o;
    const char *more;
    int in, out;
} desk;

static void turn(int in, int out) {
    char go = 'g';
    CHECK(write(out, &go, 1) == 1);
    if (read(in, &go, 1) != 1) failed_at(__FILE__, __LINE__, "the other process died");
}

/* The objects of an account that an extension has open. */
typedef struct opened {
    mam_t *m;
    mam_policy_t *ann;
    mam_file_t *file;
    sqlite3 *db;
    mam_buffer container;
} opened;

static opened open_all(const office *o, const char *more) {
    opened x = {NULL, NULL, NULL, NULL, {NULL, 0}};
    OK(open_with_app(o, SHARE, "", more, &x.m));
    x.ann = policy_of(x.m, ANN);
    x.file = made_file(x.m, in_office(o, "file"), ANN);
    OK(mam_sqlite_vfs_register(x.m, "share", ANN));
    x.db = open_with(in_office(o, "share.db"), "share");
    run(x.db, "CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES (7)");
    x.container = sealed(x.m, ANN, "text");
    return x;
}

static void is_open(opened *x) {
    CHECK_NUMBER(1, mam_policy_is_contact_sync_allowed(x->ann));
    CHECK_NUMBER(MAM_OK, mam_last_status());
    OK(opens_as(x->m, &x->container, "text"));
    OK(reads(x->file));
    CHECK_NUMBER(7, number(x->db, "SELECT a FROM t"));
}

static void is_closed(opened *x, mam_status opening, mam_status reading) {
    char *json = NULL;
    CHECK_NUMBER(0, mam_policy_is_contact_sync_allowed(x->ann));
    FAILS(opening, opens_as(x->m, &x->container, "text"));
    FAILS(reading, reads(x->file));
    CHECK(sqlite3_exec(x->db, "SELECT a FROM t", NULL, NULL, NULL) != SQLITE_OK);
    CHECK(protects(x->m, ANN) != MAM_OK);
    if (opening != MAM_ERR_DENIED) return;
    /* An extension that is removed from the list belongs to no app, and no question is answered. */
    CHECK_NUMBER(0, mam_policy_is_contact_sync_allowed(x->ann));
    CHECK_NUMBER(MAM_ERR_DENIED, mam_last_status());
    FAILS(MAM_ERR_DENIED, protects(x->m, ANN));
    FAILS(MAM_ERR_DENIED, protects(x->m, EVE));
    FAILS(MAM_ERR_DENIED, mam_policy_check(x->m, "{\"action\":\"print\",\"account\":\"" EVE "\"}", &json));
    FAILS(MAM_ERR_DENIED, mam_enrolled_accounts(x->m, &json));
}

static void close_all(opened *x) {
    mam_policy_release(x->ann);
    mam_file_close(x->file);
    sqlite3_close(x->db);
    mam_buffer_free(&x->container);
    OK(mam_close(x->m));
}

static void share_process(void *argument) {
    const desk *d = argument;
    turn(d->in, d->out);
    opened x = open_all(d->o, d->more);
    is_open(&x);
    turn(d->in, d->out);
    is_closed(&x, MAM_ERR_DENIED, MAM_ERR_DENIED); /* removed from the list */
    turn(d->in, d->out);
    is_open(&x); /* and listed again */
    turn(d->in, d->out);
    is_closed(&x, MAM_ERR_KEY_UNAVAILABLE, MAM_ERR_CLOSED); /* wiped by the app */
    CHECK(!is_reported(x.m, "wipeDidComplete"));
    close_all(&x);
}

static void with_process(const office *o, const char *more) {
    int down[2], up[2];
    CHECK(pipe(down) == 0 && pipe(up) == 0);
    desk d = {o, more, down[0], up[1]};
    pid_t child = start_child(share_process, &d);
    char ready;
    CHECK(read(up[0], &ready, 1) == 1);
    mam_t *notes = open_notes(o, LISTED);
    enroll_well(notes, ANN);
    turn(up[0], down[1]);
    list(o, ",\"extensions\":[]");
    CHECK_NUMBER(1, enrolled(notes)); /* the app's own data is unaffected */
    turn(up[0], down[1]);
    list(o, LISTED);
    turn(up[0], down[1]);
    char *event = wipe_ann(notes);
    CHECK(number_of(event, "/files/removed") >= 2 && number_of(event, "/files/left") == 0);
    mam_free(event);
    CHECK(!is_there(in_office(o, "file")) && !is_there(in_office(o, "share.db")));
    CHECK(write(down[1], "g", 1) == 1);
    end_well(child);
    OK(mam_close(notes));
    for (int i = 0; i < 2; i++) close(down[i]), close(up[i]);
}

static void closed_in_another_process(void **state) { with_process(*state, QUIET_EXTENSION); }
static void closed_in_another_process_with_a_worker(void **state) { with_process(*state, "\"worker\":true," CONTAINED); }

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(the_containing_app_lists_its_extensions),
        WITH_OFFICE(the_group_is_the_containing_app_s),
        WITH_OFFICE(invalid_settings),
        WITH_OFFICE(forged_lists),
        WITH_OFFICE(it_works_for_the_containing_app),
        WITH_OFFICE(files_and_databases_are_the_containing_app_s),
        WITH_OFFICE(enrollment_is_the_containing_app_s),
        WITH_OFFICE(overrides_are_the_containing_app_s),
        WITH_OFFICE(outcomes_wait_for_the_containing_app),
        WITH_OFFICE(a_wipe_that_an_extension_begins),
        WITH_OFFICE(the_last_attempt_in_an_extension),
        WITH_OFFICE(warnings_are_shown_in_both),
        WITH_OFFICE(the_app_s_version_is_checked),
        WITHOUT_PIN(closed_in_another_process),
        WITHOUT_PIN(closed_in_another_process_with_a_worker),
    };
    return cmocka_run_group_tests_name("extensions", tests, begin, NULL);
}
