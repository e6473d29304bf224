#include "policy_bits.h"
#include "folded_names.h"
#include "published_bits.h"
#include "slots.h"
#include <stdlib.h>
#include <string.h>

/* A sequence lock over atomic words: a torn read is detected, and is not undefined behaviour. */

enum { NAME_WORDS = POLICY_BITS_NAME_BYTES / 8, DOMAIN_WORDS = POLICY_BITS_DOMAIN_BYTES / 8 };

typedef struct published_domain {
    _Atomic uint32_t length, label; /* of the domain with its "@", of its first label */
    _Atomic char first, last;       /* without the "@" */
    _Atomic uint64_t bytes;         /* byte_bits, likewise */
    _Atomic uint64_t folded[DOMAIN_WORDS];
} published_domain;

/* policy_bits_t in atomic words. */
typedef struct published {
    _Atomic uint64_t sequence;             /* odd during a write */
    _Atomic(const shared_words_t *) words; /* NULL: the session is closed */
    _Atomic uint64_t generation;
    _Atomic uint64_t bits;
    _Atomic uint32_t save[POLICY_BITS_ROWS], open[POLICY_BITS_ROWS];
    _Atomic uint32_t strict, names;
    struct {
        _Atomic uint32_t row, length;
        _Atomic uint64_t folded[NAME_WORDS];
    } name[POLICY_BITS_NAMES];
    _Atomic uint32_t domains;
    published_domain domain[POLICY_BITS_DOMAINS];
} published;

struct published *policy_bits_new(void) {
    return calloc(1, sizeof(published));
}

static published *published_of(uintptr_t token) {
    slot *s = slot_of(token);
    return s ? atomic_load(&s->bits) : NULL;
}

/* Make the sequence odd; the result is for end_writing. */
static uint64_t begin_writing(published *p) {
    uint64_t odd = atomic_load_explicit(&p->sequence, memory_order_relaxed) | 1;
    atomic_store_explicit(&p->sequence, odd, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    return odd;
}

static void end_writing(published *p, uint64_t odd) { atomic_store_explicit(&p->sequence, odd + 1, memory_order_release); }

void policy_bits_publish(uintptr_t token, const shared_words_t *words, uint64_t generation, const policy_bits_t *a) {
    published *p = published_of(token);
    if (!p) return;
    uint64_t odd = begin_writing(p);
    atomic_store_explicit(&p->words, words, memory_order_relaxed);
    atomic_store_explicit(&p->generation, generation, memory_order_relaxed);
    atomic_store_explicit(&p->bits, a->bits, memory_order_relaxed);
    for (int i = 0; i < POLICY_BITS_ROWS; i++) {
        atomic_store_explicit(&p->save[i], a->save[i], memory_order_relaxed);
        atomic_store_explicit(&p->open[i], a->open[i], memory_order_relaxed);
    }
    atomic_store_explicit(&p->strict, a->strict, memory_order_relaxed);
    atomic_store_explicit(&p->names, a->names, memory_order_relaxed);
    for (uint32_t i = 0; i < a->names && i < POLICY_BITS_NAMES; i++) {
        atomic_store_explicit(&p->name[i].row, a->name[i].row, memory_order_relaxed);
        atomic_store_explicit(&p->name[i].length, a->name[i].length, memory_order_relaxed);
        for (int w = 0; w < NAME_WORDS; w++) {
            uint64_t word;
            memcpy(&word, a->name[i].folded + 8 * w, 8);
            atomic_store_explicit(&p->name[i].folded[w], word, memory_order_relaxed);
        }
    }
    atomic_store_explicit(&p->domains, a->domains, memory_order_relaxed);
    for (uint32_t i = 0; i < a->domains && i < POLICY_BITS_DOMAINS; i++) {
        atomic_store_explicit(&p->domain[i].length, a->domain[i].length, memory_order_relaxed);
        for (int w = 0; w < DOMAIN_WORDS; w++) {
            uint64_t word;
            memcpy(&word, a->domain[i].folded + 8 * w, 8);
            atomic_store_explicit(&p->domain[i].folded[w], word, memory_order_relaxed);
        }
        uint32_t size = a->domain[i].length <= POLICY_BITS_DOMAIN_BYTES && a->domain[i].length > 0 ? a->domain[i].length - 1 : 0;
        const char *text = (const char *)a->domain[i].folded + 1, *dot = memchr(text, '.', size);
        uint32_t label = dot ? (uint32_t)(dot - text) : size;
        atomic_store_explicit(&p->domain[i].label, label, memory_order_relaxed);
        atomic_store_explicit(&p->domain[i].bytes, byte_bits(text, size), memory_order_relaxed);
        atomic_store_explicit(&p->domain[i].first, text[0], memory_order_relaxed);
        atomic_store_explicit(&p->domain[i].last, text[size > 0 ? size - 1 : 0], memory_order_relaxed);
    }
    end_writing(p, odd);
}

void policy_bits_close(uintptr_t token) {
    published *p = published_of(token);
    if (!p) return;
    uint64_t odd = begin_writing(p);
    atomic_store_explicit(&p->words, NULL, memory_order_relaxed);
    end_writing(p, odd);
}

/* Begin a read: the published bits, and the sequence to compare at the end. */
static inline int32_t begin(uintptr_t token, published **out, uint64_t *sequence) {
    slot *s;
    uint64_t state;
    int32_t result = slot_check_token(token, HANDLE_POLICY, &s, &state);
    if (result) return result;
    published *p = atomic_load_explicit(&s->bits, memory_order_acquire);
    *sequence = atomic_load_explicit(&p->sequence, memory_order_acquire);
    const shared_words_t *words = atomic_load_explicit(&p->words, memory_order_relaxed);
    if (*sequence & 1) return HANDLE_STALE;
    if (!words) return HANDLE_CLOSED;
    if (atomic_load_explicit(&p->generation, memory_order_relaxed) != shared_generation_word(words)) return HANDLE_STALE;
    *out = p;
    return HANDLE_OK;
}

/* End a read: the slot must still be this handle's, and the sequence unchanged. */
static inline int32_t end(uintptr_t token, published *p, uint64_t sequence) {
    atomic_thread_fence(memory_order_acquire);
    uint64_t state = atomic_load_explicit(&slot_of(token)->state, memory_order_relaxed);
    if ((uint32_t)(state >> 32) != reuse_number_of(token) || state & CLOSING) return HANDLE_CLOSED;
    return atomic_load_explicit(&p->sequence, memory_order_relaxed) == sequence ? HANDLE_OK : HANDLE_STALE;
}

int32_t policy_bits_predicate(uintptr_t token, uint32_t bit, int32_t *answer) {
    published *p;
    uint64_t sequence;
    int32_t result = begin(token, &p, &sequence);
    if (result) return result;
    *answer = (int32_t)(atomic_load_explicit(&p->bits, memory_order_relaxed) >> (bit & 63) & 1);
    return end(token, p, sequence);
}

/* Whether a name's domain is this one, is below it or begins with its first label; true where the domain is torn. */
static bool is_of_domain(const published_domain *d, const char *text, size_t length, const char *name_domain) {
    uint64_t folded[DOMAIN_WORDS];
    for (int w = 0; w < DOMAIN_WORDS; w++) folded[w] = atomic_load_explicit(&d->folded[w], memory_order_relaxed);
    const char *own = (const char *)folded + 1; /* without its "@" */
    size_t size = atomic_load_explicit(&d->length, memory_order_relaxed) - 1u;
    size_t label = atomic_load_explicit(&d->label, memory_order_relaxed), rest = length - (size_t)(name_domain - text);
    if (size >= POLICY_BITS_DOMAIN_BYTES || label > size) return true;
    return (size < length && memcmp(own, text + length - size, size) == 0)
        || (label <= rest && memcmp(own, name_domain, label) == 0 && (label == rest || name_domain[label] == '.'));
}

/* Whether a folded name may be the organisation's, so that the session has to decide: it is not ordinary, has no "@", or its
 * domain is one of the organisation, below one, begins with the same label, or is close to one. */
static bool may_be_member(published *p, const uint64_t *name, size_t length) {
    size_t place;
    if (!is_ordinary_name(name, length, &place) || place == length) return true;
    const char *text = (const char *)name, *at = text + place;
    size_t size = length - place - 1;
    uint32_t domains = atomic_load_explicit(&p->domains, memory_order_relaxed);
    uint64_t bytes = 0; /* of the name's domain, once they are asked for */
    for (uint32_t i = 0; i < domains && i < POLICY_BITS_DOMAINS; i++) {
        const published_domain *d = &p->domain[i];
        uint32_t own_size = atomic_load_explicit(&d->length, memory_order_relaxed) - 1; /* without its "@" */
        if (own_size >= POLICY_BITS_DOMAIN_BYTES) continue;
        bool is_alike = at[1] == atomic_load_explicit(&d->first, memory_order_relaxed)
            || text[length - 1] == atomic_load_explicit(&d->last, memory_order_relaxed);
        if (is_alike && is_of_domain(d, text, length, at + 1)) return true;
        if (size > own_size + 2 || own_size > size + 2) continue;
        if (bytes == 0) bytes = byte_bits(at + 1, size);
        if (may_be_near(bytes, atomic_load_explicit(&d->bytes, memory_order_relaxed))) return true;
    }
    return false;
}

int32_t policy_bits_location(uintptr_t token, bool save, int32_t location, const char *account, int32_t *answer) {
    published *p;
    uint64_t sequence;
    int32_t result = begin(token, &p, &sequence);
    if (result) return result;
    uint32_t count = save ? 11 : 10;
    uint32_t bit = location == 0 ? 0 : (uint32_t)__builtin_ffs(location);
    if (location < 0 || bit >= count || (location & (location - 1))) return HANDLE_ARGUMENT;
    uint32_t row = 0;
    if (account && account[0]) {
        size_t length = strnlen(account, POLICY_BITS_NAME_BYTES + 1);
        if (length > POLICY_BITS_NAME_BYTES) return HANDLE_STALE;
        uint64_t name[NAME_WORDS] = {0};
        size_t words = fold_name(name, account, length);
        uint32_t names = atomic_load_explicit(&p->names, memory_order_relaxed);
        bool found = false;
        for (uint32_t i = 0; i < names && i < POLICY_BITS_NAMES && !found; i++) {
            if (atomic_load_explicit(&p->name[i].length, memory_order_relaxed) != length) continue;
            uint64_t difference = 0;
            for (size_t w = 0; w < words; w++)
                difference |= name[w] ^ atomic_load_explicit(&p->name[i].folded[w], memory_order_relaxed);
            if (difference) continue;
            found = true;
            row = atomic_load_explicit(&p->name[i].row, memory_order_relaxed);
        }
        if (!found) row = POLICY_BITS_UNLISTED;
        if (!found && (atomic_load_explicit(&p->strict, memory_order_relaxed) || may_be_member(p, name, length)))
            return HANDLE_STALE;
        if (row >= POLICY_BITS_ROWS) return HANDLE_STALE;
    }
    uint32_t mask = atomic_load_explicit(save ? &p->save[row] : &p->open[row], memory_order_relaxed);
    *answer = (int32_t)(mask >> bit & 1);
    return end(token, p, sequence);
}
