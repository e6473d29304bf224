#ifndef FILES_TEMPORARY_H
#define FILES_TEMPORARY_H
#include <stddef.h>
#include <stdint.h>

/* A new file that gets its final name once it is complete. Each call returns 0 or an errno. */

enum { FILES_TEMPORARY_NAME = 32, FILES_LONG_PATH = 4096 + 256 };

/* Create a file without a name (EOPNOTSUPP if the file system cannot) or with one; the umask applies to `mode`. */
int files_create_unnamed(int directory, uint32_t mode, int *_Nonnull descriptor);
int files_create_named(int directory, const char *_Nonnull name, uint32_t mode, int *_Nonnull descriptor);
/* A random temporary name in a directory, and its path. */
int files_temporary_name(int directory, char *_Nonnull name, char *_Nonnull path);
/* Give an unnamed file a name; EEXIST if the name is taken. */
int files_link(int descriptor, int directory, const char *_Nonnull name);
/* Check the name that a new file is to get: 0 if it is free, EEXIST for a regular file, ELOOP for a symbolic link,
 * EISDIR for a directory, ENXIO for anything else. */
int files_check_name_free(int directory, const char *_Nonnull name);
/* Rename, replacing an existing file. A symbolic link or a pipe that appears under the name at this very moment is
 * replaced, not followed. */
int files_rename_at(int directory, const char *_Nonnull from, const char *_Nonnull to);

#endif
