/* Damaged sealed files: a read returns the data that was written, or reports the damage with its offset. */
#define _GNU_SOURCE
#include "support.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { PAGE = 4096, RECORDS = 5, SIZE = RECORDS * PAGE - 100, HEADER_END = 39 + 6 + 24 + 32, TABLE = PAGE };

static mam_t *m;
static const char *path;
static uint8_t plain[SIZE], *form;
static size_t form_length;

static int begin_here(void **state) {
    if (set_up_without_pin(state)) return -1;
    m = open_enrolled(*state);
    static char room[PATH_SIZE];
    snprintf(room, sizeof room, "%s", in_office(*state, "changed"));
    path = room;
    mam_file_t *file = NULL;
    size_t count;
    for (size_t i = 0; i < SIZE; i++) plain[i] = (uint8_t)(random_number() >> 16);
    OK(mam_file_create(m, path, O_RDWR, 0600, ANN, &file));
    for (int turn = 0; turn < 2; turn++) OK(mam_file_pwrite(file, 0, plain, SIZE, &count));
    OK(mam_file_sync(file));
    mam_file_close(file);
    form = read_whole(path, &form_length);
    return 0;
}

static int end_here(void **state) {
    free(form);
    OK(mam_close(m));
    return tear_down(state);
}

static void put(size_t offset, const void *bytes, size_t length) {
    int file = open(path, O_WRONLY);
    CHECK(file >= 0 && pwrite(file, bytes, length, (off_t)offset) == (ssize_t)length);
    close(file);
}

static void put_back(void) { write_whole(path, form, form_length); }

/* The number of records that read as written; every other one must be reported as damaged. -1: it did not open. */
static int damaged_records(const char *what, size_t where) {
    mam_file_t *file = NULL;
    mam_status status = mam_file_open(m, path, O_RDONLY, &file);
    if (status != MAM_OK) {
        if (status != MAM_ERR_DAMAGED && status != MAM_ERR_AUTHENTICATION && status != MAM_ERR_KEY_UNAVAILABLE)
            failed_at(__FILE__, __LINE__, "%s at %zu: opening answers %d", what, where, status);
        CHECK_TEXT(path, culprit("path"));
        return -1;
    }
    int damaged = 0;
    for (size_t at = 0; at < SIZE; at += PAGE) {
        uint8_t got[PAGE];
        size_t count, length = SIZE - at < PAGE ? SIZE - at : PAGE;
        status = mam_file_pread(file, (int64_t)at, got, PAGE, &count);
        if (status == MAM_OK) {
            if (count != length || memcmp(got, plain + at, length) != 0)
                failed_at(__FILE__, __LINE__, "%s at %zu: the record at %zu reads as something else", what, where, at);
            continue;
        }
        FAILS(MAM_ERR_DAMAGED, status);
        CHECK_NUMBER(103, original_code());
        char *json = NULL;
        CHECK(mam_last_error_json(&json) == MAM_OK);
        CHECK_NUMBER(at, number_of(json, "/detail/offset"));
        mam_free(json);
        CHECK_NUMBER(0, count);
        damaged++;
    }
    mam_file_close(file);
    return damaged;
}

static void every_byte_of_the_header(void **state) {
    (void)state;
    int refused = 0;
    for (size_t at = 4; at < PAGE; at++) {
        if (at > HEADER_END + 40 && at < 2040) at = 2040; /* zeros, all alike */
        if (at > 2048 + 140 && at < 3060) at = 3060;
        if (at > 3072 + 140) break;
        uint8_t changed = form[at] ^ (uint8_t)(1u << random_number() % 8);
        put(at, &changed, 1);
        int damaged = damaged_records("a changed byte", at);
        if (at < 2048 && damaged != -1) failed_at(__FILE__, __LINE__, "byte %zu of the header is not looked at", at);
        /* One of the two header states is intact, and both have the same content. */
        if (at >= 2048 && damaged != 0) failed_at(__FILE__, __LINE__, "one state is not enough: byte %zu", at);
        refused += damaged < 0;
        put(at, form + at, 1);
    }
    CHECK(refused >= HEADER_END - 4);
    /* Both states. */
    uint8_t changed[2] = {(uint8_t)(form[2048 + 70] ^ 1), (uint8_t)(form[3072 + 70] ^ 1)};
    put(2048 + 70, changed, 1);
    put(3072 + 70, changed + 1, 1);
    CHECK_NUMBER(-1, damaged_records("both states", 2048));
}

static void every_byte_of_the_table(void **state) {
    (void)state;
    int damaged = 0;
    for (size_t at = 0; at < 64 * RECORDS; at++) {
        uint8_t changed = form[TABLE + at] ^ (uint8_t)(1u << random_number() % 8);
        put(TABLE + at, &changed, 1);
        int here = damaged_records("a changed entry", at);
        if (here < 0 || here > 1) failed_at(__FILE__, __LINE__, "byte %zu of the table damages %d records", at, here);
        damaged += here;
        put(TABLE + at, form + TABLE + at, 1);
    }
    CHECK(damaged > 25 * RECORDS);
}

static void bytes_of_records(void **state) {
    (void)state;
    int damaged = 0;
    for (size_t at = TABLE + PAGE; at < form_length; at += 97) {
        uint8_t changed = (uint8_t)~form[at];
        put(at, &changed, 1);
        int here = damaged_records("a changed record", at);
        CHECK(here == 0 || here == 1); /* of a spare slot: none */
        damaged += here;
        put(at, form + at, 1);
    }
    CHECK(damaged > 100);
}

static void truncated_anywhere(void **state) {
    (void)state;
    int last = 0;
    for (size_t length = form_length; length > 3; length -= length > 512 ? 512 : 50) {
        CHECK(truncate(path, (off_t)length) == 0);
        int damaged = damaged_records("cut", length);
        if (damaged >= 0 && damaged < last) failed_at(__FILE__, __LINE__, "cut at %zu less is damaged than before", length);
        if (length < 2048) CHECK_NUMBER(-1, damaged);
        last = damaged < 0 ? RECORDS : damaged;
        if (length < 60) break;
    }
    put_back();
    CHECK_NUMBER(0, damaged_records("whole", 0));
}

static void slots_and_entries_exchanged(void **state) {
    (void)state;
    int damaged = 0;
    for (size_t a = 0; a < 2 * RECORDS; a++) {
        for (size_t b = 0; b < a; b++) {
            size_t x = TABLE + PAGE * (1 + a), y = TABLE + PAGE * (1 + b);
            if (x + PAGE > form_length) continue;
            put(x, form + y, PAGE);
            put(y, form + x, PAGE);
            damaged += damaged_records("exchanged places", a);
            put_back();
            if (a >= RECORDS) continue;
            x = TABLE + 64 * a, y = TABLE + 64 * b;
            put(x, form + y, 64);
            put(y, form + x, 64);
            CHECK_NUMBER(2, damaged_records("exchanged entries", a));
            put_back();
        }
    }
    CHECK(damaged > 0);
}

/* The same account, key and slot, but another file. */
static void records_of_another_file(void **state) {
    const office *o = *state;
    mam_file_t *file = NULL;
    size_t count, length;
    OK(mam_file_create(m, in_office(o, "other"), O_RDWR, 0600, ANN, &file));
    for (int turn = 0; turn < 2; turn++) OK(mam_file_pwrite(file, 0, plain, SIZE, &count));
    mam_file_close(file);
    uint8_t *other = read_whole(in_office(o, "other"), &length);
    CHECK(length >= form_length);
    put(TABLE, other + TABLE, form_length - TABLE);
    CHECK_NUMBER(RECORDS, damaged_records("another file's records", 0));
    put_back();
    put(2048, other + 2048, 2048);
    CHECK_NUMBER(-1, damaged_records("another file's state", 0));
    put_back();
    put(0, other, 2048);
    CHECK_NUMBER(-1, damaged_records("another file's header", 0));
    put_back();
    free(other);
}

/* A file that is damaged while it is read and written through an open handle: damage, or the data that was written. */
static void damaged_while_open(void **state) {
    (void)state;
    mam_file_t *file = NULL;
    size_t count;
    OK(mam_file_open(m, path, O_RDWR, &file));
    for (int turn = 0; turn < 400; turn++) {
        size_t at = (size_t)(random_number() % form_length), length = 1 + (size_t)(random_number() % 300);
        if (at + length > form_length) length = form_length - at;
        uint8_t noise[300], got[PAGE];
        for (size_t i = 0; i < length; i++) noise[i] = (uint8_t)random_number();
        if (turn % 50 == 49) CHECK(truncate(path, (off_t)at) == 0);
        else put(at, noise, length);
        size_t record = (size_t)(random_number() % RECORDS) * PAGE;
        mam_status status = mam_file_pread(file, (int64_t)record, got, PAGE, &count);
        if (status == MAM_OK && memcmp(got, plain + record, count) != 0)
            failed_at(__FILE__, __LINE__, "turn %d: the record at %zu reads as something else", turn, record);
        if (status != MAM_OK && status != MAM_ERR_DAMAGED && status != MAM_ERR_AUTHENTICATION)
            failed_at(__FILE__, __LINE__, "turn %d: reading answers %d", turn, status);
        status = mam_file_pwrite(file, (int64_t)record, plain + record, record + PAGE > SIZE ? SIZE - record : PAGE, &count);
        if (status != MAM_OK && status != MAM_ERR_DAMAGED && status != MAM_ERR_AUTHENTICATION)
            failed_at(__FILE__, __LINE__, "turn %d: writing answers %d", turn, status);
        if (turn % 10 == 9) put_back();
    }
    mam_file_close(file);
    put_back();
    CHECK_NUMBER(0, damaged_records("whole", 0));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin_here, end_here)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_byte_of_the_header),    TEST(every_byte_of_the_table), TEST(bytes_of_records),   TEST(truncated_anywhere),
        TEST(slots_and_entries_exchanged), TEST(records_of_another_file), TEST(damaged_while_open),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
