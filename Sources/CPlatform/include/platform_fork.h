#ifndef PLATFORM_FORK_H
#define PLATFORM_FORK_H
#include <stdatomic.h>
#include <stdint.h>

/* Called around every fork of this process: `before` in the parent, then `after_parent` there and `after_child` in
 * the child. They may take the context's own locks, and nothing else; `after_child` neither allocates nor frees: another
 * thread of the parent may have held the lock of the host's allocator. */
typedef struct platform_fork_hooks {
    void *_Nullable context;
    void (*_Nonnull before)(void *_Nullable context);
    void (*_Nonnull after_parent)(void *_Nullable context);
    void (*_Nonnull after_child)(void *_Nullable context);
} platform_fork_hooks_t;

/* Returns a number to take the hooks back with. */
uint64_t platform_fork_add(platform_fork_hooks_t hooks);
void platform_fork_remove(uint64_t number);

#endif
