#include "thread_identity.h"
#include "handle.h"
#include "thread_state.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic uint64_t last_number;

/* Unlink and free the frame behind a link. */
static void pop(thread_identity_t **link) {
    thread_identity_t *frame = *link;
    if (!frame) return;
    *link = frame->outer;
    free(frame);
}

static thread_identity_t **find(uintptr_t session) {
    thread_identity_t **link = &thread_state_this.identities;
    while (*link && (*link)->session != session) link = &(*link)->outer;
    return link;
}

/* Remove the frames of closed sessions, which cannot be used again. */
static void drop_closed(uintptr_t session) {
    uintptr_t known = session;
    for (thread_identity_t **link = &thread_state_this.identities; *link;) {
        if ((*link)->session != known && !handle_is_open((*link)->session, HANDLE_SESSION)) {
            pop(link);
            continue;
        }
        known = (*link)->session;
        link = &(*link)->outer;
    }
}

const thread_identity_t *thread_identity_top(uintptr_t session) { return *find(session); }

uint64_t thread_identity_push(uintptr_t session, const char *name, const char *given, bool scoped) {
    thread_identity_t **innermost = &thread_state_this.identities;
    if (*innermost && (*innermost)->session != session) drop_closed(session);
    const thread_identity_t *top = thread_identity_top(session);
    uint32_t depth = top ? top->depth : 0;
    if (depth == THREAD_IDENTITY_DEPTH) return 0;
    size_t length = name ? strlen(name) + 1 : 0, given_length = given ? strlen(given) + 1 : 0;
    thread_identity_t *frame = malloc(sizeof *frame + length + given_length);
    if (!frame) abort(); /* without memory Swift would end the process too */
    uint64_t number = atomic_fetch_add(&last_number, 1) + 1;
    char *text = (char *)(frame + 1);
    *frame = (thread_identity_t){.outer = *innermost, .session = session, .number = number, .depth = depth + 1, .scoped = scoped};
    if (name) frame->name = memcpy(text, name, length);
    if (given) frame->given = memcpy(text + length, given, given_length);
    *innermost = frame;
    thread_state_watch_end();
    return number;
}

bool thread_identity_pop(uintptr_t session) {
    thread_identity_t **link = find(session);
    if (!*link || (*link)->scoped) return false;
    pop(link);
    return true;
}

void thread_identity_unwind(uintptr_t session, uint64_t number) {
    for (;;) {
        thread_identity_t **link = find(session);
        /* The frame may be gone if the function closed the session. Numbers increase towards the top. */
        if (!*link || (*link)->number < number) return;
        pop(link);
    }
}

void thread_identity_forget(uintptr_t session) {
    for (thread_identity_t **link = find(session); *link; link = find(session)) pop(link);
}
