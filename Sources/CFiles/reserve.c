#define _GNU_SOURCE
#include "files_reserve.h"
#include <errno.h>
#include <fcntl.h>
#include <process_size_limit.h>
#include <sys/stat.h>
#include <unistd.h>

bool files_reserve_at(int directory, const char *name, int64_t size) {
    struct stat s;
    if (fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT) return false;
    int file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return false;
    bool is_blocked = process_sigxfsz_block();
    bool done = posix_fallocate(file, 0, size) == 0;
    process_sigxfsz_unblock(is_blocked);
    close(file);
    if (!done) unlinkat(directory, name, 0);
    return done;
}
