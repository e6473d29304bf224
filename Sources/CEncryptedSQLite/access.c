#include "internal.h"
#include <handle.h>
#include <process_clock.h>
#include <stdlib.h>

void access_retain(encrypted_access_t *access) { atomic_fetch_add(&access->references, 1); }

void access_release(encrypted_access_t *access) {
    if (atomic_fetch_sub(&access->references, 1) != 1) return;
    access->calls.release(access->calls.context);
    free(access);
}

enum { REFRESH_MILLISECONDS = 1000 };

void encrypted_publish(
    encrypted_access_t *access, uint64_t generation, bool encrypts_new, bool allows_new, uint64_t key_version,
    bool follows_screen) {
    atomic_store(&access->follows_screen, follows_screen);
    atomic_store(&access->allows_new, allows_new);
    atomic_store(&access->encrypts_new, encrypts_new);
    if (atomic_exchange(&access->key_version, key_version) != key_version) atomic_store(&access->page_quota, 0);
    atomic_store(&access->generation, generation);
}

/* Whether the published access is still current. Checked before every page: two loads and a look-up of the token;
 * only after a change follows a call into the session. */
static bool is_current(encrypted_access_t *access) {
    if (atomic_load_explicit(&access->is_closed, memory_order_relaxed)) return false;
    if (!handle_is_open(access->token, HANDLE_SESSION)) return false;
    if (atomic_load_explicit(&access->follows_screen, memory_order_relaxed)
        && process_clock_monotonic_coarse_ms() - atomic_load(&access->refreshed_at) >= REFRESH_MILLISECONDS)
        return false;
    return atomic_load(&access->generation) == shared_generation_word(access->words);
}

static int refresh(encrypted_access_t *access, bool is_opening) {
    int64_t now = process_clock_monotonic_coarse_ms();
    bool is_open = access->calls.refresh(access->calls.context, is_opening) == ENCRYPTED_OPEN;
    if (!is_open || atomic_load(&access->is_closed)) return SQLITE_IOERR_AUTH;
    atomic_store(&access->refreshed_at, now);
    return SQLITE_OK;
}

int access_check(encrypted_access_t *access) { return is_current(access) ? SQLITE_OK : refresh(access, false); }

int access_check_opening(encrypted_access_t *access) {
    return atomic_load(&access->follows_screen) ? refresh(access, true) : access_check(access);
}

/* Two threads that reserve at the same time reserve more than needed, never less. */
bool access_count_page(encrypted_access_t *access) {
    if (atomic_fetch_sub(&access->page_quota, 1) > 0) return true;
    int64_t pages = access->calls.reserve(access->calls.context);
    atomic_store(&access->page_quota, pages - 1);
    return pages > 0;
}
