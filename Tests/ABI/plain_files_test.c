/* A file that is plain because no policy requires encryption still has its owner: the conditions that close the owner's
 * sealed files close it as well, and a plain database too. */
#include "support.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#define TEXT "minutes of the meeting"

static void set_policy(const office *o, const char *more) {
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Strict\",\"appDataEncryptionType\":\"useDeviceSettings\"%s}}",
        more);
}

static mam_t *open_plain(const office *o) {
    set_policy(o, "");
    mam_t *m = open_enrolled(o);
    enroll_well(m, BOB);
    return m;
}

static const char *make_file(const office *o, const char *name) {
    const char *path = in_office(o, name);
    write_whole(path, TEXT, strlen(TEXT));
    return path;
}

static mam_file_t *open_file(mam_t *m, const char *path) {
    mam_file_t *file = NULL;
    OK(mam_file_open(m, path, O_RDWR, &file));
    return file;
}

static mam_status reads(mam_file_t *file) {
    uint8_t bytes[64];
    size_t count = 0;
    mam_status status = mam_file_pread(file, 0, bytes, sizeof bytes, &count);
    if (status == MAM_OK) CHECK(count == strlen(TEXT) && memcmp(bytes, TEXT, count) == 0);
    else CHECK(count == 0);
    return status;
}

static mam_status writes(mam_file_t *file) {
    size_t count;
    return mam_file_pwrite(file, 0, (const uint8_t *)TEXT, strlen(TEXT), &count);
}

static void wipe(mam_t *m) {
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
}

static void is_closed(mam_file_t *file) {
    FAILS(MAM_ERR_CLOSED, reads(file));
    FAILS(MAM_ERR_CLOSED, writes(file));
    FAILS(MAM_ERR_CLOSED, mam_file_size(file, &(int64_t){0}));
    mam_file_close(file);
}

static void is_open(mam_file_t *file) {
    OK(reads(file));
    OK(writes(file));
    mam_file_close(file);
}

static void a_wipe_closes_owned_files(void **state) {
    const office *o = *state;
    mam_t *m = open_plain(o), *other = open_quiet(o);
    mam_file_t *made = NULL;
    OK(mam_file_create(m, in_office(o, "made"), O_RDWR, 0600, ANN, &made));
    OK(writes(made));
    OK(mam_file_protect(m, make_file(o, "given"), ANN));
    CHECK(mkdir(in_office(o, "folder"), 0700) == 0);
    OK(mam_file_protect(m, in_office(o, "folder"), ANN));
    OK(mam_file_protect(m, make_file(o, "bob's"), BOB));
    OK(mam_file_protect(m, make_file(o, "eve's"), EVE));
    mam_file_t *given = open_file(other, in_office(o, "given")), *inherited = open_file(m, make_file(o, "folder/inherited"));
    mam_file_t *bobs = open_file(m, in_office(o, "bob's")), *eves = open_file(m, in_office(o, "eve's"));
    mam_file_t *nobodys = open_file(m, make_file(o, "nobody's"));
    OK(reads(given));
    OK(reads(inherited));
    wipe(m);
    is_closed(made);
    is_closed(given);
    is_closed(inherited);
    is_open(bobs);
    is_open(eves);
    is_open(nobodys);
    FAILS(MAM_ERR_NOT_ENROLLED, mam_file_open(m, in_office(o, "given"), O_RDONLY, &made));
    OK(mam_close(other));
    OK(mam_close(m));
}

static void an_owner_given_while_open_counts(void **state) {
    const office *o = *state;
    mam_t *m = open_plain(o), *other = open_quiet(o);
    mam_file_t *file = open_file(m, make_file(o, "a")), *bobs = NULL;
    OK(mam_file_protect(other, in_office(o, "a"), ANN));
    OK(reads(file));
    OK(mam_file_protect(m, make_file(o, "b"), BOB));
    bobs = open_file(m, in_office(o, "b"));
    /* Deleted from its path. */
    CHECK(unlink(in_office(o, "a")) == 0);
    wipe(other);
    is_closed(file);
    is_open(bobs);
    OK(mam_close(other));
    OK(mam_close(m));
}

static int refusal(sqlite3 *db, const char *statement) {
    return sqlite3_exec(db, statement, NULL, NULL, NULL) == SQLITE_OK ? 0 : sqlite3_extended_errcode(db);
}

static void a_blocked_account_can_write_and_not_read(void **state) {
    const office *o = *state;
    set_policy(o, "");
    mam_t *m = open_app(o, APP, "\"worker\":false,\"questions\":\"events\"");
    enroll_well(m, ANN);
    OK(mam_file_protect(m, make_file(o, "a"), ANN));
    mam_file_t *file = open_file(m, in_office(o, "a")), *late = NULL;
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    sqlite3 *db = NULL;
    CHECK_NUMBER(SQLITE_OK, sqlite3_open_v2(in_office(o, "a.db"), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "mam"));
    CHECK_NUMBER(SQLITE_OK, sqlite3_exec(db, "CREATE TABLE t(a)", NULL, NULL, NULL));
    set_policy(o, ",\"minimumRequiredAppVersion\":\"99.0\"");
    CHECK_NUMBER(100, check_in(m, ANN));
    int64_t op;
    char *report = NULL;
    OK(mam_launch(m, &op));
    OK(mam_wait(m, op, SOON, &report));
    CHECK_TEXT("blocked", text_of(report, "/outcome"));
    mam_free(report);
    FAILS(MAM_ERR_LOCKED, reads(file));
    OK(writes(file));
    FAILS(MAM_ERR_LOCKED, mam_file_open(m, in_office(o, "a"), O_RDWR, &late));
    FAILS(MAM_ERR_LOCKED, mam_file_decrypt_copy(m, in_office(o, "a"), in_office(o, "copy")));
    FAILS(MAM_ERR_LOCKED, mam_file_export(m, in_office(o, "a"), MAM_SAVE_SHAREPOINT, ANN, in_office(o, "copy")));
    FAILS(MAM_ERR_LOCKED, mam_file_import(m, in_office(o, "a"), ANN, in_office(o, "copy")));
    OK(mam_file_open(m, in_office(o, "a"), O_WRONLY, &late));
    OK(writes(late));
    mam_file_close(late);
    CHECK_NUMBER(SQLITE_IOERR_AUTH, refusal(db, "SELECT * FROM t"));
    set_policy(o, "");
    CHECK_NUMBER(100, check_in(m, ANN));
    OK(mam_resume(m, &op));
    OK(mam_wait(m, op, SOON, &report));
    mam_free(report);
    is_open(file);
    CHECK_NUMBER(SQLITE_OK, sqlite3_exec(db, "SELECT * FROM t; INSERT INTO t VALUES (1)", NULL, NULL, NULL));
    sqlite3_close(db);
    OK(mam_close(m));
}

static void a_plain_database_closes_too(void **state) {
    const office *o = *state;
    static const char *const modes[] = {"PRAGMA journal_mode=wal", "PRAGMA journal_mode=delete", "PRAGMA mmap_size=1000000"};
    mam_t *m = open_plain(o);
    for (int mode = 0; mode < 3; mode++) {
        char name[16];
        if (mode) enroll_well(m, ANN);
        mam_t *other = open_quiet(o);
        snprintf(name, sizeof name, "%d.db", mode);
        OK(mam_sqlite_vfs_register(other, "mam", ANN));
        OK(mam_sqlite_vfs_register(other, "mam-bob", BOB));
        sqlite3 *db = NULL, *reading = NULL, *bobs = NULL, *late = NULL;
        const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
        CHECK_NUMBER(SQLITE_OK, sqlite3_open_v2(in_office(o, name), &db, flags, "mam"));
        CHECK_NUMBER(0, refusal(db, modes[mode]));
        CHECK_NUMBER(0, refusal(db, "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(200000))"));
        CHECK_NUMBER(SQLITE_OK, sqlite3_open_v2(in_office(o, name), &reading, flags, "mam"));
        CHECK_NUMBER(0, refusal(reading, "PRAGMA cache_size=1; BEGIN; SELECT rowid FROM t"));
        CHECK_NUMBER(SQLITE_OK, sqlite3_open_v2(in_office(o, "bob.db"), &bobs, flags, "mam-bob"));
        CHECK_NUMBER(0, refusal(bobs, "CREATE TABLE IF NOT EXISTS t(a)"));
        size_t length;
        uint8_t *bytes = read_whole(in_office(o, name), &length);
        CHECK(memcmp(bytes, "SQLite format 3", 16) == 0);
        free(bytes);
        wipe(m);
        CHECK_NUMBER(SQLITE_IOERR_AUTH, refusal(db, "SELECT a FROM t"));
        CHECK_NUMBER(SQLITE_IOERR_AUTH, refusal(db, "INSERT INTO t VALUES (1)"));
        CHECK_NUMBER(SQLITE_IOERR_AUTH, refusal(reading, "SELECT sum(length(a)) FROM t"));
        CHECK_NUMBER(SQLITE_CANTOPEN, sqlite3_open_v2(in_office(o, name), &late, flags, "mam"));
        CHECK_NUMBER(0, refusal(bobs, "INSERT INTO t VALUES (1)"));
        OK(mam_close(other));
        CHECK_NUMBER(SQLITE_IOERR_AUTH, refusal(bobs, "SELECT * FROM t"));
        sqlite3_close(late);
        sqlite3_close(reading);
        sqlite3_close(db);
        sqlite3_close(bobs);
    }
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITHOUT_PIN(a_wipe_closes_owned_files),
        WITHOUT_PIN(an_owner_given_while_open_counts),
        WITHOUT_PIN(a_blocked_account_can_write_and_not_read),
        WITHOUT_PIN(a_plain_database_closes_too),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
