#ifndef PLATFORM_CLOCK_H
#define PLATFORM_CLOCK_H
#include <stdint.h>

/* Milliseconds since 1970 UTC. */
int64_t platform_time_of_day(void);
/* Milliseconds since boot, sleep included. */
int64_t platform_time_since_boot(void);
/* Milliseconds of a clock that only waits are measured with. */
int64_t platform_time_monotonic(void);
/* The same some milliseconds late, and sooner to be had: for what every call asks. */
int64_t platform_time_coarse(void);
/* Which boot this is: the kernel's random number of 36 characters and a NUL; "" where it tells none. */
void platform_boot(char out[37]);
void platform_sleep(int64_t milliseconds);

#endif
