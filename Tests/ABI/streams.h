/* Shared by the suites of streams: a sink for output, and a whole input in pieces of one size. */
#ifndef STREAMS_H
#define STREAMS_H

#include "support.h"

enum { CHUNK = 16384, RECORD = CHUNK + 16, HEADER_OF_ANN = 39 + 6 };
#define WHOLE SIZE_MAX

/* The output so far. */
typedef struct sink {
    uint8_t *data;
    size_t length, capacity, calls;
    size_t refuses_at; /* refuse the call with this number, counted from 1; 0: none */
    size_t largest;
    pthread_t thread; /* of the latest call */
} sink;

int32_t take(void *user, const uint8_t *data, size_t length);
void sink_clear(sink *s);

/* Write everything in pieces of `piece` bytes and close; returns the first status that is not MAM_OK, with its last
 * error. */
mam_status protect_all(mam_t *m, const char *account, uint32_t flags, const uint8_t *data, size_t length, size_t piece, sink *s);
mam_status unprotect_all(
    mam_t *m, uint32_t flags, const uint8_t *data, size_t length, size_t piece, sink *s, mam_bool *was_protected);

/* Some bytes; the caller frees them. */
uint8_t *bytes_of(size_t length);
/* Whether it holds exactly these bytes. */
bool holds(const sink *s, const void *data, size_t length);
/* Whether it holds the first of these bytes, perhaps all. */
bool holds_beginning(const sink *s, const void *data, size_t length);

#endif
