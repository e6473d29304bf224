#ifndef PLATFORM_PROPERTIES_H
#define PLATFORM_PROPERTIES_H
#include <stdint.h>

/* What a file takes over from the one in whose place it is put. Each call returns 0 or an errno. */

/* Owner, group, mode, access lists and extended attributes of one file for another. */
int platform_copy_properties(int from, int to);
/* When it was read and written last: asked for before it is read, and set afterwards. */
typedef struct platform_times {
    int64_t read_seconds, read_nanoseconds, written_seconds, written_nanoseconds;
} platform_times_t;

int platform_times_at(int directory, const char *_Nonnull name, platform_times_t *_Nonnull times);
int platform_set_times(int descriptor, const platform_times_t *_Nonnull times);
/* How many names a file has, and when it changed in any way: nanoseconds. */
int platform_links_of(int descriptor, uint64_t *_Nonnull links, int64_t *_Nonnull changed);

#endif
