/* Shared between the files of this folder only. */
#ifndef PROCESS_INTERNAL_H
#define PROCESS_INTERNAL_H
#include "process_worker.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* fork_count.c: count a fork in the child; keep the count in `word` from now on. */
void process_forks_count(void);
void process_forks_move(_Atomic uint32_t *word);

/* worker.c: whether the thread's function has returned. */
bool process_worker_has_ended(process_worker_t *worker);

/* Called by the fork handlers of fork.c. */
void shared_words_before_fork(void);
void shared_words_after_fork(void);
void process_exit_after_fork_child(void);

#endif
