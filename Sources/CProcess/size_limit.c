#define _GNU_SOURCE
#include "process_size_limit.h"
#include "process_clock.h"
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

static sigset_t limit_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXFSZ);
    return signals;
}

static bool is_limited(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

static bool block_signal(void) {
    sigset_t signals = limit_signals(), before;
    return pthread_sigmask(SIG_BLOCK, &signals, &before) == 0 && !sigismember(&before, SIGXFSZ);
}

bool process_sigxfsz_block(void) { return is_limited() && block_signal(); }

bool process_sigxfsz_block_beyond(int64_t end, process_size_limit_t *limit) {
    int64_t now = process_clock_monotonic_coarse_ms();
    if (end <= limit->end && now == limit->checked) return false;
    if (is_limited()) return block_signal();
    if (end > limit->end) limit->end = end;
    limit->checked = now;
    return false;
}

void process_sigxfsz_unblock(bool was_blocked) {
    if (!was_blocked) return;
    int saved_errno = errno;
    const struct timespec at_once = {0};
    sigset_t signals = limit_signals();
    while (sigtimedwait(&signals, NULL, &at_once) > 0 || errno == EINTR) {}
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
    errno = saved_errno;
}
