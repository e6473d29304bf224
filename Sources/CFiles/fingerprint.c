#include "files_fingerprint.h"
#include "internal.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>

static bool has_sidecar(const char *path, const char *suffix) {
    char sidecar[PATH_MAX];
    struct stat s;
    int length = snprintf(sidecar, sizeof sidecar, "%s%s", path, suffix);
    return length < 0 || (size_t)length >= sizeof sidecar || !stat(sidecar, &s) || errno != ENOENT;
}

int files_database_fingerprint(const char *path, files_fingerprint_t *fingerprint) {
    struct stat s;
    struct statfs system;
    /* lstat: for a symbolic link, SQLite's sidecars lie beside its target. */
    if (lstat(path, &s) || statfs(path, &system)) return errno;
    if (!S_ISREG(s.st_mode)) return EAGAIN;
    if (files_is_network_type((uint64_t)(unsigned long)system.f_type) || s.st_ctim.tv_nsec == 0) return EAGAIN;
    if (has_sidecar(path, "-journal") || has_sidecar(path, "-wal")) return EAGAIN;
    *fingerprint = (files_fingerprint_t){
        s.st_dev, s.st_ino, s.st_size, (int64_t)s.st_ctim.tv_sec * 1000000000 + s.st_ctim.tv_nsec, s.st_uid, s.st_gid, s.st_mode,
    };
    return 0;
}
