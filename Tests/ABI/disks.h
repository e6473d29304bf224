/* Small file systems of a test's own, that no other process sees. */
#ifndef DISKS_H
#define DISKS_H

#include "support.h"

/* A tmpfs at an empty directory; false where neither root nor a user namespace may mount one. Before there are threads. */
bool mount_small(const char *where, const char *options);
/* Take all the room that is left there but `spare` bytes. */
void fill(const char *path, size_t spare);

#endif
