/* A state that is created once and must survive: shared by the suites that damage it. */
#ifndef SAVED_STATE_H
#define SAVED_STATE_H

#include "support.h"

#define TEXT "what must not be lost"

/* A state with Ann and Bob enrolled, their containers, and no session open. */
typedef struct saved_state {
    mam_buffer ann, bob, personal;
} saved_state;

saved_state make_state(const office *o);
void all_is_there(const office *o, saved_state *k);
void forget(saved_state *k);

/* mam_open fails with this status and names the path; after the fault is repaired, everything is there. */
void refuses_to_open(const office *o, mam_status expected, const char *path);

#endif
