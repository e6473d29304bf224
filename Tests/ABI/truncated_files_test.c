/* A sealed file that is truncated and grows again while others write and read it; forks meanwhile. */
#include "support.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RECORD = 4096, RECORDS = 1000, SIZE = RECORD * RECORDS, MILLISECONDS = 1500 };

static office *here;
static mam_t *m;
static mam_file_t *cut;
static atomic_bool stop, halt, is_halted;

static int begin_here(void **state) {
    size_t count;
    if (set_up(state)) return -1;
    here = *state;
    m = open_enrolled(here);
    OK(mam_file_create(m, in_office(here, "file"), O_RDWR, 0600, ANN, &cut));
    OK(mam_file_pwrite(cut, 0, (const uint8_t *)"t", 1, &count));
    OK(mam_file_truncate(cut, SIZE));
    atomic_store(&stop, false);
    return 0;
}

static int end_here(void **state) {
    mam_file_close(cut);
    OK(mam_close(m));
    return tear_down(state);
}

/* Write whole records at random, through a separate handle: no write fails, whatever is truncated. */
static void *write_records(void *unused) {
    (void)unused;
    mam_file_t *file = NULL;
    uint8_t record[RECORD];
    unsigned dice = 7919;
    memset(record, 'w', sizeof record);
    OK(mam_file_open(m, in_office(here, "file"), O_RDWR, &file));
    while (!atomic_load(&stop)) {
        size_t count;
        dice = dice * 1103515245u + 12345u;
        OK(mam_file_pwrite(file, (int64_t)(dice >> 4) % RECORDS * RECORD, record, sizeof record, &count));
        CHECK_NUMBER(RECORD, count);
        if (!atomic_load(&halt)) continue;
        atomic_store(&is_halted, true);
        while (atomic_load(&halt)) sleep_ms(1);
        atomic_store(&is_halted, false);
    }
    mam_file_close(file);
    return NULL;
}

static void *read_records(void *unused) {
    (void)unused;
    uint8_t record[RECORD];
    for (unsigned i = 0; !atomic_load(&stop); i++) {
        size_t count;
        OK(mam_file_pread(cut, (int64_t)(i % RECORDS) * RECORD, record, sizeof record, &count));
    }
    return NULL;
}

/* Everything is there: only zeros and the data written after the truncation. */
static void look(void) {
    static uint8_t got[SIZE];
    size_t count;
    OK(mam_file_pread(cut, 0, got, SIZE, &count));
    CHECK_NUMBER(SIZE, count);
    for (int i = RECORD; i < SIZE; i++)
        if (got[i] != 0 && got[i] != 'w') failed_at(__FILE__, __LINE__, "byte %d is %d", i, got[i]);
}

static void writers_continue_while_it_is_truncated(void **state) {
    (void)state;
    static uint8_t fill[SIZE];
    pthread_t writer, reader;
    memset(fill, 't', sizeof fill);
    CHECK(pthread_create(&writer, NULL, write_records, NULL) == 0);
    CHECK(pthread_create(&reader, NULL, read_records, NULL) == 0);
    const long long until = now_ms() + MILLISECONDS;
    for (int turn = 0; now_ms() < until || turn < 20; turn++) {
        size_t count;
        OK(mam_file_pwrite(cut, 0, fill, SIZE, &count));
        OK(mam_file_truncate(cut, RECORD));
        OK(mam_file_truncate(cut, SIZE));
        atomic_store(&halt, true);
        while (!atomic_load(&is_halted)) sleep_ms(1);
        look();
        atomic_store(&halt, false);
        while (atomic_load(&is_halted)) sleep_ms(1);
    }
    atomic_store(&stop, true);
    CHECK(pthread_join(writer, NULL) == 0 && pthread_join(reader, NULL) == 0);
    look();
    mam_file_close(cut);
    OK(mam_file_decrypt(m, in_office(here, "file")));
}

/* A reader in the parent holds no lock in the child. */
static void a_child_closes_while_others_read(void **state) {
    (void)state;
    pthread_t reader;
    CHECK(pthread_create(&reader, NULL, read_records, NULL) == 0);
    for (int turn = 0; turn < 40; turn++) {
        int status;
        sleep_ms(2);
        pid_t child = fork();
        if (child == 0) {
            alarm(120);
            _exit(mam_close(m) == MAM_OK ? 0 : 1);
        }
        CHECK(waitpid(child, &status, 0) == child);
        CHECK_NUMBER(0, status);
    }
    atomic_store(&stop, true);
    CHECK(pthread_join(reader, NULL) == 0);
}

static void *truncate_later(void *microseconds) {
    struct timespec span = {.tv_nsec = *(const long *)microseconds * 1000};
    nanosleep(&span, NULL);
    OK(mam_file_truncate(cut, RECORD + 100));
    return NULL;
}

/* A copy that a truncation interrupts ends with an error: it does not wait for the bytes that are gone. */
static void a_copy_ends_where_the_file_is_truncated(void **state) {
    (void)state;
    static uint8_t fill[SIZE];
    int interrupted = 0;
    memset(fill, 't', sizeof fill);
    for (long microseconds = 0; microseconds < 10000; microseconds += 200) {
        size_t count;
        pthread_t thread;
        OK(mam_file_pwrite(cut, 0, fill, SIZE, &count));
        CHECK(pthread_create(&thread, NULL, truncate_later, &microseconds) == 0);
        mam_status status = mam_file_decrypt_copy(m, in_office(here, "file"), in_office(here, "copy"));
        CHECK(pthread_join(thread, NULL) == 0);
        if (status == MAM_OK) continue;
        CHECK_NUMBER(MAM_ERR_BUSY, status);
        interrupted++;
    }
    print_message("%d copies were interrupted\n", interrupted);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin_here, end_here)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(writers_continue_while_it_is_truncated),
        TEST(a_child_closes_while_others_read),
        TEST(a_copy_ends_where_the_file_is_truncated),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
