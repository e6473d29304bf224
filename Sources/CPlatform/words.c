#define _GNU_SOURCE
#include "platform_words.h"
#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <limits.h>

enum { PAGE = 4096 };

typedef struct place {
    struct place *next;
    void *address;
} place;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static place *free_places;

void platform_words_before_fork(void) { pthread_mutex_lock(&lock); }
void platform_words_after_fork(void) { pthread_mutex_unlock(&lock); }

int platform_words_open(int directory, const char *name, platform_words_t **words) {
    *words = NULL;
    int f = openat(directory, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (f < 0) return errno;
    struct stat s;
    int result = fstat(f, &s) ? errno : 0;
    if (!result && !S_ISREG(s.st_mode)) result = EINVAL;
    /* Real blocks, so that no store into the mapping meets a full disk. */
    if (!result && (s.st_size < PAGE || s.st_blocks == 0)) result = posix_fallocate(f, 0, PAGE);
    if (result) {
        close(f);
        return result;
    }
    pthread_mutex_lock(&lock);
    place *p = free_places;
    if (p) free_places = p->next;
    pthread_mutex_unlock(&lock);
    void *at = mmap(p ? p->address : NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | (p ? MAP_FIXED : 0), f, 0);
    result = at == MAP_FAILED ? errno : 0;
    close(f);
    if (result && p) {
        pthread_mutex_lock(&lock);
        p->next = free_places;
        free_places = p;
        pthread_mutex_unlock(&lock);
        return result;
    }
    free(p);
    if (!result) *words = at;
    return result;
}

void platform_words_close(platform_words_t *words) {
    place *p = malloc(sizeof *p);
    if (!p) return; /* the mapping stays: a page lost, nothing broken */
    if (mmap(words, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
        free(p);
        return;
    }
    p->address = words;
    pthread_mutex_lock(&lock);
    p->next = free_places;
    free_places = p;
    pthread_mutex_unlock(&lock);
}

uint64_t platform_generation(const platform_words_t *words) {
    return atomic_load_explicit(&words->generation, memory_order_acquire);
}

void platform_generation_set(platform_words_t *words, uint64_t generation) {
    atomic_store_explicit(&words->generation, generation, memory_order_release);
}

bool platform_generation_replace(platform_words_t *words, uint64_t expected, uint64_t generation) {
    return atomic_compare_exchange_strong(&words->generation, &expected, generation);
}

uint32_t platform_bell(const platform_words_t *words) { return atomic_load_explicit(&words->bell, memory_order_acquire); }

void platform_bell_ring(platform_words_t *words) {
    atomic_fetch_add_explicit(&words->bell, 1, memory_order_release);
    syscall(SYS_futex, &words->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void platform_bell_wait(platform_words_t *words, uint32_t seen, int64_t milliseconds) {
    const int64_t limit = 1000LL * 86400 * 365;
    if (milliseconds > limit) milliseconds = limit;
    struct timespec t = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    syscall(SYS_futex, &words->bell, FUTEX_WAIT, seen, milliseconds < 0 ? NULL : &t, NULL, 0);
}
