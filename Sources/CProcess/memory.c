#define _GNU_SOURCE
#include "process_memory.h"
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>

void process_zero(void *pointer, size_t length) { explicit_bzero(pointer, length); }

bool process_equal(const void *a, const void *b, size_t length) {
    const volatile unsigned char *x = a, *y = b;
    unsigned char difference = 0;
    for (size_t i = 0; i < length; i++) difference |= x[i] ^ y[i];
    return difference == 0;
}

bool process_random(void *pointer, size_t length) {
    unsigned char *at = pointer;
    while (length > 0) {
        ssize_t got = getrandom(at, length, 0);
        if (got < 0) {
            if (errno == EINTR) continue;
            return false;
        }
        at += got;
        length -= (size_t)got;
    }
    return true;
}

void process_refuse_dumps(void) {
    /* The limit alone does not count where a program takes core dumps; the other one may be undone by an exec. */
    (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

size_t process_text_length(const char *text, size_t limit) { return strnlen(text, limit); }

/* memalign in place of malloc: packaging/suppressions/libmam.supp recognises by it memory that the host has to
 * release. */
void *process_result_alloc(size_t length) { return memalign(16, length ? length : 1); }

void process_result_free(void *pointer) {
    if (!pointer) return;
    explicit_bzero(pointer, malloc_usable_size(pointer));
    free(pointer);
}
