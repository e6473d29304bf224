/* mam_set_device: facts about the device that change while sessions are open. */
#include "support.h"

#define QUIETLY "\"worker\":false"
#define UPN(name) "\"IntuneMAMUPN\":\"" name "\""
#define NAMES(name) "{\"managedAppConfig\":{" UPN(name) "}}"
#define ONLY(name) "{\"managedAppConfig\":{" UPN(name) ",\"IntuneMAMAllowedAccountsOnly\":\"Enabled\"}}"
#define MDM(id) "{\"mdmAccountId\":\"" id "\"}"

static int register_fully(mam_t *m, const char *account_json) {
    int64_t op;
    OK(mam_register_and_enroll(m, account_json, &op));
    return code_of(m, op);
}

static void allows(mam_t *m, const char *expected) {
    char *json = NULL;
    OK(mam_allowed_accounts(m, &json));
    CHECK(is_same_json(expected, json));
    mam_free(json);
}

/* The next event of a name has `text` at `pointer`; if `text` is NULL there is no such event. */
static void reports(mam_t *m, const char *name, const char *pointer, const char *text) {
    char *event = next_event(m, name, 0);
    CHECK_NUMBER(text != NULL, event != NULL);
    if (text) CHECK_TEXT(text, text_of(event, pointer));
    mam_free(event);
}

static void drop_events(mam_t *m) { CHECK(next_event(m, "no such event", 0) == NULL); }

/* Sessions of the same app and of another one of the group follow, and the next open does not report it again. */
static void every_session_of_the_group_follows(void **state) {
    const office *o = *state;
    mam_t *all[] = {open_app(o, APP, QUIET), open_app(o, APP, QUIET), open_app(o, OTHER_APP, QUIET)};
    enroll_well(all[0], BOB);
    mam_buffer kept = sealed(all[0], BOB, "kept");
    for (int i = 0; i < 3; i++) drop_events(all[i]);

    OK(mam_set_device(all[0], ONLY(ANN)));
    for (int i = 0; i < 3; i++) {
        allows(all[i], "[\"" ANN "\"]");
        reports(all[i], "allowedAccountsDidChange", "/allowedAccounts/0", ANN);
        reports(all[i], "mdmAccountDidChange", "", NULL);
    }
    for (int i = 0; i < 2; i++) {
        FAILS(MAM_ERR_DENIED, opens_as(all[i], &kept, "kept"));
        CHECK_NUMBER(211, original_code());
        CHECK_NUMBER(211, enroll(all[i], BOB));
    }
    OK(mam_set_device(all[2], MDM(ANN_ID)));
    for (int i = 0; i < 3; i++) {
        allows(all[i], "null");
        reports(all[i], "mdmAccountDidChange", "/mdmAccount/accountId", ANN_ID);
    }
    OK(mam_set_device(all[1], "{}"));
    for (int i = 0; i < 2; i++) OK(opens_as(all[i], &kept, "kept"));
    OK(mam_set_device(all[0], ONLY(BOB)));
    OK(mam_set_device(all[0], NULL));
    for (int i = 0; i < 3; i++) {
        allows(all[i], "null");
        OK(mam_close(all[i]));
    }
    for (int i = 0; i < 2; i++) {
        mam_t *m = open_app(o, i ? OTHER_APP : APP, QUIET);
        reports(m, "allowedAccountsDidChange", "", NULL);
        OK(mam_close(m));
    }
    mam_buffer_free(&kept);
}

/* Each session gets an event for each account that must be removed: once, and while it is open. */
static void accounts_to_remove_are_reported(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, QUIET), *other = open_app(o, APP, WORKER);
    enroll_well(m, ANN);
    enroll_well(m, BOB);
    static const struct {
        const char *device;
        int code;
    } cases[] = {{NAMES(ANN), 209}, {MDM(ANN_ID), 210}, {ONLY(ANN), 211}};
    for (size_t i = 0; i < 3; i++) {
        drop_events(m);
        drop_events(other);
        OK(mam_set_device(m, cases[i].device));
        mam_t *both[] = {m, other};
        for (int k = 0; k < 2; k++) { /* the second one's worker notices on its own */
            char *event = next_event(both[k], "enrollmentRequest", SOON);
            CHECK(event != NULL);
            CHECK_NUMBER(cases[i].code, number_of(event, "/status/code"));
            CHECK_TEXT(BOB_ID, text_of(event, "/accountId"));
            mam_free(event);
        }
        reports(m, "enrollmentRequest", "", NULL); /* Ann stays */
        CHECK_NUMBER(cases[i].code, check_in(m, BOB));
        OK(mam_set_device(m, cases[i].device));
        reports(m, "policyDidChange", "", NULL); /* the same again changes nothing */
    }
    OK(mam_close(other));
    OK(mam_close(m));
}

/* An enrolled account gets the refusal, whichever of its names the host gives. */
static void a_refusal_wins_over_already_enrolled(void **state) {
    const office *o = *state;
    static const char *const names[] = {
        "{\"upn\":\"" ANN "\"}", "{\"accountId\":\"" ANN_ID "\"}", "{\"upn\":\"" ANN "\",\"accountId\":\"" ANN_ID "\"}"};
    static const struct {
        const char *device;
        int code;
    } cases[] = {{"{}", 208}, {NAMES(BOB), 209}, {MDM(BOB_ID), 210}, {ONLY(BOB), 211}, {NAMES(ANN), 208}, {MDM(ANN_ID), 208}};
    mam_t *m = open_app(o, APP, QUIET);
    enroll_well(m, ANN);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OK(mam_set_device(m, cases[i].device));
        for (int k = 0; k < 3; k++) CHECK_NUMBER(cases[i].code, register_fully(m, names[k]));
        int64_t op;
        OK(mam_login_and_enroll(m, ANN, &op));
        CHECK_NUMBER(cases[i].code, code_of(m, op));
        OK(mam_login_and_enroll(m, ANN_ID, &op));
        CHECK_NUMBER(cases[i].code, code_of(m, op));
    }
    OK(mam_close(m));
}

/* A session that states its device at open replaces the former statement, as any later one does. */
static void the_latest_statement_counts(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, QUIETLY ",\"device\":" ONLY(ANN));
    mam_t *mail = open_app(o, OTHER_APP, QUIETLY ",\"device\":" MDM(BOB_ID));
    allows(m, "null");
    reports(m, "mdmAccountDidChange", "/mdmAccount/accountId", BOB_ID);
    OK(mam_close(mail));
    mam_t *silent = open_app(o, APP, QUIETLY);
    char *json = NULL;
    OK(mam_mdm_account(silent, &json));
    CHECK_TEXT(BOB_ID, text_of(json, "/accountId"));
    mam_free(json);
    OK(mam_close(silent));
    OK(mam_close(m));
}

/* The values of the app configuration are removed with the statement that they came with. */
static void the_configuration_goes_with_the_statement(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, QUIET), *other = open_app(o, APP, QUIET);
    enroll_well(m, ANN);
    static const struct {
        int by; /* 0: this session, 1: another one */
        const char *device, *color;
        bool changes;
    } steps[] = {
        {0, "{\"managedAppConfig\":{" UPN(ANN) ",\"color\":\"red\"}}", "\"red\"", true},
        {0, "{\"managedAppConfig\":{" UPN(ANN) ",\"color\":\"blue\"}}", "\"blue\"", true},
        {1, NAMES(ANN), "\"blue\"", false},
        {1, MDM(ANN_ID), "null", true},
        {0, "{\"managedAppConfig\":{\"color\":\"red\"}}", "null", false},
        {0, "{\"mdmAccountId\":\"" ANN_ID "\",\"managedAppConfig\":{\"color\":\"red\"}}", "\"red\"", true},
        {0, NULL, "null", true},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        drop_events(m);
        OK(mam_set_device(steps[i].by ? other : m, steps[i].device));
        mam_app_config_t *config = NULL;
        char *json = NULL;
        OK(mam_app_config(m, "\"" ANN "\"", &config));
        OK(mam_app_config_string(config, "color", MAM_CONFIG_ANY, &json));
        CHECK_TEXT(steps[i].color, json);
        mam_free(json);
        mam_app_config_release(config);
        reports(m, "appConfigDidChange", "/accountId", steps[i].changes ? ANN_ID : NULL);
    }
    OK(mam_close(other));
    OK(mam_close(m));
}

static void spellings_of_the_restriction(void **state) {
    const office *o = *state;
    static const struct {
        const char *value;
        bool restricts, warns;
    } cases[] = {
        {"\"Enabled\"", true, false},
        {"\"eNABLED\"", true, false},
        {"true", true, false},
        {"\"True\"", true, false},
        {"\"Disabled\"", false, false},
        {"\"DISABLED\"", false, false},
        {"false", false, false},
        {"\"false\"", false, false},
        {"\"\"", false, false},
        {"\"Enable\"", true, true},
        {"\" Enabled\"", true, true},
        {"\"no\"", true, true},
        {"1", true, true},
        {"0", true, true},
        {"[\"Enabled\"]", true, true},
        {"{}", true, true},
    };
    mam_t *m = open_app(o, APP, QUIETLY);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char device[256];
        snprintf(
            device, sizeof device, "{\"managedAppConfig\":{" UPN(ANN) ",\"IntuneMAMAllowedAccountsOnly\":%s}}", cases[i].value);
        drop_events(m);
        OK(mam_set_device(m, device));
        allows(m, cases[i].restricts ? "[\"" ANN "\"]" : "null");
        reports(m, "warning", "/setting", cases[i].warns ? "device.managedAppConfig.IntuneMAMAllowedAccountsOnly" : NULL);
        CHECK_NUMBER(cases[i].restricts ? 211 : 209, enroll(m, BOB));
    }
    OK(mam_close(m));
    m = open_app(o, APP, QUIETLY ",\"device\":{\"managedAppConfig\":{\"IntuneMAMAllowedAccountsOnly\":\"yes\"}}");
    reports(m, "warning", "/setting", "device.managedAppConfig.IntuneMAMAllowedAccountsOnly");
    allows(m, "[]");
    OK(mam_close(m));
}

static void invalid_statements_change_nothing(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, QUIETLY);
    OK(mam_set_device(m, ONLY(ANN)));
    static const struct {
        const char *device;
        mam_status status;
        const char *setting;
    } cases[] = {
        {"[]", MAM_ERR_JSON, "device"},
        {"{\"mdmAccount\":\"x\"}", MAM_ERR_JSON, "device.mdmAccount"},
        {"{\"lock\":true}", MAM_ERR_JSON, "device.lock"},
        {"{\"lock\":\"maybe\"}", MAM_ERR_ARGUMENT, "device.lock"},
        {"{\"platform\":\"os2\"}", MAM_ERR_ARGUMENT, "device.platform"},
        {"{\"managedAppConfig\":[]}", MAM_ERR_JSON, "device.managedAppConfig"},
        {"{\"health\":{\"require\":[\"x\"]}}", MAM_ERR_ARGUMENT, "device.health.require"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FAILS(cases[i].status, mam_set_device(m, cases[i].device));
        CULPRIT("setting", cases[i].setting);
    }
    FAILS(MAM_ERR_JSON, mam_set_device(m, "{"));
    CULPRIT("argument", "device_json");
    FAILS(MAM_ERR_ARGUMENT, mam_set_device(m, "{\"mdmAccountId\":\" x\"}"));
    allows(m, "[\"" ANN "\"]");
    OK(mam_close(m));
    list_as_extension(o);
    m = open_app(o, APP, QUIETLY ",\"settings\":{\"ContainingAppBundleId\":\"" CONTAINING_APP "\"}");
    FAILS(MAM_ERR_DENIED, mam_set_device(m, "{}"));
    CULPRIT("argument", "device_json");
    allows(m, "[\"" ANN "\"]");
    OK(mam_close(m));
}

/* A statement overrides detected values: for this app at once, in every session of it, and not for another app. */
static void the_rest_is_the_app_s(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, QUIETLY), *same = open_app(o, APP, QUIETLY), *mail = open_app(o, OTHER_APP, QUIETLY);
    OK(mam_set_device(m, "{\"version\":\"12.9\",\"lock\":\"off\"}"));
    OK(mam_set_device(m, "{\"version\":\"13.0\"}"));
    mam_t *all[] = {m, same, mail};
    for (int i = 0; i < 3; i++) {
        char *json = NULL;
        OK(mam_diagnostics(all[i], &json));
        CHECK_NUMBER(i < 2, strstr(json, "\"13.0\"") != NULL);
        CHECK(strstr(json, "\"12.9\"") == NULL && strstr(json, "device.lock") == NULL);
        mam_free(json);
        OK(mam_settings(all[i], &json));
        CHECK_TEXT(i == 0 ? "13.0" : "", text_of(json, "/device/version"));
        mam_free(json);
        OK(mam_close(all[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(every_session_of_the_group_follows),        WITH_OFFICE(accounts_to_remove_are_reported),
        WITH_OFFICE(a_refusal_wins_over_already_enrolled),      WITH_OFFICE(the_latest_statement_counts),
        WITH_OFFICE(the_configuration_goes_with_the_statement), WITH_OFFICE(spellings_of_the_restriction),
        WITH_OFFICE(invalid_statements_change_nothing),         WITH_OFFICE(the_rest_is_the_app_s),
    };
    return cmocka_run_group_tests_name("set_device", tests, begin, NULL);
}
