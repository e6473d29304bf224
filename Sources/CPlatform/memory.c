#define _GNU_SOURCE
#include "platform_memory.h"
#include "internal.h"
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

void platform_zero(void *pointer, size_t length) { explicit_bzero(pointer, length); }

bool platform_equal(const void *a, const void *b, size_t length) {
    const volatile unsigned char *x = a, *y = b;
    unsigned char difference = 0;
    for (size_t i = 0; i < length; i++) difference |= x[i] ^ y[i];
    return difference == 0;
}

bool platform_random(void *pointer, size_t length) {
    unsigned char *at = pointer;
    while (length > 0) {
        ssize_t got = getrandom(at, length > 256 ? 256 : length, 0);
        if (got < 0) {
            if (errno == EINTR) continue;
            return false;
        }
        at += got;
        length -= (size_t)got;
    }
    return true;
}

size_t platform_text_length(const char *text, size_t limit) { return strnlen(text, limit); }

void *platform_result_alloc(size_t length) { return malloc(length ? length : 1); }

void platform_result_free(void *pointer) {
    if (!pointer) return;
    explicit_bzero(pointer, malloc_usable_size(pointer));
    free(pointer);
}

/* Secrets: slabs of 16 KiB cut into cells of 128 bytes; larger pieces get pages of their own. */

enum { SLAB = 16384, CELL = 128, CELLS = SLAB / CELL };

typedef struct slab {
    struct slab *next;
    unsigned char *base;
    uint16_t free_count;
    uint16_t free_cells[CELLS];
} slab;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static slab *slabs;

void platform_memory_before_fork(void) { pthread_mutex_lock(&lock); }
void platform_memory_after_fork(void) { pthread_mutex_unlock(&lock); }

static void *map_locked(size_t length) {
    void *base = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    (void)mlock(base, length); /* best effort: RLIMIT_MEMLOCK may be small */
    (void)madvise(base, length, MADV_DONTDUMP);
    return base;
}

static size_t whole_pages(size_t length) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (length + page - 1) / page * page;
}

void *platform_secret_alloc(size_t length) {
    if (length > SIZE_MAX / 2) return NULL;
    if (length > CELL) return map_locked(whole_pages(length));
    void *result = NULL;
    pthread_mutex_lock(&lock);
    slab *s = slabs;
    while (s && s->free_count == 0) s = s->next;
    if (!s && (s = malloc(sizeof *s))) {
        s->base = map_locked(SLAB);
        if (!s->base) {
            free(s);
            s = NULL;
        } else {
            s->free_count = CELLS;
            for (uint16_t i = 0; i < CELLS; i++) s->free_cells[i] = (uint16_t)(CELLS - 1 - i);
            s->next = slabs;
            slabs = s;
        }
    }
    if (s) result = s->base + (size_t)s->free_cells[--s->free_count] * CELL;
    pthread_mutex_unlock(&lock);
    return result;
}

void platform_secret_free(void *pointer, size_t length) {
    if (!pointer) return;
    if (length > CELL) {
        explicit_bzero(pointer, length);
        munmap(pointer, whole_pages(length));
        return;
    }
    explicit_bzero(pointer, CELL);
    pthread_mutex_lock(&lock);
    for (slab *s = slabs; s; s = s->next) {
        unsigned char *cell = pointer;
        if (cell < s->base || cell >= s->base + SLAB) continue;
        s->free_cells[s->free_count++] = (uint16_t)((size_t)(cell - s->base) / CELL);
        break;
    }
    pthread_mutex_unlock(&lock);
}
