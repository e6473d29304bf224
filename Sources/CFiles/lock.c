#define _GNU_SOURCE
#include "files_lock.h"
#include <errno.h>
#include <fcntl.h>
#include <process_byte_lock.h>
#include <sys/file.h>
#include <unistd.h>

enum { USE = 0 };

int files_open_or_create_at(int directory, const char *name, int *descriptor) {
    *descriptor = openat(directory, name, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    return *descriptor < 0 ? errno : 0;
}

int files_lock_at(int directory, const char *name, int *descriptor) {
    int opened = files_open_or_create_at(directory, name, descriptor);
    if (opened) return opened;
    if (flock(*descriptor, LOCK_EX | LOCK_NB)) {
        int result = errno;
        close(*descriptor);
        *descriptor = -1;
        return result;
    }
    return 0;
}

void files_unlock(int descriptor) {
    flock(descriptor, LOCK_UN);
    close(descriptor);
}

static int set(int descriptor, short type, int operation) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = USE, .l_len = 1};
    int failed;
    do failed = fcntl(descriptor, operation, &lock);
    while (failed && errno == EINTR);
    return !failed ? 0 : errno == EACCES ? EWOULDBLOCK : errno;
}

int files_lock_use(int descriptor, bool is_exclusive) { return set(descriptor, is_exclusive ? F_WRLCK : F_RDLCK, F_OFD_SETLK); }

int files_lock_use_waiting(int descriptor) { return process_byte_lock_shared(descriptor, USE); }

void files_unlock_use(int descriptor) { (void)set(descriptor, F_UNLCK, F_OFD_SETLK); }
