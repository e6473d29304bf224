#define _GNU_SOURCE
#include "files_trusted_path.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINKS = 40 };

/* The remaining path: components are taken off its front, and the target of a link is put there. */
typedef struct remaining {
    char text[2 * PATH_MAX];
} remaining_t;

static bool put_before(remaining_t *remaining, const char *head, size_t length) {
    size_t rest = strlen(remaining->text);
    if (length + 1 + rest >= sizeof remaining->text) return false;
    memmove(remaining->text + length + 1, remaining->text, rest + 1);
    memcpy(remaining->text, head, length);
    remaining->text[length] = '/';
    return true;
}

/* Take the next component; false at the end. */
static bool take_component(remaining_t *remaining, char *name, bool *is_last) {
    const char *begin = remaining->text + strspn(remaining->text, "/");
    size_t length = strcspn(begin, "/");
    if (length == 0) return false;
    if (length > NAME_MAX) length = NAME_MAX + 1;
    memcpy(name, begin, length);
    name[length] = 0;
    const char *rest = begin + strcspn(begin, "/");
    *is_last = rest[strspn(rest, "/")] == 0;
    memmove(remaining->text, rest, strlen(rest) + 1);
    return true;
}

static bool is_trusted(uint32_t user, uint32_t owner) { return user == 0 || user == owner; }

static bool is_protected(const struct stat *directory, const struct stat *entry, uint32_t owner) {
    if (!is_trusted(directory->st_uid, owner)) return false;
    if (!(directory->st_mode & 022)) return true;
    return (directory->st_mode & S_ISVTX) && is_trusted(entry->st_uid, owner);
}

static int refuse(int directory, char *untrusted, size_t capacity) {
    char link[64] = "/proc/self/fd/", digits[12];
    size_t count = 0;
    for (int rest = directory; count == 0 || rest > 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
    size_t end = strlen(link);
    while (count) link[end++] = digits[--count];
    link[end] = 0;
    ssize_t length = readlink(link, untrusted, capacity - 1);
    untrusted[length < 0 ? 0 : length] = 0;
    return EPERM;
}

static int walk(int *directory, remaining_t *remaining, uint32_t owner, struct stat *end, char *untrusted, size_t capacity) {
    char name[NAME_MAX + 2], target[PATH_MAX];
    bool is_last;
    for (int links = 0; take_component(remaining, name, &is_last);) {
        struct stat here, entry;
        if (strcmp(name, ".") == 0 && !is_last) continue;
        if (fstat(*directory, &here) || fstatat(*directory, name, &entry, AT_SYMLINK_NOFOLLOW)) return errno;
        /* The parent was checked on the way down. */
        if (strcmp(name, "..") != 0 && !is_protected(&here, &entry, owner)) return refuse(*directory, untrusted, capacity);
        if (S_ISLNK(entry.st_mode)) {
            if (++links > MAX_LINKS) return ELOOP;
            ssize_t length = readlinkat(*directory, name, target, sizeof target);
            if (length < 0) return errno;
            if ((size_t)length == sizeof target || !put_before(remaining, target, (size_t)length)) return ENAMETOOLONG;
            if (target[0] != '/') continue;
            memcpy(name, "/", 2);
        } else if (is_last) {
            *end = entry;
            return 0;
        }
        int next = openat(*directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next < 0) return errno;
        close(*directory);
        *directory = next;
    }
    return EISDIR;
}

int files_trusted_path(const char *path, uint32_t owner, files_stat_t *status, char *untrusted, size_t capacity) {
    remaining_t remaining;
    struct stat end;
    untrusted[0] = 0;
    size_t length = strnlen(path, PATH_MAX);
    if (length == 0 || length >= PATH_MAX) return ENAMETOOLONG;
    memcpy(remaining.text, path, length + 1);
    if (path[0] != '/') {
        char current[PATH_MAX];
        if (!getcwd(current, sizeof current)) return errno;
        if (!put_before(&remaining, current, strlen(current))) return ENAMETOOLONG;
    }
    int directory = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return errno;
    int result = walk(&directory, &remaining, owner, &end, untrusted, capacity);
    close(directory);
    if (!result) *status = (files_stat_t){end.st_uid, end.st_mode, end.st_size, end.st_dev, end.st_ino};
    return result;
}
