/* tool_rows FOLDER ACCOUNT DATABASE: print the rows of table t of an account's database, a number and hexadecimal bytes
 * each. Exit status 2: SQLite or libmam refused, with the reason. */
#include "attack.h"

#include <sqlite3.h>

static int refused(const char *why) {
    fprintf(stderr, "%s\n", why);
    return 2;
}

int main(int count, char **arguments) {
    if (count != 4) return refused("tool_rows FOLDER ACCOUNT DATABASE");
    office o;
    snprintf(o.folder, sizeof o.folder, "%s", arguments[1]);
    HOLDS(snprintf(o.authority, sizeof o.authority, "%s/authority.db", arguments[1]) < PATH_SIZE);
    HOLDS(snprintf(o.state, sizeof o.state, "%s/state", arguments[1]) < PATH_SIZE);
    mam_t *m = session_of(&o, "");
    if (mam_sqlite_vfs_register(m, "mam", arguments[2]) != MAM_OK) return refused(mam_last_message());
    sqlite3 *database = NULL;
    sqlite3_stmt *rows = NULL;
    int status = sqlite3_open_v2(arguments[3], &database, SQLITE_OPEN_READONLY, "mam");
    if (status == SQLITE_OK) status = sqlite3_prepare_v2(database, "SELECT number, value FROM t", -1, &rows, NULL);
    if (status != SQLITE_OK) return refused(sqlite3_errmsg(database));
    while ((status = sqlite3_step(rows)) == SQLITE_ROW) {
        const unsigned char *value = sqlite3_column_blob(rows, 1);
        printf("%lld ", (long long)sqlite3_column_int64(rows, 0));
        for (int at = 0; at < sqlite3_column_bytes(rows, 1); at++) printf("%02x", value[at]);
        putchar('\n');
    }
    if (status != SQLITE_DONE) return refused(sqlite3_errmsg(database));
    sqlite3_finalize(rows);
    sqlite3_close(database);
    OK(mam_close(m));
    return 0;
}
