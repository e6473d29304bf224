#ifndef PROCESS_SECRETS_H
#define PROCESS_SECRETS_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory for secrets: separate pages, locked if the system allows it, excluded from core dumps, and empty in forked
 * children, also after the bare system call. Each page begins with a mark that is present as long as its contents
 * are. Small secrets share pages. */

/* Secrets that are destroyed together: those of one session. */
typedef struct process_vault process_vault_t;

/* NULL without memory. */
process_vault_t *_Nullable process_vault_new(void);
/* Unmap its pages; none of its memory may be in use. */
void process_vault_free(process_vault_t *_Nonnull vault);
/* Begin a use that process_vault_close waits for; false once that was called. The use must not block. NULL is always
 * open. */
bool process_vault_enter(process_vault_t *_Nullable vault);
void process_vault_leave(process_vault_t *_Nullable vault);
/* Wait for uses in progress (not in a forked child), then remove the marks and zero the pages. Pointers stay valid,
 * but their secrets are no longer alive. */
void process_vault_close(process_vault_t *_Nonnull vault);
bool process_vault_is_closed(process_vault_t *_Nonnull vault);

/* NULL without memory, or if the vault is closed. The vault NULL is the process's own, which is never closed. */
void *_Nullable process_secret_alloc(process_vault_t *_Nullable vault, size_t length);
/* Zeroes it first. */
void process_secret_free(void *_Nullable pointer, size_t length);

enum { PROCESS_SECRET_PAGE = 4096 };
#define PROCESS_SECRET_MARK 0x6d616d206b657973u

/* Whether a secret still exists: false after its vault was closed, and in forked children. If true, everything read
 * from it before the call was valid. */
static inline bool process_secret_is_alive(const void *_Nonnull pointer) {
    uintptr_t page = (uintptr_t)pointer & ~(uintptr_t)(PROCESS_SECRET_PAGE - 1);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit((const _Atomic uint64_t *)page, memory_order_relaxed) == PROCESS_SECRET_MARK;
}

/* Lock pages and exclude them from core dumps, as far as the system allows it. */
void process_secret_lock(void *_Nonnull base, size_t length);
/* Whether mlock has locked every page so far. */
bool process_secrets_are_all_locked(void);
/* Whether the kernel empties every page so far in a forked child, also after the bare system call. */
bool process_secrets_are_emptied_on_fork(void);

#endif
