/* mam_file_protect gives a file the form of its owner's data; created files have their owner from the beginning. */
#include "support.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define TEXT "minutes of the meeting"

static const char *make_file(const office *o, const char *name) {
    const char *path = in_office(o, name);
    write_whole(path, TEXT, sizeof TEXT - 1);
    return path;
}

static bool is_plain(const char *path) {
    size_t length;
    uint8_t *bytes = read_whole(path, &length);
    bool is_plain = length == sizeof TEXT - 1 && memcmp(bytes, TEXT, length) == 0;
    free(bytes);
    return is_plain;
}

static void reports(mam_t *m, const char *path, const char *account, bool is_encrypted) {
    char *json = NULL;
    OK(mam_file_info(m, path, &json));
    CHECK_TEXT(account, text_of(json, "/accountId"));
    CHECK_TEXT("both", text_of(json, "/known"));
    CHECK_TEXT("", text_of(json, "/disagreement"));
    CHECK(truth_of(json, "/encrypted") == is_encrypted);
    mam_free(json);
}

static void reads_as(mam_t *m, const char *path, const char *text) {
    mam_file_t *file = NULL;
    uint8_t bytes[64];
    size_t got = 0;
    OK(mam_file_open(m, path, O_RDONLY, &file));
    OK(mam_file_read(file, bytes, sizeof bytes, &got));
    CHECK(got == strlen(text) && memcmp(bytes, text, got) == 0);
    mam_file_close(file);
}

static void a_managed_accounts_file_is_encrypted(void **state) {
    const office *o = *state;
    office_permissive_policy(o);
    mam_t *m = open_enrolled(o);
    const char *path = make_file(o, "a");
    enroll_well(m, BOB);
    CHECK(chmod(path, 0640) == 0);
    OK(mam_file_protect(m, path, ANN));
    CHECK(!is_plain(path));
    reports(m, path, ANN_ID, true);
    reads_as(m, path, TEXT);
    struct stat before, after;
    CHECK(stat(path, &before) == 0 && (before.st_mode & 0777) == 0640);
    OK(mam_file_protect(m, path, ANN));
    OK(mam_file_verify_and_protect(m, path, ANN));
    CHECK(stat(path, &after) == 0 && before.st_ino == after.st_ino);
    /* Another account's key; then no owner, and plain again. */
    OK(mam_file_protect(m, path, BOB));
    reports(m, path, BOB_ID, true);
    reads_as(m, path, TEXT);
    FAILS(MAM_ERR_DENIED, mam_file_protect(m, path, ""));
    CHECK(!is_plain(path));
    reports(m, path, BOB_ID, true);
    OK(mam_file_unmanage(m, path, ""));
    CHECK(is_plain(path));
    reports(m, path, "", false);
    OK(mam_close(m));
}

static void files_are_decrypted_when_no_longer_required(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    const char *path = make_file(o, "a");
    OK(mam_file_protect(m, path, ANN));
    CHECK(!is_plain(path));
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Strict\",\"appDataEncryptionType\":\"useDeviceSettings\"}}");
    check_in(m, ANN);
    OK(mam_file_verify_and_protect(m, path, ANN));
    CHECK(is_plain(path));
    reports(m, path, ANN_ID, false);
    OK(mam_close(m));
}

static void a_directory_is_encrypted(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    CHECK(mkdir(in_office(o, "files"), 0700) == 0 && mkdir(in_office(o, "files/sub"), 0700) == 0);
    make_file(o, "files/a");
    make_file(o, "files/sub/b\n\xff");
    OK(mam_file_protect(m, in_office(o, "files"), ANN));
    reports(m, in_office(o, "files/a"), ANN_ID, true);
    reports(m, in_office(o, "files/sub/b\n\xff"), ANN_ID, true);
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK(access(in_office(o, "files"), F_OK) != 0);
    OK(mam_close(m));
}

/* A container is protected as it is, and so is a database of the SQLite VFS. */
static void protected_files_keep_their_form(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_buffer container = sealed(m, ANN, TEXT);
    const char *path = in_office(o, "container"), *database = in_office(o, "database");
    write_whole(path, container.data, container.length);
    write_whole(database, "MAM\x03 and whatever comes then", 28);
    OK(mam_file_protect(m, path, ANN));
    OK(mam_file_protect(m, database, ANN));
    reports(m, path, ANN_ID, true);
    reports(m, database, ANN_ID, true);
    container.data[0] = 'M';
    size_t length;
    uint8_t *bytes = read_whole(path, &length);
    CHECK(length == container.length && memcmp(bytes, container.data, length) == 0);
    free(bytes);
    bytes = read_whole(database, &length);
    CHECK(length == 28 && bytes[3] == 3);
    free(bytes);
    mam_buffer_free(&container);
    OK(mam_close(m));
}

static void run(sqlite3 *db, const char *statements) { CHECK_NUMBER(SQLITE_OK, sqlite3_exec(db, statements, NULL, NULL, NULL)); }

static sqlite3 *open_database(const char *path, const char *vfs) {
    sqlite3 *db = NULL;
    CHECK_NUMBER(SQLITE_OK, sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs));
    return db;
}

/* A second WAL index in place of the one that a process has mapped would make two processes work on different indexes.
 *  */
static void sidecars_are_not_replaced(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    CHECK(mkdir(in_office(o, "files"), 0700) == 0);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    sqlite3 *db = open_database(in_office(o, "files/a.db"), "mam");
    run(db, "PRAGMA journal_mode=wal; CREATE TABLE t(a)");
    static const char *const names[] = {"files/a.db", "files/a.db-wal", "files/a.db-shm"};
    struct stat before[3], after;
    for (int i = 0; i < 3; i++) CHECK(stat(in_office(o, names[i]), &before[i]) == 0);
    OK(mam_file_protect(m, in_office(o, "files"), ANN));
    OK(mam_file_verify_and_protect(m, in_office(o, "files/a.db-shm"), ANN));
    for (int i = 0; i < 3; i++) {
        CHECK(stat(in_office(o, names[i]), &after) == 0 && after.st_ino == before[i].st_ino);
    }
    char *json = NULL;
    OK(mam_file_info(m, in_office(o, "files/a.db-shm"), &json));
    CHECK_TEXT(ANN_ID, text_of(json, "/accountId"));
    mam_free(json);
    run(db, "INSERT INTO t VALUES (1)");
    CHECK_NUMBER(SQLITE_OK, sqlite3_close(db));
    /* The name alone does not make it a sidecar. */
    const char *notes = make_file(o, "files/notes-shm");
    OK(mam_file_protect(m, notes, ANN));
    CHECK(!is_plain(notes));
    OK(mam_close(m));
}

/* No SQLite could open it as a sealed file: the message names the call that encrypts it. */
static void a_plain_database_is_not_sealed_as_a_file(void **state) {
    const office *o = *state;
    office_permissive_policy(o);
    mam_t *m = open_enrolled(o);
    CHECK(mkdir(in_office(o, "files"), 0700) == 0);
    const char *path = in_office(o, "files/a.db"), *other = make_file(o, "files/b");
    sqlite3 *db = open_database(path, "unix");
    run(db, "CREATE TABLE t(a)");
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_protect(m, path, ANN));
    CHECK(strstr(mam_last_message(), "mam_sqlite_encrypt") != NULL);
    FAILS(MAM_ERR_UNSUPPORTED, mam_file_protect(m, in_office(o, "files"), ANN));
    CULPRIT("path", path);
    reports(m, other, ANN_ID, true);
    run(db, "INSERT INTO t VALUES (1)");
    CHECK_NUMBER(SQLITE_OK, sqlite3_close(db));
    OK(mam_sqlite_encrypt(m, path, ANN));
    OK(mam_file_protect(m, in_office(o, "files"), ANN));
    reports(m, path, ANN_ID, true);
    /* Without required encryption it may have any owner as it is. */
    OK(mam_sqlite_decrypt(m, path, ANN));
    FAILS(MAM_ERR_DENIED, mam_file_protect(m, path, EVE));
    OK(mam_file_unmanage(m, path, EVE));
    reports(m, path, EVE, false);
    db = open_database(path, "unix");
    run(db, "INSERT INTO t VALUES (2)");
    CHECK_NUMBER(SQLITE_OK, sqlite3_close(db));
    OK(mam_close(m));
}

static void created_files_have_an_owner(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    enroll_well(m, BOB);
    mam_file_t *file = NULL;
    char *json = NULL;
    const char *anns = in_office(o, "ann's"), *threads = in_office(o, "thread's"), *nobodys = in_office(o, "nobody's");
    OK(mam_file_create(m, anns, O_RDWR, 0600, ANN, &file));
    mam_file_close(file);
    reports(m, anns, ANN_ID, true);
    OK(mam_push_thread_identity(m, BOB));
    OK(mam_file_create(m, threads, O_RDWR, 0600, NULL, &file));
    mam_file_close(file);
    reports(m, threads, BOB_ID, true);
    /* Truncated on open, it belongs to the thread's identity. */
    OK(mam_file_open(m, anns, O_RDWR | O_TRUNC, &file));
    mam_file_close(file);
    reports(m, anns, BOB_ID, true);
    OK(mam_pop_thread_identity(m));
    /* Opened otherwise, it keeps its owner. */
    OK(mam_file_open(m, anns, O_RDWR, &file));
    mam_file_close(file);
    reports(m, anns, BOB_ID, true);
    OK(mam_file_create(m, nobodys, O_RDWR, 0600, "", &file));
    mam_file_close(file);
    reports(m, nobodys, "", false);
    OK(mam_file_create(m, in_office(o, "whoever's"), O_RDWR, 0600, NULL, &file));
    mam_file_close(file);
    OK(mam_file_info(m, in_office(o, "whoever's"), &json));
    CHECK_TEXT("none", text_of(json, "/known"));
    mam_free(json);
    OK(mam_close(m));
}

/* Sealed for an account that was wiped: nothing gives it to another account. */
static void unreadable_files_are_not_given(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    enroll_well(m, BOB);
    const char *path = make_file(o, "a"), *copy = in_office(o, "copy");
    OK(mam_file_protect(m, path, ANN));
    char *words[] = {"cp", "--no-preserve=all", (char *)path, (char *)copy, NULL};
    int64_t op;
    CHECK_NUMBER(0, run_program(words, NULL, NULL, 0));
    char *json = NULL;
    OK(mam_file_info(m, copy, &json));
    CHECK_TEXT("content", text_of(json, "/known"));
    CHECK_TEXT(ANN_ID, text_of(json, "/accountId"));
    CHECK(!truth_of(json, "/authenticated"));
    mam_free(json);
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_file_protect(m, copy, BOB));
    CHECK(getxattr(copy, "user.mam.owner", NULL, 0) < 0);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(a_managed_accounts_file_is_encrypted),
        WITH_OFFICE(files_are_decrypted_when_no_longer_required),
        WITH_OFFICE(a_directory_is_encrypted),
        WITH_OFFICE(protected_files_keep_their_form),
        WITH_OFFICE(sidecars_are_not_replaced),
        WITH_OFFICE(a_plain_database_is_not_sealed_as_a_file),
        WITH_OFFICE(created_files_have_an_owner),
        WITH_OFFICE(unreadable_files_are_not_given),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
