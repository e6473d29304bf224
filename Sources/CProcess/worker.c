#define _GNU_SOURCE
#include "process_worker.h"
#include "internal.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

struct process_worker {
    pthread_t thread;
    void (*run)(void *);
    void *context;
    atomic_bool ended;
};

static void *enter(void *argument) {
    process_worker_t *worker = argument;
    worker->run(worker->context);
    atomic_store(&worker->ended, true);
    return NULL;
}

int process_thread_start(pthread_t *thread, size_t stack, void *(*run)(void *), void *argument) {
    sigset_t all, previous;
    sigfillset(&all);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    int result = pthread_create(thread, &attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
    pthread_attr_destroy(&attributes);
    return result;
}

int process_worker_start(void (*run)(void *), void *context, process_worker_t **out) {
    *out = NULL;
    process_worker_t *worker = malloc(sizeof *worker);
    if (!worker) return ENOMEM;
    worker->run = run;
    worker->context = context;
    atomic_init(&worker->ended, false);
    int result = process_thread_start(&worker->thread, 1 << 20, enter, worker);
    if (result) {
        free(worker);
        return result;
    }
    pthread_setname_np(worker->thread, "libmam");
    *out = worker;
    return 0;
}

void process_worker_join(process_worker_t *worker) {
    pthread_join(worker->thread, NULL);
    free(worker);
}

bool process_worker_is_current(process_worker_t *worker) { return pthread_equal(worker->thread, pthread_self()); }

void process_worker_forget(process_worker_t *worker) { free(worker); }

bool process_worker_has_ended(process_worker_t *worker) { return atomic_load(&worker->ended); }
