/* Streams: the data comes back, whatever the pieces; a missing end is never overlooked. */
#include "streams.h"

static const char *const owners[] = {ANN, EVE, ""};
static const uint32_t threads[] = {0, MAM_TWO_THREADS};

static void round_trips_in_any_pieces(void **state) {
    static const size_t sizes[] = {0, 1, 100, 16383, 16384, 16385, 32768, 65536, 65537, 200000, 600001};
    static const size_t pieces[] = {1, 7, 16384, 16400, 65536, WHOLE};
    mam_t *m = open_enrolled(*state);
    for (size_t o = 0; o < 3; o++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            uint8_t *plain = bytes_of(sizes[s]);
            for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
                if (pieces[p] < 16 && sizes[s] > 70000) continue;
                sink sealed = {0}, back = {0};
                mam_bool was_protected = 7;
                OK(protect_all(m, owners[o], threads[p % 2], plain, sizes[s], pieces[p], &sealed));
                OK(unprotect_all(m, MAM_STRICT | threads[s % 2], sealed.data, sealed.length, pieces[p], &back, &was_protected));
                CHECK(was_protected == 1 && holds(&back, plain, sizes[s]));
                CHECK(sealed.largest <= 300000 && back.largest <= 300000);
                sink_clear(&back);
                sink_clear(&sealed);
            }
            free(plain);
        }
    }
    OK(mam_close(m));
}

static void buffers_and_streams_read_each_other(void **state) {
    static const size_t sizes[] = {1, 16384, 100000};
    mam_t *m = open_enrolled(*state);
    for (size_t o = 0; o < 3; o++) {
        for (size_t s = 0; s < 3; s++) {
            uint8_t *plain = bytes_of(sizes[s]);
            sink sealed = {0}, back = {0};
            mam_buffer buffer = {NULL, 0}, opened = {NULL, 0};
            mam_bool was_protected = 0;
            OK(protect_all(m, owners[o], 0, plain, sizes[s], 5000, &sealed));
            OK(mam_unprotect(m, sealed.data, sealed.length, MAM_STRICT, &opened, &was_protected));
            CHECK(was_protected == 1 && opened.length == sizes[s] && memcmp(opened.data, plain, sizes[s]) == 0);
            OK(mam_protect(m, owners[o], plain, sizes[s], &buffer));
            OK(unprotect_all(m, MAM_STRICT, buffer.data, buffer.length, 5000, &back, NULL));
            CHECK(holds(&back, plain, sizes[s]));
            char *json = NULL;
            OK(mam_protection_info(m, sealed.data, sealed.length, &json));
            CHECK_NUMBER(sizes[s], number_of(json, "/length"));
            CHECK_NUMBER(o == 0, truth_of(json, "/encrypted"));
            CHECK(truth_of(json, "/authenticated"));
            mam_free(json);
            size_t prefix = sealed.length < MAM_PROTECT_OVERHEAD ? sealed.length : MAM_PROTECT_OVERHEAD;
            OK(mam_protection_info_prefix(m, sealed.data, prefix, &json));
            CHECK_NUMBER(o == 0, truth_of(json, "/authenticated"));
            CHECK(strstr(json, "\"length\":null") != NULL); /* only the end tells it */
            mam_free(json);
            mam_buffer_free(&buffer);
            mam_buffer_free(&opened);
            sink_clear(&sealed);
            sink_clear(&back);
            free(plain);
        }
    }
    OK(mam_close(m));
}

static void no_bytes_make_a_container_of_none(void **state) {
    mam_t *m = open_enrolled(*state);
    sink sealed = {0}, back = {0};
    mam_bool was_protected = 0;
    mam_buffer opened = {NULL, 0};
    OK(protect_all(m, ANN, 0, NULL, 0, 1, &sealed));
    OK(unprotect_all(m, MAM_STRICT, sealed.data, sealed.length, WHOLE, &back, &was_protected));
    CHECK(was_protected == 1 && back.length == 0 && back.calls == 0);
    OK(mam_unprotect(m, sealed.data, sealed.length, MAM_STRICT, &opened, &was_protected));
    CHECK(was_protected == 1 && opened.length == 0 && opened.data != NULL);
    mam_buffer_free(&opened);
    FAILS(MAM_ERR_EMPTY, unprotect_all(m, 0, NULL, 0, 1, &back, &was_protected)); /* a file that lost all its bytes */
    CHECK(was_protected == 0);
    sink_clear(&sealed);
    OK(mam_close(m));
}

/* At and near every chunk border, and at every byte of the header: an error, and only true bytes before it. */
static void truncated_anywhere(void **state) {
    enum { LENGTH = 5 * CHUNK + 100 };
    mam_t *m = open_enrolled(*state);
    uint8_t *plain = bytes_of(LENGTH);
    for (size_t o = 0; o < 2; o++) {
        sink sealed = {0};
        OK(protect_all(m, owners[o], 0, plain, LENGTH, WHOLE, &sealed));
        for (size_t cut = 0; cut < sealed.length; cut += cut < 200 ? 1 : 1 + random_number() % 800) {
            for (int at_border = 0; at_border < 2; at_border++) {
                size_t length = cut;
                if (at_border && o == 0) length = sealed.length - 116 - cut / RECORD * RECORD;
                sink back = {0};
                mam_bool was_protected = 7;
                mam_status status = unprotect_all(m, 0, sealed.data, length, 1 + random_number() % 30000, &back, &was_protected);
                mam_status expected = length == 0 ? MAM_ERR_EMPTY : MAM_ERR_DAMAGED;
                bool is_foreign = length > 0 && length < 4;
                if (is_foreign) OK(status);
                else if (status != expected && status != MAM_ERR_AUTHENTICATION)
                    failed_at(__FILE__, __LINE__, "cut to %zu of %zu answers %d", length, sealed.length, status);
                CHECK(was_protected == 0 && (is_foreign || holds_beginning(&back, plain, LENGTH - 1)));
                sink_clear(&back);
            }
        }
        sink_clear(&sealed);
    }
    free(plain);
    OK(mam_close(m));
}

static void refuses(mam_t *m, const uint8_t *changed, size_t length, const uint8_t *plain, size_t plain_length, const char *what) {
    static const size_t pieces[] = {1000, RECORD, WHOLE};
    for (size_t p = 0; p < 3; p++) {
        sink back = {0};
        mam_status status = unprotect_all(m, threads[p % 2], changed, length, pieces[p], &back, NULL);
        if (status != MAM_ERR_DAMAGED && status != MAM_ERR_AUTHENTICATION)
            failed_at(__FILE__, __LINE__, "%s answers %d", what, status);
        if (!holds_beginning(&back, plain, plain_length))
            failed_at(__FILE__, __LINE__, "%s: what came out is not what went in", what);
        sink_clear(&back);
    }
}

static void swapped_extended_and_changed(void **state) {
    enum { LENGTH = 20 * CHUNK + 100 };
    mam_t *m = open_enrolled(*state);
    uint8_t *plain = bytes_of(LENGTH);
    sink s = {0};
    OK(protect_all(m, ANN, 0, plain, LENGTH, WHOLE, &s));
    CHECK_NUMBER(HEADER_OF_ANN + 56 + 20 * RECORD + 116, s.length);
    uint8_t *first = s.data + HEADER_OF_ANN + 56, *kept = malloc(RECORD), *longer = calloc(1, s.length + RECORD);
    if (kept == NULL || longer == NULL) abort();
    for (size_t chunk = 0; chunk < 19; chunk += 6) { /* exchanged with its neighbour */
        uint8_t *one = first + chunk * RECORD, *two = one + RECORD;
        memcpy(kept, one, RECORD);
        memcpy(one, two, RECORD);
        memcpy(two, kept, RECORD);
        refuses(m, s.data, s.length, plain, LENGTH, "chunks exchanged");
        memcpy(two, one, RECORD);
        memcpy(one, kept, RECORD);
        one[random_number() % RECORD] ^= 1;
        refuses(m, s.data, s.length, plain, LENGTH, "a bit of a chunk");
        memcpy(one, kept, RECORD);
        memcpy(longer, s.data, s.length); /* left out */
        memmove(longer + (one - s.data), one + RECORD, s.length - (size_t)(one - s.data) - RECORD);
        refuses(m, longer, s.length - RECORD, plain, LENGTH, "a chunk left out");
    }
    memcpy(longer, s.data, s.length);
    memset(longer + s.length, 0, RECORD);
    static const size_t more[] = {1, 16, 17, CHUNK - 100, RECORD - 116, RECORD};
    for (size_t i = 0; i < 6; i++) refuses(m, longer, s.length + more[i], plain, LENGTH, "extended");
    for (size_t i = 4; i < HEADER_OF_ANN + 56; i++) {
        s.data[i] ^= 1;
        sink back = {0};
        mam_status status = unprotect_all(m, 0, s.data, s.length, WHOLE, &back, NULL);
        CHECK(status != MAM_OK && back.length == 0);
        s.data[i] ^= 1;
    }
    free(longer);
    free(kept);
    free(plain);
    sink_clear(&s);
    OK(mam_close(m));
}

/* The length in a buffer's header binds the stream that reads it. */
static void a_stated_length_is_enforced(void **state) {
    enum { LENGTH = 2 * CHUNK };
    mam_t *m = open_enrolled(*state);
    uint8_t *plain = bytes_of(LENGTH);
    for (size_t o = 0; o < 2; o++) {
        mam_buffer buffer = {NULL, 0};
        OK(mam_protect(m, owners[o], plain, LENGTH, &buffer));
        for (size_t cut = 1; cut < buffer.length - 400; cut += 1 + cut / 3)
            refuses(m, buffer.data, buffer.length - cut, plain, LENGTH, "a buffer, cut");
        uint8_t *longer = calloc(1, buffer.length + RECORD);
        if (longer == NULL) abort();
        memcpy(longer, buffer.data, buffer.length);
        refuses(m, longer, buffer.length + 1, plain, LENGTH, "a buffer and a byte");
        refuses(m, longer, buffer.length + RECORD, plain, LENGTH, "a buffer and more than a chunk");
        free(longer);
        mam_buffer_free(&buffer);
    }
    free(plain);
    OK(mam_close(m));
}

static void a_label_is_checked_at_the_end(void **state) {
    enum { LENGTH = 50000 };
    mam_t *m = open_enrolled(*state);
    uint8_t *plain = bytes_of(LENGTH);
    sink sealed = {0}, back = {0};
    OK(protect_all(m, EVE, 0, plain, LENGTH, WHOLE, &sealed));
    sealed.data[sealed.length - 40000] ^= 1;
    FAILS(MAM_ERR_AUTHENTICATION, unprotect_all(m, 0, sealed.data, sealed.length, 999, &back, NULL));
    CHECK_NUMBER(LENGTH, back.length); /* the output came before the error, as documented, and close reported it */
    sink_clear(&sealed);
    sink_clear(&back);
    free(plain);
    OK(mam_close(m));
}

static void foreign_bytes_pass_unchanged(void **state) {
    mam_t *m = open_quiet(*state);
    static const char *const foreign[] = {"x", "MAM", "MAM\005 and more", "mam\001 and more", "MAMmoth", "\377\376 bytes"};
    for (size_t i = 0; i < 6; i++) {
        size_t length = strlen(foreign[i]);
        for (size_t piece = 1; piece <= 5; piece++) {
            sink back = {0};
            mam_bool was_protected = 7;
            OK(unprotect_all(m, threads[piece % 2], (const uint8_t *)foreign[i], length, piece, &back, &was_protected));
            CHECK(was_protected == 0 && holds(&back, foreign[i], length));
            sink_clear(&back);
            FAILS(
                MAM_ERR_NOT_PROTECTED,
                unprotect_all(m, MAM_STRICT, (const uint8_t *)foreign[i], length, piece, &back, &was_protected));
            CHECK_NUMBER(104, original_code());
            CHECK(was_protected == 0 && back.calls == 0);
        }
    }
    sink back = {0};
    uint8_t *large = bytes_of(3 << 20);
    OK(unprotect_all(m, 0, large, 3 << 20, 1 << 20, &back, NULL));
    CHECK(holds(&back, large, 3 << 20));
    sink_clear(&back);
    OK(unprotect_all(m, MAM_TWO_THREADS, large, 3 << 20, 1 << 20, &back, NULL));
    CHECK(holds(&back, large, 3 << 20));
    sink_clear(&back);
    free(large);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(round_trips_in_any_pieces),         WITH_OFFICE(buffers_and_streams_read_each_other),
        WITH_OFFICE(no_bytes_make_a_container_of_none), WITH_OFFICE(truncated_anywhere),
        WITH_OFFICE(swapped_extended_and_changed),      WITH_OFFICE(a_stated_length_is_enforced),
        WITH_OFFICE(a_label_is_checked_at_the_end),     WITH_OFFICE(foreign_bytes_pass_unchanged),
    };
    return cmocka_run_group_tests_name("streams", tests, begin, NULL);
}
