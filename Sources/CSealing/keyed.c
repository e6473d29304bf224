#include "internal.h"
#include <platform_secrets.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Ciphers that stay keyed between two calls: few, for as many threads as work at once. The places are secret memory, so that
 * a forked child begins with none: what a thread of the parent was using there is nobody's, and no owner's key is in it. */

enum { PLACES = 64, PAGE = 4096 };

struct sealing_keyed {
    sealing_undumped_t *cipher;
    _Atomic uint64_t owner; /* whose key it has; 0: nobody's */
    _Atomic uint64_t used;
    atomic_flag busy;
};

static sealing_keyed_t *_Atomic all; /* NULL: not made yet */
static void *rooms[PLACES];
static _Atomic uint64_t owners = 1, uses = 1;

uint64_t sealing_keyed_owner(uint64_t count) { return atomic_fetch_add(&owners, count); }

static bool claim(sealing_keyed_t *place) { return !atomic_flag_test_and_set_explicit(&place->busy, memory_order_acquire); }

void sealing_keyed_give(sealing_keyed_t *place) { atomic_flag_clear_explicit(&place->busy, memory_order_release); }

static bool make(sealing_keyed_t *place) {
    if (!place->cipher || !place->cipher->context) place->cipher = sealing_undumped_take();
    return place->cipher;
}

static void clear(sealing_keyed_t *place) {
    atomic_store(&place->owner, 0);
    if (place->cipher) sealing_undumped_forget(place->cipher);
}

/* NULL where there are none. */
static sealing_keyed_t *find_places(void) {
    sealing_keyed_t *places = atomic_load_explicit(&all, memory_order_acquire);
    return places && platform_secret_is_alive(places) ? places : NULL;
}

static sealing_keyed_t *make_places(void) {
    const size_t size = PLACES * sizeof(sealing_keyed_t);
    sealing_keyed_t *former = atomic_load(&all), *places = find_places();
    if (places || !(places = platform_secret_alloc(NULL, size))) return places;
    if (atomic_compare_exchange_strong(&all, &former, places)) return places;
    platform_secret_free(places, size);
    return former;
}

/* The one that has this owner's key, else the one that was used longest ago. */
static sealing_keyed_t *choose(sealing_keyed_t *places, uint64_t owner) {
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
    sealing_keyed_t *place = NULL, *places = make_places();
    if (!places) return NULL;
    if (hint && atomic_load_explicit(&hint->owner, memory_order_relaxed) == owner) {
        place = (sealing_keyed_t *)hint;
        if (!claim(place)) place = NULL;
    }
    if (!place) place = choose(places, owner);
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
    if (!sealing_undumped_key(place->cipher, key)) return false;
    atomic_store(&place->owner, owner);
    return true;
}

void *sealing_keyed_room(sealing_keyed_t *place, size_t size) {
    void **room = &rooms[place - atomic_load_explicit(&all, memory_order_relaxed)];
    if (!*room && posix_memalign(room, PAGE, size)) *room = NULL;
    return *room;
}

void sealing_keyed_forget(uint64_t first, uint64_t count) {
    sealing_keyed_t *places = find_places();
    if (!places) return;
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
    return sealing_gcm_encrypt(place->cipher, NULL, nonce, extra, extra_length, plain, length, to, to + length);
}

int32_t sealing_keyed_open(
    sealing_keyed_t *place, const void *nonce, const void *extra, size_t extra_length, const void *sealed, size_t length,
    const void *tag, void *out) {
    return sealing_gcm_decrypt(place->cipher, NULL, nonce, extra, extra_length, sealed, length, tag, out);
}
