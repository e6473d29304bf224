/* Events: their order, the descriptor, coalesced and lost events, events that are kept until read. */
#include "support.h"

#include <poll.h>

static bool is_readable(int descriptor, int timeout_ms) {
    struct pollfd one = {descriptor, POLLIN, 0};
    return poll(&one, 1, timeout_ms) == 1 && (one.revents & POLLIN);
}

static void no_event(mam_t *m) {
    char *event = (char *)1;
    FAILS(MAM_ERR_TIMEOUT, mam_event_next(m, 0, &event));
    CHECK(event == NULL);
}

static void drain(mam_t *m) {
    char *event = NULL;
    while (mam_event_next(m, 100, &event) == MAM_OK) mam_free(event);
}

static void enrolling_is_an_event(void **state) {
    const office *o = *state;
    mam_t *m = open_quiet(o);
    no_event(m);
    enroll_well(m, ANN);
    bool seen[3] = {false, false, false};
    static const char *const names[] = {"enrollmentRequest", "policyRequest", "policyDidChange"};
    char *event = NULL;
    while (mam_event_next(m, 0, &event) == MAM_OK) {
        CHECK(is_json(event) && *text_of(event, "/time"));
        for (int i = 0; i < 3; i++) {
            if (strcmp(names[i], text_of(event, "/event")) != 0) continue;
            seen[i] = true;
            CHECK_TEXT(ANN_ID, text_of(event, "/accountId"));
            if (i == 2) continue;
            CHECK_NUMBER(100, number_of(event, "/status/code"));
            CHECK_TEXT("newPoliciesReceived", text_of(event, "/status/name"));
            CHECK_TEXT(ANN, text_of(event, "/status/identity"));
            CHECK(truth_of(event, "/status/didSucceed"));
        }
        mam_free(event);
    }
    CHECK(seen[0] && seen[1] && seen[2]);
    CHECK_NUMBER(101, check_in(m, ANN));
    event = next_event(m, "policyRequest", 0);
    CHECK_NUMBER(101, number_of(event, "/status/code"));
    mam_free(event);
    CHECK(next_event(m, "policyDidChange", 0) == NULL);
    OK(mam_close(m));
}

static void a_wipe_reports_its_steps(void **state) {
    const office *o = *state;
    static const char *const steps[] = {"closed", "shredded", "asked", "removed", "reported"};
    mam_t *m = open_enrolled(o);
    int64_t op;
    drain(m);
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    int next = 0;
    bool unenrolled = false, completed = false;
    char *event = NULL;
    while (mam_event_next(m, 0, &event) == MAM_OK) {
        const char *name = text_of(event, "/event");
        if (strcmp(name, "wipeProgress") == 0) {
            CHECK(next < 5);
            CHECK_TEXT(steps[next], text_of(event, "/step"));
            CHECK_TEXT(ANN_ID, text_of(event, "/accountId"));
            next++;
        }
        if (strcmp(name, "unenrollRequest") == 0) unenrolled = number_of(event, "/status/code") == 104;
        if (strcmp(name, "wipeDidComplete") == 0) completed = strcmp(text_of(event, "/reason"), "host") == 0;
        mam_free(event);
    }
    CHECK(next == 5 && unenrolled && completed);
    OK(mam_close(m));
}

/* The worker continues the work of a call: no step is reported by both. */
static void a_wipe_reports_each_step_once(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, WORKER);
    int64_t op;
    int shredded = 0;
    char *event = NULL;
    enroll_well(m, ANN);
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    while (mam_event_next(m, 0, &event) == MAM_OK) {
        if (has(event, "/step") && strcmp(text_of(event, "/step"), "shredded") == 0) shredded++;
        mam_free(event);
    }
    CHECK_NUMBER(1, shredded);
    OK(mam_close(m));
}

static void the_descriptor(const office *o, const char *more, bool has_worker) {
    mam_t *m = open_app(o, APP, more);
    int64_t op = 0;
    int descriptor = mam_event_fd(m);
    OK(mam_last_status());
    CHECK(descriptor >= 0);
    CHECK_NUMBER(descriptor, mam_event_fd(m));
    CHECK(!is_readable(descriptor, 50));
    OK(mam_register_and_enroll(m, "{\"upn\":\"" ANN "\"}", &op));
    CHECK(is_readable(descriptor, SOON)); /* an event, or (without a worker) work that is due */
    if (!has_worker) {
        OK(mam_run_due(m));
        CHECK(is_readable(descriptor, 0));
    }
    CHECK_NUMBER(100, code_of(m, op));
    drain(m);
    CHECK(!is_readable(descriptor, 0));
    for (int i = 0; i < 20; i++) { /* readable exactly when there is something to do */
        OK(mam_check_in(m, ANN, &op));
        CHECK(is_readable(descriptor, SOON));
        if (!has_worker) OK(mam_run_due(m));
        CHECK_NUMBER(101, code_of(m, op));
        drain(m);
        CHECK(!is_readable(descriptor, 0));
    }
    OK(mam_close(m));
    struct pollfd gone = {descriptor, POLLIN, 0};
    CHECK(poll(&gone, 1, 0) == 1 && gone.revents & POLLNVAL);
}

static void the_descriptor_with_a_worker(void **state) { the_descriptor(*state, WORKER, true); }
static void the_descriptor_without_a_worker(void **state) { the_descriptor(*state, QUIET, false); }

/* Test a host that only polls and runs due work. */
static void a_poll_loop(void **state) {
    const office *o = *state;
    mam_t *m = open_quiet(o);
    int64_t op = 0;
    int descriptor = mam_event_fd(m);
    bool is_enrolled = false;
    OK(mam_register_and_enroll(m, "{\"upn\":\"" ANN "\"}", &op));
    for (int turn = 0; turn < 100 && !is_enrolled; turn++) {
        char *event = NULL;
        CHECK(is_readable(descriptor, SOON));
        OK(mam_run_due(m));
        while (mam_event_next(m, 0, &event) == MAM_OK) {
            is_enrolled = is_enrolled || strcmp(text_of(event, "/event"), "policyDidChange") == 0;
            mam_free(event);
        }
    }
    CHECK(is_enrolled);
    OK(mam_close(m));
}

typedef struct later {
    mam_t *m;
    int64_t op;
} later;

static void *check_in_later(void *user) {
    later *l = user;
    sleep_ms(200);
    OK(mam_check_in(l->m, EVE, &l->op));
    OK(mam_check_in(l->m, ANN, &l->op));
    return NULL;
}

static void a_waiting_thread_is_woken(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, WORKER);
    enroll_well(m, ANN);
    drain(m);
    later l = {m, 0};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, check_in_later, &l) == 0);
    char *event = next_event(m, "policyRequest", SOON);
    CHECK(event != NULL);
    mam_free(event);
    pthread_join(thread, NULL);
    OK(mam_close(m));
}

/* ---- bounds */

static void lost_events_are_counted(void **state) {
    const office *o = *state;
    enum { CHECK_INS = 300 };
    mam_t *m = open_enrolled(o);
    drain(m);
    int64_t op;
    for (int i = 0; i < CHECK_INS; i++) {
        OK(mam_check_in(m, ANN, &op));
        OK(mam_run_due(m));
    }
    int reported = 0, changes = 0;
    long long lost = 0;
    char *event = NULL;
    while (mam_event_next(m, 0, &event) == MAM_OK) {
        if (strcmp(text_of(event, "/event"), "eventsLost") == 0) lost += number_of(event, "/count");
        else reported++;
        changes += strcmp(text_of(event, "/event"), "policyDidChange") == 0;
        mam_free(event);
    }
    CHECK(reported <= 256);
    CHECK(changes <= 1);
    /* Each was delivered, counted as lost, or replaced by a newer one of the same account. */
    if (reported + lost != CHECK_INS && !(reported >= 1 && lost == 0))
        failed_at(__FILE__, __LINE__, "%d events reported and %lld lost of %d", reported, lost, CHECK_INS);
    OK(mam_close(m));
}

static void state_events_are_coalesced(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    enroll_well(m, BOB);
    drain(m);
    for (int i = 0; i < 10; i++) {
        admin(
            o,
            "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
            "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"%d\",\"printBlocked\":%s}}",
            i, i % 2 ? "true" : "false");
        CHECK_NUMBER(100, check_in(m, NULL));
    }
    int of_ann = 0, of_bob = 0;
    char *event = NULL;
    while (mam_event_next(m, 0, &event) == MAM_OK) {
        if (strcmp(text_of(event, "/event"), "policyDidChange") == 0) {
            of_ann += strcmp(text_of(event, "/accountId"), ANN_ID) == 0;
            of_bob += strcmp(text_of(event, "/accountId"), BOB_ID) == 0;
        }
        mam_free(event);
    }
    CHECK_NUMBER(1, of_ann);
    CHECK_NUMBER(1, of_bob);
    OK(mam_close(m));
}

/* ---- outcomes are kept until read */

static void wipe_and_leave(void *argument) {
    mam_t *m = open_quiet(argument);
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    OK(mam_close(m));
}

static void read_one_and_die(void *argument) {
    mam_t *m = open_quiet(argument);
    char *event = next_event(m, "wipeDidComplete", SOON);
    CHECK(event != NULL);
    _exit(0); /* before the next call: it was not read */
}

static void read_all(void *argument) {
    mam_t *m = open_quiet(argument);
    char *event = next_event(m, "wipeDidComplete", SOON);
    CHECK(event != NULL);
    CHECK_TEXT(ANN_ID, text_of(event, "/accountId"));
    mam_free(event);
    OK(mam_close(m));
}

static void finds_nothing(void *argument) {
    mam_t *m = open_quiet(argument);
    CHECK(next_event(m, "wipeDidComplete", 300) == NULL);
    OK(mam_close(m));
}

static void another_app_finds_nothing(void *argument) {
    mam_t *m = open_app(argument, OTHER_APP, QUIET);
    CHECK(next_event(m, "wipeDidComplete", 300) == NULL);
    OK(mam_close(m));
}

static void outcomes_outlive_processes(void **state) {
    office *o = *state;
    mam_t *m = open_enrolled(o);
    OK(mam_close(m));
    in_child(wipe_and_leave, o);
    in_child(another_app_finds_nothing, o);
    in_child(read_one_and_die, o);
    in_child(read_one_and_die, o);
    in_child(read_all, o);
    in_child(finds_nothing, o);
}

/* One process of the app gets it, not each. */
static void outcomes_are_reported_once(void **state) {
    office *o = *state;
    mam_t *a = open_enrolled(o), *b = open_quiet(o);
    int64_t op;
    OK(mam_wipe_account(a, ANN, &op));
    CHECK_NUMBER(104, code_of(a, op));
    char *event = next_event(b, "wipeDidComplete", SOON);
    CHECK(event != NULL);
    mam_free(event);
    OK(mam_close(b));
    CHECK(next_event(a, "wipeDidComplete", 300) == NULL);
    OK(mam_close(a));
}

/* How the account of a name left, as `end` and its reason; "" is null. */
static void left_as(mam_t *m, const char *account, const char *end, const char *reason) {
    char *json = NULL;
    OK(mam_former_account(m, account, &json));
    if (*end == '\0') CHECK_TEXT("null", json);
    CHECK_TEXT(end, text_of(json, "/end"));
    CHECK_TEXT(reason, text_of(json, "/reason"));
    CHECK((*end != '\0') == (*text_of(json, "/time") != '\0'));
    const char *key = strcmp(end, "wiped") == 0 ? "eventWipeDidComplete" : *end != '\0' ? "errorAccountRemoved" : "";
    CHECK_TEXT(key, text_of(json, "/messageKey"));
    mam_free(json);
}

static void learns_of_the_wipe(void *argument) {
    mam_t *m = open_quiet(argument);
    left_as(m, ANN, "wiped", "host");
    OK(mam_close(m));
}

static void die_after_the_wipe(void *argument) {
    mam_t *m = open_quiet(argument);
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    _exit(0); /* before the wipe goes on, and before any event is read */
}

static void finish_and_read_all(void *argument) {
    mam_t *m = open_quiet(argument);
    OK(mam_run_due(m));
    OK(mam_close(m));
    read_all(argument);
}

/* The event went to another process: a host that was killed meanwhile asks, as often as it wants, until Ann enrolls again. */
static void a_wipe_is_known_when_its_event_was_read(void **state) {
    office *o = *state;
    mam_t *m = open_enrolled(o);
    int64_t op;
    left_as(m, ANN, "", "");
    OK(mam_close(m));
    in_child(die_after_the_wipe, o);
    in_child(finish_and_read_all, o);
    in_child(finds_nothing, o);
    in_child(learns_of_the_wipe, o);
    in_child(learns_of_the_wipe, o);
    m = open_quiet(o);
    left_as(m, "Ann@CONTOSO.example", "wiped", "host");
    left_as(m, ANN_ID, "wiped", "host");
    left_as(m, BOB, "", "");
    left_as(m, "nobody@personal.example", "", "");
    mam_t *other = open_app(o, OTHER_APP, QUIET ",\"unknownIdentities\":\"error\"");
    left_as(other, ANN, "", "");
    OK(mam_close(other));
    mam_t *strict = open_app(o, APP, QUIET ",\"unknownIdentities\":\"error\"");
    left_as(strict, ANN, "wiped", "host");
    OK(mam_close(strict));
    enroll_well(m, ANN);
    left_as(m, ANN, "", "");
    OK(mam_deregister_and_unenroll(m, ANN, 0, &op));
    left_as(m, ANN_ID, "unenrolled", "");
    OK(mam_wipe_account(m, ANN, &op));
    left_as(m, ANN, "wiped", "host");
    CHECK_NUMBER(104, code_of(m, op));
    left_as(m, ANN, "wiped", "host");
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(enrolling_is_an_event),           WITH_OFFICE(a_wipe_reports_its_steps),
        WITH_OFFICE(a_wipe_reports_each_step_once),   WITH_OFFICE(the_descriptor_with_a_worker),
        WITH_OFFICE(the_descriptor_without_a_worker), WITH_OFFICE(a_poll_loop),
        WITH_OFFICE(a_waiting_thread_is_woken),       WITH_OFFICE(lost_events_are_counted),
        WITH_OFFICE(state_events_are_coalesced),      WITH_OFFICE(outcomes_outlive_processes),
        WITH_OFFICE(outcomes_are_reported_once),      WITH_OFFICE(a_wipe_is_known_when_its_event_was_read),
    };
    return cmocka_run_group_tests_name("events", tests, begin, NULL);
}
