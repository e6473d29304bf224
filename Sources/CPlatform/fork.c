#include "platform_fork.h"
#include "internal.h"
#include "platform_secrets.h"
#include <pthread.h>
#include <stdlib.h>

static _Atomic uint32_t forks = 1; /* survives a fork, and is where there is no memory for the other one */
_Atomic uint32_t *platform_forks = &forks;

static void count_fork(void) { atomic_store(platform_forks, atomic_fetch_add(&forks, 1) + 1); }

/* Where no handler ran the child finds 0, and counts itself here. */
uint32_t platform_forks_begin(void) {
    if (platform_forks_now() == 0) count_fork();
    return platform_forks_now();
}

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
    platform_secrets_before_fork();
}

static void after_parent(void) {
    platform_secrets_after_fork_parent();
    platform_words_after_fork();
    platform_handles_after_fork_parent();
    for (entry *e = entries; e; e = e->next) e->hooks.after_parent(e->hooks.context);
    pthread_mutex_unlock(&lock);
}

static void after_child(void) {
    count_fork();
    platform_secrets_after_fork_child();
    platform_words_after_fork();
    platform_handles_after_fork_child();
    platform_threads_after_fork_child();
    for (entry *e = entries; e; e = e->next) e->hooks.after_child(e->hooks.context);
    pthread_mutex_init(&lock, NULL);
}

/* Before the constructors without a number: what those take is taken before this, and what the lower numbers take, after it. */
__attribute__((constructor(103))) static void install(void) {
    _Atomic uint32_t *word = platform_secret_alloc(NULL, sizeof *word);
    if (word) {
        atomic_store(word, atomic_load(&forks));
        platform_forks = word;
    }
    pthread_atfork(before, after_parent, after_child);
}

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
