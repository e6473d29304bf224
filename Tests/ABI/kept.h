/* A state that was made once and has to last: shared by the suites that hurt it. */
#ifndef KEPT_H
#define KEPT_H

#include "support.h"

#define TEXT "what must not be lost"

/* A state with Ann and Bob enrolled, their containers, and no session open. */
typedef struct kept {
    mam_buffer ann, bob, personal;
} kept;

kept make_state(const office *o);
void all_is_there(const office *o, kept *k);
void forget(kept *k);

/* mam_open fails with this status and names the path; the fault is mended, and everything is there. */
void refuses_to_open(const office *o, mam_status expected, const char *path);

#endif
