#ifndef PROCESS_BYTE_LOCK_H
#define PROCESS_BYTE_LOCK_H
#include <stdint.h>

/* Take a shared open-file-description lock on one byte, once nobody holds an exclusive one. Returns 0 or an errno:
 * EWOULDBLOCK while there is a POSIX lock on the byte, which this thread's own process may hold. */
int process_byte_lock_shared(int descriptor, int64_t byte);

#endif
