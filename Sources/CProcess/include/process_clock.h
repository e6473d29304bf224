#ifndef PROCESS_CLOCK_H
#define PROCESS_CLOCK_H
#include <stdint.h>

/* CLOCK_REALTIME in milliseconds. */
int64_t process_clock_realtime_ms(void);
/* CLOCK_BOOTTIME in milliseconds: time since boot, suspend included. */
int64_t process_clock_boottime_ms(void);
/* CLOCK_MONOTONIC in milliseconds, for timeouts. */
int64_t process_clock_monotonic_ms(void);
/* CLOCK_MONOTONIC_COARSE in milliseconds: a few milliseconds late, but cheap enough for every call. */
int64_t process_clock_monotonic_coarse_ms(void);
/* The kernel's boot id of 36 characters and a NUL; "" if it cannot be read. */
void process_boot_id(char out[37]);
void process_sleep(int64_t milliseconds);

#endif
