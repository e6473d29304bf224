#define _GNU_SOURCE
#include "platform_owner.h"
#include "internal.h"
#include <dirent.h>
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
#include <sys/xattr.h>
#include <unistd.h>

_Static_assert((int)PLATFORM_HERE == AT_FDCWD, "the working directory");
_Static_assert((int)PLATFORM_TYPE_DIRECTORY == (int)DT_DIR && (int)PLATFORM_TYPE_FILE == (int)DT_REG, "types of entries");

enum { ENTRY = STATX_TYPE | STATX_MODE | STATX_INO | STATX_NLINK | STATX_UID | STATX_CTIME | STATX_BTIME };

static int64_t nanoseconds(struct statx_timestamp t) {
    int64_t all;
    if (__builtin_mul_overflow(t.tv_sec, (int64_t)1000000000, &all) ||
        __builtin_add_overflow(all, (int64_t)t.tv_nsec, &all))
        return 0;
    return all;
}

static int look(int directory, const char *name, int flags, platform_entry_t *entry) {
    struct statx s;
    if (statx(directory, name, flags | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, ENTRY, &s)) return errno;
    *entry = (platform_entry_t){
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

int platform_entry_of(int descriptor, platform_entry_t *entry) { return look(descriptor, "", AT_EMPTY_PATH, entry); }
int platform_entry_at(int directory, const char *name, platform_entry_t *entry) { return look(directory, name, 0, entry); }

/* One openat2 for reading, or openat where nothing is asked of it: to get at what is in it, it need not be readable. */
static int open_step(int directory, const char *path, uint64_t resolve) {
    struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, .resolve = resolve};
    if (!resolve) return openat(directory, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

/* A path of any length, in pieces that the system takes. */
static int open_directory(const char *path, size_t length, uint64_t resolve, int *directory) {
    char piece[PATH_MAX];
    int at = AT_FDCWD;
    *directory = -1;
    do {
        size_t take = length;
        if (take >= sizeof piece) {
            take = sizeof piece - 1;
            while (take > 0 && path[take] != '/') take--;
            if (take == 0) {
                if (at != AT_FDCWD) close(at);
                return ENAMETOOLONG;
            }
        }
        memcpy(piece, path, take);
        piece[take] = 0;
        int next = open_step(at, take ? piece : ".", resolve);
        int result = next < 0 ? errno : 0;
        if (at != AT_FDCWD) close(at);
        if (result) return result;
        at = next;
        path += take;
        length -= take;
        while (length > 0 && *path == '/') path++, length--;
    } while (length > 0);
    *directory = at;
    return 0;
}

int platform_open_parent(const char *path, int *directory, const char **name) {
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

int platform_open_exactly(const char *path, int *directory) {
    return open_directory(path, strlen(path), RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS, directory);
}

int platform_open_entry(int directory, const char *name, int *descriptor, platform_entry_t *entry) {
    platform_entry_t before;
    *descriptor = -1;
    int result = platform_entry_at(directory, name, &before);
    if (result) return result;
    /* Opening a device can do something. */
    if (S_ISLNK(before.mode)) return ELOOP;
    if (!S_ISREG(before.mode) && !S_ISDIR(before.mode)) return ENXIO;
    int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
    /* Looking at it is not reading it; only its owner may say so. */
    int f = openat(directory, name, flags | O_RDONLY | O_NOATIME);
    if (f < 0 && errno == EPERM) f = openat(directory, name, flags | O_RDONLY);
    if (f < 0 && errno == EACCES && S_ISREG(before.mode)) f = openat(directory, name, flags | O_WRONLY);
    if (f < 0) return errno;
    result = platform_entry_of(f, entry);
    if (!result && !S_ISREG(entry->mode) && !S_ISDIR(entry->mode)) result = ENXIO;
    if (result) {
        close(f);
        return result;
    }
    *descriptor = f;
    return 0;
}

int platform_path_of(int descriptor, char *path, size_t capacity) {
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

int platform_peek(int descriptor, void *bytes, size_t capacity, size_t *count) {
    ssize_t got;
    *count = 0;
    do got = pread(descriptor, bytes, capacity, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0) return errno;
    *count = (size_t)got;
    return 0;
}

static int taken(ssize_t got, size_t *count) {
    *count = got < 0 ? 0 : (size_t)got;
    return got < 0 ? errno : 0;
}

int platform_attribute_of(int descriptor, const char *attribute, void *bytes, size_t capacity, size_t *count) {
    return taken(fgetxattr(descriptor, attribute, bytes, capacity), count);
}

/* linux/xattr.h has it since 6.13. */
struct attribute_arguments {
    _Alignas(8) uint64_t value;
    uint32_t size, flags;
};
enum { GETXATTRAT = 464 };

int platform_attribute_at(
    int directory, const char *name, const char *attribute, void *bytes, size_t capacity, size_t *count) {
    static _Atomic int is_missing;
    if (!is_missing) {
        struct attribute_arguments arguments = {(uint64_t)(uintptr_t)bytes, (uint32_t)capacity, 0};
        ssize_t got = syscall(GETXATTRAT, directory, name, AT_SYMLINK_NOFOLLOW, attribute, &arguments, sizeof arguments);
        if (got >= 0 || (errno != ENOSYS && errno != EPERM)) return taken(got, count);
        if (errno == ENOSYS) is_missing = 1;
    }
    char path[40 + NAME_MAX + 1];
    if (strlen(name) > NAME_MAX) return ENAMETOOLONG;
    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", directory, name);
    return taken(lgetxattr(path, attribute, bytes, capacity), count);
}

int platform_attribute_set(int descriptor, const char *attribute, const void *bytes, size_t count) {
    return fsetxattr(descriptor, attribute, bytes, count, 0) ? errno : 0;
}

int platform_attribute_remove(int descriptor, const char *attribute) {
    return fremovexattr(descriptor, attribute) ? errno : 0;
}

static int flags_result(void) { return errno == ENOTTY || errno == ENOSYS || errno == EINVAL ? EOPNOTSUPP : errno; }

int platform_set_nodump(int descriptor, bool is_set) {
    int flags = 0;
    if (ioctl(descriptor, FS_IOC_GETFLAGS, &flags)) return flags_result();
    int wanted = is_set ? flags | FS_NODUMP_FL : flags & ~FS_NODUMP_FL;
    if (wanted == flags) return 0;
    return ioctl(descriptor, FS_IOC_SETFLAGS, &wanted) ? flags_result() : 0;
}

int platform_remove_at(int directory, const char *name, bool is_directory) {
    return unlinkat(directory, name, is_directory ? AT_REMOVEDIR : 0) ? errno : 0;
}
