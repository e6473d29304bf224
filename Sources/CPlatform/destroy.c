#define _GNU_SOURCE
#include "platform_destroy.h"
#include "platform_limit.h"
#include "platform_memory.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Destroying what small files hold. */

static ssize_t write_over(int file, const void *bytes, size_t count, off_t at) {
    ssize_t written;
    bool is_growing = platform_growing_begin();
    do written = pwrite(file, bytes, count, at);
    while (written < 0 && errno == EINTR);
    platform_growing_end(is_growing);
    return written;
}

static int open_to_write(int directory, const char *name) {
    return openat(directory, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

int platform_overwrite_at(int directory, const char *name, const void *bytes, size_t count) {
    int f = open_to_write(directory, name);
    if (f < 0) return errno;
    ssize_t written = write_over(f, bytes, count, 0);
    int result = written < 0 ? errno : (size_t)written != count ? EIO : 0;
    if (!result && fsync(f)) result = errno;
    close(f);
    return result;
}

int platform_replace_by_link_at(int directory, const char *name, const char *target) {
    if (unlinkat(directory, name, 0)) return errno;
    (void)symlinkat(target, directory, name); /* what it held is gone, whether or not this can say so */
    return fsync(directory) ? errno : 0;
}

int platform_read_link_at(int directory, const char *name, char *target, size_t capacity) {
    ssize_t length = capacity ? readlinkat(directory, name, target, capacity - 1) : -1;
    if (length < 0) return capacity ? errno : EINVAL;
    target[length] = 0;
    return 0;
}

/* Random bytes over all of a file, or zeros where the system has none; only EIO tells. */
static int blot_out(int file) {
    struct stat s;
    unsigned char noise[256];
    if (fstat(file, &s) || !S_ISREG(s.st_mode)) return 0;
    if (!platform_random(noise, sizeof noise)) memset(noise, 0, sizeof noise);
    int result = 0;
    for (off_t at = 0; !result && at < s.st_size && at < 65536; at += (off_t)sizeof noise) {
        size_t n = s.st_size - at < (off_t)sizeof noise ? (size_t)(s.st_size - at) : sizeof noise;
        if (write_over(file, noise, n, at) < 0) result = errno;
    }
    if (fsync(file) && !result) result = errno;
    return result == EIO ? EIO : 0;
}

int platform_shred_at(int directory, const char *name) {
    int f = open_to_write(directory, name), result = 0;
    if (f >= 0) {
        result = blot_out(f);
        close(f);
    }
    /* Neither a file that cannot be opened nor a failed overwrite stops the unlink: that is what takes the key away. */
    if (unlinkat(directory, name, 0) && errno != ENOENT) return errno;
    return fsync(directory) ? errno : result;
}
