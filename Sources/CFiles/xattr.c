#define _GNU_SOURCE
#include "files_xattr.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

static int result_of(ssize_t got, size_t *count) {
    *count = got < 0 ? 0 : (size_t)got;
    return got < 0 ? errno : 0;
}

int files_xattr_of(int descriptor, const char *attribute, void *bytes, size_t capacity, size_t *count) {
    return result_of(fgetxattr(descriptor, attribute, bytes, capacity), count);
}

/* getxattrat(2); linux/xattr.h declares it since 6.13. */
struct attribute_arguments {
    _Alignas(8) uint64_t value;
    uint32_t size, flags;
};
enum { GETXATTRAT = 464 };

int files_xattr_at(int directory, const char *name, const char *attribute, void *bytes, size_t capacity, size_t *count) {
    static _Atomic int is_missing;
    if (!is_missing) {
        struct attribute_arguments arguments = {(uint64_t)(uintptr_t)bytes, (uint32_t)capacity, 0};
        ssize_t got = syscall(GETXATTRAT, directory, name, AT_SYMLINK_NOFOLLOW, attribute, &arguments, sizeof arguments);
        if (got >= 0 || (errno != ENOSYS && errno != EPERM)) return result_of(got, count);
        if (errno == ENOSYS) is_missing = 1;
    }
    char path[40 + NAME_MAX + 1];
    if (strlen(name) > NAME_MAX) return ENAMETOOLONG;
    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", directory, name);
    return result_of(lgetxattr(path, attribute, bytes, capacity), count);
}

int files_xattr_set(int descriptor, const char *attribute, const void *bytes, size_t count) {
    struct stat s;
    if (!fsetxattr(descriptor, attribute, bytes, count, 0)) return 0;
    const int result = errno;
    /* Attributes ask for the right to write, which a user may have taken from themselves. */
    if (result != EACCES || fstat(descriptor, &s) || s.st_uid != geteuid() || s.st_mode & S_IWUSR) return result;
    if (fchmod(descriptor, (s.st_mode & 07777) | S_IWUSR)) return result;
    const int again = fsetxattr(descriptor, attribute, bytes, count, 0) ? errno : 0;
    return fchmod(descriptor, s.st_mode & 07777) && !again ? errno : again;
}

int files_xattr_remove(int descriptor, const char *attribute) { return fremovexattr(descriptor, attribute) ? errno : 0; }
