#include "arguments.h"

mam_t *m;
mam_policy_t *policy;
const office *here;

static mam_t *suites_m;
static mam_policy_t *suites_policy;
static char *accounts_before, *settings_before;

int set_up_suite(void **state) {
    static office o;
    begin(state);
    office_make(&o);
    here = &o;
    m = open_enrolled(&o);
    OK(mam_policy_for_account(m, ANN, &policy));
    OK(mam_registered_accounts(m, &accounts_before));
    OK(mam_settings(m, &settings_before));
    suites_m = m;
    suites_policy = policy;
    return 0;
}

int restore(void **state) {
    (void)state;
    m = suites_m;
    policy = suites_policy;
    return 0;
}

int tear_down_suite(void **state) {
    static office o;
    restore(state);
    mam_free(accounts_before);
    mam_free(settings_before);
    mam_policy_release(policy);
    OK(mam_close(m));
    o = *here;
    office_remove(&o);
    return 0;
}

void failed_well(const function *f, const call_t *call, mam_status expected, const char *what) {
    const char *why = "";
    if (call->status != expected)
        failed_at(
            __FILE__, __LINE__, "%s with %s answers %d (%s) instead of %d (%s)", f->name, what, call->status,
            mam_status_name(call->status), expected, mam_status_name(expected));
    if (!is_error_clear(expected, &why)) failed_at(__FILE__, __LINE__, "%s with %s: %s", f->name, what, why);
    if (!call->is_clean) failed_at(__FILE__, __LINE__, "%s with %s leaves an output", f->name, what);
    if (f->takes & IS_PREDICATE && call->answer != f->closed)
        failed_at(__FILE__, __LINE__, "%s with %s answers %d, which is not closed", f->name, what, call->answer);
}

void names(const function *f, const char *what, const char *key, const char *name) {
    if (strcmp(culprit(key), name) != 0)
        failed_at(__FILE__, __LINE__, "%s with %s blames %s \"%s\" instead of \"%s\"", f->name, what, key, culprit(key), name);
}

char *repeated(char c, size_t count) {
    char *text = malloc(count + 1);
    if (text == NULL) abort();
    memset(text, c, count);
    text[count] = '\0';
    return text;
}

void nothing_was_changed(void **state) {
    (void)state;
    char *accounts = NULL, *settings = NULL;
    OK(mam_settings(m, &settings));
    CHECK_TEXT(settings_before, settings);
    OK(mam_registered_accounts(m, &accounts));
    CHECK_NUMBER(1, count_of(accounts, ""));
    CHECK_TEXT(text_of(accounts_before, "/0/accountId"), text_of(accounts, "/0/accountId"));
    CHECK_TEXT("enrolled", text_of(accounts, "/0/state"));
    mam_buffer container = sealed(m, ANN, "still there");
    OK(opens_as(m, &container, "still there"));
    mam_buffer_free(&container);
    mam_free(accounts);
    mam_free(settings);
}
