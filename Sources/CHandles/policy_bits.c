#include "policy_bits.h"
#include "published_bits.h"
#include "slots.h"
#include <stdlib.h>
#include <string.h>

/* A sequence lock over atomic words: a torn read is detected, and is not undefined behaviour. */

enum { NAME_WORDS = POLICY_BITS_NAME_BYTES / 8, DOMAIN_WORDS = POLICY_BITS_DOMAIN_BYTES / 8 };

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
    struct {
        _Atomic uint32_t length;
        _Atomic uint64_t folded[DOMAIN_WORDS];
        _Atomic uint64_t bytes; /* byte_bits, without the "@" */
        _Atomic uint32_t label; /* the length of the first label */
    } domain[POLICY_BITS_DOMAINS];
} published;

/* A bit for each byte of a text; bytes may share one. */
static uint64_t byte_bits(const char *text, size_t length) {
    uint64_t bits = 0;
    for (size_t i = 0; i < length; i++) bits |= UINT64_C(1) << (text[i] & 63);
    return bits;
}

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
        uint32_t size = a->domain[i].length <= POLICY_BITS_DOMAIN_BYTES ? a->domain[i].length : 0;
        uint64_t bytes = size > 0 ? byte_bits((const char *)a->domain[i].folded + 1, size - 1) : 0;
        atomic_store_explicit(&p->domain[i].bytes, bytes, memory_order_relaxed);
        const unsigned char *dot = size > 0 ? memchr(a->domain[i].folded, '.', size) : NULL;
        uint32_t label = dot ? (uint32_t)(dot - a->domain[i].folded - 1) : size > 0 ? size - 1 : 0;
        atomic_store_explicit(&p->domain[i].label, label, memory_order_relaxed);
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

/* ASCII upper case to lower, eight bytes at once. */
static inline uint64_t fold(uint64_t x) {
    uint64_t low = x & 0x7F7F7F7F7F7F7F7Fu;
    uint64_t from_a = low + 0x3F3F3F3F3F3F3F3Fu; /* top bit where byte >= 'A' */
    uint64_t past_z = low + 0x2525252525252525u; /* top bit where byte > 'Z' */
    uint64_t upper = from_a & ~past_z & ~x & 0x8080808080808080u;
    return x | upper >> 2;
}

/* Whether an unlisted name certainly is one that an account can have: ASCII letters, digits, "-" and "_", with dots and one "@" between. */
static inline bool is_ordinary_name(const char *text, size_t length) {
    bool is_ordinary = true, is_joint = true;
    int ats = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i], letter = byte | 0x20;
        bool was_joint = is_joint;
        ats += byte == '@';
        is_joint = byte == '@' || byte == '.';
        is_ordinary &=
            is_joint ? !was_joint : (letter >= 'a' && letter <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
    }
    return is_ordinary && !is_joint && ats <= 1;
}

/* Whether two edits may make one text, in ASCII, of another that is as long or two bytes longer or shorter, by their byte_bits; false
 * where they certainly do not. */
static bool may_be_near(uint64_t a, uint64_t b) { return __builtin_popcountll(a & ~b) <= 2 && __builtin_popcountll(b & ~a) <= 2; }

/* Whether a folded name may be the organisation's, so that the session has to decide: it has no "@", or its domain is
 * one of the organisation, below one, begins with the same label, or is close to one. */
static bool may_be_member(published *p, const uint64_t *name, size_t length) {
    const char *text = (const char *)name, *at = memchr(text, '@', length);
    if (!at) return true;
    size_t of_domain = length - (size_t)(at + 1 - text);
    uint32_t domains = atomic_load_explicit(&p->domains, memory_order_relaxed);
    uint64_t bytes = 0; /* of the name's domain, once they are asked for */
    bool found = false;
    for (uint32_t i = 0; i < domains && i < POLICY_BITS_DOMAINS && !found; i++) {
        uint32_t size = atomic_load_explicit(&p->domain[i].length, memory_order_relaxed);
        if (size == 0 || size > POLICY_BITS_DOMAIN_BYTES) continue;
        uint64_t domain[DOMAIN_WORDS] = {0};
        for (uint32_t w = 0; w < (size + 7) / 8; w++)
            domain[w] = atomic_load_explicit(&p->domain[i].folded[w], memory_order_relaxed);
        const char *own = (const char *)domain + 1; /* without its "@" */
        uint32_t label = atomic_load_explicit(&p->domain[i].label, memory_order_relaxed);
        if (label >= size) continue; /* torn: the sequence says so at the end */
        found = (size <= length && memcmp(own, text + length - (size - 1), size - 1) == 0)
            || (label <= of_domain && memcmp(own, at + 1, label) == 0 && (label == of_domain || at[1 + label] == '.'));
        if (found || of_domain > size + 1 || size > of_domain + 3) continue;
        if (bytes == 0) bytes = byte_bits(at + 1, of_domain);
        found = may_be_near(bytes, atomic_load_explicit(&p->domain[i].bytes, memory_order_relaxed));
    }
    return found;
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
        uint64_t name[NAME_WORDS];
        uint32_t words = (uint32_t)(length + 7) / 8;
        name[words - 1] = 0;
        memcpy(name, account, length);
        for (uint32_t w = 0; w < words; w++) name[w] = fold(name[w]);
        uint32_t names = atomic_load_explicit(&p->names, memory_order_relaxed);
        bool found = false;
        for (uint32_t i = 0; i < names && i < POLICY_BITS_NAMES && !found; i++) {
            if (atomic_load_explicit(&p->name[i].length, memory_order_relaxed) != length) continue;
            uint64_t difference = 0;
            for (uint32_t w = 0; w < words; w++)
                difference |= name[w] ^ atomic_load_explicit(&p->name[i].folded[w], memory_order_relaxed);
            if (difference) continue;
            found = true;
            row = atomic_load_explicit(&p->name[i].row, memory_order_relaxed);
        }
        if (!found) row = POLICY_BITS_UNLISTED;
        if (!found
            && (atomic_load_explicit(&p->strict, memory_order_relaxed) || !is_ordinary_name(account, length)
                || may_be_member(p, name, length)))
            return HANDLE_STALE;
        if (row >= POLICY_BITS_ROWS) return HANDLE_STALE;
    }
    uint32_t mask = atomic_load_explicit(save ? &p->save[row] : &p->open[row], memory_order_relaxed);
    *answer = (int32_t)(mask >> bit & 1);
    return end(token, p, sequence);
}
