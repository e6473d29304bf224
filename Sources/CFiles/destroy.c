#define _GNU_SOURCE
#include "files_destroy.h"
#include <errno.h>
#include <fcntl.h>
#include <process_memory.h>
#include <process_size_limit.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t pwrite_retry(int file, const void *bytes, size_t count, off_t at) {
    ssize_t written;
    bool is_blocked = process_sigxfsz_block();
    do written = pwrite(file, bytes, count, at);
    while (written < 0 && errno == EINTR);
    process_sigxfsz_unblock(is_blocked);
    return written;
}

static int open_to_write(int directory, const char *name) {
    return openat(directory, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

int files_overwrite_at(int directory, const char *name, const void *bytes, size_t count) {
    int f = open_to_write(directory, name);
    if (f < 0) return errno;
    ssize_t written = pwrite_retry(f, bytes, count, 0);
    int result = written < 0 ? errno : (size_t)written != count ? EIO : 0;
    if (!result && fsync(f)) result = errno;
    close(f);
    return result;
}

int files_replace_by_symlink_at(int directory, const char *name, const char *target) {
    if (unlinkat(directory, name, 0)) return errno;
    (void)symlinkat(target, directory, name); /* the content is gone even if the link cannot be created */
    return fsync(directory) ? errno : 0;
}

int files_read_symlink_at(int directory, const char *name, char *target, size_t capacity) {
    ssize_t length = capacity ? readlinkat(directory, name, target, capacity - 1) : -1;
    if (length < 0) return capacity ? errno : EINVAL;
    target[length] = 0;
    return 0;
}

/* Overwrite a file with random bytes, or zeros without any. Reports only EIO. */
static int overwrite_all(int file) {
    struct stat s;
    unsigned char noise[256];
    if (fstat(file, &s) || !S_ISREG(s.st_mode)) return 0;
    if (!process_random(noise, sizeof noise)) memset(noise, 0, sizeof noise);
    int result = 0;
    for (off_t at = 0; !result && at < s.st_size && at < 65536; at += (off_t)sizeof noise) {
        size_t n = s.st_size - at < (off_t)sizeof noise ? (size_t)(s.st_size - at) : sizeof noise;
        if (pwrite_retry(file, noise, n, at) < 0) result = errno;
    }
    if (fsync(file) && !result) result = errno;
    return result == EIO ? EIO : 0;
}

int files_unlink_at(int directory, const char *name) {
    if (unlinkat(directory, name, 0) && errno != ENOENT) return errno;
    return fsync(directory) ? errno : 0;
}

int files_shred_at(int directory, const char *name) {
    int f = open_to_write(directory, name), result = 0;
    if (f >= 0) {
        result = overwrite_all(f);
        close(f);
    }
    /* A file that cannot be opened or overwritten is unlinked all the same: that is what removes the key. */
    int failure = files_unlink_at(directory, name);
    return failure ? failure : result;
}
