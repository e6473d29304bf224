#define _GNU_SOURCE
#include "platform_words.h"
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint64_t platform_generation(const platform_words_t *words) {
    return atomic_load_explicit(&words->generation, memory_order_acquire);
}

void platform_generation_set(platform_words_t *words, uint64_t generation) {
    atomic_store_explicit(&words->generation, generation, memory_order_release);
}

bool platform_generation_replace(platform_words_t *words, uint64_t expected, uint64_t generation) {
    return atomic_compare_exchange_strong(&words->generation, &expected, generation);
}

uint32_t platform_notes(const platform_words_t *words) { return atomic_load(&words->notes); }

uint32_t platform_notes_begin(platform_words_t *words) {
    uint32_t seen = atomic_load(&words->notes), mine = seen + (seen % 2 ? 2 : 1);
    atomic_store(&words->notes, mine);
    return mine;
}

/* Whoever began since has a number of its own. */
void platform_notes_end(platform_words_t *words, uint32_t begun) {
    atomic_compare_exchange_strong(&words->notes, &begun, begun + 1);
}

uint32_t platform_bell(const platform_words_t *words) { return atomic_load_explicit(&words->bell, memory_order_acquire); }

void platform_bell_ring(platform_words_t *words) {
    atomic_fetch_add_explicit(&words->bell, 1, memory_order_release);
    syscall(SYS_futex, &words->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void platform_bell_wait(platform_words_t *words, uint32_t seen, int64_t milliseconds) {
    const int64_t limit = 1000LL * 86400 * 365;
    if (milliseconds > limit) milliseconds = limit;
    struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    syscall(SYS_futex, &words->bell, FUTEX_WAIT, seen, milliseconds < 0 ? NULL : &t, NULL, 0);
}
