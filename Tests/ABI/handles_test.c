/* Handles: closed in any order, by threads still inside, from callbacks; after fork; reuse of tokens. */
#include "functions.h"

#include <sys/wait.h>

static void any_order(void **state) {
    const office *o = *state;
    enum { N = 3 };
    /* Every order of closing two sessions and releasing three policies. */
    for (int order = 0; order < 120; order++) {
        mam_t *m[2] = {open_quiet(o), open_app(o, OTHER_APP, QUIET)};
        mam_policy_t *policy[N];
        if (order == 0) enroll_well(m[0], ANN);
        OK(mam_policy_for_account(m[0], ANN, &policy[0]));
        OK(mam_policy_for_account(m[0], "", &policy[1]));
        OK(mam_policy_for_account(m[1], NULL, &policy[2]));
        int left[5] = {0, 1, 2, 3, 4}, code = order;
        for (int n = 5; n > 0; n--) {
            int pick = code % n, what = left[pick];
            code /= n;
            left[pick] = left[n - 1];
            if (what < 2) OK(mam_close(m[what]));
            else mam_policy_release(policy[what - 2]);
        }
        for (int i = 0; i < 2; i++) FAILS(MAM_ERR_CLOSED, mam_close(m[i]));
        for (int i = 0; i < N; i++) {
            CHECK_NUMBER(0, mam_policy_is_print_allowed(policy[i]));
            FAILS(MAM_ERR_CLOSED, mam_last_status());
            mam_policy_release(policy[i]);
        }
    }
}

/* A token is never reused: a stale one does not reach a newer handle. */
static void tokens_are_not_reused(void **state) {
    const office *o = *state;
    enum { TURNS = 3000 };
    mam_t *m = open_enrolled(o);
    mam_policy_t **old = calloc(TURNS, sizeof *old), *latest = NULL;
    CHECK(old != NULL);
    for (int i = 0; i < TURNS; i++) {
        OK(mam_policy_for_account(m, EVE, &old[i]));
        mam_policy_release(old[i]);
    }
    OK(mam_policy_for_account(m, EVE, &latest));
    for (int i = 0; i < TURNS; i++) {
        CHECK(old[i] != latest);
        CHECK_NUMBER(0, mam_policy_is_print_allowed(old[i]));
        mam_policy_release(old[i]); /* and releasing it again does not release another one */
    }
    CHECK_NUMBER(1, mam_policy_is_print_allowed(latest));
    OK(mam_last_status());
    mam_policy_release(latest);
    free(old);
    OK(mam_close(m));
}

static void many_at_once(void **state) {
    const office *o = *state;
    enum { POLICIES = 5000, SESSIONS = 40 };
    static mam_policy_t *policies[POLICIES];
    mam_t *sessions[SESSIONS];
    for (int i = 0; i < SESSIONS; i++) sessions[i] = open_quiet(o);
    enroll_well(sessions[0], ANN);
    for (int i = 0; i < POLICIES; i++) OK(mam_policy_for_account(sessions[i % SESSIONS], i % 2 ? ANN : EVE, &policies[i]));
    for (int i = 0; i < POLICIES; i++) CHECK_NUMBER(i % 2 == 0, mam_policy_is_print_allowed(policies[i]));
    for (int i = 0; i < SESSIONS; i += 2) OK(mam_close(sessions[i]));
    for (int i = 0; i < POLICIES; i++) {
        mam_bool expected = i % SESSIONS % 2 == 0 ? 0 : i % 2 == 0;
        CHECK_NUMBER(expected, mam_policy_is_print_allowed(policies[i]));
        mam_policy_release(policies[i]);
    }
    for (int i = 1; i < SESSIONS; i += 2) OK(mam_close(sessions[i]));
}

/* ---- threads still inside */

typedef struct inside {
    mam_t *m;
    mam_policy_t *policy;
    mam_buffer *container;
    volatile bool *stop;
    int what;
    long calls;
} inside;

/* Until the handle is closed: every answer before is right, every one after is MAM_ERR_CLOSED (or interrupted). */
static void *use_until_closed(void *user) {
    inside *t = user;
    for (;;) {
        mam_status status;
        char *json = NULL;
        mam_buffer out = {NULL, 0};
        int64_t op;
        switch (t->what % 6) {
        case 0:
            if (mam_policy_is_contact_sync_allowed(t->policy) == 1) status = MAM_OK;
            else status = mam_last_status();
            CHECK(status == MAM_OK || status == MAM_ERR_CLOSED || status == MAM_ERR_INTERRUPTED);
            break;
        case 1:
            status = mam_protect(t->m, ANN, (const uint8_t *)"text", 4, &out);
            if (status == MAM_OK) mam_buffer_free(&out);
            break;
        case 2: status = opens_as(t->m, t->container, "kept"); break;
        case 3:
            status = mam_policy_check(t->m, "{\"action\":\"print\",\"account\":\"" ANN "\"}", &json);
            if (status == MAM_OK) CHECK_TEXT("policyId", strstr(json, "policyId") ? "policyId" : json);
            mam_free(json);
            break;
        case 4:
            status = mam_check_in(t->m, ANN, &op);
            if (status == MAM_OK) status = mam_wait(t->m, op, -1, &json);
            mam_free(json);
            break;
        default:
            status = mam_event_next(t->m, -1, &json);
            mam_free(json);
            break;
        }
        if (status == MAM_ERR_CLOSED || status == MAM_ERR_INTERRUPTED) return NULL;
        CHECK_NUMBER(MAM_OK, status);
        t->calls++;
    }
}

static void close_with_threads_inside(void **state) {
    const office *o = *state;
    enum { THREADS = 12 };
    for (int turn = 0; turn < 6; turn++) {
        mam_t *m = open_app(o, APP, turn % 2 ? QUIET : WORKER);
        if (turn == 0) enroll_well(m, ANN);
        mam_policy_t *policy = NULL;
        mam_buffer container = sealed(m, ANN, "kept");
        pthread_t threads[THREADS];
        static inside insides[THREADS];
        OK(mam_policy_for_account(m, ANN, &policy));
        for (int i = 0; i < THREADS; i++) {
            insides[i] = (inside){m, policy, &container, NULL, i, 0};
            CHECK(pthread_create(&threads[i], NULL, use_until_closed, &insides[i]) == 0);
        }
        for (int i = 0; i < THREADS; i++) {
            while (*(volatile long *)&insides[i].calls < (i % 6 == 5 ? 0 : 2)) sleep_ms(1);
        }
        sleep_ms(turn * 20);
        OK(mam_close(m));
        for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
        long calls = 0;
        for (int i = 0; i < THREADS; i++) calls += insides[i].calls;
        CHECK(calls > THREADS);
        mam_policy_release(policy);
        mam_buffer_free(&container);
    }
}

typedef struct closing {
    mam_t *m;
    mam_status status;
} closing;

static void *close_it(void *user) {
    closing *c = user;
    c->status = mam_close(c->m);
    return NULL;
}

static void closed_by_many_at_once(void **state) {
    const office *o = *state;
    for (int turn = 0; turn < 20; turn++) {
        enum { THREADS = 8 };
        mam_t *m = open_app(o, APP, turn % 2 ? QUIET : WORKER);
        pthread_t threads[THREADS];
        closing closings[THREADS];
        int good = 0, closed = 0;
        for (int i = 0; i < THREADS; i++) {
            closings[i] = (closing){m, -1};
            CHECK(pthread_create(&threads[i], NULL, close_it, &closings[i]) == 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            good += closings[i].status == MAM_OK;
            closed += closings[i].status == MAM_ERR_CLOSED;
        }
        CHECK_NUMBER(1, good);
        CHECK_NUMBER(THREADS - 1, closed);
    }
}

/* ---- from callbacks */

typedef struct scenario {
    mam_t *m, *other;
    mam_policy_t *policy;
    int calls;
} scenario;

static void closes_another(void *user, mam_question_t *question, const char *json) {
    scenario *s = user;
    (void)json;
    s->calls++;
    FAILS(MAM_ERR_DEADLOCK, mam_close(s->m));
    FAILS(MAM_ERR_DEADLOCK, mam_run_due(s->m));
    OK(mam_close(s->other)); /* not the one that it would wait for */
    mam_policy_release(s->policy);
    mam_status status = mam_answer(s->m, mam_question_id(question), "{\"removed\":true}");
    CHECK_NUMBER(MAM_OK, status);
}

static void callbacks_close_other_handles(void **state) {
    const office *o = *state;
    for (int worker = 0; worker < 2; worker++) {
        scenario s = {open_app(o, APP, worker ? WORKER : QUIET), open_app(o, OTHER_APP, QUIET), NULL, 0};
        int64_t op;
        enroll_well(s.m, ANN);
        OK(mam_policy_for_account(s.m, ANN, &s.policy));
        OK(mam_set_delegate(s.m, closes_another, &s));
        OK(mam_wipe_account(s.m, ANN, &op));
        CHECK_NUMBER(104, code_of(s.m, op));
        CHECK_NUMBER(1, s.calls);
        FAILS(MAM_ERR_CLOSED, mam_close(s.other));
        CHECK_NUMBER(0, mam_policy_is_print_allowed(s.policy));
        FAILS(MAM_ERR_CLOSED, mam_last_status());
        OK(mam_close(s.m));
    }
}

/* ---- fork */

typedef struct family {
    office *o;
    mam_t *m;
    mam_policy_t *policy;
    mam_buffer container;
    bool opens_again;
} family;

static void child_of_a_session(void *argument) {
    family *f = argument;
    for (size_t i = 0; i < function_count; i++) {
        const function *fn = &functions[i];
        call_t call;
        if (!(fn->takes & (TAKES_SESSION | TAKES_POLICY)) || fn->takes & ENDS) continue;
        memset(&call, 0, sizeof call);
        call.m = f->m;
        call.policy = f->policy;
        call.account = ANN;
        call.json = "{}";
        call.text = "text";
        call.data = f->container.data;
        call.length = f->container.length;
        call.location = MAM_SAVE_SHAREPOINT;
        run_function(fn, &call);
        if (call.status != MAM_ERR_FORKED || !call.is_clean)
            failed_at(__FILE__, __LINE__, "%s answers %d in a child", fn->name, call.status);
        const char *why = "";
        if (!is_error_clear(MAM_ERR_FORKED, &why)) failed_at(__FILE__, __LINE__, "%s: %s", fn->name, why);
        if (fn->takes & IS_PREDICATE && call.answer != fn->closed)
            failed_at(__FILE__, __LINE__, "%s answers %d in a child, which is not closed", fn->name, call.answer);
    }
    int64_t op;
    FAILS(MAM_ERR_FORKED, mam_wipe_account(f->m, ANN, &op));
    FAILS(MAM_ERR_FORKED, mam_deregister_and_unenroll(f->m, ANN, 1, &op));
    if (!f->opens_again) {
        mam_policy_release(f->policy);
        OK(mam_close(f->m)); /* frees memory, and touches nothing else */
        FAILS(MAM_ERR_CLOSED, mam_close(f->m));
    }
    mam_t *m = open_quiet(f->o);
    OK(opens_as(m, &f->container, "kept"));
    CHECK_NUMBER(101, check_in(m, ANN));
    mam_buffer ours = sealed(m, ANN, "of the child");
    OK(opens_as(m, &ours, "of the child"));
    mam_buffer_free(&ours);
    OK(mam_set_override(m, "SupportsDarkMode", "false"));
    if (f->opens_again) {
        mam_policy_release(f->policy);
        OK(mam_close(f->m));
    }
    OK(opens_as(m, &f->container, "kept"));
    OK(mam_close(m));
}

static void forks(const office *o, const char *more) {
    family f = {(office *)(uintptr_t)o, open_app(o, APP, more), NULL, {NULL, 0}, false};
    enroll_well(f.m, ANN);
    OK(mam_policy_for_account(f.m, ANN, &f.policy));
    f.container = sealed(f.m, ANN, "kept");
    for (int turn = 0; turn < 4; turn++) {
        f.opens_again = turn % 2;
        pid_t child = start_child(child_of_a_session, &f);
        for (int i = 0; i < 5; i++) { /* the parent continues meanwhile */
            OK(opens_as(f.m, &f.container, "kept"));
            CHECK_NUMBER(101, check_in(f.m, ANN));
            CHECK_NUMBER(0, mam_policy_is_print_allowed(f.policy));
            OK(mam_last_status());
        }
        end_well(child);
        OK(opens_as(f.m, &f.container, "kept"));
        CHECK_NUMBER(101, check_in(f.m, ANN));
        OK(mam_set_override(f.m, "SupportsDarkMode", NULL));
    }
    mam_policy_release(f.policy);
    mam_buffer_free(&f.container);
    OK(mam_close(f.m));
}

static void forks_without_a_worker(void **state) { forks(*state, QUIET); }
static void forks_with_a_worker(void **state) { forks(*state, WORKER); }

static void closes_and_ends(void *argument) {
    family *f = argument;
    FAILS(MAM_ERR_FORKED, mam_interrupt(f->m));
    OK(mam_close(f->m));
}

/* While other threads are in the middle of calls and hold locks. */
static void forks_with_threads_inside(void **state) {
    const office *o = *state;
    enum { THREADS = 6 };
    static family f; /* static, as are insides: threads outlive a failed test */
    f = (family){(office *)(uintptr_t)o, open_app(o, APP, WORKER), NULL, {NULL, 0}, false};
    pthread_t threads[THREADS];
    static inside insides[THREADS]; /* threads outlive a failed test */
    enroll_well(f.m, ANN);
    OK(mam_policy_for_account(f.m, ANN, &f.policy));
    f.container = sealed(f.m, ANN, "kept");
    for (int i = 0; i < THREADS; i++) {
        insides[i] = (inside){f.m, f.policy, &f.container, NULL, i, 0};
        CHECK(pthread_create(&threads[i], NULL, use_until_closed, &insides[i]) == 0);
    }
    for (int turn = 0; turn < 20; turn++) in_child(turn % 4 ? closes_and_ends : child_of_a_session, &f);
    OK(mam_close(f.m));
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    mam_policy_release(f.policy);
    mam_buffer_free(&f.container);
}

/* A grandchild cannot use its grandparent's or its parent's handles; a child uses its own. */
static void grandchild(void *argument) {
    family *f = argument;
    FAILS(MAM_ERR_FORKED, mam_interrupt(f->m));
    OK(mam_close(f->m));
}

static void child_with_a_child(void *argument) {
    family *f = argument;
    OK(mam_close(f->m));
    f->m = open_app(f->o, APP, WORKER);
    in_child(grandchild, f);
    CHECK_NUMBER(101, check_in(f->m, ANN));
    OK(mam_close(f->m));
}

static void forks_of_forks(void **state) {
    office *o = *state;
    family f = {o, open_app(o, APP, WORKER), NULL, {NULL, 0}, false};
    enroll_well(f.m, ANN);
    in_child(child_with_a_child, &f);
    CHECK_NUMBER(101, check_in(f.m, ANN));
    OK(mam_close(f.m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(any_order),
        WITH_OFFICE(tokens_are_not_reused),
        WITH_OFFICE(many_at_once),
        WITH_OFFICE(close_with_threads_inside),
        WITH_OFFICE(closed_by_many_at_once),
        WITH_OFFICE(callbacks_close_other_handles),
        WITH_OFFICE(forks_without_a_worker),
        WITH_OFFICE(forks_with_a_worker),
        WITH_OFFICE(forks_of_forks),
        WITH_OFFICE(forks_with_threads_inside),
    };
    return cmocka_run_group_tests_name("handles", tests, begin, NULL);
}
