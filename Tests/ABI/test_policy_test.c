/* Test policies: when they apply, their warnings, and data that they never affect. */
#include "support.h"

#define DEV "dev@test.example"
#define DEBUGGING "\"worker\":false,\"settings\":{\"DebugSettingsEnabled\":true}"
#define DEBUGGING_SEVERAL "\"worker\":false,\"settings\":{\"DebugSettingsEnabled\":true,\"MultiManagedIdentities\":true}"

/* Options with a test policy for an account, with more keys in it. */
static const char *testing(const office *o, const char *options, const char *account, const char *keys) {
    static char all[2 * PATH_SIZE], text[2048];
    const char *path = in_office(o, "test.plist");
    int length = snprintf(
        text, sizeof text,
        "<plist><dict><key>IntuneMAMPolicy.DebugEnabled</key><true/>"
        "<key>IntuneMAMPolicy.IntuneIdentityUPN</key><string>%s</string>%s</dict></plist>",
        account, keys);
    write_whole(path, text, (size_t)length);
    snprintf(all, sizeof all, "%s,\"testPolicy\":\"%s\"", options, path);
    return all;
}

static const char *blocks_printing = "<key>IntuneMAMPolicy.PrintingBlocked</key><true/><key>IntuneMAMPolicy.UsePPE</key><true/>";

static bool may_print(mam_t *m, const char *account) {
    mam_policy_t *policy = NULL;
    OK(mam_policy_for_account(m, account, &policy));
    bool allowed = mam_policy_is_print_allowed(policy);
    mam_policy_release(policy);
    return allowed;
}

static int32_t source_of(mam_t *m) {
    int32_t source = -1;
    OK(mam_policy_source(m, &source));
    return source;
}

static void manages_one_account_for_one_session(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, testing(o, DEBUGGING, DEV, blocks_printing));
    mam_t *other = open_quiet(o);
    CHECK(!may_print(m, DEV) && may_print(other, DEV) && may_print(m, EVE));
    CHECK(mam_is_account_managed(m, DEV) && !mam_is_account_managed(other, DEV));
    CHECK_NUMBER(MAM_SOURCE_TEST, source_of(m));
    CHECK_NUMBER(MAM_SOURCE_OTHER, source_of(other));
    mam_buffer data = sealed(m, DEV, "in a test");
    OK(mam_close(other));
    OK(mam_close(m));
    m = open_quiet(o); /* a later session: unmanaged, and the data is readable */
    CHECK(may_print(m, DEV) && !mam_is_account_managed(m, DEV));
    OK(opens_as(m, &data, "in a test"));
    mam_buffer_free(&data);
    OK(mam_close(m));
}

static void it_warns(void **state) {
    const office *o = *state;
    for (int open = 0; open < 2; open++) { /* at every open, not only the first */
        mam_t *m = open_app(o, APP, testing(o, DEBUGGING, DEV, blocks_printing));
        char *json = next_event(m, "warning", 0);
        CHECK(json != NULL && strstr(json, "TEST POLICY") != NULL);
        CHECK_TEXT("testPolicy", text_of(json, "/setting"));
        CHECK_TEXT(DEV, text_of(json, "/accountId"));
        mam_free(json);
        OK(mam_diagnostics(m, &json));
        CHECK(truth_of(json, "/testPolicy/inForce") && truth_of(json, "/testPolicy/policy/printBlocked"));
        CHECK_TEXT(in_office(o, "test.plist"), text_of(json, "/testPolicy/path"));
        CHECK_TEXT("IntuneMAMPolicy.UsePPE", text_of(json, "/testPolicy/notes/0/key"));
        CHECK(strstr(json, "TEST POLICY") != NULL); /* among the lines of the log */
        mam_free(json);
        OK(mam_registered_accounts(m, &json));
        CHECK(truth_of(json, "/0/test"));
        mam_free(json);
        mam_policy_t *policy = NULL;
        OK(mam_policy_for_account(m, DEV, &policy));
        OK(mam_policy_json(policy, &json));
        CHECK_TEXT("test", text_of(json, "/source"));
        mam_free(json);
        mam_policy_release(policy);
        OK(mam_close(m));
    }
}

static void asks_no_authority(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, testing(o, DEBUGGING, DEV, blocks_printing));
    CHECK(rename(o->authority, in_office(o, "away")) == 0);
    int64_t op;
    CHECK_NUMBER(101, check_in(m, DEV));
    CHECK_NUMBER(100, enroll(m, DEV));
    OK(mam_wipe_account(m, DEV, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK(!may_print(m, DEV)); /* deregistered, as any account */
    CHECK_NUMBER(100, enroll(m, DEV));
    CHECK(!may_print(m, DEV));
    OK(mam_deregister_and_unenroll(m, DEV, 0, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK(!mam_is_account_managed(m, DEV));
    CHECK_NUMBER(100, enroll(m, DEV));
    CHECK(!may_print(m, DEV));
    OK(mam_close(m));
    CHECK(rename(in_office(o, "away"), o->authority) == 0);
    CHECK_NUMBER(0, sql_number(o->authority, "SELECT count(*) FROM registrations"));
}

static void wipes_at_launch_and_resume(void **state) {
    const office *o = *state;
    for (int resumes = 0; resumes < 2; resumes++) { /* at each: the next open puts the account under it again */
        mam_t *m = open_app(o, APP, testing(o, DEBUGGING, DEV, "<key>IntuneMAMPolicy.DebugWipeOnLaunchResume</key><true/>"));
        mam_buffer data = sealed(m, DEV, "in a test");
        char *report = NULL;
        int64_t op;
        OK(mam_conditional_launch(m, DEV, &report));
        CHECK_TEXT("wiped", text_of(report, "/outcome"));
        mam_free(report);
        OK(opens_as(m, &data, "in a test")); /* mam_conditional_launch wipes nothing */
        OK(resumes ? mam_resume(m, &op) : mam_launch(m, &op));
        OK(mam_wait(m, op, -1, &report));
        CHECK_TEXT("wiped", text_of(report, "/outcome"));
        CHECK_TEXT("DebugWipeOnLaunchResume", text_of(report, "/findings/0/setting"));
        mam_free(report);
        FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &data, "in a test"));
        mam_buffer_free(&data);
        mam_free(next_event(m, "wipeDidComplete", 10000));
        OK(mam_close(m));
    }
}

static void only_for_development(void **state) {
    const office *o = *state;
    FAILS(MAM_ERR_ARGUMENT, try_open(o, testing(o, "\"worker\":false", DEV, "")));
    CULPRIT("setting", "testPolicy");
    CHECK(strstr(mam_last_message(), "DebugSettingsEnabled") != NULL);
    mam_t *m = open_app(o, APP, testing(o, DEBUGGING, DEV, blocks_printing));
    OK(mam_set_override(m, "DebugSettingsEnabled", "false")); /* takes effect at the next open: nothing loosens meanwhile */
    CHECK(!may_print(m, DEV));
    OK(mam_close(m));
    FAILS(MAM_ERR_ARGUMENT, try_open(o, testing(o, DEBUGGING, DEV, "")));
}

static void the_master_switch(void **state) {
    const office *o = *state;
    const char *path = in_office(o, "off.plist"),
               *text = "<plist><dict><key>IntuneMAMPolicy.PrintingBlocked</key><true/></dict></plist>";
    char options[2 * PATH_SIZE], *json = NULL;
    write_whole(path, text, strlen(text));
    snprintf(options, sizeof options, DEBUGGING ",\"testPolicy\":\"%s\"", path);
    mam_t *m = open_app(o, APP, options);
    OK(mam_diagnostics(m, &json));
    CHECK(has(json, "/testPolicy/inForce") && !truth_of(json, "/testPolicy/inForce"));
    mam_free(json);
    json = next_event(m, "warning", 0);
    CHECK(json != NULL && strstr(json, "DebugEnabled") != NULL);
    mam_free(json);
    CHECK_NUMBER(MAM_SOURCE_OTHER, source_of(m));
    OK(mam_close(m));
}

static void never_loosens_an_authority_s_policy(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    OK(mam_close(m));
    FAILS(MAM_ERR_ALREADY, try_open(o, testing(o, DEBUGGING, ANN, "")));
    CULPRIT("accountId", ANN);
    FAILS(MAM_ERR_DENIED, try_open(o, testing(o, DEBUGGING, DEV, ""))); /* not beside the one that may be managed */
    m = open_app(o, APP, testing(o, DEBUGGING_SEVERAL, DEV, ""));
    CHECK(mam_is_account_managed(m, DEV) && mam_is_account_managed(m, ANN));
    OK(mam_close(m));
    /* First under a test policy, then enrolled by another session: its policy applies from there on. */
    m = open_app(o, APP, testing(o, DEBUGGING_SEVERAL, BOB, ""));
    CHECK(may_print(m, BOB));
    mam_t *other = open_quiet(o);
    enroll_well(other, BOB);
    OK(mam_close(other));
    CHECK(!may_print(m, BOB));
    CHECK_NUMBER(MAM_SOURCE_MAM, source_of(m));
    OK(mam_close(m));
    FAILS(MAM_ERR_ALREADY, try_open(o, testing(o, DEBUGGING_SEVERAL, BOB, "")));
    FAILS(
        MAM_ERR_DENIED,
        try_open(
            o,
            testing(
                o,
                DEBUGGING_SEVERAL ",\"device\":{\"mdmAccountId\":\"x\",\"managedAppConfig\":{"
                                  "\"IntuneMAMAllowedAccountsOnly\":\"Enabled\",\"IntuneMAMUPN\":\"" ANN "\"}}",
                DEV, "")));
}

static void bad_values_are_named(void **state) {
    const office *o = *state;
    FAILS(MAM_ERR_ARGUMENT, try_open(o, testing(o, DEBUGGING, DEV, "<key>IntuneMAMPolicy.PrintingBlockd</key><true/>")));
    CULPRIT("key", "IntuneMAMPolicy.PrintingBlockd");
    FAILS(
        MAM_ERR_ARGUMENT,
        try_open(o, testing(o, DEBUGGING, DEV, "<key>IntuneMAMPolicy.AppSharingToLevel</key><integer>3</integer>")));
    CULPRIT("key", "IntuneMAMPolicy.AppSharingToLevel");
    FAILS(MAM_ERR_ARGUMENT, try_open(o, testing(o, DEBUGGING, "", "")));
    CULPRIT("key", "IntuneMAMPolicy.IntuneIdentityUPN");
    FAILS(MAM_ERR_NOT_FOUND, try_open(o, DEBUGGING ",\"testPolicy\":\"/nowhere/at/all\""));
    mam_t *m = open_quiet(o); /* and none of them was registered */
    char *json = NULL;
    OK(mam_registered_accounts(m, &json));
    CHECK_TEXT("[]", json);
    mam_free(json);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(manages_one_account_for_one_session),
        WITH_OFFICE(it_warns),
        WITH_OFFICE(asks_no_authority),
        WITH_OFFICE(wipes_at_launch_and_resume),
        WITH_OFFICE(only_for_development),
        WITH_OFFICE(the_master_switch),
        WITH_OFFICE(never_loosens_an_authority_s_policy),
        WITH_OFFICE(bad_values_are_named),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
