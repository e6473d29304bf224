#include "internal.h"
#include <string.h>

/* An entry, by offset: 0 sequence, 1 page index with its highest bit set, 2 key number, 3 nonce, 15 tag, 31 sequence
 * again. A record has two; a write replaces the older one, so that a torn write leaves the other. */

static bool is_whole(const unsigned char *e) { return e[0] == e[31] && (e[1] & ~(GROUP_PAGES - 1)) == 0x80 && e[2] != 0; }

static entry_t read(const unsigned char *e) {
    return (entry_t){.nonce = e + 3, .tag = e + 15, .page_index = e[1] & (GROUP_PAGES - 1), .key_number = e[2]};
}

/* The index of the newest entry; -1 if there is none. */
static int newest(const unsigned char *pair) {
    bool first = is_whole(pair), second = is_whole(pair + ENTRY);
    if (first && second) return (signed char)(pair[ENTRY] - pair[0]) > 0;
    return first ? 0 : second ? 1 : -1;
}

bool sealed_entry_newest(const unsigned char *pair, entry_t *entry) {
    int i = newest(pair);
    if (i >= 0) *entry = read(pair + i * ENTRY);
    return i >= 0;
}

bool sealed_entry_older(const unsigned char *pair, entry_t *entry) {
    int i = newest(pair);
    if (i < 0 || !is_whole(pair + (1 - i) * ENTRY)) return false;
    *entry = read(pair + (1 - i) * ENTRY);
    return true;
}

unsigned char *sealed_entry_write(
    unsigned char *pair, unsigned char page_index, unsigned char key_number, const unsigned char *nonce, const unsigned char *tag) {
    int i = newest(pair);
    unsigned char *to = pair + (i < 0 ? 0 : 1 - i) * ENTRY;
    unsigned char sequence = i < 0 ? 1 : (unsigned char)(pair[i * ENTRY] + 1);
    to[0] = to[31] = sequence;
    to[1] = 0x80 | page_index;
    to[2] = key_number;
    memcpy(to + 3, nonce, NONCE);
    memcpy(to + 15, tag, SEALING_TAG);
    return to;
}

uint64_t sealed_table_free(const unsigned char *table) {
    uint64_t free = ~(uint64_t)0;
    entry_t entry;
    for (unsigned i = 0; i < RECORDS; i++)
        if (sealed_entry_newest(table + i * PAIR, &entry)) free &= ~((uint64_t)1 << entry.page_index);
    return free;
}
