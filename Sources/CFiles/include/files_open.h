#ifndef FILES_OPEN_H
#define FILES_OPEN_H
#include "files_stat.h"

/* Opening a host's files by directory and name, so that no component of the path can be replaced between two calls.
 * No call follows a symbolic link at the end of a path. Each returns 0 or an errno. */

/* The flags of open(2) that a host may pass. `passes_mode`: also for writing to a file of this user whose mode forbids that. */
typedef struct files_open_flags {
    bool reads, writes, appends, truncates, is_exclusive, is_synchronous, is_data_synchronous, creates, has_others, passes_mode;
} files_open_flags_t;

files_open_flags_t files_open_flags(int32_t flags);

/* Open an existing regular file. For any other type `descriptor` is -1 and only `status` is set. */
int files_open_at(
    int directory, const char *_Nonnull name, const files_open_flags_t *_Nonnull flags, int *_Nonnull descriptor,
    files_stat_t *_Nonnull status);
/* Open an unnamed file (O_TMPFILE) in that directory for reading and writing, with the mode that the umask leaves. */
int files_open_unnamed(int directory, const files_open_flags_t *_Nullable flags, uint32_t mode, int *_Nonnull descriptor);

#endif
