#ifndef FILES_DESTROY_H
#define FILES_DESTROY_H
#include <stddef.h>

/* Destroying the contents of small files. Each call returns 0 or an errno; none follows a symbolic link, except that
 * files_read_symlink_at reads one. */

/* Overwrite the beginning of an existing file, durably. */
int files_overwrite_at(int directory, const char *_Nonnull name, const void *_Nonnull bytes, size_t count);
/* Replace an existing file by a symbolic link whose target says why. If the link cannot be created the file is
 * removed all the same. This needs no descriptor and no free space for data. */
int files_replace_by_symlink_at(int directory, const char *_Nonnull name, const char *_Nonnull target);
/* The target of a symbolic link, truncated to `capacity` - 1 bytes. */
int files_read_symlink_at(int directory, const char *_Nonnull name, char *_Nonnull target, size_t capacity);
/* Unlink a file, if there is one, and fsync the directory. */
int files_unlink_at(int directory, const char *_Nonnull name);
/* Overwrite with random bytes, fsync, unlink, fsync the directory. A file that cannot be overwritten is unlinked all
 * the same; if there is none, only the directory is synced. */
int files_shred_at(int directory, const char *_Nonnull name);

#endif
