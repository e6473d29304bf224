#include "platform_identity.h"
#include "internal.h"
#include "platform_handle.h"
#include "platform_thread.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local platform_identity_t *innermost __attribute__((tls_model("initial-exec")));
static _Atomic uint64_t last_number;

/* Unlinks and frees the frame that a link leads to. */
static void take(platform_identity_t **link) {
    platform_identity_t *frame = *link;
    *link = frame->outer;
    free(frame);
}

static platform_identity_t **find(uintptr_t session) {
    platform_identity_t **link = &innermost;
    while (*link && (*link)->session != session) link = &(*link)->outer;
    return link;
}

/* A session that is open keeps its frames; those of any other can never be asked for again. */
static void drop_closed(uintptr_t session) {
    uintptr_t known = session;
    for (platform_identity_t **link = &innermost; *link;) {
        if ((*link)->session != known && !platform_handle_is_open((*link)->session, PLATFORM_HANDLE_SESSION)) {
            take(link);
            continue;
        }
        known = (*link)->session;
        link = &(*link)->outer;
    }
}

const platform_identity_t *platform_identity_top(uintptr_t session) { return *find(session); }

uint64_t platform_identity_push(uintptr_t session, const char *name, bool scoped) {
    if (innermost && innermost->session != session) drop_closed(session);
    const platform_identity_t *top = platform_identity_top(session);
    uint32_t depth = top ? top->depth : 0;
    if (depth == PLATFORM_IDENTITY_DEPTH) return 0;
    size_t length = name ? strlen(name) + 1 : 0;
    platform_identity_t *frame = malloc(sizeof *frame + length);
    if (!frame) abort(); /* out of memory: Swift would end the process here as well */
    uint64_t number = atomic_fetch_add(&last_number, 1) + 1;
    *frame = (platform_identity_t){innermost, session, number, depth + 1, scoped, name ? (char *)(frame + 1) : NULL};
    if (name) memcpy(frame->name, name, length);
    innermost = frame;
    platform_thread_watch_end();
    return number;
}

bool platform_identity_pop(uintptr_t session) {
    platform_identity_t **link = find(session);
    if (!*link || (*link)->scoped) return false;
    take(link);
    return true;
}

void platform_identity_unwind(uintptr_t session, uint64_t number) {
    for (;;) {
        platform_identity_t **link = find(session);
        /* Gone already where the function closed the session. Numbers grow towards the top. */
        if (!*link || (*link)->number < number) return;
        take(link);
    }
}

void platform_identity_forget(uintptr_t session) {
    for (platform_identity_t **link = find(session); *link; link = find(session)) take(link);
}

void platform_identities_end(void) {
    while (innermost) take(&innermost);
}
