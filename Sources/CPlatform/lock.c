#define _GNU_SOURCE
#include "platform_lock.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct platform_lock {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};

void platform_lock_reset(platform_lock_t *lock) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&lock->mutex, NULL);
    pthread_cond_init(&lock->condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

platform_lock_t *platform_lock_new(void) {
    platform_lock_t *lock = malloc(sizeof *lock);
    if (!lock) abort(); /* out of memory: Swift would end the process here as well */
    platform_lock_reset(lock);
    return lock;
}

void platform_lock_free(platform_lock_t *lock) {
    pthread_cond_destroy(&lock->condition);
    pthread_mutex_destroy(&lock->mutex);
    free(lock);
}

void platform_lock_take(platform_lock_t *lock) { pthread_mutex_lock(&lock->mutex); }
void platform_lock_drop(platform_lock_t *lock) { pthread_mutex_unlock(&lock->mutex); }
void platform_lock_broadcast(platform_lock_t *lock) { pthread_cond_broadcast(&lock->condition); }

static struct timespec after(int64_t milliseconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const int64_t limit = 1000LL * 86400 * 365;
    if (milliseconds > limit) milliseconds = limit;
    until.tv_sec += milliseconds / 1000;
    until.tv_nsec += milliseconds % 1000 * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec += 1;
        until.tv_nsec -= 1000000000;
    }
    return until;
}

bool platform_lock_take_within(platform_lock_t *lock, int64_t milliseconds) {
    struct timespec until = after(milliseconds);
    return pthread_mutex_clocklock(&lock->mutex, CLOCK_MONOTONIC, &until) == 0;
}

bool platform_lock_wait(platform_lock_t *lock, int64_t milliseconds) {
    if (milliseconds < 0) {
        pthread_cond_wait(&lock->condition, &lock->mutex);
        return true;
    }
    struct timespec until = after(milliseconds);
    return pthread_cond_timedwait(&lock->condition, &lock->mutex, &until) != ETIMEDOUT;
}
