/* Data that leaves an app: notifications, the clipboard and web viewers, with their reasons. */
#include "support.h"

#define POLICY(members)                                                                                  \
    "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\"," \
    "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Clip\"," members "}}"

static mam_policy_t *policy_of(mam_t *m, const char *account) {
    mam_policy_t *policy = NULL;
    OK(mam_policy_for_account(m, account, &policy));
    return policy;
}

static void notifications(void **state) {
    const office *o = *state;
    static const char *const levels[] = {"allow", "blockOrganizationalData", "block", "perhaps"};
    static const int32_t wanted[] = {
        MAM_NOTIFICATION_ALLOW,
        MAM_NOTIFICATION_BLOCK_ORG_DATA,
        MAM_NOTIFICATION_BLOCK,
        MAM_NOTIFICATION_BLOCK,
    };
    mam_t *m = open_enrolled(o);
    mam_policy_t *ann = policy_of(m, ANN), *nobody = policy_of(m, NULL);
    for (size_t i = 0; i < 4; i++) {
        admin(o, POLICY("\"notificationRestriction\":\"%s\""), levels[i]);
        check_in(m, ANN);
        CHECK_NUMBER(wanted[i], mam_policy_notification(ann));
        CHECK_NUMBER(MAM_OK, mam_last_status());
        CHECK_NUMBER(MAM_NOTIFICATION_ALLOW, mam_policy_notification(nobody));
    }
    CHECK_NUMBER(MAM_NOTIFICATION_BLOCK, mam_policy_notification(NULL));
    CHECK_NUMBER(MAM_ERR_ARGUMENT, mam_last_status());
    OK(mam_close(m));
    CHECK_NUMBER(MAM_NOTIFICATION_BLOCK, mam_policy_notification(nobody));
    CHECK_NUMBER(MAM_ERR_CLOSED, mam_last_status());
    mam_policy_release(ann);
    mam_policy_release(nobody);
}

static void pastes(mam_policy_t *policy, const char *to, size_t length, bool allowed, long long limit) {
    char *json = NULL;
    OK(mam_policy_clipboard(policy, to, length, &json));
    CHECK_NUMBER(allowed, truth_of(json, "/allowed"));
    CHECK_NUMBER(limit < 0, strstr(json, "\"limit\":null") != NULL);
    if (limit >= 0) CHECK_NUMBER(limit, number_of(json, "/limit"));
    CHECK_NUMBER(!allowed, has(json, "/reason/message"));
    mam_free(json);
}

static void clipboard(void **state) {
    const office *o = *state;
    admin(
        o,
        POLICY("\"allowedOutboundClipboardSharingLevel\":\"managedApps\","
               "\"allowedOutboundClipboardSharingExceptionLength\":12"));
    mam_t *m = open_enrolled(o);
    mam_policy_t *ann = policy_of(m, ANN), *eve = policy_of(m, EVE);
    pastes(ann, NULL, 12, true, 12);
    pastes(ann, NULL, 13, false, 12);
    pastes(ann, "", PTRDIFF_MAX, false, 12);
    pastes(ann, EVE, 13, false, 12);
    pastes(ann, "Ann@Contoso.example", PTRDIFF_MAX, true, -1);
    pastes(ann, ANN_ID, 13, true, -1);
    pastes(eve, ANN, 13, false, 12); /* incoming */
    pastes(eve, BOB, 13, false, 0);  /* unknown in the organisation's domain */
    OK(mam_register_account(m, BOB));
    pastes(eve, BOB, 13, true, -1); /* not enrolled: a user like any other */
    enroll_well(m, BOB);
    pastes(ann, BOB, 13, true, -1); /* of the same tenant */
    pastes(eve, BOB, 13, false, 12);
    mam_policy_release(eve);
    mam_policy_release(ann);
    OK(mam_close(m));
}

static void invalid_arguments(void **state) {
    mam_t *m = open_enrolled(*state);
    mam_policy_t *ann = policy_of(m, ANN);
    char *json = NULL;
    FAILS(MAM_ERR_ARGUMENT, mam_policy_clipboard(ann, NULL, SIZE_MAX, &json));
    CULPRIT("argument", "length");
    FAILS(MAM_ERR_ARGUMENT, mam_policy_clipboard(ann, NULL, (size_t)PTRDIFF_MAX + 1, &json));
    CHECK(json == NULL);
    char *long_name = malloc(1 << 20);
    memset(long_name, 'a', (1 << 20) - 1);
    long_name[(1 << 20) - 1] = '\0';
    FAILS(MAM_ERR_ARGUMENT, mam_policy_clipboard(ann, long_name, 1, &json));
    CULPRIT("argument", "account");
    FAILS(MAM_ERR_ARGUMENT, mam_policy_clipboard(ann, " ann", 1, &json));
    free(long_name);
    mam_policy_release(ann);
    OK(mam_close(m));
}

typedef struct answers {
    mam_t *m;
    const char *answer; /* NULL: never */
    pthread_t thread;
    int asked;
} answers;

static void answer_external(void *user, mam_question_t *question, const char *json) {
    answers *a = user;
    CHECK_TEXT("isExternalURL", text_of(json, "/question"));
    CHECK_TEXT("https://contoso.example/", text_of(json, "/url"));
    CHECK_TEXT(ANN_ID, text_of(json, "/accountId"));
    CHECK(pthread_equal(a->thread, pthread_self()));
    a->asked++;
    if (a->answer) OK(mam_answer(a->m, mam_question_id(question), a->answer));
}

static bool opens(mam_policy_t *policy, const char *viewer) {
    char *json = NULL;
    OK(mam_policy_web_view(policy, viewer, &json));
    bool is_allowed = truth_of(json, "/url/allowed");
    CHECK_NUMBER(is_allowed, !truth_of(json, "/external"));
    CHECK_TEXT(ANN_ID, text_of(json, "/identity"));
    mam_free(json);
    return is_allowed;
}

static void web_views_with(const office *o, const char *more) {
    mam_t *m = open_app(o, APP, more);
    if (enroll(m, ANN) != 100) check_in(m, ANN);
    mam_policy_t *ann = policy_of(m, ANN);
    const char *asking = "{\"url\":\"https://contoso.example/\",\"external\":\"ask\"}";
    CHECK(!opens(ann, asking)); /* no delegate */
    answers a = {m, "{\"external\":false}", pthread_self(), 0};
    OK(mam_set_delegate(m, answer_external, &a));
    CHECK(opens(ann, asking));
    a.answer = "{\"external\":true}";
    CHECK(!opens(ann, asking));
    a.answer = "null";
    CHECK(!opens(ann, asking));
    a.answer = NULL; /* until the deadline */
    CHECK(!opens(ann, asking));
    CHECK_NUMBER(4, a.asked);
    CHECK(opens(ann, "{\"url\":\"https://contoso.example/\"}"));
    CHECK(!opens(ann, "{\"url\":\"https://contoso.example/\",\"external\":true}"));
    CHECK_NUMBER(4, a.asked);
    /* Not if it decides nothing. */
    char *json = NULL;
    OK(mam_policy_web_view(ann, "{\"policy\":\"unmanaged\",\"url\":\"x:\",\"external\":\"ask\"}", &json));
    CHECK_TEXT("", text_of(json, "/identity"));
    mam_free(json);
    CHECK_NUMBER(4, a.asked);
    mam_policy_release(ann);
    OK(mam_set_delegate(m, NULL, NULL));
    OK(mam_close(m));
}

static void web_views(void **state) {
    const office *o = *state;
    admin(o, POLICY("\"managedBrowserToOpenLinksRequired\":true"));
    web_views_with(o, QUIET ",\"questionTimeout\":\"PT1S\"");
    web_views_with(o, WORKER ",\"questionTimeout\":\"PT1S\"");
}

static void invalid_viewers(void **state) {
    mam_t *m = open_enrolled(*state);
    mam_policy_t *ann = policy_of(m, ANN);
    char *json = NULL;
    FAILS(MAM_ERR_JSON, mam_policy_web_view(ann, "{\"policy\":\"moon\"}", &json));
    CULPRIT("setting", "viewer_json.policy");
    FAILS(MAM_ERR_JSON, mam_policy_web_view(ann, "{\"external\":\"ask\"}", &json));
    char *viewer = malloc(MAM_URL_MAX + 100);
    int at = sprintf(viewer, "{\"url\":\"x:");
    memset(viewer + at, 'a', MAM_URL_MAX);
    strcpy(viewer + at + MAM_URL_MAX, "\"}");
    FAILS(MAM_ERR_ARGUMENT, mam_policy_web_view(ann, viewer, &json));
    CHECK(json == NULL);
    free(viewer);
    mam_policy_release(ann);
    OK(mam_close(m));
}

static void after_a_wipe(void **state) {
    mam_t *m = open_enrolled(*state);
    mam_policy_t *ann = policy_of(m, ANN);
    pastes(ann, ANN, 1, true, -1);
    int64_t op = 0;
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(MAM_NOTIFICATION_BLOCK, mam_policy_notification(ann));
    pastes(ann, ANN, 1, false, 0);
    pastes(ann, NULL, 0, false, 0);
    mam_policy_release(ann);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(notifications), WITH_OFFICE(clipboard),       WITH_OFFICE(invalid_arguments),
        WITH_OFFICE(web_views),     WITH_OFFICE(invalid_viewers), WITH_OFFICE(after_a_wipe),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
