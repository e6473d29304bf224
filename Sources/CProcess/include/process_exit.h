#ifndef PROCESS_EXIT_H
#define PROCESS_EXIT_H
#include "process_worker.h"
#include <stdint.h>

/* When the process exits, `stop` is called for each worker that still runs; they then have a bounded time to end. */
uint64_t process_exit_add(
    void (*_Nonnull stop)(void *_Nullable context), void *_Nullable context, process_worker_t *_Nonnull worker);
void process_exit_remove(uint64_t number);
/* Do so from a function of `atexit` that runs before those that were registered by now; else it happens in a destructor,
 * after all of them. A thread that uses a library needs this where that library cleans up at exit. */
void process_exit_stop_early(void);

#endif
