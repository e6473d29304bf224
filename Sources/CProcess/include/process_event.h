#ifndef PROCESS_EVENT_H
#define PROCESS_EVENT_H
#include <stdbool.h>
#include <stdint.h>

/* One descriptor for poll(2) that is readable while its flag is set or once its timer has expired. */
typedef struct process_event {
    int poll, flag, timer;
} process_event_t;

/* 0 or an errno. */
int process_event_open(process_event_t *_Nonnull event);
void process_event_close(process_event_t *_Nonnull event);
void process_event_set(const process_event_t *_Nonnull event, bool is_set);
/* Expire in so many milliseconds; negative: never. */
void process_event_set_timer(const process_event_t *_Nonnull event, int64_t milliseconds);

#endif
