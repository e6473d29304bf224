/* threads SECONDS: sixteen threads on one handle ask, switch policy handles, protect, check in, wipe; for a ThreadSanitizer
 * build. Every answer that is independent of the others is checked; no call may return MAM_ERR_BUSY. */
#include "crowd.h"

static office here;
static mam_t *m;
static mam_policy_t *ann, *eve;
static mam_buffer kept;

/* MAM_OK, or one of two statuses that the others' work explains. */
static bool fine(const char *what, mam_status status, mam_status also, mam_status or_also) {
    if (status == MAM_OK) return true;
    if (status != also && status != or_also)
        failed_at(__FILE__, __LINE__, "%s answers %d (%s)", what, status, mam_status_name(status));
    return false;
}

static void answers(mam_bool expected, mam_bool got, const char *what) {
    if (got == expected) return;
    failed_at(__FILE__, __LINE__, "%s is %d (status %d, %s)", what, got, mam_last_status(), mam_last_message());
}

static void ask(void) {
    answers(1, mam_policy_is_contact_sync_allowed(ann), "Ann's contact sync");
    answers(1, mam_policy_is_pin_required(ann), "Ann's PIN");
    answers(1, mam_policy_is_print_allowed(eve), "Eve's printing");
    answers(1, mam_policy_is_save_to_allowed(ann, MAM_SAVE_SHAREPOINT, ANN), "Ann's saving");
    answers(0, mam_policy_is_save_to_allowed(ann, MAM_SAVE_LOCAL_DRIVE, NULL), "Ann's saving to the drive");
    answers(1, mam_policy_is_open_from_allowed(eve, MAM_OPEN_CAMERA, NULL), "Eve's camera");
    mam_bool print = mam_policy_is_print_allowed(ann); /* this one changes all the time */
    if (mam_last_status() != MAM_OK)
        failed_at(__FILE__, __LINE__, "printing (%d): status %d, %s", print, mam_last_status(), mam_last_message());
}

static void switch_handles(void) {
    mam_policy_t *one = NULL, *two = NULL;
    OK(mam_policy_for_account(m, ANN_ID, &one));
    OK(mam_policy_for_account(m, "", &two));
    answers(1, mam_policy_is_pin_required(one), "a new handle's PIN");
    answers(0, mam_policy_is_pin_required(two), "nobody's PIN");
    char *json = NULL;
    OK(mam_policy_json(one, &json));
    mam_free(json);
    OK(mam_policy_save_to_locations(one, ANN, &json));
    mam_free(json);
    mam_policy_release(one);
    mam_policy_release(two);
}

static void protect(unsigned turn) {
    static const char *const owners[] = {ANN, EVE, ""};
    uint8_t plain[4000], room[8192];
    size_t length = 1 + turn * 37 % sizeof plain, written = 0, back = 0;
    mam_bool was_protected = 0;
    memset(plain, (int)turn, length);
    OK(mam_protect_into(m, owners[turn % 3], plain, length, room, sizeof room, &written));
    OK(mam_unprotect_into(m, room, written, MAM_STRICT, room, sizeof room, &back, &was_protected));
    CHECK(back == length && was_protected == 1 && memcmp(room, plain, length) == 0);
    OK(opens_as(m, &kept, "kept"));
    mam_buffer out = {NULL, 0};
    if (fine("protecting for Bob", mam_protect(m, BOB, plain, length, &out), MAM_ERR_NOT_ENROLLED, MAM_ERR_NOT_FOUND))
        mam_buffer_free(&out);
}

static void check(void) {
    char *json = NULL;
    OK(mam_policy_check(
        m,
        "[{\"action\":\"print\",\"account\":\"" ANN "\"},{\"action\":\"saveTo\",\"account\":\"" ANN
        "\",\"location\":\"localDrive\"}]",
        &json));
    CHECK(strstr(json, "saveAsBlocked") != NULL);
    mam_free(json);
}

static void check_in_well(const char *account) {
    int64_t op = 0;
    char *status = NULL;
    OK(mam_check_in(m, account, &op));
    if (!fine("waiting", mam_wait(m, op, -1, &status), MAM_ERR_GONE, MAM_ERR_GONE)) return;
    long long code = number_of(status, "/code");
    if (code != 100 && code != 101) failed_at(__FILE__, __LINE__, "a check-in ends with %s", status);
    mam_free(status);
}

static void administer(unsigned turn) {
    admin(
        &here,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"%u\",\"printBlocked\":%s,\"pinRequired\":true,"
        "\"allowedOutboundDataTransferDestinations\":\"managedApps\",\"saveAsBlocked\":true,"
        "\"allowedDataStorageLocations\":[\"sharePoint\"]}}",
        turn, turn % 2 ? "true" : "false");
    check_in_well(ANN);
}

static void look(unsigned turn) {
    char *json = NULL;
    mam_status status = mam_event_next(m, 20, &json);
    if (fine("events", status, MAM_ERR_TIMEOUT, MAM_ERR_TIMEOUT)) mam_free(json);
    OK(mam_settings(m, &json));
    mam_free(json);
    OK(mam_diagnostics(m, &json));
    mam_free(json);
    OK(mam_registered_accounts(m, &json));
    mam_free(json);
    OK(mam_set_override(m, "SupportsDarkMode", turn % 3 == 0 ? NULL : turn % 3 == 1 ? "true" : "false"));
}

static void answer(void *user, mam_question_t *question, const char *json) {
    (void)user, (void)json;
    OK(mam_answer(m, mam_question_id(question), "{\"removed\":true}"));
}

static void wipe_bob(void) {
    int64_t op = 0;
    OK(mam_set_delegate(m, answer, NULL));
    OK(mam_register_and_enroll(m, "{\"upn\":\"" BOB "\"}", &op));
    ends_with(m, op, 100);
    OK(mam_wipe_account(m, BOB, &op));
    ends_with(m, op, 104);
}

static void *run(void *argument) {
    int number = (int)(intptr_t)argument;
    for (unsigned turn = 0; !atomic_load(&stop); turn++) {
        switch (number) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4: ask(); break;
        case 5:
        case 6: switch_handles(); break;
        case 7:
        case 8:
        case 9: protect(turn); break;
        case 10: check(); break;
        case 11: check_in_well(ANN); break;
        case 12: check_in_well(NULL); break;
        case 13: administer(turn); break;
        case 14: look(turn); break;
        default: wipe_bob();
        }
        atomic_fetch_add(&calls[number], 1);
    }
    return NULL;
}

int main(int count, char **words) {
    int seconds = count > 1 ? atoi(words[1]) : 60;
    void *unused = NULL;
    begin(&unused);
    alarm((unsigned)seconds + 300);
    office_make(&here);
    m = open_app(&here, APP, WORKER);
    enroll_well(m, ANN);
    administer(0);
    kept = sealed(m, ANN, "kept");
    OK(mam_policy_for_account(m, ANN, &ann));
    OK(mam_policy_for_account(m, EVE, &eve));
    crowd(run, seconds);
    OK(opens_as(m, &kept, "kept"));
    mam_buffer_free(&kept);
    mam_policy_release(ann);
    mam_policy_release(eve);
    OK(mam_close(m));
    office_remove(&here);
    tell_turns(seconds);
    return 0;
}
