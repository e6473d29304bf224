/* Preloaded: ends the process when two threads could deadlock. For each mutex it records which mutexes were held when
 * it was locked, in every thread and around every fork; a cycle among them is an order that two threads can take from
 * opposite ends, whether or not they met in this run. Nothing here takes a lock, so that a fork finds it consistent. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 1 << 17, NODES = 1 << 19, EDGES = 1 << 20, PAIRS = 1 << 21, DEPTH = 256, FRAMES = 16 };

static const uint32_t UNWATCHED = UINT32_MAX;

/* A mutex has a new number after each initialisation. */
typedef struct slot {
    _Atomic(pthread_mutex_t *) mutex;
    _Atomic uint32_t number;
} slot;

typedef struct edge {
    uint32_t to, next;
    int depth;
    void *frames[FRAMES];
} edge;

static slot slots[SLOTS];
static _Atomic uint32_t first_edge[NODES];
static edge edges[EDGES];
static _Atomic uint64_t pairs[PAIRS];
static _Atomic uint32_t last_number, last_edge;

static _Thread_local uint32_t held[DEPTH];
static _Thread_local int held_count;
static _Thread_local bool is_inside; /* backtrace and dlsym lock mutexes themselves */

static void give_up(const char *why) {
    fprintf(stderr, "lock_order: %s\n", why);
    abort();
}

static slot *slot_of(pthread_mutex_t *mutex) {
    uint64_t hash = (uint64_t)(uintptr_t)mutex * 0x9E3779B97F4A7C15u;
    for (uint32_t i = 0; i < SLOTS; i++) {
        slot *s = &slots[((hash >> 40) + i) % SLOTS];
        pthread_mutex_t *known = atomic_load(&s->mutex);
        if (known == mutex) return s;
        if (known == NULL && (atomic_compare_exchange_strong(&s->mutex, &known, mutex) || known == mutex)) return s;
    }
    give_up("too many mutexes");
    return NULL;
}

static uint32_t fresh_number(void) {
    uint32_t number = atomic_fetch_add(&last_number, 1) + 1;
    if (number >= NODES) give_up("too many mutexes were initialised");
    return number;
}

/* A mutex in allocated memory that nothing initialised is the Swift runtime's: it locks each before any other thread can
 * reach it, in an order that would look wrong here. */
static bool is_static(const pthread_mutex_t *mutex) {
    Dl_info info;
    return dladdr(mutex, &info) != 0;
}

static uint32_t number_of(pthread_mutex_t *mutex) {
    slot *s = slot_of(mutex);
    uint32_t number = atomic_load(&s->number);
    if (number != 0) return number;
    uint32_t fresh = is_static(mutex) ? fresh_number() : UNWATCHED;
    return atomic_compare_exchange_strong(&s->number, &number, fresh) ? fresh : number;
}

/* False if the pair is known. */
static bool add_pair(uint32_t from, uint32_t to) {
    uint64_t pair = (uint64_t)from << 32 | to, hash = pair * 0x9E3779B97F4A7C15u;
    for (uint32_t i = 0; i < PAIRS; i++) {
        _Atomic uint64_t *at = &pairs[((hash >> 40) + i) % PAIRS];
        uint64_t known = atomic_load(at);
        if (known == pair) return false;
        if (known == 0 && atomic_compare_exchange_strong(at, &known, pair)) return true;
        if (known == pair) return false;
    }
    give_up("too many pairs of locks");
    return false;
}

static void print_frames(const char *title, const edge *e) {
    fprintf(stderr, "%s\n", title);
    backtrace_symbols_fd(e->frames, e->depth, 2);
}

/* Prints the edges from `at` to `target`, if there is such a path. */
static bool print_path(uint32_t at, uint32_t target, uint8_t *seen) {
    if (at == target) return true;
    if (seen[at]) return false;
    seen[at] = 1;
    for (uint32_t i = atomic_load(&first_edge[at]); i != 0; i = edges[i].next) {
        if (!print_path(edges[i].to, target, seen)) continue;
        char title[80];
        snprintf(title, sizeof title, "lock %u was taken while lock %u was held:", edges[i].to, at);
        print_frames(title, &edges[i]);
        return true;
    }
    return false;
}

static void check_cycle(const edge *added, uint32_t from) {
    uint8_t *seen = calloc(NODES, 1);
    if (seen == NULL) give_up("no memory");
    if (print_path(added->to, from, seen)) {
        char title[80];
        snprintf(title, sizeof title, "lock_order: locks %u and %u are taken in either order. Now:", from, added->to);
        print_frames(title, added);
        abort();
    }
    free(seen);
}

static void add_edge(uint32_t from, uint32_t to) {
    if (!add_pair(from, to)) return;
    uint32_t i = atomic_fetch_add(&last_edge, 1) + 1;
    if (i >= EDGES) give_up("too many pairs of locks");
    edges[i].to = to;
    edges[i].depth = backtrace(edges[i].frames, FRAMES);
    uint32_t head = atomic_load(&first_edge[from]);
    do edges[i].next = head;
    while (!atomic_compare_exchange_strong(&first_edge[from], &head, i));
    if (atomic_load(&first_edge[to]) != 0) check_cycle(&edges[i], from);
}

static void will_lock(pthread_mutex_t *mutex) {
    if (is_inside) return;
    is_inside = true;
    uint32_t number = number_of(mutex);
    bool is_again = number == UNWATCHED;
    for (int i = 0; i < held_count; i++) is_again |= held[i] == number;
    for (int i = 0; i < held_count && !is_again; i++) add_edge(held[i], number);
    is_inside = false;
}

static int did_lock(pthread_mutex_t *mutex, int result) {
    if (is_inside || result != 0) return result;
    is_inside = true;
    uint32_t number = number_of(mutex);
    is_inside = false;
    if (number == UNWATCHED) return result;
    if (held_count == DEPTH) give_up("too many locks are held");
    held[held_count++] = number;
    return result;
}

static void forget_held(uint32_t number) {
    for (int i = held_count; i-- > 0;) {
        if (held[i] != number) continue;
        memmove(&held[i], &held[i + 1], sizeof *held * (size_t)(--held_count - i));
        return;
    }
}

static void will_unlock(pthread_mutex_t *mutex) {
    if (!is_inside) forget_held(number_of(mutex));
}

/* A child initialises the locks that its parent's thread held. */
static void renew(pthread_mutex_t *mutex) {
    slot *s = slot_of(mutex);
    uint32_t number = atomic_exchange(&s->number, fresh_number());
    while (number != 0 && held_count > 0) {
        int before = held_count;
        forget_held(number);
        if (before == held_count) break;
    }
}

static void *real(const char *name) {
    bool was_inside = is_inside;
    is_inside = true;
    void *function = dlsym(RTLD_NEXT, name);
    is_inside = was_inside;
    if (function == NULL) give_up(name);
    return function;
}

#define REAL(name)                              \
    static _Atomic(void *) found_##name;        \
    void *address = atomic_load(&found_##name); \
    if (!address) {                             \
        address = real(#name);                  \
        atomic_store(&found_##name, address);   \
    }                                           \
    __typeof__(name) *call;                     \
    *(void **)&call = address

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    REAL(pthread_mutex_init);
    renew(mutex);
    return call(mutex, attributes);
}

/* The memory may become a mutex of the Swift runtime, which nothing initialises. */
int pthread_mutex_destroy(pthread_mutex_t *mutex) {
    REAL(pthread_mutex_destroy);
    atomic_store(&slot_of(mutex)->number, 0);
    return call(mutex);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    REAL(pthread_mutex_lock);
    will_lock(mutex);
    return did_lock(mutex, call(mutex));
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    REAL(pthread_mutex_trylock);
    return did_lock(mutex, call(mutex)); /* it does not wait */
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline) {
    REAL(pthread_mutex_clocklock);
    will_lock(mutex);
    return did_lock(mutex, call(mutex, clock, deadline));
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    REAL(pthread_mutex_unlock);
    will_unlock(mutex);
    return call(mutex);
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    REAL(pthread_cond_wait);
    will_unlock(mutex);
    int result = call(condition, mutex);
    will_lock(mutex);
    did_lock(mutex, 0);
    return result;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *deadline) {
    REAL(pthread_cond_timedwait);
    will_unlock(mutex);
    int result = call(condition, mutex, deadline);
    will_lock(mutex);
    did_lock(mutex, 0);
    return result;
}
