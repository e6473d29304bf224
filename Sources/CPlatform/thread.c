#define _GNU_SOURCE
#include "platform_thread.h"
#include "internal.h"
#include "platform_clock.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

_Thread_local platform_thread_t platform_this_thread __attribute__((tls_model("initial-exec")));

static pthread_key_t cleanup_key;
static pthread_once_t cleanup_once = PTHREAD_ONCE_INIT;

static void end_thread(void *ignored) {
    (void)ignored;
    platform_thread_t *t = &platform_this_thread;
    free(t->message);
    free(t->detail);
    t->message = t->detail = NULL;
    platform_identities_end();
}

static void make_key(void) { pthread_key_create(&cleanup_key, end_thread); }

void platform_thread_watch_end(void) {
    pthread_once(&cleanup_once, make_key);
    pthread_setspecific(cleanup_key, &platform_this_thread);
}

void platform_thread_fail(int32_t status, char *message, char *detail) {
    platform_thread_t *t = &platform_this_thread;
    platform_thread_watch_end();
    free(t->message);
    free(t->detail);
    t->status = status;
    t->message = message;
    t->detail = detail;
}

struct platform_worker {
    pthread_t thread;
    void (*run)(void *);
    void *context;
    atomic_bool ended;
};

static void *enter(void *argument) {
    platform_worker_t *worker = argument;
    worker->run(worker->context);
    atomic_store(&worker->ended, true);
    return NULL;
}

int platform_thread_begin(pthread_t *thread, size_t stack, void *(*run)(void *), void *argument) {
    sigset_t all, former;
    sigfillset(&all);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    int result = pthread_create(thread, &attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    pthread_attr_destroy(&attributes);
    return result;
}

int platform_worker_start(void (*run)(void *), void *context, platform_worker_t **out) {
    *out = NULL;
    platform_worker_t *worker = malloc(sizeof *worker);
    if (!worker) return ENOMEM;
    worker->run = run;
    worker->context = context;
    atomic_init(&worker->ended, false);
    int result = platform_thread_begin(&worker->thread, 1 << 20, enter, worker);
    if (result) {
        free(worker);
        return result;
    }
    pthread_setname_np(worker->thread, "libmam");
    *out = worker;
    return 0;
}

void platform_worker_join(platform_worker_t *worker) {
    pthread_join(worker->thread, NULL);
    free(worker);
}

bool platform_worker_is_current(platform_worker_t *worker) { return pthread_equal(worker->thread, pthread_self()); }

void platform_worker_forget(platform_worker_t *worker) { free(worker); }

/* At exit other threads still run while destructors take the process apart: stop ours first. */

typedef struct exit_entry {
    struct exit_entry *next;
    uint64_t number;
    void (*stop)(void *);
    void *context;
    platform_worker_t *worker;
} exit_entry;

static pthread_mutex_t exit_lock = PTHREAD_MUTEX_INITIALIZER;
static exit_entry *exit_entries;
static uint64_t exit_last;

uint64_t platform_exit_add(void (*stop)(void *), void *context, platform_worker_t *worker) {
    exit_entry *e = malloc(sizeof *e);
    if (!e) abort();
    pthread_mutex_lock(&exit_lock);
    *e = (exit_entry){exit_entries, ++exit_last, stop, context, worker};
    exit_entries = e;
    uint64_t number = e->number;
    pthread_mutex_unlock(&exit_lock);
    return number;
}

void platform_exit_remove(uint64_t number) {
    pthread_mutex_lock(&exit_lock);
    for (exit_entry **at = &exit_entries; *at; at = &(*at)->next) {
        if ((*at)->number != number) continue;
        exit_entry *gone = *at;
        *at = gone->next;
        free(gone);
        break;
    }
    pthread_mutex_unlock(&exit_lock);
}

void platform_threads_after_fork_child(void) {
    pthread_mutex_init(&exit_lock, NULL);
    exit_entries = NULL; /* the workers are the parent's */
}

__attribute__((destructor)) static void stop_workers(void) {
    /* A worker inside a host's callback may never end: wait for a bounded time. */
    int64_t until = platform_time_monotonic() + 2000;
    if (pthread_mutex_trylock(&exit_lock)) return;
    for (exit_entry *e = exit_entries; e; e = e->next)
        if (!platform_worker_is_current(e->worker)) e->stop(e->context);
    for (exit_entry *e = exit_entries; e; e = e->next) {
        if (platform_worker_is_current(e->worker)) continue;
        while (!atomic_load(&e->worker->ended) && platform_time_monotonic() < until) {
            struct timespec pause = {0, 1000000};
            nanosleep(&pause, NULL);
        }
    }
    pthread_mutex_unlock(&exit_lock);
}
