#ifndef FILES_METADATA_H
#define FILES_METADATA_H
#include <stdint.h>

/* Metadata that a file takes over from the one it replaces. Each call returns 0 or an errno. */

/* Copy owner, group, mode, access control lists and extended attributes. */
int files_copy_metadata(int from, int to);

/* atime and mtime. */
typedef struct files_times {
    int64_t read_seconds, read_nanoseconds, written_seconds, written_nanoseconds;
} files_times_t;

int files_times_at(int directory, const char *_Nonnull name, files_times_t *_Nonnull times);
int files_set_times(int descriptor, const files_times_t *_Nonnull times);

#endif
