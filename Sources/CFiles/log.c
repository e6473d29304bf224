#define _GNU_SOURCE
#include "files_log.h"
#include "files_stat.h"
#include <errno.h>
#include <fcntl.h>
#include <process_size_limit.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /* Room for the lines of other processes while one renames the file. */
    SLACK = 16 << 10,
    ATTEMPTS = 4
};

static int open_log(int directory, const char *name, int *descriptor, int64_t *size) {
    struct stat s;
    /* O_NONBLOCK: opening a pipe would wait for its reader. */
    int f = openat(directory, name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
    if (f < 0) return errno;
    int failure = fstat(f, &s) ? errno : S_ISREG(s.st_mode) ? 0 : EINVAL;
    if (!failure && (s.st_mode & 07777) != 0600 && fchmod(f, 0600)) failure = errno;
    if (failure) {
        close(f);
        return failure;
    }
    *descriptor = f;
    *size = s.st_size;
    return 0;
}

/* The lock is on the file that is renamed, so a process that waited with the former one open finds another in its place. */
static int rename_full(int directory, int descriptor, const char *name, const char *former) {
    if (flock(descriptor, LOCK_EX | LOCK_NB)) return errno;
    int failure = files_is_at(descriptor, directory, name) && renameat(directory, name, directory, former) ? errno : 0;
    flock(descriptor, LOCK_UN);
    return failure;
}

static int write_line(int descriptor, const void *line, size_t count) {
    bool is_blocked = process_sigxfsz_block();
    ssize_t written;
    do written = write(descriptor, line, count);
    while (written < 0 && errno == EINTR);
    int failure = written < 0 ? errno : (size_t)written < count ? ENOSPC : 0;
    /* Cut off the part of a line that a full disk left, unless another line follows it already. */
    if (written > 0 && failure) {
        off_t end = lseek(descriptor, 0, SEEK_CUR);
        struct stat s;
        if (end >= written && !fstat(descriptor, &s) && s.st_size == end && ftruncate(descriptor, end - written)) failure = errno;
    }
    process_sigxfsz_unblock(is_blocked);
    return failure;
}

int files_log_append(int directory, const char *name, const char *former, const void *line, size_t count, int64_t limit) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int descriptor = -1;
        int64_t size = 0;
        int failure = open_log(directory, name, &descriptor, &size);
        if (failure) return failure;
        int64_t end = size + (int64_t)count;
        bool is_renamed = size > 0 && end > limit - SLACK && !rename_full(directory, descriptor, name, former);
        if (!is_renamed) failure = end > limit ? EFBIG : write_line(descriptor, line, count);
        close(descriptor);
        if (!is_renamed) return failure;
    }
    return EAGAIN;
}
