#include <sqlite3.h>
/* Variadic in SQLite: Swift cannot call it. */
static inline int sqlite3_db_config_int(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}
