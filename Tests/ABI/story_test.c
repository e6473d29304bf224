/* The main story: enroll, ask, protect, wipe; with a worker and without. And each function once with good arguments. */
#include "functions.h"

static void the_story(const office *o, const char *more) {
    mam_t *m = open_app(o, APP, more);
    mam_policy_t *ann = NULL, *nobody = NULL;
    mam_buffer work, personal, plain = {NULL, 0};
    char *json = NULL;
    int64_t op = 0;

    /* No account is managed: data cannot be kept apart. */
    FAILS(MAM_ERR_NOT_MANAGED, mam_protect(m, ANN, (const uint8_t *)"x", 1, &plain));
    CHECK_NUMBER(100, original_code());

    enroll_well(m, ANN);
    OK(mam_enrolled_accounts(m, &json));
    CHECK_NUMBER(1, count_of(json, ""));
    CHECK_TEXT(ANN_ID, text_of(json, "/0/accountId"));
    CHECK_TEXT(ANN, text_of(json, "/0/upn"));
    CHECK_TEXT("enrolled", text_of(json, "/0/state"));
    CHECK(truth_of(json, "/0/managed"));
    CHECK_NUMBER(100, number_of(json, "/0/lastCode"));
    CHECK(has(json, "/0/lastMessage") && !*text_of(json, "/0/lastMessage"));
    CHECK(*text_of(json, "/0/lastCheckIn") && *text_of(json, "/0/nextCheckIn"));
    mam_free(json);

    OK(mam_policy_for_account(m, "ANN@Contoso.EXAMPLE", &ann));
    OK(mam_policy_for_account(m, "", &nobody));
    CHECK_NUMBER(0, mam_policy_is_print_allowed(ann));
    CHECK_NUMBER(1, mam_policy_is_print_allowed(nobody));
    CHECK_NUMBER(1, mam_policy_is_pin_required(ann));
    CHECK_NUMBER(1, mam_policy_is_save_to_allowed(ann, MAM_SAVE_ONEDRIVE_FOR_BUSINESS, ANN));
    CHECK_NUMBER(0, mam_policy_is_save_to_allowed(ann, MAM_SAVE_LOCAL_DRIVE, NULL));
    OK(mam_policy_check(m, "{\"action\":\"saveTo\",\"account\":\"" ANN "\",\"location\":\"localDrive\"}", &json));
    CHECK(has(json, "/allowed") && !truth_of(json, "/allowed"));
    CHECK_TEXT("saveAsBlocked", text_of(json, "/reason/setting"));
    CHECK_TEXT(STRICT_POLICY, text_of(json, "/reason/policyId"));
    CHECK_TEXT("Strict", text_of(json, "/reason/policyName"));
    CHECK(truth_of(json, "/reason/value") && *text_of(json, "/reason/message"));
    mam_free(json);

    work = sealed(m, ANN, "work");
    personal = sealed(m, EVE, "personal");
    OK(opens_as(m, &work, "work"));
    OK(opens_as(m, &personal, "personal"));
    CHECK_NUMBER(1, mam_policy_can_receive_data(ann, work.data, work.length));
    CHECK_NUMBER(0, mam_policy_can_receive_data(ann, personal.data, personal.length));

    OK(mam_wipe_account(m, ANN, &op));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &work, "work"));
    CULPRIT("accountId", ANN_ID);
    CHECK_NUMBER(32, strlen(culprit("keyId")));
    OK(mam_protection_info(m, personal.data, personal.length, &json));
    CHECK(truth_of(json, "/authenticated") && !truth_of(json, "/encrypted"));
    mam_free(json);
    CHECK_NUMBER(104, code_of(m, op));
    OK(opens_as(m, &personal, "personal"));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &work, "work"));

    /* A late write is not taken for personal data. */
    FAILS(MAM_ERR_NOT_MANAGED, mam_protect(m, EVE, (const uint8_t *)"x", 1, &plain));
    enroll_well(m, BOB);
    FAILS(MAM_ERR_NOT_ENROLLED, mam_protect(m, ANN, (const uint8_t *)"x", 1, &plain));
    CHECK(plain.data == NULL && plain.length == 0);
    CHECK_NUMBER(0, mam_policy_is_save_to_allowed(ann, MAM_SAVE_ONEDRIVE_FOR_BUSINESS, ANN));

    json = next_event(m, "wipeDidComplete", SOON);
    CHECK_TEXT(ANN_ID, text_of(json, "/accountId"));
    CHECK_TEXT("host", text_of(json, "/reason"));
    CHECK(has(json, "/hostRemovedData") && !truth_of(json, "/hostRemovedData"));
    mam_free(json);
    OK(mam_registered_accounts(m, &json));
    CHECK_NUMBER(1, count_of(json, ""));
    CHECK_TEXT(BOB, text_of(json, "/0/upn"));
    mam_free(json);
    mam_buffer_free(&work);
    mam_buffer_free(&personal);
    mam_policy_release(ann);
    mam_policy_release(nobody);
    OK(mam_close(m));
}

static void with_a_worker(void **state) { the_story(*state, WORKER); }
static void without_a_worker(void **state) { the_story(*state, QUIET); }

static void everything_survives_a_restart(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_buffer work = sealed(m, ANN, "work"), personal = sealed(m, "", "personal");
    for (int i = 0; i < 3; i++) {
        OK(mam_close(m));
        m = open_quiet(o);
        OK(opens_as(m, &work, "work"));
        OK(opens_as(m, &personal, "personal"));
    }
    mam_policy_t *ann = NULL;
    OK(mam_policy_for_account(m, ANN_ID, &ann));
    CHECK_NUMBER(0, mam_policy_is_print_allowed(ann));
    mam_policy_release(ann);
    mam_buffer_free(&work);
    mam_buffer_free(&personal);
    OK(mam_close(m));
}

static void administrators_wipe(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_buffer work = sealed(m, ANN, "work");
    char *reply = admin_reply(o, "{\"action\":\"wipe.request\",\"user\":\"" ANN "\"}");
    CHECK_NUMBER(1, number_of(reply, "/pending"));
    mam_free(reply);
    CHECK_NUMBER(102, check_in(m, ANN));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &work, "work"));
    OK(mam_run_due(m));
    char *event = next_event(m, "wipeDidComplete", SOON);
    CHECK_TEXT("administrator", text_of(event, "/reason"));
    mam_free(event);
    reply = admin_reply(o, "{\"action\":\"wipe.list\"}");
    CHECK_NUMBER(0, number_of(reply, "/wipes/0/pending"));
    CHECK_NUMBER(1, number_of(reply, "/wipes/0/done"));
    mam_free(reply);
    /* It happens once: the old request does not wipe a re-enrolled account. */
    enroll_well(m, ANN);
    CHECK_NUMBER(101, check_in(m, ANN));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &work, "work"));
    mam_buffer_free(&work);
    OK(mam_close(m));
}

static void deregistering(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, QUIET);
    mam_policy_t *ann = NULL;
    char *json = NULL;
    int64_t op = 0;
    enroll_well(m, ANN);
    enroll_well(m, BOB);
    mam_buffer of_ann = sealed(m, ANN, "ann"), of_bob = sealed(m, BOB, "bob");
    OK(mam_policy_for_account(m, ANN, &ann));
    OK(mam_deregister_and_unenroll(m, ANN, 0, &op));
    CHECK_NUMBER(104, code_of(m, op));
    /* Without a wipe the app can still read; handles are closed, held and new. */
    OK(opens_as(m, &of_ann, "ann"));
    CHECK_NUMBER(0, mam_policy_is_print_allowed(ann));
    mam_policy_release(ann);
    OK(mam_policy_for_account(m, ANN, &ann));
    CHECK_NUMBER(0, mam_policy_is_print_allowed(ann));
    mam_policy_release(ann);
    mam_buffer late = {NULL, 0};
    FAILS(MAM_ERR_NOT_ENROLLED, mam_protect(m, ANN, (const uint8_t *)"x", 1, &late));
    FAILS(MAM_ERR_NOT_REGISTERED, mam_deregister_and_unenroll(m, ANN, 0, &op));
    CHECK_NUMBER(0, op);
    json = next_event(m, "unenrollRequest", SOON);
    CHECK_NUMBER(104, number_of(json, "/status/code"));
    mam_free(json);
    /* The wipe may come later. */
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &of_ann, "ann"));
    FAILS(MAM_ERR_NOT_REGISTERED, mam_wipe_account(m, ANN, &op));
    OK(opens_as(m, &of_bob, "bob"));
    /* And with one. */
    OK(mam_deregister_and_unenroll(m, BOB, 1, &op));
    CHECK_NUMBER(104, code_of(m, op));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &of_bob, "bob"));
    do {
        json = next_event(m, "wipeDidComplete", SOON);
        CHECK(json != NULL);
        op = strcmp(text_of(json, "/reason"), "deregistration") == 0;
        mam_free(json);
    } while (!op);
    char *registrations = admin_reply(o, "{\"action\":\"registration.list\"}");
    CHECK_NUMBER(0, count_of(registrations, "/registrations"));
    mam_free(registrations);
    mam_buffer_free(&of_ann);
    mam_buffer_free(&of_bob);
    OK(mam_close(m));
}

static void apps_of_a_group_share_no_keys(void **state) {
    const office *o = *state;
    mam_t *notes = open_enrolled(o), *mail = open_app(o, OTHER_APP, QUIET);
    mam_buffer work = sealed(notes, ANN, "work"), personal = sealed(notes, "", "personal");
    char *json = NULL;
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(mail, &work, "work"));
    enroll_well(mail, ANN);
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(mail, &work, "work"));
    CULPRIT("accountId", ANN_ID);
    OK(opens_as(mail, &personal, "personal"));
    OK(mam_protection_info(mail, work.data, work.length, &json));
    CHECK(!truth_of(json, "/authenticated") && truth_of(json, "/encrypted"));
    mam_free(json);
    /* A wipe is for one app. */
    mam_buffer mails = sealed(mail, ANN, "mail");
    int64_t op;
    OK(mam_wipe_account(notes, ANN, &op));
    CHECK_NUMBER(104, code_of(notes, op));
    OK(opens_as(mail, &mails, "mail"));
    mam_buffer_free(&work);
    mam_buffer_free(&personal);
    mam_buffer_free(&mails);
    OK(mam_close(notes));
    OK(mam_close(mail));
}

/* Questions and PINs have suites of their own: questions_test.c, pin_test.c. */
static bool has_its_moment(const function *f) {
    return strcmp(f->name, "mam_question_id") == 0 || strncmp(f->name, "mam_answer", 10) == 0 || strcmp(f->name, "mam_pin_set") == 0
        || strcmp(f->name, "mam_pin_verify") == 0;
}

static void run_well(const function *f, const office *o, mam_t *m, mam_policy_t *policy) {
    call_t call;
    good_arguments(f, &call, o, m, policy);
    if (strcmp(f->name, "mam_wait") == 0) OK(mam_check_in(m, NULL, &call.number)), call.timeout = SOON;
    run_function(f, &call);
    if (f->takes & IS_SILENT) call.status = MAM_OK;
    ok_at(__FILE__, __LINE__, f->name, call.status);
    if (!call.is_whole) failed_at(__FILE__, __LINE__, "%s gives no good answer", f->name);
    if (f->takes & TAKES_ROOM) CHECK(call.written > 0 && call.written <= call.capacity);
}

static void each_function_once(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_policy_t *policy = NULL;
    int ran = 0;
    for (size_t i = 0; i < function_count; i++) {
        if (functions[i].takes & ENDS || has_its_moment(&functions[i])) continue;
        mam_policy_release(policy);
        OK(mam_policy_for_account(m, ANN, &policy));
        run_well(&functions[i], o, m, policy);
        ran++;
    }
    for (size_t i = function_count; i-- > 0;) { /* mam_close comes first in the header, last here */
        if (!(functions[i].takes & ENDS) || has_its_moment(&functions[i])) continue;
        run_well(&functions[i], o, m, policy);
        ran++;
        if (strcmp(functions[i].name, "mam_forget_authority") == 0) enroll_well(m, ANN); /* closed until then */
        if (functions[i].takes & TAKES_ACCOUNT) {
            OK(mam_run_due(m));
            if (!mam_is_account_managed(m, ANN)) enroll_well(m, ANN);
        }
    }
    CHECK_NUMBER(function_count, ran + 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(with_a_worker),       WITH_OFFICE(without_a_worker), WITH_OFFICE(everything_survives_a_restart),
        WITH_OFFICE(administrators_wipe), WITH_OFFICE(deregistering),    WITH_OFFICE(apps_of_a_group_share_no_keys),
        WITH_OFFICE(each_function_once),
    };
    return cmocka_run_group_tests_name("story", tests, begin, NULL);
}
