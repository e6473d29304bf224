/* A debugging allocator, to be preloaded: one lock around every call, held for a while, and no fork handlers. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Called in a forked child once fork has returned. */
void allocator_renew(void) { pthread_mutex_init(&lock, NULL); }

/* Allocate something, slowly. */
void allocator_dawdle(void) {
    struct timespec pause = {0, 50000};
    pthread_mutex_lock(&lock);
    nanosleep(&pause, NULL);
    pthread_mutex_unlock(&lock);
}

#define LOCKED(call)                 \
    do {                             \
        pthread_mutex_lock(&lock);   \
        void *memory_ = (call);      \
        pthread_mutex_unlock(&lock); \
        return memory_;              \
    } while (0)

void *malloc(size_t size) { LOCKED(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { LOCKED(__libc_calloc(count, size)); }
void *realloc(void *memory, size_t size) { LOCKED(__libc_realloc(memory, size)); }
void *memalign(size_t alignment, size_t size) { LOCKED(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { LOCKED(__libc_memalign(alignment, size)); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
    *memory = aligned_alloc(alignment, size);
    return *memory == NULL ? 12 : 0;
}

void free(void *memory) {
    if (memory == NULL) return;
    pthread_mutex_lock(&lock);
    __libc_free(memory);
    pthread_mutex_unlock(&lock);
}
