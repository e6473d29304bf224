#ifndef FILES_LOG_H
#define FILES_LOG_H
#include <stddef.h>
#include <stdint.h>

/* Append a line to a log in one write(2). Creates the file, and restores mode 0600; does not follow a symbolic link. A
 * file that is nearly full is renamed to `former`, whose previous content is lost, unless another process is doing so.
 * Never waits for a lock and never syncs. Returns 0 or an errno: then the file has nothing of the line. EFBIG if
 * neither file would stay within `limit` bytes. */
int files_log_append(
    int directory, const char *_Nonnull name, const char *_Nonnull former, const void *_Nonnull line, size_t count, int64_t limit);

#endif
