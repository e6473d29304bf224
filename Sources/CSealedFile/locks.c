#include "internal.h"
#include <errno.h>
#include <fcntl.h>

/* Open-file-description locks on single bytes: of the first page one for each purpose, of a group its table's first. */
static int set(sealed_file_t *file, int64_t what, short type, int operation) {
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = what, .l_len = 1};
    int failed;
    do failed = fcntl(file->descriptor, operation, &lock);
    while (failed && errno == EINTR);
    return failed;
}

sealed_file_fault_t sealed_lock(sealed_file_t *file, int64_t what, bool is_exclusive) {
    return set(file, what, is_exclusive ? F_WRLCK : F_RDLCK, F_OFD_SETLKW) ? sealed_fault_system() : GOOD;
}

bool sealed_lock_now(sealed_file_t *file, int64_t what, bool is_exclusive) {
    return !set(file, what, is_exclusive ? F_WRLCK : F_RDLCK, F_OFD_SETLK);
}

void sealed_unlock(sealed_file_t *file, int64_t what) { (void)set(file, what, F_UNLCK, F_OFD_SETLK); }
