#ifndef PLATFORM_CLOCK_H
#define PLATFORM_CLOCK_H
#include <stdint.h>

/* Milliseconds since 1970 UTC. */
int64_t platform_time_of_day(void);
/* Milliseconds since boot, sleep included. */
int64_t platform_time_since_boot(void);
/* Milliseconds of a clock that only waits are measured with. */
int64_t platform_time_monotonic(void);
void platform_sleep(int64_t milliseconds);

#endif
