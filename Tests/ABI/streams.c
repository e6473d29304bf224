#include "streams.h"

int32_t take(void *user, const uint8_t *data, size_t length) {
    sink *s = user;
    s->thread = pthread_self();
    if (++s->calls == s->refuses_at) return 7;
    CHECK(data != NULL && length > 0);
    if (length > s->largest) s->largest = length;
    if (s->length + length > s->capacity) {
        s->capacity = 2 * (s->length + length);
        s->data = realloc(s->data, s->capacity);
        if (s->data == NULL) abort();
    }
    memcpy(s->data + s->length, data, length);
    s->length += length;
    return 0;
}

void sink_clear(sink *s) {
    free(s->data);
    memset(s, 0, sizeof *s);
}

mam_status protect_all(mam_t *m, const char *account, uint32_t flags, const uint8_t *data, size_t length, size_t piece, sink *s) {
    mam_protect_stream_t *stream = NULL;
    mam_status status = mam_protect_stream_open(m, account, flags, take, s, &stream);
    if (status != MAM_OK) return status;
    for (size_t at = 0; status == MAM_OK && at < length;) {
        size_t count = length - at < piece ? length - at : piece;
        status = mam_protect_stream_write(stream, data + at, count);
        at += count;
    }
    mam_status closed = mam_protect_stream_close(stream, 0);
    CHECK(status == MAM_OK || status == closed); /* a failed stream stays failed */
    return closed;
}

mam_status unprotect_all(
    mam_t *m, uint32_t flags, const uint8_t *data, size_t length, size_t piece, sink *s, mam_bool *was_protected) {
    mam_unprotect_stream_t *stream = NULL;
    mam_status status = mam_unprotect_stream_open(m, flags, take, s, &stream);
    if (status != MAM_OK) return status;
    for (size_t at = 0; status == MAM_OK && at < length;) {
        size_t count = length - at < piece ? length - at : piece;
        status = mam_unprotect_stream_write(stream, data + at, count);
        at += count;
    }
    mam_status closed = mam_unprotect_stream_close(stream, 0, was_protected);
    CHECK(status == MAM_OK || status == closed);
    return closed;
}

uint8_t *bytes_of(size_t length) {
    uint8_t *bytes = malloc(length ? length : 1);
    if (bytes == NULL) abort();
    for (size_t i = 0; i < length; i++) bytes[i] = (uint8_t)(i * 131 + (i >> 8) * 7 + 1);
    return bytes;
}

bool holds(const sink *s, const void *data, size_t length) {
    return s->length == length && (length == 0 || memcmp(s->data, data, length) == 0);
}

bool holds_beginning(const sink *s, const void *data, size_t length) {
    return s->length <= length && (s->length == 0 || memcmp(s->data, data, s->length) == 0);
}
