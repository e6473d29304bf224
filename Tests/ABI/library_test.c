/* Section 1, and the header itself: versions, names, the thread's last error; every function has a row in the table. */
#include "functions.h"

static void versions_are_the_headers(void **state) {
    (void)state;
    CHECK_TEXT(MAM_VERSION, mam_version());
    CHECK_NUMBER(MAM_ABI_VERSION, mam_abi_version());
    CHECK(mam_version() == mam_version());
}

static void every_status_has_a_name(void **state) {
    (void)state;
    static const struct {
        mam_status status;
        const char *name;
    } names[] = {
        {MAM_OK, "ok"},
        {MAM_ERR_ARGUMENT, "argument"},
        {MAM_ERR_BUFFER, "buffer"},
        {MAM_ERR_JSON, "json"},
        {MAM_ERR_CLOSED, "closed"},
        {MAM_ERR_FORKED, "forked"},
        {MAM_ERR_UNSUPPORTED, "unsupported"},
        {MAM_ERR_DEADLOCK, "deadlock"},
        {MAM_ERR_INTERRUPTED, "interrupted"},
        {MAM_ERR_NOT_MANAGED, "notManaged"},
        {MAM_ERR_NOT_REGISTERED, "notRegistered"},
        {MAM_ERR_NOT_ENROLLED, "notEnrolled"},
        {MAM_ERR_NOT_FOUND, "notFound"},
        {MAM_ERR_ALREADY, "already"},
        {MAM_ERR_DENIED, "denied"},
        {MAM_ERR_LOCKED, "locked"},
        {MAM_ERR_CANCELED, "canceled"},
        {MAM_ERR_TIMEOUT, "timeout"},
        {MAM_ERR_BUSY, "busy"},
        {MAM_ERR_GONE, "gone"},
        {MAM_ERR_NOT_PROTECTED, "notProtected"},
        {MAM_ERR_DAMAGED, "damaged"},
        {MAM_ERR_AUTHENTICATION, "authentication"},
        {MAM_ERR_KEY_UNAVAILABLE, "keyUnavailable"},
        {MAM_ERR_EMPTY, "empty"},
        {MAM_ERR_IO, "io"},
        {MAM_ERR_STORAGE, "storage"},
        {MAM_ERR_PERMISSION, "permission"},
        {MAM_ERR_NO_SPACE, "noSpace"},
        {MAM_ERR_CRYPTO, "crypto"},
        {MAM_ERR_VERSION, "version"},
        {MAM_ERR_TAMPERED, "tampered"},
        {MAM_ERR_AUTH_REQUIRED, "authRequired"},
        {MAM_ERR_NETWORK, "network"},
        {MAM_ERR_SERVICE, "service"},
        {MAM_ERR_PROTOCOL, "protocol"},
        {MAM_ERR_INTERNAL, "internal"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) CHECK_TEXT(names[i].name, mam_status_name(names[i].status));
    static const mam_status others[] = {-1, 9, 21, 29, 35, 39, 47, 49, 54, 89, 91, 1000, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) CHECK_TEXT("unknown", mam_status_name(others[i]));
}

static void *fresh_thread(void *user) {
    bool *is_fresh = user;
    *is_fresh = mam_last_status() == MAM_OK && strcmp(mam_last_message(), "") == 0;
    return NULL;
}

static void last_error_is_the_latest_calls(void **state) {
    const office *o = *state;
    mam_t *m = NULL;
    char *json = NULL, *settings = settings_for(o, APP, QUIET);
    FAILS(MAM_ERR_JSON, mam_open("{", &m));
    CULPRIT("argument", "settings_json");
    bool is_fresh = false;
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, fresh_thread, &is_fresh) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(is_fresh);
    OK(mam_open(settings, &m));
    CHECK_TEXT("", mam_last_message());
    OK(mam_last_error_json(&json));
    CHECK_NUMBER(0, number_of(json, "/status"));
    mam_free(json);
    FAILS(MAM_ERR_NOT_REGISTERED, mam_wipe_account(m, EVE, &(int64_t){0}));
    /* A predicate with an answer clears it, too: a refusal is not a failure. */
    mam_policy_t *policy = NULL;
    OK(mam_policy_for_account(m, EVE, &policy));
    FAILS(MAM_ERR_NOT_REGISTERED, mam_wipe_account(m, EVE, &(int64_t){0}));
    CHECK_NUMBER(1, mam_policy_is_print_allowed(policy));
    OK(mam_last_status());
    CHECK_NUMBER(0, mam_policy_is_print_allowed(NULL));
    FAILS(MAM_ERR_ARGUMENT, mam_last_status());
    mam_policy_release(policy);
    OK(mam_close(m));
    free(settings);
}

static void section_one_leaves_the_last_error_alone(void **state) {
    (void)state;
    mam_t *m = NULL;
    FAILS(MAM_ERR_ARGUMENT, mam_open(NULL, &m));
    char *before = strdup(mam_last_message());
    for (size_t i = 0; i < function_count; i++) {
        if (!(functions[i].takes & IS_SILENT)) continue;
        call_t call;
        memset(&call, 0, sizeof call);
        run_function(&functions[i], &call);
        if (!call.is_whole) failed_at(__FILE__, __LINE__, "%s gives no good answer", functions[i].name);
        CHECK_NUMBER(MAM_ERR_ARGUMENT, mam_last_status());
        CHECK_TEXT(before, mam_last_message());
    }
    CHECK_NUMBER(MAM_ERR_ARGUMENT, mam_last_error_json(NULL));
    free(before);
}

/* A host reads a reply that it holds before it reports what failed. */
static void what_is_read_leaves_the_last_error_alone(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_json_t *parsed = NULL;
    mam_policy_t *policy = NULL;
    mam_decision_t *decision = NULL;
    OK(mam_json_parse("{\"text\":\"a\",\"number\":1,\"is\":true}", &parsed));
    OK(mam_policy_for_account(m, ANN, &policy));
    OK(mam_policy_reason(policy, MAM_ASK_PRINT, &decision));
    FAILS(MAM_ERR_NOT_REGISTERED, mam_wipe_account(m, EVE, &(int64_t){0}));
    char *before = strdup(mam_last_message());
    CHECK_TEXT("a", mam_json_text(parsed, "/text"));
    CHECK_NUMBER(1, mam_json_integer(parsed, "/number", 0));
    CHECK_NUMBER(1, mam_json_bool(parsed, "/is", 0));
    CHECK_NUMBER(0, mam_json_has(parsed, "/none"));
    CHECK_NUMBER(3, mam_json_count(parsed, ""));
    CHECK_TEXT("text", mam_json_key(parsed, "", 0));
    CHECK(strlen(mam_decision_message(decision)) > 0 && strlen(mam_decision_user_message(decision)) > 0);
    CHECK(mam_decision_setting(decision) && mam_decision_policy_name(decision) && mam_decision_message_key(decision));
    CHECK_NUMBER(MAM_ERR_NOT_REGISTERED, mam_last_status());
    CHECK_TEXT(before, mam_last_message());
    CHECK_TEXT("", mam_json_text(parsed, "no pointer"));
    FAILS(MAM_ERR_ARGUMENT, mam_last_status());
    free(before);
    mam_json_release(parsed);
    mam_decision_release(decision);
    mam_policy_release(policy);
    OK(mam_close(m));
}

/* A host cleans up before it reports what failed. */
static void releases_leave_the_last_error_alone(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o), *none = NULL;
    int seen = 0;
    for (const function *f = functions; f < functions + function_count; f++) {
        if (strstr(f->name, "_release") == NULL) continue;
        for (int what = 0; what < 3; what++) { /* a handle, NULL, and a handle that was released */
            mam_policy_t *policy = NULL;
            call_t call;
            OK(mam_policy_for_account(m, ANN, &policy));
            good_arguments(f, &call, o, m, policy);
            OK(mam_identity_capture(m, &call.identity));
            OK(mam_app_config(m, "null", &call.config));
            OK(mam_policy_reason(policy, MAM_ASK_PRINT, &call.decision));
            OK(mam_json_parse("{}", &call.parsed));
            if (what == 1) memset(&call, 0, sizeof call);
            if (what == 2) run_function(f, &call);
            FAILS(MAM_ERR_ARGUMENT, mam_open(NULL, &none));
            char *before = strdup(mam_last_message());
            run_function(f, &call);
            CHECK_NUMBER(MAM_ERR_ARGUMENT, mam_last_status());
            CHECK_TEXT(before, mam_last_message());
            free(before);
            seen++;
        }
    }
    CHECK(seen >= 15);
    OK(mam_close(m));
}

static void buffers_are_emptied(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_buffer container = sealed(m, ANN, "text");
    mam_buffer_free(&container);
    CHECK(container.data == NULL && container.length == 0);
    mam_buffer_free(&container);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_are_the_headers),
        cmocka_unit_test(every_status_has_a_name),
        WITH_OFFICE(last_error_is_the_latest_calls),
        cmocka_unit_test(section_one_leaves_the_last_error_alone),
        WITH_OFFICE(what_is_read_leaves_the_last_error_alone),
        WITH_OFFICE(releases_leave_the_last_error_alone),
        WITH_OFFICE(buffers_are_emptied),
    };
    return cmocka_run_group_tests_name("library", tests, begin, NULL);
}
