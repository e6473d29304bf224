#define _GNU_SOURCE
#include "files_close.h"
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

/* Descriptors plus one of files that are locked; 0 is an empty slot. No mutex guards them, since a fork could copy
 * it locked. */
enum { DEFERRED = 256 };
static _Atomic int deferred[DEFERRED];

static bool is_locked(int descriptor) {
    /* F_OFD_GETLK reports the POSIX locks of every process, this one included. */
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_GETLK, &all) == 0 && all.l_type != F_UNLCK && all.l_pid != -1;
}

static void close_unless_locked(int descriptor) {
    if (is_locked(descriptor)) {
        /* Release the description's own locks, as close would. */
        struct flock own = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
        (void)fcntl(descriptor, F_OFD_SETLK, &own);
        for (int i = 0; i < DEFERRED; i++) {
            int none = 0;
            if (atomic_compare_exchange_strong(&deferred[i], &none, descriptor + 1)) return;
        }
    }
    close(descriptor);
}

static bool is_same(int descriptor, const struct stat *there) {
    struct stat here;
    return fstat(descriptor, &here) == 0 && here.st_dev == there->st_dev && here.st_ino == there->st_ino;
}

int files_take_deferred(int directory, const char *name) {
    struct stat there;
    bool is_known = false;
    for (int i = 0; i < DEFERRED; i++) {
        int found = deferred[i];
        if (!found) continue;
        if (!is_known && fstatat(directory, name, &there, AT_SYMLINK_NOFOLLOW)) return -1;
        is_known = true;
        if (!is_same(found - 1, &there) || (fcntl(found - 1, F_GETFL) & O_ACCMODE) != O_RDONLY) continue;
        if (!atomic_compare_exchange_strong(&deferred[i], &found, 0)) continue;
        /* Another thread may have taken and closed it meanwhile, and deferred another file of this number. */
        if (is_same(found - 1, &there) && lseek(found - 1, 0, SEEK_SET) == 0) return found - 1;
        close_unless_locked(found - 1);
    }
    return -1;
}

int files_flush(int descriptor, bool keeps_locks) {
    /* Each close of a descriptor flushes, a copy's too. Without a copy a sync reports the same, and takes longer. */
    int copy = keeps_locks && is_locked(descriptor) ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return fdatasync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
    return close(copy) == 0 || errno == EINTR ? 0 : errno;
}

void files_close_keeping_locks(int descriptor) {
    for (int i = 0; i < DEFERRED; i++) {
        if (!deferred[i]) continue;
        int previous = atomic_exchange(&deferred[i], 0);
        if (previous) close_unless_locked(previous - 1);
    }
    close_unless_locked(descriptor);
}
