#ifndef PROCESS_LOCK_H
#define PROCESS_LOCK_H
#include <stdbool.h>
#include <stdint.h>

/* A mutex with one condition variable, allocated on the heap so that its address never changes. */
typedef struct process_lock process_lock_t;

process_lock_t *_Nonnull process_lock_new(void);
void process_lock_free(process_lock_t *_Nonnull lock);
void process_lock_acquire(process_lock_t *_Nonnull lock);
/* False if the lock was not free within `milliseconds`. */
bool process_lock_acquire_within(process_lock_t *_Nonnull lock, int64_t milliseconds);
void process_lock_release(process_lock_t *_Nonnull lock);
/* Releases the lock, waits for a broadcast and takes the lock again; false if `milliseconds` passed first (negative:
 * no limit). */
bool process_lock_wait(process_lock_t *_Nonnull lock, int64_t milliseconds);
void process_lock_broadcast(process_lock_t *_Nonnull lock);
/* In a forked child: reinitialise the lock, whichever thread of the parent held it. */
void process_lock_reset(process_lock_t *_Nonnull lock);

#endif
