#ifndef PLATFORM_HANDLE_H
#define PLATFORM_HANDLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "platform_words.h"

/* Handles are tokens: a number and how often its slot was used. Slots are recycled and never unmapped, so a closed, stale or
 * made-up token is found out and never followed. */

enum { PLATFORM_HANDLE_SESSION = 1, PLATFORM_HANDLE_POLICY = 2, PLATFORM_HANDLE_QUESTION = 3,
       PLATFORM_HANDLE_IDENTITY = 4, PLATFORM_HANDLE_CONFIGURATION = 5 };
enum { PLATFORM_HANDLE_PROTECT_STREAM = 16, PLATFORM_HANDLE_UNPROTECT_STREAM = 17 };
enum { PLATFORM_HANDLE_FILE = 24 };

/* What a token can be; the numbers are those of mam.h. */
enum { PLATFORM_HANDLE_OK = 0, PLATFORM_HANDLE_ARGUMENT = 1, PLATFORM_HANDLE_CLOSED = 4, PLATFORM_HANDLE_FORKED = 5,
       PLATFORM_HANDLE_STALE = 19 };

/* A new token for an object (retained by the caller); 0 when there are a million. */
uintptr_t platform_handle_new(int32_t kind, const void *_Nonnull object);
/* Use the object: it stays until platform_handle_leave. */
int32_t platform_handle_enter(uintptr_t token, int32_t kind, const void *_Nullable *_Nonnull object);
void platform_handle_leave(uintptr_t token);
/* Whether it could be entered now. */
bool platform_handle_is_open(uintptr_t token, int32_t kind);
/* Nobody enters any more; `object` is then the caller's to release after platform_handle_drain. In a forked child the
 * status is FORKED and `object` is set all the same. */
int32_t platform_handle_close(uintptr_t token, int32_t kind, const void *_Nullable *_Nonnull object);
/* Wait until everybody has left (in a forked child: does not wait), and recycle the slot. */
void platform_handle_drain(uintptr_t token);

/* The published answers of a policy handle. One thread at a time publishes; any number read without a lock. */

/* Row 0 answers for no name, row 1 for a name that is not listed. */
enum { PLATFORM_ANSWER_ROWS = 6, PLATFORM_ANSWER_UNNAMED = 1, PLATFORM_ANSWER_NAMES = 8, PLATFORM_NAME_BYTES = 128 };

typedef struct platform_answer_name {
    uint32_t row, length;
    unsigned char folded[PLATFORM_NAME_BYTES];
} platform_answer_name_t;

typedef struct platform_answers {
    uint64_t bits;                              /* one a predicate */
    uint32_t save[PLATFORM_ANSWER_ROWS];        /* allowed locations by the row of the other account */
    uint32_t open[PLATFORM_ANSWER_ROWS];
    bool strict;                                /* names that no row has must be asked about */
    uint32_t names;                             /* how many of the following */
    platform_answer_name_t name[PLATFORM_ANSWER_NAMES];
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
