/* Preloaded: the time of day is CLOCK_MOVED seconds later, and the clock since boot CLOCK_BOOT_MOVED. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* OpenSSL judges certificates by this one. */
time_t time(time_t *out) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (out != NULL) *out = now.tv_sec;
    return now.tv_sec;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    const char *moved = NULL;
    if (clock == CLOCK_REALTIME) moved = getenv("CLOCK_MOVED");
    if (clock == CLOCK_BOOTTIME) moved = getenv("CLOCK_BOOT_MOVED");
    if (result == 0 && moved != NULL) time->tv_sec += atol(moved);
    return result;
}
