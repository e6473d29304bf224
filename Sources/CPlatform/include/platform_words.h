#ifndef PLATFORM_WORDS_H
#define PLATFORM_WORDS_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Words in a small file that every process of an app group maps.
 *
 * The mapping's place in memory is never given back: on close anonymous memory is put over it, so that a predicate
 * that still reads it on another thread reads zeros instead of faulting; the next mapping takes the place again. */
typedef struct platform_words {
    _Atomic uint64_t generation; /* odd while a change is being committed, even after; MAMState's GenerationWord */
    _Atomic uint32_t bell;       /* rung for workers of every process */
} platform_words_t;

/* Map the words of an open directory's file, made when missing. 0 or an errno. */
int platform_words_open(int directory, const char *_Nonnull name, platform_words_t *_Nullable *_Nonnull words);
void platform_words_close(platform_words_t *_Nonnull words);

uint64_t platform_generation(const platform_words_t *_Nonnull words);
void platform_generation_set(platform_words_t *_Nonnull words, uint64_t generation);
/* Set it only where it still is what the caller saw or set. */
bool platform_generation_replace(platform_words_t *_Nonnull words, uint64_t expected, uint64_t generation);

uint32_t platform_bell(const platform_words_t *_Nonnull words);
void platform_bell_ring(platform_words_t *_Nonnull words);
/* Wait until the bell is rung since it was `seen`, or `milliseconds` passed (negative: no limit). */
void platform_bell_wait(platform_words_t *_Nonnull words, uint32_t seen, int64_t milliseconds);

#endif
