#ifndef PLATFORM_REPLACE_H
#define PLATFORM_REPLACE_H
#include "platform_open.h"

/* A file made anew beside another one, and put in its place: whoever looks finds the old one or the new one, whole. */

/* Owner, group, mode, access lists and extended attributes of one file for another. */
int platform_copy_properties(int from, int to);
/* When it was read and written last: asked for before it is read, and set afterwards. */
typedef struct platform_times {
    int64_t read_seconds, read_nanoseconds, written_seconds, written_nanoseconds;
} platform_times_t;

int platform_times_at(const platform_place_t *_Nonnull place, platform_times_t *_Nonnull times);
int platform_set_times(int descriptor, const platform_times_t *_Nonnull times);
/* The next stretch at or behind `offset` that has data; both are the file's length where none has. */
int platform_next_data(int descriptor, int64_t offset, int64_t *_Nonnull begin, int64_t *_Nonnull end);
/* How many names a file has, and when it changed in any way: nanoseconds. */
int platform_links_of(int descriptor, uint64_t *_Nonnull links, int64_t *_Nonnull changed);
/* Whether the name still leads to this file. */
bool platform_is_at(int descriptor, const platform_place_t *_Nonnull place);

/* A file that is written before it is put in place: without a name where the file system can, else under one that the next
 * call of platform_clear_beside removes. */
int platform_make_beside(const platform_place_t *_Nonnull place, int *_Nonnull descriptor);
/* Put it in place of what is there, or where nothing is, and sync both. */
int platform_put_in_place(int descriptor, const platform_place_t *_Nonnull place);
/* Remove what a process that was killed in between has left, unless its writer lives. */
void platform_clear_beside(const platform_place_t *_Nonnull place);

#endif
