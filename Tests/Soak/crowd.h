/* Sixteen threads that work on one handle until they are stopped. */
#ifndef CROWD_H
#define CROWD_H
#include "../ABI/support.h"

#include <stdatomic.h>

enum { THREADS = 16 };

static atomic_bool stop;
static atomic_long calls[THREADS];

/* Run `run` in each thread for that long, with the thread's number. */
static void crowd(void *(*run)(void *), int seconds) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i) == 0);
    sleep_ms(seconds * SECONDS);
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

static void tell_turns(int seconds) {
    printf("%d threads, %d s, turns:", THREADS, seconds);
    for (int i = 0; i < THREADS; i++) {
        printf(" %ld", atomic_load(&calls[i]));
        CHECK(atomic_load(&calls[i]) > 0);
    }
    puts("");
}

/* An operation ends with a code, unless its result was already taken. */
static void ends_with(mam_t *m, int64_t op, long long code) {
    char *status = NULL;
    if (mam_wait(m, op, -1, &status) == MAM_OK && number_of(status, "/code") != code) {
        fprintf(stderr, "not %lld: %s\n", code, status);
        CHECK(number_of(status, "/code") == code);
    }
    mam_free(status);
}

#endif
