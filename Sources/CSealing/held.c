#include "internal.h"
#include <pthread.h>
#include <stdlib.h>

struct sealing_held {
    struct sealing_held *next;
    void *context;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sealing_held_t *unused;

static void take(void) { pthread_mutex_lock(&lock); }
static void give(void) { pthread_mutex_unlock(&lock); }

/* A forked child closes what it inherited: nobody may hold the lock at that moment. It is registered before the handlers of
 * the other rooms, so that it is taken after what those wait for: whoever holds that may want this lock. */
__attribute__((constructor(101))) static void install(void) { pthread_atfork(take, give, give); }

static sealing_held_t *make(void) {
    sealing_held_t *one = malloc(sizeof *one);
    void *context = one ? sealing_undumped_context() : NULL;
    if (!context) {
        free(one);
        return NULL;
    }
    *one = (sealing_held_t){NULL, context};
    return one;
}

sealing_held_t *sealing_held_new(const void *key) {
    take();
    sealing_held_t *one = unused;
    if (one) unused = one->next;
    give();
    if (!one && !(one = make())) return NULL;
    if (sealing_undumped_key(one->context, key)) return one;
    sealing_held_free(one);
    return NULL;
}

void sealing_held_free(sealing_held_t *one) {
    if (!one) return;
    if (!sealing_undumped_forget(one->context)) {
        free(one);
        return;
    }
    take();
    one->next = unused;
    unused = one;
    give();
}

bool sealing_held_seal(
    sealing_held_t *one, const void *nonce, const void *extra, size_t extra_length, const void *plain, size_t length,
    void *out, void *tag) {
    return sealing_gcm_encrypt(one->context, NULL, nonce, extra, extra_length, plain, length, out, tag);
}

int32_t sealing_held_open(
    sealing_held_t *one, const void *nonce, const void *extra, size_t extra_length, const void *sealed, size_t length,
    const void *tag, void *out) {
    int32_t status = sealing_gcm_decrypt(one->context, NULL, nonce, extra, extra_length, sealed, length, tag, out);
    if (status != SEALING_OK && length) OPENSSL_cleanse(out, length);
    return status;
}
