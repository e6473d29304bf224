#include "saved_state.h"

saved_state make_state(const office *o) {
    saved_state k;
    mam_t *m = open_quiet(o);
    enroll_well(m, ANN);
    enroll_well(m, BOB);
    k.ann = sealed(m, ANN, TEXT);
    k.bob = sealed(m, BOB, TEXT);
    k.personal = sealed(m, EVE, TEXT);
    OK(mam_close(m));
    return k;
}

void all_is_there(const office *o, saved_state *k) {
    mam_t *m = open_quiet(o);
    OK(opens_as(m, &k->ann, TEXT));
    OK(opens_as(m, &k->bob, TEXT));
    OK(opens_as(m, &k->personal, TEXT));
    char *json = NULL;
    OK(mam_enrolled_accounts(m, &json));
    CHECK_NUMBER(2, count_of(json, ""));
    mam_free(json);
    OK(mam_close(m));
}

void forget(saved_state *k) {
    mam_buffer_free(&k->ann);
    mam_buffer_free(&k->bob);
    mam_buffer_free(&k->personal);
}

void refuses_to_open(const office *o, mam_status expected, const char *path) {
    FAILS(expected, try_open(o, QUIET));
    if (path && strcmp(culprit("path"), path) != 0)
        failed_at(__FILE__, __LINE__, "the detail names the path \"%s\" instead of \"%s\"", culprit("path"), path);
    if (path && strstr(mam_last_message(), path) == NULL) failed_at(__FILE__, __LINE__, "the message does not name %s", path);
}
