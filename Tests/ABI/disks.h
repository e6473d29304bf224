/* Small file systems for one test, which no other process sees. */
#ifndef DISKS_H
#define DISKS_H

#include "support.h"

/* Mount a tmpfs on an empty directory; false if neither root nor a user namespace may mount one. Call it before threads
 * start. */
bool mount_small(const char *where, const char *options);
/* Use up the free space there except `spare` bytes. */
void fill(const char *path, size_t spare);

#endif
