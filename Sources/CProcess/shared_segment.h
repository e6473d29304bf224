/* The page that holds the shared words; of this folder only. */
#ifndef SHARED_SEGMENT_H
#define SHARED_SEGMENT_H
#include "shared_words.h"

enum { SHARED_PAGE = 4096, SHARED_MARK = 16, SHARED_PREFIX = 40 };

/* The layout is common to all processes that attach the segment, whatever release of libmam they run. */
typedef struct shared_page {
    shared_words_t words;
    unsigned char mark[SHARED_MARK];
    _Atomic int64_t mapping; /* the segment of shared_memory_map, plus one */
    _Alignas(8) unsigned char closed_accounts[SHARED_PAGE - SHARED_PREFIX];
} shared_page_t;
_Static_assert(sizeof(shared_page_t) == SHARED_PAGE, "a page");
_Static_assert(offsetof(shared_page_t, closed_accounts) == SHARED_PREFIX, "closed accounts follow the words");

#endif
