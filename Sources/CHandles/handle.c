#include "handle.h"
#include "published_bits.h"
#include "process_memory.h"
#include "slots.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

slot *_Atomic handle_slots[CHUNKS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t used_slots;
static uint32_t free_head = UINT32_MAX;

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }

/* pthread_atfork runs `before` handlers in reverse order of registration, and CProcess/fork.c registers later (104): a
 * fork first runs its hooks, which wait for threads that may need this lock, and then acquires the lock. */
__attribute__((constructor(103))) static void install(void) { pthread_atfork(before_fork, after_fork, after_fork); }

/* A free slot; NULL if all million are in use, or without memory. */
static slot *take_slot_locked(int32_t kind, uint32_t *number) {
    *number = free_head != UINT32_MAX ? free_head : used_slots;
    if (*number == 1u << SLOT_BITS) return NULL;
    slot *_Atomic *chunk = &handle_slots[*number >> CHUNK_BITS];
    if (!atomic_load(chunk)) {
        slot *fresh = calloc(CHUNK, sizeof *fresh);
        if (!fresh) return NULL;
        atomic_store_explicit(chunk, fresh, memory_order_release);
    }
    slot *s = &atomic_load(chunk)[*number & (CHUNK - 1)];
    if (kind == HANDLE_POLICY && !atomic_load(&s->bits)) {
        struct published *fresh = policy_bits_new();
        if (!fresh) return NULL;
        atomic_store(&s->bits, fresh);
    }
    if (*number == free_head) free_head = s->next_free;
    else used_slots++;
    return s;
}

uintptr_t handle_new(int32_t kind, const void *object) {
    uint32_t number;
    pthread_mutex_lock(&lock);
    slot *s = take_slot_locked(kind, &number);
    if (!s) {
        pthread_mutex_unlock(&lock);
        return 0;
    }
    uint32_t reuse_number = (uint32_t)(atomic_load(&s->state) >> 32) + 1;
    /* A slot's reuse number starts at a random value, so that tokens cannot be guessed. */
    if (reuse_number <= 1 && (!process_random(&reuse_number, sizeof reuse_number) || reuse_number == 0)) reuse_number = 1;
    s->object = object;
    atomic_store(&s->kind, (uint32_t)kind);
    atomic_store(&s->forks_at_creation, process_forks_for_new_object());
    atomic_store(&s->state, (uint64_t)reuse_number << 32);
    pthread_mutex_unlock(&lock);
    return (uintptr_t)reuse_number << SLOT_BITS | number;
}

int32_t handle_enter(uintptr_t token, int32_t kind, const void **object) {
    *object = NULL;
    slot *s;
    uint64_t state;
    for (;;) {
        int32_t result = slot_check_token(token, kind, &s, &state);
        if (result) return result;
        if (atomic_compare_exchange_weak(&s->state, &state, state + 1)) break;
    }
    *object = s->object;
    return HANDLE_OK;
}

bool handle_is_open(uintptr_t token, int32_t kind) {
    slot *s;
    uint64_t state;
    return slot_check_token(token, kind, &s, &state) == HANDLE_OK;
}

void handle_leave(uintptr_t token) {
    slot *s = slot_of(token);
    if (s) atomic_fetch_sub(&s->state, 1);
}

int32_t handle_close(uintptr_t token, int32_t kind, const void **object) {
    *object = NULL;
    slot *s = NULL;
    uint64_t state;
    for (;;) {
        int32_t result = slot_check_token(token, kind, &s, &state);
        if (result && result != HANDLE_FORKED) return result;
        if (atomic_compare_exchange_weak(&s->state, &state, state | CLOSING)) {
            *object = s->object;
            return result;
        }
    }
}

void handle_wait_and_free(uintptr_t token) {
    slot *s = slot_of(token);
    if (!s) return;
    int is_forked = atomic_load(&s->forks_at_creation) != process_forks_now();
    while (!is_forked && atomic_load(&s->state) & USERS) {
        struct timespec pause = {0, 200000};
        nanosleep(&pause, NULL);
    }
    pthread_mutex_lock(&lock);
    s->object = NULL;
    atomic_store(&s->kind, 0);
    atomic_store(&s->state, (uint64_t)reuse_number_of(token) << 32 | CLOSING);
    s->next_free = free_head;
    free_head = (uint32_t)token & ((1u << SLOT_BITS) - 1);
    pthread_mutex_unlock(&lock);
}
