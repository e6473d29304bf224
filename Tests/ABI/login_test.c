/* mam_login_and_enroll: who is asked to sign in, and the result of a failure. */
#include "support.h"

#define SIGNS_IN "\"worker\":false,\"questions\":\"events\""
#define TOKEN "the-right-token"

static void require_token(const office *o) {
    write_whole(in_office(o, "token"), TOKEN "\n", sizeof TOKEN);
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"accessTokenFile\":\"%s\"}", in_office(o, "token"));
}

static int registered(mam_t *m) {
    char *json = NULL;
    OK(mam_registered_accounts(m, &json));
    int count = count_of(json, "");
    mam_free(json);
    return count;
}

static char message[512], key[64]; /* of the latest status */

/* Log in, with one pair of `answers` per question; returns the code. `asked` (unless NULL) gets the kinds of the
 * questions. */
static int login(mam_t *m, const char *upn, const char *const answers[], char *asked) {
    int64_t op = 0;
    char *status = NULL, *event;
    if (asked) *asked = '\0';
    OK(mam_login_and_enroll(m, upn, &op));
    for (int i = 0; mam_wait(m, op, 0, &status) == MAM_ERR_TIMEOUT; i++) {
        event = next_event(m, "question", 0);
        CHECK(event != NULL && answers != NULL && answers[i] != NULL);
        int64_t id = number_of(event, "/id");
        if (asked) sprintf(asked + strlen(asked), "%s ", text_of(event, "/question"));
        if (strcmp(text_of(event, "/question"), "signIn") == 0) CHECK(has(event, "/upn") && *text_of(event, "/deadline"));
        if (*answers[i] == '{' || strcmp(answers[i], "null") == 0) OK(mam_answer(m, id, answers[i]));
        else OK(mam_answer_secret(m, id, (const uint8_t *)answers[i], strlen(answers[i])));
        mam_free(event);
    }
    OK(mam_last_status());
    int code = (int)number_of(status, "/code");
    snprintf(message, sizeof message, "%s", text_of(status, "/message"));
    snprintf(key, sizeof key, "%s", text_of(status, "/messageKey"));
    mam_free(status);
    return code;
}

static void without_a_token_nobody_is_asked(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, SIGNS_IN);
    CHECK_NUMBER(100, login(m, ANN, NULL, NULL));
    CHECK_NUMBER(1, registered(m));
    CHECK_NUMBER(208, login(m, ANN, NULL, NULL));
    CHECK_NUMBER(227, login(m, BOB, NULL, NULL));
    CHECK_NUMBER(1, registered(m));
    OK(mam_close(m));
}

static void a_token_at_hand_saves_the_prompt(void **state) {
    const office *o = *state;
    char asked[128];
    require_token(o);
    mam_t *m = open_app(o, APP, SIGNS_IN);
    CHECK_NUMBER(100, login(m, ANN, (const char *[]){TOKEN, NULL}, asked));
    CHECK_TEXT("accessToken ", asked);
    OK(mam_close(m));
    m = open_app(o, OTHER_APP, SIGNS_IN);
    CHECK_NUMBER(100, login(m, ANN, (const char *[]){"null", "{\"upn\":\"" ANN "\"}", TOKEN, NULL}, asked));
    CHECK_TEXT("accessToken signIn accessToken ", asked);
    OK(mam_close(m));
}

static void the_user_who_signs_in_is_enrolled(void **state) {
    const office *o = *state;
    char asked[128];
    mam_t *m = open_app(o, APP, SIGNS_IN);
    CHECK_NUMBER(100, login(m, NULL, (const char *[]){"{\"upn\":\"" BOB "\",\"accountId\":\"" BOB_ID "\"}", NULL}, asked));
    CHECK_TEXT("signIn ", asked);
    char *json = NULL;
    OK(mam_primary_account(m, &json));
    CHECK_TEXT(BOB_ID, text_of(json, "/accountId"));
    mam_free(json);
    OK(mam_close(m));
}

static void null_is_the_device_s_account(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, SIGNS_IN ",\"device\":{\"managedAppConfig\":{\"IntuneMAMUPN\":\"" ANN "\"}}");
    CHECK_NUMBER(209, login(m, BOB, NULL, NULL));
    CHECK_NUMBER(100, login(m, NULL, NULL, NULL));
    char *json = NULL;
    OK(mam_primary_account(m, &json));
    CHECK_TEXT(ANN_ID, text_of(json, "/accountId"));
    mam_free(json);
    OK(mam_close(m));
}

/* The account of another app of the group: the only one, which has not left this app and may be used here. */
static void null_is_the_group_s_account(void **state) {
    const office *o = *state;
    static const char *const nobody[] = {"null", NULL};
    char asked[128], *json = NULL;
    int64_t op;
    mam_t *notes = open_app(o, APP, SIGNS_IN "," SEVERAL), *mail = open_app(o, OTHER_APP, SIGNS_IN);
    CHECK_NUMBER(219, login(mail, NULL, nobody, NULL));
    CHECK_NUMBER(100, login(notes, ANN, NULL, NULL));
    OK(mam_set_device(mail, "{\"managedAppConfig\":{\"IntuneMAMUPN\":\"" BOB "\"}}"));
    OK(mam_login_and_enroll(mail, NULL, &op)); /* the device's account takes precedence */
    CHECK_NUMBER(100, code_of(mail, op));
    OK(mam_deregister_and_unenroll(mail, BOB, 0, &op));
    CHECK_NUMBER(104, code_of(mail, op));
    OK(mam_set_device(mail, NULL));
    CHECK_NUMBER(100, login(mail, NULL, NULL, asked));
    CHECK_TEXT("", asked);
    OK(mam_primary_account(mail, &json));
    CHECK_TEXT(ANN_ID, text_of(json, "/accountId"));
    mam_free(json);
    CHECK_NUMBER(219, login(mail, NULL, nobody, asked)); /* already enrolled here */
    CHECK_TEXT("signIn ", asked);
    OK(mam_deregister_and_unenroll(mail, ANN, 0, &op));
    CHECK_NUMBER(104, code_of(mail, op));
    CHECK_NUMBER(219, login(mail, NULL, nobody, NULL)); /* it has left */
    OK(mam_close(mail));
    mail = open_app(o, "com.example.calendar", SIGNS_IN);
    CHECK_NUMBER(100, login(notes, BOB, NULL, NULL));
    CHECK_NUMBER(219, login(mail, NULL, nobody, NULL)); /* one of two */
    OK(mam_close(mail));
    OK(mam_close(notes));
}

/* A launch enrolls it without its name, and introduces it to the host. */
static void a_launch_finds_the_group_s_account(void **state) {
    const office *o = *state;
    mam_t *notes = open_app(o, APP, SIGNS_IN);
    CHECK_NUMBER(100, login(notes, ANN, NULL, NULL));
    mam_t *mail = open_app(o, OTHER_APP, SIGNS_IN ",\"settings\":{\"AutoEnrollOnLaunch\":true}");
    int64_t op;
    char *json = NULL;
    OK(mam_launch(mail, &op));
    FAILS(MAM_ERR_TIMEOUT, mam_wait(mail, op, 0, &json));
    char *event = next_event(mail, "question", 0);
    CHECK(event != NULL);
    CHECK_TEXT("addAccount", text_of(event, "/question"));
    CHECK_TEXT(ANN, text_of(event, "/upn"));
    OK(mam_answer(mail, number_of(event, "/id"), "{\"added\":false}"));
    mam_free(event);
    OK(mam_wait(mail, op, SOON, &json));
    mam_free(json);
    OK(mam_run_due(mail));
    CHECK_NUMBER(0, registered(mail));
    OK(mam_launch(mail, &op)); /* The host did not accept it: it is not enrolled automatically again. */
    OK(mam_wait(mail, op, SOON, &json));
    mam_free(json);
    CHECK_NUMBER(0, registered(mail));
    CHECK(next_event(mail, "question", 0) == NULL);
    OK(mam_close(mail));
    OK(mam_close(notes));
}

/* A failure leaves no registration; an earlier registration stays. */
static void after_a_failure(void **state) {
    const office *o = *state;
    static const char *const nobody[] = {"null", NULL};
    mam_t *m = open_app(o, APP, SIGNS_IN);
    CHECK_NUMBER(219, login(m, NULL, nobody, NULL));
    char *event = next_event(m, "enrollmentRequest", 0);
    CHECK(event != NULL);
    CHECK_NUMBER(219, number_of(event, "/status/code"));
    mam_free(event);
    CHECK_NUMBER(203, login(m, NULL, (const char *[]){"{\"upn\":\"" EVE "\"}", NULL}, NULL));
    CHECK_NUMBER(0, registered(m));
    admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",\"licensed\":false}");
    CHECK_NUMBER(200, login(m, ANN, NULL, NULL));
    CHECK(strstr(message, "tried again in") == NULL); /* a login is not */
    CHECK_NUMBER(0, registered(m));
    CHECK_NUMBER(200, enroll(m, ANN));
    CHECK_NUMBER(200, login(m, ANN, NULL, NULL));
    CHECK_NUMBER(1, registered(m));
    OK(mam_close(m));
    m = open_app(o, APP, "\"worker\":false"); /* no delegate */
    CHECK_NUMBER(219, login(m, NULL, NULL, NULL));
    OK(mam_close(m));
    list_as_extension(o);
    m = open_app(o, APP, "\"worker\":false,\"settings\":{\"ContainingAppBundleId\":\"" CONTAINING_APP "\"}");
    CHECK_NUMBER(223, login(m, NULL, NULL, NULL));
    OK(mam_close(m));
}

/* The user is unknown or disabled: a sign-in of theirs changes nothing, so that is what the login reports, at each try. */
static void a_refused_user(void **state) {
    const office *o = *state;
    static const char *const nobody[] = {"null", NULL};
    mam_t *asking = open_app(o, APP, SIGNS_IN), *alone = open_app(o, APP, "\"worker\":false");
    admin(o, "{\"action\":\"user.set\",\"user\":\"" BOB "\",\"enabled\":false}");
    for (int i = 0; i < 4; i++) {
        const char *const *answers = i % 2 ? nobody : NULL;
        CHECK_NUMBER(203, login(answers ? asking : alone, "anm@contoso.example", answers, NULL));
        CHECK_TEXT("statusUnknownUser", key);
        CHECK(strstr(message, "no such user") && strstr(message, "name") && !strstr(message, "oken"));
        CHECK_NUMBER(203, login(answers ? asking : alone, BOB, answers, NULL));
        CHECK_TEXT("statusDisabledUser", key);
        CHECK(strstr(message, "disabled") && !strstr(message, "oken"));
    }
    char *event = next_event(asking, "enrollmentRequest", 0);
    CHECK(event != NULL);
    CHECK_NUMBER(203, number_of(event, "/status/code"));
    CHECK_TEXT("statusDisabledUser", text_of(event, "/status/messageKey"));
    CHECK_TEXT("statusDisabledUser", text_of(event, "/messageKey"));
    mam_free(event);
    /* Somebody else may sign in. */
    CHECK_NUMBER(100, login(asking, BOB, (const char *[]){"{\"upn\":\"" ANN "\"}", NULL}, NULL));
    OK(mam_close(asking));
    OK(mam_close(alone));
}

/* A token is missing: 219 if nobody signs in, 203 if nobody can be asked. */
static void nobody_signs_in(void **state) {
    const office *o = *state;
    require_token(o);
    mam_t *m = open_app(o, APP, SIGNS_IN);
    CHECK_NUMBER(219, login(m, ANN, (const char *[]){"null", "null", NULL}, NULL));
    CHECK_TEXT("statusSignInCanceled", key);
    CHECK(strstr(message, "Nobody signed in") != NULL);
    OK(mam_close(m));
    m = open_app(o, APP, "\"worker\":false");
    CHECK_NUMBER(203, login(m, ANN, NULL, NULL));
    CHECK_TEXT("statusSignIn", key);
    CHECK(strstr(message, "needs an access token") != NULL);
    OK(mam_close(m));
}

/* Unenrolled without a wipe, it comes back with its data. */
static void an_unenrolled_account_comes_back(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, SIGNS_IN);
    int64_t op;
    CHECK_NUMBER(100, login(m, ANN, NULL, NULL));
    mam_buffer kept = sealed(m, ANN, "kept");
    OK(mam_deregister_and_unenroll(m, ANN, 0, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK_NUMBER(100, login(m, ANN, NULL, NULL));
    OK(opens_as(m, &kept, "kept"));
    CHECK_NUMBER(1, registered(m));
    mam_buffer_free(&kept);
    OK(mam_close(m));
}

/* While a person thinks, check-ins continue. */
static void a_person_does_not_block_check_ins(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, WORKER ",\"questions\":\"events\"");
    int64_t op;
    char *status = NULL;
    enroll_well(m, ANN);
    OK(mam_login_and_enroll(m, NULL, &op));
    char *event = next_event(m, "question", SOON);
    CHECK(event != NULL);
    CHECK_NUMBER(101, check_in(m, ANN));
    FAILS(MAM_ERR_TIMEOUT, mam_wait(m, op, 0, &status));
    OK(mam_answer(m, number_of(event, "/id"), "{\"upn\":\"" BOB "\"}"));
    CHECK_NUMBER(100, code_of(m, op));
    mam_free(event);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(without_a_token_nobody_is_asked),
        WITH_OFFICE(a_token_at_hand_saves_the_prompt),
        WITH_OFFICE(the_user_who_signs_in_is_enrolled),
        WITH_OFFICE(null_is_the_device_s_account),
        WITH_OFFICE(null_is_the_group_s_account),
        WITH_OFFICE(a_launch_finds_the_group_s_account),
        WITH_OFFICE(after_a_failure),
        WITH_OFFICE(a_refused_user),
        WITH_OFFICE(nobody_signs_in),
        WITH_OFFICE(an_unenrolled_account_comes_back),
        WITH_OFFICE(a_person_does_not_block_check_ins),
    };
    return cmocka_run_group_tests_name("login", tests, begin, NULL);
}
