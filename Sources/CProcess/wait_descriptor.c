#include "process_wait_descriptor.h"
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int add(int poll, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = descriptor}};
    return epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) ? errno : 0;
}

int process_wait_descriptor_open(process_wait_descriptor_t *s) {
    s->flag = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    s->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    s->poll = epoll_create1(EPOLL_CLOEXEC);
    int result = s->flag < 0 || s->timer < 0 || s->poll < 0 ? errno : add(s->poll, s->flag);
    if (!result) result = add(s->poll, s->timer);
    if (result) process_wait_descriptor_close(s);
    return result;
}

void process_wait_descriptor_close(process_wait_descriptor_t *s) {
    if (s->poll >= 0) close(s->poll);
    if (s->flag >= 0) close(s->flag);
    if (s->timer >= 0) close(s->timer);
    s->poll = s->flag = s->timer = -1;
}

void process_wait_descriptor_set(const process_wait_descriptor_t *s, bool is_set) {
    uint64_t value = 1;
    if (is_set) {
        if (write(s->flag, &value, sizeof value) < 0) return;   /* set already */
    } else if (read(s->flag, &value, sizeof value) < 0) return; /* cleared already */
}

void process_wait_descriptor_set_timer(const process_wait_descriptor_t *s, int64_t milliseconds) {
    struct itimerspec t;
    memset(&t, 0, sizeof t);
    if (milliseconds >= 0) {
        t.it_value.tv_sec = milliseconds / 1000;
        t.it_value.tv_nsec = milliseconds % 1000 * 1000000;
        if (milliseconds == 0) t.it_value.tv_nsec = 1; /* 0 would disarm the timer */
    }
    timerfd_settime(s->timer, 0, &t, NULL);
}
