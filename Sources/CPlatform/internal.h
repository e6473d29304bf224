/* Shared between the files of this folder only. */
#ifndef PLATFORM_INTERNAL_H
#define PLATFORM_INTERNAL_H
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

extern _Atomic uint32_t platform_forks;

void platform_handles_before_fork(void);
void platform_handles_after_fork_parent(void);
void platform_handles_after_fork_child(void);
void platform_memory_before_fork(void);
void platform_memory_after_fork(void);
void platform_words_before_fork(void);
void platform_words_after_fork(void);
void platform_threads_after_fork_child(void);
/* Begin a thread that no signal of the host's reaches; 0 or an errno. */
int platform_thread_begin(pthread_t *thread, size_t stack, void *(*run)(void *), void *argument);
/* This thread is about to end. */
void platform_identities_end(void);

#endif
