#ifndef FILES_STAT_H
#define FILES_STAT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* stat(2) and related queries. Each call returns 0 or an errno unless its result is a bool. */

typedef struct files_stat_result {
    uint32_t owner, mode; /* mode: type and permission bits */
    int64_t size;
    uint64_t device, inode;
} files_stat_t;

int files_fstat(int descriptor, files_stat_t *_Nonnull status);
/* Does not follow a symbolic link. */
int files_fstatat(int directory, const char *_Nonnull name, files_stat_t *_Nonnull status);
int files_lstat(const char *_Nonnull path, files_stat_t *_Nonnull status);
int files_stat(const char *_Nonnull path, files_stat_t *_Nonnull status);
/* Whether the effective user may write to a path, or read it. */
bool files_is_writable(const char *_Nonnull path);
bool files_is_readable(const char *_Nonnull path);
/* Whether the name in the directory refers to this open file. */
bool files_is_at(int descriptor, int directory, const char *_Nonnull name);
/* The number of links, and ctime in nanoseconds. */
int files_links_of(int descriptor, uint64_t *_Nonnull links, int64_t *_Nonnull changed);
/* Whether the file is on a network file system, and the file system's type in statfs(2). */
int files_is_network(int descriptor, bool *_Nonnull is_network, uint64_t *_Nonnull type);
/* realpath(3) into `capacity` bytes with a NUL. */
int files_real_path(const char *_Nonnull path, char *_Nonnull real, size_t capacity);

#endif
