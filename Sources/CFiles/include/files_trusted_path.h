#ifndef FILES_TRUSTED_PATH_H
#define FILES_TRUSTED_PATH_H
#include "files_stat.h"

/* Check that only root and `owner` control which file a path leads to: every directory on the way, with symbolic
 * links followed one by one, belongs to one of them and is not writable by group or others; a sticky directory may
 * be, if its entry on the way belongs to one of them. Returns 0 and the status of the file, or an errno: EPERM for a
 * directory that others control, whose path is then in `untrusted`. */
int files_trusted_path(
    const char *_Nonnull path, uint32_t owner, files_stat_t *_Nonnull status, char *_Nonnull untrusted, size_t capacity);

#endif
