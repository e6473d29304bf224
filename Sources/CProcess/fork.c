#include "process_fork.h"
#include "internal.h"
#include "process_secrets.h"
#include <pthread.h>
#include <stdlib.h>

typedef struct entry {
    struct entry *next;
    uint64_t number;
    process_fork_hooks_t hooks;
} entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static entry *entries;
static uint64_t last_number;

static void before(void) {
    pthread_mutex_lock(&lock);
    for (entry *e = entries; e; e = e->next) e->hooks.before(e->hooks.context);
    shared_words_before_fork();
}

static void after_parent(void) {
    shared_words_after_fork();
    for (entry *e = entries; e; e = e->next) e->hooks.after_parent(e->hooks.context);
    pthread_mutex_unlock(&lock);
}

static void after_child(void) {
    process_forks_count();
    shared_words_after_fork();
    process_exit_after_fork_child();
    for (entry *e = entries; e; e = e->next) e->hooks.after_child(e->hooks.context);
    pthread_mutex_init(&lock, NULL);
}

/* pthread_atfork runs `before` handlers in reverse order of registration. Constructors without a priority register
 * later, so their locks are taken before these; those with a lower priority value register earlier, so their locks
 * are taken after these. */
__attribute__((constructor(104))) static void install(void) {
    _Atomic uint32_t *word = process_secret_alloc(NULL, sizeof *word);
    if (word) process_forks_move(word);
    pthread_atfork(before, after_parent, after_child);
}

uint64_t process_fork_hooks_add(process_fork_hooks_t hooks) {
    entry *e = malloc(sizeof *e);
    if (!e) abort();
    pthread_mutex_lock(&lock);
    *e = (entry){entries, ++last_number, hooks};
    entries = e;
    uint64_t number = e->number;
    pthread_mutex_unlock(&lock);
    return number;
}

void process_fork_hooks_remove(uint64_t number) {
    pthread_mutex_lock(&lock);
    for (entry **at = &entries; *at; at = &(*at)->next) {
        if ((*at)->number != number) continue;
        entry *removed = *at;
        *at = removed->next;
        free(removed);
        break;
    }
    pthread_mutex_unlock(&lock);
}
