#ifndef PLATFORM_WORDS_H
#define PLATFORM_WORDS_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Words that every process of an app group maps.
 *
 * They are a System V segment, because a mapped file kills whoever reads it after somebody has cut it short. A small file
 * tells which segment it is; the system removes the segment with the last process that uses it.
 *
 * The mapping's place in memory is never given back: on close anonymous memory is put over it, so that a predicate
 * that still reads it on another thread reads zeros instead of faulting; the next mapping takes the place again. */
typedef struct platform_words {
    _Atomic uint64_t generation; /* odd while a change is being committed, even after; MAMState's GenerationWord */
    _Atomic uint32_t bell;       /* rung for workers of every process */
    _Atomic uint32_t notes;      /* counts commits that no process has to obey: odd while one is under way */
} platform_words_t;

/* Attach the words that an open directory's file tells of, made when missing, all zero; `file` is to be kept for the other two
 * functions. 0 or an errno; EXDEV when processes use words that this one cannot attach: they have another IPC namespace, or
 * the file was changed under them; ENODEV when the system gives no segment. */
int platform_words_open(
    int directory, const char *_Nonnull name, platform_words_t *_Nullable *_Nonnull words, int *_Nonnull file);
/* Whether the file is still there and tells of these words: 0 or an errno. */
int platform_words_look(int directory, const char *_Nonnull name, const platform_words_t *_Nonnull words, int file);
void platform_words_close(platform_words_t *_Nonnull words, int file);

/* More memory that the same processes share, made by who asks first: all zero but for its first 16 bytes, then prepared by
 * `prepare`. It stays mapped. NULL where the system gives none. */
void *_Nullable platform_words_more(
    platform_words_t *_Nonnull words, size_t size, void (*_Nonnull prepare)(void *_Nonnull memory));

uint64_t platform_generation(const platform_words_t *_Nonnull words);
void platform_generation_set(platform_words_t *_Nonnull words, uint64_t generation);
/* Set it only where it still is what the caller saw or set. */
bool platform_generation_replace(platform_words_t *_Nonnull words, uint64_t expected, uint64_t generation);

uint32_t platform_notes(const platform_words_t *_Nonnull words);
/* With the database's write lock held, before the commit; the result is for `end` after it. Where the process is killed
 * between them the word stays odd until the next writer ends. */
uint32_t platform_notes_begin(platform_words_t *_Nonnull words);
void platform_notes_end(platform_words_t *_Nonnull words, uint32_t begun);

uint32_t platform_bell(const platform_words_t *_Nonnull words);
void platform_bell_ring(platform_words_t *_Nonnull words);
/* Wait until the bell is rung since it was `seen`, or `milliseconds` passed (negative: no limit). */
void platform_bell_wait(platform_words_t *_Nonnull words, uint32_t seen, int64_t milliseconds);

#endif
