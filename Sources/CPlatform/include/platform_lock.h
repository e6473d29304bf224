#ifndef PLATFORM_LOCK_H
#define PLATFORM_LOCK_H
#include <stdbool.h>
#include <stdint.h>

/* A mutex with one condition. Heap-allocated, so that its address never changes. */
typedef struct platform_lock platform_lock_t;

platform_lock_t *_Nonnull platform_lock_new(void);
void platform_lock_free(platform_lock_t *_Nonnull lock);
void platform_lock_take(platform_lock_t *_Nonnull lock);
/* false when it was not free within `milliseconds`. */
bool platform_lock_take_within(platform_lock_t *_Nonnull lock, int64_t milliseconds);
void platform_lock_drop(platform_lock_t *_Nonnull lock);
/* Wait for a broadcast with the lock taken; false when `milliseconds` passed first (negative: no limit). */
bool platform_lock_wait(platform_lock_t *_Nonnull lock, int64_t milliseconds);
void platform_lock_broadcast(platform_lock_t *_Nonnull lock);
/* In a forked child: make it new, whoever held it in the parent. */
void platform_lock_reset(platform_lock_t *_Nonnull lock);

#endif
