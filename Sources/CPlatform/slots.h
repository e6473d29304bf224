/* The slots that tokens name; shared by handle.c, which gives them out, and answers.c, which reads them without a lock. */
#ifndef PLATFORM_SLOTS_H
#define PLATFORM_SLOTS_H
#include "internal.h"
#include "platform_handle.h"
#include <stddef.h>

/* token = use << 20 | slot number, use >= 1. state = use << 32 | closing << 31 | users. */
enum { SLOT_BITS = 20, CHUNK_BITS = 10, CHUNK = 1 << CHUNK_BITS, CHUNKS = 1 << (SLOT_BITS - CHUNK_BITS) };
#define CLOSING 0x80000000u
#define USERS 0x7FFFFFFFu

typedef struct slot {
    _Atomic uint64_t state;
    _Atomic uint32_t kind, forks;
    const void *object;
    struct published *_Atomic answers; /* made when first needed, then kept with the slot */
    uint32_t next_free;
} slot;

extern slot *_Atomic platform_slots[CHUNKS];

static inline slot *slot_of(uintptr_t token) {
    if ((uint64_t)token >> (SLOT_BITS + 32)) return NULL; /* no token has these bits */
    uint32_t number = (uint32_t)token & ((1u << SLOT_BITS) - 1);
    slot *chunk = atomic_load_explicit(&platform_slots[number >> CHUNK_BITS], memory_order_acquire);
    return chunk ? &chunk[number & (CHUNK - 1)] : NULL;
}

static inline uint32_t use_of(uintptr_t token) { return (uint32_t)(token >> SLOT_BITS); }

static inline int32_t examine(uintptr_t token, int32_t kind, slot **out, uint64_t *state) {
    if (!token) return PLATFORM_HANDLE_ARGUMENT;
    slot *s = slot_of(token);
    if (!s) return PLATFORM_HANDLE_CLOSED;
    *state = atomic_load_explicit(&s->state, memory_order_acquire);
    if ((uint32_t)(*state >> 32) != use_of(token) || use_of(token) == 0) return PLATFORM_HANDLE_CLOSED;
    if (atomic_load_explicit(&s->kind, memory_order_relaxed) != (uint32_t)kind) return PLATFORM_HANDLE_CLOSED;
    *out = s;
    if (*state & CLOSING) return PLATFORM_HANDLE_CLOSED;
    if (atomic_load_explicit(&s->forks, memory_order_relaxed) != platform_forks_now()) return PLATFORM_HANDLE_FORKED;
    return PLATFORM_HANDLE_OK;
}

/* Empty answers, closed until the first are published; NULL without memory. */
struct published *platform_answers_new(void);

#endif
