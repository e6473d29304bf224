#ifndef PLATFORM_DEVICE_H
#define PLATFORM_DEVICE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What this process and its computer are, for the probes of device health. */

typedef struct platform_process {
    uint32_t user, effective_user, group, effective_group;
    bool is_secure; /* AT_SECURE: the system gave it more rights than whoever started it has */
} platform_process_t;

platform_process_t platform_process(void);
/* An environment variable as it is now, in a set-user-id program as well; NULL where it is not set. */
const char *_Nullable platform_environment_raw(const char *_Nonnull name);
/* The path without links, of at most `capacity` bytes with its NUL: 0 or an errno. */
int platform_real_path(const char *_Nonnull path, char *_Nonnull real, size_t capacity);
/* Whether the file system itself encrypts a directory (fscrypt); false where it cannot say. */
bool platform_is_encrypted(const char *_Nonnull path);

/* What logind says of the session of this process. */
enum {
    PLATFORM_LOGIND_OK = 0,
    PLATFORM_LOGIND_NO_LIBRARY = 1, /* there is no libsystemd.so.0, or it is too old */
    PLATFORM_LOGIND_NO_BUS = 2,     /* there is no system bus, or no logind on it */
    PLATFORM_LOGIND_NO_SESSION = 3,
    PLATFORM_LOGIND_SILENT = 4,     /* no answer, none in time, or none that makes sense */
};

typedef struct platform_logind {
    int can_lock;      /* 1, 0; -1: this logind does not say */
    bool is_locked, is_remote;
    char id[64], kind[32], type[32]; /* the session's id, class and type; cut where they are longer */
} platform_logind_t;

/* Ask over D-Bus (libsystemd.so.0, opened on the first use and kept), for no longer than `milliseconds` altogether. */
int platform_logind_ask(int64_t milliseconds, platform_logind_t *_Nonnull session);

#endif
