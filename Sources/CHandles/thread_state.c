#include "thread_state.h"
#include "thread_identity.h"
#include <pthread.h>
#include <stdlib.h>

_Thread_local thread_state_t thread_state_this __attribute__((tls_model("initial-exec")));

static pthread_key_t cleanup_key;
static pthread_once_t cleanup_once = PTHREAD_ONCE_INIT;

static void free_error(thread_state_t *t) {
    free(t->message);
    free(t->user_message);
    free(t->detail);
}

static void end_thread(void *ignored) {
    (void)ignored;
    thread_state_t *t = &thread_state_this;
    free_error(t);
    t->message = t->user_message = t->detail = NULL;
    while (t->identities) {
        thread_identity_t *frame = t->identities;
        t->identities = frame->outer;
        free(frame);
    }
}

static void make_key(void) { pthread_key_create(&cleanup_key, end_thread); }

void thread_state_watch_end(void) {
    pthread_once(&cleanup_once, make_key);
    pthread_setspecific(cleanup_key, &thread_state_this);
}

void thread_state_fail(int32_t status, char *message, char *user_message, char *detail) {
    thread_state_t *t = &thread_state_this;
    thread_state_watch_end();
    free_error(t);
    t->status = status;
    t->message = message;
    t->user_message = user_message;
    t->detail = detail;
}
