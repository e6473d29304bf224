#ifndef PLATFORM_HANDLE_H
#define PLATFORM_HANDLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Handles are tokens: a number and how often its slot was used. Slots are recycled and never unmapped, so a closed, stale or
 * made-up token is found out and never followed. */

enum {
    PLATFORM_HANDLE_SESSION = 1,
    PLATFORM_HANDLE_POLICY,
    PLATFORM_HANDLE_QUESTION,
    PLATFORM_HANDLE_IDENTITY,
    PLATFORM_HANDLE_CONFIGURATION,
    PLATFORM_HANDLE_PROTECT_STREAM,
    PLATFORM_HANDLE_UNPROTECT_STREAM,
    PLATFORM_HANDLE_FILE,
};

/* What a token can be; the numbers are those of mam.h. */
enum { PLATFORM_HANDLE_OK = 0, PLATFORM_HANDLE_ARGUMENT = 1, PLATFORM_HANDLE_CLOSED = 4, PLATFORM_HANDLE_FORKED = 5,
       PLATFORM_HANDLE_STALE = 19 };

/* A new token for an object (retained by the caller); 0 when there are a million, or no memory. */
uintptr_t platform_handle_new(int32_t kind, const void *_Nonnull object);
/* Use the object: it stays until platform_handle_leave. */
int32_t platform_handle_enter(uintptr_t token, int32_t kind, const void *_Nullable *_Nonnull object);
void platform_handle_leave(uintptr_t token);
/* Whether it could be entered now. */
bool platform_handle_is_open(uintptr_t token, int32_t kind);
/* Nobody enters any more; `object` is then the caller's to release after platform_handle_drain. In a forked child the
 * status is FORKED and `object` is set all the same. */
int32_t platform_handle_close(uintptr_t token, int32_t kind, const void *_Nullable *_Nonnull object);
/* Wait until everybody has left (in a forked child: does not wait), and recycle the slot. */
void platform_handle_drain(uintptr_t token);

#endif
