#ifndef PROCESS_FORK_H
#define PROCESS_FORK_H
#include <stdint.h>

/* Called around every fork of this process: `before` in the parent, then `after_parent` there and `after_child` in
 * the child. The hooks may take the locks of their context and nothing else. `after_child` neither allocates nor
 * frees: another thread of the parent may have held the lock of the host's allocator. */
typedef struct process_fork_hooks {
    void *_Nullable context;
    void (*_Nonnull before)(void *_Nullable context);
    void (*_Nonnull after_parent)(void *_Nullable context);
    void (*_Nonnull after_child)(void *_Nullable context);
} process_fork_hooks_t;

/* Returns a number for process_fork_hooks_remove. */
uint64_t process_fork_hooks_add(process_fork_hooks_t hooks);
void process_fork_hooks_remove(uint64_t number);

#endif
