/* The slots that tokens name: handle.c allocates them, policy_bits.c reads them without a lock. */
#ifndef HANDLE_SLOTS_H
#define HANDLE_SLOTS_H
#include "handle.h"
#include "process_fork_count.h"
#include <stdatomic.h>
#include <stddef.h>

/* token = reuse_number << 20 | slot number, reuse_number >= 1. state = reuse_number << 32 | closing << 31 | users. */
enum { SLOT_BITS = 20, CHUNK_BITS = 10, CHUNK = 1 << CHUNK_BITS, CHUNKS = 1 << (SLOT_BITS - CHUNK_BITS) };
#define CLOSING 0x80000000u
#define USERS 0x7FFFFFFFu

typedef struct slot {
    _Atomic uint64_t state;
    _Atomic uint32_t kind;
    _Atomic uint32_t forks_at_creation; /* differs from process_forks_now() in a child: HANDLE_FORKED */
    const void *object;
    struct published *_Atomic bits; /* allocated for the first policy handle of the slot, then kept */
    uint32_t next_free;
} slot;

extern slot *_Atomic handle_slots[CHUNKS];

static inline slot *slot_of(uintptr_t token) {
    if ((uint64_t)token >> (SLOT_BITS + 32)) return NULL; /* not a token */
    uint32_t number = (uint32_t)token & ((1u << SLOT_BITS) - 1);
    slot *chunk = atomic_load_explicit(&handle_slots[number >> CHUNK_BITS], memory_order_acquire);
    return chunk ? &chunk[number & (CHUNK - 1)] : NULL;
}

static inline uint32_t reuse_number_of(uintptr_t token) { return (uint32_t)(token >> SLOT_BITS); }

static inline int32_t slot_check_token(uintptr_t token, int32_t kind, slot **out, uint64_t *state) {
    if (!token) return HANDLE_ARGUMENT;
    slot *s = slot_of(token);
    if (!s) return HANDLE_CLOSED;
    *state = atomic_load_explicit(&s->state, memory_order_acquire);
    if ((uint32_t)(*state >> 32) != reuse_number_of(token) || reuse_number_of(token) == 0) return HANDLE_CLOSED;
    if (atomic_load_explicit(&s->kind, memory_order_relaxed) != (uint32_t)kind) return HANDLE_CLOSED;
    *out = s;
    if (*state & CLOSING) return HANDLE_CLOSED;
    if (atomic_load_explicit(&s->forks_at_creation, memory_order_relaxed) != process_forks_now()) return HANDLE_FORKED;
    return HANDLE_OK;
}

#endif
