#define _GNU_SOURCE
#include "platform_newfile.h"
#include "platform_limit.h"
#include "platform_memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse_special(mode_t mode) {
    if (S_ISREG(mode)) return 0;
    return S_ISDIR(mode) ? EISDIR : S_ISLNK(mode) ? ELOOP : ENXIO;
}

int platform_open_to_read(const char *path, int *descriptor, platform_file_facts_t *facts) {
    /* A pipe would wait for a writer, a terminal become ours. */
    *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    if (*descriptor < 0) return errno;
    int result = platform_facts_of(*descriptor, facts);
    if (!result) result = refuse_special((mode_t)facts->mode);
    if (result) {
        close(*descriptor);
        *descriptor = -1;
    }
    return result;
}

void platform_times_of(int descriptor, platform_times_t *times) {
    struct stat s = {0};
    (void)fstat(descriptor, &s);
    *times = (platform_times_t){s.st_atim.tv_sec, s.st_atim.tv_nsec, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
}

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
    *descriptor = openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, (mode_t)mode);
    if (*descriptor >= 0) return 0;
    return errno == EISDIR || errno == ENOENT ? EOPNOTSUPP : errno;
}

int platform_new_named(int directory, const char *name, uint32_t mode, int *descriptor) {
    *descriptor = openat(directory, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, (mode_t)mode);
    return *descriptor < 0 ? errno : 0;
}

static int path_of(int descriptor, char *path, size_t capacity) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, capacity - 1);
    if (length < 0) return errno;
    if ((size_t)length == capacity - 1) return ENAMETOOLONG;
    path[length] = 0;
    return 0;
}

int platform_temporary(int directory, char *name, char *path) {
    uint64_t number;
    if (!platform_random(&number, sizeof number)) return EIO;
    snprintf(name, PLATFORM_TEMPORARY, ".mam-%016llx.new", (unsigned long long)number);
    int result = path_of(directory, path, PLATFORM_LONG_PATH - PLATFORM_TEMPORARY - 1);
    if (result) return result;
    strcat(path, "/");
    strcat(path, name);
    return 0;
}

int platform_settle(int descriptor) { return fsync(descriptor) ? errno : 0; }

int platform_name_file(int descriptor, int directory, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW) ? errno : 0;
}

int platform_may_replace(int directory, const char *name) {
    struct stat there;
    if (fstatat(directory, name, &there, AT_SYMLINK_NOFOLLOW)) return errno == ENOENT ? 0 : errno;
    int result = refuse_special(there.st_mode);
    return result ? result : EEXIST;
}

int platform_rename_at(int directory, const char *from, const char *to) {
    return renameat(directory, from, directory, to) ? errno : 0;
}

int platform_unlink_at(int directory, const char *name) { return unlinkat(directory, name, 0) ? errno : 0; }
