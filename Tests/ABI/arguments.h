/* Shared by the suites of bad arguments: one session for the whole suite, and the form of a refusal. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "functions.h"

/* Ann's, in an office that no test may change; a test may replace them. */
extern mam_t *m;
extern mam_policy_t *policy;
extern const office *here;

int set_up_suite(void **state);
int tear_down_suite(void **state);
int restore(void **state);
#define TEST(test) cmocka_unit_test_setup(test, restore)

/* Fails if anything has changed the state: the last test of each suite. */
void nothing_was_changed(void **state);

/* It failed as documented: this status, a clear message, cleared outputs, the closed value. */
void failed_well(const function *f, const call_t *call, mam_status expected, const char *what);
/* The last error's detail has `name` under `key`. */
void names(const function *f, const char *what, const char *key, const char *name);

#define EACH(f, kind)                                                        \
    for (const function *f = functions; f < functions + function_count; f++) \
        if (f->takes & (kind))

typedef struct bad_text {
    const char *what;
    char *text;
} bad_text;

enum { LONG = 64 << 10 };

/* Text of one character; the caller frees it. */
char *repeated(char c, size_t count);

#endif
