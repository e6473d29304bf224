/* Decisions: each equals its predicate and mam_policy_check's reply, keeps what it says, and is released by the caller. */
#include "functions.h"

#define PRINT_OF_ANN "{\"action\":\"print\",\"account\":\"" ANN "\"}"

/* The texts of a decision are those of a reply, and "" where the reply has none. */
static void says(const mam_decision_t *decision, const char *reply) {
    char *json = NULL;
    OK(mam_decision_json(decision, &json));
    if (!is_same_json(reply, json)) failed_at(__FILE__, __LINE__, "%s instead of %s", json, reply);
    mam_free(json);
    CHECK_TEXT(text_of(reply, "/reason/setting"), mam_decision_setting(decision));
    CHECK_TEXT(text_of(reply, "/reason/policyName"), mam_decision_policy_name(decision));
    CHECK_TEXT(text_of(reply, "/reason/message"), mam_decision_message(decision));
    CHECK_TEXT(text_of(reply, "/reason/userMessage"), mam_decision_user_message(decision));
    CHECK_TEXT(text_of(reply, "/reason/messageKey"), mam_decision_message_key(decision));
    bool is_allowed = has(reply, "/required") ? !truth_of(reply, "/required") : truth_of(reply, "/allowed");
    CHECK_NUMBER(is_allowed, mam_decision_is_allowed(decision));
    OK(mam_last_status());
}

/* A request as a decision and as JSON. */
static bool agrees(mam_t *m, mam_decision_t *decision, const char *format, ...) {
    char request[1024], *reply = NULL;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(request, sizeof request, format, arguments);
    va_end(arguments);
    OK(mam_policy_check(m, request, &reply));
    if (decision == NULL) OK(mam_policy_decide(m, request, &decision));
    says(decision, reply);
    bool is_allowed = mam_decision_is_allowed(decision) == 1;
    CHECK(is_allowed == !has(reply, "/reason"));
    mam_free(reply);
    mam_decision_release(decision);
    return is_allowed;
}

static void equals_predicate_and_reply(void **state) {
    static const char *const accounts[] = {ANN, EVE, ""};
    static const char *const modes[] = {"import", "open", "export", "move"};
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    int refused = 0, allowed = 0;
    for (size_t a = 0; a < 3; a++) {
        mam_policy_t *policy = NULL;
        mam_decision_t *decision = NULL;
        OK(mam_policy_for_account(m, accounts[a], &policy));
        for (int32_t question = 0; question <= MAM_ASK_THIRD_PARTY_KEYBOARDS; question++) {
            const predicate *p = &predicates[question]; /* in the same order */
            OK(mam_policy_reason(policy, question, &decision));
            bool is_allowed = agrees(m, decision, "{\"action\":\"%s\",\"account\":\"%s\"}", p->action, accounts[a]);
            CHECK_NUMBER(is_allowed != p->is_requirement, p->ask(policy));
            CHECK(agrees(m, NULL, "{\"action\":\"%s\",\"account\":\"%s\"}", p->action, accounts[a]) == is_allowed);
            *(is_allowed ? &allowed : &refused) += 1;
        }
        for (int32_t mode = 0; mode < 4; mode++) {
            OK(mam_policy_reason(policy, MAM_ASK_PICKER_IMPORT + mode, &decision));
            bool is_allowed =
                agrees(m, decision, "{\"action\":\"documentPicker\",\"account\":\"%s\",\"mode\":\"%s\"}", accounts[a], modes[mode]);
            CHECK_NUMBER(is_allowed, mam_policy_is_document_picker_allowed(policy, mode));
        }
        OK(mam_policy_reason(policy, MAM_ASK_NOTIFICATION, &decision));
        CHECK(
            agrees(m, decision, "{\"action\":\"notification\",\"account\":\"%s\"}", accounts[a])
            == (mam_policy_notification(policy) != MAM_NOTIFICATION_BLOCK));
        OK(mam_policy_reason(policy, MAM_ASK_NOTIFICATION_ORG_DATA, &decision));
        CHECK(
            agrees(m, decision, "{\"action\":\"notificationOrgData\",\"account\":\"%s\"}", accounts[a])
            == (mam_policy_notification(policy) == MAM_NOTIFICATION_ALLOW));
        mam_policy_release(policy);
    }
    CHECK(refused > 5 && allowed > 5);
    OK(mam_close(m));
}

static void locations_and_links(void **state) {
    static const char *const accounts[] = {ANN, EVE};
    static const char *const links[] = {"https://example.com/a", "tel:123", "no link"};
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    for (size_t a = 0; a < 2; a++) {
        mam_policy_t *policy = NULL;
        mam_decision_t *decision = NULL;
        OK(mam_policy_for_account(m, accounts[a], &policy));
        for (size_t other = 0; other < 2; other++) {
            OK(mam_policy_save_to_reason(policy, MAM_SAVE_SHAREPOINT, accounts[other], &decision));
            bool saves = agrees(
                m, decision, "{\"action\":\"saveTo\",\"account\":\"%s\",\"location\":\"sharePoint\",\"locationAccount\":\"%s\"}",
                accounts[a], accounts[other]);
            CHECK_NUMBER(saves, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, accounts[other]));
            OK(mam_policy_open_from_reason(policy, MAM_OPEN_SHAREPOINT, accounts[other], &decision));
            bool opens = agrees(
                m, decision, "{\"action\":\"openFrom\",\"account\":\"%s\",\"location\":\"sharePoint\",\"locationAccount\":\"%s\"}",
                accounts[a], accounts[other]);
            CHECK_NUMBER(opens, mam_policy_is_open_from_allowed(policy, MAM_OPEN_SHAREPOINT, accounts[other]));
        }
        for (size_t i = 0; i < 3; i++) {
            char *reply = NULL;
            OK(mam_policy_url(policy, links[i], &reply));
            OK(mam_policy_url_reason(policy, links[i], 0, &decision));
            CHECK_NUMBER(truth_of(reply, "/allowed"), mam_decision_is_allowed(decision));
            CHECK_TEXT(text_of(reply, "/reason/setting"), mam_decision_setting(decision));
            CHECK_TEXT(text_of(reply, "/reason/message"), mam_decision_message(decision));
            CHECK_NUMBER(mam_decision_is_allowed(decision), mam_policy_is_url_allowed(policy, links[i], 0));
            mam_decision_release(decision);
            mam_free(reply);
        }
        mam_policy_release(policy);
    }
    OK(mam_close(m));
}

static void refusals_have_reasons(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_policy_t *policy = NULL;
    mam_decision_t *decision = NULL;
    OK(mam_policy_for_account(m, ANN, &policy));
    OK(mam_policy_save_to_reason(policy, MAM_SAVE_LOCAL_DRIVE, NULL, &decision));
    CHECK_NUMBER(0, mam_decision_is_allowed(decision));
    CHECK_TEXT("saveAsBlocked", mam_decision_setting(decision));
    CHECK(*mam_decision_policy_name(decision) != '\0');
    CHECK(strstr(mam_decision_message(decision), "localDrive") != NULL);
    CHECK_TEXT("refusedSaveToLocalDrive", mam_decision_message_key(decision));
    CHECK(*mam_decision_user_message(decision) != '\0');
    CHECK(strstr(mam_decision_user_message(decision), "localDrive") == NULL);
    CHECK(strstr(mam_decision_user_message(decision), mam_decision_setting(decision)) == NULL);
    mam_decision_release(decision);
    /* No setting decides about an account that the location cannot have. */
    OK(mam_policy_save_to_reason(policy, MAM_SAVE_LOCAL_DRIVE, ANN, &decision));
    CHECK_NUMBER(0, mam_decision_is_allowed(decision));
    CHECK_TEXT("", mam_decision_setting(decision));
    CHECK(*mam_decision_message(decision) != '\0');
    mam_decision_release(decision);
    mam_policy_release(policy);
    OK(mam_close(m));
}

/* Neither a wipe nor closing changes a decision that was made before. */
static void stays_as_it_was(void **state) {
    const office *o = *state;
    int64_t op;
    mam_t *m = open_enrolled(o);
    mam_policy_t *policy = NULL;
    mam_decision_t *before = NULL, *after = NULL;
    char *reply = NULL;
    OK(mam_policy_check(m, PRINT_OF_ANN, &reply));
    OK(mam_policy_for_account(m, ANN, &policy));
    OK(mam_policy_reason(policy, MAM_ASK_PRINT, &before));
    says(before, reply);
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    OK(mam_policy_reason(policy, MAM_ASK_PRINT, &after));
    CHECK_NUMBER(0, mam_decision_is_allowed(after));
    CHECK_TEXT("", mam_decision_setting(after));
    CHECK(strcmp(mam_decision_message(before), mam_decision_message(after)) != 0);
    mam_decision_release(after);
    mam_policy_release(policy);
    OK(mam_close(m));
    says(before, reply);
    mam_free(reply);
    mam_decision_release(before);
}

/* A released decision answers nothing, and releasing it again changes nothing. */
static void released_once(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_decision_t *decision = NULL, *other = NULL;
    char *json = (char *)1;
    OK(mam_policy_decide(m, PRINT_OF_ANN, &decision));
    mam_decision_release(decision);
    OK(mam_last_status());
    OK(mam_policy_decide(m, "{\"action\":\"contactSync\",\"account\":\"\"}", &other));
    mam_decision_release(decision);
    OK(mam_last_status());
    CHECK_NUMBER(0, mam_decision_is_allowed(decision));
    FAILS(MAM_ERR_CLOSED, mam_last_status());
    CULPRIT("argument", "decision");
    CHECK_TEXT("", mam_decision_message(decision));
    FAILS(MAM_ERR_CLOSED, mam_last_status());
    FAILS(MAM_ERR_CLOSED, mam_decision_json(decision, &json));
    CHECK(json == NULL);
    CHECK_NUMBER(1, mam_decision_is_allowed(other));
    CHECK_TEXT("", mam_decision_message(other));
    OK(mam_last_status());
    mam_decision_release(other);
    OK(mam_close(m));
}

static void only_one_request(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_decision_t *decision = (mam_decision_t *)1;
    FAILS(MAM_ERR_JSON, mam_policy_decide(m, "[" PRINT_OF_ANN "]", &decision));
    CHECK(decision == NULL);
    FAILS(MAM_ERR_ARGUMENT, mam_policy_decide(m, "{\"action\":\"fly\",\"account\":\"\"}", &decision));
    OK(mam_close(m));
    mam_policy_t *policy = NULL;
    m = open_app(o, APP, QUIET ",\"unknownIdentities\":\"error\"");
    OK(mam_policy_for_account(m, ANN, &policy));
    FAILS(MAM_ERR_NOT_FOUND, mam_policy_save_to_reason(policy, MAM_SAVE_OTHER, EVE, &decision));
    FAILS(MAM_ERR_NOT_FOUND, mam_policy_open_from_reason(policy, MAM_OPEN_OTHER, EVE, &decision));
    CHECK(decision == NULL);
    mam_policy_release(policy);
    OK(mam_close(m));
    FAILS(MAM_ERR_CLOSED, mam_policy_decide(m, PRINT_OF_ANN, &decision));
    FAILS(MAM_ERR_CLOSED, mam_policy_reason(policy, MAM_ASK_PRINT, &decision));
}

/* In a child the parent's decisions answer nothing; releasing them there leaves the parent's alone. */
static void child(void *user) {
    mam_decision_t *decision = user;
    char *json = NULL;
    CHECK_NUMBER(0, mam_decision_is_allowed(decision));
    FAILS(MAM_ERR_FORKED, mam_last_status());
    CHECK_TEXT("", mam_decision_policy_name(decision));
    FAILS(MAM_ERR_FORKED, mam_decision_json(decision, &json));
    mam_decision_release(decision);
    FAILS(MAM_ERR_FORKED, mam_last_status());
}

static void after_fork(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_decision_t *decision = NULL;
    char *reply = NULL;
    OK(mam_policy_check(m, PRINT_OF_ANN, &reply));
    OK(mam_policy_decide(m, PRINT_OF_ANN, &decision));
    in_child(child, decision);
    says(decision, reply);
    mam_free(reply);
    mam_decision_release(decision);
    OK(mam_close(m));
}

/* Any thread may ask and read; each decision is whole, also while the policy changes. */
static void *ask_often(void *user) {
    for (int i = 0; i < 300; i++) {
        mam_decision_t *decision = NULL;
        OK(mam_policy_reason(user, MAM_ASK_PRINT, &decision));
        bool is_allowed = mam_decision_is_allowed(decision) == 1;
        CHECK(is_allowed == (*mam_decision_message(decision) == '\0'));
        CHECK(is_allowed == (*mam_decision_setting(decision) == '\0'));
        mam_decision_release(decision);
    }
    return NULL;
}

static void whole_while_policy_changes(void **state) {
    enum { THREADS = 4 };
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_policy_t *policy = NULL;
    pthread_t threads[THREADS];
    OK(mam_policy_for_account(m, ANN, &policy));
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, ask_often, policy) == 0);
    for (int i = 0; i < 4; i++) {
        admin(
            o,
            "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
            "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Print\",\"printBlocked\":%s}}",
            i % 2 ? "true" : "false");
        CHECK_NUMBER(100, check_in(m, ANN));
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    mam_policy_release(policy);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(equals_predicate_and_reply),
        WITH_OFFICE(locations_and_links),
        WITH_OFFICE(refusals_have_reasons),
        WITH_OFFICE(stays_as_it_was),
        WITH_OFFICE(released_once),
        WITH_OFFICE(only_one_request),
        WITH_OFFICE(after_fork),
        WITH_OFFICE(whole_while_policy_changes),
    };
    return cmocka_run_group_tests_name("decisions", tests, begin, NULL);
}
