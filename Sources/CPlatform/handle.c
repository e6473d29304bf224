#include "platform_handle.h"
#include "internal.h"
#include "platform_memory.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* token = use << 20 | slot number, use >= 1. state = use << 32 | closing << 31 | users. */
enum { SLOT_BITS = 20, CHUNK_BITS = 10, CHUNK = 1 << CHUNK_BITS, CHUNKS = 1 << (SLOT_BITS - CHUNK_BITS) };
#define CLOSING 0x80000000u
#define USERS 0x7FFFFFFFu

enum { NAME_WORDS = PLATFORM_NAME_BYTES / 8 };

/* The same as platform_answers_t in words that threads may read while they are written. */
typedef struct published {
    _Atomic uint64_t sequence; /* odd while being written */
    _Atomic(const platform_words_t *) words; /* NULL: the parent is closed */
    _Atomic uint64_t generation;
    _Atomic uint64_t bits;
    _Atomic uint32_t save[PLATFORM_ANSWER_ROWS], open[PLATFORM_ANSWER_ROWS];
    _Atomic uint32_t strict, names;
    struct {
        _Atomic uint32_t row, length;
        _Atomic uint64_t folded[NAME_WORDS];
    } name[PLATFORM_ANSWER_NAMES];
} published;

typedef struct slot {
    _Atomic uint64_t state;
    _Atomic uint32_t kind, forks;
    const void *object;
    published *_Atomic answers; /* made when first needed, then kept with the slot */
    uint32_t next_free;
} slot;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static slot *_Atomic chunks[CHUNKS];
static uint32_t used_slots;
static uint32_t free_head = UINT32_MAX;

void platform_handles_before_fork(void) { pthread_mutex_lock(&lock); }
void platform_handles_after_fork_parent(void) { pthread_mutex_unlock(&lock); }
void platform_handles_after_fork_child(void) { pthread_mutex_unlock(&lock); }

static inline slot *slot_of(uintptr_t token) {
    if ((uint64_t)token >> (SLOT_BITS + 32)) return NULL; /* no token has these bits */
    uint32_t number = (uint32_t)token & ((1u << SLOT_BITS) - 1);
    slot *chunk = atomic_load_explicit(&chunks[number >> CHUNK_BITS], memory_order_acquire);
    return chunk ? &chunk[number & (CHUNK - 1)] : NULL;
}

static inline uint32_t use_of(uintptr_t token) { return (uint32_t)(token >> SLOT_BITS); }

uintptr_t platform_handle_new(int32_t kind, const void *object) {
    pthread_mutex_lock(&lock);
    uint32_t number = free_head;
    if (number == UINT32_MAX) {
        if (used_slots == 1u << SLOT_BITS) {
            pthread_mutex_unlock(&lock);
            return 0;
        }
        number = used_slots;
        if (!atomic_load(&chunks[number >> CHUNK_BITS])) {
            slot *fresh = calloc(CHUNK, sizeof *fresh);
            if (!fresh) {
                pthread_mutex_unlock(&lock);
                return 0;
            }
            atomic_store_explicit(&chunks[number >> CHUNK_BITS], fresh, memory_order_release);
        }
        used_slots++;
    }
    slot *s = &atomic_load(&chunks[number >> CHUNK_BITS])[number & (CHUNK - 1)];
    if (number == free_head) free_head = s->next_free;
    if (kind == PLATFORM_HANDLE_POLICY && !atomic_load(&s->answers)) {
        published *fresh = calloc(1, sizeof *fresh);
        if (!fresh) abort();
        atomic_store(&s->answers, fresh);
    }
    uint32_t use = (uint32_t)(atomic_load(&s->state) >> 32) + 1;
    if (use <= 1) {
        /* A slot's first use begins anywhere, so that tokens cannot be guessed by counting. */
        if (!platform_random(&use, sizeof use) || use == 0) use = 1;
    }
    s->object = object;
    atomic_store(&s->kind, (uint32_t)kind);
    atomic_store(&s->forks, atomic_load(&platform_forks));
    atomic_store(&s->state, (uint64_t)use << 32);
    pthread_mutex_unlock(&lock);
    return (uintptr_t)use << SLOT_BITS | number;
}

static inline int32_t examine(uintptr_t token, int32_t kind, slot **out, uint64_t *state) {
    if (!token) return PLATFORM_HANDLE_ARGUMENT;
    slot *s = slot_of(token);
    if (!s) return PLATFORM_HANDLE_CLOSED;
    *state = atomic_load_explicit(&s->state, memory_order_acquire);
    if ((uint32_t)(*state >> 32) != use_of(token) || use_of(token) == 0) return PLATFORM_HANDLE_CLOSED;
    if (atomic_load_explicit(&s->kind, memory_order_relaxed) != (uint32_t)kind) return PLATFORM_HANDLE_CLOSED;
    *out = s;
    if (*state & CLOSING) return PLATFORM_HANDLE_CLOSED;
    if (atomic_load_explicit(&s->forks, memory_order_relaxed) !=
        atomic_load_explicit(&platform_forks, memory_order_relaxed))
        return PLATFORM_HANDLE_FORKED;
    return PLATFORM_HANDLE_OK;
}

int32_t platform_handle_enter(uintptr_t token, int32_t kind, const void **object) {
    *object = NULL;
    slot *s;
    uint64_t state;
    for (;;) {
        int32_t result = examine(token, kind, &s, &state);
        if (result) return result;
        if (atomic_compare_exchange_weak(&s->state, &state, state + 1)) break;
    }
    *object = s->object;
    return PLATFORM_HANDLE_OK;
}

bool platform_handle_is_open(uintptr_t token, int32_t kind) {
    slot *s;
    uint64_t state;
    return examine(token, kind, &s, &state) == PLATFORM_HANDLE_OK;
}

void platform_handle_leave(uintptr_t token) {
    slot *s = slot_of(token);
    if (s) atomic_fetch_sub(&s->state, 1);
}

int32_t platform_handle_close(uintptr_t token, int32_t kind, const void **object) {
    *object = NULL;
    slot *s = NULL;
    uint64_t state;
    for (;;) {
        int32_t result = examine(token, kind, &s, &state);
        if (result && result != PLATFORM_HANDLE_FORKED) return result;
        if (atomic_compare_exchange_weak(&s->state, &state, state | CLOSING)) {
            *object = s->object;
            return result;
        }
    }
}

void platform_handle_drain(uintptr_t token) {
    slot *s = slot_of(token);
    if (!s) return;
    int is_forked = atomic_load(&s->forks) != atomic_load(&platform_forks);
    while (!is_forked && atomic_load(&s->state) & USERS) {
        struct timespec pause = {0, 200000};
        nanosleep(&pause, NULL);
    }
    pthread_mutex_lock(&lock);
    s->object = NULL;
    atomic_store(&s->kind, 0);
    atomic_store(&s->state, (uint64_t)use_of(token) << 32 | CLOSING);
    s->next_free = free_head;
    free_head = (uint32_t)token & ((1u << SLOT_BITS) - 1);
    pthread_mutex_unlock(&lock);
}

/* The answers: a sequence lock whose every word is atomic, so that a torn read is noticed and never undefined. */

void platform_answers_publish(
    uintptr_t token, const platform_words_t *words, uint64_t generation, const platform_answers_t *a) {
    slot *s = slot_of(token);
    published *p = s ? atomic_load(&s->answers) : NULL;
    if (!p) return;
    uint64_t sequence = atomic_load_explicit(&p->sequence, memory_order_relaxed);
    atomic_store_explicit(&p->sequence, sequence | 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&p->words, words, memory_order_relaxed);
    atomic_store_explicit(&p->generation, generation, memory_order_relaxed);
    atomic_store_explicit(&p->bits, a->bits, memory_order_relaxed);
    for (int i = 0; i < PLATFORM_ANSWER_ROWS; i++) {
        atomic_store_explicit(&p->save[i], a->save[i], memory_order_relaxed);
        atomic_store_explicit(&p->open[i], a->open[i], memory_order_relaxed);
    }
    atomic_store_explicit(&p->strict, a->strict, memory_order_relaxed);
    atomic_store_explicit(&p->names, a->names, memory_order_relaxed);
    for (uint32_t i = 0; i < a->names && i < PLATFORM_ANSWER_NAMES; i++) {
        atomic_store_explicit(&p->name[i].row, a->name[i].row, memory_order_relaxed);
        atomic_store_explicit(&p->name[i].length, a->name[i].length, memory_order_relaxed);
        for (int w = 0; w < NAME_WORDS; w++) {
            uint64_t word;
            memcpy(&word, a->name[i].folded + 8 * w, 8);
            atomic_store_explicit(&p->name[i].folded[w], word, memory_order_relaxed);
        }
    }
    atomic_store_explicit(&p->sequence, (sequence | 1) + 1, memory_order_release);
}

void platform_answers_close(uintptr_t token) {
    slot *s = slot_of(token);
    published *p = s ? atomic_load(&s->answers) : NULL;
    if (!p) return;
    uint64_t sequence = atomic_load_explicit(&p->sequence, memory_order_relaxed);
    atomic_store_explicit(&p->sequence, sequence | 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&p->words, NULL, memory_order_relaxed);
    atomic_store_explicit(&p->sequence, (sequence | 1) + 1, memory_order_release);
}

/* Begin a read: the answers that hold now, and the sequence to compare at the end. */
static inline int32_t begin(uintptr_t token, published **out, uint64_t *sequence) {
    slot *s;
    uint64_t state;
    int32_t result = examine(token, PLATFORM_HANDLE_POLICY, &s, &state);
    if (result) return result;
    published *p = atomic_load_explicit(&s->answers, memory_order_acquire);
    *sequence = atomic_load_explicit(&p->sequence, memory_order_acquire);
    const platform_words_t *words = atomic_load_explicit(&p->words, memory_order_relaxed);
    if (*sequence & 1) return PLATFORM_HANDLE_STALE;
    if (!words) return PLATFORM_HANDLE_CLOSED;
    if (atomic_load_explicit(&p->generation, memory_order_relaxed) != platform_generation(words)) return PLATFORM_HANDLE_STALE;
    *out = p;
    return PLATFORM_HANDLE_OK;
}

/* End it: the slot must still be this handle's, and nobody may have published meanwhile. */
static inline int32_t end(uintptr_t token, published *p, uint64_t sequence) {
    atomic_thread_fence(memory_order_acquire);
    uint64_t state = atomic_load_explicit(&slot_of(token)->state, memory_order_relaxed);
    if ((uint32_t)(state >> 32) != use_of(token) || state & CLOSING) return PLATFORM_HANDLE_CLOSED;
    return atomic_load_explicit(&p->sequence, memory_order_relaxed) == sequence ? PLATFORM_HANDLE_OK : PLATFORM_HANDLE_STALE;
}

int32_t platform_answers_bit(uintptr_t token, uint32_t bit, int32_t *answer) {
    published *p;
    uint64_t sequence;
    int32_t result = begin(token, &p, &sequence);
    if (result) return result;
    *answer = (int32_t)(atomic_load_explicit(&p->bits, memory_order_relaxed) >> (bit & 63) & 1);
    return end(token, p, sequence);
}

/* ASCII upper case to lower, eight bytes at once. */
static inline uint64_t fold(uint64_t x) {
    uint64_t low = x & 0x7F7F7F7F7F7F7F7Fu;
    uint64_t from_a = low + 0x3F3F3F3F3F3F3F3Fu;      /* top bit where byte >= 'A' */
    uint64_t past_z = low + 0x2525252525252525u;      /* top bit where byte > 'Z' */
    uint64_t upper = from_a & ~past_z & ~x & 0x8080808080808080u;
    return x | upper >> 2;
}

/* Printable ASCII, no space at an end: then a name that no row has needs no closer look. */
static inline bool is_plain(const char *text, size_t length) {
    bool plain = text[0] != ' ' && text[length - 1] != ' ';
    for (size_t i = 0; i < length; i++) plain &= (unsigned char)text[i] - 0x20u < 0x5Fu;
    return plain;
}

int32_t platform_answers_location(uintptr_t token, bool save, int32_t location, const char *account, int32_t *answer) {
    published *p;
    uint64_t sequence;
    int32_t result = begin(token, &p, &sequence);
    if (result) return result;
    uint32_t count = save ? 11 : 10;
    uint32_t bit = location == 0 ? 0 : (uint32_t)__builtin_ffs(location);
    if (location < 0 || bit >= count || (location & (location - 1))) return PLATFORM_HANDLE_ARGUMENT;
    uint32_t row = 0;
    if (account && account[0]) {
        size_t length = strnlen(account, PLATFORM_NAME_BYTES + 1);
        if (length > PLATFORM_NAME_BYTES) return PLATFORM_HANDLE_STALE;
        uint64_t name[NAME_WORDS];
        uint32_t words = (uint32_t)(length + 7) / 8;
        name[words - 1] = 0;
        memcpy(name, account, length);
        for (uint32_t w = 0; w < words; w++) name[w] = fold(name[w]);
        uint32_t names = atomic_load_explicit(&p->names, memory_order_relaxed);
        bool found = false;
        for (uint32_t i = 0; i < names && i < PLATFORM_ANSWER_NAMES && !found; i++) {
            if (atomic_load_explicit(&p->name[i].length, memory_order_relaxed) != length) continue;
            uint64_t difference = 0;
            for (uint32_t w = 0; w < words; w++)
                difference |= name[w] ^ atomic_load_explicit(&p->name[i].folded[w], memory_order_relaxed);
            if (difference) continue;
            found = true;
            row = atomic_load_explicit(&p->name[i].row, memory_order_relaxed);
        }
        if (!found) row = PLATFORM_ANSWER_UNNAMED;
        if (!found && (atomic_load_explicit(&p->strict, memory_order_relaxed) || !is_plain(account, length)))
            return PLATFORM_HANDLE_STALE;
        if (row >= PLATFORM_ANSWER_ROWS) return PLATFORM_HANDLE_STALE;
    }
    uint32_t mask = atomic_load_explicit(save ? &p->save[row] : &p->open[row], memory_order_relaxed);
    *answer = (int32_t)(mask >> bit & 1);
    return end(token, p, sequence);
}
