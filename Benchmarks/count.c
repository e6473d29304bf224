/* Preloaded: counts the calling thread's allocations, frees and locks. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static __thread unsigned long count __attribute__((tls_model("initial-exec")));
unsigned long bench_count(void) { return count; }

void *malloc(size_t n) { return count++, __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return count++, __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return count++, __libc_realloc(p, n); }
void free(void *p) { count++, __libc_free(p); }
void *memalign(size_t a, size_t n) { return count++, __libc_memalign(a, n); }
void *aligned_alloc(size_t a, size_t n) { return count++, __libc_memalign(a, n); }
int posix_memalign(void **p, size_t a, size_t n) { return count++, (*p = __libc_memalign(a, n)) == NULL ? 12 : 0; }

#define LOCK(name, type)                                                   \
    int name(type *lock) {                                                 \
        static int (*real)(type *);                                        \
        count++;                                                           \
        if (real == NULL) real = (int (*)(type *))dlsym(RTLD_NEXT, #name); \
        return real(lock);                                                 \
    }
LOCK(pthread_mutex_lock, pthread_mutex_t)
LOCK(pthread_mutex_trylock, pthread_mutex_t)
LOCK(pthread_rwlock_rdlock, pthread_rwlock_t)
LOCK(pthread_rwlock_wrlock, pthread_rwlock_t)
