#define _GNU_SOURCE
#include "CDevice.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

device_process_t device_process(void) {
    return (device_process_t){getuid(), geteuid(), getgid(), getegid(), getauxval(AT_SECURE) != 0};
}

const char *device_environment(const char *name) { return getenv(name); }

bool device_is_encrypted(const char *path) {
    struct statx facts;
    return statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_TYPE, &facts) == 0
        && (facts.stx_attributes_mask & facts.stx_attributes & STATX_ATTR_ENCRYPTED) != 0;
}
