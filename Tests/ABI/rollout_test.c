/* Explain and simulate: what a check-in would bring, now and after changes, equals what it brings. */
#include "support.h"

#define STATE(o) (((office *)*(o))->authority)
#define ASK "{\"user\":\"" ANN "\",\"app\":\"" APP "\"}"
#define PRINTING "\"requests\":[{\"action\":\"print\"}]"
#define RELAX "{\"action\":\"policy.import\",\"type\":\"linux\",\"document\":{\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Relaxed\"}}"

static char *explain(const char *authority, const char *request) {
    char *told = NULL;
    OK(mam_policy_explain(authority, request, &told));
    return told;
}

static char *simulate(const char *authority, const char *request) {
    char *told = NULL;
    OK(mam_policy_simulate(authority, request, &told));
    return told;
}

static void what_is_explained_is_delivered(void **state) {
    char *told = explain(STATE(state), ASK);
    CHECK(truth_of(told, "/checkIn/delivers"));
    CHECK(truth_of(told, "/policies/0/delivered"));
    CHECK_TEXT("assigned", text_of(told, "/policies/0/why/0"));
    CHECK_TEXT(STRICT_POLICY, text_of(told, "/effective/policies/0/id"));
    mam_free(told);
    admin(*state, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"licensed\":false}");
    told = explain(STATE(state), ASK);
    CHECK(!truth_of(told, "/checkIn/delivers"));
    CHECK_TEXT("accountNotLicensed", text_of(told, "/checkIn/name"));
    CHECK_TEXT("refused", text_of(told, "/policies/0/why/0"));
    mam_free(told);
}

static void what_changes_is_told_and_not_done(void **state) {
    char *before = admin_reply(*state, "{\"action\":\"policy.list\"}");
    char *told = simulate(STATE(state), "{\"changes\":[" RELAX "],\"apps\":[\"" APP "\"]," PRINTING "}");
    CHECK_TEXT("looser", text_of(told, "/changes/0/decisions/0/change"));
    CHECK(truth_of(told, "/changes/0/decisions/0/after/allowed"));
    CHECK_TEXT("printBlocked", text_of(told, "/changes/0/decisions/0/before/reason/setting"));
    CHECK_NUMBER(2, count_of(told, "/changes/0/accounts"));
    mam_free(told);
    char *after = admin_reply(*state, "{\"action\":\"policy.list\"}");
    CHECK(is_same_json(before, after));
    mam_free(before);
    mam_free(after);
}

static void a_mistake_says_where_it_is(void **state) {
    char *told = (char *)"untouched";
    const char *authority = STATE(state);
    FAILS(MAM_ERR_NOT_FOUND,
          mam_policy_simulate(authority, "{\"changes\":[" RELAX ",{\"action\":\"policy.remove\",\"policy\":\"no\"}]}", &told));
    CULPRIT("list", "changes");
    CHECK(told == NULL);
    FAILS(MAM_ERR_ARGUMENT, mam_policy_simulate(authority, "{\"changes\":[{\"action\":\"user.list\"}]}", &told));
    FAILS(MAM_ERR_NOT_FOUND, mam_policy_simulate(authority, "{\"changes\":[],\"users\":[\"" EVE "\"]}", &told));
    CULPRIT("list", "users");
    FAILS(MAM_ERR_NOT_FOUND, mam_policy_explain(authority, "{\"user\":\"" EVE "\",\"app\":\"" APP "\"}", &told));
    CULPRIT("argument", "user");
    FAILS(MAM_ERR_JSON, mam_policy_explain(authority, "{\"user\":\"" ANN "\"}", &told));
    CULPRIT("argument", "app");
}

static void what_is_no_authority_is_refused(void **state) {
    char *told = NULL;
    const char *junk = in_office(*state, "junk.db");
    FAILS(MAM_ERR_NOT_FOUND, mam_policy_explain(junk, ASK, &told));
    FAILS(MAM_ERR_NOT_FOUND, mam_policy_simulate(junk, "{\"changes\":[]}", &told));
    FILE *file = fopen(junk, "w");
    CHECK(file != NULL);
    for (int i = 0; i < 5000; i++) fputs("junk", file);
    CHECK(fclose(file) == 0);
    FAILS(MAM_ERR_STORAGE, mam_policy_explain(junk, ASK, &told));
    FAILS(MAM_ERR_STORAGE, mam_policy_simulate(junk, "{\"changes\":[]}", &told));
    FAILS(MAM_ERR_STORAGE, mam_policy_simulate("/dev/null", "{\"changes\":[]}", &told));
    FAILS(MAM_ERR_ARGUMENT, mam_policy_simulate("", "{\"changes\":[]}", &told));
}

static void an_authority_too_large_for_memory_is_refused(void **state) {
    const char *authority = STATE(state);
    sql(authority, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 140) INSERT INTO imports "
                   "(id, id_key, policies, document) SELECT 'n' || i, CAST('n' || i AS BLOB), 1, hex(zeroblob(524288)) FROM n");
    char *told = NULL;
    FAILS(MAM_ERR_ARGUMENT, mam_policy_simulate(authority, "{\"changes\":[]}", &told));
    CULPRIT("argument", "path");
    told = explain(authority, ASK);
    mam_free(told);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(what_is_explained_is_delivered),
        WITH_OFFICE(what_changes_is_told_and_not_done),
        WITH_OFFICE(a_mistake_says_where_it_is),
        WITH_OFFICE(what_is_no_authority_is_refused),
        WITH_OFFICE(an_authority_too_large_for_memory_is_refused),
    };
    return cmocka_run_group_tests_name("rollout", tests, begin, NULL);
}
