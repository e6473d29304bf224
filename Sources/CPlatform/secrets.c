#define _GNU_SOURCE
#include "platform_secrets.h"
#include "internal.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Secrets lie behind the header of their page, in cells of one size, or alone where they are larger. What a fork empties it
 * empties whole, header and mark included: so nobody has to go over the pages in the child, and no child seals with zeros. */

enum { CELL = 128, CELLS = PLATFORM_SECRET_PAGE / CELL - 1 };
#define ALL_CELLS ((uint32_t)(((uint64_t)1 << CELLS) - 1))

typedef struct page {
    _Atomic uint64_t mark;
    platform_vault_t *vault;
    struct page *next;
    size_t length;   /* of the mapping */
    uint32_t unused; /* a bit for each cell; 0 where one piece has the page */
} page;

_Static_assert(sizeof(page) <= CELL, "a header has the room of a cell");
_Static_assert(CELLS < 32, "a word has a bit for each cell");

struct platform_vault {
    platform_vault_t *next;
    page *pages;
    _Atomic uint32_t state; /* CLOSED, and how many uses are under way */
    uint32_t forks;         /* the process that made it */
};

#define CLOSED 0x80000000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static platform_vault_t own;              /* the process's */
static platform_vault_t *vaults = &own;   /* all */
static atomic_bool is_not_locked, is_not_wiped;

void platform_secrets_before_fork(void) { pthread_mutex_lock(&lock); }
void platform_secrets_after_fork_parent(void) { pthread_mutex_unlock(&lock); }

static void empty(page *p) {
    atomic_store_explicit(&p->mark, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    explicit_bzero((char *)p + CELL, p->length - CELL);
}

/* What the system has not emptied, an old one, is emptied here. The pages themselves stay with who has pointers into them. */
void platform_secrets_after_fork_child(void) {
    for (platform_vault_t *v = vaults; v; v = v->next) {
        for (page *p = v->pages; p && atomic_load(&p->mark) == PLATFORM_SECRET_MARK; p = p->next) empty(p);
        v->pages = NULL;
    }
    pthread_mutex_unlock(&lock);
}

void platform_secret_lock(void *base, size_t length) {
    if (mlock(base, length) != 0) atomic_store(&is_not_locked, true);
    (void)madvise(base, length, MADV_DONTDUMP);
}

bool platform_secret_is_locked(void) { return !atomic_load(&is_not_locked); }
bool platform_secret_is_wiped(void) { return !atomic_load(&is_not_wiped); }

static size_t whole_pages(size_t length) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    return (length + size - 1) / size * size;
}

/* With the lock. */
static page *add_page(platform_vault_t *vault, size_t length, uint32_t unused) {
    page *p = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
    platform_secret_lock(p, length);
    if (madvise(p, length, MADV_WIPEONFORK) != 0) atomic_store(&is_not_wiped, true);
    p->vault = vault;
    p->next = vault->pages;
    p->length = length;
    p->unused = unused;
    atomic_store(&p->mark, PLATFORM_SECRET_MARK);
    return vault->pages = p;
}

static bool is_alive(const page *p) { return atomic_load_explicit(&p->mark, memory_order_relaxed) == PLATFORM_SECRET_MARK; }

void *platform_secret_alloc(platform_vault_t *vault, size_t length) {
    if (length > SIZE_MAX / 2) return NULL;
    if (!vault) vault = &own;
    void *result = NULL;
    pthread_mutex_lock(&lock);
    if (vault->pages && !is_alive(vault->pages)) vault->pages = NULL; /* they are those of the process that this was cloned from */
    if (atomic_load(&vault->state) & CLOSED) {
        /* Nothing more. */
    } else if (length > CELL) {
        page *p = add_page(vault, whole_pages(length + CELL), 0);
        if (p) result = (char *)p + CELL;
    } else {
        page *p = vault->pages;
        while (p && !p->unused) p = p->next;
        if (!p) p = add_page(vault, whole_pages(PLATFORM_SECRET_PAGE), ALL_CELLS);
        if (p) {
            int cell = __builtin_ctz(p->unused);
            p->unused &= p->unused - 1;
            result = (char *)p + (size_t)(cell + 1) * CELL;
        }
    }
    pthread_mutex_unlock(&lock);
    return result;
}

void platform_secret_free(void *pointer, size_t length) {
    if (!pointer) return;
    page *p = (page *)((uintptr_t)pointer & ~(uintptr_t)(PLATFORM_SECRET_PAGE - 1));
    explicit_bzero(pointer, length > CELL ? length : CELL);
    pthread_mutex_lock(&lock);
    if (!is_alive(p)) {
        /* Its vault was closed, or this is a fork: the page is nobody's to use again. */
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

platform_vault_t *platform_vault_new(void) {
    platform_vault_t *vault = calloc(1, sizeof *vault);
    if (!vault) return NULL;
    vault->forks = platform_forks_begin();
    pthread_mutex_lock(&lock);
    vault->next = vaults;
    vaults = vault;
    pthread_mutex_unlock(&lock);
    return vault;
}

void platform_vault_free(platform_vault_t *vault) {
    platform_vault_close(vault);
    pthread_mutex_lock(&lock);
    platform_vault_t **at = &vaults;
    while (*at != vault) at = &(*at)->next;
    *at = vault->next;
    /* In a clone the list ends with the first page. */
    for (page *p = vault->pages, *next; p && p->length; p = next) {
        next = p->next;
        munmap(p, p->length);
    }
    pthread_mutex_unlock(&lock);
    free(vault);
}

bool platform_vault_enter(platform_vault_t *vault) {
    if (!vault || !(atomic_fetch_add(&vault->state, 1) & CLOSED)) return true;
    atomic_fetch_sub(&vault->state, 1);
    return false;
}

void platform_vault_leave(platform_vault_t *vault) {
    if (vault) atomic_fetch_sub(&vault->state, 1);
}

bool platform_vault_is_closed(platform_vault_t *vault) { return atomic_load(&vault->state) & CLOSED; }

void platform_vault_close(platform_vault_t *vault) {
    atomic_fetch_or(&vault->state, CLOSED);
    while (vault->forks == platform_forks_now() && atomic_load(&vault->state) != CLOSED) {
        struct timespec pause = {0, 20000};
        nanosleep(&pause, NULL);
    }
    pthread_mutex_lock(&lock);
    for (page *p = vault->pages; p; p = p->next)
        if (is_alive(p)) empty(p);
    pthread_mutex_unlock(&lock);
}
