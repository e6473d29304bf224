#include "internal.h"
#include <handle.h>
#include <stdlib.h>

void access_retain(encrypted_access_t *access) { atomic_fetch_add(&access->references, 1); }

void access_release(encrypted_access_t *access) {
    if (atomic_fetch_sub(&access->references, 1) != 1) return;
    access->calls.release(access->calls.context);
    free(access);
}

void encrypted_publish(encrypted_access_t *access, uint64_t generation, bool is_encrypting, bool allows_new, uint64_t key_version) {
    atomic_store(&access->allows_new, allows_new);
    atomic_store(&access->is_encrypting, is_encrypting);
    if (atomic_exchange(&access->key_version, key_version) != key_version) atomic_store(&access->page_quota, 0);
    atomic_store(&access->generation, generation);
}

/* Whether the published access is still current. Checked before every page: two loads and a look-up of the token;
 * only after a change follows a call into the session. */
static bool is_current(encrypted_access_t *access) {
    if (atomic_load_explicit(&access->is_closed, memory_order_relaxed)) return false;
    if (!handle_is_open(access->token, HANDLE_SESSION)) return false;
    return atomic_load(&access->generation) == shared_generation(access->words);
}

int access_check(encrypted_access_t *access) {
    if (is_current(access)) return SQLITE_OK;
    bool is_open = access->calls.refresh(access->calls.context) == ENCRYPTED_OPEN;
    return is_open && !atomic_load(&access->is_closed) ? SQLITE_OK : SQLITE_IOERR_AUTH;
}

/* Two threads that reserve at the same time reserve more than needed, never less. */
bool access_count_page(encrypted_access_t *access) {
    if (atomic_fetch_sub(&access->page_quota, 1) > 0) return true;
    int64_t pages = access->calls.reserve(access->calls.context);
    atomic_store(&access->page_quota, pages - 1);
    return pages > 0;
}
