/* mam_file_reprotect of encrypted databases: every page under the newest key, and nothing else changes. */
#include "databases.h"

#include <signal.h>
#include <sys/wait.h>

enum { PAGE = 4096 };

static const char *const modes[] = {"wal", "delete"};

/* A table whose row ids have gaps, which a VACUUM would renumber. */
static const char *make_database(const office *o, const char *name, const char *mode) {
    const char *path = in_office(o, name);
    char begin[64];
    sqlite3 *db = open_with(path, "mam");
    snprintf(begin, sizeof begin, "PRAGMA journal_mode=%s", mode);
    run(db, begin);
    run(db,
        "CREATE TABLE t(a); CREATE INDEX i ON t(a); WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<300) "
        "INSERT INTO t SELECT randomblob(1000) FROM n; DELETE FROM t WHERE rowid % 3 = 0");
    CHECK_NUMBER(SQLITE_OK, sqlite3_close(db));
    return path;
}

/* The number of pages under an epoch's key, and of all pages. */
static int pages_of(const char *path, uint32_t epoch, int *all) {
    size_t length;
    uint8_t *bytes = read_whole(path, &length);
    int count = 0;
    *all = 0;
    for (size_t end = PAGE; end <= length; end += PAGE, ++*all)
        count += ((uint32_t)bytes[end - 4] << 24 | (uint32_t)bytes[end - 3] << 16 | (uint32_t)bytes[end - 2] << 8 | bytes[end - 1])
            == epoch;
    free(bytes);
    return count;
}

static void is_under(const char *path, uint32_t epoch) {
    int all = 0, sealed = pages_of(path, epoch, &all);
    CHECK_NUMBER(all, sealed);
    CHECK(all > 50);
}

static bool reprotects(mam_t *m, const char *path) {
    mam_bool changed = 7;
    OK(mam_file_reprotect(m, path, &changed));
    return changed;
}

static void every_page_moves(void **state) {
    office *o = *state;
    mam_t *m = open_registered(o);
    for (int i = 0; i < 2; i++) {
        const uint32_t before = (uint32_t)(1 + 2 * i);
        const char *path = make_database(o, modes[i], modes[i]);
        sqlite3 *idle = open_with(path, "mam");
        const long long rows = number(idle, "SELECT sum(rowid * length(a)) FROM t"), key = number(idle, "SELECT max(rowid) FROM t");
        is_under(path, before);
        CHECK(!reprotects(m, path));
        OK(mam_rotate_keys(m, ANN));
        run(idle, "INSERT INTO t(rowid, a) VALUES (1000000, 'x')");
        OK(mam_rotate_keys(m, ANN));
        CHECK(reprotects(m, path));
        is_under(path, before + 2);
        CHECK(!reprotects(m, path));
        CHECK_NUMBER(rows + 1000000, number(idle, "SELECT sum(rowid * length(a)) FROM t"));
        run(idle, "DELETE FROM t WHERE rowid = 1000000");
        CHECK_NUMBER(key, number(idle, "SELECT max(rowid) FROM t"));
        CHECK_NUMBER(1, number(idle, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check='ok'"));
        CHECK_NUMBER(SQLITE_OK, sqlite3_close(idle));
        char *info = NULL;
        OK(mam_file_info(m, path, &info));
        CHECK_TEXT("both", text_of(info, "/known"));
        mam_free(info);
    }
    OK(mam_close(m));
}

static void others_are_respected(void **state) {
    office *o = *state;
    mam_t *m = open_registered(o);
    mam_bool changed;
    for (int i = 0; i < 2; i++) {
        const char *path = make_database(o, modes[i], modes[i]);
        sqlite3 *other = open_with(path, "mam");
        OK(mam_rotate_keys(m, ANN));
        run(other, "BEGIN IMMEDIATE; INSERT INTO t VALUES ('late')");
        FAILS(MAM_ERR_BUSY, mam_file_reprotect(m, path, &changed));
        CHECK_NUMBER(0, changed);
        run(other, "COMMIT; BEGIN; SELECT count(*) FROM t");
        FAILS(MAM_ERR_BUSY, mam_file_reprotect(m, path, &changed));
        CHECK_NUMBER(201, number(other, "SELECT count(*) FROM t"));
        run(other, "COMMIT");
        CHECK(reprotects(m, path));
        is_under(path, (uint32_t)(2 + i));
        CHECK_NUMBER(201, number(other, "SELECT count(*) FROM t"));
        CHECK_NUMBER(SQLITE_OK, sqlite3_close(other));
    }
    OK(mam_close(m));
}

/* The key reports the owner of a copy without attributes; a database without a key here stays as it is. */
static void the_key_names_the_owner(void **state) {
    office *o = *state;
    mam_t *m = open_registered(o);
    enroll_well(m, BOB);
    const char *path = make_database(o, "a.db", "delete"), *copy = in_office(o, "copy.db");
    size_t length;
    uint8_t *bytes = read_whole(path, &length);
    write_whole(copy, bytes, length);
    OK(mam_rotate_keys(m, BOB));
    OK(mam_rotate_keys(m, ANN));
    CHECK(reprotects(m, copy));
    is_under(copy, 2);
    is_under(path, 1);
    int64_t op;
    write_whole(in_office(o, "kept.db"), bytes, length);
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK(!reprotects(m, in_office(o, "kept.db")));
    free(bytes);
    OK(mam_close(m));
}

static void reprotect_for_ever(void *argument) {
    const office *o = argument;
    mam_t *m = open_quiet(o);
    mam_bool changed;
    for (;;) {
        OK(mam_rotate_keys(m, ANN));
        OK(mam_file_reprotect(m, in_office(o, "a.db"), &changed));
    }
}

static void a_kill_leaves_it_whole(void **state) {
    office *o = *state;
    mam_t *m = open_registered(o);
    for (int i = 0; i < 2; i++) {
        if (i) CHECK(unlink(in_office(o, "a.db")) == 0);
        const char *path = make_database(o, "a.db", modes[i]);
        for (int kill_number = 0; kill_number < 8; kill_number++) {
            pid_t child = start_child(reprotect_for_ever, o);
            sleep_ms(150 + (int)(random_number() % 100));
            CHECK(kill(child, SIGKILL) == 0);
            CHECK(waitpid(child, NULL, 0) == child);
            sqlite3 *db = open_with(path, "mam");
            CHECK_NUMBER(200, number(db, "SELECT count(*) FROM t"));
            CHECK_NUMBER(200000, number(db, "SELECT sum(length(a)) FROM t"));
            CHECK_NUMBER(1, number(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check='ok'"));
            CHECK_NUMBER(SQLITE_OK, sqlite3_close(db));
        }
        OK(mam_rotate_keys(m, ANN));
        CHECK(reprotects(m, path));
    }
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITHOUT_PIN(every_page_moves),
        WITHOUT_PIN(others_are_respected),
        WITHOUT_PIN(the_key_names_the_owner),
        WITHOUT_PIN(a_kill_leaves_it_whole),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
