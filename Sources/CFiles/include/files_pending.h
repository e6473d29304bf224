#ifndef FILES_PENDING_H
#define FILES_PENDING_H
#include <stdbool.h>

/* A record of a temporary file, written to a folder of the state before the file is created. If the process is
 * killed, the next one that opens the state removes both. A lock on the record shows that its process is alive. */

/* Returns 0 or an errno. A durable record survives a power failure. */
int files_pending_add(int state, const char *_Nonnull name, const char *_Nonnull path, bool is_durable, int *_Nonnull descriptor);
void files_pending_remove(int state, const char *_Nonnull name, int descriptor);
/* Remove the temporary files of processes that were killed. */
void files_pending_recover(int state);

#endif
