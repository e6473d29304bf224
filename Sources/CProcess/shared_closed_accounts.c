#include "shared_closed_accounts.h"
#include "shared_segment.h"
#include <string.h>

/* A slot's words are written after it is claimed and before it is marked used. A reader checks the state again after
 * reading. */
enum { FREE = 0, CLAIMED = 1, USED = 2, STEP = 4, WORDS = sizeof(shared_closed_account_t) / 8 };

typedef struct table {
    _Atomic uint32_t marks; /* given out by shared_unique_mark */
    _Atomic uint32_t count; /* at least the number of slots in use: one more for each process killed while adding */
    struct {
        _Atomic uint64_t state;
        _Atomic uint64_t words[WORDS];
    } slot[SHARED_CLOSED_ACCOUNTS];
} table_t;
_Static_assert(sizeof(table_t) <= sizeof((shared_page_t *)0)->closed_accounts, "the table fits behind the words");

static table_t *table_of(shared_words_t *words) { return (table_t *)((shared_page_t *)words)->closed_accounts; }

static bool read_slot(table_t *c, size_t i, shared_closed_account_t *found) {
    uint64_t words[WORDS], state = atomic_load(&c->slot[i].state);
    if (state % STEP != USED) return false;
    for (size_t w = 0; w < WORDS; w++) words[w] = atomic_load(&c->slot[i].words[w]);
    memcpy(found, words, sizeof words);
    return atomic_load(&c->slot[i].state) == state;
}

static bool is_of(const shared_closed_account_t *closed, const unsigned char *account) {
    return memcmp(closed->account, account, SHARED_ACCOUNT_BYTES) == 0;
}

bool shared_closed_accounts_add(shared_words_t *words, const shared_closed_account_t *closed) {
    table_t *c = table_of(words);
    shared_closed_account_t known;
    if (shared_closed_accounts_find(words, closed->account, &known)) return true;
    atomic_fetch_add(&c->count, 1);
    for (size_t i = 0; i < SHARED_CLOSED_ACCOUNTS; i++) {
        uint64_t state = atomic_load(&c->slot[i].state), copy[WORDS];
        if (state % STEP != FREE || !atomic_compare_exchange_strong(&c->slot[i].state, &state, state + CLAIMED)) continue;
        memcpy(copy, closed, sizeof copy);
        for (size_t w = 0; w < WORDS; w++) atomic_store(&c->slot[i].words[w], copy[w]);
        atomic_store(&c->slot[i].state, state + USED);
        return true;
    }
    atomic_fetch_sub(&c->count, 1);
    return false;
}

bool shared_closed_accounts_find(shared_words_t *words, const unsigned char *account, shared_closed_account_t *found) {
    table_t *c = table_of(words);
    if (!shared_closed_accounts_any(words)) return false;
    for (size_t i = 0; i < SHARED_CLOSED_ACCOUNTS; i++)
        if (read_slot(c, i, found) && is_of(found, account)) return true;
    return false;
}

bool shared_closed_accounts_any(shared_words_t *words) { return atomic_load(&table_of(words)->count) != 0; }

size_t shared_closed_accounts_list(shared_words_t *words, shared_closed_account_t *found, size_t capacity) {
    table_t *c = table_of(words);
    size_t count = 0;
    for (size_t i = 0; i < SHARED_CLOSED_ACCOUNTS && count < capacity; i++)
        if (read_slot(c, i, &found[count])) count++;
    return count;
}

void shared_closed_accounts_remove(shared_words_t *words, const unsigned char *account) {
    table_t *c = table_of(words);
    shared_closed_account_t found;
    for (size_t i = 0; i < SHARED_CLOSED_ACCOUNTS; i++) {
        uint64_t state = atomic_load(&c->slot[i].state);
        if (!read_slot(c, i, &found) || !is_of(&found, account)) continue;
        if (atomic_compare_exchange_strong(&c->slot[i].state, &state, state - USED + STEP)) atomic_fetch_sub(&c->count, 1);
    }
}

uint32_t shared_unique_mark(shared_words_t *words) { return atomic_fetch_add(&table_of(words)->marks, 1); }
