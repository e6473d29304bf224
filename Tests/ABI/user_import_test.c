/* user.import: many users and their groups in one request, all of them or none. */
#include "support.h"

static long long count(const office *o, const char *table) {
    char query[64];
    snprintf(query, sizeof query, "SELECT count(*) FROM %s", table);
    return sql_number(o->authority, query);
}

/* A request for users person0… with two groups each. */
static char *request_of(int users, const char *more) {
    size_t size = (size_t)users * 96 + 256, used = 0;
    char *text = malloc(size);
    used += (size_t)snprintf(text, size, "{\"action\":\"user.import\"%s,\"users\":[", more);
    for (int i = 0; i < users; i++) {
        used += (size_t)snprintf(
            text + used, size - used, "%s{\"upn\":\"person%d@contoso.example\",\"groups\":[\"all\",\"team%d\"]}", i ? "," : "", i,
            i % 10);
    }
    snprintf(text + used, size - used, "]}");
    return text;
}

static void imported_users_are_like_others(void **state) {
    const office *o = *state;
    long long users = count(o, "users"), groups = count(o, "user_groups"), members = count(o, "members");
    char *request = request_of(200, ""), *reply = NULL;
    OK(mam_admin(o->authority, request, &reply));
    CHECK_NUMBER(200, number_of(reply, "/added"));
    CHECK_NUMBER(11, count_of(reply, "/groups"));
    mam_free(reply);
    CHECK_NUMBER(users + 200, count(o, "users"));
    CHECK_NUMBER(groups + 11, count(o, "user_groups"));
    CHECK_NUMBER(members + 400, count(o, "members"));
    /* Each has an exchange key with a signature. */
    CHECK_NUMBER(users + 200, count(o, "exchange_keys"));
    CHECK_NUMBER(users + 200, count(o, "signatures WHERE of = 'exchange_keys'"));
    OK(mam_admin(o->authority, request, &reply));
    CHECK_NUMBER(200, number_of(reply, "/unchanged"));
    mam_free(reply);
    free(request);
    /* An app verifies every signature when it enrolls one of them. */
    mam_t *m = open_app(o, APP, QUIET);
    enroll_well(m, "person7@contoso.example");
    OK(mam_close(m));
}

static void a_mistake_writes_nothing(void **state) {
    const office *o = *state;
    static const struct {
        const char *second;
        mam_status status;
        const char *argument;
    } wrong[] = {
        {"{}", MAM_ERR_JSON, "upn"},
        {"{\"upn\":\"\"}", MAM_ERR_ARGUMENT, "upn"},
        {"{\"upn\":\"NEW@contoso.example\"}", MAM_ERR_ARGUMENT, "upn"},
        {"{\"upn\":\"x\",\"colour\":1}", MAM_ERR_JSON, "colour"},
        {"{\"upn\":\"x\",\"enabled\":\"yes\"}", MAM_ERR_JSON, "enabled"},
        {"{\"upn\":\"x\",\"displayName\":\"a\\u0007\"}", MAM_ERR_ARGUMENT, "displayName"},
        {"{\"upn\":\"x\",\"accountId\":\"" ANN "\"}", MAM_ERR_ALREADY, "upn"},
        {"{\"upn\":\"" ANN "\",\"accountId\":\"other\"}", MAM_ERR_ALREADY, "upn"},
        {"{\"upn\":\"" ANN "\",\"enabled\":false}", MAM_ERR_ALREADY, "enabled"},
        {"{\"upn\":\"" BOB "\",\"accountId\":\"" ANN_ID "\"}", MAM_ERR_ALREADY, "upn"},
    };
    long long users = count(o, "users"), groups = count(o, "user_groups"), signatures = count(o, "signatures");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char request[512], *reply = NULL;
        snprintf(
            request, sizeof request,
            "{\"action\":\"user.import\",\"users\":[{\"upn\":\"new@contoso.example\",\"groups\":[\"fresh\"]},%s]}",
            wrong[i].second);
        FAILS(wrong[i].status, mam_admin(o->authority, request, &reply));
        CHECK(reply == NULL);
        CULPRIT("argument", wrong[i].argument);
        CULPRIT("list", "users");
        CHECK_NUMBER(users, count(o, "users"));
        CHECK_NUMBER(groups, count(o, "user_groups"));
        CHECK_NUMBER(signatures, count(o, "signatures"));
    }
    char *reply = admin_reply(
        o,
        "{\"action\":\"user.import\",\"update\":true,\"users\":[{\"upn\":\"" ANN
        "\",\"displayName\":\"Ann\",\"groups\":[\"fresh\"]}]}");
    CHECK_NUMBER(1, number_of(reply, "/changed"));
    CHECK_TEXT("fresh", text_of(reply, "/groups/0"));
    mam_free(reply);
}

static void a_dry_run_writes_nothing(void **state) {
    const office *o = *state;
    long long users = count(o, "users"), groups = count(o, "user_groups"), signatures = count(o, "signatures");
    char *request = request_of(30, ",\"dryRun\":true"), *reply = NULL;
    OK(mam_admin(o->authority, request, &reply));
    CHECK_NUMBER(30, number_of(reply, "/added"));
    CHECK_NUMBER(20, count_of(reply, "/addedUsers"));
    CHECK_TEXT("person0@contoso.example", text_of(reply, "/addedUsers/0"));
    CHECK_NUMBER(0, count_of(reply, "/changedUsers"));
    mam_free(reply);
    free(request);
    CHECK_NUMBER(users, count(o, "users"));
    CHECK_NUMBER(groups, count(o, "user_groups"));
    CHECK_NUMBER(signatures, count(o, "signatures"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(imported_users_are_like_others),
        WITH_OFFICE(a_mistake_writes_nothing),
        WITH_OFFICE(a_dry_run_writes_nothing),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
