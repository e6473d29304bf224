#ifndef SHARED_WORDS_H
#define SHARED_WORDS_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Atomic words that every process of an app group maps.
 *
 * They lie in a System V segment: a mapped file would kill its readers with SIGBUS once another process truncates it. A
 * small file records which segment it is; the kernel removes the segment with the last process that uses it.
 *
 * The address range is never unmapped: closing puts anonymous memory over it, so that a predicate that still reads
 * the words on another thread reads zeros instead of faulting; the next mapping reuses the range. */
typedef struct shared_words {
    _Atomic uint64_t generation; /* odd while a change is being committed, even otherwise; MAMState's GenerationWord */
    _Atomic uint32_t wakeup;     /* futex for the workers of all processes */
    _Atomic uint32_t writes;     /* counts commits that do not change the generation; odd while one is in progress */
} shared_words_t;

/* Attach the words that a file in an open directory names, creating both if they do not exist, all zero; `file` is
 * for the next two functions. Returns 0 or an errno: EXDEV if other processes use words that this one cannot attach
 * (another IPC namespace, or the file was replaced), ENODEV if the system provides no segment. */
int shared_words_open(int directory, const char *_Nonnull name, shared_words_t *_Nullable *_Nonnull words, int *_Nonnull file);
/* Check that the file still exists and names these words: 0 or an errno. */
int shared_words_check(int directory, const char *_Nonnull name, const shared_words_t *_Nonnull words, int file);
void shared_words_close(shared_words_t *_Nonnull words, int file);

/* More memory that the same processes share. The first to ask creates it, zeroed except for its first 16 bytes, and
 * initialises it with `prepare`. It stays mapped. NULL if the system provides none. */
void *_Nullable shared_memory_map(shared_words_t *_Nonnull words, size_t size, void (*_Nonnull prepare)(void *_Nonnull memory));

uint64_t shared_generation_word(const shared_words_t *_Nonnull words);
void shared_generation_word_set(shared_words_t *_Nonnull words, uint64_t generation);
/* Compare and exchange: set it only if it still has the expected value. */
bool shared_generation_word_replace(shared_words_t *_Nonnull words, uint64_t expected, uint64_t generation);

uint32_t shared_writes(const shared_words_t *_Nonnull words);
/* Within the database's write transaction, before the commit; the result is for shared_writes_end after it. If the
 * process is killed between the two, the word stays odd until the next writer ends. */
uint32_t shared_writes_begin(shared_words_t *_Nonnull words);
void shared_writes_end(shared_words_t *_Nonnull words, uint32_t begun);

uint32_t shared_wakeup(const shared_words_t *_Nonnull words);
void shared_wakeup_signal(shared_words_t *_Nonnull words);
/* Wait until the word changes from `seen`, or `milliseconds` have passed (negative: no limit). */
void shared_wakeup_wait(shared_words_t *_Nonnull words, uint32_t seen, int64_t milliseconds);

#endif
