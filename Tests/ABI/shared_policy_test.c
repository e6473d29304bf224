/* Policies of several accounts, and handles that follow another process's commits. */
#include "support.h"

#define MULTI "\"worker\":false,\"settings\":{\"MultiIdentity\":true,\"MultiManagedIdentities\":true}"

static mam_policy_t *policy_of(mam_t *m, const char *accounts) {
    mam_policy_t *policy = NULL;
    OK(mam_policy_for_accounts(m, accounts, &policy));
    return policy;
}

static bool is_locked_down(const mam_policy_t *policy) {
    char *json = NULL;
    OK(mam_policy_json(policy, &json));
    bool answer = truth_of(json, "/lockDown");
    mam_free(json);
    mam_bool print = mam_policy_is_print_allowed(policy);
    OK(mam_last_status());
    if (answer) {
        CHECK_NUMBER(0, print);
        CHECK_NUMBER(1, mam_policy_is_pin_required(policy));
        CHECK_NUMBER(0, mam_policy_is_save_to_allowed(policy, MAM_SAVE_SHAREPOINT, ANN));
        CHECK_NUMBER(0, mam_policy_is_open_from_allowed(policy, MAM_OPEN_OTHER, EVE));
        CHECK_NUMBER(0, mam_policy_is_contact_sync_allowed(policy));
    }
    return answer;
}

static void several_are_locked_down_while_one_is_managed(void **state) {
    mam_t *m = open_app(*state, APP, MULTI);
    mam_policy_t *nobody = policy_of(m, "null"), *empty = policy_of(m, "[]"), *eve = policy_of(m, "\"" EVE "\"");
    mam_policy_t *both = policy_of(m, "[\"" ANN "\",\"" EVE "\"]"), *names = policy_of(m, "[\"" ANN "\",\"" ANN_ID "\"]");
    const mam_policy_t *all[] = {nobody, empty, eve, both, names};
    for (int i = 0; i < 5; i++) CHECK_NUMBER(1, mam_policy_is_contact_sync_allowed(all[i]));
    enroll_well(m, ANN);
    for (int i = 0; i < 3; i++) CHECK_NUMBER(1, mam_policy_is_contact_sync_allowed(all[i]));
    CHECK(is_locked_down(both));
    /* Two names of one account are one account: its own policy, and its own documents. */
    CHECK(!is_locked_down(names));
    mam_policy_t *ann = policy_of(m, "[\"" ANN "\"]");
    CHECK_NUMBER(
        mam_policy_is_save_to_allowed(ann, MAM_SAVE_SHAREPOINT, ANN),
        mam_policy_is_save_to_allowed(names, MAM_SAVE_SHAREPOINT, ANN_ID));
    CHECK_NUMBER(1, mam_policy_is_save_to_allowed(names, MAM_SAVE_SHAREPOINT, ANN_ID));
    mam_policy_release(ann);
    for (int i = 0; i < 5; i++) mam_policy_release((mam_policy_t *)all[i]);
    OK(mam_close(m));
}

static void lock_down_of_several_outlives_a_wipe(void **state) {
    mam_t *m = open_app(*state, APP, MULTI);
    int64_t op;
    enroll_well(m, ANN);
    enroll_well(m, BOB);
    mam_policy_t *three = policy_of(m, "[\"" ANN "\",\"" BOB "\",\"" EVE "\"]");
    mam_policy_t *two = policy_of(m, "[\"" EVE "\",\"" ANN "\"]");
    OK(mam_wipe_account(m, ANN, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK(is_locked_down(three));
    CHECK(is_locked_down(two));
    OK(mam_wipe_account(m, BOB, &op));
    CHECK_NUMBER(104, code_of(m, op));
    CHECK(is_locked_down(three));
    mam_policy_t *fresh = policy_of(m, "[\"" EVE "\",\"" ANN "\"]");
    CHECK(is_locked_down(fresh)); /* Ann has left */
    enroll_well(m, ANN);
    CHECK(is_locked_down(fresh));
    CHECK(is_locked_down(two));
    mam_policy_release(three);
    mam_policy_release(two);
    mam_policy_release(fresh);
    OK(mam_close(m));
}

/* ---- another process */

typedef struct follower {
    const office *o;
    int seen[2]; /* a pipe: the parent has seen that Bob is enrolled */
} follower;

static void enroll_and_unenroll(void *argument) {
    const follower *f = argument;
    int64_t op;
    char byte;
    mam_t *m = open_app(f->o, APP, MULTI);
    enroll_well(m, BOB);
    CHECK(read(f->seen[0], &byte, 1) == 1);
    OK(mam_wipe_account(m, BOB, &op));
    CHECK_NUMBER(104, code_of(m, op));
    OK(mam_close(m));
}

static void wait_until(const mam_policy_t *policy, bool locked_down) {
    for (long long until = now_ms() + SOON; is_locked_down(policy) != locked_down;) {
        CHECK(now_ms() < until);
        sleep_ms(5);
    }
}

static void handles_of_several_follow_another_process(void **state) {
    follower f = {.o = *state};
    mam_t *m = open_app(*state, APP, MULTI);
    CHECK(pipe(f.seen) == 0);
    mam_policy_t *several = policy_of(m, "[\"" BOB "\",\"" EVE "\"]");
    CHECK(!is_locked_down(several));
    pid_t child = start_child(enroll_and_unenroll, &f);
    wait_until(several, true);
    CHECK(write(f.seen[1], "", 1) == 1);
    end_well(child);
    close(f.seen[0]);
    close(f.seen[1]);
    CHECK(is_locked_down(several));
    mam_policy_t *fresh = policy_of(m, "[\"" BOB "\",\"" EVE "\"]");
    CHECK(is_locked_down(fresh));
    mam_policy_release(fresh);
    mam_policy_release(several);
    OK(mam_close(m));
}

/* The benchmark measures this more precisely: a commit determines the very next answer. */
typedef struct watched {
    const office *o;
    int commits[2], sights[2];
} watched;

static void commit_changes(void *argument) {
    watched *w = argument;
    mam_t *m = open_app(w->o, APP, MULTI);
    for (int i = 0; i < 5; i++) {
        admin(
            w->o,
            "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
            "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Print\",\"printBlocked\":%s}}",
            i % 2 ? "true" : "false");
        CHECK_NUMBER(100, check_in(m, ANN));
        long long at = now_ms();
        CHECK(write(w->commits[1], &at, sizeof at) == sizeof at);
        /* The next one must not come before this one was seen, however busy the computer is. */
        CHECK(read(w->sights[0], &at, sizeof at) == sizeof at);
    }
    OK(mam_close(m));
}

static void a_change_is_seen_within_a_second(void **state) {
    watched w = {.o = *state};
    mam_t *m = open_app(*state, APP, MULTI);
    mam_policy_t *ann = NULL;
    enroll_well(m, ANN);
    OK(mam_policy_for_account(m, ANN, &ann));
    CHECK_NUMBER(0, mam_policy_is_print_allowed(ann));
    CHECK(pipe(w.commits) == 0 && pipe(w.sights) == 0);
    pid_t child = start_child(commit_changes, &w);
    long long soonest = SOON;
    for (int i = 0; i < 5; i++) {
        long long committed = 0, until = now_ms() + SOON;
        while (mam_policy_is_print_allowed(ann) != (i % 2 == 0)) CHECK(now_ms() < until);
        OK(mam_last_status());
        long long seen = now_ms();
        CHECK(read(w.commits[0], &committed, sizeof committed) == sizeof committed);
        if (seen - committed < soonest) soonest = seen - committed;
        CHECK(write(w.sights[1], &seen, sizeof seen) == sizeof seen);
    }
    end_well(child);
    CHECK(soonest < SECONDS); /* each of them, on an idle computer */
    mam_policy_release(ann);
    OK(mam_close(m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(several_are_locked_down_while_one_is_managed),
        WITH_OFFICE(lock_down_of_several_outlives_a_wipe),
        WITH_OFFICE(handles_of_several_follow_another_process),
        WITH_OFFICE(a_change_is_seen_within_a_second),
    };
    return cmocka_run_group_tests_name("shared policy", tests, begin, NULL);
}
