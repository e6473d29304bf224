#include "platform_fork.h"
#include "internal.h"
#include <pthread.h>
#include <stdlib.h>

_Atomic uint32_t platform_forks;

typedef struct entry {
    struct entry *next;
    uint64_t number;
    platform_fork_hooks_t hooks;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *entries;
static uint64_t last_number;

static void before(void) {
    pthread_mutex_lock(&lock);
    for (entry *e = entries; e; e = e->next) e->hooks.before(e->hooks.context);
    platform_handles_before_fork();
    platform_words_before_fork();
    /* Last: whoever holds a lock above may be waiting for this one. */
    platform_memory_before_fork();
}

static void after_parent(void) {
    platform_memory_after_fork();
    platform_words_after_fork();
    platform_handles_after_fork_parent();
    for (entry *e = entries; e; e = e->next) e->hooks.after_parent(e->hooks.context);
    pthread_mutex_unlock(&lock);
}

static void after_child(void) {
    atomic_fetch_add(&platform_forks, 1);
    platform_memory_after_fork();
    platform_words_after_fork();
    platform_handles_after_fork_child();
    platform_threads_after_fork_child();
    for (entry *e = entries; e; e = e->next) e->hooks.after_child(e->hooks.context);
    pthread_mutex_init(&lock, NULL);
}

__attribute__((constructor)) static void install(void) { pthread_atfork(before, after_parent, after_child); }

uint64_t platform_fork_add(platform_fork_hooks_t hooks) {
    entry *e = malloc(sizeof *e);
    if (!e) abort();
    pthread_mutex_lock(&lock);
    *e = (entry){entries, ++last_number, hooks};
    entries = e;
    uint64_t number = e->number;
    pthread_mutex_unlock(&lock);
    return number;
}

void platform_fork_remove(uint64_t number) {
    pthread_mutex_lock(&lock);
    for (entry **at = &entries; *at; at = &(*at)->next) {
        if ((*at)->number != number) continue;
        entry *gone = *at;
        *at = gone->next;
        free(gone);
        break;
    }
    pthread_mutex_unlock(&lock);
}
