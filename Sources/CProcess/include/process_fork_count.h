#ifndef PROCESS_FORK_COUNT_H
#define PROCESS_FORK_COUNT_H
#include <stdatomic.h>
#include <stdint.h>

/* The number of forks between the process that loaded libmam and this one. It lies in memory that every fork
 * empties, so it also differs in a child that was made by the bare system call, where no handler ran. */
extern _Atomic uint32_t *_Nonnull process_forks;
static inline uint32_t process_forks_now(void) { return atomic_load_explicit(process_forks, memory_order_relaxed); }
/* The same for a caller that creates an object of this process: never 0. */
uint32_t process_forks_for_new_object(void);

#endif
