/* Process exit: exit() while the worker runs, 200 times; loading and unloading; threads that end after dlclose. */
#include "support.h"

static void exit_while_the_worker_runs(void **state) {
    const office *o = *state;
    enum { TIMES = 200 };
    char round[16], output[512];
    mam_t *m = open_enrolled(o);
    OK(mam_close(m));
    for (int i = 0; i < TIMES; i++) {
        snprintf(round, sizeof round, "%d", i);
        char *const words[] = {
            (char *)(uintptr_t)tool("actor"), (char *)(uintptr_t) "exit", (char *)(uintptr_t)o->root, round, NULL};
        int status = run_program(words, NULL, output, sizeof output);
        if (status != 0) failed_at(__FILE__, __LINE__, "time %d: exit status %d, \"%s\"", i, status, output);
    }
    m = open_quiet(o); /* and the state is undamaged */
    CHECK_NUMBER(101, check_in(m, ANN));
    OK(mam_close(m));
}

static void loading_and_unloading(void **state) {
    const office *o = *state;
    char output[512];
    char *const words[] = {(char *)(uintptr_t)tool("loader"), (char *)(uintptr_t)o->state, (char *)(uintptr_t)o->authority, NULL};
    int status = run_program(words, NULL, output, sizeof output);
    if (status != 0) failed_at(__FILE__, __LINE__, "exit status %d, \"%s\"", status, output);
    CHECK(strstr(output, "good") != NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_OFFICE(loading_and_unloading),
        WITH_OFFICE(exit_while_the_worker_runs),
    };
    return cmocka_run_group_tests_name("exit", tests, begin, NULL);
}
