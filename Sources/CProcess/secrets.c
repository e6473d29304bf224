#define _GNU_SOURCE
#include "process_secrets.h"
#include "internal.h"
#include "process_fork_count.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Secrets lie behind the header of their page, in cells of one size, or alone if they are larger. A fork empties the
 * whole page, including the mark in its header, so that the child need not visit the pages, and never seals with a
 * key of zeros. */

enum { CELL = 128, CELLS = PROCESS_SECRET_PAGE / CELL - 1 };
#define ALL_CELLS ((uint32_t)(((uint64_t)1 << CELLS) - 1))

typedef struct page {
    _Atomic uint64_t mark;
    process_vault_t *vault;
    struct page *next;
    size_t length;   /* of the mapping */
    uint32_t unused; /* a bit for each cell; 0 if one secret has the page */
} page;

_Static_assert(sizeof(page) <= CELL, "a header has the room of a cell");
_Static_assert(CELLS < 32, "a word has a bit for each cell");

struct process_vault {
    process_vault_t *next;
    page *pages;
    _Atomic uint32_t state; /* CLOSED, and the number of uses in progress */
    uint32_t forks;         /* of the process that created it */
};

#define CLOSED 0x80000000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static process_vault_t process_wide;            /* secrets of no session */
static process_vault_t *vaults = &process_wide; /* all vaults */
static atomic_bool is_not_locked, is_kept_on_fork;

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork_in_parent(void) { pthread_mutex_unlock(&lock); }

static void zero_page(page *p) {
    atomic_store_explicit(&p->mark, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    explicit_bzero((char *)p + CELL, p->length - CELL);
}

/* For kernels without MADV_WIPEONFORK. The pages stay mapped, since pointers to them remain. */
static void after_fork_in_child(void) {
    for (process_vault_t *v = vaults; v; v = v->next) {
        for (page *p = v->pages; p && atomic_load(&p->mark) == PROCESS_SECRET_MARK; p = p->next) zero_page(p);
        v->pages = NULL;
    }
    pthread_mutex_unlock(&lock);
}

/* Registered before every other handler of this library, so that a fork takes this lock last: a thread that holds any
 * other lock may wait for it. */
__attribute__((constructor(101))) static void install(void) {
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void process_secret_lock(void *base, size_t length) {
    if (mlock(base, length) != 0) atomic_store(&is_not_locked, true);
    (void)madvise(base, length, MADV_DONTDUMP);
}

bool process_secrets_are_all_locked(void) { return !atomic_load(&is_not_locked); }
bool process_secrets_are_emptied_on_fork(void) { return !atomic_load(&is_kept_on_fork); }

static size_t whole_pages(size_t length) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    return (length + size - 1) / size * size;
}

static page *add_page_locked(process_vault_t *vault, size_t length, uint32_t unused) {
    page *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    process_secret_lock(p, length);
    if (madvise(p, length, MADV_WIPEONFORK) != 0) atomic_store(&is_kept_on_fork, true);
    p->vault = vault;
    p->next = vault->pages;
    p->length = length;
    p->unused = unused;
    atomic_store(&p->mark, PROCESS_SECRET_MARK);
    return vault->pages = p;
}

static bool is_alive(const page *p) { return atomic_load_explicit(&p->mark, memory_order_relaxed) == PROCESS_SECRET_MARK; }

void *process_secret_alloc(process_vault_t *vault, size_t length) {
    if (length > SIZE_MAX / 2) return NULL;
    if (!vault) vault = &process_wide;
    void *result = NULL;
    pthread_mutex_lock(&lock);
    if (vault->pages && !is_alive(vault->pages)) vault->pages = NULL; /* pages of the process that this one was cloned from */
    if (atomic_load(&vault->state) & CLOSED) {
        /* No memory. */
    } else if (length > CELL) {
        page *p = add_page_locked(vault, whole_pages(length + CELL), 0);
        if (p) result = (char *)p + CELL;
    } else {
        page *p = vault->pages;
        while (p && !p->unused) p = p->next;
        if (!p) p = add_page_locked(vault, whole_pages(PROCESS_SECRET_PAGE), ALL_CELLS);
        if (p) {
            int cell = __builtin_ctz(p->unused);
            p->unused &= p->unused - 1;
            result = (char *)p + (size_t)(cell + 1) * CELL;
        }
    }
    pthread_mutex_unlock(&lock);
    return result;
}

void process_secret_free(void *pointer, size_t length) {
    if (!pointer) return;
    page *p = (page *)((uintptr_t)pointer & ~(uintptr_t)(PROCESS_SECRET_PAGE - 1));
    explicit_bzero(pointer, length > CELL ? length : CELL);
    pthread_mutex_lock(&lock);
    if (!is_alive(p)) {
        /* Its vault was closed, or this is a forked child: the page is not reused. */
    } else if (length <= CELL) {
        p->unused |= 1u << (((char *)pointer - (char *)p) / CELL - 1);
    } else {
        page **at = &p->vault->pages;
        while (*at && *at != p) at = &(*at)->next;
        if (*at) *at = p->next;
        munmap(p, p->length);
    }
    pthread_mutex_unlock(&lock);
}

process_vault_t *process_vault_new(void) {
    process_vault_t *vault = calloc(1, sizeof *vault);
    if (!vault) return NULL;
    vault->forks = process_forks_for_new_object();
    pthread_mutex_lock(&lock);
    vault->next = vaults;
    vaults = vault;
    pthread_mutex_unlock(&lock);
    return vault;
}

void process_vault_free(process_vault_t *vault) {
    process_vault_close(vault);
    pthread_mutex_lock(&lock);
    process_vault_t **at = &vaults;
    while (*at != vault) at = &(*at)->next;
    *at = vault->next;
    /* In a cloned child the list ends with the first page, which is empty. */
    for (page *p = vault->pages, *next; p && p->length; p = next) {
        next = p->next;
        munmap(p, p->length);
    }
    pthread_mutex_unlock(&lock);
    free(vault);
}

bool process_vault_enter(process_vault_t *vault) {
    if (!vault || !(atomic_fetch_add(&vault->state, 1) & CLOSED)) return true;
    atomic_fetch_sub(&vault->state, 1);
    return false;
}

void process_vault_leave(process_vault_t *vault) {
    if (vault) atomic_fetch_sub(&vault->state, 1);
}

bool process_vault_is_closed(process_vault_t *vault) { return atomic_load(&vault->state) & CLOSED; }

void process_vault_close(process_vault_t *vault) {
    atomic_fetch_or(&vault->state, CLOSED);
    while (vault->forks == process_forks_now() && atomic_load(&vault->state) != CLOSED) {
        struct timespec pause = {0, 20000};
        nanosleep(&pause, NULL);
    }
    pthread_mutex_lock(&lock);
    for (page *p = vault->pages; p; p = p->next)
        if (is_alive(p)) zero_page(p);
    pthread_mutex_unlock(&lock);
}
