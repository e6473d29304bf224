#ifndef PLATFORM_OPEN_H
#define PLATFORM_OPEN_H
#include "platform_file.h"

/* Files of the host: found by directory and name, so that nobody can move the ground between two calls. No call follows a
 * symbolic link at the end of a path. Each returns 0 or an errno. */

/* The bits of open(2) that a host may give, and what they ask for. */
typedef struct platform_open_flags {
    bool reads, writes, appends, truncates, is_exclusive, is_synchronous, is_data_synchronous, creates, has_others;
} platform_open_flags_t;

platform_open_flags_t platform_open_flags(int32_t flags);

/* Open what is there; `facts` tells what it is. What is not a regular file is closed again: then `descriptor` is -1. */
int platform_open_at(
    int directory, const char *_Nonnull name, const platform_open_flags_t *_Nonnull flags, int *_Nonnull descriptor,
    platform_file_facts_t *_Nonnull facts);
/* A file without a name in that directory, for reading and writing, with the mode that the umask leaves. */
int platform_open_nameless(
    int directory, const platform_open_flags_t *_Nullable flags, uint32_t mode, int *_Nonnull descriptor);
/* Whether the name leads to this file. */
bool platform_is_at(int descriptor, int directory, const char *_Nonnull name);

/* Reading and writing: everything, or an errno and how much was done. Less is read only where the file ends. */
int platform_read_from(int descriptor, void *_Nullable out, size_t length, int64_t offset, size_t *_Nonnull count);
int platform_write_to(
    int descriptor, const void *_Nullable bytes, size_t length, int64_t offset, size_t *_Nonnull count);
/* At the end, in a descriptor that appends; `offset` is where that was. */
int platform_append_to(
    int descriptor, const void *_Nullable bytes, size_t length, int64_t *_Nonnull offset, size_t *_Nonnull count);
int platform_append_from_now(int descriptor);
/* The next stretch at or behind `offset` that has data; both are the file's length where none has. */
int platform_next_data(int descriptor, int64_t offset, int64_t *_Nonnull begin, int64_t *_Nonnull end);
int platform_resize(int descriptor, int64_t size);
int platform_sync(int descriptor, bool is_data_only);
/* Shared by whoever has a file open for writing, as long as that is; exclusive while it is given another form. EWOULDBLOCK
 * where it does not wait and others have it. */
int platform_lock_use(int descriptor, bool is_exclusive, bool waits);
void platform_unlock_use(int descriptor);

#endif
