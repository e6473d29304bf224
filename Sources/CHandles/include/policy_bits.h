#ifndef POLICY_BITS_H
#define POLICY_BITS_H
#include "handle.h"
#include "shared_words.h"

/* The decisions of a policy handle, published as bits. One thread at a time publishes; any number read without a
 * lock. */

/* Row 0 is for calls without an account, row 1 for accounts that are not listed. */
enum { POLICY_BITS_ROWS = 6, POLICY_BITS_UNLISTED = 1, POLICY_BITS_NAMES = 8, POLICY_BITS_NAME_BYTES = 128 };
enum { POLICY_BITS_DOMAINS = 4, POLICY_BITS_DOMAIN_BYTES = 64 };

typedef struct policy_bits_name {
    uint32_t row, length;
    unsigned char folded[POLICY_BITS_NAME_BYTES];
} policy_bits_name_t;

typedef struct policy_bits_domain {
    uint32_t length;
    unsigned char folded[POLICY_BITS_DOMAIN_BYTES]; /* ASCII, with its "@" */
} policy_bits_domain_t;

typedef struct policy_bits {
    uint64_t bits;                   /* one for each predicate */
    uint32_t save[POLICY_BITS_ROWS]; /* allowed locations, by the row of the other account */
    uint32_t open[POLICY_BITS_ROWS];
    bool strict;    /* unlisted accounts need the full decision */
    uint32_t names; /* number of entries in `name` */
    policy_bits_name_t name[POLICY_BITS_NAMES];
    uint32_t domains; /* unlisted accounts that may be of these domains need the full decision */
    policy_bits_domain_t domain[POLICY_BITS_DOMAINS];
} policy_bits_t;

/* Publish the bits that hold at a generation of these words. */
void policy_bits_publish(
    uintptr_t token, const shared_words_t *_Nonnull words, uint64_t generation, const policy_bits_t *_Nonnull bits);
/* The session is closed: every reader gets HANDLE_CLOSED. */
void policy_bits_close(uintptr_t token);

/* Read one predicate's bit. Returns HANDLE_OK, ARGUMENT, CLOSED, FORKED, or STALE if the generation has changed. No
 * lock, no allocation, no system call: measured by `make bench BENCH=quiet`. */
int32_t policy_bits_predicate(uintptr_t token, uint32_t bit, int32_t *_Nonnull answer);

/* Read one location's bit for the other account (NULL: unknown), to save to it or to open from it. STALE also if the
 * account needs the full decision; ARGUMENT if `location` is invalid. */
int32_t policy_bits_location(uintptr_t token, bool save, int32_t location, const char *_Nullable account, int32_t *_Nonnull answer);

#endif
