/* Operations and their results: waiting, polling, interrupting, and how long a result is kept. */
#include "support.h"

static void polling_and_waiting(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    char *status = (char *)1;
    int64_t op = 0, before;
    OK(mam_check_in(m, ANN, &op));
    /* Without a worker the waiting call does the work, and so does a poll. */
    OK(mam_wait(m, op, 0, &status));
    CHECK_NUMBER(101, number_of(status, "/code"));
    CHECK_TEXT("policiesHaveNotChanged", text_of(status, "/name"));
    CHECK_TEXT(ANN_ID, text_of(status, "/accountId"));
    CHECK_TEXT(ANN, text_of(status, "/identity"));
    mam_free(status);
    /* A result can be read again. */
    CHECK_NUMBER(101, code_of(m, op));
    before = op;
    OK(mam_check_in(m, NULL, &op));
    CHECK(op > before);
    OK(mam_run_due(m));
    CHECK_NUMBER(101, code_of(m, op));
    OK(mam_close(m));
}

static void the_worker_does_the_work(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, WORKER);
    char *status = (char *)1;
    int64_t op = 0;
    enroll_well(m, ANN);
    OK(mam_check_in(m, ANN, &op));
    long long until = now_ms() + SOON;
    mam_status result;
    do {
        result = mam_wait(m, op, 0, &status);
        if (result == MAM_ERR_TIMEOUT) {
            FAILS(MAM_ERR_TIMEOUT, result);
            CHECK(status == NULL);
            sleep_ms(1);
        }
    } while (result == MAM_ERR_TIMEOUT && now_ms() < until);
    OK(result);
    mam_free(status);
    OK(mam_run_due(m));
    OK(mam_close(m));
}

/* ---- an operation that does not end: nobody answers its question */

static void keep_silent(void *user, mam_question_t *question, const char *json) {
    (void)question, (void)json;
    ++*(int *)user;
}

/* A wipe that waits for the delegate's answer. */
static int64_t start_waiting_wipe(mam_t *m, int *asked) {
    int64_t op = 0;
    OK(mam_set_delegate(m, keep_silent, asked));
    OK(mam_wipe_account(m, ANN, &op));
    return op;
}

static void timeouts_are_kept(const office *o, const char *more) {
    mam_t *m = open_app(o, APP, more);
    int asked = 0;
    enroll_well(m, ANN);
    int64_t op = start_waiting_wipe(m, &asked);
    char *status = (char *)1;
    long long begun = now_ms();
    FAILS(MAM_ERR_TIMEOUT, mam_wait(m, op, 300, &status));
    CHECK(status == NULL);
    CHECK(now_ms() - begun >= 290 && now_ms() - begun < 20 * SECONDS);
    CHECK_NUMBER(1, asked);
    OK(mam_close(m)); /* does not wait for the answer either */
    CHECK(now_ms() - begun < 20 * SECONDS);
}

static void timeouts_are_kept_with_a_worker(void **state) { timeouts_are_kept(*state, WORKER); }
static void timeouts_are_kept_without_a_worker(void **state) { timeouts_are_kept(*state, QUIET ",\"questionTimeout\":\"PT3S\""); }

typedef struct waiting {
    mam_t *m;
    int64_t op;
    mam_status status;
    char *json;
    long long took;
    volatile pid_t thread;
} waiting;

static void *wait_for_ever(void *user) {
    waiting *w = user;
    long long begun = now_ms();
    w->thread = this_thread();
    w->status = w->op ? mam_wait(w->m, w->op, -1, &w->json) : mam_event_next(w->m, -1, &w->json);
    w->took = now_ms() - begun;
    return NULL;
}

static void drain_events(mam_t *m) {
    char *event = NULL;
    while (mam_event_next(m, 200, &event) == MAM_OK) mam_free(event);
}

/* Waits of all kinds end when `end` is called, and only then. */
static void waits_end(const office *o, const char *more, mam_status (*end)(mam_t *), bool goes_on) {
    mam_t *m = open_app(o, APP, more);
    int asked = 0;
    pthread_t threads[4];
    waiting waits[4];
    enroll_well(m, ANN);
    int64_t op = start_waiting_wipe(m, &asked);
    if (goes_on) FAILS(MAM_ERR_TIMEOUT, mam_wait(m, op, 200, &waits[0].json));
    drain_events(m);
    for (int i = 0; i < 4; i++) {
        waits[i] = (waiting){m, i % 2 ? op : 0, MAM_OK, (char *)1, 0, 0};
        CHECK(pthread_create(&threads[i], NULL, wait_for_ever, &waits[i]) == 0);
    }
    for (int i = 0; i < 4; i++) until_asleep(&waits[i].thread);
    OK(end(m));
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CHECK_NUMBER(MAM_ERR_INTERRUPTED, waits[i].status);
        CHECK(waits[i].json == NULL);
        CHECK(waits[i].took >= 150 && waits[i].took < 20 * SECONDS);
    }
    if (goes_on) { /* work in progress is unaffected: it still waits for its answer */
        char *status = NULL;
        FAILS(MAM_ERR_TIMEOUT, mam_wait(m, op, 100, &status));
        OK(mam_close(m));
    } else {
        FAILS(MAM_ERR_CLOSED, mam_close(m));
    }
}

static void interrupt_ends_waits(void **state) { waits_end(*state, WORKER, mam_interrupt, true); }
static void close_ends_waits(void **state) { waits_end(*state, WORKER, mam_close, false); }
static void close_ends_waits_without_a_worker(void **state) { waits_end(*state, QUIET, mam_close, false); }

static void an_interrupt_affects_only_current_waits(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    char *event = NULL;
    OK(mam_interrupt(m));
    OK(mam_interrupt(m));
    drain_events(m);
    FAILS(MAM_ERR_TIMEOUT, mam_event_next(m, 50, &event));
    CHECK_NUMBER(101, check_in(m, ANN));
    OK(mam_close(m));
}

static void results_are_kept_for_256_more(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    char *status = (char *)1;
    int64_t first = 0, second = 0, op = 0;
    OK(mam_check_in(m, EVE, &first)); /* decided at once: 214 */
    OK(mam_check_in(m, EVE, &second));
    CHECK_NUMBER(214, code_of(m, second));
    for (int i = 0; i < 255; i++) OK(mam_check_in(m, EVE, &op));
    OK(mam_run_due(m));
    CHECK_NUMBER(214, code_of(m, op));
    CHECK_NUMBER(214, code_of(m, second)); /* 255 ended since */
    FAILS(MAM_ERR_GONE, mam_wait(m, first, 0, &status));
    CHECK(status == NULL);
    OK(mam_check_in(m, EVE, &op));
    CHECK_NUMBER(214, code_of(m, op));
    FAILS(MAM_ERR_GONE, mam_wait(m, second, -1, &status));
    FAILS(MAM_ERR_NOT_FOUND, mam_wait(m, op + 1, -1, &status));
    CHECK(status == NULL);
    OK(mam_close(m));
}

/* A host that never waits: its operations are bounded, and unenrolling always works. */
static void operations_without_a_waiter(void **state) {
    mam_t *m = open_app(*state, APP, "\"worker\":false");
    int64_t op = 0;
    enroll_well(m, ANN);
    for (int i = 0; i < 1024; i++) OK(mam_check_in(m, EVE, &op));
    FAILS(MAM_ERR_NO_SPACE, mam_check_in(m, NULL, &op));
    FAILS(MAM_ERR_NO_SPACE, mam_launch(m, &op));
    FAILS(MAM_ERR_NO_SPACE, mam_login_and_enroll(m, NULL, &op));
    FAILS(MAM_ERR_NO_SPACE, mam_register_and_enroll(m, "{\"upn\":\"" BOB "\"}", &op));
    CHECK_NUMBER(0, op);
    char *json = NULL;
    OK(mam_registered_accounts(m, &json));
    CHECK_NUMBER(1, count_of(json, "")); /* no account was registered that was not tried */
    mam_free(json);
    OK(mam_deregister_and_unenroll(m, ANN, 1, &op));
    CHECK_NUMBER(104, code_of(m, op));
    OK(mam_check_in(m, EVE, &op));
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(polling_and_waiting),
        WITH_OFFICE(the_worker_does_the_work),
        WITH_OFFICE(timeouts_are_kept_with_a_worker),
        WITH_OFFICE(timeouts_are_kept_without_a_worker),
        WITH_OFFICE(interrupt_ends_waits),
        WITH_OFFICE(close_ends_waits),
        WITH_OFFICE(close_ends_waits_without_a_worker),
        WITH_OFFICE(an_interrupt_affects_only_current_waits),
        WITH_OFFICE(results_are_kept_for_256_more),
        WITH_OFFICE(operations_without_a_waiter),
    };
    return cmocka_run_group_tests_name("operations", tests, begin, NULL);
}
