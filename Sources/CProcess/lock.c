#define _GNU_SOURCE
#include "process_lock.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct process_lock {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};

void process_lock_reset(process_lock_t *lock) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&lock->mutex, NULL);
    pthread_cond_init(&lock->condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

process_lock_t *process_lock_new(void) {
    process_lock_t *lock = malloc(sizeof *lock);
    if (!lock) abort(); /* without memory Swift would end the process too */
    process_lock_reset(lock);
    return lock;
}

void process_lock_free(process_lock_t *lock) {
    pthread_cond_destroy(&lock->condition);
    pthread_mutex_destroy(&lock->mutex);
    free(lock);
}

void process_lock_acquire(process_lock_t *lock) { pthread_mutex_lock(&lock->mutex); }
void process_lock_release(process_lock_t *lock) { pthread_mutex_unlock(&lock->mutex); }
void process_lock_broadcast(process_lock_t *lock) { pthread_cond_broadcast(&lock->condition); }

static struct timespec deadline_in(int64_t milliseconds) {
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    const int64_t limit = 1000LL * 86400 * 365;
    if (milliseconds > limit) milliseconds = limit;
    deadline.tv_sec += milliseconds / 1000;
    deadline.tv_nsec += milliseconds % 1000 * 1000000;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_sec += 1;
        deadline.tv_nsec -= 1000000000;
    }
    return deadline;
}

bool process_lock_acquire_within(process_lock_t *lock, int64_t milliseconds) {
    struct timespec deadline = deadline_in(milliseconds);
    return pthread_mutex_clocklock(&lock->mutex, CLOCK_MONOTONIC, &deadline) == 0;
}

bool process_lock_wait(process_lock_t *lock, int64_t milliseconds) {
    if (milliseconds < 0) {
        pthread_cond_wait(&lock->condition, &lock->mutex);
        return true;
    }
    struct timespec deadline = deadline_in(milliseconds);
    return pthread_cond_timedwait(&lock->condition, &lock->mutex, &deadline) != ETIMEDOUT;
}
