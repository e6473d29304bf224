#ifndef PROCESS_SIZE_LIMIT_H
#define PROCESS_SIZE_LIMIT_H
#include <stdbool.h>
#include <stdint.h>

/* A write beyond RLIMIT_FSIZE fails with EFBIG and also raises SIGXFSZ, which ends a process that does not handle
 * it. */

/* Block SIGXFSZ on this thread if there is a limit. The result is for process_sigxfsz_unblock, which discards a
 * pending signal and preserves errno. */
bool process_sigxfsz_block(void);
void process_sigxfsz_unblock(bool was_blocked);

/* How far a file was written without a limit, and when the limit was last checked. Starts as zeros. */
typedef struct process_size_limit {
    int64_t end, checked;
} process_size_limit_t;

/* The same for a write up to `end` of a file that is written often: checks the limit again only for a write beyond
 * the last end, or once some milliseconds have passed. */
bool process_sigxfsz_block_beyond(int64_t end, process_size_limit_t *_Nonnull limit);

#endif
