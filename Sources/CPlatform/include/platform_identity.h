#ifndef PLATFORM_IDENTITY_H
#define PLATFORM_IDENTITY_H
#include <stdbool.h>
#include <stdint.h>

/* The identities that one thread carries: a stack, in which every session sees only its own frames. Nothing of it reaches
 * another thread, and it is freed when the thread ends. Frames of sessions that are closed meanwhile go at the next push. */

enum { PLATFORM_IDENTITY_DEPTH = 1024 /* frames of one session on one thread */ };

typedef struct platform_identity {
    struct platform_identity *_Nullable outer;
    uintptr_t session; /* its token */
    uint64_t number;   /* never used twice */
    uint32_t depth;    /* among the frames of its session, from 1 */
    bool scoped;       /* made for a function that is running: platform_identity_pop leaves it alone */
    char *_Nullable name; /* NULL: not set; after the frame in memory */
} platform_identity_t;

/* The innermost frame of a session on this thread; NULL when there is none. Valid until the next push or pop here. */
const platform_identity_t *_Nullable platform_identity_top(uintptr_t session);
/* A new frame: its number; 0 when there are PLATFORM_IDENTITY_DEPTH. */
uint64_t platform_identity_push(uintptr_t session, const char *_Nullable name, bool scoped);
/* Remove the innermost frame; false when there is none, or it is scoped. */
bool platform_identity_pop(uintptr_t session);
/* Remove a scoped frame and whatever was left above it. */
void platform_identity_unwind(uintptr_t session, uint64_t number);
/* Remove every frame of a session from this thread. */
void platform_identity_forget(uintptr_t session);

#endif
