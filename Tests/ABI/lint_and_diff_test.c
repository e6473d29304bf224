/* Policies before they apply: lint and diff. */
#include "support.h"

#define TYPE "\"@odata.type\":\"#libmam.linuxManagedAppProtection\""
#define HARD "{" TYPE ",\"id\":\"s\",\"displayName\":\"Strict\",\"printBlocked\":true,\"pinRequired\":true}"

static char *lint(const char *policy) {
    char *found = NULL;
    OK(mam_policy_lint(policy, &found));
    return found;
}

static char *diff(const char *before, const char *after) {
    char *found = NULL;
    OK(mam_policy_diff(before, after, &found));
    return found;
}

#define CONTAINS(text, part)                                                                         \
    do {                                                                                             \
        char *whole = (text);                                                                        \
        if (strstr(whole, part) == NULL) failed_at(__FILE__, __LINE__, "%s not in %s", part, whole); \
        mam_free(whole);                                                                             \
    } while (0)

static void ineffective_settings_are_found(void **state) {
    (void)state;
    CONTAINS(
        lint("{\"@odata.type\":\"#microsoft.graph.iosManagedAppProtection\",\"pinRequired\":false,\"minimumPinLength\":6}"),
        "\"kind\":\"ineffective\",\"setting\":\"minimumPinLength\"");
    CONTAINS(
        lint("{" TYPE ",\"noSuchSetting\":true}"), "\"severity\":\"warning\",\"kind\":\"unknown\",\"setting\":\"noSuchSetting\"");
    CONTAINS(lint("{\"type\":\"ios\",\"document\":{\"printBlock\":true}}"), "printBlocked");
    CONTAINS(
        lint("{" TYPE ",\"printBlocked\":\"yes\"}"), "\"severity\":\"warning\",\"kind\":\"value\",\"setting\":\"printBlocked\"");
    CONTAINS(lint("[{" TYPE ",\"printBlocked\":true},{" TYPE ",\"id\":\"two\"}]"), "\"findings\":[]");
    CONTAINS(lint("null"), "{\"policies\":[]}");
}

static void changes_have_a_direction(void **state) {
    (void)state;
    CONTAINS(diff("{" TYPE ",\"printBlocked\":false}", HARD), "{\"verdict\":\"stricter\"");
    CONTAINS(diff(HARD, "null"), "{\"verdict\":\"looser\"");
    CONTAINS(diff(HARD, HARD), "{\"verdict\":\"same\",\"launch\":[],\"changes\":[]}");
    CONTAINS(diff("{" TYPE ",\"printBlocked\":true}", "{" TYPE ",\"pinRequired\":true}"), "{\"verdict\":\"mixed\"");
    CONTAINS(diff(HARD, "[" HARD ",{" TYPE ",\"id\":\"t\",\"contactSyncBlocked\":true}]"), "{\"verdict\":\"stricter\"");
}

static void invalid_policies_are_named(void **state) {
    (void)state;
    char *found = (char *)"untouched";
    FAILS(MAM_ERR_JSON, mam_policy_lint("[1]", &found));
    CULPRIT("argument", "policy_json");
    CHECK(found == NULL);
    FAILS(MAM_ERR_JSON, mam_policy_diff("{" TYPE "}", "\"text\"", &found));
    CULPRIT("argument", "after_json");
    FAILS(MAM_ERR_ARGUMENT, mam_policy_lint("{\"hello\":\"world\"}", &found));
    CULPRIT("argument", "policy_json");
    FAILS(MAM_ERR_ARGUMENT, mam_policy_lint("{\"type\":\"mars\",\"document\":{}}", &found));
    FAILS(MAM_ERR_ARGUMENT, mam_policy_diff("null", "{\"@odata.type\":\"#microsoft.graph.iosCompliancePolicy\"}", &found));
    CULPRIT("argument", "after_json");
    size_t size = 0, count = 1001;
    char *many = malloc(2 + count * 3);
    CHECK(many != NULL);
    many[size++] = '[';
    for (size_t i = 0; i < count; i++) size += (size_t)sprintf(many + size, i == 0 ? "{}" : ",{}");
    memcpy(many + size, "]", 2);
    FAILS(MAM_ERR_ARGUMENT, mam_policy_lint(many, &found));
    CULPRIT("argument", "policy_json");
    free(many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(ineffective_settings_are_found, begin),
        cmocka_unit_test_setup(changes_have_a_direction, begin),
        cmocka_unit_test_setup(invalid_policies_are_named, begin),
    };
    return cmocka_run_group_tests_name("simulation", tests, NULL, NULL);
}
