/* The device's account: changes from one open to the next, and accounts that must be removed. */
#include "support.h"

#define QUIETLY "\"worker\":false"
#define ONLY(name) ",\"device\":{\"managedAppConfig\":{\"IntuneMAMUPN\":\"" name "\",\"IntuneMAMAllowedAccountsOnly\":\"Enabled\"}}"
#define NAMES(name) ",\"device\":{\"managedAppConfig\":{\"IntuneMAMUPN\":\"" name "\"}}"
#define NOBODY_S ",\"device\":{}"

static int register_fully(mam_t *m, const char *upn, const char *id) {
    char account[256];
    int64_t op;
    snprintf(account, sizeof account, "{\"upn\":\"%s\",\"accountId\":\"%s\"}", upn, id);
    OK(mam_register_and_enroll(m, account, &op));
    return code_of(m, op);
}

/* Open, check the events, and close. An expectation of NULL: no such event. */
static void reports(const office *o, const char *more, const char *allowed, const char *mdm) {
    mam_t *m = open_app(o, APP, more);
    char *event = next_event(m, "allowedAccountsDidChange", 0);
    CHECK_NUMBER(allowed != NULL, event != NULL);
    if (allowed && *allowed) CHECK_TEXT(allowed, text_of(event, "/allowedAccounts/0"));
    if (allowed && !*allowed) CHECK_NUMBER(-1, count_of(event, "/allowedAccounts"));
    mam_free(event);
    OK(mam_close(m));
    m = open_app(o, OTHER_APP, more); /* each app gets its own event */
    event = next_event(m, "mdmAccountDidChange", 0);
    CHECK_NUMBER(mdm != NULL, event != NULL);
    if (mdm) CHECK_TEXT(mdm, text_of(event, "/mdmAccount/accountId"));
    if (mdm) CHECK(has(event, "/mdmAccount"));
    mam_free(event);
    OK(mam_close(m));
}

static void changes_are_reported_once(void **state) {
    const office *o = *state;
    reports(o, QUIETLY, NULL, NULL);
    reports(o, QUIETLY ONLY(ANN), ANN, NULL);
    reports(o, QUIETLY ONLY(ANN), NULL, NULL);
    reports(o, QUIETLY, NULL, NULL); /* a session that does not state the device changes nothing */
    reports(o, QUIETLY ONLY(BOB), BOB, NULL);
    reports(o, QUIETLY ",\"device\":{\"mdmAccountId\":\"" ANN_ID "\"}", "", ANN_ID);
    reports(o, QUIETLY NOBODY_S, NULL, "");
    reports(o, QUIETLY NOBODY_S, NULL, NULL);
}

/* A tool that states nothing of the device uses the host's latest statement. */
static void the_latest_statement_counts(void **state) {
    const office *o = *state;
    OK(mam_close(open_app(o, APP, QUIETLY ONLY(ANN))));
    mam_t *m = open_app(o, APP, QUIETLY);
    CHECK_NUMBER(211, enroll(m, BOB));
    char *json = NULL;
    OK(mam_allowed_accounts(m, &json));
    CHECK(is_same_json("[\"" ANN "\"]", json));
    mam_free(json);
    CHECK_NUMBER(100, enroll(m, ANN));
    OK(mam_close(m));
    m = open_app(o, APP, "\"worker\":false,\"settings\":{\"MultiManagedIdentities\":true}" NOBODY_S);
    CHECK_NUMBER(100, enroll(m, BOB));
    OK(mam_close(m));
}

/* An account that may no longer be used: reported, closed, without service; and opened again if the list changes back.
 *  */
static void an_account_that_must_be_removed(void **state) {
    const office *o = *state;
    static const struct {
        const char *more;
        int code;
    } cases[] = {
        {QUIETLY NAMES(BOB), 209},
        {QUIETLY ",\"device\":{\"mdmAccountId\":\"" BOB_ID "\"}", 210},
        {QUIETLY ONLY(BOB), 211},
    };
    mam_t *m = open_app(o, APP, QUIETLY);
    CHECK_NUMBER(100, register_fully(m, ANN, ANN_ID));
    mam_buffer kept = sealed(m, ANN, "kept");
    OK(mam_close(m));
    for (size_t i = 0; i < 3; i++) {
        mam_buffer out;
        mam_policy_t *policy = NULL;
        m = open_app(o, APP, cases[i].more);
        char *event = next_event(m, "enrollmentRequest", 0);
        CHECK(event != NULL);
        CHECK_NUMBER(cases[i].code, number_of(event, "/status/code"));
        CHECK_TEXT(ANN_ID, text_of(event, "/accountId"));
        mam_free(event);
        FAILS(MAM_ERR_DENIED, opens_as(m, &kept, "kept"));
        CHECK_NUMBER(cases[i].code, original_code());
        FAILS(MAM_ERR_DENIED, mam_protect(m, ANN, (const uint8_t *)"x", 1, &out));
        OK(mam_policy_for_account(m, ANN, &policy));
        CHECK_NUMBER(0, mam_policy_is_contact_sync_allowed(policy)); /* which her policy allows: lock-down */
        mam_policy_release(policy);
        CHECK_NUMBER(cases[i].code, check_in(m, ANN));
        OK(mam_close(m));
        m = open_app(o, APP, QUIETLY NOBODY_S);
        OK(opens_as(m, &kept, "kept"));
        CHECK_NUMBER(101, check_in(m, ANN));
        OK(mam_close(m));
    }
    mam_buffer_free(&kept);
}

/* An administrator's wipe reaches it all the same. */
static void a_wipe_reaches_it(void **state) {
    const office *o = *state;
    OK(mam_close(open_enrolled(o)));
    mam_t *m = open_app(o, APP, QUIETLY ONLY(BOB));
    admin(o, "{\"action\":\"wipe.request\",\"user\":\"" ANN "\"}");
    CHECK_NUMBER(102, check_in(m, ANN));
    OK(mam_run_due(m));
    char *json = NULL;
    OK(mam_registered_accounts(m, &json));
    CHECK_NUMBER(0, count_of(json, ""));
    mam_free(json);
    OK(mam_close(m));
}

/* 218: the allowed account waits for the other one to leave, and then enrolls automatically. */
static void one_leaves_before_another_comes(void **state) {
    const office *o = *state;
    int64_t op;
    OK(mam_close(open_enrolled(o)));
    mam_t *m = open_app(o, APP, QUIETLY NAMES(BOB));
    CHECK_NUMBER(218, enroll(m, BOB));
    CHECK_NUMBER(209, enroll(m, ANN));
    OK(mam_run_due(m));
    char *json = NULL;
    OK(mam_enrolled_accounts(m, &json));
    CHECK_TEXT(ANN, text_of(json, "/0/upn"));
    mam_free(json);
    OK(mam_deregister_and_unenroll(m, ANN, 1, &op));
    CHECK_NUMBER(104, code_of(m, op));
    OK(mam_run_due(m));
    OK(mam_primary_account(m, &json));
    CHECK_TEXT(BOB, text_of(json, "/upn"));
    mam_free(json);
    OK(mam_close(m));
}

/* A name without an object id does not get past the check of the device's account. */
static void the_authority_reveals_the_account(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, QUIETLY ",\"device\":{\"mdmAccountId\":\"" BOB_ID "\"}");
    char *json = NULL;
    CHECK_NUMBER(210, enroll(m, ANN));
    OK(mam_enrolled_accounts(m, &json));
    CHECK_NUMBER(0, count_of(json, ""));
    mam_free(json);
    CHECK_NUMBER(100, enroll(m, BOB));
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(changes_are_reported_once),       WITH_OFFICE(the_latest_statement_counts),
        WITH_OFFICE(an_account_that_must_be_removed), WITH_OFFICE(a_wipe_reaches_it),
        WITH_OFFICE(one_leaves_before_another_comes), WITH_OFFICE(the_authority_reveals_the_account),
    };
    return cmocka_run_group_tests_name("device", tests, begin, NULL);
}
