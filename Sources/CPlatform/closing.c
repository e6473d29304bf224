#include "closings.h"
#include <string.h>

/* A slot's words are written between its claim and its use, and are looked at again after they were read. */
enum { FREE = 0, CLAIMED = 1, USED = 2, STEP = 4 };

static bool read_slot(platform_closings_t *c, size_t i, platform_closing_t *found) {
    uint64_t words[CLOSING_WORDS], state = atomic_load(&c->slot[i].state);
    if (state % STEP != USED) return false;
    for (size_t w = 0; w < CLOSING_WORDS; w++) words[w] = atomic_load(&c->slot[i].words[w]);
    memcpy(found, words, sizeof words);
    return atomic_load(&c->slot[i].state) == state;
}

static bool is_of(const platform_closing_t *closing, const unsigned char *account) {
    return memcmp(closing->account, account, PLATFORM_CLOSING_ACCOUNT) == 0;
}

bool platform_closing_add(platform_words_t *words, const platform_closing_t *closing) {
    platform_closings_t *c = platform_closings_of(words);
    platform_closing_t known;
    if (platform_closing_find(words, closing->account, &known)) return true;
    atomic_fetch_add(&c->count, 1);
    for (size_t i = 0; i < PLATFORM_CLOSINGS; i++) {
        uint64_t state = atomic_load(&c->slot[i].state), copy[CLOSING_WORDS];
        if (state % STEP != FREE || !atomic_compare_exchange_strong(&c->slot[i].state, &state, state + CLAIMED)) continue;
        memcpy(copy, closing, sizeof copy);
        for (size_t w = 0; w < CLOSING_WORDS; w++) atomic_store(&c->slot[i].words[w], copy[w]);
        atomic_store(&c->slot[i].state, state + USED);
        return true;
    }
    atomic_fetch_sub(&c->count, 1);
    return false;
}

bool platform_closing_find(platform_words_t *words, const unsigned char *account, platform_closing_t *found) {
    platform_closings_t *c = platform_closings_of(words);
    if (!platform_closing_any(words)) return false;
    for (size_t i = 0; i < PLATFORM_CLOSINGS; i++)
        if (read_slot(c, i, found) && is_of(found, account)) return true;
    return false;
}

bool platform_closing_any(platform_words_t *words) { return atomic_load(&platform_closings_of(words)->count) != 0; }

size_t platform_closing_list(platform_words_t *words, platform_closing_t *found, size_t capacity) {
    platform_closings_t *c = platform_closings_of(words);
    size_t count = 0;
    for (size_t i = 0; i < PLATFORM_CLOSINGS && count < capacity; i++)
        if (read_slot(c, i, &found[count])) count++;
    return count;
}

void platform_closing_remove(platform_words_t *words, const unsigned char *account) {
    platform_closings_t *c = platform_closings_of(words);
    platform_closing_t found;
    for (size_t i = 0; i < PLATFORM_CLOSINGS; i++) {
        uint64_t state = atomic_load(&c->slot[i].state);
        if (!read_slot(c, i, &found) || !is_of(&found, account)) continue;
        if (atomic_compare_exchange_strong(&c->slot[i].state, &state, state - USED + STEP)) atomic_fetch_sub(&c->count, 1);
    }
}

uint32_t platform_closing_mark(platform_words_t *words) { return atomic_fetch_add(&platform_closings_of(words)->marks, 1); }
