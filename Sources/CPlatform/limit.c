#define _GNU_SOURCE
#include "platform_limit.h"
#include "platform_clock.h"
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

static bool is_limited(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

static bool hold_back(void) {
    sigset_t signals = signal_of_limit(), before;
    return pthread_sigmask(SIG_BLOCK, &signals, &before) == 0 && !sigismember(&before, SIGXFSZ);
}

bool platform_growing_begin(void) { return is_limited() && hold_back(); }

bool platform_growing_beyond(int64_t end, platform_reach_t *reach) {
    int64_t now = platform_time_coarse();
    if (end <= reach->end && now == reach->looked) return false;
    if (is_limited()) return hold_back();
    if (end > reach->end) reach->end = end;
    reach->looked = now;
    return false;
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
