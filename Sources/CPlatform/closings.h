/* What stands of closed accounts in the shared words; of this folder only. */
#ifndef PLATFORM_CLOSINGS_H
#define PLATFORM_CLOSINGS_H
#include "platform_closing.h"

enum { CLOSING_WORDS = sizeof(platform_closing_t) / 8 };

typedef struct platform_closings {
    _Atomic uint32_t marks; /* handed out */
    _Atomic uint32_t count; /* at least as many slots are in use, and one more for whoever was killed at it */
    struct {
        _Atomic uint64_t state;
        _Atomic uint64_t words[CLOSING_WORDS];
    } slot[PLATFORM_CLOSINGS];
} platform_closings_t;

platform_closings_t *platform_closings_of(platform_words_t *words);

#endif
