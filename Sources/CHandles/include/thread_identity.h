#ifndef THREAD_IDENTITY_H
#define THREAD_IDENTITY_H
#include <stdbool.h>
#include <stdint.h>

/* The stack of identities of one thread, in which every session sees only its own frames. It is freed when the
 * thread ends. Frames of sessions that were closed meanwhile are removed by the next push. */

enum { THREAD_IDENTITY_DEPTH = 1024 /* frames of one session on one thread */ };

typedef struct thread_identity {
    struct thread_identity *_Nullable outer;
    uintptr_t session;     /* its token */
    uint64_t number;       /* unique in the process */
    uint32_t depth;        /* among the frames of its session, from 1 */
    bool scoped;           /* pushed for a function that is running: thread_identity_pop leaves it alone */
    char *_Nullable name;  /* NULL: not set; stored behind the frame */
    char *_Nullable given; /* the host's name, where the account id took its place; stored behind the name */
} thread_identity_t;

/* The innermost frame of a session on this thread, or NULL. Valid until the next push or pop on this thread. */
const thread_identity_t *_Nullable thread_identity_top(uintptr_t session);
/* Push a frame and return its number; 0 if there are THREAD_IDENTITY_DEPTH. */
uint64_t thread_identity_push(uintptr_t session, const char *_Nullable name, const char *_Nullable given, bool scoped);
/* Remove the innermost frame; false if there is none, or it is scoped. */
bool thread_identity_pop(uintptr_t session);
/* Remove a scoped frame and all frames above it. */
void thread_identity_unwind(uintptr_t session, uint64_t number);
/* Remove every frame of a session from this thread. */
void thread_identity_forget(uintptr_t session);

#endif
