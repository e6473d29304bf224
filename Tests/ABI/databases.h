/* Databases through mam_sqlite_vfs_register, under the name "mam". */
#ifndef DATABASES_H
#define DATABASES_H

#include "support.h"

#include <sqlite3.h>

/* As open_enrolled, with Ann's file system. */
mam_t *open_registered(const office *o);
/* A path or a URI; of a path, through `vfs`. */
sqlite3 *open_with(const char *path, const char *vfs);
/* Statements that succeed. */
void run(sqlite3 *db, const char *statements);
/* The first number of a query. */
long long number(sqlite3 *db, const char *query);

#endif
