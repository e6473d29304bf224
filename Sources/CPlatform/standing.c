#include "platform_standing.h"
#include "internal.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>

static bool has_companion(const char *path, const char *suffix) {
    char companion[PATH_MAX];
    struct stat s;
    int length = snprintf(companion, sizeof companion, "%s%s", path, suffix);
    return length < 0 || (size_t)length >= sizeof companion || !stat(companion, &s) || errno != ENOENT;
}

int platform_standing_of(const char *path, platform_standing_t *standing) {
    struct stat s;
    struct statfs system;
    /* What SQLite keeps beside a file that a link leads to is beside that file. */
    if (lstat(path, &s) || statfs(path, &system)) return errno;
    if (!S_ISREG(s.st_mode)) return EAGAIN;
    if (platform_is_network_type((uint64_t)(unsigned long)system.f_type) || s.st_ctim.tv_nsec == 0) return EAGAIN;
    if (has_companion(path, "-journal") || has_companion(path, "-wal")) return EAGAIN;
    *standing = (platform_standing_t){
        s.st_dev, s.st_ino, s.st_size, (int64_t)s.st_ctim.tv_sec * 1000000000 + s.st_ctim.tv_nsec, s.st_uid, s.st_gid, s.st_mode,
    };
    return 0;
}
