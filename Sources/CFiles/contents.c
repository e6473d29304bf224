#define _GNU_SOURCE
#include "files_contents.h"
#include "files_close.h"
#include "files_directory.h"
#include "files_io.h"
#include "files_temporary.h"
#include <errno.h>
#include <fcntl.h>
#include <process_memory.h>
#include <process_size_limit.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_all(int f, void *bytes, size_t capacity, size_t *count) {
    size_t got = 0;
    char extra;
    for (;;) {
        ssize_t n = got < capacity ? read(f, (char *)bytes + got, capacity - got) : read(f, &extra, 1);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) break;
        if (got == capacity) return EFBIG;
        got += (size_t)n;
    }
    *count = got;
    return 0;
}

int files_read_at(int directory, const char *name, void *bytes, size_t capacity, size_t *count) {
    *count = 0;
    int f = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (f < 0) return errno;
    int result = read_all(f, bytes, capacity, count);
    close(f);
    return result;
}

int files_read_path(const char *path, void *bytes, size_t capacity, size_t *count) {
    *count = 0;
    int f = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (f < 0) return errno;
    int result = read_all(f, bytes, capacity, count);
    close(f);
    return result;
}

int files_create_at(int directory, const char *name, const void *bytes, size_t count) {
    /* The file gets its name once it is complete, so that a kill leaves nothing behind if the file system supports
     * unnamed files. */
    int f;
    char temporary[64] = "";
    int result = files_create_unnamed(directory, 0600, &f);
    if (result == EOPNOTSUPP) {
        uint64_t number;
        if (!process_random(&number, sizeof number)) return EIO;
        snprintf(temporary, sizeof temporary, ".new-%016llx", (unsigned long long)number);
        result = files_create_named(directory, temporary, 0600, &f);
    }
    if (result) return result;
    if (fchmod(f, 0600)) result = errno;
    if (!result) result = files_write(f, bytes, count);
    if (!result) result = files_sync(f, false);
    if (!result) result = files_link(f, directory, name);
    if (temporary[0]) unlinkat(directory, temporary, 0);
    close(f);
    return result ? result : files_sync_directory(directory);
}

int files_restrict_at(int directory, const char *name) {
    /* By name: opening and closing the file would drop the locks that this process's SQLite holds on it. */
    struct stat s;
    if (fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW)) return errno;
    if (!S_ISREG(s.st_mode)) return ELOOP;
    if (s.st_uid != geteuid() || !(s.st_mode & 077)) return 0;
    return fchmodat(directory, name, 0600, 0) ? errno : 0;
}

int files_make_writable(int descriptor) {
    struct stat s;
    if (fstat(descriptor, &s)) return errno;
    if (s.st_uid != geteuid()) return EACCES;
    return (s.st_mode & S_IRWXU) != S_IRWXU && fchmod(descriptor, (s.st_mode & 07777) | S_IRWXU) ? errno : 0;
}

int files_make_readable_at(int directory, const char *name) {
    struct stat s;
    if (fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW)) return errno;
    if (!S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode)) return ELOOP;
    if (s.st_uid != geteuid()) return EACCES;
    const mode_t rights = S_ISDIR(s.st_mode) ? S_IRWXU : S_IRUSR;
    return fchmodat(directory, name, (s.st_mode & 07777) | rights, 0) ? errno : 0;
}

int files_lengthen(const char *path, int64_t length) {
    struct stat s;
    if (lstat(path, &s)) return errno == ENOENT ? 0 : errno;
    if (!S_ISREG(s.st_mode)) return ELOOP;
    if (s.st_size >= length) return 0;
    int f = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (f < 0) return errno;
    bool is_blocked = process_sigxfsz_block();
    int result = posix_fallocate(f, 0, length);
    process_sigxfsz_unblock(is_blocked);
    files_close_keeping_locks(f); /* as above: SQLite may hold locks */
    return result;
}
