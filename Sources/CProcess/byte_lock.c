#define _GNU_SOURCE
#include "process_byte_lock.h"
#include <errno.h>
#include <fcntl.h>
#include <time.h>

int process_byte_lock_shared(int descriptor, int64_t byte) {
    /* Not F_OFD_SETLKW, which would wait for POSIX locks as well. */
    for (long delay = 100000;; delay = delay < 20000000 ? 2 * delay : delay) {
        struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
        if (!fcntl(descriptor, F_OFD_SETLK, &lock)) return 0;
        if (errno != EAGAIN && errno != EACCES && errno != EINTR) return errno;
        if (fcntl(descriptor, F_OFD_GETLK, &lock)) return errno;
        if (lock.l_type != F_UNLCK && lock.l_pid != -1) return EWOULDBLOCK;
        nanosleep(&(struct timespec){0, delay}, NULL);
    }
}
