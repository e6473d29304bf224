/* committer OFFICE make FORM | commit FORM MODE | look FORM FIRST SECOND: a transaction over the databases db/a and db/b,
 * which are attached to db/main.
 *
 * FORM says what b is: `encrypted` as a is, `plain`, or of another of the `accounts`; with `wal`, db/main is part of the
 * transaction and has a WAL. MODE is the journal mode of a and b. `look` opens both in the given order, which rolls
 * back what a kill has left, and prints the version of a and of b. */
#include "databases.h"
#include <sys/stat.h>

static office here;
static const char *form;
static bool is_looking; /* for which the account's file system reads a plain database */

static bool is_form(const char *name) { return strcmp(form, name) == 0; }

/* Valid until the third call after this one. */
static const char *uri(const char *name) {
    static char texts[3][PATH_SIZE + 64];
    static int next;
    char path[16], *text = texts[next++ % 3];
    const bool is_b = strcmp(name, "b") == 0;
    snprintf(path, sizeof path, "db/%s", name);
    const char *vfs = !is_b ? "mam" : is_form("accounts") ? "bob" : is_form("plain") && !is_looking ? "nobody" : "mam";
    snprintf(text, sizeof texts[0], "file:%s?vfs=%s", in_office(&here, path), vfs);
    return text;
}

static void make_one(const char *name) {
    const bool is_plain = strcmp(name, "b") == 0 && is_form("plain");
    sqlite3 *db = is_plain ? open_with(in_office(&here, "db/b"), "unix") : open_with(uri(name), NULL);
    run(db,
        "CREATE TABLE t(version, filler); CREATE INDEX i ON t(filler);"
        "WITH n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<20) INSERT INTO t SELECT 0, randomblob(700) FROM n");
    if (strcmp(name, "main") == 0 && is_form("wal")) run(db, "PRAGMA journal_mode=wal");
    if (!is_plain) CHECK_NUMBER(1, number(db, "PRAGMA mam_encrypted"));
    sqlite3_close(db);
}

static int make(void) {
    CHECK(mkdir(in_office(&here, "db"), 0700) == 0);
    make_one("main");
    make_one("a");
    make_one("b");
    return 0;
}

static int commit(const char *mode) {
    char attach[3 * PATH_SIZE];
    sqlite3 *db = open_with(uri("main"), NULL);
    snprintf(
        attach, sizeof attach, "ATTACH '%s' AS a; ATTACH '%s' AS b; PRAGMA a.journal_mode=%s; PRAGMA b.journal_mode=%s", uri("a"),
        uri("b"), mode, mode);
    run(db, attach);
    /* In a journal that persists, these are former transactions. */
    run(db, "UPDATE a.t SET filler=randomblob(700); UPDATE b.t SET filler=randomblob(700)");
    run(db, "BEGIN; UPDATE a.t SET version=1, filler=randomblob(700); UPDATE b.t SET version=1, filler=randomblob(700)");
    if (is_form("wal")) run(db, "UPDATE main.t SET version=1");
    if (access("/the-commit-begins-here", F_OK) == 0) return 2; /* a mark in the trace */
    run(db, "COMMIT");
    _exit(0);
}

/* The first statement may fail, if the super-journal is another account's. */
static int version(const char *name) {
    if (access("/the-look-begins-here", F_OK) == 0) return 2; /* a mark in the trace */
    sqlite3 *db = open_with(uri(name), NULL);
    const int first = sqlite3_exec(db, "SELECT * FROM t", NULL, NULL, NULL);
    CHECK(first == SQLITE_OK || (is_form("accounts") && sqlite3_extended_errcode(db) == SQLITE_IOERR_DATA));
    const int result = (int)number(db, "SELECT max(version) FROM t");
    CHECK_NUMBER(result, number(db, "SELECT min(version) FROM t"));
    CHECK_NUMBER(1, number(db, "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check='ok'"));
    sqlite3_close(db);
    return result;
}

static int look(const char *first, const char *second) {
    is_looking = true;
    const int one = version(first), other = version(second);
    printf("%d %d\n", *first == 'a' ? one : other, *first == 'a' ? other : one);
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    snprintf(here.root, sizeof here.root, "%s", argv[1]);
    snprintf(here.authority, sizeof here.authority, "%s/authority.db", argv[1]);
    snprintf(here.state, sizeof here.state, "%s/state", argv[1]);
    form = argv[3];
    mam_t *m = open_app(&here, APP, QUIET);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    OK(mam_sqlite_vfs_register(m, "bob", BOB));
    OK(mam_sqlite_vfs_register(m, "nobody", ""));
    int result = 2;
    if (strcmp(argv[2], "make") == 0) result = make();
    if (strcmp(argv[2], "commit") == 0 && argc == 5) result = commit(argv[4]);
    if (strcmp(argv[2], "look") == 0 && argc == 6) result = look(argv[4], argv[5]);
    OK(mam_close(m));
    return result;
}
