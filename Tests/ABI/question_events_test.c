/* Questions as events: the descriptor reports when they are over, and none is lost among other events. */
#include "support.h"

#include <poll.h>

#define ASKS "\"worker\":false,\"questions\":\"events\""

static bool readable(int descriptor, int milliseconds) {
    struct pollfd entry = {descriptor, POLLIN, 0};
    return poll(&entry, 1, milliseconds) == 1;
}

static void drain_all(mam_t *m) {
    char *event = NULL;
    while (mam_event_next(m, 0, &event) == MAM_OK) mam_free(event);
}

/* Enroll Ann, wipe her, and take the question. */
static int64_t ask(mam_t *m, int64_t *op) {
    enroll_well(m, ANN);
    OK(mam_wipe_account(m, ANN, op));
    OK(mam_run_due(m));
    char *event = next_event(m, "question", SOON);
    int64_t id = number_of(event, "/id");
    CHECK(id > 0);
    mam_free(event);
    drain_all(m);
    return id;
}

static void the_descriptor_reports_the_deadline(void **state) {
    mam_t *m = open_app(*state, APP, ASKS ",\"questionTimeout\":\"PT1S\"");
    int64_t op = 0;
    int descriptor = mam_event_fd(m);
    char *result = NULL;
    ask(m, &op);
    CHECK(!readable(descriptor, 0));
    CHECK(readable(descriptor, SOON));
    FAILS(MAM_ERR_TIMEOUT, mam_event_next(m, 0, &result)); /* not an event: due work */
    OK(mam_run_due(m));
    OK(mam_wait(m, op, 0, &result));
    CHECK_NUMBER(104, number_of(result, "/code"));
    mam_free(result);
    drain_all(m);
    CHECK(!readable(descriptor, 0));
    OK(mam_close(m));
}

static void the_descriptor_reports_an_answer(void **state) {
    mam_t *m = open_app(*state, APP, ASKS);
    int64_t op = 0;
    int descriptor = mam_event_fd(m);
    int64_t id = ask(m, &op);
    CHECK(!readable(descriptor, 0));
    OK(mam_answer(m, id, "{\"removed\":true}"));
    CHECK(readable(descriptor, 0));
    OK(mam_close(m));
}

/* The oldest of 256 events is dropped, but a question, which could then not be answered, stays. */
static void a_question_is_not_lost(void **state) {
    mam_t *m = open_app(*state, APP, ASKS "," SEVERAL);
    int64_t op = 0;
    enroll_well(m, ANN);
    enroll_well(m, BOB);
    OK(mam_wipe_account(m, ANN, &op));
    OK(mam_run_due(m));
    for (int i = 0; i < 300; i++) CHECK_NUMBER(101, check_in(m, BOB));
    char *event = next_event(m, "eventsLost", 0);
    CHECK(event != NULL && number_of(event, "/count") > 0);
    mam_free(event);
    event = next_event(m, "question", 0);
    CHECK(event != NULL);
    OK(mam_answer(m, number_of(event, "/id"), "{\"removed\":true}"));
    mam_free(event);
    CHECK_NUMBER(104, code_of(m, op));
    OK(mam_close(m));
}

/* For any number of open questions, each is asked once and can be answered: none displaces another. */
static void many_open_questions(void **state) {
    mam_t *m = open_app(*state, APP, ASKS "," SEVERAL);
    enum { LOGINS = 300 };
    int64_t first_op = 0, op = 0, first = 0;
    char name[64];
    for (int i = 0; i < LOGINS; i++) {
        snprintf(name, sizeof name, "nobody%d@contoso.example", i);
        OK(mam_login_and_enroll(m, name, i == 0 ? &first_op : &op));
        OK(mam_run_due(m));
        char *event = next_event(m, "question", 0);
        CHECK_NUMBER(i + 1, number_of(event, "/id"));
        if (i == 0) first = number_of(event, "/id");
        mam_free(event);
        drain_all(m);
    }
    OK(mam_answer(m, first, "{\"upn\":\"" ANN "\"}"));
    CHECK_NUMBER(100, code_of(m, first_op));
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(the_descriptor_reports_the_deadline),
        WITH_OFFICE(the_descriptor_reports_an_answer),
        WITH_OFFICE(a_question_is_not_lost),
        WITH_OFFICE(many_open_questions),
    };
    return cmocka_run_group_tests_name("question events", tests, begin, NULL);
}
