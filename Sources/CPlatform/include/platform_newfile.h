#ifndef PLATFORM_NEWFILE_H
#define PLATFORM_NEWFILE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that takes its place when it is whole. Each call returns 0 or an errno. */

/* Read on: fewer bytes than asked for are the last ones. */
int platform_read_on(int descriptor, void *_Nonnull bytes, size_t capacity, size_t *_Nonnull count);
int platform_write_on(int descriptor, const void *_Nonnull bytes, size_t count);

enum { PLATFORM_TEMPORARY = 32, PLATFORM_LONG_PATH = 4096 + 256 };

/* A new file with a mode that the process's mask takes from: without a name, or EOPNOTSUPP where the file system has no such
 * files; or with one. */
int platform_new_nameless(int directory, uint32_t mode, int *_Nonnull descriptor);
int platform_new_named(int directory, const char *_Nonnull name, uint32_t mode, int *_Nonnull descriptor);
/* A name for a file that will get another, and where it then is. */
int platform_temporary(int directory, char *_Nonnull name, char *_Nonnull path);
/* Make what was done in a directory durable. */
int platform_settle_directory(int directory);
/* Give a nameless file a name that nothing has: EEXIST where something does. */
int platform_name_file(int descriptor, int directory, const char *_Nonnull name);
/* Whether a new file may have a name: 0 where nothing has it, EEXIST for a regular file, ELOOP for a link, EISDIR for a
 * directory, ENXIO for anything else. */
int platform_may_replace(int directory, const char *_Nonnull name);
/* Give it the other name, in place of a file that has it. A link or a pipe that somebody puts there in this very moment is
 * replaced, not followed. */
int platform_rename_at(int directory, const char *_Nonnull from, const char *_Nonnull to);

/* What is written down of a temporary name before it is used, in a folder of the state: a process that is killed leaves the
 * note behind, and the next that opens the state removes both. The lock on the note tells that its process lives.
 * A durable one is there after a power failure, too. */
int platform_pending_note(
    int state, const char *_Nonnull name, const char *_Nonnull path, bool is_durable, int *_Nonnull descriptor);
void platform_pending_end(int state, const char *_Nonnull name, int descriptor);
void platform_pending_sweep(int state);

#endif
