#define _GNU_SOURCE
#include "files_metadata.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { LIST = 65536 };

/* Attributes that the system manages are not copied. */
static bool is_copied(const char *name) { return strncmp(name, "security.", 9) != 0 && strncmp(name, "trusted.", 8) != 0; }

static int copy_attribute(int from, int to, const char *name, char *value) {
    ssize_t length = fgetxattr(from, name, value, LIST);
    if (length < 0) return errno == ENODATA ? 0 : errno;
    return fsetxattr(to, name, value, (size_t)length, 0) ? errno : 0;
}

static int copy_attributes(int from, int to) {
    char *names = malloc(LIST), *value = malloc(LIST);
    int result = names && value ? 0 : ENOMEM;
    ssize_t length = result ? 0 : flistxattr(from, names, LIST);
    if (length < 0) result = errno == ENOTSUP ? 0 : errno;
    for (char *name = names; !result && name < names + length; name += strlen(name) + 1)
        if (is_copied(name)) result = copy_attribute(from, to, name, value);
    free(names);
    free(value);
    return result;
}

int files_copy_metadata(int from, int to) {
    struct stat s, current;
    if (fstat(from, &s) || fstat(to, &current)) return errno;
    if ((s.st_uid != current.st_uid || s.st_gid != current.st_gid) && fchown(to, s.st_uid, s.st_gid)) return errno;
    /* Attributes come before the mode, which may take the right to write them. */
    int result = copy_attributes(from, to);
    return !result && fchmod(to, s.st_mode & 07777) ? errno : result;
}

int files_times_at(int directory, const char *name, files_times_t *times) {
    struct stat s;
    if (fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW)) return errno;
    *times = (files_times_t){s.st_atim.tv_sec, s.st_atim.tv_nsec, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
    return 0;
}

int files_set_times(int descriptor, const files_times_t *t) {
    struct timespec both[] = {
        {.tv_sec = t->read_seconds, .tv_nsec = t->read_nanoseconds},
        {.tv_sec = t->written_seconds, .tv_nsec = t->written_nanoseconds}};
    return futimens(descriptor, both) ? errno : 0;
}
