/* Switches that libmam requests itself: for files and links of an account other than the current identity. */
#include "support.h"

#define MULTI "\"settings\":{\"MultiIdentity\":true,\"MultiManagedIdentities\":true}"
#define QUIETLY MULTI ",\"worker\":false"
#define TEXT "the minutes of the meeting"
#define LINK "notes-app://open?id=7"

enum { SUCCESS = MAM_SWITCH_SUCCESS, CANCELED = MAM_SWITCH_CANCELED, NOT_ALLOWED = MAM_SWITCH_NOT_ALLOWED };

typedef struct host {
    mam_t *m;
    const char *answer; /* NULL: none */
    int asked;
    char json[4096];
    mam_status inside; /* of an import that it tries itself */
    const char *path, *target;
} host;

static void answer_switch(void *user, mam_question_t *question, const char *json) {
    host *h = user;
    if (strcmp(text_of(json, "/question"), "identitySwitch") != 0) {
        OK(mam_answer(h->m, mam_question_id(question), "null"));
        return;
    }
    h->asked++;
    snprintf(h->json, sizeof h->json, "%s", json);
    if (h->path) h->inside = mam_file_import(h->m, h->path, EVE, h->target);
    if (h->answer) OK(mam_answer(h->m, mam_question_id(question), h->answer));
}

/* An app with Ann and Bob, neither with a PIN, and its host's answer. */
static mam_t *open_answering(const office *o, const char *more, host *h, const char *answer) {
    mam_t *m = open_app(o, APP, more);
    *h = (host){.m = m, .answer = answer};
    int code = enroll(m, ANN);
    CHECK(code == 100 || code == 208);
    OK(mam_set_delegate(m, answer_switch, h));
    return m;
}

static void shows(mam_t *m, const char *window, const char *expected) {
    char *json = NULL;
    OK(mam_ui_identity(m, window, &json));
    CHECK_TEXT(expected, json);
    mam_free(json);
}

static void owner_of(mam_t *m, const char *path, const char *id) {
    char *json = NULL;
    OK(mam_file_info(m, path, &json));
    CHECK_TEXT(id, text_of(json, "/accountId"));
    mam_free(json);
}

static const char *file_of_ann(const office *o, mam_t *m) {
    const char *path = in_office(o, "minutes");
    mam_buffer container = sealed(m, ANN, TEXT);
    write_whole(path, container.data, container.length);
    mam_buffer_free(&container);
    return path;
}

static void a_file_of_ann_s(const office *o, const char *more) {
    host h;
    mam_t *m = open_answering(o, more, &h, "{\"switched\":true}");
    const char *path = file_of_ann(o, m), *target = in_office(o, "taken");
    static const char *const receivers[] = {NULL, "", EVE};
    static const char *const from[] = {"", "", EVE};
    for (int i = 0; i < 3; i++) {
        OK(mam_file_import(m, path, receivers[i], target));
        CHECK_NUMBER(i + 1, h.asked);
        CHECK_TEXT("documentImport", text_of(h.json, "/reason"));
        CHECK_TEXT(ANN_ID, text_of(h.json, "/accountId"));
        CHECK_TEXT(ANN, text_of(h.json, "/upn"));
        CHECK_TEXT(from[i], text_of(h.json, "/from"));
        CHECK(has(h.json, "/window") && !has(h.json, "/url"));
        shows(m, NULL, "[\"" ANN_ID "\"]");
        owner_of(m, target, ANN_ID);
        CHECK(remove(target) == 0);
    }
    /* For herself no question is asked. */
    OK(mam_file_import(m, path, ANN, target));
    CHECK_NUMBER(3, h.asked);
    OK(mam_close(m));
}

static void another_account_s_file(void **state) { a_file_of_ann_s(*state, QUIETLY); }
static void with_a_worker(void **state) { a_file_of_ann_s(*state, MULTI); }

/* A personal file, while Ann accepts only those of managed apps. */
static void a_personal_file(void **state) {
    const office *o = *state;
    host h;
    mam_t *m = open_answering(o, QUIETLY, &h, "{\"switched\":true}");
    const char *path = in_office(o, "holiday"), *target = in_office(o, "taken");
    write_whole(path, TEXT, strlen(TEXT));
    OK(mam_file_import(m, path, ANN, target));
    CHECK_NUMBER(1, h.asked);
    CHECK_TEXT("", text_of(h.json, "/accountId"));
    CHECK_TEXT(ANN_ID, text_of(h.json, "/from"));
    shows(m, NULL, "[\"\"]");
    owner_of(m, target, "");
    OK(mam_close(m));
}

/* Refused as before if the host says no, gives no answer, or there is none; and nothing is switched. */
static void refused_switches(void **state) {
    const office *o = *state;
    static const char *const answers[] = {"{\"switched\":false}", "null", NULL};
    for (int i = 0; i < 3; i++) {
        host h;
        mam_t *m = open_answering(o, QUIETLY ",\"questionTimeout\":\"PT1S\"", &h, answers[i]);
        FAILS(MAM_ERR_DENIED, mam_file_import(m, file_of_ann(o, m), "", in_office(o, "taken")));
        CULPRIT("switch", "notAllowed");
        CHECK_NUMBER(1, h.asked);
        CHECK(!is_there(in_office(o, "taken")));
        shows(m, NULL, "null");
        OK(mam_close(m));
    }
    host h;
    mam_t *m = open_answering(o, QUIETLY, &h, "{\"switched\":true}");
    const char *path = file_of_ann(o, m), *target = in_office(o, "taken");
    OK(mam_set_delegate(m, NULL, NULL));
    FAILS(MAM_ERR_DENIED, mam_file_import(m, path, "", target));
    CULPRIT("switch", "");
    OK(mam_close(m));
    m = open_answering(o, "\"worker\":false", &h, "{\"switched\":true}"); /* one identity */
    FAILS(MAM_ERR_DENIED, mam_file_import(m, path, "", target));
    OK(mam_close(m));
    CHECK_NUMBER(0, h.asked);
}

/* The rules and checks of any switch apply. */
static void impossible_switches(void **state) {
    const office *o = *state;
    host h;
    mam_t *m = open_answering(o, QUIETLY, &h, "{\"switched\":true}");
    const char *path = file_of_ann(o, m), *target = in_office(o, "taken");
    OK(mam_push_thread_identity(m, EVE));
    FAILS(MAM_ERR_DENIED, mam_file_import(m, path, NULL, target));
    CULPRIT("switch", "notAllowed");
    CHECK_NUMBER(0, h.asked);
    OK(mam_pop_thread_identity(m));
    office_policy(o, true); /* Ann's PIN is required, and nobody enters it */
    check_in(m, ANN);
    FAILS(MAM_ERR_DENIED, mam_file_import(m, path, NULL, target));
    CHECK_NUMBER(1, h.asked);
    CHECK(!is_there(target));
    shows(m, NULL, "null");
    OK(mam_close(m));
}

/* In a callback no question is asked: the answer could not come. */
static void inside_a_callback(void **state) {
    const office *o = *state;
    host h;
    mam_t *m = open_answering(o, QUIETLY, &h, "{\"switched\":false}");
    h.path = file_of_ann(o, m);
    h.target = in_office(o, "taken");
    FAILS(MAM_ERR_DENIED, mam_file_import(m, h.path, "", h.target));
    CHECK_NUMBER(MAM_ERR_DENIED, h.inside);
    CHECK_NUMBER(1, h.asked);
    OK(mam_close(m));
}

/* ---- links */

static int opens(mam_t *m, const char *window, const char *account) {
    char *status = NULL;
    int64_t op;
    OK(mam_open_url(m, window, account, LINK, &op));
    OK(mam_wait(m, op, SOON, &status));
    int result = (int)number_of(status, "/result");
    CHECK_NUMBER(result == SUCCESS, truth_of(status, "/didSucceed"));
    CHECK(*text_of(status, "/message"));
    mam_free(status);
    return result;
}

static void links(void **state) {
    const office *o = *state;
    host h;
    mam_t *m = open_answering(o, QUIETLY, &h, "{\"switched\":true}");
    CHECK_NUMBER(SUCCESS, opens(m, "w", EVE)); /* no identity is set, and she is unmanaged */
    CHECK_NUMBER(0, h.asked);
    shows(m, "w", "null");
    CHECK_NUMBER(SUCCESS, opens(m, "w", ANN));
    CHECK_NUMBER(1, h.asked);
    CHECK_TEXT("openURL", text_of(h.json, "/reason"));
    CHECK_TEXT(ANN_ID, text_of(h.json, "/accountId"));
    CHECK_TEXT("", text_of(h.json, "/from"));
    CHECK_TEXT("w", text_of(h.json, "/window"));
    CHECK_TEXT(LINK, text_of(h.json, "/url"));
    shows(m, "w", "[\"" ANN_ID "\"]");
    CHECK_NUMBER(SUCCESS, opens(m, "w", ANN_ID)); /* already shown */
    CHECK_NUMBER(1, h.asked);
    CHECK_NUMBER(SUCCESS, opens(m, "w", NULL)); /* her policy accepts links of managed apps, and this one has no account */
    CHECK_NUMBER(2, h.asked);
    CHECK_TEXT("", text_of(h.json, "/accountId"));
    CHECK_TEXT(ANN_ID, text_of(h.json, "/from"));
    shows(m, "w", "[\"\"]");
    h.answer = "{\"switched\":false}";
    CHECK_NUMBER(NOT_ALLOWED, opens(m, "w", ANN));
    shows(m, "w", "[\"\"]");
    OK(mam_set_delegate(m, NULL, NULL));
    CHECK_NUMBER(NOT_ALLOWED, opens(m, "w", ANN));
    OK(mam_close(m));
    m = open_app(o, APP, "\"worker\":false"); /* one identity: the process acts for Ann */
    CHECK_NUMBER(SUCCESS, opens(m, NULL, ANN));
    CHECK_NUMBER(NOT_ALLOWED, opens(m, NULL, EVE));
    int64_t op = 1;
    FAILS(MAM_ERR_ARGUMENT, mam_open_url(m, NULL, ANN, NULL, &op));
    CHECK_NUMBER(0, op);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITHOUT_PIN(another_account_s_file),
        WITHOUT_PIN(with_a_worker),
        WITHOUT_PIN(a_personal_file),
        WITHOUT_PIN(refused_switches),
        WITHOUT_PIN(impossible_switches),
        WITHOUT_PIN(inside_a_callback),
        WITHOUT_PIN(links),
    };
    return cmocka_run_group_tests_name("own_switch", tests, begin, NULL);
}
