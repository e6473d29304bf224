#ifndef PLATFORM_SECRETS_H
#define PLATFORM_SECRETS_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory for secrets: pages of its own, locked where the system allows it, left out of core dumps, and empty in whatever is
 * forked from this process, by fork or by the bare system call. Each page begins with a mark, which is there for as long as
 * what lies in the page is. Small pieces share pages, so thousands of keys cost few of them. */

/* The secrets that end together, those of one session. */
typedef struct platform_vault platform_vault_t;

/* NULL without memory. */
platform_vault_t *_Nullable platform_vault_new(void);
/* Give its pages back; nothing that was allocated from it is used any more. */
void platform_vault_free(platform_vault_t *_Nonnull vault);
/* A use that platform_vault_close waits for; false once that was called. Nothing is waited for inside. NULL is always open. */
bool platform_vault_enter(platform_vault_t *_Nullable vault);
void platform_vault_leave(platform_vault_t *_Nullable vault);
/* Wait for the uses under way (not in a forked child), take the mark from all its pages, and zero them. Its pointers stay valid,
 * and what they point at is not alive. */
void platform_vault_close(platform_vault_t *_Nonnull vault);
bool platform_vault_is_closed(platform_vault_t *_Nonnull vault);

/* NULL when there is no memory, or the vault is closed. A vault of NULL is the process's own, which is never closed. */
void *_Nullable platform_secret_alloc(platform_vault_t *_Nullable vault, size_t length);
/* Zeroes it first. */
void platform_secret_free(void *_Nullable pointer, size_t length);

enum { PLATFORM_SECRET_PAGE = 4096 };
#define PLATFORM_SECRET_MARK 0x6d616d206b657973u

/* Whether a secret is still there: not in a vault that was closed, nor in a process that was forked since. What was read of it
 * before this was asked is then what was written. */
static inline bool platform_secret_is_alive(const void *_Nonnull pointer) {
    uintptr_t page = (uintptr_t)pointer & ~(uintptr_t)(PLATFORM_SECRET_PAGE - 1);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit((const _Atomic uint64_t *)page, memory_order_relaxed) == PLATFORM_SECRET_MARK;
}

/* Lock pages and leave them out of core dumps, as far as the system allows it. */
void platform_secret_lock(void *_Nonnull base, size_t length);
/* Whether every page of secrets so far could be locked; whether a fork empties them. */
bool platform_secret_is_locked(void);
bool platform_secret_is_wiped(void);

#endif
