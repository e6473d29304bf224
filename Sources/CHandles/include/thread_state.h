#ifndef THREAD_STATE_H
#define THREAD_STATE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* State that libmam keeps for one thread, in static thread-local storage: reading it allocates nothing. */
typedef struct thread_state {
    int32_t status;                                    /* of the latest call */
    char *_Nullable message;                           /* of the latest failure; from malloc */
    char *_Nullable user_message;                      /* the same for a person; from malloc */
    char *_Nullable detail;                            /* the same as JSON; from malloc */
    const struct thread_callback *_Nullable callbacks; /* host functions that this thread is inside, innermost first */
    struct thread_identity *_Nullable identities;      /* thread_identity.h; innermost first */
    bool is_worker;                                    /* set by libmam's threads that carry out operations */
    bool is_requester;                                 /* set by the one of these that asks a service */
    int32_t fork_delay_depth;                          /* nesting of sections that hold forks back */
} thread_state_t;

/* One call of a host function; lives on the stack of the call. */
typedef struct thread_callback {
    uintptr_t token; /* of the calling session */
    const struct thread_callback *_Nullable outer;
} thread_callback_t;

extern _Thread_local thread_state_t thread_state_this __attribute__((tls_model("initial-exec")));

static inline thread_state_t *_Nonnull thread_state_current(void) { return &thread_state_this; }

/* Store malloc'ed texts as this thread's latest failure; frees the former ones, and these when the thread ends. */
void thread_state_fail(int32_t status, char *_Nullable message, char *_Nullable user_message, char *_Nullable detail);

/* Free what the state holds when this thread ends. */
void thread_state_watch_end(void);

#endif
