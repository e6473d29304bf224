/* Shared between the files of this folder only. */
#ifndef PLATFORM_INTERNAL_H
#define PLATFORM_INTERNAL_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of forks between the process that libmam was loaded in and this one, in memory that every fork empties: it is
 * another number in a child, also where that was made by the bare system call and no handler ran. */
extern _Atomic uint32_t *platform_forks;
static inline uint32_t platform_forks_now(void) { return atomic_load_explicit(platform_forks, memory_order_relaxed); }
/* The same for who begins something of this process. */
uint32_t platform_forks_begin(void);

void platform_handles_before_fork(void);
void platform_handles_after_fork_parent(void);
void platform_handles_after_fork_child(void);
void platform_secrets_before_fork(void);
void platform_secrets_after_fork_parent(void);
void platform_secrets_after_fork_child(void);
void platform_words_before_fork(void);
void platform_words_after_fork(void);
void platform_threads_after_fork_child(void);
/* Whether a type of file systems, by statfs, is one of the network. */
bool platform_is_network_type(uint64_t type);
/* Begin a thread that no signal of the host's reaches; 0 or an errno. */
int platform_thread_begin(pthread_t *thread, size_t stack, void *(*run)(void *), void *argument);
/* This thread is about to end. */
void platform_identities_end(void);

#endif
