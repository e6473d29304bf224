#define _GNU_SOURCE
#include "platform_device.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

platform_process_t platform_process(void) {
    return (platform_process_t){getuid(), geteuid(), getgid(), getegid(), getauxval(AT_SECURE) != 0};
}

const char *platform_environment_raw(const char *name) { return getenv(name); }

int platform_real_path(const char *path, char *real, size_t capacity) {
    char *found = realpath(path, NULL);
    if (!found) return errno;
    size_t length = strlen(found);
    int result = length < capacity ? 0 : ENAMETOOLONG;
    if (!result) memcpy(real, found, length + 1);
    free(found);
    return result;
}

bool platform_is_encrypted(const char *path) {
    struct statx facts;
    return statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_TYPE, &facts) == 0
        && (facts.stx_attributes_mask & facts.stx_attributes & STATX_ATTR_ENCRYPTED) != 0;
}
