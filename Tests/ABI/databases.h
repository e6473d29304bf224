/* Databases through mam_sqlite_vfs_register, under the name "mam". */
#ifndef DATABASES_H
#define DATABASES_H

#include "support.h"

#include <sqlite3.h>

/* As open_enrolled, with Ann's VFS. */
mam_t *open_registered(const office *o);
/* A path, opened through `vfs`, or a URI. */
sqlite3 *open_with(const char *path, const char *vfs);
/* Run statements that must succeed. */
void run(sqlite3 *db, const char *statements);
/* The first number of a query. */
long long number(sqlite3 *db, const char *query);

#endif
