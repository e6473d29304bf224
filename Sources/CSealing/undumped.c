#include "internal.h"
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

/* An AES key schedule begins with the key. The pages of a context that stays keyed are locked and left out of core dumps for
 * good: contexts are used again rather than freed, so that it is no other data's memory that a dump lacks. */
void *sealing_undumped_context(void) {
    if (!sealing_start()) return NULL;
    void *context = sealing_cipher.make(sealing_provider());
    if (!context) return NULL;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)context & ~(page - 1);
    uintptr_t end = ((uintptr_t)context + malloc_usable_size(context) + page - 1) & ~(page - 1);
    (void)mlock((void *)from, end - from);
    (void)madvise((void *)from, end - from, MADV_DONTDUMP);
    return context;
}

bool sealing_undumped_key(void *context, const void *key) {
    return sealing_cipher.encrypt(context, key, SEALING_KEY, NULL, 0, NULL) == 1;
}

bool sealing_undumped_forget(void *context) {
    static const unsigned char zeros[SEALING_KEY];
    if (sealing_undumped_key(context, zeros)) return true;
    sealing_cipher.free(context); /* which zeroes it */
    return false;
}
