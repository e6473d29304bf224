#ifndef PLATFORM_OPEN_H
#define PLATFORM_OPEN_H
#include "platform_file.h"

/* Files of the host: found by directory and name, so that nobody can move the ground between two calls. No call follows a
 * symbolic link at the end of a path. Each returns 0 or an errno. */

enum { PLATFORM_ENTRY_BYTES = 256 };

/* A file's directory, opened, and its name there. */
typedef struct platform_place {
    int directory;
    char name[PLATFORM_ENTRY_BYTES];
} platform_place_t;

int platform_place_open(const char *_Nonnull path, platform_place_t *_Nonnull place);
/* The same of a directory that is open, and a name there. */
int platform_place_in(int directory, const char *_Nonnull name, platform_place_t *_Nonnull place);
int platform_place_facts(const platform_place_t *_Nonnull place, platform_file_facts_t *_Nonnull facts);
void platform_place_close(platform_place_t *_Nonnull place);

/* The bits of open(2) that a host may give, and what they ask for. */
typedef struct platform_open_flags {
    bool reads, writes, appends, truncates, is_exclusive, is_synchronous, is_data_synchronous, has_others;
} platform_open_flags_t;

platform_open_flags_t platform_open_flags(int32_t flags);

/* Open what is there; `facts` tells what it is. What is not a regular file is closed again: then `descriptor` is -1. */
int platform_open_at(
    const platform_place_t *_Nonnull place, const platform_open_flags_t *_Nonnull flags, int *_Nonnull descriptor,
    platform_file_facts_t *_Nonnull facts);
/* A file without a name in that directory, for reading and writing, with the mode that the umask leaves. */
int platform_open_nameless(
    const platform_place_t *_Nonnull place, const platform_open_flags_t *_Nonnull flags, uint32_t mode,
    int *_Nonnull descriptor);
/* Give it its name: EEXIST where something has it. */
int platform_name(int descriptor, const platform_place_t *_Nonnull place);

/* Reading and writing: everything, or an errno and how much was done. Less is read only where the file ends. */
int platform_read_from(int descriptor, void *_Nullable out, size_t length, int64_t offset, size_t *_Nonnull count);
int platform_write_to(
    int descriptor, const void *_Nullable bytes, size_t length, int64_t offset, size_t *_Nonnull count);
/* At the end, in a descriptor that appends; `offset` is where that was. */
int platform_append_to(
    int descriptor, const void *_Nullable bytes, size_t length, int64_t *_Nonnull offset, size_t *_Nonnull count);
int platform_append_from_now(int descriptor);
int platform_resize(int descriptor, int64_t size);
int platform_sync(int descriptor, bool is_data_only);
/* Shared by whoever has a file open for writing, as long as that is; exclusive while it is given another form. EWOULDBLOCK
 * where it does not wait and others have it. */
int platform_lock_use(int descriptor, bool is_exclusive, bool waits);
void platform_unlock_use(int descriptor);

#endif
