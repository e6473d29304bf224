#define _GNU_SOURCE
#include "files_entry.h"
#include "files_close.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

_Static_assert((int)FILES_CWD == AT_FDCWD, "the working directory");

enum { ENTRY = STATX_TYPE | STATX_MODE | STATX_INO | STATX_NLINK | STATX_UID | STATX_CTIME | STATX_BTIME };

static int64_t nanoseconds(struct statx_timestamp t) {
    int64_t all;
    if (__builtin_mul_overflow(t.tv_sec, (int64_t)1000000000, &all) || __builtin_add_overflow(all, (int64_t)t.tv_nsec, &all))
        return 0;
    return all;
}

static int stat_entry(int directory, const char *name, int flags, files_entry_t *entry) {
    struct statx s;
    if (statx(directory, name, flags | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, ENTRY, &s)) return errno;
    *entry = (files_entry_t){
        .device = makedev(s.stx_dev_major, s.stx_dev_minor),
        .inode = s.stx_ino,
        .links = s.stx_nlink,
        .born = s.stx_mask & STATX_BTIME ? nanoseconds(s.stx_btime) : 0,
        .changed = nanoseconds(s.stx_ctime),
        .owner = s.stx_uid,
        .mode = s.stx_mode,
        .is_mounted = s.stx_attributes & STATX_ATTR_MOUNT_ROOT,
    };
    return 0;
}

int files_entry_of(int descriptor, files_entry_t *entry) { return stat_entry(descriptor, "", AT_EMPTY_PATH, entry); }
int files_entry_at(int directory, const char *name, files_entry_t *entry) { return stat_entry(directory, name, 0, entry); }

/* openat2 with restrictions, or an O_PATH openat without: that one does not require read permission. */
static int open_step(int directory, const char *path, uint64_t resolve) {
    struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, .resolve = resolve};
    if (!resolve) return openat(directory, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

/* Open a path of any length, in pieces shorter than PATH_MAX. */
static int open_directory(const char *path, size_t length, uint64_t resolve, int *directory) {
    char piece[PATH_MAX];
    int at = AT_FDCWD;
    *directory = -1;
    do {
        size_t count = length;
        if (count >= sizeof piece) {
            count = sizeof piece - 1;
            while (count > 0 && path[count] != '/') count--;
            if (count == 0) {
                if (at != AT_FDCWD) close(at);
                return ENAMETOOLONG;
            }
        }
        memcpy(piece, path, count);
        piece[count] = 0;
        int next = open_step(at, count ? piece : ".", resolve);
        int result = next < 0 ? errno : 0;
        if (at != AT_FDCWD) close(at);
        if (result) return result;
        at = next;
        path += count;
        length -= count;
        while (length > 0 && *path == '/') path++, length--;
    } while (length > 0);
    *directory = at;
    return 0;
}

int files_open_parent(const char *path, int *directory, const char **name) {
    size_t length = strlen(path);
    size_t end = length;
    while (end > 0 && path[end - 1] != '/') end--;
    const char *last = path + end;
    if (*last == 0 || strcmp(last, ".") == 0 || strcmp(last, "..") == 0) {
        *name = ".";
        return open_directory(path, length, 0, directory);
    }
    *name = last;
    while (end > 1 && path[end - 1] == '/') end--;
    return open_directory(path, end, 0, directory);
}

int files_open_without_links(const char *path, int *directory) {
    return open_directory(path, strlen(path), RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS, directory);
}

int files_open_entry(int directory, const char *name, int *descriptor, files_entry_t *entry) {
    files_entry_t before = {0};
    *descriptor = -1;
    int result = files_entry_at(directory, name, &before);
    if (result) return result;
    /* Opening a device can have effects. */
    if (S_ISLNK(before.mode)) return ELOOP;
    if (!S_ISREG(before.mode) && !S_ISDIR(before.mode)) return ENXIO;
    int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
    /* Inspection must not change atime; O_NOATIME requires ownership. */
    int f = S_ISREG(before.mode) ? files_take_deferred(directory, name) : -1;
    if (f < 0) f = openat(directory, name, flags | O_RDONLY | O_NOATIME);
    if (f < 0 && errno == EPERM) f = openat(directory, name, flags | O_RDONLY);
    if (f < 0 && errno == EACCES && S_ISREG(before.mode)) f = openat(directory, name, flags | O_WRONLY);
    if (f < 0) return errno;
    result = files_entry_of(f, entry);
    if (!result && !S_ISREG(entry->mode) && !S_ISDIR(entry->mode)) result = ENXIO;
    if (result) {
        close(f);
        return result;
    }
    *descriptor = f;
    return 0;
}

int files_path_of(int descriptor, char *path, size_t capacity) {
    char link[40];
    struct stat s;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    if (fstat(descriptor, &s)) return errno;
    if (!s.st_nlink) return ENOENT;
    ssize_t length = readlink(link, path, capacity);
    if (length < 0) return errno;
    if ((size_t)length >= capacity) return ENAMETOOLONG;
    path[length] = 0;
    return path[0] == '/' ? 0 : ENOENT;
}

static int flags_result(void) { return errno == ENOTTY || errno == ENOSYS || errno == EINVAL ? EOPNOTSUPP : errno; }

int files_set_nodump(int descriptor, bool is_set) {
    int flags = 0;
    if (ioctl(descriptor, FS_IOC_GETFLAGS, &flags)) return flags_result();
    int new_flags = is_set ? flags | FS_NODUMP_FL : flags & ~FS_NODUMP_FL;
    if (new_flags == flags) return 0;
    return ioctl(descriptor, FS_IOC_SETFLAGS, &new_flags) ? flags_result() : 0;
}

int files_remove_at(int directory, const char *name, bool is_directory) {
    return unlinkat(directory, name, is_directory ? AT_REMOVEDIR : 0) ? errno : 0;
}
