#include "internal.h"
#include <malloc.h>
#include <platform_secrets.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* An AES key schedule begins with the key. The pages of a context that stays keyed are locked and left out of core dumps for
 * good: contexts are used again rather than freed, so that it is no other data's memory that a dump lacks. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sealing_undumped_t *all, *unused;

static void take(void) { pthread_mutex_lock(&lock); }
static void give(void) { pthread_mutex_unlock(&lock); }

/* libcrypto allocates its memory as the host wants it, so a fork does not empty it: it is done here, which takes nothing but
 * time. Nobody has one of them any more, since whoever takes one notes it in memory that the fork has emptied. */
static void give_in_child(void) {
    unused = NULL;
    for (sealing_undumped_t *one = all; one; one = one->next) {
        sealing_undumped_forget(one);
        if (!one->context) continue;
        one->next_unused = unused;
        unused = one;
    }
    pthread_mutex_unlock(&lock);
}

/* A forked child closes what it inherited: nobody may hold the lock at that moment. It is registered before the handlers of
 * the other rooms, so that it is taken after what those wait for: whoever holds that may want this lock. */
__attribute__((constructor(101))) static void install(void) { pthread_atfork(take, give, give_in_child); }

static void *make(void) {
    void *context = sealing_start() ? sealing_cipher.make(sealing_provider()) : NULL;
    if (!context) return NULL;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)context & ~(page - 1);
    uintptr_t end = ((uintptr_t)context + malloc_usable_size(context) + page - 1) & ~(page - 1);
    platform_secret_lock((void *)from, end - from);
    return context;
}

sealing_undumped_t *sealing_undumped_take(void) {
    take();
    sealing_undumped_t *one = unused;
    if (one) unused = one->next_unused;
    give();
    if (one || !(one = malloc(sizeof *one))) return one;
    *one = (sealing_undumped_t){NULL, NULL, make()};
    if (!one->context) {
        free(one);
        return NULL;
    }
    take();
    one->next = all;
    all = one;
    give();
    return one;
}

void sealing_undumped_give(sealing_undumped_t *one) {
    sealing_undumped_forget(one);
    if (!one->context) return;
    take();
    one->next_unused = unused;
    unused = one;
    give();
}

bool sealing_undumped_key(sealing_undumped_t *one, const void *key) {
    return one->context && sealing_cipher.encrypt(one->context, key, SEALING_KEY, NULL, 0, NULL) == 1;
}

void sealing_undumped_forget(sealing_undumped_t *one) {
    static const unsigned char zeros[SEALING_KEY];
    if (!one->context || sealing_undumped_key(one, zeros)) return;
    OPENSSL_cleanse(one->context, malloc_usable_size(one->context));
    one->context = NULL;
}
