#ifndef HANDLE_H
#define HANDLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A handle is a token: a slot number and how often the slot was used. Slots are reused and never unmapped, so a
 * closed, stale or invented token is detected and never followed. */

enum {
    HANDLE_SESSION = 1,
    HANDLE_POLICY,
    HANDLE_QUESTION,
    HANDLE_IDENTITY,
    HANDLE_CONFIGURATION,
    HANDLE_PROTECT_STREAM,
    HANDLE_UNPROTECT_STREAM,
    HANDLE_FILE,
    HANDLE_DECISION,
    HANDLE_JSON,
};

/* Results; the numbers are those of mam.h. */
enum { HANDLE_OK = 0, HANDLE_ARGUMENT = 1, HANDLE_CLOSED = 4, HANDLE_FORKED = 5, HANDLE_STALE = 19 };

/* A new token for an object that the caller has retained; 0 if a million exist, or without memory. */
uintptr_t handle_new(int32_t kind, const void *_Nonnull object);
/* Use the object, which stays valid until handle_leave. */
int32_t handle_enter(uintptr_t token, int32_t kind, const void *_Nullable *_Nonnull object);
void handle_leave(uintptr_t token);
/* Whether handle_enter would succeed now. */
bool handle_is_open(uintptr_t token, int32_t kind);
/* Refuse later calls of handle_enter. The caller releases `object` after handle_wait_and_free. In a forked child the result is
 * HANDLE_FORKED and `object` is set all the same. */
int32_t handle_close(uintptr_t token, int32_t kind, const void *_Nullable *_Nonnull object);
/* Wait until no thread uses the object (in a forked child: do not wait), and recycle the slot. */
void handle_wait_and_free(uintptr_t token);

#endif
