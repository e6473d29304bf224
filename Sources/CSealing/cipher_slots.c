#include "internal.h"
#include <process_secrets.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A fixed number of slots, as many as threads work at the same time. They lie in secret memory, so that a forked child starts
 * without any: no slot is then in use by a thread of the parent, and none has a key. */

enum { SLOTS = 64, PAGE = 4096 };

struct sealing_slot {
    sealing_context_t *cipher;
    _Atomic uint64_t owner; /* of its key; 0: none */
    _Atomic uint64_t used;
    atomic_flag is_busy;
};

static sealing_slot_t *_Atomic all; /* NULL until first used */
static void *memories[SLOTS];
static _Atomic uint64_t owners = 1, uses = 1;

uint64_t sealing_slot_new_owners(uint64_t count) { return atomic_fetch_add(&owners, count); }

static bool claim(sealing_slot_t *slot) { return !atomic_flag_test_and_set_explicit(&slot->is_busy, memory_order_acquire); }

void sealing_slot_release(sealing_slot_t *slot) { atomic_flag_clear_explicit(&slot->is_busy, memory_order_release); }

static bool provide_context(sealing_slot_t *slot) {
    if (!slot->cipher || !slot->cipher->context) slot->cipher = sealing_context_acquire();
    return slot->cipher;
}

static void clear_key(sealing_slot_t *slot) {
    atomic_store(&slot->owner, 0);
    if (slot->cipher) sealing_context_clear(slot->cipher);
}

/* NULL if there are none in this process. */
static sealing_slot_t *find_slots(void) {
    sealing_slot_t *slots = atomic_load_explicit(&all, memory_order_acquire);
    return slots && process_secret_is_alive(slots) ? slots : NULL;
}

static sealing_slot_t *make_slots(void) {
    const size_t size = SLOTS * sizeof(sealing_slot_t);
    sealing_slot_t *current = atomic_load(&all), *slots = find_slots();
    if (slots || !(slots = process_secret_alloc(NULL, size))) return slots;
    if (atomic_compare_exchange_strong(&all, &current, slots)) return slots;
    process_secret_free(slots, size);
    return current;
}

/* The slot that has this owner's key, else the least recently used one. */
static sealing_slot_t *choose(sealing_slot_t *slots, uint64_t owner) {
    for (;;) {
        sealing_slot_t *oldest = NULL;
        for (sealing_slot_t *slot = slots; slot < slots + SLOTS; slot++) {
            if (atomic_load_explicit(&slot->owner, memory_order_relaxed) == owner && claim(slot)) {
                if (atomic_load(&slot->owner) == owner) return slot;
                sealing_slot_release(slot);
            }
            if (!oldest
                || atomic_load_explicit(&slot->used, memory_order_relaxed)
                    < atomic_load_explicit(&oldest->used, memory_order_relaxed))
                oldest = slot;
        }
        if (claim(oldest)) return oldest;
        for (sealing_slot_t *slot = slots; slot < slots + SLOTS; slot++)
            if (claim(slot)) return slot;
        sched_yield(); /* more threads than slots, which are held for microseconds */
    }
}

sealing_slot_t *sealing_slot_acquire(uint64_t owner, const sealing_slot_t *hint, bool *is_keyed) {
    sealing_slot_t *slot = NULL, *slots = make_slots();
    if (!slots) return NULL;
    if (hint && atomic_load_explicit(&hint->owner, memory_order_relaxed) == owner) {
        slot = (sealing_slot_t *)hint;
        if (!claim(slot)) slot = NULL;
    }
    if (!slot) slot = choose(slots, owner);
    if (!provide_context(slot)) {
        sealing_slot_release(slot);
        return NULL;
    }
    atomic_store_explicit(&slot->used, atomic_fetch_add_explicit(&uses, 1, memory_order_relaxed), memory_order_relaxed);
    *is_keyed = atomic_load(&slot->owner) == owner;
    return slot;
}

bool sealing_slot_set_key(sealing_slot_t *slot, uint64_t owner, const void *key) {
    atomic_store(&slot->owner, 0);
    if (!sealing_context_set_key(slot->cipher, key)) return false;
    atomic_store(&slot->owner, owner);
    return true;
}

void *sealing_slot_memory(sealing_slot_t *slot, size_t size) {
    void **memory = &memories[slot - atomic_load_explicit(&all, memory_order_relaxed)];
    if (!*memory && posix_memalign(memory, PAGE, size)) *memory = NULL;
    return *memory;
}

void sealing_slot_clear_keys(uint64_t first, uint64_t count) {
    sealing_slot_t *slots = find_slots();
    if (!slots) return;
    for (sealing_slot_t *slot = slots; slot < slots + SLOTS; slot++) {
        if (atomic_load(&slot->owner) - first >= count) continue;
        while (!claim(slot)) sched_yield();
        if (atomic_load(&slot->owner) - first < count) clear_key(slot);
        sealing_slot_release(slot);
    }
}

bool sealing_slot_seal(
    sealing_slot_t *slot, const void *nonce, const void *extra, size_t extra_length, const void *plain, size_t length, void *out) {
    unsigned char *to = out;
    return sealing_gcm_encrypt(slot->cipher, NULL, nonce, extra, extra_length, plain, length, to, to + length);
}

int32_t sealing_slot_open(
    sealing_slot_t *slot, const void *nonce, const void *extra, size_t extra_length, const void *sealed, size_t length,
    const void *tag, void *out) {
    return sealing_gcm_decrypt(slot->cipher, NULL, nonce, extra, extra_length, sealed, length, tag, out);
}
