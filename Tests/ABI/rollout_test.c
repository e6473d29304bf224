/* Explain and simulate: the predicted result of a check-in, now and after changes, equals the real one. */
#include "support.h"

#define STATE(o) (((office *)*(o))->authority)
#define ASK "{\"user\":\"" ANN "\",\"app\":\"" APP "\"}"
#define PRINTING "\"requests\":[{\"action\":\"print\"}]"
#define RELAX \
    "{\"action\":\"policy.import\",\"type\":\"linux\",\"document\":{\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Relaxed\"}}"

static char *explain(const char *authority, const char *request) {
    char *reported = NULL;
    OK(mam_policy_explain(authority, request, &reported));
    return reported;
}

static char *simulate(const char *authority, const char *request) {
    char *reported = NULL;
    OK(mam_policy_simulate(authority, request, &reported));
    return reported;
}

static void an_explanation_matches_the_delivery(void **state) {
    char *reported = explain(STATE(state), ASK);
    CHECK(truth_of(reported, "/checkIn/delivers"));
    CHECK(truth_of(reported, "/policies/0/delivered"));
    CHECK_TEXT("assigned", text_of(reported, "/policies/0/why/0"));
    CHECK_TEXT(STRICT_POLICY, text_of(reported, "/effective/policies/0/id"));
    CHECK(count_of(reported, "/decisions") > 40);
    mam_free(reported);
    admin(*state, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"licensed\":false}");
    reported = explain(STATE(state), ASK);
    CHECK(!truth_of(reported, "/checkIn/delivers"));
    CHECK_TEXT("accountNotLicensed", text_of(reported, "/checkIn/name"));
    CHECK_TEXT("refused", text_of(reported, "/policies/0/why/0"));
    CHECK_NUMBER(0, count_of(reported, "/decisions"));
    mam_free(reported);
}

static void a_simulation_changes_nothing(void **state) {
    char *before = admin_reply(*state, "{\"action\":\"policy.list\"}");
    char *reported = simulate(STATE(state), "{\"changes\":[" RELAX "],\"apps\":[\"" APP "\"]," PRINTING "}");
    CHECK_TEXT("looser", text_of(reported, "/changes/0/decisions/0/change"));
    CHECK(truth_of(reported, "/changes/0/decisions/0/after/allowed"));
    CHECK_TEXT("printBlocked", text_of(reported, "/changes/0/decisions/0/before/reason/setting"));
    CHECK_NUMBER(2, count_of(reported, "/changes/0/accounts"));
    mam_free(reported);
    char *after = admin_reply(*state, "{\"action\":\"policy.list\"}");
    CHECK(is_same_json(before, after));
    mam_free(before);
    mam_free(after);
}

static void a_mistake_says_where_it_is(void **state) {
    char *reported = (char *)"untouched";
    const char *authority = STATE(state);
    FAILS(
        MAM_ERR_NOT_FOUND,
        mam_policy_simulate(authority, "{\"changes\":[" RELAX ",{\"action\":\"policy.remove\",\"policy\":\"no\"}]}", &reported));
    CULPRIT("list", "changes");
    CHECK(reported == NULL);
    FAILS(MAM_ERR_ARGUMENT, mam_policy_simulate(authority, "{\"changes\":[{\"action\":\"user.list\"}]}", &reported));
    FAILS(MAM_ERR_NOT_FOUND, mam_policy_simulate(authority, "{\"changes\":[],\"users\":[\"" EVE "\"]}", &reported));
    CULPRIT("list", "users");
    FAILS(MAM_ERR_NOT_FOUND, mam_policy_explain(authority, "{\"user\":\"" EVE "\",\"app\":\"" APP "\"}", &reported));
    CULPRIT("argument", "user");
    FAILS(MAM_ERR_JSON, mam_policy_explain(authority, "{\"user\":\"" ANN "\"}", &reported));
    CULPRIT("argument", "app");
}

static void only_authorities_are_accepted(void **state) {
    char *reported = NULL;
    const char *junk = in_office(*state, "junk.db");
    FAILS(MAM_ERR_NOT_FOUND, mam_policy_explain(junk, ASK, &reported));
    FAILS(MAM_ERR_NOT_FOUND, mam_policy_simulate(junk, "{\"changes\":[]}", &reported));
    FILE *file = fopen(junk, "w");
    CHECK(file != NULL);
    for (int i = 0; i < 5000; i++) fputs("junk", file);
    CHECK(fclose(file) == 0);
    FAILS(MAM_ERR_STORAGE, mam_policy_explain(junk, ASK, &reported));
    FAILS(MAM_ERR_STORAGE, mam_policy_simulate(junk, "{\"changes\":[]}", &reported));
    FAILS(MAM_ERR_STORAGE, mam_policy_simulate("/dev/null", "{\"changes\":[]}", &reported));
    FAILS(MAM_ERR_ARGUMENT, mam_policy_simulate("", "{\"changes\":[]}", &reported));
}

static void an_authority_too_large_for_memory_is_refused(void **state) {
    const char *authority = STATE(state);
    sql(authority,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 140) INSERT INTO imports "
        "(id, id_key, policies, document) SELECT 'n' || i, CAST('n' || i AS BLOB), 1, hex(zeroblob(524288)) FROM n");
    char *reported = NULL;
    FAILS(MAM_ERR_ARGUMENT, mam_policy_simulate(authority, "{\"changes\":[]}", &reported));
    CULPRIT("argument", "path");
    reported = explain(authority, ASK);
    mam_free(reported);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(an_explanation_matches_the_delivery),
        WITH_OFFICE(a_simulation_changes_nothing),
        WITH_OFFICE(a_mistake_says_where_it_is),
        WITH_OFFICE(only_authorities_are_accepted),
        WITH_OFFICE(an_authority_too_large_for_memory_is_refused),
    };
    return cmocka_run_group_tests_name("rollout", tests, begin, NULL);
}
