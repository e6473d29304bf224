#ifndef FILES_LOCK_H
#define FILES_LOCK_H
#include <stdbool.h>

/* Each call returns 0 or an errno. */

/* Open a file for reading and writing, creating it with mode 0600; does not follow a symbolic link. */
int files_open_or_create_at(int directory, const char *_Nonnull name, int *_Nonnull descriptor);
/* Open such a file and take an exclusive flock(2), which ends with the process. EWOULDBLOCK if it is held elsewhere. */
int files_lock_at(int directory, const char *_Nonnull name, int *_Nonnull descriptor);
/* Release the lock, for inherited copies of the descriptor in forked children too, and close. */
void files_unlock(int descriptor);

/* The use lock of a host's file: an open-file-description lock on its first byte, shared by all that have the file
 * open for writing, exclusive while it is converted. EWOULDBLOCK if it is held elsewhere. */
int files_lock_use(int descriptor, bool is_exclusive);
/* Take it shared, once no conversion holds it. EWOULDBLOCK if a POSIX lock is in the way. */
int files_lock_use_waiting(int descriptor);
void files_unlock_use(int descriptor);

#endif
