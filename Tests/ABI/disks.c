#define _GNU_SOURCE /* mount and unshare */
#include "disks.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

static bool write_text(const char *path, const char *text) {
    int file = open(path, O_WRONLY);
    bool is_written = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);
    if (file >= 0) close(file);
    return is_written;
}

/* Become root in a namespace of its own, unless the user is root. */
static bool leave_the_others(void) {
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1", geteuid(), geteuid());
    snprintf(groups, sizeof groups, "%u %u 1", getegid(), getegid());
    if (geteuid() == 0) return unshare(CLONE_NEWNS) == 0;
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_text("/proc/self/setgroups", "deny")
        && write_text("/proc/self/uid_map", users) && write_text("/proc/self/gid_map", groups);
}

bool mount_small(const char *where, const char *options) {
    static bool is_apart;
    if (!is_apart) is_apart = leave_the_others() && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    return is_apart && mount("tmpfs", where, "tmpfs", 0, options) == 0;
}

void fill(const char *path, size_t spare) {
    static char block[4096];
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(file >= 0);
    off_t written = 0;
    for (ssize_t n; (n = write(file, block, sizeof block)) > 0;) written += n;
    CHECK(errno == ENOSPC && ftruncate(file, written > (off_t)spare ? written - (off_t)spare : 0) == 0);
    close(file);
}
