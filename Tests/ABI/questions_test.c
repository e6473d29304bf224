/* Questions: answered by a delegate or as events, in time, late, twice, not at all; secrets; calls from inside. */
#include "support.h"

/* The calls that a delegate received and made. */
typedef struct scenario {
    mam_t *m;
    const char *answer; /* JSON to answer with inside the call; NULL: none */
    const char *secret;
    int calls;
    int64_t id;
    char json[4096];
    mam_question_t *question;
    mam_status answered, again, wait, close, run_due, nested;
    bool is_tried; /* try every call that is or is not allowed from here */
} scenario;

static void delegate(void *user, mam_question_t *question, const char *json) {
    scenario *s = user;
    s->calls++;
    s->question = question;
    s->id = mam_question_id(question);
    OK(mam_last_status());
    CHECK(s->id > 0 && has_messages(json, ""));
    CHECK_NUMBER(s->id, number_of(json, "/id"));
    snprintf(s->json, sizeof s->json, "%s", json);
    if (s->is_tried) {
        char *text = (char *)1;
        int64_t op = 0;
        FAILS(MAM_ERR_DEADLOCK, s->wait = mam_wait(s->m, 1, 0, &text));
        CHECK(text == NULL);
        FAILS(MAM_ERR_DEADLOCK, s->close = mam_close(s->m));
        FAILS(MAM_ERR_DEADLOCK, s->run_due = mam_run_due(s->m));
        OK(mam_settings(s->m, &text));
        mam_free(text);
        OK(mam_diagnostics(s->m, &text));
        mam_free(text);
        OK(mam_registered_accounts(s->m, &text));
        mam_free(text);
        OK(mam_policy_check(s->m, "{\"action\":\"print\",\"account\":\"" BOB "\"}", &text));
        mam_free(text);
        mam_buffer bobs = sealed(s->m, BOB, "inside");
        OK(opens_as(s->m, &bobs, "inside"));
        mam_buffer_free(&bobs);
        mam_policy_t *policy = NULL;
        OK(mam_policy_for_account(s->m, BOB, &policy));
        CHECK_NUMBER(0, mam_policy_is_print_allowed(policy));
        mam_policy_release(policy);
        OK(mam_check_in(s->m, BOB, &op));
        mam_status polled = mam_event_next(s->m, 0, &text);
        CHECK(polled == MAM_OK || polled == MAM_ERR_TIMEOUT);
        mam_free(text);
    }
    if (s->answer) s->answered = mam_answer(s->m, s->id, s->answer);
    if (s->answer) s->again = mam_answer(s->m, s->id, s->answer);
    if (s->secret) s->answered = mam_answer_secret(s->m, s->id, (const uint8_t *)s->secret, strlen(s->secret));
}

static bool host_removed(mam_t *m) {
    char *event = next_event(m, "wipeDidComplete", SOON);
    CHECK(event != NULL);
    bool removed = truth_of(event, "/hostRemovedData");
    mam_free(event);
    return removed;
}

static void the_delegate_answers(const office *o, const char *more) {
    mam_t *m = open_app(o, APP, more);
    static const char *const answers[] = {"{\"removed\":true}", "{\"removed\":false}", "null"};
    enroll_well(m, BOB);
    for (int i = 0; i < 3; i++) {
        scenario s = {.m = m, .answer = answers[i], .is_tried = i == 0};
        int64_t op = 0;
        enroll_well(m, ANN);
        OK(mam_set_delegate(m, delegate, &s));
        OK(mam_wipe_account(m, ANN, &op));
        CHECK_NUMBER(104, code_of(m, op));
        OK(mam_set_delegate(m, NULL, NULL));
        CHECK_NUMBER(1, s.calls);
        CHECK_NUMBER(MAM_OK, s.answered);
        CHECK_NUMBER(MAM_ERR_GONE, s.again);
        CHECK_TEXT("wipeData", text_of(s.json, "/question"));
        CHECK_TEXT(ANN_ID, text_of(s.json, "/accountId"));
        CHECK_TEXT(ANN, text_of(s.json, "/upn"));
        CHECK(*text_of(s.json, "/deadline"));
        CHECK_NUMBER(i == 0, host_removed(m));
        /* The question ended with its call, and its answer with the question. */
        CHECK_NUMBER(0, mam_question_id(s.question));
        FAILS(MAM_ERR_CLOSED, mam_last_status());
        FAILS(MAM_ERR_GONE, mam_answer(m, s.id, "{\"removed\":true}"));
    }
    OK(mam_close(m));
}

static void the_delegate_answers_on_the_worker(void **state) { the_delegate_answers(*state, WORKER); }
static void the_delegate_answers_without_a_worker(void **state) { the_delegate_answers(*state, QUIET); }

static void *answer_later(void *user) {
    scenario *s = user;
    for (long long until = now_ms() + SOON; s->id == 0 && now_ms() < until;) {
        char *event = next_event(s->m, "question", 100);
        if (event) s->id = number_of(event, "/id");
        mam_free(event);
    }
    sleep_ms(100);
    s->answered = mam_answer(s->m, s->id, s->answer);
    s->again = mam_answer(s->m, s->id, s->answer);
    return NULL;
}

static void answers_from_another_thread(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, WORKER ",\"questions\":\"events\"");
    scenario s = {.m = m, .answer = "{\"removed\":true}"};
    int64_t op;
    pthread_t thread;
    enroll_well(m, ANN);
    CHECK(pthread_create(&thread, NULL, answer_later, &s) == 0);
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    pthread_join(thread, NULL);
    CHECK_NUMBER(MAM_OK, s.answered);
    CHECK_NUMBER(MAM_ERR_GONE, s.again);
    CHECK(host_removed(m));
    OK(mam_close(m));
}

/* One thread, no worker: the question comes as an event, the answer lets the next run_due continue. */
static void questions_as_events_without_a_worker(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, QUIET ",\"questions\":\"events\"");
    char *event, *status = (char *)1;
    int64_t op;
    enroll_well(m, ANN);
    OK(mam_wipe_account(m, ANN, &op));
    FAILS(MAM_ERR_TIMEOUT, mam_wait(m, op, 0, &status));
    CHECK(status == NULL);
    event = next_event(m, "question", 0);
    CHECK(event != NULL);
    CHECK_TEXT("wipeData", text_of(event, "/question"));
    CHECK_TEXT(ANN_ID, text_of(event, "/accountId"));
    int64_t id = number_of(event, "/id");
    mam_free(event);
    OK(mam_run_due(m));
    FAILS(MAM_ERR_TIMEOUT, mam_wait(m, op, 100, &status));
    FAILS(MAM_ERR_NOT_FOUND, mam_answer(m, id + 1, "{\"removed\":true}"));
    FAILS(MAM_ERR_JSON, mam_answer(m, id, "{\"gone\":true}"));
    FAILS(MAM_ERR_JSON, mam_answer(m, id, "{\"removed\":\"yes\"}"));
    FAILS(MAM_ERR_JSON, mam_answer(m, id, "{\"removed\":true,\"more\":1}"));
    FAILS(MAM_ERR_JSON, mam_answer(m, id, "{}"));
    FAILS(MAM_ERR_JSON, mam_answer(m, id, "[]"));
    FAILS(MAM_ERR_JSON, mam_answer(m, id, "true"));
    FAILS(MAM_ERR_ARGUMENT, mam_answer_secret(m, id, (const uint8_t *)"x", 1));
    FAILS(MAM_ERR_TIMEOUT, mam_wait(m, op, 0, &status)); /* it stayed open */
    OK(mam_answer(m, id, "{\"removed\":true}"));
    OK(mam_run_due(m));
    CHECK_NUMBER(104, code_of(m, op));
    FAILS(MAM_ERR_GONE, mam_answer(m, id, "{\"removed\":true}"));
    CHECK(host_removed(m));
    OK(mam_close(m));
}

static void silence_takes_the_default(const office *o, const char *more) {
    mam_t *m = open_app(o, APP, more);
    scenario s = {.m = m};
    int64_t op;
    enroll_well(m, ANN);
    OK(mam_set_delegate(m, delegate, &s));
    long long begun = now_ms();
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK(now_ms() - begun >= 900 && now_ms() - begun < 20 * SECONDS);
    CHECK_NUMBER(1, s.calls);
    FAILS(MAM_ERR_GONE, mam_answer(m, s.id, "{\"removed\":true}")); /* too late */
    CHECK(!host_removed(m));
    OK(mam_close(m));
}

static void silence_takes_the_default_on_the_worker(void **state) {
    silence_takes_the_default(*state, WORKER ",\"questionTimeout\":\"PT1S\"");
}
static void silence_takes_the_default_without_a_worker(void **state) {
    silence_takes_the_default(*state, QUIET ",\"questionTimeout\":\"PT1S\"");
}

/* No delegate: the default at once. */
static void without_a_delegate(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, WORKER);
    int64_t op;
    enroll_well(m, ANN);
    long long begun = now_ms();
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK(now_ms() - begun < 20 * SECONDS); /* and not at the deadline */
    CHECK(!host_removed(m));
    OK(mam_close(m));
}

/* ---- a secret */

static void require_token(const office *o) {
    write_whole(in_office(o, "token"), "the-right-token\n", 16);
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"accessTokenFile\":\"%s\"}", in_office(o, "token"));
}

static int enroll_with_secret(mam_t *m, scenario *s) {
    OK(mam_set_delegate(m, delegate, s));
    int code = enroll(m, ANN);
    OK(mam_set_delegate(m, NULL, NULL));
    int64_t op;
    OK(mam_deregister_and_unenroll(m, ANN, 0, &op));
    CHECK_NUMBER(104, code_of(m, op));
    return code;
}

static void access_tokens(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, WORKER);
    require_token(o);
    scenario right = {.m = m, .secret = "the-right-token"}, wrong = {.m = m, .secret = "another-token"};
    scenario json = {.m = m, .answer = "{\"token\":\"the-right-token\"}"}, none = {.m = m, .answer = "null"};
    CHECK_NUMBER(203, enroll_with_secret(m, &wrong));
    CHECK(wrong.calls >= 1 && wrong.answered == MAM_OK);
    CHECK_TEXT("accessToken", text_of(wrong.json, "/question"));
    CHECK(*text_of(wrong.json, "/resource"));
    CHECK_NUMBER(203, enroll_with_secret(m, &none));
    CHECK_NUMBER(MAM_OK, none.answered);
    CHECK_NUMBER(100, enroll_with_secret(m, &right));
    CHECK_NUMBER(203, enroll(m, ANN)); /* no delegate */
    OK(mam_close(m));
    m = open_app(o, APP, WORKER ",\"questionTimeout\":\"PT1S\"");
    json.m = m;
    int64_t op;
    OK(mam_deregister_and_unenroll(m, ANN, 0, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK_NUMBER(203, enroll_with_secret(m, &json));
    CHECK_NUMBER(MAM_ERR_ARGUMENT, json.answered); /* it takes a secret */
    OK(mam_close(m));
}

/* The token is nowhere in the state, the log or the diagnostics. */
static void count_secret(void *user, int32_t level, const char *line) {
    (void)level;
    if (strstr(line, "the-right-token")) ++*(int *)user;
}

static void tokens_leave_no_trace(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, "\"worker\":true,\"settings\":{\"VerboseLoggingEnabled\":true}");
    require_token(o);
    scenario s = {.m = m, .secret = "the-right-token"};
    int seen = 0;
    char *json = NULL;
    OK(mam_set_log(m, MAM_LOG_VERBOSE, count_secret, &seen));
    CHECK_NUMBER(100, enroll_with_secret(m, &s));
    OK(mam_diagnostics(m, &json));
    CHECK(strstr(json, "the-right-token") == NULL);
    mam_free(json);
    CHECK_NUMBER(0, seen);
    OK(mam_close(m));
    static const char *const files[] = {"state.db", "state.db-wal"};
    for (int i = 0; i < 3; i++) {
        const char *path = i < 2 ? in_group(o, files[i]) : o->authority;
        if (access(path, R_OK) != 0) continue;
        size_t length;
        uint8_t *bytes = read_whole(path, &length);
        for (size_t k = 0; k + 15 <= length; k++) CHECK(memcmp(bytes + k, "the-right-token", 15) != 0);
        free(bytes);
    }
}

/* ---- restartApplication, and the session that is asked */

static void restart_is_asked_only_on_request(void **state) {
    const office *o = *state;
    for (int asks = 0; asks < 2; asks++) {
        mam_t *m = open_app(o, asks ? OTHER_APP : APP, asks ? WORKER ",\"restartOnFirstPolicy\":true" : WORKER);
        scenario s = {.m = m, .answer = "{\"restarting\":false}"};
        OK(mam_set_delegate(m, delegate, &s));
        enroll_well(m, ANN);
        OK(mam_set_delegate(m, NULL, NULL));
        CHECK_NUMBER(asks, s.calls);
        if (asks) CHECK_TEXT("restartApplication", text_of(s.json, "/question"));
        if (asks) CHECK_NUMBER(MAM_OK, s.answered);
        OK(mam_close(m));
    }
}

static void replace_inside(void *user, mam_question_t *question, const char *json) {
    scenario *s = user;
    (void)json;
    s->calls++;
    s->id = mam_question_id(question);
    OK(mam_set_delegate(s->m, NULL, NULL)); /* from inside the old one: at once */
    s->answered = mam_answer(s->m, s->id, "{\"removed\":true}");
}

static void a_delegate_replaces_itself(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, WORKER);
    scenario s = {.m = m};
    int64_t op;
    enroll_well(m, ANN);
    OK(mam_set_delegate(m, replace_inside, &s));
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK_NUMBER(1, s.calls);
    CHECK(host_removed(m));
    OK(mam_close(m));
}

typedef struct slow {
    mam_t *m;
    volatile int inside, ended;
} slow;

static void slow_delegate(void *user, mam_question_t *question, const char *json) {
    slow *s = user;
    (void)question, (void)json;
    s->inside = 1;
    sleep_ms(400);
    s->ended = 1;
}

static void setting_waits_for_the_old_one(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, WORKER ",\"questionTimeout\":\"PT1S\"");
    slow s = {m, 0, 0};
    int64_t op;
    enroll_well(m, ANN);
    OK(mam_set_delegate(m, slow_delegate, &s));
    OK(mam_wipe_account(m, ANN, &op));
    while (!s.inside) sleep_ms(1);
    OK(mam_set_delegate(m, NULL, NULL));
    CHECK(s.ended); /* freeing `user` is safe now */
    CHECK_NUMBER(104, code_of(m, op));
    OK(mam_close(m));
}

/* ---- the log */

typedef struct heard {
    mam_t *m;
    int lines, named, lowest;
} heard;

static void hear(void *user, int32_t level, const char *line) {
    heard *h = user;
    h->lines++;
    CHECK(level >= MAM_LOG_VERBOSE && level <= MAM_LOG_ERROR);
    CHECK(*line && strchr(line, '\n') == NULL);
    if (level < h->lowest) h->lowest = level;
    if (level > MAM_LOG_VERBOSE && (strstr(line, ANN) || strstr(line, ANN_ID))) h->named++;
    FAILS(MAM_ERR_DEADLOCK, mam_close(h->m));
}

static void the_log(void **state) {
    const office *o = *state;
    mam_t *m = open_quiet(o);
    heard h = {m, 0, 0, 9};
    int64_t op;
    OK(mam_set_log(m, MAM_LOG_INFO, hear, &h));
    enroll_well(m, ANN);
    CHECK_NUMBER(208, enroll(m, ANN));
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK(h.lines > 0 && h.lowest >= MAM_LOG_INFO);
    CHECK_NUMBER(0, h.named);
    OK(mam_set_log(m, MAM_LOG_INFO, NULL, NULL));
    int lines = h.lines;
    CHECK_NUMBER(100, enroll(m, ANN));
    CHECK_NUMBER(lines, h.lines);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(the_delegate_answers_on_the_worker),
        WITH_OFFICE(the_delegate_answers_without_a_worker),
        WITH_OFFICE(answers_from_another_thread),
        WITH_OFFICE(questions_as_events_without_a_worker),
        WITH_OFFICE(silence_takes_the_default_on_the_worker),
        WITH_OFFICE(silence_takes_the_default_without_a_worker),
        WITH_OFFICE(without_a_delegate),
        WITH_OFFICE(access_tokens),
        WITH_OFFICE(tokens_leave_no_trace),
        WITH_OFFICE(restart_is_asked_only_on_request),
        WITH_OFFICE(a_delegate_replaces_itself),
        WITH_OFFICE(setting_waits_for_the_old_one),
        WITH_OFFICE(the_log),
    };
    return cmocka_run_group_tests_name("questions", tests, begin, NULL);
}
