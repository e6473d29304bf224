#include "process_clock.h"
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

static int64_t read_clock(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t process_clock_realtime_ms(void) { return read_clock(CLOCK_REALTIME); }
int64_t process_clock_boottime_ms(void) { return read_clock(CLOCK_BOOTTIME); }
int64_t process_clock_monotonic_ms(void) { return read_clock(CLOCK_MONOTONIC); }
int64_t process_clock_monotonic_coarse_ms(void) { return read_clock(CLOCK_MONOTONIC_COARSE); }

void process_boot_id(char out[37]) {
    int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, out, 36);
    if (file >= 0) close(file);
    out[length == 36 ? 36 : 0] = 0;
}

void process_sleep(int64_t milliseconds) {
    struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&pause, NULL);
}
