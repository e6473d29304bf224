#define _GNU_SOURCE
#include "shared_words.h"
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint64_t shared_generation_word(const shared_words_t *words) {
    return atomic_load_explicit(&words->generation, memory_order_acquire);
}

void shared_generation_word_set(shared_words_t *words, uint64_t generation) {
    atomic_store_explicit(&words->generation, generation, memory_order_release);
}

bool shared_generation_word_replace(shared_words_t *words, uint64_t expected, uint64_t generation) {
    return atomic_compare_exchange_strong(&words->generation, &expected, generation);
}

uint32_t shared_writes(const shared_words_t *words) { return atomic_load(&words->writes); }

uint32_t shared_writes_begin(shared_words_t *words) {
    uint32_t seen = atomic_load(&words->writes), mine = seen + (seen % 2 ? 2 : 1);
    atomic_store(&words->writes, mine);
    return mine;
}

/* A writer that began since has changed the value. */
void shared_writes_end(shared_words_t *words, uint32_t begun) { atomic_compare_exchange_strong(&words->writes, &begun, begun + 1); }

uint32_t shared_wakeup(const shared_words_t *words) { return atomic_load_explicit(&words->wakeup, memory_order_acquire); }

void shared_wakeup_signal(shared_words_t *words) {
    atomic_fetch_add_explicit(&words->wakeup, 1, memory_order_release);
    syscall(SYS_futex, &words->wakeup, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void shared_wakeup_wait(shared_words_t *words, uint32_t seen, int64_t milliseconds) {
    const int64_t limit = 1000LL * 86400 * 365;
    if (milliseconds > limit) milliseconds = limit;
    struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    syscall(SYS_futex, &words->wakeup, FUTEX_WAIT, seen, milliseconds < 0 ? NULL : &t, NULL, 0);
}
