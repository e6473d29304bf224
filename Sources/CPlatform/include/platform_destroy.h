#ifndef PLATFORM_DESTROY_H
#define PLATFORM_DESTROY_H
#include <stddef.h>

/* Destroying what small files of an open directory hold. Each returns 0 or an errno; no link is followed. */

/* Write over the beginning of a file that is there, durably. */
int platform_overwrite_at(int directory, const char *_Nonnull name, const void *_Nonnull bytes, size_t count);
/* Remove a file that is there and put a link in its place whose target says why; where the link cannot be made the file is
 * gone all the same. It takes no descriptor, writes no data and so needs no room in a file. */
int platform_replace_by_link_at(int directory, const char *_Nonnull name, const char *_Nonnull target);
/* The target of a link, cut at `capacity` - 1 bytes. */
int platform_read_link_at(int directory, const char *_Nonnull name, char *_Nonnull target, size_t capacity);
/* Overwrite with random bytes, fsync, unlink, fsync the directory. One that cannot be overwritten is unlinked all the same;
 * where it is gone only the directory is synced. */
int platform_shred_at(int directory, const char *_Nonnull name);

#endif
