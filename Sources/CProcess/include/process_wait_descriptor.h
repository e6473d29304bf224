#ifndef PROCESS_WAIT_DESCRIPTOR_H
#define PROCESS_WAIT_DESCRIPTOR_H
#include <stdbool.h>
#include <stdint.h>

/* One descriptor for poll(2) that is readable while its flag is set or once its timer has expired. */
typedef struct process_wait_descriptor {
    int poll, flag, timer;
} process_wait_descriptor_t;

/* 0 or an errno. */
int process_wait_descriptor_open(process_wait_descriptor_t *_Nonnull descriptor);
void process_wait_descriptor_close(process_wait_descriptor_t *_Nonnull descriptor);
void process_wait_descriptor_set(const process_wait_descriptor_t *_Nonnull descriptor, bool is_set);
/* Expire in so many milliseconds; negative: never. */
void process_wait_descriptor_set_timer(const process_wait_descriptor_t *_Nonnull descriptor, int64_t milliseconds);

#endif
