#ifndef FILES_CLOSE_H
#define FILES_CLOSE_H

#include <stdbool.h>

/* Close a descriptor of a host's file without dropping the host's locks. Closing any descriptor of a file drops
 * every POSIX lock that the process holds on it (fcntl(2)), and the host's SQLite would not notice. While there are
 * such locks the descriptor stays open; each later call checks it again. */
void files_close_keeping_locks(int descriptor);

/* A descriptor for reading of the file with this name that stayed open so, which the caller owns again; -1 if there is none. A file
 * that is looked at often while it is locked has one such descriptor, and not one for each look. */
int files_take_deferred(int directory, const char *_Nonnull name);

/* Returns the error that closing the descriptor would report (close(2): lost writes, on network file systems above
 * all), or 0; the descriptor stays open. `keeps_locks` as above. */
int files_flush(int descriptor, bool keeps_locks);

#endif
