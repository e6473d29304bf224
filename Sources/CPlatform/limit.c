#define _GNU_SOURCE
#include "platform_limit.h"
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

static sigset_t signal_of_limit(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    return signals;
}

bool platform_growing_begin(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY) return false;
    sigset_t signals = signal_of_limit(), before;
    return pthread_sigmask(SIG_BLOCK, &signals, &before) == 0 && !sigismember(&before, SIGXFSZ);
}

void platform_growing_end(bool was_begun) {
    if (!was_begun) return;
    int kept = errno;
    const struct timespec at_once = {0};
    sigset_t signals = signal_of_limit();
    while (sigtimedwait(&signals, NULL, &at_once) > 0 || errno == EINTR) {}
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    errno = kept;
}
