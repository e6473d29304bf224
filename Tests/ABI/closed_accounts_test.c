/* Accounts that are closed: for their own cause in every session of the app, for a session's cause in that one; and
 * PINs that only accounts in use require. */
#include "support.h"

#define MULTI QUIET_ "\"settings\":{\"MultiManagedIdentities\":true,\"MultiIdentity\":true}"
#define QUIET_ "\"worker\":false,\"questions\":\"events\","

/* Replace the one policy, with more members. */
static void policy(const office *o, const char *more) {
    admin(
        o,
        "{\"action\":\"policy.import\",\"replace\":true,\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"one\",\"displayName\":\"One\"%s}}",
        more);
    admin(o, "{\"action\":\"policy.assign\",\"policy\":\"one\",\"allUsers\":true}");
    admin(o, "{\"action\":\"policy.target\",\"policy\":\"one\",\"allApps\":true}");
}

static void fault(const office *o, bool is_on) {
    if (is_on) admin(o, "{\"action\":\"fault.set\",\"fault\":\"network\",\"operation\":\"checkIn\"}");
    else admin(o, "{\"action\":\"fault.clear\"}");
}

/* Launch or resume with every question answered by its default, except the PIN; returns the number of questions. The
 * outcome is valid until the next call. */
static const char *outcome;
static int asked(mam_t *m, bool is_resume, const char *pin) {
    static char kept[64];
    int64_t op = 0;
    char *report = NULL, *event;
    int count = 0;
    OK(is_resume ? mam_resume(m, &op) : mam_launch(m, &op));
    while (mam_wait(m, op, 0, &report) == MAM_ERR_TIMEOUT) {
        event = next_event(m, "question", 0);
        if (event == NULL) continue;
        if (strcmp(text_of(event, "/question"), "pin") == 0) count++;
        if (pin != NULL && strcmp(text_of(event, "/question"), "pin") == 0)
            OK(mam_answer_secret(m, number_of(event, "/id"), (const uint8_t *)pin, strlen(pin)));
        else OK(mam_answer(m, number_of(event, "/id"), "null"));
        mam_free(event);
    }
    OK(mam_last_status());
    snprintf(kept, sizeof kept, "%s", text_of(report, "/outcome"));
    outcome = kept;
    mam_free(report);
    return count;
}

static void is_closed(mam_t *m, const mam_buffer *container, int reason, const char *check) {
    int32_t why = 0;
    char *json = NULL;
    mam_bool is_allowed = 1;
    mam_policy_t *p = NULL;
    mam_buffer out = {NULL, 0};
    OK(mam_blocked_reason(m, ANN, &why));
    CHECK_NUMBER(reason, why);
    OK(mam_blocked_accounts(m, &json));
    CHECK_NUMBER(1, count_of(json, ""));
    CHECK_TEXT(ANN, text_of(json, "/0/upn"));
    mam_free(json);
    FAILS(MAM_ERR_LOCKED, opens_as(m, container, "a note"));
    CULPRIT("check", check);
    OK(mam_policy_for_account(m, ANN, &p));
    is_allowed = mam_policy_is_contact_sync_allowed(p);
    CHECK_NUMBER(0, is_allowed);
    mam_policy_release(p);
    OK(mam_protect(m, ANN, (const uint8_t *)"unsaved", 7, &out)); /* open data can still be saved */
    mam_buffer_free(&out);
}

static void is_open(mam_t *m, const mam_buffer *container) {
    char *json = NULL;
    OK(mam_blocked_accounts(m, &json));
    CHECK_TEXT("[]", json);
    mam_free(json);
    OK(opens_as(m, container, "a note"));
}

static void a_disabled_user_is_closed_in_every_session(void **state) {
    const office *o = *state;
    policy(o, ",\"appActionIfUnableToAuthenticateUser\":\"block\"");
    mam_t *m = open_quiet(o), *other = open_quiet(o);
    enroll_well(m, ANN);
    mam_buffer note = sealed(m, ANN, "a note");
    is_open(other, &note);
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"enabled\":false}");
    CHECK_NUMBER(100, check_in(m, ANN));
    is_closed(m, &note, MAM_BLOCK_CONDITIONAL_LAUNCH, "disabledAccount");
    is_closed(other, &note, MAM_BLOCK_CONDITIONAL_LAUNCH, "disabledAccount");
    int64_t op; /* unenrolling opens no closed account, but enrolling again does */
    OK(mam_deregister_and_unenroll(m, ANN, 0, &op));
    CHECK_NUMBER(104, code_of(m, op));
    FAILS(MAM_ERR_LOCKED, opens_as(m, &note, "a note"));
    FAILS(MAM_ERR_LOCKED, opens_as(other, &note, "a note"));
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"enabled\":true}");
    enroll_well(m, ANN);
    is_open(m, &note);
    is_open(other, &note);
    mam_buffer_free(&note);
    OK(mam_close(other));
    OK(mam_close(m));
}

static void offline_for_too_long_is_closed_in_every_session(void **state) {
    const office *o = *state;
    policy(o, ",\"periodOfflineBeforeAccessCheck\":\"PT0S\"");
    mam_t *m = open_quiet(o), *other = open_quiet(o);
    enroll_well(m, ANN);
    mam_buffer note = sealed(m, ANN, "a note");
    fault(o, true);
    is_open(other, &note);
    asked(m, false, NULL);
    CHECK_TEXT("blocked", outcome);
    is_closed(m, &note, MAM_BLOCK_CONDITIONAL_LAUNCH, "offline");
    is_closed(other, &note, MAM_BLOCK_CONDITIONAL_LAUNCH, "offline");
    OK(mam_close(other)); /* a session that is opened later knows it too */
    other = open_quiet(o);
    is_closed(other, &note, MAM_BLOCK_CONDITIONAL_LAUNCH, "offline");
    fault(o, false);
    CHECK_NUMBER(101, check_in(other, ANN));
    is_open(m, &note);
    is_open(other, &note);
    mam_buffer_free(&note);
    OK(mam_close(other));
    OK(mam_close(m));
}

static void a_session_s_cause_closes_only_that_session(void **state) {
    const office *o = *state;
    mam_t *old = NULL, *new = NULL;
    OK(open_with_app(o, APP, ",\"version\":\"1.0\"", QUIET, &old));
    OK(open_with_app(o, APP, ",\"version\":\"2.0\"", QUIET, &new));
    policy(o, ",\"minimumRequiredAppVersion\":\"2.0\"");
    enroll_well(old, ANN);
    mam_buffer note = sealed(old, ANN, "a note");
    is_open(old, &note);
    asked(old, false, NULL);
    is_closed(old, &note, MAM_BLOCK_CONDITIONAL_LAUNCH, "appVersion");
    asked(new, false, NULL);
    CHECK_TEXT("allowed", outcome);
    is_open(new, &note);
    mam_buffer_free(&note);
    OK(mam_close(new));
    OK(mam_close(old));
}

static void only_accounts_in_use_require_pins(void **state) {
    const office *o = *state;
    policy(o, ",\"pinRequired\":true,\"periodOnlineBeforeAccessCheck\":\"PT0S\"");
    mam_t *m = open_app(o, APP, MULTI);
    enroll_well(m, ANN);
    enroll_well(m, BOB);
    OK(mam_pin_set(m, ANN, NULL, 0, (const uint8_t *)"2580", 4));
    mam_buffer note = sealed(m, ANN, "a note");
    CHECK_NUMBER(0, asked(m, false, NULL)); /* nothing is set: no account is in use */
    CHECK_TEXT("allowed", outcome);
    CHECK_NUMBER(0, asked(m, true, NULL));
    CHECK_TEXT("allowed", outcome);
    is_open(m, &note);
    OK(mam_set_process_identity(m, ANN));
    CHECK_NUMBER(1, asked(m, true, NULL)); /* only Ann, not Bob, who never set one */
    CHECK_TEXT("blocked", outcome);
    is_closed(m, &note, MAM_BLOCK_LAUNCH_CANCELED, "pin");
    OK(mam_set_process_identity(m, NULL));
    CHECK_NUMBER(0, asked(m, true, NULL)); /* an account without its proof stays closed */
    CHECK_TEXT("allowed", outcome);
    is_closed(m, &note, MAM_BLOCK_LAUNCH_CANCELED, "pin");
    OK(mam_set_process_identity(m, ANN));
    CHECK_NUMBER(1, asked(m, true, "2580"));
    CHECK_TEXT("allowed", outcome);
    is_open(m, &note);
    mam_buffer_free(&note);
    OK(mam_close(m));
}

static void a_verified_pin_opens_what_the_pin_closed(void **state) {
    const office *o = *state;
    policy(o, ",\"pinRequired\":true,\"periodOnlineBeforeAccessCheck\":\"PT0S\",\"appActionIfUnableToAuthenticateUser\":\"block\"");
    mam_t *m = open_quiet(o);
    enroll_well(m, ANN);
    mam_buffer note = sealed(m, ANN, "a note");
    asked(m, false, NULL);
    is_closed(m, &note, MAM_BLOCK_LAUNCH_CANCELED, "pin");
    OK(mam_pin_set(m, ANN, NULL, 0, (const uint8_t *)"2580", 4));
    is_open(m, &note);
    asked(m, true, NULL);
    is_closed(m, &note, MAM_BLOCK_LAUNCH_CANCELED, "pin");
    FAILS(MAM_ERR_DENIED, mam_pin_verify(m, ANN, (const uint8_t *)"2581", 4));
    is_closed(m, &note, MAM_BLOCK_LAUNCH_CANCELED, "pin");
    OK(mam_pin_verify(m, ANN, (const uint8_t *)"2580", 4));
    is_open(m, &note);
    asked(m, true, NULL);
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"enabled\":false}");
    CHECK_NUMBER(100, check_in(m, ANN));
    OK(mam_pin_verify(m, ANN, (const uint8_t *)"2580", 4)); /* the PIN's own reason, nothing else */
    is_closed(m, &note, MAM_BLOCK_CONDITIONAL_LAUNCH, "disabledAccount");
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"enabled\":true}");
    CHECK_NUMBER(100, check_in(m, ANN));
    is_open(m, &note);
    mam_buffer_free(&note);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITHOUT_PIN(a_disabled_user_is_closed_in_every_session), WITHOUT_PIN(offline_for_too_long_is_closed_in_every_session),
        WITHOUT_PIN(a_session_s_cause_closes_only_that_session), WITHOUT_PIN(only_accounts_in_use_require_pins),
        WITHOUT_PIN(a_verified_pin_opens_what_the_pin_closed),
    };
    return cmocka_run_group_tests_name("closed", tests, begin, NULL);
}
