#define _GNU_SOURCE
#include "internal.h"
#include "process_clock.h"
#include "process_exit.h"
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* At exit, destructors run while other threads still do: stop libmam's first. */

typedef struct exit_entry {
    struct exit_entry *next;
    uint64_t number;
    void (*stop)(void *);
    void *context;
    process_worker_t *worker;
} exit_entry;

static pthread_mutex_t exit_lock = PTHREAD_MUTEX_INITIALIZER;
static exit_entry *exit_entries;
static uint64_t exit_last;

uint64_t process_exit_add(void (*stop)(void *), void *context, process_worker_t *worker) {
    exit_entry *e = malloc(sizeof *e);
    if (!e) abort();
    pthread_mutex_lock(&exit_lock);
    *e = (exit_entry){exit_entries, ++exit_last, stop, context, worker};
    exit_entries = e;
    uint64_t number = e->number;
    pthread_mutex_unlock(&exit_lock);
    return number;
}

void process_exit_remove(uint64_t number) {
    pthread_mutex_lock(&exit_lock);
    for (exit_entry **at = &exit_entries; *at; at = &(*at)->next) {
        if ((*at)->number != number) continue;
        exit_entry *removed = *at;
        *at = removed->next;
        free(removed);
        break;
    }
    pthread_mutex_unlock(&exit_lock);
}

void process_exit_after_fork_child(void) {
    pthread_mutex_init(&exit_lock, NULL);
    exit_entries = NULL; /* the workers exist in the parent only */
}

static void stop_workers(void);

static void stop_early(void) { (void)atexit(stop_workers); }

void process_exit_stop_early(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, stop_early);
}

__attribute__((destructor)) static void stop_workers(void) {
    /* Bounded, because a worker inside a host's callback may never end. */
    int64_t deadline = process_clock_monotonic_ms() + 2000;
    if (pthread_mutex_trylock(&exit_lock)) return;
    for (exit_entry *e = exit_entries; e; e = e->next)
        if (!process_worker_is_current(e->worker)) e->stop(e->context);
    for (exit_entry *e = exit_entries; e; e = e->next) {
        if (process_worker_is_current(e->worker)) continue;
        while (!process_worker_has_ended(e->worker) && process_clock_monotonic_ms() < deadline) {
            struct timespec pause = {0, 1000000};
            nanosleep(&pause, NULL);
        }
    }
    pthread_mutex_unlock(&exit_lock);
}
