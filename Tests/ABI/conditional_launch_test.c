/* Findings of launches for an account and their consequences, and that mam_conditional_launch only reports. Time is the
 * computer's: see the Swift suites for clocks. */
#include "support.h"

#define QUIETLY "\"worker\":false,\"questions\":\"events\""
#define LAUNCH_POLICY "policy-launch"

static void import_policy(const office *o, const char *properties) {
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"" LAUNCH_POLICY "\",\"displayName\":\"Launch\"%s}}",
        properties);
}

/* One policy for everybody in place of the office's, with these properties. */
static void set_policy(const office *o, const char *properties) {
    import_policy(o, properties);
    admin(o, "{\"action\":\"policy.remove\",\"policy\":\"" STRICT_POLICY "\"}");
    admin(o, "{\"action\":\"policy.assign\",\"policy\":\"" LAUNCH_POLICY "\",\"allUsers\":true}");
    admin(o, "{\"action\":\"policy.target\",\"policy\":\"" LAUNCH_POLICY "\",\"allApps\":true}");
}

static void change_policy(const office *o, mam_t *m, const char *properties) {
    int64_t op = 0;
    char *status = NULL;
    import_policy(o, properties);
    OK(mam_check_in(m, NULL, &op));
    OK(mam_wait(m, op, -1, &status));
    mam_free(status);
}

/* Wait for an operation, answering every question of a kind; returns their number. */
static int finish(mam_t *m, int64_t op, const char *question, const char *answer, char **result) {
    int asked = 0;
    while (mam_wait(m, op, 0, result) == MAM_ERR_TIMEOUT) {
        char *event = next_event(m, "question", 0);
        CHECK(event != NULL);
        CHECK_TEXT(question, text_of(event, "/question"));
        OK(mam_answer(m, number_of(event, "/id"), answer));
        mam_free(event);
        asked++;
    }
    OK(mam_last_status());
    return asked;
}

static void found(const char *report, const char *outcome, const char *action, const char *check) {
    CHECK(is_json(report));
    CHECK_TEXT(outcome, text_of(report, "/outcome"));
    CHECK_TEXT(action, text_of(report, "/findings/0/action"));
    CHECK_TEXT(check, text_of(report, "/findings/0/check"));
}

static void launches(mam_t *m, const char *outcome, const char *action, const char *check) {
    int64_t op = 0;
    char *report = NULL;
    OK(mam_launch(m, &op));
    finish(m, op, "", "null", &report);
    found(report, outcome, action, check);
    mam_free(report);
}

static void a_blocked_account_is_closed_until_it_is_found_open(void **state) {
    const office *o = *state;
    set_policy(o, ",\"minimumRequiredAppVersion\":\"99.0\"");
    mam_t *m = open_app(o, APP, QUIETLY);
    CHECK_NUMBER(100, enroll(m, ANN));
    mam_policy_t *policy = NULL;
    mam_buffer sealed = {0}, opened = {0};
    mam_bool was_protected = 0;
    char *json = NULL;
    OK(mam_policy_for_account(m, ANN, &policy));
    CHECK_NUMBER(1, mam_policy_is_print_allowed(policy));
    OK(mam_protect(m, ANN, (const uint8_t *)"minutes", 7, &sealed));
    /* It only reports. */
    OK(mam_conditional_launch(m, ANN, &json));
    found(json, "blocked", "block", "appVersion");
    CHECK_TEXT("minimumRequiredAppVersion", text_of(json, "/findings/0/setting"));
    CHECK_TEXT("99.0", text_of(json, "/findings/0/value"));
    CHECK_TEXT(LAUNCH_POLICY, text_of(json, "/findings/0/policyId"));
    CHECK_TEXT(ANN_ID, text_of(json, "/findings/0/accountId"));
    mam_free(json);
    CHECK_NUMBER(1, mam_policy_is_print_allowed(policy));
    launches(m, "blocked", "block", "appVersion");
    CHECK_NUMBER(0, mam_policy_is_print_allowed(policy));
    CHECK_NUMBER(1, mam_policy_is_pin_required(policy));
    CHECK_NUMBER(MAM_ERR_LOCKED, mam_unprotect(m, sealed.data, sealed.length, 0, &opened, &was_protected));
    CHECK(strstr(mam_last_message(), "minimumRequiredAppVersion") != NULL);
    mam_buffer_free(&sealed);
    OK(mam_protect(m, ANN, (const uint8_t *)"minutes", 7, &sealed)); /* open data can still be saved */
    OK(mam_blocked_accounts(m, &json));
    CHECK_TEXT("conditionalLaunchBlocked", text_of(json, "/0/reason"));
    mam_free(json);
    change_policy(o, m, "");
    CHECK_NUMBER(0, mam_policy_is_print_allowed(policy));
    int64_t op = 0;
    OK(mam_resume(m, &op));
    finish(m, op, "", "null", &json);
    found(json, "allowed", "", "");
    mam_free(json);
    CHECK_NUMBER(1, mam_policy_is_print_allowed(policy));
    OK(mam_unprotect(m, sealed.data, sealed.length, MAM_STRICT, &opened, &was_protected));
    mam_buffer_free(&opened);
    mam_buffer_free(&sealed);
    mam_policy_release(policy);
    OK(mam_close(m));
}

static void without_an_account_it_is_allowed(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, QUIETLY);
    static const char *const names[] = {NULL, "", EVE};
    for (size_t i = 0; i < 3; i++) {
        char *json = NULL;
        OK(mam_conditional_launch(m, names[i], &json));
        found(json, "allowed", "", "");
        mam_free(json);
    }
    OK(mam_close(m));
    m = open_app(o, APP, QUIETLY ",\"unknownIdentities\":\"error\"");
    char *json = NULL;
    CHECK_NUMBER(MAM_ERR_NOT_FOUND, mam_conditional_launch(m, EVE, &json));
    CHECK(json == NULL);
    OK(mam_close(m));
}

static void a_finding_that_wipes_is_carried_out(void **state) {
    const office *o = *state;
    set_policy(o, ",\"minimumWipeOsVersion\":\"2.0\"");
    mam_t *m = open_app(o, APP, QUIETLY ",\"device\":{\"version\":\"1.9\"}");
    CHECK_NUMBER(100, enroll(m, ANN));
    char *json = NULL;
    OK(mam_conditional_launch(m, ANN, &json));
    found(json, "wiped", "wipe", "osVersion");
    mam_free(json);
    OK(mam_enrolled_accounts(m, &json));
    CHECK_NUMBER(1, count_of(json, ""));
    mam_free(json);
    launches(m, "wiped", "wipe", "osVersion");
    OK(mam_enrolled_accounts(m, &json));
    CHECK_NUMBER(0, count_of(json, ""));
    mam_free(json);
    OK(mam_close(m));
}

/* A running launch of an account that must sign in. */
static mam_t *launched_for_credentials(const office *o, int64_t *op) {
    set_policy(o, ",\"organizationalCredentialsRequired\":true");
    mam_t *m = open_app(o, APP, QUIETLY);
    CHECK_NUMBER(100, enroll(m, ANN));
    OK(mam_launch(m, op));
    return m;
}

static void credentials_are_required(void **state) {
    int64_t op = 0;
    char *json = NULL;
    mam_t *m = launched_for_credentials(*state, &op);
    CHECK_NUMBER(1, finish(m, op, "authenticate", "{\"authenticated\":false}", &json));
    found(json, "blocked", "prompt", "credentials");
    mam_free(json);
    int32_t reason = 0;
    OK(mam_blocked_reason(m, ANN, &reason));
    CHECK_NUMBER(MAM_BLOCK_LAUNCH_CANCELED, reason);
    OK(mam_set_ui_identity(m, NULL, "\"" ANN "\"", &op));
    CHECK_NUMBER(1, finish(m, op, "authenticate", "null", &json));
    CHECK_NUMBER(MAM_SWITCH_CANCELED, number_of(json, "/result"));
    mam_free(json);
    OK(mam_set_ui_identity(m, NULL, "\"" ANN "\"", &op));
    CHECK_NUMBER(1, finish(m, op, "authenticate", "{\"authenticated\":true,\"method\":\"credentials\"}", &json));
    CHECK_NUMBER(MAM_SWITCH_SUCCESS, number_of(json, "/result"));
    mam_free(json);
    OK(mam_pause(m));
    OK(mam_resume(m, &op));
    CHECK_NUMBER(0, finish(m, op, "", "null", &json)); /* it applies */
    found(json, "allowed", "", "");
    mam_free(json);
    OK(mam_close(m));
}

static void an_answer_of_another_form_leaves_the_question_open(void **state) {
    int64_t op = 0;
    char *json = NULL;
    mam_t *m = launched_for_credentials(*state, &op);
    CHECK_NUMBER(MAM_ERR_TIMEOUT, mam_wait(m, op, 0, &json));
    char *event = next_event(m, "question", 0);
    int64_t id = number_of(event, "/id");
    mam_free(event);
    static const char *const wrong[] = {
        "{\"authenticated\":true}",
        "{\"authenticated\":1,\"method\":\"credentials\"}",
        "{\"authenticated\":true,\"method\":\"credentials\",\"x\":1}",
        "[]",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) CHECK_NUMBER(MAM_ERR_JSON, mam_answer(m, id, wrong[i]));
    CHECK_NUMBER(MAM_ERR_ARGUMENT, mam_answer(m, id, "{\"authenticated\":true,\"method\":\"smile\"}"));
    CHECK_NUMBER(MAM_ERR_ARGUMENT, mam_answer_secret(m, id, (const uint8_t *)"1234", 4));
    OK(mam_answer(m, id, "{\"authenticated\":true,\"method\":\"credentials\"}"));
    OK(mam_wait(m, op, -1, &json));
    found(json, "allowed", "", "");
    mam_free(json);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(a_blocked_account_is_closed_until_it_is_found_open),
        WITH_OFFICE(without_an_account_it_is_allowed),
        WITH_OFFICE(a_finding_that_wipes_is_carried_out),
        WITH_OFFICE(credentials_are_required),
        WITH_OFFICE(an_answer_of_another_form_leaves_the_question_open),
    };
    return cmocka_run_group_tests_name("conditional launch", tests, begin, NULL);
}
