/* PINs: set, tried, changed, reset; what counts as an attempt, and the consequence of the last one. */
#include "support.h"

#define ASKS "\"worker\":false,\"questions\":\"events\"," SEVERAL

static const uint8_t *bytes_of(const char *text) { return (const uint8_t *)text; }
static mam_status set_pin(mam_t *m, const char *old, const char *new_pin) {
    return mam_pin_set(m, ANN, (const uint8_t *)old, old ? strlen(old) : 0, bytes_of(new_pin), strlen(new_pin));
}
static mam_status try_pin(mam_t *m, const char *pin) { return mam_pin_verify(m, ANN, bytes_of(pin), strlen(pin)); }

/* Replace the one policy, with more members. */
static void ask_for_pin(const office *o, const char *more) {
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\",\"id\":\"pins\","
        "\"displayName\":\"PINs\",\"pinRequired\":true,\"maximumPinRetries\":3%s}}",
        more);
    admin(o, "{\"action\":\"policy.assign\",\"policy\":\"pins\",\"allUsers\":true}");
    admin(o, "{\"action\":\"policy.target\",\"policy\":\"pins\",\"allApps\":true}");
}

static mam_t *with_pin(const office *o, const char *more) {
    ask_for_pin(o, more);
    mam_t *m = open_app(o, APP, ASKS);
    enroll_well(m, ANN);
    OK(set_pin(m, NULL, "1397"));
    return m;
}

/* Valid until the next call. */
static const char *status_of_pin(mam_t *m) {
    static char kept[1024];
    char *json = NULL;
    OK(mam_pin_status(m, ANN, &json));
    CHECK(is_json(json) && strlen(json) < sizeof kept);
    strcpy(kept, json);
    mam_free(json);
    return kept;
}
static const char *state_of_pin(mam_t *m) { return text_of(status_of_pin(m), "/state"); }
static long long attempts_left(mam_t *m) { return number_of(status_of_pin(m), "/attemptsLeft"); }

/* The attempts left, from the last error. */
static long long left_after(void) {
    char *json = NULL;
    CHECK_NUMBER(MAM_OK, mam_last_error_json(&json));
    long long left = number_of(json, "/detail/attemptsLeft");
    mam_free(json);
    return left;
}

static void set_and_entered(void **state) {
    const office *o = *state;
    ask_for_pin(o, "");
    mam_t *m = open_app(o, APP, ASKS);
    enroll_well(m, ANN);
    CHECK_TEXT("notSet", state_of_pin(m));
    FAILS(MAM_ERR_NOT_FOUND, try_pin(m, "1397"));
    FAILS(MAM_ERR_NOT_FOUND, set_pin(m, "1111", "1397"));
    FAILS(MAM_ERR_DENIED, set_pin(m, NULL, "139"));
    CULPRIT("reason", "unfit");
    OK(set_pin(m, NULL, "1397"));
    CHECK_TEXT("set", state_of_pin(m));
    CHECK_NUMBER(3, attempts_left(m));
    OK(try_pin(m, "1397"));
    FAILS(MAM_ERR_DENIED, set_pin(m, NULL, "2468"));
    CULPRIT("reason", "oldRequired");
    OK(set_pin(m, "1397", "2468"));
    OK(try_pin(m, "2468"));
    FAILS(MAM_ERR_DENIED, try_pin(m, "1397"));
    CULPRIT("reason", "wrong");
    CHECK_NUMBER(2, attempts_left(m));
    OK(try_pin(m, "2468"));
    CHECK_NUMBER(3, attempts_left(m));
    OK(mam_close(m));
}

static void shared_by_the_group(void **state) {
    const office *o = *state;
    mam_t *m = with_pin(o, ""), *mail = open_app(o, OTHER_APP, ASKS);
    enroll_well(mail, ANN);
    OK(try_pin(mail, "1397"));
    FAILS(MAM_ERR_DENIED, try_pin(mail, "0000"));
    CHECK_NUMBER(2, attempts_left(m));
    OK(set_pin(mail, "1397", "8642"));
    OK(try_pin(m, "8642"));
    /* A wipe of one app leaves the PIN to the other. */
    int64_t op = 0;
    OK(mam_wipe_account(mail, ANN, &op));
    OK(mam_close(mail));
    OK(try_pin(m, "8642"));
    OK(mam_close(m));
}

static void every_attempt_counts(void **state) {
    const office *o = *state;
    mam_t *m = with_pin(o, ""), *other = open_app(o, APP, ASKS);
    FAILS(MAM_ERR_DENIED, try_pin(m, "0001"));
    CHECK_NUMBER(2, left_after());
    FAILS(MAM_ERR_DENIED, try_pin(other, "0002"));
    OK(mam_close(m));
    m = open_app(o, APP, ASKS);
    FAILS(MAM_ERR_DENIED, set_pin(m, "0003", "2468")); /* the former PIN of a change counts as well */
    CHECK_NUMBER(0, left_after());
    CHECK_TEXT("exhausted", state_of_pin(m));
    FAILS(MAM_ERR_LOCKED, try_pin(m, "1397")); /* the right one comes too late */
    CULPRIT("reason", "exhausted");
    FAILS(MAM_ERR_LOCKED, set_pin(other, "1397", "2468"));
    char *json = NULL;
    OK(mam_enrolled_accounts(m, &json)); /* block: nothing is wiped */
    CHECK_NUMBER(1, count_of(json, ""));
    mam_free(json);
    OK(mam_close(other));
    OK(mam_close(m));
}

static void an_invalid_pin_is_no_attempt(void **state) {
    const office *o = *state;
    mam_t *m = with_pin(o, "");
    uint8_t *large = malloc(10 << 20);
    memset(large, '1', 10 << 20);
    FAILS(MAM_ERR_ARGUMENT, mam_pin_verify(m, ANN, large, 10 << 20));
    CULPRIT("argument", "pin");
    FAILS(MAM_ERR_ARGUMENT, mam_pin_verify(m, ANN, large, MAM_PIN_MAX + 1));
    FAILS(MAM_ERR_ARGUMENT, mam_pin_set(m, ANN, bytes_of("1397"), 4, large, 10 << 20));
    CULPRIT("argument", "new_pin");
    FAILS(MAM_ERR_ARGUMENT, mam_pin_set(m, ANN, large, 10 << 20, bytes_of("1397"), 4));
    CULPRIT("argument", "old");
    FAILS(MAM_ERR_ARGUMENT, mam_pin_verify(m, ANN, large, SIZE_MAX));
    CULPRIT("argument", "length");
    FAILS(MAM_ERR_ARGUMENT, mam_pin_set(m, ANN, NULL, 5, large, 4));
    FAILS(MAM_ERR_ARGUMENT, mam_pin_set(m, ANN, large, 0, large, 4));
    FAILS(MAM_ERR_ARGUMENT, mam_pin_set(m, ANN, NULL, 0, NULL, 0));
    static const struct {
        const char *pin;
        size_t length;
    } bad[] = {
        {"", 0},
        {"13\0007", 4},
        {"1397", 5},
        {"13\x80", 3},
        {"\xc0\x80"
         "13",
         4},
        {"13\n", 3},
        {"\xed\xa0\x80"
         "1",
         4},
        {NULL, 0},
        {NULL, 4},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        FAILS(MAM_ERR_ARGUMENT, mam_pin_verify(m, ANN, (const uint8_t *)bad[i].pin, bad[i].length));
    CHECK_NUMBER(3, attempts_left(m));
    FAILS(MAM_ERR_DENIED, mam_pin_verify(m, ANN, large, MAM_PIN_MAX)); /* the longest possible one is a wrong one */
    CHECK_NUMBER(2, left_after());
    free(large);
    OK(mam_close(m));
}

static void without_a_pin(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, ASKS);
    char *json = NULL;
    int64_t op;
    FAILS(MAM_ERR_NOT_ENROLLED, mam_pin_status(m, ANN, &json));
    FAILS(MAM_ERR_NOT_ENROLLED, try_pin(m, "1397"));
    FAILS(MAM_ERR_ARGUMENT, mam_pin_verify(m, NULL, bytes_of("1397"), 4));
    FAILS(MAM_ERR_ARGUMENT, mam_pin_verify(m, "", bytes_of("1397"), 4));
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\",\"id\":\"" STRICT_POLICY
        "\",\"displayName\":\"No PIN\",\"pinRequired\":false}}");
    enroll_well(m, ANN);
    CHECK_TEXT("notRequired", state_of_pin(m));
    FAILS(MAM_ERR_DENIED, try_pin(m, "1397"));
    FAILS(MAM_ERR_DENIED, set_pin(m, NULL, "1397"));
    FAILS(MAM_ERR_DENIED, mam_pin_reset(m, ANN, &op));
    FAILS(MAM_ERR_NOT_ENROLLED, mam_pin_reset(m, BOB, &op));
    OK(mam_close(m));
    FAILS(MAM_ERR_CLOSED, try_pin(m, "1397"));
}

static void rules_for_a_new_pin(void **state) {
    const office *o = *state;
    mam_t *m = with_pin(o, ",\"simplePinBlocked\":true,\"minimumPinLength\":4,\"previousPinBlockCount\":2");
    FAILS(MAM_ERR_DENIED, set_pin(m, "1397", "1235"));
    FAILS(MAM_ERR_DENIED, set_pin(m, "1397", "139a"));
    FAILS(MAM_ERR_DENIED, set_pin(m, "1397", "139"));
    CHECK_NUMBER(3, attempts_left(m)); /* an unfit one costs no attempt */
    FAILS(MAM_ERR_DENIED, set_pin(m, "1397", "1397"));
    OK(set_pin(m, "1397", "2468"));
    FAILS(MAM_ERR_DENIED, set_pin(m, "2468", "1397"));
    CULPRIT("reason", "unfit");
    OK(set_pin(m, "2468", "9713"));
    OK(set_pin(m, "9713", "1397")); /* the third last one may be chosen again */
    OK(mam_close(m));
}

static void a_policy_that_requires_more(void **state) {
    const office *o = *state;
    mam_t *m = with_pin(o, "");
    ask_for_pin(o, ",\"minimumPinLength\":6");
    CHECK_NUMBER(100, check_in(m, ANN));
    CHECK_TEXT("set", state_of_pin(m)); /* not yet known */
    FAILS(MAM_ERR_LOCKED, try_pin(m, "1397"));
    CULPRIT("reason", "tooWeak");
    CHECK_TEXT("tooWeak", state_of_pin(m));
    CHECK_NUMBER(3, attempts_left(m));
    FAILS(MAM_ERR_DENIED, set_pin(m, "1397", "2468"));
    OK(set_pin(m, "1397", "246813"));
    OK(try_pin(m, "246813"));
    OK(mam_close(m));
}

static void the_last_attempt_wipes(void **state) {
    const office *o = *state;
    mam_t *m = with_pin(o, ",\"appActionIfMaximumPinRetriesExceeded\":\"wipe\"");
    mam_t *mail = open_app(o, OTHER_APP, ASKS);
    enroll_well(mail, ANN);
    mam_buffer secret = sealed(m, ANN, "minutes"), mails = sealed(mail, ANN, "mail");
    for (int i = 0; i < 3; i++) FAILS(MAM_ERR_DENIED, try_pin(m, "0000"));
    CHECK(opens_as(m, &secret, NULL) != MAM_OK); /* at once */
    OK(mam_run_due(m));
    char *event = next_event(m, "question", 0);
    if (event != NULL) OK(mam_answer(m, number_of(event, "/id"), "{\"removed\":true}"));
    mam_free(event);
    OK(mam_run_due(m));
    event = next_event(m, "wipeDidComplete", SOON);
    CHECK_TEXT("pin", text_of(event, "/reason"));
    mam_free(event);
    /* After re-enrollment it is not wiped again: the person signs in. */
    enroll_well(m, ANN);
    CHECK_TEXT("exhausted", state_of_pin(m));
    FAILS(MAM_ERR_LOCKED, try_pin(m, "1397"));
    char *json = NULL;
    OK(mam_enrolled_accounts(m, &json));
    CHECK_NUMBER(1, count_of(json, ""));
    mam_free(json);
    /* The other app notices at the next attempt there. */
    OK(opens_as(mail, &mails, "mail"));
    FAILS(MAM_ERR_LOCKED, try_pin(mail, "1397"));
    CHECK(opens_as(mail, &mails, NULL) != MAM_OK);
    mam_buffer_free(&secret);
    mam_buffer_free(&mails);
    OK(mam_close(mail));
    OK(mam_close(m));
}

/* Wait for a reset, with one pair of `answers` per question: JSON, or a secret. Returns the result. */
static const char *reset(mam_t *m, const char *const answers[]) {
    static char result[32];
    int64_t op = 0;
    char *status = NULL, *event;
    OK(mam_pin_reset(m, ANN, &op));
    for (int i = 0; mam_wait(m, op, 0, &status) == MAM_ERR_TIMEOUT; i++) {
        event = next_event(m, "question", 0);
        CHECK(event != NULL && answers[i] != NULL);
        CHECK_TEXT(i == 0 ? "authenticate" : "pin", text_of(event, "/question"));
        CHECK_TEXT(ANN_ID, text_of(event, "/accountId"));
        CHECK_TEXT(i == 0 ? "pinReset" : "new", text_of(event, "/purpose"));
        if (i > 1) CHECK(count_of(event, "/lacks") > 0);
        int64_t id = number_of(event, "/id");
        if (*answers[i] == '{' || *answers[i] == 'n') OK(mam_answer(m, id, answers[i]));
        else OK(mam_answer_secret(m, id, bytes_of(answers[i]), strlen(answers[i])));
        mam_free(event);
    }
    OK(mam_last_status());
    snprintf(result, sizeof result, "%s", text_of(status, "/result"));
    mam_free(status);
    return result;
}

static void reset_by_signing_in(void **state) {
    const office *o = *state;
    mam_t *m = with_pin(o, "");
    for (int i = 0; i < 3; i++) FAILS(MAM_ERR_DENIED, try_pin(m, "0000"));
    CHECK_TEXT("otherAccount", reset(m, (const char *[]){"{\"upn\":\"" BOB "\"}"}));
    CHECK_TEXT("otherAccount", reset(m, (const char *[]){"{\"accountId\":\"" BOB_ID "\",\"upn\":\"" ANN "\"}"}));
    CHECK_TEXT("canceled", reset(m, (const char *[]){"null"}));
    FAILS(MAM_ERR_DENIED, set_pin(m, NULL, "2468"));
    FAILS(MAM_ERR_LOCKED, set_pin(m, "1397", "2468"));
    CHECK_TEXT("exhausted", state_of_pin(m));
    CHECK_TEXT("changed", reset(m, (const char *[]){"{\"upn\":\"" ANN "\"}", "246", "24\n68", "2468"}));
    OK(try_pin(m, "2468"));
    /* After the sign-in the host sets it itself; once, and on this handle alone. */
    mam_t *other = open_app(o, APP, ASKS);
    CHECK_TEXT("signedIn", reset(m, (const char *[]){"{\"accountId\":\"" ANN_ID "\"}", "null"}));
    CHECK(truth_of(status_of_pin(m), "/mayReset") && !truth_of(status_of_pin(other), "/mayReset"));
    FAILS(MAM_ERR_DENIED, set_pin(other, NULL, "9713"));
    OK(try_pin(other, "2468")); /* until then the former one stays valid */
    OK(set_pin(m, NULL, "9713"));
    FAILS(MAM_ERR_DENIED, set_pin(m, NULL, "1397"));
    OK(try_pin(other, "9713"));
    OK(mam_close(other));
    OK(mam_close(m));
}

/* A changed row is ignored; a person who signs in may set a new PIN. */
static void changed_outside_libmam(void **state) {
    const office *o = *state;
    static const char *const statements[] = {
        "DELETE FROM pins",
        "UPDATE pins SET record = zeroblob(400)",
        "UPDATE pins SET id = randomblob(16)",
    };
    mam_t *m = with_pin(o, "");
    char *json = NULL;
    for (size_t i = 0; i < 3; i++) {
        sql(in_group(o, "state.db"), statements[i]);
        FAILS(MAM_ERR_TAMPERED, mam_pin_status(m, ANN, &json));
        FAILS(MAM_ERR_TAMPERED, try_pin(m, "1397"));
        FAILS(MAM_ERR_TAMPERED, set_pin(m, NULL, "1397"));
        CHECK_TEXT("changed", reset(m, (const char *[]){"{\"upn\":\"" ANN "\"}", "1397"}));
        OK(try_pin(m, "1397"));
    }
    OK(mam_close(m));
}

static void forked(void *argument) { FAILS(MAM_ERR_FORKED, try_pin(argument, "1397")); }

static void in_a_child(void **state) {
    mam_t *m = with_pin(*state, "");
    in_child(forked, m);
    OK(try_pin(m, "1397"));
    OK(mam_close(m));
}

static void *verify_once(void *m) {
    OK(try_pin(m, "1397"));
    return NULL;
}

static void in_a_thread_of_64_kib(void **state) {
    mam_t *m = with_pin(*state, "");
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    CHECK_NUMBER(0, pthread_attr_setstacksize(&small, IS_SANITIZED ? 1 << 20 : 64 << 10));
    CHECK_NUMBER(0, pthread_create(&thread, &small, verify_once, m));
    pthread_join(thread, NULL);
    pthread_attr_destroy(&small);
    OK(mam_close(m));
}

static void *guess(void *m) {
    mam_status status = try_pin(m, "0000");
    CHECK(status == MAM_ERR_DENIED || status == MAM_ERR_LOCKED);
    return (void *)(intptr_t)(status == MAM_ERR_DENIED);
}

static void many_threads_have_no_more_attempts(void **state) {
    mam_t *m = with_pin(*state, "");
    pthread_t threads[8];
    int looked_at = 0;
    for (int i = 0; i < 8; i++) CHECK_NUMBER(0, pthread_create(&threads[i], NULL, guess, m));
    for (int i = 0; i < 8; i++) {
        void *result;
        pthread_join(threads[i], &result);
        looked_at += result != NULL;
    }
    CHECK_NUMBER(3, looked_at);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(set_and_entered),
        WITH_OFFICE(shared_by_the_group),
        WITH_OFFICE(every_attempt_counts),
        WITH_OFFICE(an_invalid_pin_is_no_attempt),
        WITH_OFFICE(without_a_pin),
        WITH_OFFICE(rules_for_a_new_pin),
        WITH_OFFICE(a_policy_that_requires_more),
        WITH_OFFICE(the_last_attempt_wipes),
        WITH_OFFICE(reset_by_signing_in),
        WITH_OFFICE(changed_outside_libmam),
        WITH_OFFICE(in_a_child),
        WITH_OFFICE(in_a_thread_of_64_kib),
        WITH_OFFICE(many_threads_have_no_more_attempts),
    };
    return cmocka_run_group_tests_name("pin", tests, begin, NULL);
}
