#ifndef PLATFORM_THREAD_H
#define PLATFORM_THREAD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What libmam knows of one thread. Lives in static thread storage: reading it allocates nothing. */
typedef struct platform_thread {
    int32_t status;              /* of its latest call */
    char *_Nullable message;     /* of its latest failure; malloc'ed */
    char *_Nullable detail;      /* the same as JSON; malloc'ed */
    const struct platform_callback *_Nullable callbacks; /* the host's functions that this thread is inside, innermost first */
    bool is_worker;              /* set by the worker itself */
    int32_t gate_depth;          /* how often it is inside what holds forks back */
} platform_thread_t;

/* One call of a host's function; lives on the stack of the call. */
typedef struct platform_callback {
    uintptr_t token; /* of the session that calls */
    const struct platform_callback *_Nullable outer;
} platform_callback_t;

extern _Thread_local platform_thread_t platform_this_thread __attribute__((tls_model("initial-exec")));

static inline platform_thread_t *_Nonnull platform_thread_current(void) { return &platform_this_thread; }

/* Keep malloc'ed texts as this thread's latest failure; the former ones are freed, and these when the thread ends. */
void platform_thread_fail(int32_t status, char *_Nullable message, char *_Nullable detail);

/* What this thread holds is freed when it ends. */
void platform_thread_watch_end(void);

/* Start a thread with every signal blocked, so that the host's handlers never run on it. 0, or an errno. */
typedef struct platform_worker platform_worker_t;
int platform_worker_start(
    void (*_Nonnull run)(void *_Nullable context), void *_Nullable context, platform_worker_t *_Nullable *_Nonnull worker);
/* Wait for its end and release it. Not from the thread itself. */
void platform_worker_join(platform_worker_t *_Nonnull worker);
bool platform_worker_is_current(platform_worker_t *_Nonnull worker);
/* In a forked child the thread does not exist: release only. */
void platform_worker_forget(platform_worker_t *_Nonnull worker);

/* When the process exits: `stop` is called for each worker still running, which then has `milliseconds` to end. */
uint64_t platform_exit_add(
    void (*_Nonnull stop)(void *_Nullable context), void *_Nullable context, platform_worker_t *_Nonnull worker);
void platform_exit_remove(uint64_t number);

#endif
