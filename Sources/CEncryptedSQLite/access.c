#include "internal.h"
#include <stdlib.h>

void encrypted_hold(encrypted_access_t *access) { atomic_fetch_add(&access->holders, 1); }

void encrypted_drop(encrypted_access_t *access) {
    if (atomic_fetch_sub(&access->holders, 1) != 1) return;
    access->calls.release(access->calls.context);
    free(access);
}

void encrypted_publish(
    encrypted_access_t *access, uint64_t generation, bool is_encrypting, bool takes_new, uint64_t keys) {
    atomic_store(&access->takes_new, takes_new);
    atomic_store(&access->is_encrypting, is_encrypting);
    if (atomic_exchange(&access->keys, keys) != keys) atomic_store(&access->pages, 0);
    atomic_store(&access->generation, generation);
}

/* Before every page: whether what was published still holds. Two loads and a look at the token, and only after a change a
 * call into the session. */
static bool holds(encrypted_access_t *access) {
    if (atomic_load_explicit(&access->is_over, memory_order_relaxed)) return false;
    if (!platform_handle_is_open(access->token, PLATFORM_HANDLE_SESSION)) return false;
    return atomic_load(&access->generation) == platform_generation(access->words);
}

int encrypted_check(encrypted_access_t *access) {
    if (holds(access)) return SQLITE_OK;
    if (atomic_load(&access->is_over)) return SQLITE_IOERR_AUTH;
    return access->calls.refresh(access->calls.context) == ENCRYPTED_OPEN ? SQLITE_OK : SQLITE_IOERR_AUTH;
}

/* Two threads that reserve at once reserve too much. */
bool encrypted_count(encrypted_access_t *access) {
    if (atomic_fetch_sub(&access->pages, 1) > 0) return true;
    int64_t pages = access->calls.reserve(access->calls.context);
    atomic_store(&access->pages, pages - 1);
    return pages > 0;
}
