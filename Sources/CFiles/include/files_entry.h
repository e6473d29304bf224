#ifndef FILES_ENTRY_H
#define FILES_ENTRY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Directory entries, found by name in a directory that is held open. No call follows a symbolic link at the end of a
 * path. Each returns 0 or an errno. */

/* Identity and state of a file. `born` and `changed` are btime and ctime in nanoseconds; `born` is 0 if the file
 * system does not record it. */
typedef struct files_entry {
    uint64_t device, inode, links;
    int64_t born, changed;
    uint32_t owner, mode;
    bool is_mounted; /* a mount point */
} files_entry_t;

int files_entry_of(int descriptor, files_entry_t *_Nonnull entry);
/* `directory` may be FILES_CWD: the working directory. */
enum { FILES_CWD = -100 };
int files_entry_at(int directory, const char *_Nonnull name, files_entry_t *_Nonnull entry);

/* Open the directory that contains a path's last component, and return where in the path that component begins.
 * Symbolic links in the directory part are followed. If the path ends with "/", "." or "..", the directory itself is
 * opened and the name is ".". A path may be longer than PATH_MAX. The descriptor is O_PATH: only for calls relative
 * to it. */
int files_open_parent(const char *_Nonnull path, int *_Nonnull directory, const char *_Nullable *_Nonnull name);
/* Open a directory by an absolute path, without following any symbolic link. */
int files_open_without_links(const char *_Nonnull path, int *_Nonnull directory);
/* Open a regular file or a directory to inspect it: ELOOP for a symbolic link and ENXIO for anything else, without
 * opening it. */
int files_open_entry(int directory, const char *_Nonnull name, int *_Nonnull descriptor, files_entry_t *_Nonnull entry);
/* The path of a descriptor without symbolic links, NUL-terminated; ENOENT if it was unlinked. */
int files_path_of(int descriptor, char *_Nonnull path, size_t capacity);
/* Set or clear FS_NODUMP_FL, which excludes a file from backups with dump(8). EOPNOTSUPP if the file system has no
 * such flag. */
int files_set_nodump(int descriptor, bool is_set);
int files_remove_at(int directory, const char *_Nonnull name, bool is_directory);

#endif
