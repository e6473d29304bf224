#define _GNU_SOURCE
#include "platform_owner.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>

/* Descriptors of files that somebody has locked, and one more than each; 0 is none. No lock guards them: a fork would keep it. */
enum { KEPT = 64 };
static _Atomic int kept[KEPT];

static bool is_locked(int descriptor) {
    /* An open file description meets the locks of every process, its own among them. */
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_OFD_GETLK, &all) == 0 && all.l_type != F_UNLCK && all.l_pid != -1;
}

static void close_or_keep(int descriptor) {
    if (is_locked(descriptor)) {
        /* Its own locks go as with a close, or it would keep others from the file. */
        struct flock own = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
        (void)fcntl(descriptor, F_OFD_SETLK, &own);
        for (int i = 0; i < KEPT; i++) {
            int none = 0;
            if (atomic_compare_exchange_strong(&kept[i], &none, descriptor + 1)) return;
        }
    }
    close(descriptor);
}

void platform_close_kindly(int descriptor) {
    for (int i = 0; i < KEPT; i++) {
        if (!kept[i]) continue;
        int former = atomic_exchange(&kept[i], 0);
        if (former) close_or_keep(former - 1);
    }
    close_or_keep(descriptor);
}
