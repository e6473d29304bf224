#ifndef PLATFORM_ANSWERS_H
#define PLATFORM_ANSWERS_H
#include "platform_handle.h"
#include "platform_words.h"

/* The published answers of a policy handle. One thread at a time publishes; any number read without a lock. */

/* Row 0 answers for no name, row 1 for a name that is not listed. */
enum { PLATFORM_ANSWER_ROWS = 6, PLATFORM_ANSWER_UNNAMED = 1, PLATFORM_ANSWER_NAMES = 8, PLATFORM_NAME_BYTES = 128 };
enum { PLATFORM_ANSWER_DOMAINS = 4, PLATFORM_DOMAIN_BYTES = 64 };

typedef struct platform_answer_name {
    uint32_t row, length;
    unsigned char folded[PLATFORM_NAME_BYTES];
} platform_answer_name_t;

typedef struct platform_answer_domain {
    uint32_t length;
    unsigned char folded[PLATFORM_DOMAIN_BYTES]; /* from its "@" on */
} platform_answer_domain_t;

typedef struct platform_answers {
    uint64_t bits;                              /* one a predicate */
    uint32_t save[PLATFORM_ANSWER_ROWS];        /* allowed locations by the row of the other account */
    uint32_t open[PLATFORM_ANSWER_ROWS];
    bool strict;                                /* names that no row has must be asked about */
    uint32_t names;                             /* how many of the following */
    platform_answer_name_t name[PLATFORM_ANSWER_NAMES];
    uint32_t domains;                           /* names that no row has and that end so must be asked about */
    platform_answer_domain_t domain[PLATFORM_ANSWER_DOMAINS];
} platform_answers_t;

/* Publish the answers that hold at a generation of these words. */
void platform_answers_publish(
    uintptr_t token, const platform_words_t *_Nonnull words, uint64_t generation, const platform_answers_t *_Nonnull answers);
/* The parent is closed: every reader is told so. */
void platform_answers_close(uintptr_t token);

/* One bit of the answers. The result is PLATFORM_HANDLE_OK, ARGUMENT, CLOSED, FORKED, or STALE when the generation has
 * moved on. No lock, no allocation, no system call. */
int32_t platform_answers_bit(uintptr_t token, uint32_t bit, int32_t *_Nonnull answer);

/* One location for a counterpart's name (NULL: unknown). `save` chooses the scale. STALE also where the name has to be looked
 * up; ARGUMENT when `location` is none. */
int32_t platform_answers_location(
    uintptr_t token, bool save, int32_t location, const char *_Nullable account, int32_t *_Nonnull answer);

#endif
