/* Encrypted databases from C: in another SQLite than libmam's, from several processes, in a core dump, under a
 * rotation. */
#define _GNU_SOURCE /* RTLD_DEEPBIND */
#include "databases.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define MARKER "MARKER-IN-THE-CLEAR"

static const char *uri(const office *o, const char *name) {
    static char texts[4][PATH_SIZE + 32];
    static int next;
    char *text = texts[next++ % 4];
    snprintf(text, sizeof texts[0], "file:%s?vfs=mam", in_office(o, name));
    return text;
}

static bool begins_with(const char *path, const char *magic) {
    size_t length;
    uint8_t *bytes = read_whole(path, &length);
    bool same = length >= strlen(magic) && memcmp(bytes, magic, strlen(magic)) == 0;
    free(bytes);
    return same;
}

static void the_policy_decides_the_form(void **state) {
    office *o = *state;
    mam_t *m = open_registered(o);
    mam_policy_t *p = NULL;
    OK(mam_policy_for_account(m, ANN, &p));
    sqlite3 *db = open_with(uri(o, "a.db"), NULL);
    run(db, "CREATE TABLE t(a)");
    sqlite3_close(db);
    bool is_required = mam_policy_is_file_encryption_required(p);
    CHECK(begins_with(in_office(o, "a.db"), is_required ? "MAM\3" : "SQLite format 3"));
    OK(mam_sqlite_decrypt(m, in_office(o, "a.db"), ANN));
    CHECK(begins_with(in_office(o, "a.db"), "SQLite format 3"));
    OK(mam_sqlite_encrypt(m, in_office(o, "a.db"), ANN));
    CHECK(begins_with(in_office(o, "a.db"), "MAM\3"));
    FAILS(MAM_ERR_ARGUMENT, mam_sqlite_encrypt(m, in_office(o, "a.db"), ""));
    FAILS(MAM_ERR_NOT_MANAGED, mam_sqlite_encrypt(m, in_office(o, "a.db"), EVE));
    CHECK_NUMBER(106, original_code());
    mam_policy_release(p);
    OK(mam_close(m));
}

static void encrypt_new(const office *o, mam_t *m, const char *name, const char *statements) {
    sql(in_office(o, name), statements);
    OK(mam_sqlite_encrypt(m, in_office(o, name), ANN));
}

/* A directory is given to Ann before its database has pages: the empty file is sealed as any other, and becomes a database. */
static void an_empty_file_that_was_sealed(void **state) {
    office *o = *state;
    mam_t *m = open_registered(o);
    mam_file_t *held;
    char *json;
    CHECK(mkdir(in_office(o, "her"), 0700) == 0);
    write_whole(in_office(o, "her/a.db"), "", 0);
    write_whole(in_office(o, "her/text"), "t", 1);
    OK(mam_file_protect(m, in_office(o, "her"), ANN));
    OK(mam_file_encrypt(m, in_office(o, "her/a.db"), ANN));
    OK(mam_file_encrypt(m, in_office(o, "her/text"), ANN));
    CHECK(begins_with(in_office(o, "her/a.db"), "MAM\2"));
    OK(mam_file_open(m, in_office(o, "her/a.db"), O_RDWR, &held));
    FAILS(MAM_ERR_BUSY, mam_sqlite_encrypt(m, in_office(o, "her/a.db"), ANN));
    OK(mam_file_close(held));
    OK(mam_sqlite_encrypt(m, in_office(o, "her/a.db"), ANN));
    sqlite3 *db = open_with(uri(o, "her/a.db"), NULL);
    run(db, "CREATE TABLE t(a); INSERT INTO t VALUES ('" MARKER "')");
    sqlite3_close(db);
    OK(mam_sqlite_encrypt(m, in_office(o, "her/a.db"), ANN));
    CHECK(begins_with(in_office(o, "her/a.db"), "MAM\3"));
    OK(mam_file_info(m, in_office(o, "her/a.db"), &json));
    CHECK_TEXT(ANN_ID, text_of(json, "/accountId"));
    mam_free(json);
    /* A file with content, and one of another account, stay. */
    FAILS(MAM_ERR_UNSUPPORTED, mam_sqlite_encrypt(m, in_office(o, "her/text"), ANN));
    CHECK(begins_with(in_office(o, "her/text"), "MAM\2"));
    enroll_well(m, BOB);
    write_whole(in_office(o, "his"), "", 0);
    OK(mam_file_encrypt(m, in_office(o, "his"), BOB));
    FAILS(MAM_ERR_UNSUPPORTED, mam_sqlite_encrypt(m, in_office(o, "his"), ANN));
    CHECK(begins_with(in_office(o, "his"), "MAM\2"));
    OK(mam_close(m));
}

static void a_database_in_use_is_not_converted(void **state) {
    office *o = *state;
    mam_t *m = open_registered(o);
    encrypt_new(o, m, "a.db", "PRAGMA journal_mode=wal; CREATE TABLE t(a)");
    sqlite3 *db = open_with(uri(o, "a.db"), NULL);
    run(db, "BEGIN IMMEDIATE; INSERT INTO t VALUES (1)");
    FAILS(MAM_ERR_BUSY, mam_sqlite_decrypt(m, in_office(o, "a.db"), ANN));
    run(db, "COMMIT");
    CHECK_NUMBER(1, number(db, "SELECT count(*) FROM t"));
    sqlite3_close(db);
    OK(mam_sqlite_decrypt(m, in_office(o, "a.db"), ANN));
    OK(mam_close(m));
}

/* An SQLite that a host links itself: a second copy of the library, which shares nothing with the first. */
static void another_sqlite_loads_libmam(void **state) {
    if (IS_SANITIZED) SKIP("the sanitizer cannot be beside a second copy of a library");
    office *o = *state;
    Dl_info here;
    CHECK(dladdr((void *)(uintptr_t)sqlite3_open_v2, &here) != 0);
    char copy[PATH_SIZE];
    snprintf(copy, sizeof copy, "%s", in_office(o, "sqlite-of-the-host.so"));
    size_t length;
    uint8_t *bytes = read_whole(here.dli_fname, &length);
    write_whole(copy, bytes, length);
    free(bytes);
    void *library = dlopen(copy, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    CHECK(library != NULL);
    int (*open2)(const char *, sqlite3 **, int, const char *);
    int (*exec2)(sqlite3 *, const char *, int (*)(void *, int, char **, char **), void *, char **);
    int (*close2)(sqlite3 *), (*automatic)(void (*)(void));
    sqlite3_vfs *(*find2)(const char *);
    *(void **)&open2 = dlsym(library, "sqlite3_open_v2");
    *(void **)&exec2 = dlsym(library, "sqlite3_exec");
    *(void **)&close2 = dlsym(library, "sqlite3_close");
    *(void **)&automatic = dlsym(library, "sqlite3_auto_extension");
    *(void **)&find2 = dlsym(library, "sqlite3_vfs_find");
    CHECK(find2("mam") == NULL);

    mam_t *m = open_registered(o);
    encrypt_new(o, m, "a.db", "CREATE TABLE t(a); INSERT INTO t VALUES ('" MARKER "')");
    CHECK(find2("mam") == NULL);
    CHECK_NUMBER(SQLITE_OK, automatic((void (*)(void))(uintptr_t)mam_sqlite_extension_init));
    sqlite3 *any = NULL, *db = NULL;
    CHECK_NUMBER(SQLITE_OK, open2(":memory:", &any, SQLITE_OPEN_READWRITE, NULL));
    CHECK(find2("mam") != NULL && find2("mam") != sqlite3_vfs_find("mam"));
    CHECK_NUMBER(SQLITE_OK, open2(uri(o, "a.db"), &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL));
    CHECK_NUMBER(SQLITE_OK, exec2(db, "INSERT INTO t SELECT a FROM t; VACUUM", NULL, NULL, NULL));
    /* Both at once: their locks are the file's. */
    sqlite3 *ours = open_with(uri(o, "a.db"), NULL);
    CHECK_NUMBER(2, number(ours, "SELECT count(*) FROM t"));
    char attach[PATH_SIZE + 64];
    snprintf(
        attach, sizeof attach, "ATTACH '%s&mam_encrypt=1' AS new; CREATE TABLE new.t AS SELECT * FROM main.t", uri(o, "new.db"));
    CHECK_NUMBER(SQLITE_OK, exec2(db, attach, NULL, NULL, NULL));
    CHECK(begins_with(in_office(o, "new.db"), "MAM\3"));
    sqlite3_close(ours);
    OK(mam_close(m));
    CHECK_NUMBER(SQLITE_IOERR, exec2(db, "SELECT * FROM t", NULL, NULL, NULL) & 0xff);
    CHECK_NUMBER(SQLITE_OK, close2(db));
    CHECK_NUMBER(SQLITE_OK, close2(any));
}

enum { WRITERS = 3, TURNS = 60 };

static void write_rows(void *argument) {
    const office *o = argument;
    mam_t *m = open_quiet(o);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    sqlite3 *db = open_with(uri(o, "a.db"), NULL);
    run(db, "PRAGMA synchronous=OFF; PRAGMA wal_autocheckpoint=7; PRAGMA cache_size=5");
    for (int i = 0; i < TURNS; i++) {
        run(db, "BEGIN IMMEDIATE; INSERT INTO t(a) VALUES (randomblob(3000)); UPDATE n SET n=n+1; COMMIT");
        CHECK(number(db, "SELECT n FROM n") > i);
    }
    sqlite3_close(db);
    OK(mam_close(m));
}

static void processes_share_it(void **state) {
    office *o = *state;
    mam_t *m = open_registered(o);
    static const char *const modes[] = {"wal", "delete"};
    for (int mode = 0; mode < 2; mode++) {
        char make[200];
        snprintf(
            make, sizeof make,
            "PRAGMA journal_mode=%s; DROP TABLE IF EXISTS t; DROP TABLE IF EXISTS n; "
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE TABLE n(n); INSERT INTO n VALUES (0)",
            modes[mode]);
        if (mode == 0) encrypt_new(o, m, "a.db", make);
        sqlite3 *db = open_with(uri(o, "a.db"), NULL);
        if (mode == 1) run(db, make);
        pid_t children[WRITERS];
        for (int i = 0; i < WRITERS; i++) children[i] = start_child(write_rows, o);
        for (int i = 0; i < WRITERS; i++) end_well(children[i]);
        CHECK_NUMBER(WRITERS * TURNS, number(db, "SELECT n FROM n"));
        CHECK_NUMBER(WRITERS * TURNS, number(db, "SELECT count(*) FROM t"));
        CHECK_NUMBER(1, number(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check='ok'"));
        sqlite3_close(db);
    }
    OK(mam_close(m));
}

static void a_new_epoch_reads_the_old(void **state) {
    office *o = *state;
    mam_t *m = open_registered(o);
    encrypt_new(o, m, "a.db", "CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES (1, zeroblob(20000))");
    sqlite3 *db = open_with(uri(o, "a.db"), NULL);
    CHECK_NUMBER(1, number(db, "SELECT count(*) FROM t"));
    for (int i = 2; i < 9; i++) {
        OK(mam_rotate_keys(m, ANN));
        char insert[80];
        snprintf(insert, sizeof insert, "INSERT INTO t VALUES (%d, zeroblob(9000))", i);
        run(db, insert);
    }
    CHECK_NUMBER(20000 + 7 * 9000, number(db, "SELECT sum(length(a)) FROM t"));
    sqlite3_close(db);
    OK(mam_close(m));
    m = open_quiet(o);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    db = open_with(uri(o, "a.db"), NULL);
    CHECK_NUMBER(20000 + 7 * 9000, number(db, "SELECT sum(length(a)) FROM t"));
    CHECK_NUMBER(1, number(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check='ok'"));
    sqlite3_close(db);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITHOUT_PIN(the_policy_decides_the_form),
        WITHOUT_PIN(an_empty_file_that_was_sealed),
        WITHOUT_PIN(a_database_in_use_is_not_converted),
        WITHOUT_PIN(another_sqlite_loads_libmam),
        WITHOUT_PIN(processes_share_it),
        WITHOUT_PIN(a_new_epoch_reads_the_old),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
