/* Settings and overrides: effective values with their source, kept across restarts and seen by other processes. */
#include "support.h"

/* value and source of a key, as "value (source)" */
static const char *setting(mam_t *m, const char *key) {
    static char text[512];
    char *json = NULL, pointer[64];
    OK(mam_settings(m, &json));
    *text = '\0';
    for (int i = 0; i < count_of(json, "/settings"); i++) {
        snprintf(pointer, sizeof pointer, "/settings/%d/key", i);
        if (strcmp(text_of(json, pointer), key) != 0) continue;
        snprintf(pointer, sizeof pointer, "/settings/%d/source", i);
        const char *source = text_of(json, pointer);
        snprintf(pointer, sizeof pointer, "/settings/%d/value", i);
        CHECK(has(json, pointer));
        const char *value = text_of(json, pointer);
        snprintf(text, sizeof text, "%s (%s)", *value ? value : truth_of(json, pointer) ? "true" : "other", source);
    }
    mam_free(json);
    return text;
}

static void effective_settings(void **state) {
    const office *o = *state;
    mam_t *m = open_quiet(o);
    char *json = NULL;
    OK(mam_settings(m, &json));
    CHECK_TEXT(APP, text_of(json, "/app/id"));
    CHECK_TEXT("1.0", text_of(json, "/app/version"));
    CHECK_TEXT(GROUP, text_of(json, "/app/group"));
    CHECK_TEXT(o->state, text_of(json, "/stateDirectory"));
    CHECK_TEXT("embedded", text_of(json, "/authority/type"));
    CHECK_TEXT(o->authority, text_of(json, "/authority/path"));
    CHECK_TEXT("development", text_of(json, "/authority/custody"));
    CHECK_TEXT("file", text_of(json, "/keyCustody"));
    mam_free(json);
    CHECK_TEXT("true (settings)", setting(m, "MultiManagedIdentities"));
    CHECK_TEXT("true (default)", setting(m, "SupportsDarkMode"));
    CHECK_TEXT("NSFileProtectionComplete (default)", setting(m, "MaxFileProtectionLevel"));
    CHECK_TEXT("", setting(m, "NoSuchKey"));
    OK(mam_close(m));
}

/* Every key of docs/settings.md takes a value of its type, and no other. */
static void every_key_has_a_type(void **state) {
    const office *o = *state;
    static const char *const of_type[] = {"true", "\"text\"", "[\"a\",\"b\"]", "2.5"};
    mam_t *m = open_quiet(o);
    char *json = NULL, pointer[64];
    OK(mam_settings(m, &json));
    int count = count_of(json, "/settings");
    CHECK(count >= 38);
    for (int i = 0; i < count; i++) {
        snprintf(pointer, sizeof pointer, "/settings/%d/key", i);
        char key[128];
        snprintf(key, sizeof key, "%s", text_of(json, pointer));
        int taken = 0;
        for (int t = 0; t < 4; t++) {
            const char *value = of_type[t];
            if (t == 1 && strstr(key, "Color")) value = "\"#A0B1C2\"";
            if (t == 1 && strcmp(key, "MaxFileProtectionLevel") == 0) value = "\"NSFileProtectionNone\"";
            mam_status status = mam_set_override(m, key, value);
            if (status == MAM_OK) {
                taken++;
                CHECK(strstr(setting(m, key), "(override)") != NULL);
            } else {
                FAILS(MAM_ERR_JSON, status);
                CHECK(strstr(mam_last_message(), key) != NULL);
                CULPRIT("setting", key);
            }
        }
        if (taken != 1) failed_at(__FILE__, __LINE__, "%s takes %d of four types", key, taken);
        static const char *const never[] = {"null", "{}", "[1]", "{\"a\":1}", "-1"};
        for (int n = 0; n < 5; n++) FAILS(MAM_ERR_JSON, mam_set_override(m, key, never[n]));
        OK(mam_set_override(m, key, NULL));
        CHECK(strstr(setting(m, key), "(override)") == NULL);
    }
    mam_free(json);
    OK(mam_close(m));
}

/* docs/settings.md: "string: one of four NSFileProtection… names", colours are "RRGGBB, with or without #". */
static void invalid_values(void **state) {
    const office *o = *state;
    mam_t *m = open_quiet(o);
    FAILS(MAM_ERR_JSON, mam_set_override(m, "MaxFileProtectionLevel", "\"NSFileProtectionMaximal\""));
    FAILS(MAM_ERR_JSON, mam_set_override(m, "AccentColor", "\"red\""));
    FAILS(MAM_ERR_JSON, mam_set_override(m, "AccentColor", "\"#12345\""));
    OK(mam_set_override(m, "AccentColor", "\"a0b1c2\""));
    OK(mam_close(m));
}

/* An empty colour is as if the key were absent, in every source. */
static void empty_colours(void **state) {
    mam_t *m = open_app(*state, APP, "\"worker\":false,\"settings\":{\"AccentColor\":\"#A0B1C2\",\"BackgroundColor\":\"\"}");
    CHECK_TEXT("other (default)", setting(m, "BackgroundColor"));
    OK(mam_set_override(m, "AccentColor", "\"#000000\""));
    CHECK_TEXT("#000000 (override)", setting(m, "AccentColor"));
    OK(mam_set_override(m, "AccentColor", "\"\""));
    CHECK_TEXT("#A0B1C2 (settings)", setting(m, "AccentColor"));
    OK(mam_close(m));
}

static void sees_the_override(void *argument) {
    mam_t *m = open_quiet(argument);
    CHECK_TEXT("other (override)", setting(m, "SupportsDarkMode"));
    OK(mam_close(m));
    m = open_app(argument, OTHER_APP, QUIET); /* overrides belong to one app */
    CHECK_TEXT("true (default)", setting(m, "SupportsDarkMode"));
    OK(mam_close(m));
}

static void sets_an_override(void *argument) {
    mam_t *m = open_quiet(argument);
    OK(mam_set_override(m, "BackgroundColor", "\"#00FF00\""));
    OK(mam_close(m));
}

static void overrides_are_durable(void **state) {
    office *o = *state;
    mam_t *m = open_quiet(o);
    OK(mam_set_override(m, "SupportsDarkMode", "false"));
    CHECK_TEXT("other (override)", setting(m, "SupportsDarkMode"));
    in_child(sees_the_override, o);
    in_child(sets_an_override, o);
    CHECK_TEXT("#00FF00 (override)", setting(m, "BackgroundColor"));
    OK(mam_close(m));
    m = open_app(o, APP, "\"worker\":false,\"settings\":{\"SupportsDarkMode\":true}");
    CHECK_TEXT("other (override)", setting(m, "SupportsDarkMode")); /* over the argument of mam_open */
    OK(mam_set_override(m, "SupportsDarkMode", NULL));
    CHECK_TEXT("true (settings)", setting(m, "SupportsDarkMode"));
    OK(mam_set_override(m, "SupportsDarkMode", NULL));
    OK(mam_close(m));
}

/* An override acts like the setting itself. */
static void overrides_act(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, "\"worker\":false");
    enroll_well(m, ANN);
    CHECK_NUMBER(227, enroll(m, BOB));
    OK(mam_set_override(m, "MultiManagedIdentities", "true"));
    int64_t op;
    char *json = NULL;
    OK(mam_deregister_and_unenroll(m, BOB, 0, &op));
    CHECK_NUMBER(104, code_of(m, op));
    enroll_well(m, BOB);
    OK(mam_primary_account(m, &json));
    CHECK_TEXT("null", json);
    mam_free(json);
    OK(mam_close(m));
}

static void defaults_of_mam_open(void **state) {
    const office *o = *state;
    char settings[4 * PATH_SIZE], *json = NULL;
    mam_t *m = NULL;
    setenv("XDG_STATE_HOME", in_office(o, "xdg"), 1);
    snprintf(
        settings, sizeof settings, "{\"app\":{\"id\":\"a.b\"},\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"}}",
        o->authority);
    OK(mam_open(settings, &m));
    OK(mam_settings(m, &json));
    CHECK_TEXT("a.b", text_of(json, "/app/group"));
    CHECK_TEXT(in_office(o, "xdg/libmam"), text_of(json, "/stateDirectory"));
    mam_free(json);
    OK(mam_close(m));
    unsetenv("XDG_STATE_HOME");
    setenv("HOME", in_office(o, "home"), 1);
    OK(mam_open(settings, &m));
    OK(mam_settings(m, &json));
    CHECK_TEXT(in_office(o, "home/.local/state/libmam"), text_of(json, "/stateDirectory"));
    mam_free(json);
    OK(mam_close(m));
    unsetenv("HOME");
    FAILS(MAM_ERR_ARGUMENT, mam_open(settings, &m));
    CULPRIT("setting", "stateDirectory");
}

static void the_device(void **state) {
    const office *o = *state;
    mam_t *m = open_app(
        o, APP,
        QUIET ",\"device\":{\"mdmAccountId\":\"" ANN_ID "\",\"managedAppConfig\":{"
              "\"IntuneMAMAllowedAccountsOnly\":\"Enabled\",\"IntuneMAMUPN\":\"" ANN "\"}}");
    char *json = NULL;
    OK(mam_mdm_account(m, &json));
    CHECK_TEXT(ANN_ID, text_of(json, "/accountId"));
    mam_free(json);
    OK(mam_allowed_accounts(m, &json));
    CHECK_NUMBER(1, count_of(json, ""));
    CHECK_TEXT(ANN, text_of(json, "/0"));
    mam_free(json);
    OK(mam_close(m));
    m = open_app(o, APP, QUIET ",\"device\":{}");
    OK(mam_mdm_account(m, &json));
    CHECK_TEXT("null", json);
    mam_free(json);
    OK(mam_allowed_accounts(m, &json));
    CHECK_TEXT("null", json);
    mam_free(json);
    OK(mam_primary_account(m, &json));
    CHECK_TEXT("null", json);
    mam_free(json);
    OK(mam_close(m));
    m = open_app(o, APP, "\"worker\":false");
    enroll_well(m, ANN);
    OK(mam_primary_account(m, &json));
    CHECK_TEXT(ANN_ID, text_of(json, "/accountId"));
    mam_free(json);
    OK(mam_close(m));
}

static void diagnostics(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    char *json = NULL;
    OK(mam_diagnostics(m, &json));
    CHECK(strstr(json, MAM_VERSION) != NULL && strstr(json, APP) != NULL && strstr(json, "development") != NULL);
    CHECK(strstr(json, ANN_ID) != NULL);
    size_t length;
    uint8_t *key = read_whole(in_group(o, "root.key"), &length);
    char hex[129];
    for (size_t i = 0; i < length && i < 64; i++) snprintf(hex + 2 * i, 3, "%02x", key[i]);
    CHECK(length == 40 && strstr(json, hex + 16) == NULL);
    free(key);
    mam_free(json);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(effective_settings),   WITH_OFFICE(every_key_has_a_type),
        WITH_OFFICE(invalid_values),       WITH_OFFICE(overrides_are_durable),
        WITH_OFFICE(overrides_act),        WITH_OFFICE(the_device),
        WITH_OFFICE(empty_colours),        WITH_OFFICE(diagnostics),
        WITH_OFFICE(defaults_of_mam_open), /* changes the environment: the last */
    };
    return cmocka_run_group_tests_name("settings", tests, begin, NULL);
}
