#include "databases.h"

mam_t *open_registered(const office *o) {
    mam_t *m = open_enrolled(o);
    OK(mam_sqlite_vfs_register(m, "mam", ANN));
    return m;
}

sqlite3 *open_with(const char *path, const char *vfs) {
    sqlite3 *db = NULL;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
    if (sqlite3_open_v2(path, &db, flags, vfs) != SQLITE_OK) failed_at(__FILE__, __LINE__, "%s: %s", path, sqlite3_errmsg(db));
    sqlite3_busy_timeout(db, SOON);
    return db;
}

void run(sqlite3 *db, const char *statements) {
    char *error = NULL;
    if (sqlite3_exec(db, statements, NULL, NULL, &error) != SQLITE_OK) failed_at(__FILE__, __LINE__, "%s: %s", statements, error);
}

long long number(sqlite3 *db, const char *query) {
    sqlite3_stmt *s = NULL;
    CHECK_NUMBER(SQLITE_OK, sqlite3_prepare_v2(db, query, -1, &s, NULL));
    CHECK_NUMBER(SQLITE_ROW, sqlite3_step(s));
    long long n = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return n;
}
