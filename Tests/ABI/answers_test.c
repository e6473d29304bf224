/* Every kind of question: unanswered, answered late, twice, wrongly, from another thread, from a forked child, after
 * close. */
#include "support.h"

#include <sys/wait.h>

#define TOKEN "the-right-token"

enum { BY_DEFAULT, AS_ANSWERED };

/* A kind of question: the call that causes it, its answer, and the part of the result that shows which answer counted.
 *  */
typedef struct kind {
    const char *name;
    const char *more;                           /* for mam_open */
    void (*prepare)(const office *o, mam_t *m); /* runs first; may be NULL */
    int64_t (*provoke)(mam_t *m);
    const char *answer;                         /* JSON, or the secret unless it begins with a brace */
    const char *wrong;                          /* JSON that is not an answer to it */
    const char *pointer, *answered, *defaulted; /* in the operation's result, or in window w */
} kind;

static void enroll_ann(const office *o, mam_t *m) {
    (void)o;
    enroll_well(m, ANN);
}

static void require_token(const office *o, mam_t *m) {
    (void)m;
    write_whole(in_office(o, "token"), TOKEN "\n", sizeof TOKEN);
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"accessTokenFile\":\"%s\"}", in_office(o, "token"));
}

static void set_ann(const office *o, const char *change) { admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",%s}", change); }

static void show_ann(const office *o, mam_t *m) {
    int64_t op = 0;
    office_blocks_disabled(o);
    enroll_well(m, ANN);
    OK(mam_set_ui_identity(m, "w", "\"" ANN "\"", &op));
    char *result = NULL;
    OK(mam_wait(m, op, SOON, &result));
    CHECK(truth_of(result, "/didSucceed"));
    mam_free(result);
    set_ann(o, "\"enabled\":false");
}

static int64_t start_block(mam_t *m) {
    int64_t op = 0;
    OK(mam_check_in(m, ANN, &op));
    CHECK_NUMBER(100, code_of(m, op));
    return 0;
}

static char *next_question(mam_t *m) {
    for (long long until = now_ms() + SOON; now_ms() < until;) {
        OK(mam_run_due(m));
        char *event = next_event(m, "question", 100);
        if (event != NULL) return event;
    }
    return NULL;
}

static int64_t start_leaving(mam_t *m) {
    start_block(m);
    char *event = next_question(m);
    CHECK_TEXT("blockAccount", text_of(event, "/question"));
    OK(mam_answer(m, number_of(event, "/id"), "null"));
    mam_free(event);
    return 0;
}

static int64_t start_wipe(mam_t *m) {
    int64_t op = 0;
    OK(mam_wipe_account(m, ANN, &op));
    return op;
}

static int64_t start_enroll(mam_t *m) {
    int64_t op = 0;
    OK(mam_register_and_enroll(m, "{\"upn\":\"" ANN "\"}", &op));
    return op;
}

static int64_t start_login(mam_t *m) {
    int64_t op = 0;
    OK(mam_login_and_enroll(m, NULL, &op));
    return op;
}

static int64_t start_launch(mam_t *m) {
    int64_t op = 0;
    OK(mam_launch(m, &op));
    return op;
}

static const kind kinds[] = {
    {"wipeData", "", enroll_ann, start_wipe, "{\"removed\":true}", "{\"removed\":1}", "/name", "unenrollmentSuccess",
     "unenrollmentSuccess"},
    {"restartApplication", ",\"restartOnFirstPolicy\":true", NULL, start_enroll, "{\"restarting\":true}", "{}", "/name",
     "newPoliciesReceived", "newPoliciesReceived"},
    {"accessToken", "", require_token, start_enroll, TOKEN, "{\"token\":\"x\"}", "/name", "newPoliciesReceived", "authRequired"},
    {"signIn", "", NULL, start_login, "{\"upn\":\"" ANN "\"}", "{\"name\":\"ann\"}", "/name", "newPoliciesReceived",
     "loginCanceled"},
    {"addAccount",
     ",\"settings\":{\"AutoEnrollOnLaunch\":true,\"MAMPolicyRequired\":true},"
     "\"device\":{\"mdmAccountId\":\"" ANN_ID "\"}",
     NULL, start_launch, "{\"added\":true}", "{\"added\":null}", "/outcome", "allowed", "blocked"},
    {"blockAccount", ",\"settings\":{\"MultiIdentity\":true}", show_ann, start_block, "{\"blocked\":true}", "{\"blocked\":1}", "/0",
     "", ANN_ID},
    {"identitySwitch", ",\"settings\":{\"MultiIdentity\":true}", show_ann, start_leaving, "{\"switched\":true}",
     "{\"blocked\":true}", "/0", "", ANN_ID},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* One open question. */
typedef struct asked {
    const kind *kind;
    office office;
    mam_t *m;
    int64_t op, id;
    long long since; /* when it was asked */
    mam_status status;
} asked;

static void ask(asked *a, const kind *k, bool worker, const char *timeout) {
    char more[512];
    memset(a, 0, sizeof *a);
    a->kind = k;
    office_make(&a->office);
    office_policy(&a->office, false);
    snprintf(more, sizeof more, "\"worker\":%s,\"questions\":\"events\"%s%s", worker ? "true" : "false", timeout, k->more);
    a->m = open_app(&a->office, APP, more);
    if (k->prepare) k->prepare(&a->office, a->m);
    a->op = k->provoke(a->m);
    char *event = next_question(a->m);
    CHECK(event != NULL);
    CHECK_TEXT(k->name, text_of(event, "/question"));
    CHECK(*text_of(event, "/deadline") && *text_of(event, "/time"));
    a->id = number_of(event, "/id");
    a->since = now_ms();
    mam_free(event);
    CHECK(a->id > 0);
}

static mam_status give(asked *a, const char *answer) {
    if (*answer == '{' || *answer == 'n') return mam_answer(a->m, a->id, answer);
    return mam_answer_secret(a->m, a->id, (const uint8_t *)answer, strlen(answer));
}

static void ends(asked *a, int how) {
    const char *expected = how == AS_ANSWERED ? a->kind->answered : a->kind->defaulted;
    char *result = NULL;
    if (a->op != 0) OK(mam_wait(a->m, a->op, SOON, &result));
    for (long long until = now_ms() + SOON; a->op == 0;) { /* the host has no operation: its window shows the result */
        OK(mam_run_due(a->m));
        OK(mam_ui_identity(a->m, "w", &result));
        if (strcmp(expected, text_of(result, a->kind->pointer)) == 0 || now_ms() > until) break;
        mam_free(result);
        sleep_ms(10);
    }
    CHECK_TEXT(expected, text_of(result, a->kind->pointer));
    mam_free(result);
    if (strcmp(a->kind->name, "wipeData") == 0) {
        char *event = next_event(a->m, "wipeDidComplete", SOON);
        CHECK_NUMBER(how == AS_ANSWERED, truth_of(event, "/hostRemovedData"));
        mam_free(event);
    }
}

static void done(asked *a) {
    if (a->m) OK(mam_close(a->m));
    office_remove(&a->office);
}

#define EACH_KIND(a, timeout)           \
    for (int i = 0; i < 2 * KINDS; i++) \
        for (asked *a = &(asked){0}; a && (ask(a, &kinds[i / 2], i % 2, timeout), true); done(a), a = NULL)

static void unanswered_and_late(void **state) {
    (void)state;
    EACH_KIND(a, ",\"questionTimeout\":\"PT1S\"") {
        ends(a, BY_DEFAULT);
        while (now_ms() - a->since <= 1 * SECONDS) sleep_ms(20); /* no operation waits for a restart */
        FAILS(MAM_ERR_GONE, give(a, a->kind->answer));
        FAILS(MAM_ERR_GONE, give(a, "null"));
    }
}

static void the_default_at_once(void **state) {
    (void)state;
    EACH_KIND(a, "") {
        OK(give(a, "null"));
        ends(a, BY_DEFAULT);
        FAILS(MAM_ERR_GONE, give(a, a->kind->answer));
    }
}

static void in_time_and_twice(void **state) {
    (void)state;
    EACH_KIND(a, "") {
        OK(give(a, a->kind->answer));
        FAILS(MAM_ERR_GONE, give(a, a->kind->answer));
        FAILS(MAM_ERR_GONE, give(a, "null"));
        ends(a, AS_ANSWERED);
        FAILS(MAM_ERR_GONE, give(a, a->kind->answer));
    }
}

/* An invalid answer leaves the question open. */
static void wrong_and_then_right(void **state) {
    (void)state;
    EACH_KIND(a, "") {
        bool takes_secret = *a->kind->answer != '{';
        FAILS(takes_secret ? MAM_ERR_ARGUMENT : MAM_ERR_JSON, mam_answer(a->m, a->id, a->kind->wrong));
        if (!takes_secret) FAILS(MAM_ERR_ARGUMENT, mam_answer_secret(a->m, a->id, (const uint8_t *)TOKEN, 5));
        FAILS(MAM_ERR_ARGUMENT, mam_answer(a->m, a->id, NULL));
        FAILS(MAM_ERR_ARGUMENT, mam_answer_secret(a->m, a->id, NULL, 0));
        FAILS(MAM_ERR_JSON, mam_answer(a->m, a->id, "{"));
        FAILS(MAM_ERR_NOT_FOUND, mam_answer(a->m, a->id + 1, "null"));
        OK(give(a, a->kind->answer));
        ends(a, AS_ANSWERED);
    }
}

static void *answer_here(void *user) {
    asked *a = user;
    a->status = give(a, a->kind->answer);
    return NULL;
}

static void from_another_thread(void **state) {
    (void)state;
    EACH_KIND(a, "") {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, answer_here, a) == 0);
        ends(a, AS_ANSWERED);
        pthread_join(thread, NULL);
        CHECK_NUMBER(MAM_OK, a->status);
    }
}

static void answer_in_child(void *user) {
    asked *a = user;
    FAILS(MAM_ERR_FORKED, give(a, a->kind->answer));
    FAILS(MAM_ERR_FORKED, give(a, "null"));
    OK(mam_close(a->m));
}

static void from_a_forked_child(void **state) {
    (void)state;
    EACH_KIND(a, "") {
        in_child(answer_in_child, a);
        OK(give(a, a->kind->answer)); /* the child has answered nothing */
        ends(a, AS_ANSWERED);
    }
}

/* The question ends with its session; its subject continues after the next open, or is left undone. */
static void after_close(void **state) {
    (void)state;
    EACH_KIND(a, "") {
        long long begun = now_ms();
        OK(mam_close(a->m));
        CHECK(now_ms() - begun < 20 * SECONDS); /* and not at the deadline */
        FAILS(MAM_ERR_CLOSED, give(a, a->kind->answer));
        FAILS(MAM_ERR_CLOSED, give(a, "null"));
        a->m = open_app(&a->office, APP, "\"worker\":false");
        OK(mam_run_due(a->m));
        char *json = NULL;
        OK(mam_registered_accounts(a->m, &json));
        mam_free(json);
        if (strcmp(a->kind->name, "wipeData") == 0) {
            char *event = next_event(a->m, "wipeDidComplete", SOON);
            CHECK(event != NULL && !truth_of(event, "/hostRemovedData"));
            mam_free(event);
        }
    }
}

/* The subject of a question ends before the answer: the next time it is asked again, and no old answer counts. */
static void the_subject_ends_first(void **state) {
    const office *o = *state;
    mam_t *m = open_app(
        o, APP, "\"worker\":false,\"questions\":\"events\",\"settings\":{\"MultiIdentity\":true},\"questionTimeout\":\"PT1S\"");
    int64_t ids[2];
    show_ann(o, m);
    for (int i = 0; i < 2; i++) {
        set_ann(o, "\"enabled\":false");
        start_block(m);
        char *event = next_question(m);
        ids[i] = number_of(event, "/id");
        mam_free(event);
        set_ann(o, "\"enabled\":true");
        start_block(m);
        sleep_ms(1100);
        OK(mam_run_due(m));
        FAILS(MAM_ERR_GONE, mam_answer(m, ids[i], "{\"blocked\":true}"));
    }
    CHECK(ids[0] > 0 && ids[1] > ids[0]);
    OK(mam_close(m));
}

/* The account cannot enroll although its token arrived: the token is not kept for the next time. */
static void a_token_of_a_refused_account(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, "\"worker\":false,\"questions\":\"events\"");
    int64_t ids[2];
    require_token(o, m);
    for (int i = 0; i < 2; i++) {
        int64_t op = start_enroll(m);
        char *event = next_question(m);
        ids[i] = number_of(event, "/id");
        mam_free(event);
        set_ann(o, "\"licensed\":false");
        OK(mam_answer_secret(m, ids[i], (const uint8_t *)TOKEN, strlen(TOKEN)));
        CHECK_NUMBER(200, code_of(m, op));
        set_ann(o, "\"licensed\":true");
    }
    CHECK(ids[0] > 0 && ids[1] > ids[0]);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unanswered_and_late),  cmocka_unit_test(the_default_at_once), cmocka_unit_test(in_time_and_twice),
        cmocka_unit_test(wrong_and_then_right), cmocka_unit_test(from_another_thread), cmocka_unit_test(from_a_forked_child),
        cmocka_unit_test(after_close),          WITHOUT_PIN(the_subject_ends_first),   WITHOUT_PIN(a_token_of_a_refused_account),
    };
    return cmocka_run_group_tests_name("answers", tests, begin, NULL);
}
