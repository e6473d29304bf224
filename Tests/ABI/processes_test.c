/* Several processes on one app group: each obeys the other's commits; both at once; killed in the middle. */
#include "support.h"

#include <signal.h>
#include <sys/wait.h>

static void print_block(const office *o, bool blocked) {
    admin(
        o,
        "{\"action\":\"policy.import\",\"document\":{\"@odata.type\":\"#libmam.linuxManagedAppProtection\","
        "\"id\":\"" STRICT_POLICY "\",\"displayName\":\"Print\",\"printBlocked\":%s}}",
        blocked ? "true" : "false");
}

/* A child that executes commands of one letter, and acknowledges each. */
typedef struct servant {
    pid_t process;
    int to, from;
} servant;

typedef struct orders {
    const office *o;
    const char *app;
    int in, out;
} orders;

static void serve(void *argument) {
    orders *s = argument;
    mam_t *m = open_app(s->o, s->app, QUIET);
    mam_policy_t *ann = NULL;
    int64_t op;
    OK(mam_policy_for_account(m, ANN, &ann));
    for (char order, reply; read(s->in, &order, 1) == 1;) {
        reply = 'k';
        switch (order) {
        case 'c': CHECK_NUMBER(100, check_in(m, ANN)); break;
        case 'e': CHECK_NUMBER(100, enroll(m, ANN)); break;
        case 'o': OK(mam_set_override(m, "SupportsDarkMode", "false")); break;
        case 'p':
            reply = mam_policy_is_print_allowed(ann) ? 'y' : 'n';
            OK(mam_last_status());
            break;
        case 'w':
            OK(mam_wipe_account(m, ANN, &op));
            CHECK_NUMBER(104, code_of(m, op));
            break;
        case 'u':
            OK(mam_deregister_and_unenroll(m, ANN, 0, &op));
            CHECK_NUMBER(104, code_of(m, op));
            break;
        default: CHECK(!"an order");
        }
        CHECK(write(s->out, &reply, 1) == 1);
    }
    mam_policy_release(ann);
    OK(mam_close(m));
}

static servant hire(const office *o, const char *app) {
    int down[2], up[2];
    CHECK(pipe(down) == 0 && pipe(up) == 0);
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        orders mine = {o, app, down[0], up[1]};
        close(down[1]);
        close(up[0]);
        alarm(300);
        serve(&mine);
        _exit(0);
    }
    close(down[0]);
    close(up[1]);
    return (servant){child, down[1], up[0]};
}

static char tell(const servant *s, char order) {
    char reply = 0;
    CHECK(write(s->to, &order, 1) == 1);
    if (read(s->from, &reply, 1) != 1) failed_at(__FILE__, __LINE__, "the other process died of \"%c\"", order);
    return reply;
}

static void dismiss(servant *s) {
    close(s->to);
    end_well(s->process);
    close(s->from);
}

/* After each of 100 commits of the other process, a held handle, a check and data access here obey it. */
static void the_next_question_obeys(void **state) {
    const office *o = *state;
    servant other = hire(o, APP);
    mam_t *m = open_enrolled(o);
    mam_policy_t *ann = NULL;
    OK(mam_policy_for_account(m, ANN, &ann));
    for (int i = 0; i < 50; i++) {
        bool blocked = i % 2;
        print_block(o, blocked);
        if (i % 4 < 2) {
            CHECK_NUMBER('k', tell(&other, 'c'));
            CHECK_NUMBER(!blocked, mam_policy_is_print_allowed(ann));
            OK(mam_last_status());
        } else {
            CHECK_NUMBER(100, check_in(m, ANN));
            CHECK_NUMBER(blocked ? 'n' : 'y', tell(&other, 'p'));
        }
        char *json = NULL;
        OK(mam_policy_check(m, "{\"action\":\"print\",\"account\":\"" ANN "\"}", &json));
        CHECK_NUMBER(!blocked, truth_of(json, "/allowed"));
        mam_free(json);
    }
    mam_buffer container = sealed(m, ANN, "text");
    for (int i = 0; i < 10; i++) {
        CHECK_NUMBER('k', tell(&other, 'w'));
        FAILS(MAM_ERR_KEY_UNAVAILABLE, opens_as(m, &container, "text"));
        mam_buffer late = {NULL, 0};
        mam_status status = mam_protect(m, ANN, (const uint8_t *)"x", 1, &late);
        CHECK(status == MAM_ERR_NOT_MANAGED || status == MAM_ERR_NOT_ENROLLED);
        CHECK_NUMBER(0, mam_policy_is_contact_sync_allowed(ann));
        CHECK_NUMBER('k', tell(&other, 'e'));
        mam_buffer_free(&container);
        container = sealed(m, ANN, "text");
        OK(opens_as(m, &container, "text"));
    }
    mam_buffer_free(&container);
    CHECK_NUMBER('k', tell(&other, 'o'));
    char *json = NULL;
    OK(mam_settings(m, &json));
    CHECK(strstr(json, "\"override\"") != NULL);
    mam_free(json);
    mam_policy_release(ann);
    OK(mam_close(m));
    dismiss(&other);
}

/* An account of one app has no effect on another app of the group. */
static void apps_side_by_side(void **state) {
    const office *o = *state;
    servant mail = hire(o, OTHER_APP);
    mam_t *m = open_enrolled(o);
    mam_buffer container = sealed(m, ANN, "text");
    CHECK_NUMBER('y', tell(&mail, 'p'));
    for (int i = 0; i < 5; i++) {
        CHECK_NUMBER('k', tell(&mail, 'e'));
        CHECK_NUMBER('k', tell(&mail, i % 2 ? 'w' : 'u'));
        OK(opens_as(m, &container, "text"));
        CHECK_NUMBER(101, check_in(m, ANN));
    }
    mam_buffer_free(&container);
    OK(mam_close(m));
    dismiss(&mail);
}

/* ---- both at once */

typedef struct racer {
    const office *o;
    const char *who, *more;
    int start;
    int code; /* the only valid one, or 0 */
} racer;

static void enroll_at_once(void *argument) {
    racer *r = argument;
    char go;
    mam_t *m = open_app(r->o, APP, r->more);
    CHECK(read(r->start, &go, 1) == 1);
    int code = enroll(m, r->who);
    OK(mam_close(m));
    _exit(code - 100); /* 0 for 100, else the other process's code */
}

static void race(const office *o, const char *who[2], const char *more, int loser) {
    for (int turn = 0; turn < 15; turn++) {
        int start[2], won = 0, lost = 0;
        CHECK(pipe(start) == 0);
        racer r[2] = {{o, who[0], more, start[0], 0}, {o, who[1], more, start[0], 0}};
        pid_t children[2];
        for (int i = 0; i < 2; i++) children[i] = start_child(enroll_at_once, &r[i]);
        sleep_ms(100);
        CHECK(write(start[1], "gg", 2) == 2);
        for (int i = 0; i < 2; i++) {
            int status = 0;
            CHECK(waitpid(children[i], &status, 0) == children[i] && WIFEXITED(status));
            won += WEXITSTATUS(status) == 0;
            lost += WEXITSTATUS(status) == loser;
            if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != loser)
                failed_at(__FILE__, __LINE__, "turn %d: one of two ends with code %d", turn, WEXITSTATUS(status) + 100);
        }
        close(start[0]);
        close(start[1]);
        /* One account twice: a process that comes while the other is enrolling may also get that it is enrolled. */
        CHECK(won >= 1);
        if (loser == 0) CHECK_NUMBER(2, won);
        if (loser == 127) CHECK(won == 1 && lost == 1);
        mam_t *m = open_quiet(o);
        char *json = NULL;
        OK(mam_enrolled_accounts(m, &json));
        CHECK_NUMBER(loser == 0 ? 2 : 1, count_of(json, ""));
        mam_free(json);
        OK(mam_registered_accounts(m, &json));
        for (int i = count_of(json, ""); i-- > 0;) {
            char pointer[32];
            int64_t op;
            snprintf(pointer, sizeof pointer, "/%d/upn", i);
            OK(mam_deregister_and_unenroll(m, text_of(json, pointer), 1, &op));
            CHECK_NUMBER(104, code_of(m, op));
        }
        mam_free(json);
        char *list = admin_reply(o, "{\"action\":\"registration.list\"}");
        CHECK_NUMBER(0, count_of(list, "/registrations"));
        mam_free(list);
        OK(mam_close(m));
    }
}

static void one_account_by_two(void **state) { race(*state, (const char *[]){ANN, ANN}, QUIET, 108); }
static void two_accounts_by_two(void **state) { race(*state, (const char *[]){ANN, BOB}, QUIET, 0); }
static void two_accounts_while_one_is_allowed(void **state) { race(*state, (const char *[]){ANN, BOB}, "\"worker\":false", 127); }

/* ---- the first open of all, by many processes */

static void opens_and_uses(void *argument) {
    mam_t *m = open_quiet(argument);
    OK(mam_set_override(m, "SupportsDarkMode", "false"));
    char *json = NULL;
    OK(mam_settings(m, &json));
    mam_free(json);
    OK(mam_close(m));
}

static void many_make_the_state(void **state) {
    office *o = *state;
    for (int turn = 0; turn < 10; turn++) {
        pid_t children[6];
        snprintf(o->state, sizeof o->state, "%s/state-%d", o->root, turn);
        for (int i = 0; i < 6; i++) children[i] = start_child(opens_and_uses, o);
        for (int i = 0; i < 6; i++) end_well(children[i]);
    }
}

/* ---- killed at random */

static void work_until_killed(void *argument) {
    orders *s = argument;
    mam_t *m = open_quiet(s->o);
    int64_t op;
    for (;;) {
        char what = 'e';
        CHECK_NUMBER(100, enroll(m, ANN));
        CHECK(write(s->out, &what, 1) == 1);
        for (int i = 0; i < 3; i++) {
            int code = check_in(m, ANN);
            CHECK(code == 100 || code == 101);
        }
        what = 'd';
        CHECK(write(s->out, &what, 1) == 1); /* leaving begins: from here on either result is valid */
        OK(mam_deregister_and_unenroll(m, ANN, 1, &op));
        CHECK_NUMBER(104, code_of(m, op));
        what = 'l';
        CHECK(write(s->out, &what, 1) == 1);
    }
}

static void killed_at_random(void **state) {
    const office *o = *state;
    enum { TIMES = 40 };
    int seen[256] = {0};
    mam_t *m = open_quiet(o);
    OK(mam_close(m));
    for (int i = 0; i < TIMES; i++) {
        int up[2];
        char latest = 0, letter;
        CHECK(pipe(up) == 0);
        orders s = {o, APP, -1, up[1]};
        pid_t child = start_child(work_until_killed, &s);
        close(up[1]);
        sleep_ms((int)(random_number() % 120));
        kill(child, SIGKILL);
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); /* it did not fail before */
        while (read(up[0], &letter, 1) == 1) latest = letter;
        close(up[0]);
        seen[(unsigned char)latest]++;

        /* The next process finds a complete state, which agrees with the results of the killed one. */
        m = open_quiet(o);
        char *json = NULL;
        OK(mam_run_due(m));
        OK(mam_registered_accounts(m, &json));
        int count = count_of(json, "");
        CHECK(count == 0 || count == 1);
        bool enrolled = count == 1 && strcmp(text_of(json, "/0/state"), "enrolled") == 0;
        if (latest == 'e') CHECK(enrolled);
        mam_free(json);
        if (enrolled) {
            int code = check_in(m, ANN);
            CHECK(code == 100 || code == 101);
            mam_buffer container = sealed(m, ANN, "text");
            OK(opens_as(m, &container, "text"));
            mam_buffer_free(&container);
        } else {
            int code = enroll(m, ANN);
            if (code != 100 && code != 208) failed_at(__FILE__, __LINE__, "enrolling after a kill ends with %d", code);
            if (code == 208) { /* registered before the kill: the enrollment continues automatically */
                OK(mam_run_due(m));
                code = check_in(m, ANN);
                CHECK(code == 100 || code == 101 || code == 213);
            }
        }
        int64_t op;
        OK(mam_deregister_and_unenroll(m, ANN, 1, &op));
        CHECK_NUMBER(104, code_of(m, op));
        OK(mam_registered_accounts(m, &json));
        CHECK_TEXT("[]", json);
        mam_free(json);
        char *list = admin_reply(o, "{\"action\":\"registration.list\"}");
        if (count_of(list, "/registrations") != 0)
            failed_at(__FILE__, __LINE__, "kill %d (\"%c\"): the authority still lists %s", i, latest ? latest : '-', list);
        mam_free(list);
        OK(mam_close(m));
    }
    if (seen['e'] == 0) failed_at(__FILE__, __LINE__, "no kill met an enrolled process");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(the_next_question_obeys),
        WITH_OFFICE(apps_side_by_side),
        WITH_OFFICE(one_account_by_two),
        WITH_OFFICE(two_accounts_by_two),
        WITH_OFFICE(two_accounts_while_one_is_allowed),
        WITH_OFFICE(many_make_the_state),
        WITH_OFFICE(killed_at_random),
    };
    return cmocka_run_group_tests_name("processes", tests, begin, NULL);
}
