/* Facts about this process and this computer for the probes of device health. Only MAMDevice imports this. */
#ifndef CDEVICE_H
#define CDEVICE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct device_process {
    uint32_t user, effective_user, group, effective_group;
    bool is_secure; /* AT_SECURE: the program runs with more rights than its caller has */
} device_process_t;

device_process_t device_process(void);
/* The current value of an environment variable, in a set-user-id program too; NULL if it is not set. */
const char *_Nullable device_environment(const char *_Nonnull name);
/* Whether the file system encrypts a directory (fscrypt); false if it does not report it. */
bool device_is_encrypted(const char *_Nonnull path);

/* Results of a query to logind about the session of this process. */
enum {
    DEVICE_LOGIND_OK = 0,
    DEVICE_LOGIND_NO_LIBRARY = 1, /* libsystemd.so.0 is missing or too old */
    DEVICE_LOGIND_NO_BUS = 2,     /* no system bus, or no logind on it */
    DEVICE_LOGIND_NO_SESSION = 3,
    DEVICE_LOGIND_NO_ANSWER = 4, /* no reply in time, or one that cannot be read */
};

typedef struct device_logind {
    int can_lock; /* 1, 0, or -1 if this logind does not report it */
    bool is_locked, is_remote;
    char id[64], kind[32], type[32]; /* the session's id, class and type; longer ones are truncated */
} device_logind_t;

/* Query logind over D-Bus, in at most `milliseconds` altogether. libsystemd.so.0 is opened on first use and stays
 * open. */
int device_logind_query(int64_t milliseconds, device_logind_t *_Nonnull session);
/* The same for the lock alone, with fewer replies to wait for. */
int device_logind_is_locked(int64_t milliseconds, bool *_Nonnull is_locked);

#endif
