#define _GNU_SOURCE
#include "platform_limit.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool platform_reserve_at(int directory, const char *name, int64_t size) {
    struct stat s;
    if (fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT) return false;
    int file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return false;
    bool is_growing = platform_growing_begin();
    bool done = posix_fallocate(file, 0, size) == 0;
    platform_growing_end(is_growing);
    close(file);
    if (!done) unlinkat(directory, name, 0);
    return done;
}
