#define _GNU_SOURCE
#include "files_replace.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { LIST = 65536 };

static int copy_attributes(const char *from, int to) {
    char *names = malloc(LIST), *value = malloc(LIST);
    int result = names && value ? 0 : ENOMEM;
    ssize_t length = result ? 0 : llistxattr(from, names, LIST);
    if (length < 0) result = errno == ENOTSUP ? 0 : errno;
    for (char *name = names; !result && name < names + length; name += strlen(name) + 1) {
        if (strncmp(name, "security.", 9) == 0 || strncmp(name, "trusted.", 8) == 0) continue;
        ssize_t count = lgetxattr(from, name, value, LIST);
        if (count < 0) result = errno == ENODATA ? 0 : errno;
        else if (fsetxattr(to, name, value, (size_t)count, 0)) result = errno;
    }
    free(names);
    free(value);
    return result;
}

static int sync_directory_of(const char *path) {
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash - path) >= sizeof directory) return EINVAL;
    snprintf(directory, sizeof directory, "%.*s/", (int)(slash - path), path);
    int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return errno;
    int result = fsync(descriptor) ? errno : 0;
    close(descriptor);
    return result;
}

int files_replace(const char *replacement, const char *path) {
    struct stat s = {0}, current = {0};
    int to = open(replacement, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (to < 0) return errno;
    int result = lstat(path, &s) || fstat(to, &current) ? errno : 0;
    if (!result && (s.st_uid != current.st_uid || s.st_gid != current.st_gid) && fchown(to, s.st_uid, s.st_gid)) result = errno;
    /* Before the mode, which may take the right to write them. */
    if (!result) result = copy_attributes(path, to);
    if (!result && fchmod(to, s.st_mode & 07777)) result = errno;
    if (!result && fsync(to)) result = errno;
    close(to);
    if (!result && rename(replacement, path)) result = errno;
    return result ? result : sync_directory_of(path);
}

int files_remove(const char *path) { return unlink(path) && errno != ENOENT ? errno : 0; }
