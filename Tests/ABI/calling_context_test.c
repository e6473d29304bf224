/* Every function of the table from another thread than the one that opened, and from inside a callback. */
#include "functions.h"

typedef struct place {
    const office *o;
    mam_t *m;
    mam_policy_t *policy;
    const char *where;
    int calls;
} place;

/* Functions of a question need one: questions_test.c. */
static bool needs_a_question(const function *f) { return f->takes & TAKES_QUESTION || strncmp(f->name, "mam_answer", 10) == 0; }

static void run_here(const function *f, const place *p, mam_status expected) {
    call_t call;
    good_arguments(f, &call, p->o, p->m, p->policy);
    if (f->takes & TAKES_NUMBER) OK(mam_check_in(p->m, ANN, &call.number)), call.timeout = SOON;
    run_function(f, &call);
    if (f->takes & IS_SILENT) call.status = MAM_OK;
    if (call.status != expected)
        failed_at(__FILE__, __LINE__, "%s %s answers %d: %s", f->name, p->where, call.status, mam_last_message());
    if (expected == MAM_OK ? !call.is_whole : !call.is_clean)
        failed_at(__FILE__, __LINE__, "%s %s: its outputs are not as they should be", f->name, p->where);
}

static void *run_all(void *user) {
    place *p = user;
    for (size_t i = 0; i < function_count; i++) {
        const function *f = &functions[i];
        if (needs_a_question(f) || f->takes & ENDS) continue;
        run_here(f, p, MAM_OK);
        p->calls++;
    }
    return NULL;
}

static void on_another_thread(void **state) {
    place p = {*state, NULL, NULL, "on another thread", 0};
    p.m = open_enrolled(p.o);
    OK(mam_policy_for_account(p.m, ANN, &p.policy));
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, run_all, &p) == 0);
    pthread_join(thread, NULL);
    CHECK(p.calls > 50);
    OK(mam_last_status()); /* the other thread's errors are not this thread's */
    mam_policy_release(p.policy);
    OK(mam_close(p.m));
}

static void call_back_in(void *user, mam_question_t *question, const char *json) {
    place *p = user;
    int64_t id = mam_question_id(question);
    (void)json;
    for (size_t i = 0; i < function_count; i++) {
        const function *f = &functions[i];
        if (needs_a_question(f) || (f->takes & ENDS && !(f->takes & DEADLOCKS))) continue;
        if (strcmp(f->name, "mam_interrupt") == 0) continue; /* ends the call that this one is inside of */
        run_here(f, p, f->takes & DEADLOCKS ? MAM_ERR_DEADLOCK : MAM_OK);
        p->calls++;
    }
    OK(mam_answer(p->m, id, "{\"removed\":true}"));
}

/* A call that would wait for the callback is refused; all others work. Bob is wiped meanwhile, Ann stays. */
static void inside_a_callback(void **state) {
    place p = {*state, NULL, NULL, "inside a callback", 0};
    int64_t op;
    p.m = open_enrolled(p.o);
    enroll_well(p.m, BOB);
    OK(mam_policy_for_account(p.m, ANN, &p.policy));
    OK(mam_set_delegate(p.m, call_back_in, &p));
    OK(mam_wipe_account(p.m, BOB, &op));
    CHECK_NUMBER(104, code_of(p.m, op));
    CHECK(p.calls > 50);
    mam_policy_release(p.policy);
    OK(mam_close(p.m));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(on_another_thread),
        WITH_OFFICE(inside_a_callback),
    };
    return cmocka_run_group_tests_name("elsewhere", tests, begin, NULL);
}
