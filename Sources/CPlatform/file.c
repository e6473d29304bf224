#define _GNU_SOURCE
#include "platform_file.h"
#include "internal.h"
#include "platform_limit.h"
#include "platform_memory.h"
#include "platform_newfile.h"
#include "platform_open.h"
#include "platform_owner.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

int platform_make_directories(const char *path) {
    char copy[PATH_MAX];
    size_t length = strnlen(path, sizeof copy);
    if (length == 0 || length >= sizeof copy) return ENAMETOOLONG;
    memcpy(copy, path, length + 1);
    for (size_t i = 1; i <= length; i++) {
        if (copy[i] != '/' && copy[i] != 0) continue;
        char kept = copy[i];
        copy[i] = 0;
        if (mkdir(copy, 0700) && errno != EEXIST) {
            /* A parent we may not write to is fine as long as it is there. */
            struct stat s;
            int failure = errno;
            if (stat(copy, &s) || !S_ISDIR(s.st_mode)) return failure;
        }
        copy[i] = kept;
    }
    return 0;
}

int platform_make_directory_at(int directory, const char *name) {
    return mkdirat(directory, name, 0700) && errno != EEXIST ? errno : 0;
}

int platform_open_directory(const char *path, int *descriptor) {
    *descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *descriptor < 0 ? errno : 0;
}

int platform_open_directory_at(int directory, const char *name, int *descriptor) {
    *descriptor = openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    return *descriptor < 0 ? errno : 0;
}

void platform_close(int descriptor) { close(descriptor); }

static int fill(const struct stat *s, platform_file_facts_t *facts) {
    *facts = (platform_file_facts_t){s->st_uid, s->st_mode, s->st_size, s->st_dev, s->st_ino};
    return 0;
}

int platform_facts_of(int descriptor, platform_file_facts_t *facts) {
    struct stat s;
    return fstat(descriptor, &s) ? errno : fill(&s, facts);
}

int platform_facts_at(int directory, const char *name, platform_file_facts_t *facts) {
    struct stat s;
    return fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW) ? errno : fill(&s, facts);
}

int platform_facts_of_name(const char *path, platform_file_facts_t *facts) { return platform_facts_at(AT_FDCWD, path, facts); }

int platform_facts_of_path(const char *path, platform_file_facts_t *facts) {
    struct stat s;
    return stat(path, &s) ? errno : fill(&s, facts);
}

bool platform_is_writable(const char *path) { return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0; }
bool platform_is_readable(const char *path) { return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0; }
uint32_t platform_effective_user(void) { return geteuid(); }
const char *platform_environment(const char *name) { return secure_getenv(name); }

bool platform_is_network_type(uint64_t type) {
    static const unsigned long network[] = {
        0x6969 /* nfs */, 0xFF534D42 /* cifs */, 0xFE534D42 /* smb2 */, 0x517B /* smb */, 0x5346414F /* afs */,
        0x6B414653 /* kafs */, 0x73757245 /* coda */, 0x564C /* ncp */, 0x01021997 /* 9p */, 0x00C36400 /* ceph */,
        0x0BD00BD0 /* lustre */, 0x47504653 /* gpfs */, 0x7461636F /* ocfs2 */, 0x01161970 /* gfs2 */,
        0x20030528 /* orangefs */, 0x65735546 /* fuse: sshfs, gluster and others, no way to tell */,
    };
    bool is_network = false;
    for (size_t i = 0; i < sizeof network / sizeof *network; i++) is_network |= (type & 0xFFFFFFFFu) == network[i];
    return is_network;
}

int platform_is_network(int descriptor, bool *is_network, uint64_t *type) {
    struct statfs s;
    if (fstatfs(descriptor, &s)) return errno;
    *type = (uint64_t)(unsigned long)s.f_type & 0xFFFFFFFFu;
    *is_network = platform_is_network_type(*type);
    return 0;
}

static int read_all(int f, void *bytes, size_t capacity, size_t *count) {
    size_t got = 0;
    char extra;
    for (;;) {
        ssize_t n = got < capacity ? read(f, (char *)bytes + got, capacity - got) : read(f, &extra, 1);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) break;
        if (got == capacity) return EFBIG;
        got += (size_t)n;
    }
    *count = got;
    return 0;
}

int platform_read_at(int directory, const char *name, void *bytes, size_t capacity, size_t *count) {
    *count = 0;
    int f = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (f < 0) return errno;
    int result = read_all(f, bytes, capacity, count);
    close(f);
    return result;
}

int platform_read_path(const char *path, void *bytes, size_t capacity, size_t *count) {
    *count = 0;
    int f = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (f < 0) return errno;
    int result = read_all(f, bytes, capacity, count);
    close(f);
    return result;
}

int platform_create_at(int directory, const char *name, const void *bytes, size_t count) {
    /* It gets its name when it is whole: a kill leaves nothing behind where files may be nameless. */
    int f;
    char temporary[64] = "";
    int result = platform_new_nameless(directory, 0600, &f);
    if (result == EOPNOTSUPP) {
        uint64_t number;
        if (!platform_random(&number, sizeof number)) return EIO;
        snprintf(temporary, sizeof temporary, ".new-%016llx", (unsigned long long)number);
        result = platform_new_named(directory, temporary, 0600, &f);
    }
    if (result) return result;
    if (fchmod(f, 0600)) result = errno;
    if (!result) result = platform_write_on(f, bytes, count);
    if (!result) result = platform_sync(f, false);
    if (!result) result = platform_name_file(f, directory, name);
    if (temporary[0]) unlinkat(directory, temporary, 0);
    close(f);
    return result ? result : platform_settle_directory(directory);
}

int platform_restrict_at(int directory, const char *name) {
    /* By name: opening and closing the file would drop the locks that SQLite holds on it for this process. */
    struct stat s;
    if (fstatat(directory, name, &s, AT_SYMLINK_NOFOLLOW)) return errno;
    if (!S_ISREG(s.st_mode)) return ELOOP;
    if (s.st_uid != geteuid() || !(s.st_mode & 077)) return 0;
    return fchmodat(directory, name, 0600, 0) ? errno : 0;
}

int platform_lengthen(const char *path, int64_t length) {
    struct stat s;
    if (lstat(path, &s)) return errno == ENOENT ? 0 : errno;
    if (!S_ISREG(s.st_mode)) return ELOOP;
    if (s.st_size >= length) return 0;
    int f = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (f < 0) return errno;
    bool is_growing = platform_growing_begin();
    int result = posix_fallocate(f, 0, length);
    platform_growing_end(is_growing);
    platform_close_kindly(f); /* as above: SQLite may hold locks */
    return result;
}

int platform_open_or_make_at(int directory, const char *name, int *descriptor) {
    *descriptor = openat(directory, name, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    return *descriptor < 0 ? errno : 0;
}

int platform_lock_file_at(int directory, const char *name, int *descriptor) {
    int opened = platform_open_or_make_at(directory, name, descriptor);
    if (opened) return opened;
    if (flock(*descriptor, LOCK_EX | LOCK_NB)) {
        int result = errno;
        close(*descriptor);
        *descriptor = -1;
        return result;
    }
    return 0;
}

void platform_unlock_file(int descriptor) {
    flock(descriptor, LOCK_UN);
    close(descriptor);
}

int platform_list(int directory, void *context, void (*each)(void *context, const char *name)) {
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (copy < 0) return errno;
    DIR *entries = fdopendir(copy);
    if (!entries) {
        int result = errno;
        close(copy);
        return result;
    }
    for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) each(context, entry->d_name);
    closedir(entries);
    return 0;
}
