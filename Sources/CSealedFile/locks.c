#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <process_byte_lock.h>

enum { WRITERS = 2 };

/* An open-file-description lock on one byte; it ends with the descriptor. */
static int set(sealed_file_t *file, short type, int operation) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = WRITERS, .l_len = 1};
    int failed;
    do failed = fcntl(file->descriptor, operation, &lock);
    while (failed && errno == EINTR);
    return failed;
}

sealed_file_fault_t sealed_lock_as_writer(sealed_file_t *file) {
    errno = process_byte_lock_shared(file->descriptor, WRITERS);
    return errno ? sealed_fault_system() : GOOD;
}

bool sealed_lock_as_only_writer(sealed_file_t *file) { return !set(file, F_WRLCK, F_OFD_SETLK); }

void sealed_unlock_as_writer(sealed_file_t *file) { (void)set(file, F_UNLCK, F_OFD_SETLK); }
