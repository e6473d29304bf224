#define _GNU_SOURCE
#include "platform_replace.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { TEMPORARY_BYTES = 32, LIST = 65536, TURNS = 100 };

/* One name for each file's, so that what a killed process has left is found again. */
static void temporary(const platform_place_t *place, char name[TEMPORARY_BYTES]) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char *c = place->name; *c; c++) hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
    snprintf(name, TEMPORARY_BYTES, ".mam-%016llx", (unsigned long long)hash);
}

/* What the system keeps there for itself is not ours to copy. */
static bool is_copied(const char *name) {
    return strncmp(name, "security.", 9) != 0 && strncmp(name, "trusted.", 8) != 0;
}

static int copy_attribute(int from, int to, const char *name, char *value) {
    ssize_t length = fgetxattr(from, name, value, LIST);
    if (length < 0) return errno == ENODATA ? 0 : errno;
    return fsetxattr(to, name, value, (size_t)length, 0) ? errno : 0;
}

static int copy_attributes(int from, int to) {
    char *names = malloc(LIST), *value = malloc(LIST);
    int result = names && value ? 0 : ENOMEM;
    ssize_t length = result ? 0 : flistxattr(from, names, LIST);
    if (length < 0) result = errno == ENOTSUP ? 0 : errno;
    for (char *name = names; !result && name < names + length; name += strlen(name) + 1)
        if (is_copied(name)) result = copy_attribute(from, to, name, value);
    free(names);
    free(value);
    return result;
}

int platform_copy_properties(int from, int to) {
    struct stat s, made;
    if (fstat(from, &s) || fstat(to, &made)) return errno;
    if ((s.st_uid != made.st_uid || s.st_gid != made.st_gid) && fchown(to, s.st_uid, s.st_gid)) return errno;
    if (fchmod(to, s.st_mode & 07777)) return errno;
    return copy_attributes(from, to);
}

int platform_times_at(const platform_place_t *place, platform_times_t *times) {
    struct stat s;
    if (fstatat(place->directory, place->name, &s, AT_SYMLINK_NOFOLLOW)) return errno;
    *times = (platform_times_t){s.st_atim.tv_sec, s.st_atim.tv_nsec, s.st_mtim.tv_sec, s.st_mtim.tv_nsec};
    return 0;
}

int platform_set_times(int descriptor, const platform_times_t *t) {
    struct timespec both[] = {
        {.tv_sec = t->read_seconds, .tv_nsec = t->read_nanoseconds},
        {.tv_sec = t->written_seconds, .tv_nsec = t->written_nanoseconds}};
    return futimens(descriptor, both) ? errno : 0;
}

int platform_next_data(int descriptor, int64_t offset, int64_t *begin, int64_t *end) {
    struct stat s;
    if (fstat(descriptor, &s)) return errno;
    *begin = *end = s.st_size;
    off_t data = lseek(descriptor, offset, SEEK_DATA);
    if (data < 0 && errno == ENXIO) return 0;
    if (data < 0 && errno != EINVAL && errno != ENOTSUP) return errno;
    *begin = data < 0 ? offset : data;
    off_t hole = data < 0 ? -1 : lseek(descriptor, data, SEEK_HOLE);
    if (hole >= 0) *end = hole;
    return 0;
}

int platform_links_of(int descriptor, uint64_t *links, int64_t *changed) {
    struct stat s;
    if (fstat(descriptor, &s)) return errno;
    *links = s.st_nlink;
    *changed = s.st_ctim.tv_sec * 1000000000LL + s.st_ctim.tv_nsec;
    return 0;
}

bool platform_is_at(int descriptor, const platform_place_t *place) {
    struct stat s, there;
    return !fstat(descriptor, &s) && !fstatat(place->directory, place->name, &there, AT_SYMLINK_NOFOLLOW)
        && s.st_dev == there.st_dev && s.st_ino == there.st_ino;
}

int platform_make_beside(const platform_place_t *place, int *descriptor) {
    char name[TEMPORARY_BYTES];
    *descriptor = openat(place->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (*descriptor >= 0) return 0;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) return errno;
    temporary(place, name);
    *descriptor = openat(place->directory, name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*descriptor < 0) return errno;
    return platform_lock_use(*descriptor, true, false);
}

static int sync_directory(const platform_place_t *place) {
    int directory = openat(place->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return errno;
    int result = fsync(directory) ? errno : 0;
    close(directory);
    return result;
}

int platform_put_in_place(int descriptor, const platform_place_t *place) {
    char self[32], name[TEMPORARY_BYTES];
    struct stat s;
    temporary(place, name);
    snprintf(self, sizeof self, "/proc/self/fd/%d", descriptor);
    if (fsync(descriptor) || fstat(descriptor, &s)) return errno;
    int result = platform_lock_use(descriptor, true, false);
    for (int turn = 0; !result && turn < TURNS; turn++) {
        if (s.st_nlink == 0 && linkat(AT_FDCWD, self, place->directory, name, AT_SYMLINK_FOLLOW)) {
            if (errno != EEXIST) return errno;
            platform_clear_beside(place);
            result = turn == TURNS - 1 ? EBUSY : 0;
            continue;
        }
        if (renameat(place->directory, name, place->directory, place->name) == 0) return sync_directory(place);
        result = errno;
        unlinkat(place->directory, name, 0);
    }
    return result;
}

void platform_clear_beside(const platform_place_t *place) {
    char name[TEMPORARY_BYTES];
    temporary(place, name);
    int left = openat(place->directory, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (left < 0) return;
    if (platform_lock_use(left, true, false) == 0) unlinkat(place->directory, name, 0);
    close(left);
}
