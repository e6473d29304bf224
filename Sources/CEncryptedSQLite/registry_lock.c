#include "internal.h"

pthread_mutex_t encrypted_registry = PTHREAD_MUTEX_INITIALIZER;

static void acquire(void) { pthread_mutex_lock(&encrypted_registry); }
static void release(void) { pthread_mutex_unlock(&encrypted_registry); }

/* CSealing's lock of cipher contexts is registered before this one, so a fork takes it later: a thread that holds
 * this lock may wait for that one, never the other way round. */
__attribute__((constructor(103))) static void install(void) { pthread_atfork(acquire, release, release); }
