#define _GNU_SOURCE
#include "files_stat.h"
#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

static int fill_status(const struct stat *s, files_stat_t *status) {
    *status = (files_stat_t){s->st_uid, s->st_mode, s->st_size, s->st_dev, s->st_ino};
    return 0;
}

int files_fstat(int descriptor, files_stat_t *status) {
    struct stat s;
    return fstat(descriptor, &s) ? errno : fill_status(&s, status);
}

int files_fstatat(int directory, const char *name, files_stat_t *status) {
    struct stat s;
    return fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW) ? errno : fill_status(&s, status);
}

int files_lstat(const char *path, files_stat_t *status) { return files_fstatat(AT_FDCWD, path, status); }

int files_stat(const char *path, files_stat_t *status) {
    struct stat s;
    return stat(path, &s) ? errno : fill_status(&s, status);
}

bool files_is_writable(const char *path) { return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0; }
bool files_is_readable(const char *path) { return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0; }

bool files_is_network_type(uint64_t type) {
    static const unsigned long network[] = {
        0x6969 /* nfs */,          0xFF534D42 /* cifs */,
        0xFE534D42 /* smb2 */,     0x517B /* smb */,
        0x5346414F /* afs */,      0x6B414653 /* kafs */,
        0x73757245 /* coda */,     0x564C /* ncp */,
        0x01021997 /* 9p */,       0x00C36400 /* ceph */,
        0x0BD00BD0 /* lustre */,   0x47504653 /* gpfs */,
        0x7461636F /* ocfs2 */,    0x01161970 /* gfs2 */,
        0x20030528 /* orangefs */, 0x65735546 /* fuse: may be sshfs, gluster or others */,
    };
    bool is_network = false;
    for (size_t i = 0; i < sizeof network / sizeof *network; i++) is_network |= (type & 0xFFFFFFFFu) == network[i];
    return is_network;
}

int files_is_network(int descriptor, bool *is_network, uint64_t *type) {
    struct statfs s;
    if (fstatfs(descriptor, &s)) return errno;
    *type = (uint64_t)(unsigned long)s.f_type & 0xFFFFFFFFu;
    *is_network = files_is_network_type(*type);
    return 0;
}

bool files_is_at(int descriptor, int directory, const char *name) {
    struct stat s, there;
    return !fstat(descriptor, &s) && !fstatat(directory, name, &there, AT_SYMLINK_NOFOLLOW) && s.st_dev == there.st_dev
        && s.st_ino == there.st_ino;
}

int files_links_of(int descriptor, uint64_t *links, int64_t *changed) {
    struct stat s;
    if (fstat(descriptor, &s)) return errno;
    *links = s.st_nlink;
    *changed = s.st_ctim.tv_sec * 1000000000LL + s.st_ctim.tv_nsec;
    return 0;
}

int files_real_path(const char *path, char *real, size_t capacity) {
    char *found = realpath(path, NULL);
    if (!found) return errno;
    size_t length = strlen(found);
    int result = length < capacity ? 0 : ENAMETOOLONG;
    if (!result) memcpy(real, found, length + 1);
    free(found);
    return result;
}
