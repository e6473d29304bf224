#define _GNU_SOURCE
#include "platform_newfile.h"
#include "platform_limit.h"
#include "platform_memory.h"
#include "platform_open.h"
#include "platform_owner.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int platform_read_on(int descriptor, void *bytes, size_t capacity, size_t *count) {
    *count = 0;
    while (*count < capacity) {
        ssize_t got = read(descriptor, (char *)bytes + *count, capacity - *count);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) return 0;
        *count += (size_t)got;
    }
    return 0;
}

int platform_write_on(int descriptor, const void *bytes, size_t count) {
    const char *at = bytes;
    bool is_growing = platform_growing_begin();
    int result = 0;
    while (!result && count > 0) {
        ssize_t written = write(descriptor, at, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            result = errno;
        } else {
            at += written;
            count -= (size_t)written;
        }
    }
    platform_growing_end(is_growing);
    return result;
}

int platform_new_nameless(int directory, uint32_t mode, int *descriptor) {
    int result = platform_open_nameless(directory, NULL, mode, descriptor);
    return result == EISDIR || result == ENOENT || result == EINVAL ? EOPNOTSUPP : result;
}

int platform_new_named(int directory, const char *name, uint32_t mode, int *descriptor) {
    *descriptor = openat(directory, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, (mode_t)mode);
    return *descriptor < 0 ? errno : 0;
}

int platform_temporary(int directory, char *name, char *path) {
    uint64_t number;
    if (!platform_random(&number, sizeof number)) return EIO;
    snprintf(name, PLATFORM_TEMPORARY, ".mam-%016llx.new", (unsigned long long)number);
    int result = platform_path_of(directory, path, PLATFORM_LONG_PATH - PLATFORM_TEMPORARY - 1);
    if (result) return result;
    strcat(path, "/");
    strcat(path, name);
    return 0;
}

int platform_settle_directory(int directory) {
    int f = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (f < 0) return errno;
    int result = platform_sync(f, false);
    close(f);
    return result;
}

int platform_name_file(int descriptor, int directory, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW) ? errno : 0;
}

int platform_may_replace(int directory, const char *name) {
    struct stat there;
    if (fstatat(directory, name, &there, AT_SYMLINK_NOFOLLOW)) return errno == ENOENT ? 0 : errno;
    if (S_ISREG(there.st_mode)) return EEXIST;
    return S_ISDIR(there.st_mode) ? EISDIR : S_ISLNK(there.st_mode) ? ELOOP : ENXIO;
}

int platform_rename_at(int directory, const char *from, const char *to) {
    return renameat(directory, from, directory, to) ? errno : 0;
}
