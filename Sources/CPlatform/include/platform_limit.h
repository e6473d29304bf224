#ifndef PLATFORM_LIMIT_H
#define PLATFORM_LIMIT_H
#include <stdbool.h>
#include <stdint.h>

/* A write beyond RLIMIT_FSIZE fails with EFBIG, and ends whoever does not expect it by SIGXFSZ as well. Between these two calls
 * the signal stays away from this thread. What the first returns the second wants; errno stays. */
bool platform_growing_begin(void);
void platform_growing_end(bool was_begun);

/* The same for a write up to `end` of a file that is written often: where there is no limit, one is looked for again only beyond
 * `reached`, which begins as 0. */
bool platform_growing_beyond(int64_t end, int64_t *_Nonnull reached);

/* Room that is kept on a disk for when it is full, as a file of zeros. Nothing is done where it is, or where there is none. */
bool platform_reserve_at(int directory, const char *_Nonnull name, int64_t size);

#endif
