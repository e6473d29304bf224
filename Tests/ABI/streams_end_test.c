/* Streams that end early: abandoned, refused by the host, wiped, locked, closed session, forked; and threads. */
#include "streams.h"

#include <signal.h>
#include <sys/wait.h>

enum { LENGTH = 700000 };

static uint8_t *plain;

static mam_protect_stream_t *protecting(mam_t *m, const char *account, uint32_t flags, sink *s) {
    mam_protect_stream_t *stream = NULL;
    OK(mam_protect_stream_open(m, account, flags, take, s, &stream));
    return stream;
}

/* The output never opens as a complete container. */
static void never_opens(mam_t *m, const sink *sealed) {
    sink back = {0};
    mam_buffer buffer = {NULL, 0};
    CHECK(unprotect_all(m, 0, sealed->data, sealed->length, WHOLE, &back, NULL) != MAM_OK);
    if (sealed->length > 3) CHECK(mam_unprotect(m, sealed->data, sealed->length, 0, &buffer, NULL) != MAM_OK);
    CHECK(holds_beginning(&back, plain, LENGTH - 1));
    sink_clear(&back);
}

static void an_abandoned_stream_never_opens(void **state) {
    mam_t *m = open_enrolled(*state);
    static const size_t sizes[] = {0, 1, CHUNK, 3 * CHUNK, 16 * CHUNK, LENGTH};
    for (size_t i = 0; i < 24; i++) {
        sink s = {0};
        mam_protect_stream_t *stream = protecting(m, i % 2 ? EVE : ANN, i / 12 ? MAM_TWO_THREADS : 0, &s);
        OK(mam_protect_stream_write(stream, plain, sizes[i / 2 % 6]));
        OK(mam_protect_stream_close(stream, MAM_ABANDON));
        size_t calls = s.calls;
        FAILS(MAM_ERR_CLOSED, mam_protect_stream_write(stream, plain, 1));
        FAILS(MAM_ERR_CLOSED, mam_protect_stream_close(stream, 0));
        CHECK_NUMBER(calls, s.calls);
        never_opens(m, &s);
        sink_clear(&s);
    }
    mam_unprotect_stream_t *stream = NULL;
    mam_bool was_protected = 7;
    sink s = {0};
    OK(mam_unprotect_stream_open(m, MAM_STRICT, take, &s, &stream));
    OK(mam_unprotect_stream_close(stream, MAM_ABANDON, &was_protected));
    CHECK(was_protected == 0 && s.calls == 0);
    OK(mam_protect_stream_close(NULL, 0));
    OK(mam_unprotect_stream_close(NULL, 0, NULL));
    OK(mam_close(m));
}

static void the_host_refuses(void **state) {
    mam_t *m = open_enrolled(*state);
    for (uint32_t flags = 0; flags <= MAM_TWO_THREADS; flags += MAM_TWO_THREADS) {
        for (size_t at = 1; at <= 3; at++) {
            sink s = {.refuses_at = at}, back = {.refuses_at = at}, whole = {0};
            FAILS(MAM_ERR_CANCELED, protect_all(m, ANN, flags, plain, LENGTH, 100000, &s));
            CHECK_NUMBER(at, s.calls);
            never_opens(m, &s);
            OK(protect_all(m, ANN, flags, plain, LENGTH, 100000, &whole));
            FAILS(MAM_ERR_CANCELED, unprotect_all(m, flags, whole.data, whole.length, 100000, &back, NULL));
            CHECK(back.calls == at && holds_beginning(&back, plain, LENGTH - 1));
            sink_clear(&s);
            sink_clear(&back);
            sink_clear(&whole);
        }
    }
    OK(mam_close(m));
}

static void a_bad_argument_leaves_the_stream_alone(void **state) {
    mam_t *m = open_enrolled(*state);
    sink s = {0}, back = {0};
    mam_protect_stream_t *stream = protecting(m, ANN, 0, &s);
    OK(mam_protect_stream_write(stream, plain, 100));
    FAILS(MAM_ERR_ARGUMENT, mam_protect_stream_write(stream, NULL, 1));
    FAILS(MAM_ERR_ARGUMENT, mam_protect_stream_write(stream, plain, SIZE_MAX));
    FAILS(MAM_ERR_ARGUMENT, mam_protect_stream_close(stream, MAM_TWO_THREADS));
    OK(mam_protect_stream_write(stream, NULL, 0));
    OK(mam_protect_stream_write(stream, plain + 100, 100));
    OK(mam_protect_stream_close(stream, 0));
    OK(unprotect_all(m, MAM_STRICT, s.data, s.length, WHOLE, &back, NULL));
    CHECK(holds(&back, plain, 200));
    FAILS(MAM_ERR_ARGUMENT, mam_protect_stream_open(m, ANN, MAM_STRICT, take, &s, &stream));
    CHECK(stream == NULL);
    FAILS(MAM_ERR_ARGUMENT, mam_protect_stream_open(m, ANN, 0, NULL, &s, &stream));
    CULPRIT("argument", "fn");
    FAILS(MAM_ERR_ARGUMENT, mam_protect_stream_open(m, NULL, 0, take, &s, &stream));
    CHECK_NUMBER(101, original_code());
    sink_clear(&s);
    sink_clear(&back);
    OK(mam_close(m));
}

static void a_wipe_in_the_middle(void **state) {
    mam_t *m = open_enrolled(*state);
    sink whole = {0}, s = {0}, back = {0};
    mam_unprotect_stream_t *reading = NULL;
    OK(protect_all(m, ANN, 0, plain, LENGTH, WHOLE, &whole));
    mam_protect_stream_t *stream = protecting(m, ANN, 0, &s);
    OK(mam_protect_stream_write(stream, plain, LENGTH / 2));
    OK(mam_unprotect_stream_open(m, 0, take, &back, &reading));
    OK(mam_unprotect_stream_write(reading, whole.data, whole.length / 2));
    size_t before = back.length;
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    FAILS(MAM_ERR_NOT_ENROLLED, mam_protect_stream_write(stream, plain, 1));
    FAILS(MAM_ERR_NOT_ENROLLED, mam_protect_stream_write(stream, plain, 1));
    FAILS(MAM_ERR_NOT_ENROLLED, mam_protect_stream_close(stream, 0));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_unprotect_stream_write(reading, whole.data + whole.length / 2, 100000));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, mam_unprotect_stream_close(reading, 0, NULL));
    CHECK_NUMBER(before, back.length);
    /* Enrolled again: another key, so not the same container. */
    enroll_well(m, ANN);
    never_opens(m, &s);
    sink_clear(&whole);
    sink_clear(&s);
    sink_clear(&back);
    OK(mam_close(m));
}

/* Between open and the first write too, and if nothing is left to write. */
static void a_wipe_before_the_end(void **state) {
    mam_t *m = open_enrolled(*state);
    sink s = {0};
    mam_protect_stream_t *stream = protecting(m, ANN, 0, &s), *other = protecting(m, EVE, 0, &s);
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    FAILS(MAM_ERR_NOT_ENROLLED, mam_protect_stream_close(stream, 0));
    CHECK_NUMBER(0, s.calls);
    mam_status status = mam_protect_stream_close(other, 0); /* nobody is managed any more */
    CHECK_NUMBER(MAM_ERR_NOT_MANAGED, status);
    enroll_well(m, ANN);
    OK(mam_close(m));
}

/* A launch closes the account: reading ends, and protecting continues, so that no data is lost. */
static void a_launch_in_the_middle(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, QUIET);
    enroll_well(m, ANN);
    sink whole = {0}, s = {0}, back = {0};
    OK(protect_all(m, ANN, 0, plain, LENGTH, WHOLE, &whole));
    mam_protect_stream_t *stream = protecting(m, ANN, 0, &s);
    mam_unprotect_stream_t *reading = NULL;
    OK(mam_unprotect_stream_open(m, 0, take, &back, &reading));
    OK(mam_unprotect_stream_write(reading, whole.data, whole.length / 2));
    OK(mam_protect_stream_write(stream, plain, LENGTH / 2));
    size_t before = back.length;
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"closing\",\"displayName\":\"Closing\",\"minimumRequiredAppVersion\":\"99.0\"}}");
    admin(o, "{\"action\":\"policy.assign\",\"policy\":\"closing\",\"allUsers\":true}");
    admin(o, "{\"action\":\"policy.target\",\"policy\":\"closing\",\"allApps\":true}");
    check_in(m, ANN);
    int64_t op = 0;
    char *report = NULL;
    OK(mam_launch(m, &op));
    OK(mam_wait(m, op, SOON, &report));
    CHECK_TEXT("blocked", text_of(report, "/outcome"));
    mam_free(report);
    FAILS(MAM_ERR_LOCKED, mam_unprotect_stream_write(reading, whole.data + whole.length / 2, 100000));
    FAILS(MAM_ERR_LOCKED, mam_unprotect_stream_close(reading, 0, NULL));
    CHECK_NUMBER(before, back.length);
    OK(mam_protect_stream_write(stream, plain + LENGTH / 2, LENGTH - LENGTH / 2));
    OK(mam_protect_stream_close(stream, 0));
    FAILS(MAM_ERR_LOCKED, unprotect_all(m, 0, s.data, s.length, WHOLE, &back, NULL));
    CHECK_NUMBER(before, back.length);
    sink_clear(&whole);
    sink_clear(&s);
    sink_clear(&back);
    OK(mam_close(m));
}

static void an_account_that_becomes_managed(void **state) {
    mam_t *m = open_enrolled(*state);
    sink s = {0};
    mam_protect_stream_t *stream = NULL;
    FAILS(MAM_ERR_NOT_FOUND, mam_protect_stream_open(m, BOB, 0, take, &s, &stream)); /* not yet known to this app */
    OK(mam_register_account(m, BOB));
    stream = protecting(m, BOB, 0, &s);
    OK(mam_protect_stream_write(stream, plain, 100));
    enroll_well(m, BOB);
    FAILS(MAM_ERR_DENIED, mam_protect_stream_write(stream, plain, 100));
    FAILS(MAM_ERR_DENIED, mam_protect_stream_close(stream, 0));
    sink_clear(&s);
    OK(mam_close(m));
}

static void the_session_is_closed_first(void **state) {
    mam_t *m = open_enrolled(*state);
    for (uint32_t flags = 0; flags <= MAM_TWO_THREADS; flags += MAM_TWO_THREADS) {
        sink s = {0}, back = {0};
        mam_t *other = open_quiet(*state);
        mam_protect_stream_t *stream = protecting(other, ANN, flags, &s);
        mam_unprotect_stream_t *reading = NULL;
        OK(mam_unprotect_stream_open(other, flags, take, &back, &reading));
        OK(mam_protect_stream_write(stream, plain, LENGTH));
        OK(mam_close(other));
        FAILS(MAM_ERR_CLOSED, mam_protect_stream_write(stream, plain, LENGTH));
        FAILS(MAM_ERR_CLOSED, mam_protect_stream_close(stream, 0));
        FAILS(MAM_ERR_CLOSED, mam_unprotect_stream_write(reading, plain, LENGTH));
        FAILS(MAM_ERR_CLOSED, mam_unprotect_stream_close(reading, MAM_ABANDON, NULL));
        never_opens(m, &s);
        sink_clear(&s);
    }
    OK(mam_close(m));
}

typedef struct inner {
    mam_t *m;
    mam_protect_stream_t *stream;
    mam_status write, close, session;
} inner;

static int32_t call_back_in(void *user, const uint8_t *data, size_t length) {
    inner *i = user;
    (void)data, (void)length;
    i->write = mam_protect_stream_write(i->stream, plain, 1);
    i->close = mam_protect_stream_close(i->stream, 0);
    if (i->m != NULL) i->session = mam_close(i->m);
    i->m = NULL;
    return 0;
}

/* Closing its own stream would wait for itself; the session may be closed, and its keys with it. */
static void from_inside_the_callback(void **state) {
    mam_t *keeper = open_enrolled(*state);
    for (uint32_t flags = 0; flags <= MAM_TWO_THREADS; flags += MAM_TWO_THREADS) {
        inner i = {open_quiet(*state), NULL, 0, 0, 99};
        OK(mam_protect_stream_open(i.m, ANN, flags, call_back_in, &i, &i.stream));
        /* The other thread may get to it later. */
        mam_status status = mam_protect_stream_write(i.stream, plain, 300000);
        CHECK(status == MAM_ERR_CLOSED || (flags && status == MAM_OK));
        status = mam_protect_stream_close(i.stream, 0);
        CHECK(status == MAM_ERR_CLOSED || (flags && status == MAM_OK));
        CHECK_NUMBER(MAM_ERR_DEADLOCK, i.write);
        CHECK_NUMBER(MAM_ERR_DEADLOCK, i.close);
        CHECK_NUMBER(MAM_OK, i.session);
    }
    OK(mam_close(keeper));
}

typedef struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_inside, may_leave;
    mam_protect_stream_t *stream;
    mam_status status;
} gate;

static int32_t wait_at(void *user, const uint8_t *data, size_t length) {
    gate *g = user;
    (void)data, (void)length;
    pthread_mutex_lock(&g->lock);
    g->is_inside = true;
    pthread_cond_broadcast(&g->changed);
    while (!g->may_leave) pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
    return 0;
}

static void *write_much(void *user) {
    gate *g = user;
    g->status = mam_protect_stream_write(g->stream, plain, LENGTH);
    return NULL;
}

static void one_thread_at_a_time(void **state) {
    mam_t *m = open_enrolled(*state);
    gate g = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false, NULL, 99};
    OK(mam_protect_stream_open(m, ANN, 0, wait_at, &g, &g.stream));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, write_much, &g) == 0);
    pthread_mutex_lock(&g.lock);
    while (!g.is_inside) pthread_cond_wait(&g.changed, &g.lock);
    pthread_mutex_unlock(&g.lock);
    FAILS(MAM_ERR_BUSY, mam_protect_stream_write(g.stream, plain, 1));
    OK(mam_close(m)); /* does not wait for the host's function */
    pthread_mutex_lock(&g.lock);
    g.may_leave = true;
    pthread_cond_broadcast(&g.changed);
    pthread_mutex_unlock(&g.lock);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK_NUMBER(MAM_ERR_CLOSED, g.status); /* the keys for the unsealed rest are gone */
    FAILS(MAM_ERR_CLOSED, mam_protect_stream_close(g.stream, 0));
}

typedef struct looked {
    sink s;
    bool is_blocked; /* every signal that can be blocked */
} looked;

static int32_t look_at_signals(void *user, const uint8_t *data, size_t length) {
    looked *l = user;
    sigset_t mask;
    l->is_blocked = pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0 && sigismember(&mask, SIGTERM) && sigismember(&mask, SIGCHLD);
    return take(&l->s, data, length);
}

static void the_second_thread(void **state) {
    mam_t *m = open_enrolled(*state);
    looked l = {0};
    sink back = {0};
    mam_protect_stream_t *stream = NULL;
    OK(mam_protect_stream_open(m, ANN, MAM_TWO_THREADS, look_at_signals, &l, &stream));
    OK(mam_protect_stream_write(stream, plain, LENGTH));
    OK(mam_protect_stream_close(stream, 0));
    CHECK(l.is_blocked && !pthread_equal(l.s.thread, pthread_self()));
    OK(unprotect_all(m, MAM_STRICT, l.s.data, l.s.length, WHOLE, &back, NULL));
    CHECK(holds(&back, plain, LENGTH) && pthread_equal(back.thread, pthread_self()));
    sink_clear(&l.s);
    sink_clear(&back);
    OK(mam_close(m));
}

typedef struct forked {
    mam_protect_stream_t *stream;
    mam_unprotect_stream_t *reading;
    sink *s;
} forked;

static void in_the_child(void *argument) {
    forked *f = argument;
    size_t calls = f->s->calls;
    FAILS(MAM_ERR_FORKED, mam_protect_stream_write(f->stream, plain, LENGTH));
    FAILS(MAM_ERR_FORKED, mam_unprotect_stream_write(f->reading, plain, LENGTH));
    FAILS(MAM_ERR_FORKED, mam_protect_stream_close(f->stream, 0));
    FAILS(MAM_ERR_FORKED, mam_unprotect_stream_close(f->reading, MAM_ABANDON, NULL));
    FAILS(MAM_ERR_CLOSED, mam_protect_stream_close(f->stream, 0));
    CHECK_NUMBER(calls, f->s->calls);
}

static void after_fork(void **state) {
    mam_t *m = open_enrolled(*state);
    for (uint32_t flags = 0; flags <= MAM_TWO_THREADS; flags += MAM_TWO_THREADS) {
        sink s = {0}, back = {0}, other = {0};
        forked f = {protecting(m, ANN, flags, &s), NULL, &s};
        OK(mam_unprotect_stream_open(m, flags, take, &other, &f.reading));
        OK(mam_protect_stream_write(f.stream, plain, LENGTH));
        in_child(in_the_child, &f);
        OK(mam_protect_stream_close(f.stream, 0)); /* the parent's continues */
        OK(mam_unprotect_stream_close(f.reading, MAM_ABANDON, NULL));
        OK(unprotect_all(m, MAM_STRICT, s.data, s.length, WHOLE, &back, NULL));
        CHECK(holds(&back, plain, LENGTH));
        sink_clear(&s);
        sink_clear(&back);
    }
    OK(mam_close(m));
}

/* Memory does not grow with the data: a gibibyte in, a gibibyte out. */
static int32_t drop(void *user, const uint8_t *data, size_t length) {
    uint64_t *count = user;
    (void)data;
    *count += length;
    return 0;
}

static long resident_kib(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    if (file != NULL) fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int32_t feed(void *user, const uint8_t *data, size_t length) {
    return mam_unprotect_stream_write(*(mam_unprotect_stream_t **)user, data, length);
}

static void a_gibibyte_in_constant_memory(void **state) {
    if (IS_SANITIZED) SKIP("AddressSanitizer keeps what is freed");
    enum { PIECE = 1 << 20 };
    mam_t *m = open_enrolled(*state);
    uint8_t *piece = bytes_of(PIECE);
    for (uint32_t flags = 0; flags <= MAM_TWO_THREADS; flags += MAM_TWO_THREADS) {
        uint64_t count = 0;
        long before = resident_kib(), most = 0;
        mam_protect_stream_t *stream = NULL;
        mam_unprotect_stream_t *reading = NULL;
        OK(mam_unprotect_stream_open(m, MAM_STRICT | flags, drop, &count, &reading));
        OK(mam_protect_stream_open(m, ANN, flags, feed, &reading, &stream));
        for (int i = 0; i < 1024; i++) {
            OK(mam_protect_stream_write(stream, piece, PIECE));
            if (i % 128 == 127 && resident_kib() > most) most = resident_kib();
        }
        OK(mam_protect_stream_close(stream, 0));
        OK(mam_unprotect_stream_close(reading, 0, NULL));
        CHECK_NUMBER(1 << 30, count);
        if (most - before > 4096) failed_at(__FILE__, __LINE__, "two streams took %ld KiB", most - before);
    }
    free(piece);
    OK(mam_close(m));
}

static int set_up_suite(void **state) {
    begin(state);
    plain = bytes_of(LENGTH);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(an_abandoned_stream_never_opens),
        WITH_OFFICE(the_host_refuses),
        WITH_OFFICE(a_bad_argument_leaves_the_stream_alone),
        WITH_OFFICE(a_wipe_in_the_middle),
        WITH_OFFICE(a_wipe_before_the_end),
        WITHOUT_PIN(a_launch_in_the_middle),
        WITH_OFFICE(an_account_that_becomes_managed),
        WITH_OFFICE(the_session_is_closed_first),
        WITH_OFFICE(from_inside_the_callback),
        WITH_OFFICE(one_thread_at_a_time),
        WITH_OFFICE(the_second_thread),
        WITH_OFFICE(after_fork),
        WITH_OFFICE(a_gibibyte_in_constant_memory),
    };
    return cmocka_run_group_tests_name("streams_end", tests, set_up_suite, NULL);
}
