/* App configuration of a host: its accounts, the answer of every query, its changes, its limits. */
#include "support.h"

static void import(const office *o, const char *id, const char *settings) {
    admin(
        o,
        "{\"action\":\"config.import\",\"type\":\"config\",\"document\":{\"id\":\"%s\",\"displayName\":\"%s's\",\"customSettings\":[%s]}}",
        id, id, settings);
}

/* One that reaches every user of the app. */
static void target(const office *o, const char *id, const char *settings) {
    import(o, id, settings);
    admin(o, "{\"action\":\"config.assign\",\"config\":\"%s\",\"allUsers\":true}", id);
    admin(o, "{\"action\":\"config.target\",\"config\":\"%s\",\"app\":\"" APP "\"}", id);
}

#define SETTING(name, value) "{\"name\":\"" name "\",\"value\":\"" value "\"}"
#define DEFAULT SETTING("__IsDefault", "TRUE") ","

static mam_app_config_t *of(mam_t *m, const char *identities) {
    mam_app_config_t *config = NULL;
    OK(mam_app_config(m, identities, &config));
    CHECK(config != NULL);
    return config;
}

typedef mam_status query(const mam_app_config_t *, const char *, int32_t, char **);
typedef mam_status list(const mam_app_config_t *, const char *, char **);

static void answers_at(int line, const mam_app_config_t *config, query *ask, const char *key, int32_t query, const char *expected) {
    char *json = NULL;
    ok_at(__FILE__, line, key, ask(config, key, query, &json));
    text_at_line(__FILE__, line, key, expected, json);
    mam_free(json);
}
static void lists_at(int line, const mam_app_config_t *config, list *ask, const char *key, const char *expected) {
    char *json = NULL;
    ok_at(__FILE__, line, key, ask(config, key, &json));
    text_at_line(__FILE__, line, key, expected, json);
    mam_free(json);
}
#define ANSWERS(config, type, key, query, expected) \
    answers_at(__LINE__, config, mam_app_config_##type, key, MAM_CONFIG_##query, expected)
#define LISTS(config, types, key, expected) lists_at(__LINE__, config, mam_app_config_all_##types, key, expected)

static void the_worked_examples(void **state) {
    const office *o = *state;
    import(o, "d", DEFAULT SETTING("color", "red") "," SETTING("region", "eu") "," SETTING("alone", "1.5"));
    target(
        o, "t1",
        SETTING("color", "blue") "," SETTING("limit", "5") "," SETTING("sync", "TRUE") "," SETTING("n", "1.0") "," SETTING(
            "word", "yes") "," SETTING("region", "us"));
    target(o, "t2", SETTING("limit", "20") "," SETTING("sync", "false") "," SETTING("n", "7") "," SETTING("region", "asia"));
    mam_t *m = open_enrolled(o);
    mam_app_config_t *c = of(m, "\"" ANN "\"");
    ANSWERS(c, string, "color", ANY, "\"blue\"");
    CHECK_NUMBER(0, mam_app_config_has_conflict(c, "color"));
    OK(mam_last_status());
    ANSWERS(c, number, "limit", MIN, "5");
    ANSWERS(c, number, "limit", MAX, "20");
    CHECK_NUMBER(1, mam_app_config_has_conflict(c, "limit"));
    OK(mam_last_status());
    LISTS(c, numbers, "limit", "[5,20]");
    ANSWERS(c, bool, "sync", OR, "true");
    ANSWERS(c, bool, "sync", AND, "false");
    ANSWERS(c, bool, "sync", ANY, "true");
    LISTS(c, bools, "sync", "[true,false]");
    ANSWERS(c, bool, "word", ANY, "null");
    LISTS(c, integers, "n", "[7]");
    ANSWERS(c, integer, "n", MIN, "7");
    ANSWERS(c, number, "n", MIN, "1.0");
    ANSWERS(c, number, "n", MAX, "7");
    ANSWERS(c, string, "region", MIN, "\"asia\"");
    ANSWERS(c, string, "region", MAX, "\"us\"");
    LISTS(c, strings, "region", "[\"us\",\"asia\"]");
    ANSWERS(c, number, "alone", ANY, "1.5");
    CHECK_NUMBER(0, mam_app_config_has_conflict(c, "alone"));
    ANSWERS(c, string, "nothing", ANY, "null");
    LISTS(c, strings, "nothing", "[]");
    ANSWERS(c, string, "__IsDefault", ANY, "null");
    mam_app_config_release(c);
    OK(mam_close(m));
}

static void sources(void **state) {
    const office *o = *state;
    import(o, "d", DEFAULT SETTING("k", "0"));
    target(o, "t1", SETTING("k", "1"));
    target(o, "t2", SETTING("k", "2"));
    mam_t *m = open_enrolled(o);
    mam_app_config_t *c = of(m, "null");
    char *json = NULL;
    OK(mam_app_config_full_data(c, &json));
    CHECK_TEXT(
        "[{\"id\":\"t1\",\"name\":\"t1's\",\"channel\":\"targeted\",\"values\":{\"k\":\"1\"}},"
        "{\"id\":\"t2\",\"name\":\"t2's\",\"channel\":\"targeted\",\"values\":{\"k\":\"2\"}},"
        "{\"id\":\"d\",\"name\":\"d's\",\"channel\":\"tenantDefault\",\"values\":{\"k\":\"0\"}}]",
        json);
    mam_free(json);
    OK(mam_app_config_conflicts(c, &json));
    CHECK_TEXT(
        "[{\"key\":\"k\",\"values\":[{\"id\":\"t1\",\"name\":\"t1's\",\"value\":\"1\"},"
        "{\"id\":\"t2\",\"name\":\"t2's\",\"value\":\"2\"}]}]",
        json);
    mam_free(json);
    mam_app_config_release(c);
    OK(mam_close(m));
}

static void only_for_enrolled_accounts(void **state) {
    const office *o = *state;
    static const char *const nobody[] = {"null", "\"" ANN "\"", "\"\"", "[]", "\"" EVE "\"", "[\"" ANN "\",\"" EVE "\"]"};
    mam_t *m = open_quiet(o);
    mam_app_config_t *c = (mam_app_config_t *)1;
    for (size_t i = 0; i < sizeof nobody / sizeof *nobody; i++) {
        FAILS(MAM_ERR_NOT_ENROLLED, mam_app_config(m, nobody[i], &c));
        CHECK(c == NULL);
    }
    enroll_well(m, ANN);
    for (size_t i = 2; i < sizeof nobody / sizeof *nobody; i++) FAILS(MAM_ERR_NOT_ENROLLED, mam_app_config(m, nobody[i], &c));
    CULPRIT("accountId", EVE);
    c = of(m, "\"" ANN_ID "\"");
    LISTS(c, strings, "k", "[]");
    mam_app_config_release(c);
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    FAILS(MAM_ERR_NOT_ENROLLED, mam_app_config(m, "\"" ANN "\"", &c));
    OK(mam_close(m));
    m = open_app(o, APP, "\"unknownIdentities\":\"error\"," QUIET);
    FAILS(MAM_ERR_NOT_FOUND, mam_app_config(m, "\"" EVE "\"", &c));
    OK(mam_close(m));
}

/* Ann's and Bob's together: an entry that both have counts once. */
static void of_several_accounts(void **state) {
    const office *o = *state;
    target(o, "both", SETTING("k", "5"));
    import(o, "anns", SETTING("k", "9"));
    admin(o, "{\"action\":\"group.add\",\"name\":\"her\"}");
    admin(o, "{\"action\":\"group.addMember\",\"group\":\"her\",\"user\":\"" ANN "\"}");
    admin(o, "{\"action\":\"config.assign\",\"config\":\"anns\",\"group\":\"her\"}");
    admin(o, "{\"action\":\"config.target\",\"config\":\"anns\",\"app\":\"" APP "\"}");
    mam_t *m = open_enrolled(o);
    enroll_well(m, BOB);
    static const struct {
        const char *identities, *all;
    } cases[] = {
        {"\"" ANN "\"", "[5,9]"}, {"\"" BOB "\"", "[5]"}, {"[\"" BOB "\",\"" ANN "\",\"" ANN_ID "\"]", "[5,9]"}, {"null", "[5,9]"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mam_app_config_t *c = of(m, cases[i].identities);
        LISTS(c, numbers, "k", cases[i].all);
        mam_app_config_release(c);
    }
    OK(mam_close(m));
}

#define DEVICE(account) \
    "\"device\":{" account "\"managedAppConfig\":{\"a\":\"m\",\"b\":\"m\",\"on\":true,\"size\":7,\"list\":[1],\"\":\"x\"}}," QUIET

static void values_of_the_device(void **state) {
    const office *o = *state;
    import(o, "d", DEFAULT SETTING("a", "d") "," SETTING("b", "d"));
    target(o, "t", SETTING("a", "t"));
    mam_t *m = open_app(o, APP, DEVICE("\"mdmAccountId\":\"" ANN_ID "\","));
    char *warning = next_event(m, "warning", 0);
    CHECK(warning != NULL);
    CHECK_TEXT("list", text_of(warning, "/setting"));
    mam_free(warning);
    enroll_well(m, ANN);
    mam_app_config_t *c = of(m, "\"" ANN "\"");
    ANSWERS(c, string, "a", ANY, "\"t\"");
    ANSWERS(c, string, "b", ANY, "\"m\"");
    ANSWERS(c, bool, "on", ANY, "true");
    ANSWERS(c, integer, "size", ANY, "7");
    ANSWERS(c, string, "list", ANY, "null");
    CHECK_NUMBER(0, mam_app_config_has_conflict(c, "a"));
    mam_app_config_release(c);
    OK(mam_close(m));
    m = open_app(o, APP, DEVICE("")); /* the device has no account */
    c = of(m, "\"" ANN "\"");
    ANSWERS(c, string, "b", ANY, "\"d\"");
    mam_app_config_release(c);
    OK(mam_close(m));
}

/* A held handle does not change; another session's check-in is an event here as well. */
static void a_change_is_an_event(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o), *other = open_quiet(o);
    CHECK(next_event(m, "appConfigDidChange", 0) == NULL);
    target(o, "t", SETTING("k", "1"));
    CHECK_NUMBER(101, check_in(m, ANN));
    mam_app_config_t *before = of(m, "null");
    target(o, "t", SETTING("k", "2"));
    CHECK_NUMBER(101, check_in(m, ANN));
    mam_t *both[] = {m, other};
    for (int i = 0; i < 2; i++) {
        mam_app_config_t *c = of(both[i], "null");
        ANSWERS(c, string, "k", ANY, "\"2\"");
        mam_app_config_release(c);
        char *event = next_event(both[i], "appConfigDidChange", SOON);
        CHECK(event != NULL);
        CHECK_TEXT(ANN_ID, text_of(event, "/accountId"));
        mam_free(event);
        CHECK(next_event(both[i], "policyDidChange", 0) == NULL || i == 0);
    }
    ANSWERS(before, string, "k", ANY, "\"1\"");
    CHECK_NUMBER(101, check_in(m, ANN));
    CHECK(next_event(m, "appConfigDidChange", 0) == NULL);
    int64_t op;
    OK(mam_deregister_and_unenroll(m, ANN, 1, &op));
    CHECK_NUMBER(104, code_of(m, op));
    char *event = next_event(m, "appConfigDidChange", SOON);
    CHECK(event != NULL);
    mam_free(event);
    mam_app_config_release(before);
    OK(mam_close(other));
    OK(mam_close(m));
}

/* A row that does not verify gives no answer, and closes nothing else; the next check-in repairs it. */
static void a_changed_row(void **state) {
    const office *o = *state;
    target(o, "t", SETTING("k", "1"));
    mam_t *m = open_enrolled(o);
    mam_buffer container = sealed(m, ANN, "text");
    OK(mam_close(m));
    sql(in_group(o, "state.db"), "UPDATE configurations SET record = zeroblob(length(record))");
    m = open_quiet(o);
    mam_app_config_t *c = NULL;
    FAILS(MAM_ERR_TAMPERED, mam_app_config(m, "\"" ANN "\"", &c));
    FAILS(MAM_ERR_TAMPERED, mam_app_config(m, "null", &c));
    OK(opens_as(m, &container, "text"));
    check_in(m, ANN);
    c = of(m, "null");
    ANSWERS(c, string, "k", ANY, "\"1\"");
    mam_app_config_release(c);
    mam_buffer_free(&container);
    OK(mam_close(m));
}

static void forked(void *config) {
    mam_app_config_t *c = config;
    char *json = (char *)1;
    FAILS(MAM_ERR_FORKED, mam_app_config_full_data(c, &json));
    CHECK(json == NULL);
    CHECK_NUMBER(1, mam_app_config_has_conflict(c, "k"));
    CHECK_NUMBER(MAM_ERR_FORKED, mam_last_status());
    mam_app_config_release(c);
}

static void handles_of_a_closed_session_and_of_a_parent(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_app_config_t *c = of(m, "null");
    in_child(forked, c);
    OK(mam_close(m));
    char *json = (char *)1;
    FAILS(MAM_ERR_CLOSED, mam_app_config_string(c, "k", MAM_CONFIG_ANY, &json));
    CHECK(json == NULL);
    CHECK_NUMBER(1, mam_app_config_has_conflict(c, "k"));
    CHECK_NUMBER(MAM_ERR_CLOSED, mam_last_status());
    mam_app_config_release(c);
    mam_app_config_release(c);
    CHECK_NUMBER(MAM_ERR_CLOSED, mam_last_status());
}

/* Values of megabytes, numbers out of range, keys of every length. */
static void large_and_odd_values(void **state) {
    const office *o = *state;
    enum { LARGE = 3 << 20 };
    char *value = malloc(LARGE + 1), *settings = malloc(LARGE + 1024);
    CHECK(value != NULL && settings != NULL);
    memset(value, '9', LARGE);
    value[LARGE] = '\0';
    snprintf(
        settings, LARGE + 1024, "{\"name\":\"large\",\"value\":\"%s\"},%s", value,
        SETTING("over", "1e999") "," SETTING("big", "99999999999999999999") "," SETTING(
            "least", "-9223372036854775808") "," SETTING("text", "a\\u0000b") "," SETTING(" ", "blank"));
    char *request = malloc(LARGE + 2048), *reply = NULL;
    snprintf(
        request, LARGE + 2048,
        "{\"action\":\"config.import\",\"type\":\"config\",\"document\":{\"id\":\"t\",\"customSettings\":[%s]}}", settings);
    FAILS(MAM_ERR_JSON, mam_admin(o->authority, request, &reply)); /* no JSON of libmam contains NUL */
    char *nul = strstr(request, "\\u0000");
    memcpy(nul, "\\u0001", 6);
    OK(mam_admin(o->authority, request, &reply));
    mam_free(reply);
    admin(o, "{\"action\":\"config.assign\",\"config\":\"t\",\"allUsers\":true}");
    admin(o, "{\"action\":\"config.target\",\"config\":\"t\",\"app\":\"" APP "\"}");
    mam_t *m = open_enrolled(o);
    mam_app_config_t *c = of(m, "null");
    char *json = NULL;
    OK(mam_app_config_string(c, "large", MAM_CONFIG_ANY, &json));
    CHECK_NUMBER(LARGE + 2, strlen(json));
    CHECK(strncmp(json + 1, value, LARGE) == 0);
    mam_free(json);
    ANSWERS(c, number, "large", ANY, "null");
    ANSWERS(c, number, "over", MAX, "null");
    ANSWERS(c, number, "big", MAX, "1e+20");
    ANSWERS(c, integer, "big", MAX, "null");
    ANSWERS(c, integer, "least", MIN, "-9223372036854775808");
    ANSWERS(c, string, "text", ANY, "\"a\\u0001b\"");
    ANSWERS(c, string, " ", ANY, "\"blank\"");
    ANSWERS(c, string, "", ANY, "null");
    char *longest = malloc((5u << 20) + 1);
    memset(longest, 'k', 5u << 20);
    longest[5u << 20] = '\0';
    FAILS(MAM_ERR_ARGUMENT, mam_app_config_string(c, longest, MAM_CONFIG_ANY, &json));
    longest[4u << 20] = '\0';
    ANSWERS(c, string, longest, ANY, "null");
    mam_app_config_release(c);
    OK(mam_close(m));
    free(longest), free(request), free(settings), free(value);
}

static void too_many_values_of_the_device(void **state) {
    const office *o = *state;
    size_t size = 1 << 20;
    char *more = malloc(size);
    size_t at = (size_t)snprintf(more, size, "\"device\":{\"managedAppConfig\":{");
    for (int i = 0; i <= 10000; i++) at += (size_t)snprintf(more + at, size - at, "%s\"key%d\":\"v\"", i ? "," : "", i);
    snprintf(more + at, size - at, "}}," QUIET);
    CHECK_NUMBER(MAM_ERR_ARGUMENT, try_open(o, more));
    free(more);
}

/* Answered without waiting, and never from a state that is half read: 4 threads ask and one changes it. */
typedef struct asker {
    mam_t *m;
    long long torn;
} asker;

static void *ask(void *user) {
    asker *a = user;
    for (int i = 0; i < 300; i++) {
        mam_app_config_t *c = NULL;
        char *one = NULL, *two = NULL;
        if (mam_app_config(a->m, "null", &c) != MAM_OK || mam_app_config_string(c, "one", MAM_CONFIG_ANY, &one) != MAM_OK
            || mam_app_config_string(c, "two", MAM_CONFIG_ANY, &two) != MAM_OK || strcmp(one, two) != 0)
            a->torn++;
        mam_free(one), mam_free(two);
        mam_app_config_release(c);
    }
    return NULL;
}

static void answers_of_one_handle_are_consistent(void **state) {
    const office *o = *state;
    target(o, "t", SETTING("one", "0") "," SETTING("two", "0"));
    mam_t *m = open_enrolled(o);
    asker askers[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        askers[i] = (asker){m, 0};
        CHECK_NUMBER(0, pthread_create(&threads[i], NULL, ask, &askers[i]));
    }
    for (int i = 1; i <= 10; i++) {
        char settings[128];
        snprintf(settings, sizeof settings, SETTING("one", "%d") "," SETTING("two", "%d"), i, i);
        import(o, "t", settings);
        CHECK_NUMBER(101, check_in(m, ANN));
    }
    for (int i = 0; i < 4; i++) {
        CHECK_NUMBER(0, pthread_join(threads[i], NULL));
        CHECK_NUMBER(0, askers[i].torn);
    }
    OK(mam_close(m));
}

static void log_line(void *user, int32_t level, const char *message) {
    (void)level;
    char *all = user;
    strncat(all, message, 8000 - strlen(all));
}

static void the_log_contains_no_values(void **state) {
    const office *o = *state;
    char all[8192] = "";
    mam_t *m = open_app(o, APP, "\"worker\":false,\"settings\":{\"ValuesToScrubFromLogging\":[\"Password\"]}");
    OK(mam_set_log(m, MAM_LOG_VERBOSE, log_line, all));
    target(o, "t", SETTING("Password", "swordfish") "," SETTING("server", "mail.contoso.example"));
    enroll_well(m, ANN);
    CHECK(strstr(all, "\"server\" is \"mail.contoso.example\"") != NULL);
    CHECK(strstr(all, "\"Password\" is hidden") != NULL);
    CHECK(strstr(all, "swordfish") == NULL);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(the_worked_examples),
        WITH_OFFICE(sources),
        WITH_OFFICE(only_for_enrolled_accounts),
        WITH_OFFICE(of_several_accounts),
        WITH_OFFICE(values_of_the_device),
        WITH_OFFICE(a_change_is_an_event),
        WITH_OFFICE(a_changed_row),
        WITH_OFFICE(handles_of_a_closed_session_and_of_a_parent),
        WITH_OFFICE(large_and_odd_values),
        WITH_OFFICE(too_many_values_of_the_device),
        WITH_OFFICE(answers_of_one_handle_are_consistent),
        WITH_OFFICE(the_log_contains_no_values),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
