/* Databases that libmam refuses: SQLite's message does not say why, so the thread's last error does. Names of file systems. */
#include "databases.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/xattr.h>

static int open_result(const char *path, const char *vfs) {
    sqlite3 *db = NULL;
    int result = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs);
    sqlite3_close(db);
    return result;
}

/* The last error is `status`, and a person reads the message with this key. */
static void because(mam_status status, const char *key) {
    FAILS(status, mam_last_status());
    CHECK_TEXT(key, message_key());
}

/* A database with a row, and the row in it. */
static sqlite3 *made(const office *o, const char *name) {
    sqlite3 *db = open_with(in_office(o, name), "mam");
    run(db, "CREATE TABLE t(a); INSERT INTO t VALUES (7)");
    return db;
}

static int reads(sqlite3 *db) { return sqlite3_exec(db, "SELECT * FROM t", NULL, NULL, NULL); }

static void closed_by_a_launch(void **state) {
    const office *o = *state;
    mam_t *m = open_registered(o);
    sqlite3 *db = made(o, "a.db");
    int64_t op;
    char *report = NULL;
    OK(mam_launch(m, &op));
    OK(mam_wait(m, op, SOON, &report));
    CHECK_TEXT("blocked", text_of(report, "/outcome"));
    mam_free(report);
    CHECK_NUMBER(SQLITE_IOERR, reads(db));
    CHECK_NUMBER(SQLITE_IOERR_AUTH, sqlite3_extended_errcode(db));
    because(MAM_ERR_LOCKED, "pinChoose");
    CHECK_TEXT("Choose a PIN for your organisation's data.", mam_last_user_message());
    CULPRIT("check", "pin");
    sqlite3_close(db);
    OK(mam_run_due(m)); /* a successful call clears it */
    OK(mam_last_status());
    CHECK_NUMBER(SQLITE_CANTOPEN, open_result(in_office(o, "a.db"), "mam"));
    because(MAM_ERR_LOCKED, "pinChoose");
    CHECK_NUMBER(SQLITE_CANTOPEN, open_result(in_office(o, "new.db"), "mam"));
    because(MAM_ERR_LOCKED, "pinChoose");
    CHECK(!is_there(in_office(o, "new.db")));
    OK(mam_pin_set(m, ANN, NULL, 0, (const uint8_t *)"846201", 6));
    CHECK_NUMBER(SQLITE_OK, open_result(in_office(o, "a.db"), "mam"));
    OK(mam_last_status());
    OK(mam_close(m));
}

/* Ten seconds after the screen was locked. */
static void closed_by_the_screen(void **state) {
    const office *o = *state;
    mam_t *m = open_registered(o);
    sqlite3 *db = made(o, "a.db");
    OK(mam_report_screen_lock(m, MAM_SCREEN_LOCKED));
    while (reads(db) == SQLITE_OK) sleep_ms(100);
    CHECK_NUMBER(SQLITE_IOERR_AUTH, sqlite3_extended_errcode(db));
    because(MAM_ERR_LOCKED, "refusedScreenLocked");
    CULPRIT("reason", "screenLocked");
    CHECK_NUMBER(SQLITE_CANTOPEN, open_result(in_office(o, "a.db"), "mam"));
    because(MAM_ERR_LOCKED, "refusedScreenLocked");
    OK(mam_report_screen_lock(m, MAM_SCREEN_UNLOCKED));
    CHECK_NUMBER(SQLITE_OK, reads(db));
    CHECK_NUMBER(SQLITE_OK, open_result(in_office(o, "a.db"), "mam"));
    sqlite3_close(db);
    OK(mam_close(m));
}

static void wiped_and_unenrolled(void **state) {
    const office *o = *state;
    mam_t *m = open_registered(o);
    sqlite3 *db = made(o, "a.db");
    mam_free(wipe_ann(m));
    CHECK(reads(db) != SQLITE_OK);
    because(MAM_ERR_NOT_ENROLLED, "errorAccountRemoved");
    sqlite3_close(db);
    CHECK_NUMBER(SQLITE_CANTOPEN, open_result(in_office(o, "new.db"), "mam"));
    because(MAM_ERR_NOT_ENROLLED, "errorAccountRemoved");
    enroll_well(m, ANN);
    sqlite3_close(made(o, "kept.db"));
    int64_t op;
    OK(mam_deregister_and_unenroll(m, ANN, 0, &op));
    CHECK_NUMBER(104, code_of(m, op));
    OK(mam_last_status());
    CHECK_NUMBER(SQLITE_OK, open_result(in_office(o, "kept.db"), "mam"));
    OK(mam_last_status());
    CHECK_NUMBER(SQLITE_CANTOPEN, open_result(in_office(o, "new.db"), "mam"));
    because(MAM_ERR_NOT_ENROLLED, "errorAccountRemoved");
    CHECK(strstr(mam_last_message(), "no new database") != NULL && !is_there(in_office(o, "new.db")));
    OK(mam_close(m));
}

static void of_the_parent(void *argument) {
    CHECK(reads(argument) != SQLITE_OK);
    because(MAM_ERR_FORKED, "errorApp");
}

static void without_the_session(void **state) {
    const office *o = *state;
    mam_t *m = open_registered(o);
    sqlite3 *db = made(o, "a.db");
    in_child(of_the_parent, db);
    OK(mam_close(m));
    CHECK_NUMBER(SQLITE_IOERR, reads(db));
    because(MAM_ERR_CLOSED, "errorApp");
    sqlite3_close(db);
}

static void a_damaged_page(void **state) {
    const office *o = *state;
    mam_t *m = open_registered(o);
    sqlite3_close(made(o, "a.db"));
    size_t length;
    uint8_t *bytes = read_whole(in_office(o, "a.db"), &length);
    bytes[length - 100] ^= 1;
    write_whole(in_office(o, "a.db"), bytes, length);
    free(bytes);
    sqlite3 *db = open_with(in_office(o, "a.db"), "mam");
    CHECK(reads(db) != SQLITE_OK);
    because(MAM_ERR_AUTHENTICATION, "errorDamaged");
    CULPRIT("path", in_office(o, "a.db"));
    /* SQLite clears no error: neither a call that succeeds nor one that fails by itself. */
    CHECK_NUMBER(SQLITE_OK, open_result(in_office(o, "b.db"), "mam"));
    CHECK_NUMBER(SQLITE_ERROR, sqlite3_exec(db, "nonsense", NULL, NULL, NULL));
    because(MAM_ERR_AUTHENTICATION, "errorDamaged");
    sqlite3_close(db);
    OK(mam_close(m));
}

/* Sealed under the key of another state, and without its label. */
static void a_lost_key(void **state) {
    const office *o = *state;
    mam_t *m = open_registered(o);
    sqlite3_close(made(o, "a.db"));
    OK(mam_close(m));
    char away[PATH_MAX];
    snprintf(away, sizeof away, "%s.away", in_office(o, "state"));
    assert_int_equal(0, rename(in_office(o, "state"), away));
    removexattr(in_office(o, "a.db"), "user.mam.owner");
    m = open_registered(o);
    sqlite3 *db = open_with(in_office(o, "a.db"), "mam");
    CHECK(reads(db) != SQLITE_OK);
    because(MAM_ERR_KEY_UNAVAILABLE, "errorKeyUnavailable");
    CULPRIT("path", in_office(o, "a.db"));
    sqlite3_close(db);
    OK(mam_close(m));
}

/* Every name of an account will do. */
static void names_of_accounts(void **state) {
    const office *o = *state;
    char longest[MAM_ACCOUNT_MAX + 2];
    memset(longest, 'n', sizeof longest);
    strcpy(longest + MAM_ACCOUNT_MAX - strlen("@home.example"), "@home.example");
    const char *const good[] = {"m", ANN, "j\303\274rgen m\303\274ller@home.example", longest};
    static const char *const bad[] = {"", " mam", "mam ", "m\nam", "m\177am", "\377"};
    mam_t *m = open_enrolled(o);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CHECK(strlen(good[i]) <= MAM_ACCOUNT_MAX);
        OK(mam_sqlite_vfs_register(m, good[i], ANN));
        CHECK_NUMBER(SQLITE_OK, open_result(in_office(o, "a.db"), good[i]));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        FAILS(MAM_ERR_ARGUMENT, mam_sqlite_vfs_register(m, bad[i], ANN));
        CULPRIT("argument", "name");
    }
    /* Exchanged, or another account's: who opens a database by the name would not get that account's. */
    static const struct {
        const char *name, *account;
    } others[] = {{ANN, "mam"}, {ANN, ""}, {ANN, EVE}, {"anm@contoso.example", ANN}, {"ANN@contoso.example", "m"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        FAILS(MAM_ERR_ARGUMENT, mam_sqlite_vfs_register(m, others[i].name, others[i].account));
        CULPRIT("argument", "name");
    }
    OK(mam_sqlite_vfs_register(m, "ann@CONTOSO.example", ANN));
    longest[MAM_ACCOUNT_MAX] = 'n';
    longest[MAM_ACCOUNT_MAX + 1] = '\0';
    FAILS(MAM_ERR_ARGUMENT, mam_sqlite_vfs_register(m, longest, ANN));
    CULPRIT("argument", "name");
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(closed_by_a_launch),  WITHOUT_PIN(closed_by_the_screen), WITHOUT_PIN(wiped_and_unenrolled),
        WITHOUT_PIN(without_the_session), WITHOUT_PIN(a_damaged_page),       WITHOUT_PIN(a_lost_key),
        WITHOUT_PIN(names_of_accounts),
    };
    return cmocka_run_group_tests_name("reasons of databases", tests, begin, NULL);
}
