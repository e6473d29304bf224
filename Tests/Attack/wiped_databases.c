/* After a wipe a connection to a database of the account keeps reading: tried in every journal mode, with and without
 * exclusive locks, idle and in a transaction, wiped by this process and by another one. docs/sqlite.md states the remaining
 * access: pages in SQLite's memory, within an open transaction. A page that must be read from the file never comes. */
#include "attack.h"
#include <sqlite3.h>
#include <sys/wait.h>

enum { ROWS = 400, AT_REST = 0, READING, STEPPING, WRITING, CONNECTIONS };

static const char *const what[] = {"at rest", "in a transaction", "in a statement", "in a transaction that writes"};

typedef struct kind {
    const char *mode, *locking;
    bool is_immutable;
} kind;

static const kind kinds[] = {
    {"DELETE", "NORMAL", false},     {"TRUNCATE", "NORMAL", false}, {"PERSIST", "NORMAL", false},   {"MEMORY", "NORMAL", false},
    {"OFF", "NORMAL", false},        {"WAL", "NORMAL", false},      {"DELETE", "EXCLUSIVE", false}, {"WAL", "EXCLUSIVE", false},
    {"PERSIST", "EXCLUSIVE", false}, {"DELETE", "NORMAL", true},
};

typedef struct held {
    sqlite3 *db;
    sqlite3_stmt *before, *stepping;
} held;

static office desk;

static void sql(sqlite3 *db, const char *text) {
    char *error = NULL;
    if (sqlite3_exec(db, text, NULL, NULL, &error) != SQLITE_OK) BREAKS("%s: %s", text, error);
}

static sqlite3 *opened(const char *uri) {
    sqlite3 *db;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
    if (sqlite3_open_v2(uri, &db, flags, "mam") != SQLITE_OK) BREAKS("%s: %s", uri, sqlite3_errmsg(db));
    return db;
}

static void begin(held *h, const kind *k, int state) {
    char uri[PATH_SIZE + 64], text[256];
    snprintf(uri, sizeof uri, "file:%s/%d.db", desk.folder, state);
    h->db = opened(uri);
    snprintf(text, sizeof text, "PRAGMA locking_mode=%s; PRAGMA journal_mode=%s; PRAGMA cache_size=20;", k->locking, k->mode);
    sql(h->db, text);
    snprintf(
        text, sizeof text,
        "CREATE TABLE t (x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
        " INSERT INTO t SELECT hex(zeroblob(1500)) FROM n;",
        ROWS);
    sql(h->db, text);
    if (k->is_immutable) {
        HOLDS(sqlite3_close(h->db) == SQLITE_OK);
        snprintf(uri, sizeof uri, "file:%s/%d.db?immutable=1", desk.folder, state);
        h->db = opened(uri);
        sql(h->db, "PRAGMA cache_size=20");
    }
    sql(h->db, "SELECT count(*) FROM t");
    HOLDS(sqlite3_prepare_v2(h->db, "SELECT x FROM t", -1, &h->before, NULL) == SQLITE_OK);
    HOLDS(sqlite3_prepare_v2(h->db, "SELECT x FROM t", -1, &h->stepping, NULL) == SQLITE_OK);
    if (state == READING) sql(h->db, "BEGIN; SELECT x FROM t LIMIT 1");
    if (state == STEPPING) HOLDS(sqlite3_step(h->stepping) == SQLITE_ROW);
    if (state == WRITING && k->is_immutable) sql(h->db, "BEGIN; SELECT x FROM t LIMIT 1");
    else if (state == WRITING) sql(h->db, "BEGIN IMMEDIATE; INSERT INTO t VALUES ('new')");
}

/* The number of rows of a statement, and its last result. */
static int rows_of(sqlite3_stmt *statement, int *result) {
    int rows = 0;
    while ((*result = sqlite3_step(statement)) == SQLITE_ROW) rows++;
    return rows;
}

static void attack(held *h, const kind *k, int state, const char *wiper) {
    const bool keeps = k->is_immutable || strcmp(k->locking, "EXCLUSIVE") == 0;
    const bool may_read = keeps || state != AT_REST;
    int result, rows;
#define BROKEN_HERE(format, ...)                                                                                             \
    BREAKS(                                                                                                                  \
        "wiped by %s, %s, %s%s, %s: " format, wiper, k->mode, k->locking, k->is_immutable ? ", immutable" : "", what[state], \
        __VA_ARGS__)
    if (state == STEPPING) {
        rows = rows_of(h->stepping, &result);
        if (rows > 0 || result != SQLITE_INTERRUPT) BROKEN_HERE("the statement goes on: %d rows, then %d", rows, result);
        sqlite3_reset(h->stepping);
    }
    rows = rows_of(h->before, &result);
    if (result == SQLITE_DONE || rows >= ROWS) BROKEN_HERE("a statement that was prepared before reads all: %d rows", rows);
    if (!may_read && rows > 0) BROKEN_HERE("a statement that was prepared before reads %d rows", rows);
    sqlite3_reset(h->before);
    if (state == STEPPING && !keeps && rows > 0) BROKEN_HERE("reads %d rows without a transaction", rows);
    if (state == WRITING && !k->is_immutable) {
        (void)sqlite3_exec(h->db, "INSERT INTO t SELECT x FROM t", NULL, NULL, NULL);
        if (sqlite3_get_autocommit(h->db) == 0 && sqlite3_exec(h->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK)
            BROKEN_HERE("%s", "a transaction is committed");
    }
    if (sqlite3_get_autocommit(h->db) == 0) (void)sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_stmt *new = NULL;
    result = sqlite3_prepare_v2(h->db, "SELECT x FROM t", -1, &new, NULL);
    rows = result == SQLITE_OK ? rows_of(new, &result) : 0;
    if (result == SQLITE_DONE || rows >= ROWS || (!keeps && rows > 0)) BROKEN_HERE("a new statement reads %d rows", rows);
    sqlite3_finalize(new);
    sqlite3_finalize(h->before);
    sqlite3_finalize(h->stepping);
    (void)sqlite3_close_v2(h->db);
}

static void wipe(mam_t *m) {
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    (void)finish(m, op);
}

/* The number of connections in a transaction in the event; -1 without one. */
static long connections_in_event(mam_t *m) {
    char *event = NULL;
    long number = -1;
    while (mam_event_next(m, 0, &event) == MAM_OK && event != NULL) {
        const char *at = strstr(event, "wipeDidComplete") != NULL ? strstr(event, "\"openDatabases\":") : NULL;
        if (at != NULL) number = strtol(at + 16, NULL, 10);
        mam_free(event);
        event = NULL;
    }
    return number;
}

/* Another process of the app, opened before, so that it needs nothing of this one. */
static void wipe_elsewhere(void) {
    char settings[SETTINGS_SIZE], *const words[] = {"wiped_databases", settings, NULL};
    int status;
    settings_of(&desk, "", settings);
    pid_t process = fork();
    HOLDS(process >= 0);
    if (process == 0) {
        execv("/proc/self/exe", words);
        _exit(BROKEN);
    }
    HOLDS(waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void try_kind(const kind *k, bool is_here) {
    held all[CONNECTIONS];
    office_make(&desk);
    mam_t *m = session_of(&desk, "");
    enroll(m, ANN);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    for (int state = 0; state < CONNECTIONS; state++) begin(&all[state], k, state);
    if (is_here) wipe(m);
    else wipe_elsewhere();
    char *status = NULL;
    OK(mam_registered_accounts(m, &status)); /* this process notices the wipe */
    mam_free(status);
    if (is_here) {
        const bool keeps = k->is_immutable || strcmp(k->locking, "EXCLUSIVE") == 0;
        const long number = connections_in_event(m), expected = keeps ? CONNECTIONS : CONNECTIONS - 1;
        if (number != expected)
            BREAKS("%s %s: wipeDidComplete names %ld connections, not %ld", k->mode, k->locking, number, expected);
    }
    for (int state = 0; state < CONNECTIONS; state++) attack(&all[state], k, state, is_here ? "this process" : "another one");
    (void)mam_close(m);
    office_remove(&desk);
}

int main(int count, char **words) {
    if (count > 1) {
        mam_t *m;
        OK(mam_open(words[1], &m));
        wipe(m);
        return mam_close(m) == MAM_OK ? 0 : 1;
    }
    const long rounds = scale(1, 20);
    long tried = 0;
    for (long round = 0; round < rounds; round++) {
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            try_kind(&kinds[i], true);
            try_kind(&kinds[i], false);
            tried += 2 * CONNECTIONS;
        }
    }
    printf("%ld connections after a wipe: nothing was read that SQLite had not in memory in an open transaction\n", tried);
    return HELD;
}
