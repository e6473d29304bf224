/* Each code of docs/status-codes.md that a host can cause, by the fault or setting that the page names. */
#include "support.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>

static void fault(const office *o, const char *fault, const char *operation) {
    admin(o, "{\"action\":\"fault.set\",\"fault\":\"%s\",\"operation\":\"%s\"}", fault, operation);
}

static void no_fault(const office *o) { admin(o, "{\"action\":\"fault.clear\"}"); }

static void set_ann(const office *o, const char *change) { admin(o, "{\"action\":\"user.set\",\"user\":\"" ANN "\",%s}", change); }

/* Enroll Ann in a separate session, and deregister her again. */
static void enrolls_with(const office *o, const char *more, int expected) {
    mam_t *m = open_app(o, APP, more);
    int64_t op = 0;
    int code = enroll(m, ANN);
    if (code != expected) failed_at(__FILE__, __LINE__, "enrolling ends with %d instead of %d", code, expected);
    char *json = NULL;
    OK(mam_registered_accounts(m, &json));
    int registered = count_of(json, "");
    mam_free(json);
    if (registered == 1) {
        no_fault(o);
        OK(mam_deregister_and_unenroll(m, ANN, 1, &op));
        CHECK_NUMBER(104, code_of(m, op));
    }
    OK(mam_close(m));
}

static void refusals_at_enrollment(void **state) {
    const office *o = *state;
    static const struct {
        const char *change, *back;
        int code;
    } changes[] = {
        {"\"licensed\":false", "\"licensed\":true", 200},
        {"\"enabled\":false", "\"enabled\":true", 203},
        {"\"migrating\":true", "\"migrating\":false", 222},
    };
    for (size_t i = 0; i < 3; i++) {
        set_ann(o, changes[i].change);
        enrolls_with(o, QUIET, changes[i].code);
        set_ann(o, changes[i].back);
        enrolls_with(o, QUIET, 100);
    }
    static const struct {
        const char *fault;
        int code;
    } faults[] = {{"internal", 201}, {"network", 205}, {"parsing", 206}, {"timeout", 216}};
    for (size_t i = 0; i < 4; i++) {
        fault(o, faults[i].fault, "enroll");
        enrolls_with(o, QUIET, faults[i].code);
        no_fault(o);
        enrolls_with(o, QUIET, 100);
    }
}

static void settings_that_refuse(void **state) {
    const office *o = *state;
    enrolls_with(o, QUIET ",\"device\":{\"managedAppConfig\":{\"IntuneMAMUPN\":\"" BOB "\"}}", 209);
    enrolls_with(
        o,
        QUIET ",\"device\":{\"managedAppConfig\":{\"IntuneMAMUPN\":\"" BOB "\","
              "\"IntuneMAMAllowedAccountsOnly\":\"Enabled\"}}",
        211);
    enrolls_with(o, QUIET ",\"device\":{\"managedAppConfig\":{\"IntuneMAMUPN\":\"ANN@contoso.example\"}}", 100);
    list_as_extension(o);
    enrolls_with(o, "\"worker\":false,\"settings\":{\"ContainingAppBundleId\":\"" CONTAINING_APP "\"}", 223);
    mam_t *m = open_app(o, APP, QUIET ",\"device\":{\"mdmAccountId\":\"" BOB_ID "\"}");
    int64_t op;
    OK(mam_register_and_enroll(m, "{\"accountId\":\"" ANN_ID "\",\"upn\":\"" ANN "\"}", &op));
    CHECK_NUMBER(210, code_of(m, op));
    OK(mam_close(m));
}

static void blocked_and_untargeted(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    int64_t op;
    char *list = admin_reply(o, "{\"action\":\"registration.list\"}");
    CHECK_NUMBER(1, count_of(list, "/registrations"));
    char tag[128];
    snprintf(tag, sizeof tag, "%s", text_of(list, "/registrations/0/deviceTag"));
    CHECK(*tag);
    mam_free(list);
    /* A tag that nobody has, and a user whose data would stay readable. */
    char *reply = NULL;
    FAILS(MAM_ERR_NOT_FOUND, mam_admin(o->authority, "{\"action\":\"device.block\",\"deviceTag\":\"elsewhere\"}", &reply));
    FAILS(MAM_ERR_DENIED, mam_admin(o->authority, "{\"action\":\"user.remove\",\"user\":\"" ANN "\"}", &reply));
    OK(mam_deregister_and_unenroll(m, ANN, 1, &op));
    CHECK_NUMBER(104, code_of(m, op));
    OK(mam_close(m));
    admin(o, "{\"action\":\"device.block\",\"deviceTag\":\"%s\"}", tag);
    enrolls_with(o, QUIET, 226);
    admin(o, "{\"action\":\"device.unblock\",\"deviceTag\":\"%s\"}", tag);
    admin(o, "{\"action\":\"policy.unassign\",\"policy\":\"" STRICT_POLICY "\",\"allUsers\":true}");
    enrolls_with(o, QUIET, 225);
    admin(o, "{\"action\":\"policy.assign\",\"policy\":\"" STRICT_POLICY "\",\"allUsers\":true}");
    enrolls_with(o, QUIET, 100);
}

static void codes_of_check_ins(void **state) {
    const office *o = *state;
    mam_t *m = open_quiet(o);
    CHECK_NUMBER(213, check_in(m, ANN));
    CHECK_NUMBER(213, check_in(m, NULL));
    enroll_well(m, ANN);
    CHECK_NUMBER(208, enroll(m, ANN));
    CHECK_NUMBER(208, enroll(m, "ANN@CONTOSO.EXAMPLE"));
    CHECK_NUMBER(101, check_in(m, ANN));
    CHECK_NUMBER(101, check_in(m, ANN_ID));
    CHECK_NUMBER(214, check_in(m, BOB));
    mam_buffer kept = sealed(m, ANN, "kept");
    static const struct {
        const char *fault;
        int code;
    } faults[] = {{"internal", 201}, {"network", 212}, {"parsing", 206}, {"timeout", 216}};
    for (size_t i = 0; i < 4; i++) { /* the last policy stays in force, the data readable */
        fault(o, faults[i].fault, "checkIn");
        CHECK_NUMBER(faults[i].code, check_in(m, ANN));
        OK(opens_as(m, &kept, "kept"));
        no_fault(o);
        CHECK_NUMBER(101, check_in(m, ANN));
    }
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Open\",\"printBlocked\":false}}");
    CHECK_NUMBER(100, check_in(m, ANN));
    CHECK_NUMBER(101, check_in(m, NULL));
    admin(o, "{\"action\":\"policy.untarget\",\"policy\":\"" STRICT_POLICY "\",\"allApps\":true}");
    CHECK_NUMBER(103, check_in(m, ANN));
    OK(opens_as(m, &kept, "kept"));
    admin(o, "{\"action\":\"policy.target\",\"policy\":\"" STRICT_POLICY "\",\"app\":\"" APP "\"}");
    CHECK_NUMBER(100, check_in(m, ANN));
    OK(opens_as(m, &kept, "kept"));
    mam_buffer_free(&kept);
    OK(mam_close(m));
}

/* A queued event carries this code. */
static bool is_reported(mam_t *m, int code) {
    bool reported = false;
    char *event = NULL;
    while (mam_event_next(m, 0, &event) == MAM_OK) {
        reported = reported || number_of(event, "/status/code") == code;
        mam_free(event);
    }
    return reported;
}

/* An account that the authority lost is re-enrolled at once; if it may no longer enroll, it ends with 221. */
static void a_lost_registration(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_buffer kept = sealed(m, ANN, "kept");
    for (int removed = 0; removed < 2; removed++) {
        if (removed) {
            char *list = admin_reply(o, "{\"action\":\"registration.list\"}");
            if (has(list, "/registrations/0/id") && *text_of(list, "/registrations/0/id"))
                admin(o, "{\"action\":\"registration.remove\",\"registration\":\"%s\"}", text_of(list, "/registrations/0/id"));
            else admin(o, "{\"action\":\"registration.remove\",\"registration\":%lld}", number_of(list, "/registrations/0/id"));
            mam_free(list);
        } else {
            admin(o, "{\"action\":\"fault.set\",\"fault\":\"gone\",\"operation\":\"checkIn\",\"count\":1}");
        }
        int code = check_in(m, ANN);
        CHECK(code == 220 || (removed && code == 100));
        OK(mam_run_due(m)); /* "enrolled anew at once" */
        if (removed) CHECK(is_reported(m, 100));
        CHECK_NUMBER(101, check_in(m, ANN));
        OK(opens_as(m, &kept, "kept"));
    }
    char *list = admin_reply(o, "{\"action\":\"registration.list\"}");
    CHECK_NUMBER(1, count_of(list, "/registrations"));
    bool by_number = *text_of(list, "/registrations/0/id") == '\0';
    if (by_number) admin(o, "{\"action\":\"registration.remove\",\"registration\":%lld}", number_of(list, "/registrations/0/id"));
    else admin(o, "{\"action\":\"registration.remove\",\"registration\":\"%s\"}", text_of(list, "/registrations/0/id"));
    mam_free(list);
    set_ann(o, "\"enabled\":false");
    int code = check_in(m, ANN);
    CHECK(code == 220 || code == 221);
    OK(mam_run_due(m));
    CHECK(is_reported(m, 221));
    mam_buffer_free(&kept);
    OK(mam_close(m));
}

static void a_missing_authority(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_buffer kept = sealed(m, ANN, "kept");
    char aside[PATH_SIZE];
    snprintf(aside, sizeof aside, "%s", in_office(o, "aside.db"));
    CHECK(rename(o->authority, aside) == 0);
    int code = check_in(m, ANN);
    CHECK(code == 204);
    CHECK(access(o->authority, F_OK) != 0); /* and is not created */
    write_whole(
        o->authority, "this is no database, whatever its name says, and long enough to be looked at as one ...........", 96);
    CHECK_NUMBER(206, check_in(m, ANN));
    CHECK(unlink(o->authority) == 0 && rename(aside, o->authority) == 0);
    code = check_in(m, ANN);
    CHECK(code == 101);
    OK(opens_as(m, &kept, "kept"));
    mam_buffer_free(&kept);
    OK(mam_close(m));
}

/* Another process keeps the authority's file locked. */
static void a_locked_authority(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    sqlite3 *database = NULL;
    CHECK(sqlite3_open(o->authority, &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, "BEGIN EXCLUSIVE", NULL, NULL, NULL) == SQLITE_OK);
    long long begun = now_ms();
    int64_t op;
    char *status = NULL;
    OK(mam_check_in(m, ANN, &op));
    OK(mam_wait(m, op, -1, &status));
    CHECK_NUMBER(216, number_of(status, "/code"));
    mam_free(status);
    CHECK(now_ms() - begun < SOON);
    CHECK(sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK);
    sqlite3_close(database);
    CHECK_NUMBER(101, check_in(m, ANN));
    OK(mam_close(m));
}

static void only_one_account(void **state) {
    const office *o = *state;
    mam_t *m = open_app(o, APP, "\"worker\":false");
    enroll_well(m, ANN);
    mam_buffer kept = sealed(m, ANN, "kept");
    CHECK_NUMBER(227, enroll(m, BOB));
    char *json = NULL;
    OK(mam_enrolled_accounts(m, &json));
    CHECK_NUMBER(1, count_of(json, ""));
    CHECK_TEXT(ANN_ID, text_of(json, "/0/accountId"));
    mam_free(json);
    OK(opens_as(m, &kept, "kept"));
    mam_buffer_free(&kept);
    OK(mam_close(m));
}

/* An unreachable authority prevents nobody from leaving. */
static void leaving_without_the_authority(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_buffer work = sealed(m, ANN, "work");
    int64_t op;
    fault(o, "network", "unenroll");
    OK(mam_deregister_and_unenroll(m, ANN, 1, &op));
    CHECK_NUMBER(104, code_of(m, op));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &work, "work"));
    mam_buffer_free(&work);
    OK(mam_close(m));
}

/* The key is gone and the state cannot be written: reported once, and finished when it can be. */
static void a_delayed_wipe(void **state) {
    const office *o = *state;
    mam_t *m = open_enrolled(o);
    mam_buffer work = sealed(m, ANN, "work");
    int64_t op;
    OK(mam_wipe_account(m, ANN, &op));
    struct rlimit before;
    CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR && getrlimit(RLIMIT_FSIZE, &before) == 0);
    CHECK(setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 4096, .rlim_max = before.rlim_max}) == 0);
    CHECK_NUMBER(215, code_of(m, op));
    FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &work, "work"));
    mam_buffer_free(&work);
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    char *event = NULL;
    for (long long until = now_ms() + SOON; event == NULL && now_ms() < until;) {
        OK(mam_run_due(m));
        event = next_event(m, "wipeDidComplete", 100);
    }
    CHECK(event != NULL);
    mam_free(event);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(refusals_at_enrollment), WITH_OFFICE(settings_that_refuse), WITH_OFFICE(blocked_and_untargeted),
        WITH_OFFICE(codes_of_check_ins),     WITH_OFFICE(a_lost_registration),  WITH_OFFICE(a_missing_authority),
        WITH_OFFICE(a_locked_authority),     WITH_OFFICE(only_one_account),     WITH_OFFICE(leaving_without_the_authority),
        WITH_OFFICE(a_delayed_wipe),
    };
    return cmocka_run_group_tests_name("codes", tests, begin, NULL);
}
