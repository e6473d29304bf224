/* Another process holds the state's or the authority's lock: mam_interrupt and mam_close end the calls that wait for
 * it. */
#include "support.h"

#include <sqlite3.h>

/* A process that holds a database's lock until `release` is closed. */
typedef struct keeper {
    const char *path;
    int ready, release;
} keeper;

static void keep(void *argument) {
    const keeper *k = argument;
    sqlite3 *database = NULL;
    char byte = 'k';
    CHECK(sqlite3_open(k->path, &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, "BEGIN EXCLUSIVE", NULL, NULL, NULL) == SQLITE_OK);
    CHECK(write(k->ready, &byte, 1) == 1);
    CHECK(read(k->release, &byte, 1) == 1);
    CHECK(sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK && sqlite3_close(database) == SQLITE_OK);
}

typedef struct kept_lock {
    pid_t process;
    int release;
} kept_lock;

static kept_lock keep_locked(const char *path) {
    int ready[2], release[2];
    char byte;
    CHECK(pipe(ready) == 0 && pipe(release) == 0);
    keeper k = {path, ready[1], release[0]};
    kept_lock lock = {start_child(keep, &k), release[1]};
    CHECK(read(ready[0], &byte, 1) == 1);
    close(ready[0]);
    close(ready[1]);
    close(release[0]);
    return lock;
}

static void let_go(kept_lock lock) {
    CHECK(write(lock.release, "g", 1) == 1);
    close(lock.release);
    end_well(lock.process);
}

/* ---- calls that wait */

/* Shorter than the time after which a wait for a lock ends on its own, even on a busy computer. */
enum { PROMPT = 20 * SECONDS };

typedef struct waiting {
    mam_t *m;
    mam_status (*call)(mam_t *m);
    mam_status status;
    long long took;
    volatile pid_t thread;
} waiting;

static mam_status registers(mam_t *m) {
    int64_t op;
    return mam_register_and_enroll(m, "{\"upn\":\"" BOB "\"}", &op);
}
static mam_status overrides(mam_t *m) { return mam_set_override(m, "SupportsDarkMode", "true"); }

static void *call_it(void *argument) {
    waiting *w = argument;
    long long began = now_ms();
    w->thread = this_thread();
    w->status = w->call(w->m);
    w->took = now_ms() - began;
    return NULL;
}

/* A wipe does not wait: it destroys the key at once (Tests/Attack/hindered_wipes.c). */
enum { CALLS = 2 };
static mam_status (*const calls[CALLS])(mam_t *) = {registers, overrides};

static void calls_end(const office *o, const char *more, mam_status (*end)(mam_t *)) {
    mam_t *m = open_app(o, APP, more);
    enroll_well(m, ANN);
    kept_lock lock = keep_locked(in_group(o, "state.db"));
    pthread_t threads[CALLS]; /* one waits for the lock of the database, the others for that of the process */
    waiting waits[CALLS];
    for (int i = 0; i < CALLS; i++) {
        waits[i] = (waiting){m, calls[i], MAM_OK, 0, 0};
        CHECK(pthread_create(&threads[i], NULL, call_it, &waits[i]) == 0);
    }
    for (int i = 0; i < CALLS; i++) until_asleep(&waits[i].thread);
    long long began = now_ms();
    OK(end(m));
    for (int i = 0; i < CALLS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_NUMBER(MAM_ERR_INTERRUPTED, waits[i].status);
        CHECK(waits[i].took >= 150);
    }
    CHECK(now_ms() - began < PROMPT);
    let_go(lock);
    if (end == mam_close) {
        m = open_app(o, APP, more);
    } else {
        OK(overrides(m)); /* it ended that wait, not the next */
    }
    CHECK_NUMBER(100, enroll(m, BOB)); /* nothing was half done */
    mam_buffer ann = sealed(m, ANN, "not wiped");
    OK(opens_as(m, &ann, "not wiped"));
    mam_buffer_free(&ann);
    OK(mam_close(m));
}

static void interrupt_ends_calls(void **state) { calls_end(*state, QUIET, mam_interrupt); }
static void interrupt_ends_calls_beside_a_worker(void **state) { calls_end(*state, WORKER, mam_interrupt); }
static void close_ends_calls(void **state) { calls_end(*state, QUIET, mam_close); }
static void close_ends_calls_beside_a_worker(void **state) { calls_end(*state, WORKER, mam_close); }

/* ---- work in progress */

static mam_status waits_for_bob(mam_t *m) {
    char *json = NULL;
    return mam_wait(m, 2, -1, &json);
}
static mam_status runs(mam_t *m) { return mam_run_due(m); }

/* Without a worker the call does the work: it stops, and continues in the next one. */
static void work_without_a_worker(const office *o, mam_status (*call)(mam_t *)) {
    mam_t *m = open_enrolled(o);
    int64_t op = 0;
    OK(mam_register_and_enroll(m, "{\"upn\":\"" BOB "\"}", &op));
    CHECK_NUMBER(2, op);
    kept_lock lock = keep_locked(in_group(o, "state.db"));
    waiting w = {m, call, MAM_OK, 0, 0};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, call_it, &w) == 0);
    until_asleep(&w.thread);
    OK(mam_interrupt(m));
    pthread_join(thread, NULL);
    CHECK_NUMBER(MAM_ERR_INTERRUPTED, w.status);
    CHECK(w.took >= 150 && w.took < PROMPT);
    let_go(lock);
    CHECK_NUMBER(100, code_of(m, op));
    OK(mam_close(m));
}

static void a_wait_that_works(void **state) { work_without_a_worker(*state, waits_for_bob); }
static void due_work(void **state) { work_without_a_worker(*state, runs); }

/* The worker waits: an interrupt leaves it alone, closing does not. */
static void the_worker(const office *o, const char *path) {
    mam_t *m = open_app(o, APP, WORKER);
    enroll_well(m, ANN);
    kept_lock lock = keep_locked(path);
    int64_t op = 0;
    char *status = NULL;
    OK(mam_check_in(m, ANN, &op));
    FAILS(MAM_ERR_TIMEOUT, mam_wait(m, op, 300, &status));
    OK(mam_interrupt(m));
    FAILS(MAM_ERR_TIMEOUT, mam_wait(m, op, 300, &status));
    let_go(lock);
    CHECK_NUMBER(101, code_of(m, op));
    lock = keep_locked(path);
    OK(mam_check_in(m, ANN, &op));
    sleep_ms(300);
    long long began = now_ms();
    OK(mam_close(m));
    CHECK(now_ms() - began < PROMPT);
    let_go(lock);
}

static void the_worker_waits_for_the_state(void **state) { the_worker(*state, in_group(*state, "state.db")); }
static void the_worker_waits_for_the_authority(void **state) { the_worker(*state, ((office *)*state)->authority); }

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(interrupt_ends_calls),
        WITH_OFFICE(interrupt_ends_calls_beside_a_worker),
        WITH_OFFICE(close_ends_calls),
        WITH_OFFICE(close_ends_calls_beside_a_worker),
        WITH_OFFICE(a_wait_that_works),
        WITH_OFFICE(due_work),
        WITH_OFFICE(the_worker_waits_for_the_state),
        WITH_OFFICE(the_worker_waits_for_the_authority),
    };
    return cmocka_run_group_tests_name("interrupt", tests, begin, NULL);
}
