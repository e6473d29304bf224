#include "internal.h"
#include <malloc.h>
#include <process_secrets.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* An AES key schedule begins with the key, so the pages of a context are locked and excluded from core dumps. Contexts are
 * reused, never freed: otherwise dumps would also lack data that the allocator places in these pages later. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sealing_context_t *all, *unused;

static void acquire(void) { pthread_mutex_lock(&lock); }
static void release(void) { pthread_mutex_unlock(&lock); }

/* libcrypto allocates contexts with the host's allocator, in memory that a fork keeps, so their keys are cleared here. All
 * become unused: the pointers of their owners lie in memory that the fork emptied. */
static void release_in_child(void) {
    unused = NULL;
    for (sealing_context_t *cipher_context = all; cipher_context; cipher_context = cipher_context->next) {
        sealing_context_clear(cipher_context);
        if (!cipher_context->context) continue;
        cipher_context->next_unused = unused;
        unused = cipher_context;
    }
    pthread_mutex_unlock(&lock);
}

/* The child needs this lock to close what it inherited, so no thread may hold it during a fork. The priority puts the
 * registration before other handlers: their locks are taken first, since their holders may be waiting for this cipher. */
__attribute__((constructor(102))) static void install(void) { pthread_atfork(acquire, release, release_in_child); }

static void *make_context(void) {
    void *context = sealing_start() ? sealing_functions.make(sealing_provider()) : NULL;
    if (!context) return NULL;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)context & ~(page - 1);
    uintptr_t end = ((uintptr_t)context + malloc_usable_size(context) + page - 1) & ~(page - 1);
    process_secret_lock((void *)from, end - from);
    return context;
}

sealing_context_t *sealing_context_acquire(void) {
    acquire();
    sealing_context_t *cipher_context = unused;
    if (cipher_context) unused = cipher_context->next_unused;
    release();
    if (cipher_context || !(cipher_context = malloc(sizeof *cipher_context))) return cipher_context;
    *cipher_context = (sealing_context_t){NULL, NULL, make_context()};
    if (!cipher_context->context) {
        free(cipher_context);
        return NULL;
    }
    acquire();
    cipher_context->next = all;
    all = cipher_context;
    release();
    return cipher_context;
}

void sealing_context_release(sealing_context_t *cipher_context) {
    sealing_context_clear(cipher_context);
    if (!cipher_context->context) return;
    acquire();
    cipher_context->next_unused = unused;
    unused = cipher_context;
    release();
}

bool sealing_context_set_key(sealing_context_t *cipher_context, const void *key) {
    return cipher_context->context && sealing_functions.encrypt(cipher_context->context, key, SEALING_KEY, NULL, 0, NULL) == 1;
}

void sealing_context_clear(sealing_context_t *cipher_context) {
    static const unsigned char zeros[SEALING_KEY];
    if (!cipher_context->context || sealing_context_set_key(cipher_context, zeros)) return;
    OPENSSL_cleanse(cipher_context->context, malloc_usable_size(cipher_context->context));
    cipher_context->context = NULL;
}
