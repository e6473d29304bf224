/* Device health: mam_report_device_health, "device":{"health":…} of mam_open, "deviceHealth" of mam_diagnostics. */
#include "support.h"

#include <fcntl.h>

static const char *member(const char *diagnosis, const char *name, const char *key) {
    char pointer[96];
    for (int i = 0; i < count_of(diagnosis, "/deviceHealth/signals"); i++) {
        snprintf(pointer, sizeof pointer, "/deviceHealth/signals/%d/signal", i);
        if (strcmp(text_of(diagnosis, pointer), name) != 0) continue;
        snprintf(pointer, sizeof pointer, "/deviceHealth/signals/%d/%s", i, key);
        return text_of(diagnosis, pointer);
    }
    return "";
}

static char *diagnosis(mam_t *m) {
    char *json = NULL;
    OK(mam_diagnostics(m, &json));
    return json;
}

static void every_signal_is_shown(void **state) {
    static const char *const names[] = {
        "osDistribution", "osVersion", "deviceModel", "kernelTaint",    "tracer",     "injectedLibraries",
        "rootUser",       "setUserId", "secureBoot",  "diskEncryption", "deviceLock", "compliance",
    };
    mam_t *m = open_quiet(*state);
    char *json = diagnosis(m);
    CHECK_NUMBER(12, count_of(json, "/deviceHealth/signals"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK(*member(json, names[i], "state") && *member(json, names[i], "source") && *member(json, names[i], "detail"));
        CHECK(
            strcmp(member(json, names[i], "standing"), "counts") == 0
            || strcmp(member(json, names[i], "standing"), "informs") == 0);
    }
    CHECK_TEXT(geteuid() == 0 ? "fail" : "ok", member(json, "rootUser", "state"));
    CHECK_TEXT("", text_of(json, "/deviceHealth/threatLevel"));
    mam_free(json);
    OK(mam_close(m));
}

static void report_in_child(void *argument) {
    mam_t *m = open_app(argument, OTHER_APP, QUIET);
    OK(mam_report_device_health(m, "{\"threatLevel\":\"high\",\"compliant\":false,\"signals\":{\"a.b\":\"unknown\"}}"));
    OK(mam_close(m));
}

/* Another process of another app of the group. */
static void a_report_reaches_the_group(void **state) {
    office *o = *state;
    mam_t *m = open_quiet(o);
    char *json = diagnosis(m);
    CHECK(!has(json, "/deviceHealth/report/app"));
    mam_free(json);
    in_child(report_in_child, o);
    json = diagnosis(m);
    CHECK_TEXT("high", text_of(json, "/deviceHealth/threatLevel"));
    CHECK_TEXT(OTHER_APP, text_of(json, "/deviceHealth/report/app"));
    CHECK_TEXT("fail", member(json, "compliance", "state"));
    CHECK_TEXT("unknown", member(json, "a.b", "state"));
    CHECK(!truth_of(json, "/deviceHealth/healthy"));
    mam_free(json);
    OK(mam_close(m));
}

static void invalid_reports_change_nothing(void **state) {
    static const struct {
        mam_status status;
        const char *json, *culprit;
    } cases[] = {
        {MAM_ERR_JSON, "[]", "health_json"},
        {MAM_ERR_JSON, "{\"threat\":\"low\"}", "health_json.threat"},
        {MAM_ERR_JSON, "{\"threatLevel\":2}", "health_json.threatLevel"},
        {MAM_ERR_ARGUMENT, "{\"threatLevel\":\"none\"}", "health_json.threatLevel"},
        {MAM_ERR_JSON, "{\"compliant\":\"yes\"}", "health_json.compliant"},
        {MAM_ERR_ARGUMENT, "{\"lock\":\"unknown\"}", "health_json.lock"},
        {MAM_ERR_JSON, "{\"signals\":[\"a.b\"]}", "health_json.signals"},
        {MAM_ERR_ARGUMENT, "{\"signals\":{\"rootUser\":\"ok\"}}", "health_json.signals"},
        {MAM_ERR_ARGUMENT, "{\"signals\":{\"a.b\":\"ok\",\"c.d\":\"fine\"}}", "health_json.signals[\"c.d\"].state"},
        {MAM_ERR_ARGUMENT, "{\"validFor\":\"P1\"}", "health_json.validFor"},
        {MAM_ERR_ARGUMENT, "{\"threatLevel\":\"secured\",\"validFor\":\"P10000D\"}", "health_json.validFor"},
    };
    mam_t *m = open_quiet(*state);
    OK(mam_report_device_health(m, "{\"threatLevel\":\"medium\"}"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FAILS(cases[i].status, mam_report_device_health(m, cases[i].json));
        CULPRIT("setting", cases[i].culprit);
    }
    FAILS(MAM_ERR_JSON, mam_report_device_health(m, "{\"threatLevel\":\"low\",\"threatLevel\":\"high\"}"));
    size_t length = 5 << 20;
    char *huge = malloc(length + 1);
    memset(huge, ' ', length);
    memcpy(huge, "{}", 2);
    huge[length] = '\0';
    FAILS(MAM_ERR_JSON, mam_report_device_health(m, huge));
    free(huge);
    char *json = diagnosis(m);
    CHECK_TEXT("medium", text_of(json, "/deviceHealth/threatLevel"));
    mam_free(json);
    OK(mam_close(m));
}

static void settings_select_the_signals(void **state) {
    const office *o = *state;
    mam_t *m = open_app(
        o, APP, QUIET ",\"device\":{\"health\":{\"ignore\":[\"tracer\",\"com.example.edr\"],\"require\":[\"secureBoot\"]}}");
    OK(mam_report_device_health(m, "{\"signals\":{\"com.example.edr\":\"fail\"}}"));
    char *json = diagnosis(m);
    CHECK_TEXT("ignored", member(json, "tracer", "standing"));
    CHECK_TEXT("ignored", member(json, "com.example.edr", "standing"));
    CHECK_TEXT("required", member(json, "secureBoot", "standing"));
    mam_free(json);
    OK(mam_close(m));
    static const char *const wrong[] = {
        "{\"ignore\":[\"rooted\"]}",
        "{\"require\":[\"tracer \"]}",
        "{\"ignore\":[\"tracer\"],\"require\":[\"tracer\"]}",
        "{\"allowedLibraries\":[\"libasan.so\"]}",
    };
    char more[256];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(more, sizeof more, QUIET ",\"device\":{\"health\":%s}", wrong[i]);
        FAILS(MAM_ERR_ARGUMENT, try_open(o, more));
        CHECK(strncmp(culprit("setting"), "device.health.", 14) == 0);
    }
    FAILS(MAM_ERR_JSON, try_open(o, QUIET ",\"device\":{\"health\":{\"ignored\":[]}}"));
    CULPRIT("setting", "device.health.ignored");
    FAILS(MAM_ERR_JSON, try_open(o, QUIET ",\"device\":{\"health\":{\"ignore\":\"tracer\"}}"));
}

/* The state still opens, and an unreadable report counts against the device until a new one. */
static void a_forged_report_counts_against_the_device(void **state) {
    const office *o = *state;
    mam_t *m = open_quiet(o);
    OK(mam_report_device_health(m, "{\"compliant\":true,\"threatLevel\":\"secured\"}"));
    OK(mam_close(m));
    sql(in_group(o, "state.db"), "UPDATE facts SET value = zeroblob(96) WHERE app = ''");
    m = open_quiet(o);
    char *json = diagnosis(m);
    CHECK_TEXT("unknown", member(json, "compliance", "state"));
    CHECK(!truth_of(json, "/deviceHealth/healthy"));
    CHECK_TEXT("", text_of(json, "/deviceHealth/threatLevel"));
    mam_free(json);
    OK(mam_report_device_health(m, "{\"compliant\":true}"));
    json = diagnosis(m);
    CHECK_TEXT("ok", member(json, "compliance", "state"));
    mam_free(json);
    OK(mam_close(m));
}

static void *diagnose(void *m) {
    mam_free(diagnosis(m));
    return NULL;
}
static void on_a_small_stack(void *argument) {
    mam_t *m = open_quiet(argument);
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    CHECK_NUMBER(0, pthread_attr_setstacksize(&attributes, IS_SANITIZED ? 1 << 20 : 64 << 10));
    CHECK_NUMBER(0, pthread_create(&thread, &attributes, diagnose, m));
    pthread_join(thread, NULL);
    OK(mam_close(m));
}

/* In a new process, where libsystemd is loaded on that stack as well. */
static void a_small_stack_is_enough(void **state) { in_child(on_a_small_stack, *state); }

/* ---- the locked screen */

typedef struct locked_data {
    mam_t *m;
    mam_buffer container;
    mam_file_t *file;
    const char *path;
} locked_data;

static locked_data begin_locked_data(const office *o) {
    locked_data d = {.m = open_quiet(o), .path = in_office(o, "notes")};
    size_t written = 0;
    enroll_well(d.m, ANN);
    OK(mam_protect(d.m, ANN, (const uint8_t *)"plan", 4, &d.container));
    OK(mam_file_create(d.m, d.path, O_RDWR, 0600, ANN, &d.file));
    OK(mam_file_write(d.file, (const uint8_t *)"plan", 4, &written));
    return d;
}

static mam_status opens_data(locked_data *d) {
    mam_buffer plain = {NULL, 0};
    mam_status status = mam_unprotect(d->m, d->container.data, d->container.length, MAM_STRICT, &plain, NULL);
    mam_buffer_free(&plain);
    return status;
}

static mam_status reads_file(locked_data *d) {
    uint8_t bytes[4];
    size_t count = 0;
    return mam_file_pread(d->file, 0, bytes, sizeof bytes, &count);
}

static mam_status opens_file(locked_data *d) {
    mam_file_t *file = NULL;
    mam_status status = mam_file_open(d->m, d->path, O_RDONLY, &file);
    if (status == MAM_OK) OK(mam_file_close(file));
    return status;
}

static void report_screen_in_child(void *argument) {
    mam_t *m = open_app(argument, OTHER_APP, QUIET);
    OK(mam_report_screen_lock(m, MAM_SCREEN_LOCKED));
    OK(mam_close(m));
}

/* Wait for the end of the ten seconds. */
static void until_closed(locked_data *d) {
    mam_status status;
    while ((status = opens_data(d)) == MAM_OK) sleep_ms(100);
    CHECK_NUMBER(MAM_ERR_LOCKED, status);
    CULPRIT("reason", "screenLocked");
    CULPRIT("setting", "appDataEncryptionType");
    CULPRIT("accountId", ANN_ID);
}

static void end_locked_data(locked_data *d) {
    OK(mam_file_close(d->file));
    mam_buffer_free(&d->container);
    OK(mam_close(d->m));
}

/* Reported by another app of the group. */
static void the_locked_screen_closes_data(void **state) {
    office *o = *state;
    locked_data d = begin_locked_data(o);
    size_t written = 0;
    mam_buffer container = {NULL, 0};
    OK(opens_data(&d));
    in_child(report_screen_in_child, o);
    until_closed(&d);
    FAILS(MAM_ERR_LOCKED, reads_file(&d));
    FAILS(MAM_ERR_LOCKED, opens_file(&d));
    /* Data that arrives meanwhile is kept. */
    OK(mam_file_pwrite(d.file, 0, (const uint8_t *)"more", 4, &written));
    OK(mam_protect(d.m, ANN, (const uint8_t *)"mail", 4, &container));
    mam_buffer_free(&container);
    char *json = diagnosis(d.m);
    CHECK_TEXT("locked", text_of(json, "/screenLock/state"));
    CHECK_TEXT("host", text_of(json, "/screenLock/source"));
    CHECK(truth_of(json, "/screenLock/closes"));
    mam_free(json);
    FAILS(MAM_ERR_ARGUMENT, mam_report_screen_lock(d.m, 3));
    FAILS(MAM_ERR_ARGUMENT, mam_report_screen_lock(d.m, -1));
    OK(mam_report_screen_lock(d.m, MAM_SCREEN_UNLOCKED));
    OK(opens_data(&d));
    OK(reads_file(&d));
    OK(opens_file(&d));
    end_locked_data(&d);
}

static void the_app_caps_what_the_screen_closes(void **state) {
    locked_data d = begin_locked_data(*state);
    OK(mam_set_override(d.m, "MaxFileProtectionLevel", "\"NSFileProtectionCompleteUnlessOpen\""));
    OK(mam_report_screen_lock(d.m, MAM_SCREEN_LOCKED));
    until_closed(&d);
    OK(reads_file(&d)); /* it was open before */
    FAILS(MAM_ERR_LOCKED, opens_file(&d));
    OK(mam_set_override(d.m, "MaxFileProtectionLevel", "\"NSFileProtectionCompleteUntilFirstUserAuthentication\""));
    OK(opens_data(&d));
    OK(opens_file(&d));
    OK(mam_set_override(d.m, "MaxFileProtectionLevel", "\"NSFileProtectionComplete\""));
    FAILS(MAM_ERR_LOCKED, reads_file(&d));
    end_locked_data(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(every_signal_is_shown),
        WITH_OFFICE(a_report_reaches_the_group),
        WITH_OFFICE(invalid_reports_change_nothing),
        WITH_OFFICE(settings_select_the_signals),
        WITH_OFFICE(a_forged_report_counts_against_the_device),
        WITH_OFFICE(a_small_stack_is_enough),
        WITH_OFFICE(the_locked_screen_closes_data),
        WITH_OFFICE(the_app_caps_what_the_screen_closes),
    };
    return cmocka_run_group_tests_name("health", tests, begin, NULL);
}
