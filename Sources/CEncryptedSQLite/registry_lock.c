#include "internal.h"

static registry shared = {.mutex = PTHREAD_MUTEX_INITIALIZER};

registry *registry_lock(void) {
    pthread_mutex_lock(&shared.mutex);
    return &shared;
}

void registry_unlock(registry *locked) { pthread_mutex_unlock(&locked->mutex); }

static void acquire(void) { (void)registry_lock(); }
static void release(void) { registry_unlock(&shared); }

/* CSealing's lock of cipher contexts is registered before this one, so a fork takes it later: a thread that holds
 * this lock may wait for that one, never the other way round. */
__attribute__((constructor(103))) static void install(void) { pthread_atfork(acquire, release, release); }
