#ifndef PLATFORM_LIMIT_H
#define PLATFORM_LIMIT_H
#include <stdbool.h>
#include <stdint.h>

/* A write beyond RLIMIT_FSIZE fails with EFBIG, and ends whoever does not expect it by SIGXFSZ as well. Between these two calls
 * the signal stays away from this thread. What the first returns the second wants; errno stays. */
bool platform_growing_begin(void);
void platform_growing_end(bool was_begun);

/* How far a file was written while there was no limit, and when that was looked for. Begins as zeros. */
typedef struct platform_reach {
    int64_t end, looked;
} platform_reach_t;

/* The same for a write up to `end` of a file that is written often: a limit is looked for again only beyond what was written, or
 * once some milliseconds have passed. */
bool platform_growing_beyond(int64_t end, platform_reach_t *_Nonnull reach);

/* Room that is kept on a disk for when it is full, as a file of zeros. Nothing is done where it is, or where there is none. */
bool platform_reserve_at(int directory, const char *_Nonnull name, int64_t size);

#endif
