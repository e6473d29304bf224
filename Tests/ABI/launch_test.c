/* mam_launch: the accounts that it enrolls, and its findings. */
#include "support.h"

#define QUIETLY "\"worker\":false,\"questions\":\"events\",\"settings\":"
#define DEVICE ",\"device\":{\"mdmAccountId\":\"" ANN_ID "\"}"

/* Launch, and answer at most one question of a kind meanwhile; the caller frees the report. */
static char *launch_with(mam_t *m, const char *question, const char *answer) {
    int64_t op = 0;
    char *report = NULL, *event;
    OK(mam_launch(m, &op));
    while (mam_wait(m, op, 0, &report) == MAM_ERR_TIMEOUT) {
        event = next_event(m, "question", 0);
        CHECK(event != NULL);
        if (strcmp(text_of(event, "/question"), "pin") == 0) { /* of the office's policy: set once, then entered */
            OK(mam_answer_secret(m, number_of(event, "/id"), (const uint8_t *)"2580", 4));
            mam_free(event);
            continue;
        }
        CHECK(question != NULL);
        CHECK_TEXT(question, text_of(event, "/question"));
        OK(mam_answer(m, number_of(event, "/id"), answer));
        mam_free(event);
    }
    OK(mam_last_status());
    CHECK(is_json(report) && *text_of(report, "/time") && count_of(report, "/findings") >= 0);
    CHECK_NUMBER(strcmp(text_of(report, "/outcome"), "blocked") != 0, truth_of(report, "/didSucceed"));
    return report;
}

static void launches(mam_t *m, const char *question, const char *answer, const char *outcome, const char *check) {
    char *report = launch_with(m, question, answer);
    CHECK_TEXT(outcome, text_of(report, "/outcome"));
    CHECK_TEXT(check, text_of(report, "/findings/0/check"));
    if (*check) CHECK(*text_of(report, "/findings/0/message") && *text_of(report, "/findings/0/setting"));
    mam_free(report);
}

static int enrolled(mam_t *m) {
    char *json = NULL;
    OK(mam_enrolled_accounts(m, &json));
    int count = count_of(json, "");
    mam_free(json);
    return count;
}

static void required_by_the_settings(void **state) {
    const office *o = *state;
    static const struct {
        const char *settings, *outcome, *check;
        int findings;
    } cases[] = {
        {"{}", "allowed", "", 0},
        {"{\"MAMPolicyWarnAbsent\":true}", "warned", "policyAbsent", 1},
        {"{\"MAMPolicyRequired\":true}", "blocked", "policyRequired", 1},
        {"{\"MAMPolicyRequired\":true,\"MAMPolicyWarnAbsent\":true}", "blocked", "policyRequired", 2},
    };
    char more[512];
    for (int managed = 0; managed < 2; managed++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            snprintf(more, sizeof more, QUIETLY "%s", cases[i].settings);
            mam_t *m = open_app(o, APP, more);
            char *report = launch_with(m, NULL, NULL);
            CHECK_TEXT(managed ? "allowed" : cases[i].outcome, text_of(report, "/outcome"));
            CHECK_NUMBER(managed ? 0 : cases[i].findings, count_of(report, "/findings"));
            CHECK_TEXT(managed ? "" : cases[i].check, text_of(report, "/findings/0/check"));
            mam_free(report);
            OK(mam_close(m));
        }
        if (!managed) OK(mam_close(open_enrolled(o)));
    }
}

static void the_registered_account_is_enrolled(void **state) {
    const office *o = *state;
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"licensed\":false}");
    mam_t *m = open_app(o, APP, QUIETLY "{\"AutoEnrollOnLaunch\":true,\"MAMPolicyWarnAbsent\":true}");
    launches(m, NULL, NULL, "warned", "policyAbsent"); /* no account is known: none is enrolled, nobody is asked */
    CHECK_NUMBER(200, enroll(m, ANN));
    launches(m, NULL, NULL, "warned", "policyAbsent");
    CHECK_NUMBER(0, enrolled(m));
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"licensed\":true}");
    launches(m, NULL, NULL, "allowed", "");
    CHECK_NUMBER(1, enrolled(m));
    launches(m, NULL, NULL, "allowed", "");
    OK(mam_close(m));
}

/* If two accounts wait, only the device can tell which one is meant. */
static void one_of_two_is_not_guessed(void **state) {
    const office *o = *state;
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"licensed\":false}");
    admin(o, "{\"action\":\"user.set\",\"user\":\"" BOB "\",\"licensed\":false}");
    mam_t *m = open_app(o, APP, QUIETLY "{\"AutoEnrollOnLaunch\":true}");
    CHECK_NUMBER(200, enroll(m, ANN));
    CHECK_NUMBER(200, enroll(m, BOB));
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"licensed\":true}");
    admin(o, "{\"action\":\"user.set\",\"user\":\"" BOB "\",\"licensed\":true}");
    launches(m, NULL, NULL, "allowed", "");
    CHECK_NUMBER(0, enrolled(m));
    OK(mam_close(m));
    m = open_app(o, APP, QUIETLY "{\"AutoEnrollOnLaunch\":true}" DEVICE);
    launches(m, NULL, NULL, "allowed", "");
    char *json = NULL;
    OK(mam_enrolled_accounts(m, &json));
    CHECK_TEXT(ANN_ID, text_of(json, "/0/accountId"));
    mam_free(json);
    OK(mam_close(m));
}

/* An account that only the device knows: the host accepts it, or it leaves again. */
static void the_device_s_account_is_introduced(void **state) {
    const office *o = *state;
    for (int added = 0; added < 2; added++) {
        mam_t *m = open_app(o, APP, QUIETLY "{\"AutoEnrollOnLaunch\":true,\"MAMPolicyRequired\":true}" DEVICE);
        launches(
            m, "addAccount", added ? "{\"added\":true}" : "null", added ? "allowed" : "blocked", added ? "" : "policyRequired");
        CHECK_NUMBER(added, enrolled(m));
        OK(mam_close(m));
    }
    mam_t *m = open_app(o, OTHER_APP, "\"worker\":false,\"settings\":{\"AutoEnrollOnLaunch\":true}" DEVICE);
    /* Without a delegate the account stays. The PIN was entered in the other app of the group. */
    launches(m, NULL, NULL, "allowed", "");
    CHECK_NUMBER(1, enrolled(m));
    OK(mam_close(m));
}

/* A person is asked only if the app requires policy. */
static void a_person_is_asked_where_policy_is_required(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, QUIETLY "{\"AutoEnrollOnLaunch\":true,\"MAMPolicyRequired\":true}");
    char *report = launch_with(m, "signIn", "null");
    CHECK_TEXT("blocked", text_of(report, "/outcome"));
    CHECK(strstr(text_of(report, "/findings/0/message"), "219") != NULL);
    mam_free(report);
    launches(m, "signIn", "{\"upn\":\"" EVE "\"}", "blocked", "policyRequired");
    CHECK_NUMBER(0, enrolled(m));
    launches(m, "signIn", "{\"upn\":\"" ANN "\"}", "allowed", "");
    CHECK_NUMBER(1, enrolled(m));
    launches(m, NULL, NULL, "allowed", "");
    OK(mam_close(m));
}

/* A silent failure is not an event. */
static void a_silent_failure_is_not_an_event(void **state) {
    const office *o = *state;
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"licensed\":false}");
    mam_t *m = open_app(o, APP, QUIETLY "{\"AutoEnrollOnLaunch\":true}" DEVICE);
    launches(m, NULL, NULL, "allowed", "");
    CHECK(next_event(m, "enrollmentRequest", 0) == NULL);
    char *json = NULL;
    OK(mam_registered_accounts(m, &json));
    CHECK_NUMBER(0, count_of(json, ""));
    mam_free(json);
    OK(mam_close(m));
}

static void an_extension_enrolls_no_account(void **state) {
    const office *o = *state;
    list_as_extension(o);
    OK(mam_close(open_app(o, CONTAINING_APP, "\"worker\":false" DEVICE)));
    mam_t *m = open_app(
        o, APP,
        QUIETLY "{\"AutoEnrollOnLaunch\":true,\"MAMPolicyRequired\":true,"
                "\"ContainingAppBundleId\":\"" CONTAINING_APP "\"}");
    launches(m, NULL, NULL, "blocked", "policyRequired");
    CHECK_NUMBER(0, enrolled(m));
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(required_by_the_settings),
        WITH_OFFICE(the_registered_account_is_enrolled),
        WITH_OFFICE(one_of_two_is_not_guessed),
        WITH_OFFICE(the_device_s_account_is_introduced),
        WITH_OFFICE(a_person_is_asked_where_policy_is_required),
        WITH_OFFICE(a_silent_failure_is_not_an_event),
        WITH_OFFICE(an_extension_enrolls_no_account),
    };
    return cmocka_run_group_tests_name("launch", tests, begin, NULL);
}
