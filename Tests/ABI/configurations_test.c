/* Delivery of app configurations: what the authority accepts and refuses, and what the state keeps of a check-in. */
#include "support.h"

#define ROWS "SELECT count(*) FROM configurations"

static long long rows(const office *o) { return sql_number(in_group(o, "state.db"), ROWS); }

/* One that reaches everybody. */
static void configure(const office *o, const char *color) {
    admin(
        o,
        "{\"action\":\"config.import\",\"type\":\"config\",\"document\":{\"id\":\"colors\",\"customSettings\":["
        "{\"name\":\"__IsDefault\",\"value\":\"true\"},{\"name\":\"color\",\"value\":\"%s\"}]}}",
        color);
}

static void they_end_with_the_enrollment(void **state) {
    const office *o = *state;
    int64_t op;
    configure(o, "red");
    mam_t *m = open_enrolled(o);
    CHECK_NUMBER(1, rows(o));
    OK(mam_deregister_and_unenroll(m, ANN, 0, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK_NUMBER(0, rows(o));
    enroll_well(m, ANN);
    CHECK_NUMBER(1, rows(o));
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK_NUMBER(0, rows(o));
    OK(mam_close(m));
}

static long long generation_of(mam_t *m) {
    char *json = NULL;
    OK(mam_diagnostics(m, &json));
    long long generation = number_of(json, "/state/generation");
    mam_free(json);
    return generation;
}

/* Only the configuration has changed, not the policies: it is committed all the same. */
static void a_change_is_committed(void **state) {
    const office *o = *state;
    configure(o, "red");
    mam_t *m = open_enrolled(o);
    CHECK_NUMBER(101, check_in(m, ANN));
    long long before = generation_of(m);
    CHECK_NUMBER(101, check_in(m, ANN));
    CHECK_NUMBER(before, generation_of(m));
    configure(o, "blue");
    CHECK_NUMBER(101, check_in(m, ANN));
    CHECK_NUMBER(before + 1, generation_of(m));
    OK(mam_close(m));
}

/* A state and an authority of the first release: both are upgraded while the accounts stay enrolled. */
static void files_of_an_older_release(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_buffer container = sealed(m, ANN, "text");
    OK(mam_close(m));
    sql(in_group(o, "state.db"),
        "DROP TABLE configurations; DROP TABLE facts; DROP TABLE pins; "
        "DROP TABLE directories; DROP TABLE files; DROP TABLE exchange_keys; DROP TABLE refresh_tokens; DROP TABLE revocations; "
        "PRAGMA user_version = 1");
    sql(o->authority,
        "DROP TABLE configuration_targets; DROP TABLE configuration_assignments; DROP TABLE configurations; "
        "DROP TABLE configuration_imports; DROP TABLE exchange_custody; DROP TABLE exchange_keys; "
        "DROP TABLE domains; DROP TABLE devices; DROP TABLE regresses; DROP TABLE ended_registrations; "
        "DROP TABLE identity; DROP TABLE statements; DROP TABLE signatures; DROP TABLE former_names; DROP TABLE revision; PRAGMA user_version = 1");
    m = open_quiet(o);
    OK(opens_as(m, &container, "text"));
    /* The account has seen the key in the file: it accepts no other until the host forgets the authority. */
    CHECK_NUMBER(206, check_in(m, ANN));
    OK(opens_as(m, &container, "text"));
    OK(mam_forget_authority(m));
    enroll_well(m, ANN);
    configure(o, "red");
    CHECK_NUMBER(101, check_in(m, ANN));
    CHECK_NUMBER(1, rows(o));
    mam_buffer_free(&container);
    OK(mam_close(m));
}

/* It lets its users enroll: the account gets no policy, and no restriction. The tenant default lets nobody enroll. */
static void a_configuration_alone_enrolls(void **state) {
    const office *o = *state;
    admin(o, "{\"action\":\"policy.remove\",\"policy\":\"" STRICT_POLICY "\"}");
    configure(o, "grey");
    mam_t *m = open_quiet(o);
    CHECK_NUMBER(225, enroll(m, ANN));
    admin(
        o,
        "{\"action\":\"config.import\",\"type\":\"config\",\"document\":{\"id\":\"notes\",\"customSettings\":[{\"name\":\"size\",\"value\":\"5\"}]}}");
    admin(o, "{\"action\":\"config.assign\",\"config\":\"notes\",\"allUsers\":true}");
    admin(o, "{\"action\":\"config.target\",\"config\":\"notes\",\"app\":\"" APP "\"}");
    CHECK_NUMBER(103, enroll(m, ANN));
    CHECK_NUMBER(103, check_in(m, ANN));
    CHECK_NUMBER(1, rows(o));
    mam_policy_t *policy = NULL;
    OK(mam_policy_for_account(m, ANN, &policy));
    CHECK_NUMBER(1, mam_policy_is_print_allowed(policy));
    mam_policy_release(policy);
    OK(mam_close(m));
}

static char *list(const office *o) { return admin_reply(o, "{\"action\":\"config.list\"}"); }

/* {"action":"config.import",…} with a document of `count` settings, each value `length` long. */
static char *import_of(int count, size_t length, const char *names) {
    size_t size = (size_t)count * (length + 64) + 128;
    char *request = malloc(size), *value = malloc(length + 1);
    CHECK(request != NULL && value != NULL);
    memset(value, 'v', length);
    value[length] = '\0';
    int at = snprintf(
        request, size, "{\"action\":\"config.import\",\"type\":\"config\",\"document\":{\"id\":\"colors\",\"customSettings\":[");
    for (int i = 0; i < count; i++) {
        at += snprintf(request + at, size - (size_t)at, "%s{\"name\":\"", i ? "," : "");
        at += snprintf(request + at, size - (size_t)at, names, i);
        at += snprintf(request + at, size - (size_t)at, "\",\"value\":\"%s\"}", value);
    }
    snprintf(request + at, size - (size_t)at, "]}}");
    free(value);
    return request;
}

static void invalid_requests_change_nothing(void **state) {
    const office *o = *state;
    static const struct {
        int count;
        size_t length;
        const char *names;
        mam_status status;
    } wrong[] = {
        {10001, 1, "key%d", MAM_ERR_ARGUMENT},   {2, (size_t)2 << 20, "key%d", MAM_ERR_ARGUMENT},
        {2, 1, "same", MAM_ERR_ARGUMENT},        {1, 1, "", MAM_ERR_ARGUMENT},
        {1, 1, "a\\u0000b", MAM_ERR_JSON},       {2, (size_t)9 << 20, "key%d", MAM_ERR_JSON},
        {2, 1, "__IsDefault", MAM_ERR_ARGUMENT},
    };
    configure(o, "red");
    char *before = list(o);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *request = import_of(wrong[i].count, wrong[i].length, wrong[i].names), *reply = NULL;
        FAILS(wrong[i].status, mam_admin(o->authority, request, &reply));
        CHECK(reply == NULL);
        free(request);
        char *after = list(o);
        CHECK(is_same_json(before, after));
        mam_free(after);
    }
    char *most = import_of(10000, 300, "key%d"), *reply = NULL;
    OK(mam_admin(o->authority, most, &reply));
    CHECK_NUMBER(10000, number_of(reply, "/configurations/0/settings"));
    free(most);
    mam_free(reply);
    mam_free(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(they_end_with_the_enrollment),    WITH_OFFICE(a_change_is_committed),
        WITH_OFFICE(files_of_an_older_release),       WITH_OFFICE(a_configuration_alone_enrolls),
        WITH_OFFICE(invalid_requests_change_nothing),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
