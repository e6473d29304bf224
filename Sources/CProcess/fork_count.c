#include "internal.h"
#include "process_fork_count.h"

static _Atomic uint32_t forks = 1; /* a child keeps its value */
/* Memory that a fork zeroes in the child; `forks` itself where there is none. */
_Atomic uint32_t *process_forks = &forks;

void process_forks_count(void) { atomic_store(process_forks, atomic_fetch_add(&forks, 1) + 1); }

void process_forks_move(_Atomic uint32_t *word) {
    atomic_store(word, atomic_load(&forks));
    process_forks = word;
}

/* In a child in which no handler ran, the word is 0 until the child counts itself here. */
uint32_t process_forks_for_new_object(void) {
    if (process_forks_now() == 0) process_forks_count();
    return process_forks_now();
}
