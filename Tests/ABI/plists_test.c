/* Property lists at open: the precedence of a setting's sources, refusals and their messages, and data that is never
 * lost. */
#include "support.h"
#include <sys/stat.h>

#define PLIST "<plist version=\"1.0\"><dict><key>IntuneMAMSettings</key><dict>"
#define END "</dict></dict></plist>"

/* Options of a session whose Info.plist has these keys. */
static const char *with_plist(const office *o, const char *keys, const char *more) {
    static char options[2 * PATH_SIZE], text[4096];
    const char *path = in_office(o, "Info.plist");
    int length = snprintf(text, sizeof text, PLIST "%s" END, keys);
    write_whole(path, text, (size_t)length);
    snprintf(options, sizeof options, "\"worker\":false,\"infoPlist\":\"%s\"%s", path, more);
    return options;
}

/* value, source, and the overridden source of a key: "true settings over infoPlist" */
static const char *decided(mam_t *m, const char *key) {
    static char text[512];
    char *json = NULL, pointer[64];
    OK(mam_settings(m, &json));
    *text = '\0';
    for (int i = 0; i < count_of(json, "/settings"); i++) {
        snprintf(pointer, sizeof pointer, "/settings/%d/key", i);
        if (strcmp(text_of(json, pointer), key) != 0) continue;
        snprintf(pointer, sizeof pointer, "/settings/%d/value", i);
        int n = snprintf(text, sizeof text, "%s", truth_of(json, pointer) ? "true" : "false");
        snprintf(pointer, sizeof pointer, "/settings/%d/source", i);
        n += snprintf(text + n, sizeof text - (size_t)n, " %s", text_of(json, pointer));
        snprintf(pointer, sizeof pointer, "/settings/%d/over", i);
        int others = count_of(json, pointer);
        for (int j = 0; j < others; j++) {
            snprintf(pointer, sizeof pointer, "/settings/%d/over/%d/source", i, j);
            n += snprintf(text + n, sizeof text - (size_t)n, " over %s", text_of(json, pointer));
        }
    }
    mam_free(json);
    return text;
}

static void the_order_of_sources(void **state) {
    const office *o = *state;
    const char *key = "MAMPolicyWarnAbsent";
    mam_t *m = open_app(o, APP, with_plist(o, "<key>MAMPolicyWarnAbsent</key><true/>", ""));
    CHECK_TEXT("true infoPlist", decided(m, key));
    CHECK_TEXT("false default", decided(m, "MAMPolicyRequired"));
    OK(mam_close(m));
    m = open_app(o, APP, with_plist(o, "<key>MAMPolicyWarnAbsent</key><true/>", ",\"settings\":{\"MAMPolicyWarnAbsent\":false}"));
    CHECK_TEXT("false settings over infoPlist", decided(m, key));
    OK(mam_set_override(m, key, "true"));
    CHECK_TEXT("true override over settings over infoPlist", decided(m, key));
    OK(mam_close(m));
    m = open_app(o, APP, with_plist(o, "<key>MAMPolicyWarnAbsent</key><false/>", ""));
    CHECK_TEXT("true override over infoPlist", decided(m, key));
    OK(mam_set_override(m, key, NULL));
    CHECK_TEXT("false infoPlist", decided(m, key));
    OK(mam_close(m));
}

static void wrong_types_are_named(void **state) {
    const office *o = *state;
    static const char *const wrong[][3] = {
        {"MultiIdentity", "<string>YES</string>", "string"},
        {"MultiIdentity", "<integer>1</integer>", "integer"},
        {"ADALClientId", "<true/>", "boolean"},
        {"ADALClientId", "<data>aGk=</data>", "data"},
        {"AppGroupIdentifiers", "<string>a</string>", "string"},
        {"AppGroupIdentifiers", "<array><integer>1</integer></array>", "array"},
        {"DocumentBrowserFileCachePath", "<string>a/../../b</string>", "path"},
        {"MaxFileProtectionLevel", "<string>All</string>", "NSFileProtectionNone"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char keys[512];
        snprintf(keys, sizeof keys, "<key>%s</key>%s", wrong[i][0], wrong[i][1]);
        FAILS(MAM_ERR_JSON, try_open(o, with_plist(o, keys, "")));
        CULPRIT("setting", wrong[i][0]);
        if (!strstr(mam_last_message(), wrong[i][2])) failed_at(__FILE__, __LINE__, "%s: %s", wrong[i][2], mam_last_message());
    }
}

/* A malformed appearance setting closes nothing: a warning names it, and the default applies. */
static void malformed_appearance_warns(void **state) {
    const office *o = *state;
    static const char *const wrong[][3] = {
        {"AccentColor", "<string>red</string>", "colour"},      {"SecondaryForegroundColor", "<true/>", "boolean"},
        {"SplashDuration", "<integer>-1</integer>", "integer"}, {"SplashDuration", "<date>2026-01-01T00:00:00Z</date>", "date"},
        {"SplashIconFile~ipad", "<array/>", "array"},           {"SupportsDarkMode", "<string>YES</string>", "string"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char keys[512];
        snprintf(keys, sizeof keys, "<key>%s</key>%s", wrong[i][0], wrong[i][1]);
        mam_t *m = open_app(o, APP, with_plist(o, keys, ""));
        char *event = next_event(m, "warning", 0);
        CHECK(event != NULL);
        CHECK_TEXT(wrong[i][0], text_of(event, "/setting"));
        CHECK(strstr(text_of(event, "/message"), wrong[i][2]) != NULL);
        mam_free(event);
        CHECK(strstr(decided(m, wrong[i][0]), " default") != NULL);
        OK(mam_close(m));
    }
}

static void unknown_keys_and_former_names_warn(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, with_plist(o, "<key>Tomorrow</key><true/>", ""));
    char *event = next_event(m, "warning", 0);
    CHECK(event != NULL);
    CHECK_TEXT("Tomorrow", text_of(event, "/setting"));
    mam_free(event);
    OK(mam_close(m));
    m = open_app(o, APP, with_plist(o, "<key>AppGroupIdentifier</key><array><string>slip</string></array>", ""));
    char *json = NULL;
    OK(mam_settings(m, &json));
    CHECK_TEXT("com.example", text_of(json, "/app/group")); /* open_app's settings override it */
    mam_free(json);
    event = next_event(m, "warning", 0);
    CHECK(event != NULL && strstr(event, "AppGroupIdentifiers") != NULL);
    mam_free(event);
    OK(mam_close(m));
    FAILS(MAM_ERR_JSON, try_open(o, "\"worker\":false,\"settings\":{\"Tomorrow\":true}"));
}

static void the_group_of_the_app(void **state) {
    const office *o = *state;
    char settings[4 * PATH_SIZE], *json = NULL;
    mam_t *m = NULL;
    static const char *const groups[][3] = {
        {"[\"group.one\",\"group.two\"]", "", "group.one"},
        {"[\"group.one\"]", ",\"group\":\"own\"", "own"},
        {"[]", "", "a.b"},
    };
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        snprintf(
            settings, sizeof settings,
            "{\"app\":{\"id\":\"a.b\"%s},\"stateDirectory\":\"%s\",\"worker\":false,\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"},"
            "\"settings\":{\"AppGroupIdentifiers\":%s}}",
            groups[i][1], o->state, o->authority, groups[i][0]);
        OK(mam_open(settings, &m));
        OK(mam_settings(m, &json));
        CHECK_TEXT(groups[i][2], text_of(json, "/app/group"));
        mam_free(json);
        OK(mam_close(m));
    }
    snprintf(
        settings, sizeof settings,
        "{\"app\":{\"id\":\"a.b\"},\"stateDirectory\":\"%s\",\"authority\":{\"type\":\"embedded\",\"path\":\"%s\"},"
        "\"settings\":{\"AppGroupIdentifiers\":[\"../up\"]}}",
        o->state, o->authority);
    FAILS(MAM_ERR_ARGUMENT, mam_open(settings, &m));
    CULPRIT("setting", "AppGroupIdentifiers");
}

/* Sign-in settings belong to an organisation: they go with its last account, other overrides stay. */
static void sign_in_goes_with_the_account(void **state) {
    const office *o = *state;
    for (int wipe = 0; wipe < 2; wipe++) {
        mam_t *m = open_quiet(o);
        int64_t op;
        enroll_well(m, ANN);
        enroll_well(m, BOB);
        OK(mam_set_override(m, "ADALAuthority", "\"https://login.example\""));
        OK(mam_set_override(m, "ADALClientId", "\"id\""));
        OK(mam_set_override(m, "ADALRedirectUri", "\"a://b\""));
        OK(mam_set_override(m, "SupportsDarkMode", "false"));
        OK(mam_deregister_and_unenroll(m, ANN, wipe, &op));
        CHECK_NUMBER(104, code_of(m, op));
        CHECK_TEXT("false override", decided(m, "ADALAuthority"));
        OK(mam_deregister_and_unenroll(m, BOB, wipe, &op));
        CHECK_NUMBER(104, code_of(m, op));
        CHECK_TEXT("false default", decided(m, "ADALAuthority"));
        CHECK_TEXT("false default", decided(m, "ADALClientId"));
        CHECK_TEXT("false default", decided(m, "ADALRedirectUri"));
        CHECK_TEXT("false override", decided(m, "SupportsDarkMode"));
        OK(mam_close(m));
    }
}

/* A level that the app does not support is not required of it. */
static void encryption_is_capped(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_policy_t *policy = NULL;
    OK(mam_policy_for_account(m, ANN, &policy));
    CHECK(mam_policy_is_file_encryption_required(policy));
    OK(mam_set_override(m, "MaxFileProtectionLevel", "\"NSFileProtectionCompleteUnlessOpen\""));
    CHECK(mam_policy_is_file_encryption_required(policy));
    OK(mam_set_override(m, "MaxFileProtectionLevel", "\"NSFileProtectionNone\""));
    CHECK(!mam_policy_is_file_encryption_required(policy));
    OK(mam_set_override(m, "MaxFileProtectionLevel", NULL));
    CHECK(mam_policy_is_file_encryption_required(policy));
    mam_policy_release(policy);
    OK(mam_close(m));
}

static void files_that_are_not_property_lists(void **state) {
    const office *o = *state;
    char options[2 * PATH_SIZE];
    const char *path = in_office(o, "Info.plist");
    snprintf(options, sizeof options, "\"worker\":false,\"infoPlist\":\"%s\"", path);
    FAILS(MAM_ERR_NOT_FOUND, try_open(o, options));
    CULPRIT("path", path);
    CHECK(mkfifo(path, 0600) == 0);
    FAILS(MAM_ERR_ARGUMENT, try_open(o, options));
    CHECK(unlink(path) == 0 && mkdir(path, 0700) == 0);
    FAILS(MAM_ERR_ARGUMENT, try_open(o, options));
    CHECK(rmdir(path) == 0);
    write_whole(path, "", 0);
    FAILS(MAM_ERR_ARGUMENT, try_open(o, options));
    CHECK(truncate(path, 100 << 20) == 0); /* a sparse file of 100 MB */
    FAILS(MAM_ERR_ARGUMENT, try_open(o, options));
    CULPRIT("setting", "infoPlist");
    static const char *const texts[] = {"{}", "bplist00", "<plist>", "<plist><array/></plist>x", "\x89PNG", "<plist><dict><key>"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_whole(path, texts[i], strlen(texts[i]));
        FAILS(MAM_ERR_ARGUMENT, try_open(o, options));
        CULPRIT("setting", "infoPlist");
        CULPRIT("path", path);
    }
    CHECK(unlink(path) == 0);
    FAILS(MAM_ERR_ARGUMENT, try_open(o, "\"infoPlist\":\"Info.plist\""));
    FAILS(MAM_ERR_ARGUMENT, try_open(o, "\"infoPlist\":\"\""));
    FAILS(MAM_ERR_JSON, try_open(o, "\"infoPlist\":{}"));
}

/* A session that is refused for its property list leaves the state unchanged. */
static void nothing_is_lost(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_buffer kept = sealed(m, ANN, "kept");
    OK(mam_close(m));
    const char *path = in_office(o, "deep.plist");
    size_t depth = 50000, length = 0;
    char *text = malloc(depth * 15 + 64), options[2 * PATH_SIZE];
    length += (size_t)sprintf(text, "<plist>");
    for (size_t i = 0; i < depth; i++) length += (size_t)sprintf(text + length, "<array>");
    for (size_t i = 0; i < depth; i++) length += (size_t)sprintf(text + length, "</array>");
    length += (size_t)sprintf(text + length, "</plist>");
    write_whole(path, text, length);
    free(text);
    snprintf(options, sizeof options, "\"worker\":false,\"infoPlist\":\"%s\"", path);
    FAILS(MAM_ERR_ARGUMENT, try_open(o, options));
    m = open_quiet(o);
    OK(opens_as(m, &kept, "kept"));
    mam_buffer_free(&kept);
    OK(mam_close(m));
}

static void *opens_deep_lists(void *argument) {
    const office *o = argument;
    char options[2 * PATH_SIZE];
    const char *path = in_office(o, "deep.plist");
    snprintf(options, sizeof options, "\"worker\":false,\"infoPlist\":\"%s\"", path);
    /* 63 arrays inside a dictionary, in XML */
    char *text = malloc(4096);
    size_t length = (size_t)sprintf(text, "<plist><dict><key>a</key>");
    for (int i = 0; i < 63; i++) length += (size_t)sprintf(text + length, "<array>");
    for (int i = 0; i < 63; i++) length += (size_t)sprintf(text + length, "</array>");
    length += (size_t)sprintf(text + length, "</dict></plist>");
    write_whole(path, text, length);
    free(text);
    OK(try_open(o, options));
    /* and in binary: object 0 a key, object 1 the innermost array, the last one the dictionary */
    uint8_t list[1024] = "bplist00\x51"
                         "a\xa0",
            offsets[65] = {8, 10};
    size_t at = 11;
    for (uint8_t i = 2; i < 64; i++) {
        offsets[i] = (uint8_t)at;
        list[at++] = 0xa1;
        list[at++] = (uint8_t)(i - 1);
    }
    offsets[64] = (uint8_t)at;
    memcpy(list + at, "\xd1\x00\x3f", 3);
    at += 3;
    uint8_t trailer[32] = {[6] = 1, [7] = 1, [15] = 65, [23] = 64, [31] = (uint8_t)at};
    memcpy(list + at, offsets, sizeof offsets);
    memcpy(list + at + sizeof offsets, trailer, sizeof trailer);
    write_whole(path, list, at + sizeof offsets + sizeof trailer);
    OK(try_open(o, options));
    return NULL;
}

/* mam.h: "64 KiB of stack are enough". */
static void the_deepest_lists_on_a_small_stack(void **state) {
    office *o = *state;
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    CHECK_NUMBER(0, pthread_attr_setstacksize(&attributes, IS_SANITIZED ? 1 << 20 : 64 << 10));
    CHECK_NUMBER(0, pthread_create(&thread, &attributes, opens_deep_lists, o));
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(the_order_of_sources),
        WITH_OFFICE(wrong_types_are_named),
        WITH_OFFICE(the_order_of_sources),
        WITH_OFFICE(malformed_appearance_warns),
        WITH_OFFICE(unknown_keys_and_former_names_warn),
        WITH_OFFICE(the_group_of_the_app),
        WITH_OFFICE(sign_in_goes_with_the_account),
        WITH_OFFICE(encryption_is_capped),
        WITH_OFFICE(files_that_are_not_property_lists),
        WITH_OFFICE(nothing_is_lost),
        WITH_OFFICE(the_deepest_lists_on_a_small_stack),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
