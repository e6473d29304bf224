#include "internal.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Contexts that stay keyed between two calls: few, for as many threads as work at once. */

enum { PLACES = 64, PAGE = 4096 };

struct sealing_keyed {
    void *context, *room;
    _Atomic uint64_t owner; /* whose key it has; 0: nobody's */
    _Atomic uint64_t used;
    atomic_flag busy;
};

static sealing_keyed_t places[PLACES] = {[0 ... PLACES - 1] = {.busy = ATOMIC_FLAG_INIT}};
static _Atomic uint64_t owners = 1, uses = 1;

uint64_t sealing_keyed_owner(uint64_t count) { return atomic_fetch_add(&owners, count); }

static bool claim(sealing_keyed_t *place) { return !atomic_flag_test_and_set_explicit(&place->busy, memory_order_acquire); }

void sealing_keyed_give(sealing_keyed_t *place) { atomic_flag_clear_explicit(&place->busy, memory_order_release); }

static bool make(sealing_keyed_t *place) {
    if (!place->context) place->context = sealing_undumped_context();
    return place->context;
}

static void clear(sealing_keyed_t *place) {
    atomic_store(&place->owner, 0);
    if (place->context && !sealing_undumped_forget(place->context)) place->context = NULL;
}

/* In a forked child what a thread of the parent was using is nobody's: that thread will not give it back. */
static void take_back(void) {
    for (sealing_keyed_t *place = places; place < places + PLACES; place++) {
        if (!claim(place)) clear(place);
        sealing_keyed_give(place);
    }
}

__attribute__((constructor)) static void install(void) { pthread_atfork(NULL, NULL, take_back); }

/* The one that has this owner's key, else the one that was used longest ago. */
static sealing_keyed_t *choose(uint64_t owner) {
    for (;;) {
        sealing_keyed_t *oldest = NULL;
        for (sealing_keyed_t *place = places; place < places + PLACES; place++) {
            if (atomic_load_explicit(&place->owner, memory_order_relaxed) == owner && claim(place)) {
                if (atomic_load(&place->owner) == owner) return place;
                sealing_keyed_give(place);
            }
            if (!oldest || atomic_load_explicit(&place->used, memory_order_relaxed) < atomic_load_explicit(&oldest->used, memory_order_relaxed))
                oldest = place;
        }
        if (claim(oldest)) return oldest;
        for (sealing_keyed_t *place = places; place < places + PLACES; place++)
            if (claim(place)) return place;
        sched_yield(); /* more threads than places: theirs is a matter of microseconds */
    }
}

sealing_keyed_t *sealing_keyed_take(uint64_t owner, const sealing_keyed_t *hint, bool *is_keyed) {
    sealing_keyed_t *place = NULL;
    if (hint && atomic_load_explicit(&hint->owner, memory_order_relaxed) == owner) {
        place = (sealing_keyed_t *)hint;
        if (!claim(place)) place = NULL;
    }
    if (!place) place = choose(owner);
    if (!make(place)) {
        sealing_keyed_give(place);
        return NULL;
    }
    atomic_store_explicit(&place->used, atomic_fetch_add_explicit(&uses, 1, memory_order_relaxed), memory_order_relaxed);
    *is_keyed = atomic_load(&place->owner) == owner;
    return place;
}

bool sealing_keyed_key(sealing_keyed_t *place, uint64_t owner, const void *key) {
    atomic_store(&place->owner, 0);
    if (!sealing_undumped_key(place->context, key)) return false;
    atomic_store(&place->owner, owner);
    return true;
}

void *sealing_keyed_room(sealing_keyed_t *place, size_t size) {
    if (!place->room && posix_memalign(&place->room, PAGE, size)) place->room = NULL;
    return place->room;
}

void sealing_keyed_forget(uint64_t first, uint64_t count) {
    for (sealing_keyed_t *place = places; place < places + PLACES; place++) {
        if (atomic_load(&place->owner) - first >= count) continue;
        while (!claim(place)) sched_yield();
        if (atomic_load(&place->owner) - first < count) clear(place);
        sealing_keyed_give(place);
    }
}

bool sealing_keyed_seal(
    sealing_keyed_t *place, const void *nonce, const void *extra, size_t extra_length, const void *plain, size_t length,
    void *out) {
    unsigned char *to = out;
    return sealing_gcm_encrypt(place->context, NULL, nonce, extra, extra_length, plain, length, to, to + length);
}

int32_t sealing_keyed_open(
    sealing_keyed_t *place, const void *nonce, const void *extra, size_t extra_length, const void *sealed, size_t length,
    const void *tag, void *out) {
    return sealing_gcm_decrypt(place->context, NULL, nonce, extra, extra_length, sealed, length, tag, out);
}
