#define _GNU_SOURCE
#include "files_reserve.h"
#include <errno.h>
#include <fcntl.h>
#include <process_size_limit.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST = 16384 };

bool files_reserve_at(int directory, const char *name, int64_t size) {
    int file = openat(directory, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (file < 0) return false;
    bool is_blocked = process_sigxfsz_block();
    struct stat s = {0};
    bool was_freed = fstat(file, &s) == 0 && s.st_size > 0;
    if (S_ISREG(s.st_mode))
        for (int64_t step = size - s.st_size; step >= LEAST;) {
            if (posix_fallocate(file, s.st_size, step) == 0) s.st_size += step;
            else if (was_freed) step /= 2;
            else break;
            if (step > size - s.st_size) step = size - s.st_size;
        }
    process_sigxfsz_unblock(is_blocked);
    close(file);
    if (s.st_size == 0) unlinkat(directory, name, 0);
    return s.st_size >= size;
}

bool files_free_reserve_at(int directory, const char *name) {
    int file = openat(directory, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) return false;
    struct stat s;
    bool done = fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 1 && ftruncate(file, 1) == 0;
    close(file);
    return done;
}
