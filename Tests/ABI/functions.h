/* Every function of mam.h in one form, so that a suite can call them all with the same bad arguments. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include "support.h"

/* The arguments of any function, which ignores those it does not take. */
typedef struct call {
    /* in */
    mam_t *m;
    mam_policy_t *policy;
    mam_question_t *question;
    mam_identity_t *identity;
    mam_app_config_t *config;
    mam_decision_t *decision;
    mam_json_t *parsed;
    mam_protect_stream_t *protecting;
    mam_unprotect_stream_t *unprotecting;
    mam_file_t *file;
    const char *account, *other, *json, *text, *path, *existing, *unowned, *place, *target, *window;
    const uint8_t *data;
    size_t length, capacity, index;
    uint8_t *out;
    int64_t number; /* of an operation or a question; a fallback */
    int32_t open_flags, permissions, whence, timeout, level, location, mode, ask, task, wipe, query;
    uint32_t flags;
    int missing; /* pass NULL for this output, counted from 1 */
    /* out */
    mam_status status;
    mam_bool answer; /* of a predicate */
    size_t written;
    bool ran;      /* the function argument was called */
    bool is_clean; /* every output is NULL or 0 */
    bool is_whole; /* every output is set */
} call_t;

enum { /* arguments of a function */
       TAKES_SESSION = 1 << 0,
       TAKES_POLICY = 1 << 1,
       TAKES_QUESTION = 1 << 2,
       TAKES_ACCOUNT = 1 << 3,
       TAKES_JSON = 1 << 4,
       TAKES_TEXT = 1 << 5, /* text that is not JSON */
       TAKES_DATA = 1 << 6, /* data and length */
       TAKES_ROOM = 1 << 7, /* out, capacity, written */
       TAKES_TIMEOUT = 1 << 8,
       TAKES_NUMBER = 1 << 9, /* an operation's or a question's */
       TAKES_FLAGS = 1 << 10,
       IS_PREDICATE = 1 << 11,
       IS_SILENT = 1 << 12, /* leaves the last error alone */
       ENDS = 1 << 13,      /* closes, releases or unenrolls its argument */
       ANY_NULL = 1 << 14,  /* NULL is allowed for the handle */
       TAKES_IDENTITY = 1 << 15,
       TAKES_WINDOW = 1 << 16,
       TAKES_CONFIG = 1 << 19,
       TAKES_PROTECTING = 1 << 20,
       TAKES_UNPROTECTING = 1 << 21,
       TAKES_FILE = 1 << 24,
       TAKES_DECISION = 1 << 25,
       TAKES_PARSED = 1 << 26,
       IS_VOID = 1 << 17,
       DEADLOCKS = 1 << 18 /* inside a callback */
};

typedef struct function {
    const char *name;
    void (*run)(call_t *);
    unsigned takes;
    mam_bool closed;       /* a predicate's closed value */
    const char *json_name; /* of the argument that is JSON, as the detail names it */
    const char *text_name;
    const char *data_name;
    const char *outputs[3];                            /* names of outputs that may not be NULL */
    mam_status null_account, empty_account, null_json; /* results for NULL and "" */
    const char *good_json, *good_text;                 /* beginning with @: to be generated */
    bool wants_container;
    const char *other_name; /* of a second account */
    struct {
        const char *name;
        size_t at; /* in call_t */
        int32_t too_large;
    } range;                  /* of a number with a range */
    const char *good_account; /* if it is not Ann */
    struct {
        const char *name;
        size_t at; /* in call_t */
    } sizes[2];    /* parameters declared as size_t */
    struct {
        const char *name;
        size_t at; /* in call_t */
    } beside[2];   /* texts and data beside an account, which could be exchanged with it; "" for none */
    struct {
        const char *name;
        size_t at; /* in call_t */
    } paths[2];    /* "" for none */
} function;

extern const function functions[];
extern const size_t function_count;

/* The sixteen predicates without arguments, as mam_policy_check names them. */
typedef struct predicate {
    mam_bool (*ask)(const mam_policy_t *);
    const char *action;
    bool is_requirement; /* the reply has "required" */
} predicate;

extern const predicate predicates[];
extern const size_t predicate_count;

/* Good arguments for a function: a session in which Ann is enrolled, and her policy. */
void good_arguments(const function *f, call_t *c, const office *o, mam_t *m, mam_policy_t *policy);
/* The function's text argument that is not JSON, for replacement. */
const char **text_argument(const function *f, call_t *c);
/* Run it, after setting its outputs to values that a good answer never has. */
void run_function(const function *f, call_t *c);

/* The function with a name. */
const function *function_named(const char *name);

#endif
