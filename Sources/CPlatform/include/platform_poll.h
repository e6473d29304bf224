#ifndef PLATFORM_POLL_H
#define PLATFORM_POLL_H
#include <stdbool.h>
#include <stdint.h>

/* One descriptor for poll that is readable while a flag is up or a time has come. */
typedef struct platform_signal {
    int poll, flag, timer;
} platform_signal_t;

/* 0 or an errno. */
int platform_signal_open(platform_signal_t *_Nonnull signal);
void platform_signal_close(platform_signal_t *_Nonnull signal);
void platform_signal_raise(const platform_signal_t *_Nonnull signal, bool up);
/* Milliseconds from now; negative: never. */
void platform_signal_at(const platform_signal_t *_Nonnull signal, int64_t milliseconds);

#endif
