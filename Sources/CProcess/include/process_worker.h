#ifndef PROCESS_WORKER_H
#define PROCESS_WORKER_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Start a thread with every signal blocked, so that the host's handlers never run on it; 0 or an errno. */
int process_thread_start(
    pthread_t *_Nonnull thread, size_t stack, void *_Nullable (*_Nonnull run)(void *_Nullable argument), void *_Nullable argument);

/* A long-lived thread of libmam's, started in the same way. */
typedef struct process_worker process_worker_t;
int process_worker_start(
    void (*_Nonnull run)(void *_Nullable context), void *_Nullable context, process_worker_t *_Nullable *_Nonnull worker);
/* Wait for the thread to end and release it; not from the thread itself. */
void process_worker_join(process_worker_t *_Nonnull worker);
bool process_worker_is_current(process_worker_t *_Nonnull worker);
/* In a forked child, where the thread does not exist: release the memory only. */
void process_worker_forget(process_worker_t *_Nonnull worker);

#endif
